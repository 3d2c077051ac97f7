// SPDX-License-Identifier: Apache-2.0
// Convolutions on shards: along batches, features, groups of both, space (with rows of neighbors),
// and the window, of which each partition then has some of the positions.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

// Dimensions that are divided alike, or -1.
struct ConvolutionFactor {
  enum class Kind : uint8_t {
    kFree,      // of one operand and the result
    kSummed,    // features that are contracted
    kGrouped,   // groups of features or of the batch
    kSpatial,   // rows of the input and the result
    kParallel,  // spatial, but each row of the result is of one row of the input and of the kernel
    kOuter,     // spatial, but each row of the result is one row of the kernel times the input
    kWindowed,  // positions of the window, and rows of the input: results are summed
  };
  Kind kind;
  int64_t dims[3];  // of the input, the kernel and the result
  int64_t spatial = -1;
};

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

struct ConvolutionLayouts {
  std::vector<DimensionSharding> loops;
  ShardLayout arrays[3];
  PartitionGroups partial;
  // Rows of the input for reversed windows are divided in the order of positions, not of rows.
  bool is_reversed = false;
};

const Shape& ConvolutionArray(const HloInstruction& convolution, size_t array) {
  return array == 2 ? convolution.shape()
                    : convolution.operand(static_cast<int64_t>(array))->shape();
}

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

// The rows of the input for some of the positions of the window.
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

