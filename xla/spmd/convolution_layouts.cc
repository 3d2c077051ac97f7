// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/convolution_layouts.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

// Whether the window makes a spatial dimension of n rows a batch: result i is input i times kernel
// i.
bool IsBatch(const WindowDim& window, int64_t n) {
  const int64_t step = std::max<int64_t>(n - 1, 1);
  return window.size == n && window.base_dilation == n && window.padding_low == 0 &&
         window.padding_high == 0 && !window.window_reversal &&
         ((window.stride == step && window.window_dilation == 1) ||
          (window.stride == 1 && window.window_dilation == step));
}

// Whether the window makes an outer product of the input's only row: result i is times kernel i.
bool IsOuterProduct(const WindowDim& window, int64_t n) {
  return n == 1 && window.size > 1 && window.stride == 1 && window.window_dilation == 1 &&
         window.padding_low == window.size - 1 && window.padding_high == window.size - 1 &&
         window.window_reversal;
}

}  // namespace

std::vector<ConvolutionFactor> ConvolutionFactors(const HloInstruction& instruction) {
  const auto& convolution = instruction.attributes<ConvolutionAttributes>();
  const ConvDims& dims = convolution.dim_labels;
  std::vector<ConvolutionFactor> loops;
  const bool has_features = convolution.feature_group_count > 1;
  const bool has_batches = convolution.batch_group_count > 1;
  if (has_batches) {
    loops.push_back({ConvolutionFactor::Kind::kGrouped,
                     {dims.input_batch, dims.kernel_output_feature, dims.output_feature}});
  } else {
    loops.push_back({ConvolutionFactor::Kind::kFree, {dims.input_batch, -1, dims.output_batch}});
  }
  if (has_features) {
    loops.push_back({ConvolutionFactor::Kind::kGrouped,
                     {dims.input_feature, dims.kernel_output_feature, dims.output_feature}});
  } else {
    if (!has_batches) {
      loops.push_back(
          {ConvolutionFactor::Kind::kFree, {-1, dims.kernel_output_feature, dims.output_feature}});
    }
    loops.push_back(
        {ConvolutionFactor::Kind::kSummed, {dims.input_feature, dims.kernel_input_feature, -1}});
  }
  for (size_t i = 0; i < dims.input_spatial.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    const int64_t rows =
        instruction.operand(0)->shape().dimensions(static_cast<int>(dims.input_spatial[i]));
    if (rows > 1 && IsBatch(convolution.window[i], rows)) {
      loops.push_back({ConvolutionFactor::Kind::kParallel,
                       {dims.input_spatial[i], dims.kernel_spatial[i], dims.output_spatial[i]},
                       number});
    }
    if (IsOuterProduct(convolution.window[i], rows)) {
      loops.push_back({ConvolutionFactor::Kind::kOuter,
                       {-1, dims.kernel_spatial[i], dims.output_spatial[i]},
                       number});
    }
    loops.push_back({ConvolutionFactor::Kind::kSpatial,
                     {dims.input_spatial[i], -1, dims.output_spatial[i]},
                     number});
    if (convolution.window[i].base_dilation == 1) {
      loops.push_back({ConvolutionFactor::Kind::kWindowed,
                       {dims.input_spatial[i], dims.kernel_spatial[i], -1},
                       number});
    }
  }
  return loops;
}

const Shape& ConvolutionArray(const HloInstruction& convolution, size_t array) {
  return array == 2 ? convolution.shape()
                    : convolution.operand(static_cast<int64_t>(array))->shape();
}

RowRange RowsOfWindowPart(const HloInstruction& convolution, const ConvolutionFactor& loop,
                          int64_t count, bool is_reversed) {
  const WindowDim& dim =
      convolution.attributes<ConvolutionAttributes>().window[static_cast<size_t>(loop.spatial)];
  const auto& dims = convolution.attributes<ConvolutionAttributes>().dim_labels;
  const int64_t positions = CeilOfRatio(dim.size, count);
  const int64_t results = convolution.shape().dimensions(
      static_cast<int>(dims.output_spatial[static_cast<size_t>(loop.spatial)]));
  RowRange range;
  range.dimension = loop.dims[0];
  range.limit = convolution.operand(0)->shape().dimensions(static_cast<int>(loop.dims[0]));
  range.length = (results - 1) * dim.stride + (positions - 1) * dim.window_dilation + 1;
  for (int64_t q = 0; q < count; ++q) {
    // Of a reversed window, the first positions are the last rows.
    const int64_t part = is_reversed && dim.window_reversal ? count - 1 - q : q;
    const int64_t first =
        dim.window_reversal ? dim.size - (part + 1) * positions : part * positions;
    range.starts.push_back(first * dim.window_dilation - dim.padding_low);
  }
  return range;
}