absl::StatusOr<bool> Partitioner::PartitionConvolution(HloInstruction* convolution) {
  const auto& attributes = convolution->attributes<ConvolutionAttributes>();
  if (convolution->operand_count() != 2 || ShapeUtil::IsZeroElementArray(convolution->shape()) ||
      ShapeUtil::IsZeroElementArray(convolution->operand(0)->shape()) ||
      ShapeUtil::IsZeroElementArray(convolution->operand(1)->shape())) {
    return false;
  }
  const Source sources[2] = {SourceOf(convolution->mutable_operand(0)),
                             SourceOf(convolution->mutable_operand(1))};
  const std::optional<ShardLayout> wanted = WantedLayout(*convolution);
  struct Given {
    size_t array;
    DimensionShardings shardings;
  };
  std::vector<Given> given;
  for (size_t i = 0; i < 2; ++i) {
    if (sources[i].shard != nullptr) given.push_back({i, DimensionShardingsOf(sources[i].layout)});
  }
  if (wanted.has_value()) given.push_back({2, DimensionShardingsOf(*wanted)});
  if (given.empty()) return false;
  const std::vector<ConvolutionFactor> loops = ConvolutionFactors(*convolution);
  const auto size_of = [&](const ConvolutionLayouts& layouts, size_t array) {
    const Shape& full = ConvolutionArray(*convolution, array);
    return ShapeUtil::ByteSizeOf(PaddedShape(full, layouts.arrays[array])) /
           layouts.arrays[array].size();
  };
  const auto cost_of = [&](const ConvolutionLayouts& layouts) {
    int64_t cost = 0;
    for (size_t i = 0; i < 2; ++i) {
      if (sources[i].shard == nullptr) continue;
      cost += emit_.ReshardBytes(ConvolutionArray(*convolution, i), sources[i].layout,
                                 layouts.arrays[i]);
    }
    for (size_t k = 0; k < loops.size(); ++k) {
      const int64_t count = layouts.loops[k].count;
      if (count == 1 || loops[k].spatial < 0 ||
          loops[k].kind == ConvolutionFactor::Kind::kParallel ||
          loops[k].kind == ConvolutionFactor::Kind::kOuter) {
        continue;
      }
      const int64_t n =
          convolution->operand(0)->shape().dimensions(static_cast<int>(loops[k].dims[0]));
      const int64_t rows = CeilOfRatio(n, count);
      int64_t others = 0;
      if (loops[k].kind == ConvolutionFactor::Kind::kWindowed) {
        others = RowsFromOthers(
            RowsOfWindowPart(*convolution, loops[k], count, layouts.is_reversed), rows);
      } else {
        const WindowDim& dim = attributes.window[static_cast<size_t>(loops[k].spatial)];
        const int64_t results = convolution->shape().dimensions(static_cast<int>(loops[k].dims[2]));
        others = RowsFromOthers(WindowRange(dim, loops[k].dims[0], n, results, count).range, rows);
      }
      cost += others * (size_of(layouts, 0) / rows);
    }
    if (!layouts.partial.empty()) {
      const int64_t group = layouts.partial.group_size();
      const int64_t once = size_of(layouts, 2) / group * (group - 1);
      ShardLayout parts = layouts.arrays[2];
      parts.partial_groups = layouts.partial;
      if (wanted.has_value() && emit_.CanReduceScatter(convolution->shape(), parts, *wanted)) {
        return cost + once;
      }
      cost += 2 * once;
    }
    return wanted.has_value()
               ? cost + emit_.ReshardBytes(convolution->shape(), layouts.arrays[2], *wanted)
               : cost;
  };
  const bool has_reversal = absl::c_any_of(
      loops, [&](const ConvolutionFactor& loop) { return IsReversed(*convolution, loop); });
  std::optional<ConvolutionLayouts> best;
  int64_t least = INT64_MAX;
  const auto consider = [&](absl::Span<const size_t> order, bool may_sum, bool may_window,
                            bool is_reversed) {
    std::vector<DimensionSharding> shardings(loops.size());
    for (const size_t source : order) {
      for (size_t k = 0; k < loops.size(); ++k) {
        const int64_t d = loops[k].dims[given[source].array];
        if (d < 0 || shardings[k].count > 1) continue;
        if (loops[k].kind == ConvolutionFactor::Kind::kSummed && !may_sum) continue;
        if (loops[k].kind == ConvolutionFactor::Kind::kWindowed && !may_window) continue;
        if (loops[k].kind == ConvolutionFactor::Kind::kSpatial && may_window &&
            given[source].array == 0)
          continue;
        shardings[k] = given[source].shardings[static_cast<size_t>(d)];
        if (shardings[k].count == 1) continue;
        if (!MayDivide(*convolution, loops, shardings, k) ||
            !ShardLayoutFrom(shardings, partitions_).has_value()) {
          shardings[k] = {};
        }
      }
    }
    auto layouts =
        ConvolutionLayoutsOf(*convolution, loops, std::move(shardings), is_reversed, partitions_);
    if (!layouts.has_value()) return;
    const int64_t cost = cost_of(*layouts);
    if (cost >= least) return;
    least = cost;
    best = std::move(layouts);
  };
  std::vector<size_t> order;
  for (size_t i = 0; i < given.size(); ++i) order.push_back(i);
  do {
    for (const bool may_sum : {true, false}) {
      consider(order, may_sum, /*may_window=*/false, /*is_reversed=*/false);
      for (const bool is_reversed : {false, true}) {
        if (is_reversed && !has_reversal) continue;
        consider(order, may_sum, /*may_window=*/true, is_reversed);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  consider({}, false, false, false);
  if (!best.has_value()) return false;
  if (absl::c_all_of(best->loops, [](const auto& s) { return s.count == 1; })) return true;

  HloComputation* computation = convolution->parent();
  std::vector<HloInstruction*> operands;
  for (size_t i = 0; i < 2; ++i) {
    XLA_ASSIGN_OR_RETURN(
        HloInstruction * shard,
        ShardOf(convolution->mutable_operand(static_cast<int64_t>(i)), best->arrays[i]));
    operands.push_back(WithoutPaddingFor(*convolution, i, shard, best->arrays[i]));
  }
  const auto zero_of = [&](size_t i) {
    return Zero(computation, ShapeUtil::MakeShape(operands[i]->shape().element_type(), {}));
  };
  ConvolutionAttributes local = attributes;
  for (size_t k = 0; k < loops.size(); ++k) {
    const ConvolutionFactor& loop = loops[k];
    const int64_t count = best->loops[k].count;
    if (count == 1) continue;
    if (loop.kind == ConvolutionFactor::Kind::kGrouped) {
      (local.batch_group_count > 1 && loop.dims[0] == local.dim_labels.input_batch
           ? local.batch_group_count
           : local.feature_group_count) /= count;
    } else if (loop.kind == ConvolutionFactor::Kind::kParallel) {
      WindowDim& dim = local.window[static_cast<size_t>(loop.spatial)];
      dim.size /= count;
      dim.base_dilation = dim.size;
      (dim.stride > 1 ? dim.stride : dim.window_dilation) = std::max<int64_t>(dim.size - 1, 1);
    } else if (loop.kind == ConvolutionFactor::Kind::kOuter) {
      WindowDim& dim = local.window[static_cast<size_t>(loop.spatial)];
      dim.size /= count;
      dim.padding_low = dim.padding_high = dim.size - 1;
    } else if (loop.kind == ConvolutionFactor::Kind::kSpatial) {
      WindowDim& dim = local.window[static_cast<size_t>(loop.spatial)];
      const Shape& input = convolution->operand(0)->shape();
      operands[0] = RowsOfWindow(operands[0], best->arrays[0], loop.dims[0],
                                 input.dimensions(static_cast<int>(loop.dims[0])),
                                 convolution->shape().dimensions(static_cast<int>(loop.dims[2])),
                                 zero_of(0), dim);
    } else if (loop.kind == ConvolutionFactor::Kind::kWindowed) {
      operands[1] = FillPadding(operands[1], convolution->operand(1)->shape(), best->arrays[1],
                                {loop.dims[1]}, zero_of(1));
      operands[0] =
          emit_.Rows(operands[0], RowsOfWindowPart(*convolution, loop, count, best->is_reversed),
                     best->arrays[0], zero_of(0));
      WindowDim& dim = local.window[static_cast<size_t>(loop.spatial)];
      dim.size = CeilOfRatio(dim.size, count);
      dim.padding_low = dim.padding_high = 0;
    }
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(convolution->shape(), best->arrays[2]));
  HloInstruction* shard =
      computation->AddInstruction(convolution->CloneWithNewOperands(shape, operands));
  *shard->mutable_attributes<ConvolutionAttributes>() = std::move(local);
  if (!best->partial.empty()) {
    shard = CombinePartial(convolution, shard,
                           ShardingStrategy{{}, best->arrays[2], best->partial, {}});
  }
  XLA_RETURN_IF_ERROR(SetResult(convolution, shard, best->arrays[2]));
  return true;
}

}  // namespace xla::spmd