namespace {

// Whether the loop may be divided so, next to others.
bool MayDivide(const HloInstruction& convolution, absl::Span<const ConvolutionFactor> loops,
               const std::vector<DimensionSharding>& shardings, size_t k) {
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const ConvolutionFactor& loop = loops[k];
  const int64_t count = shardings[k].count;
  for (size_t other = 0; other < loops.size(); ++other) {
    if (other == k || shardings[other].count == 1) continue;
    for (size_t array = 0; array < 3; ++array) {
      if (loop.dims[array] >= 0 && loop.dims[array] == loops[other].dims[array]) return false;
    }
  }
  if (loop.kind == ConvolutionFactor::Kind::kParallel ||
      loop.kind == ConvolutionFactor::Kind::kOuter) {
    return ConvolutionArray(convolution, 2).dimensions(static_cast<int>(loop.dims[2])) % count == 0;
  }
  if (loop.kind != ConvolutionFactor::Kind::kGrouped) return true;
  const bool of_batch = attributes.batch_group_count > 1;
  const int64_t groups = of_batch ? attributes.batch_group_count : attributes.feature_group_count;
  for (size_t array = 0; array < 3; ++array) {
    const int64_t size =
        ConvolutionArray(convolution, array).dimensions(static_cast<int>(loop.dims[array]));
    if (size % count != 0) return false;
  }
  return groups % count == 0;
}

// Whether shards of the kernel are counted from the end of the rows.
bool IsReversed(const HloInstruction& convolution, const ConvolutionFactor& loop) {
  return loop.kind == ConvolutionFactor::Kind::kWindowed &&
         convolution.attributes<ConvolutionAttributes>()
             .window[static_cast<size_t>(loop.spatial)]
             .window_reversal;
}

std::optional<ConvolutionLayouts> ConvolutionLayoutsOf(const HloInstruction& convolution,
                                                       absl::Span<const ConvolutionFactor> loops,
                                                       std::vector<DimensionSharding> shardings,
                                                       bool is_reversed, int64_t partitions) {
  ConvolutionLayouts layouts{.is_reversed = is_reversed};
  for (size_t array = 0; array < 3; ++array) {
    DimensionShardings dims(static_cast<size_t>(ConvolutionArray(convolution, array).rank()));
    for (size_t k = 0; k < loops.size(); ++k) {
      const int64_t d = loops[k].dims[array];
      if (d >= 0 && shardings[k].count > 1) dims[static_cast<size_t>(d)] = shardings[k];
    }
    auto layout = ShardLayoutFrom(dims, partitions);
    if (!layout.has_value()) return std::nullopt;
    layouts.arrays[array] = *std::move(layout);
  }
  if (is_reversed) {
    std::vector<int64_t> reversed;
    for (size_t k = 0; k < loops.size(); ++k) {
      if (IsReversed(convolution, loops[k]) && shardings[k].count > 1) {
        reversed.push_back(loops[k].dims[0]);
      }
    }
    layouts.arrays[0] = ReversedLayout(layouts.arrays[0], reversed);
  }
  DimensionShardings kept, summed;
  for (size_t k = 0; k < loops.size(); ++k) {
    (loops[k].dims[2] < 0 ? summed : kept).push_back(shardings[k]);
  }
  auto partial = PartialGroups(kept, summed, partitions);
  if (!partial.has_value()) return std::nullopt;
  layouts.partial = *std::move(partial);
  layouts.loops = std::move(shardings);
  return layouts;
}

// The rows that a partition gets from others, of the one that gets most.
int64_t RowsFromOthers(const RowRange& range, int64_t size) {
  int64_t most = 0;
  for (size_t q = 0; q < range.starts.size(); ++q) {
    const auto [first, last] = range.RowsOf(static_cast<int64_t>(q));
    const int64_t own_first = std::max(first, static_cast<int64_t>(q) * size);
    const int64_t own_last = std::min(last, (static_cast<int64_t>(q) + 1) * size);
    const int64_t own = std::max<int64_t>(own_last - own_first, 0);
    most = std::max(most, std::max<int64_t>(last - first, 0) - own);
  }
  return most;
}

}  // namespace

ConvolutionChoice::ConvolutionChoice(const HloInstruction& convolution,
                                     absl::Span<const ConvolutionFactor> factors,
                                     std::array<std::optional<ShardLayout>, 2> operands,
                                     std::optional<ShardLayout> wanted, const ShardEmitter& emitter)
    : convolution_(convolution),
      factors_(factors),
      operands_(std::move(operands)),
      wanted_(std::move(wanted)),
      emitter_(emitter) {
  for (size_t i = 0; i < 2; ++i) {
    if (operands_[i].has_value()) given_.push_back({i, DimensionShardingsOf(*operands_[i])});
  }
  if (wanted_.has_value()) given_.push_back({2, DimensionShardingsOf(*wanted_)});
}

std::optional<ConvolutionLayouts> ConvolutionChoice::Choose() {
  if (given_.empty()) return std::nullopt;
  const bool has_reversal = absl::c_any_of(
      factors_, [&](const ConvolutionFactor& factor) { return IsReversed(convolution_, factor); });
  std::vector<size_t> order;
  for (size_t i = 0; i < given_.size(); ++i) order.push_back(i);
  do {
    for (const bool may_sum : {true, false}) {
      Consider({order, may_sum, /*may_window=*/false, /*is_reversed=*/false});
      for (const bool is_reversed : {false, true}) {
        if (is_reversed && !has_reversal) continue;
        Consider({order, may_sum, /*may_window=*/true, is_reversed});
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  Consider({{}, /*may_sum=*/false, /*may_window=*/false, /*is_reversed=*/false});
  return std::move(best_);
}

void ConvolutionChoice::Consider(const Attempt& attempt) {
  auto layouts = ConvolutionLayoutsOf(convolution_, factors_, ShardingsOf(attempt),
                                      attempt.is_reversed, emitter_.partitions());
  if (!layouts.has_value()) return;
  const int64_t bytes = BytesReceived(*layouts);
  if (bytes >= least_) return;
  least_ = bytes;
  best_ = std::move(layouts);
}

std::vector<DimensionSharding> ConvolutionChoice::ShardingsOf(const Attempt& attempt) const {
  using Kind = ConvolutionFactor::Kind;
  std::vector<DimensionSharding> shardings(factors_.size());
  for (const size_t source : attempt.order) {
    for (size_t k = 0; k < factors_.size(); ++k) {
      const ConvolutionFactor& factor = factors_[k];
      const int64_t d = factor.dims[given_[source].array];
      if (d < 0 || shardings[k].count > 1) continue;
      if (factor.kind == Kind::kSummed && !attempt.may_sum) continue;
      if (factor.kind == Kind::kWindowed && !attempt.may_window) continue;
      if (factor.kind == Kind::kSpatial && attempt.may_window && given_[source].array == 0)
        continue;
      shardings[k] = given_[source].shardings[static_cast<size_t>(d)];
      if (shardings[k].count == 1) continue;
      if (!MayDivide(convolution_, factors_, shardings, k) ||
          !ShardLayoutFrom(shardings, emitter_.partitions()).has_value()) {
        shardings[k] = {};
      }
    }
  }
  return shardings;
}

int64_t ConvolutionChoice::ShardBytes(const ConvolutionLayouts& layouts, size_t array) const {
  const ShardLayout& layout = layouts.arrays[array];
  return ShapeUtil::ByteSizeOf(PaddedShape(ConvolutionArray(convolution_, array), layout)) /
         layout.size();
}

int64_t ConvolutionChoice::BytesOfRows(const ConvolutionLayouts& layouts, size_t factor) const {
  using Kind = ConvolutionFactor::Kind;
  const ConvolutionFactor& loop = factors_[factor];
  const int64_t count = layouts.loops[factor].count;
  if (count == 1 || loop.spatial < 0 || loop.kind == Kind::kParallel || loop.kind == Kind::kOuter)
    return 0;
  const int64_t n = convolution_.operand(0)->shape().dimensions(static_cast<int>(loop.dims[0]));
  const int64_t rows = CeilOfRatio(n, count);
  RowRange range;
  if (loop.kind == Kind::kWindowed) {
    range = RowsOfWindowPart(convolution_, loop, count, layouts.is_reversed);
  } else {
    const WindowDim& dim =
        convolution_.attributes<ConvolutionAttributes>().window[static_cast<size_t>(loop.spatial)];
    const int64_t results = convolution_.shape().dimensions(static_cast<int>(loop.dims[2]));
    range = Partitioner::WindowRange(dim, loop.dims[0], n, results, count).range;
  }
  return RowsFromOthers(range, rows) * (ShardBytes(layouts, 0) / rows);
}

int64_t ConvolutionChoice::BytesReceived(const ConvolutionLayouts& layouts) const {
  int64_t bytes = 0;
  for (size_t i = 0; i < 2; ++i) {
    if (!operands_[i].has_value()) continue;
    bytes +=
        emitter_.ReshardBytes(ConvolutionArray(convolution_, i), *operands_[i], layouts.arrays[i]);
  }
  for (size_t k = 0; k < factors_.size(); ++k) bytes += BytesOfRows(layouts, k);
  if (!layouts.partial.empty()) {
    const int64_t group = layouts.partial.group_size();
    const int64_t once = ShardBytes(layouts, 2) / group * (group - 1);
    ShardLayout parts = layouts.arrays[2];
    parts.partial_groups = layouts.partial;
    if (wanted_.has_value() && emitter_.CanReduceScatter(convolution_.shape(), parts, *wanted_))
      return bytes + once;
    bytes += 2 * once;
  }
  if (!wanted_.has_value()) return bytes;
  return bytes + emitter_.ReshardBytes(convolution_.shape(), layouts.arrays[2], *wanted_);
}

}  // namespace xla::spmd
