// SPDX-License-Identifier: Apache-2.0
// Which dimensions of an operation are independent of each other, and forms that divide these.
#include "xla/spmd/batch_rules.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {
namespace {

// A dimension of the loop around an operation: which dimension of each operand and result it runs
// over, or -1.
struct LoopDimension {
  std::vector<int64_t> operands;
  std::vector<int64_t> results;
  bool is_summed = false;  // the results are sums over it
};
using Loop = std::vector<LoopDimension>;

size_t CountResults(const HloInstruction& instruction) {
  return instruction.shape().IsTuple()
             ? static_cast<size_t>(instruction.shape().tuple_shapes_size())
             : 1;
}

const Shape& ResultShape(const HloInstruction& instruction, size_t i) {
  return instruction.shape().IsTuple() ? instruction.shape().tuple_shapes(static_cast<int>(i))
                                       : instruction.shape();
}

const Shape& OperandShape(const HloInstruction& instruction, size_t i) {
  return instruction.operand(static_cast<int64_t>(i))->shape();
}

LoopDimension NewDimension(const HloInstruction& instruction) {
  return {std::vector<int64_t>(static_cast<size_t>(instruction.operand_count()), -1),
          std::vector<int64_t>(CountResults(instruction), -1)};
}

// The dimensions that `is_kept` of the first operand; the first `count` operands and all results
// have them at the same place.
template <typename Predicate>
Loop KeptDimensions(const HloInstruction& instruction, size_t count, Predicate is_kept) {
  Loop loop;
  for (int64_t d = 0; d < OperandShape(instruction, 0).rank(); ++d) {
    if (!is_kept(d)) continue;
    LoopDimension& dimension = loop.emplace_back(NewDimension(instruction));
    std::fill_n(dimension.operands.begin(), count, d);
    std::fill(dimension.results.begin(), dimension.results.end(), d);
  }
  return loop;
}

bool IsFullSlice(const SliceDim& slice, int64_t size) {
  return slice.start == 0 && slice.limit == size && slice.stride == 1;
}

bool IsUnpadded(const PadDim& padding) {
  return padding.low == 0 && padding.high == 0 && padding.interior == 0;
}

Loop ConvolutionLoop(const HloInstruction& instruction) {
  const auto& convolution = instruction.attributes<ConvolutionAttributes>();
  if (convolution.feature_group_count != 1 || convolution.batch_group_count != 1) return {};
  const ConvDims& dims = convolution.dim_labels;
  Loop loop(3);
  loop[0] = {{dims.input_batch, -1}, {dims.output_batch}};
  loop[1] = {{-1, dims.kernel_output_feature}, {dims.output_feature}};
  loop[2] = {{dims.input_feature, dims.kernel_input_feature}, {-1}, /*is_summed=*/true};
  return loop;
}

// Batches of indices, and dimensions of the operand of which slices are full.
Loop GatherLoop(const HloInstruction& instruction) {
  const auto& gather = instruction.attributes<GatherAttributes>();
  const Shape& operand = OperandShape(instruction, 0);
  const Shape& indices = OperandShape(instruction, 1);
  Loop loop;
  int64_t batch = 0;
  for (int64_t d = 0; d < instruction.shape().rank(); ++d) {
    if (absl::c_linear_search(gather.offset_dims, d)) continue;
    if (batch == gather.index_vector_dim) ++batch;
    const auto& batching = gather.start_indices_batching_dims;
    const auto paired = absl::c_find(batching, batch);
    if (paired != batching.end()) {
      const auto pair = static_cast<size_t>(paired - batching.begin());
      loop.push_back({{gather.operand_batching_dims[pair], batch}, {d}});
    } else if (batch < indices.rank()) {
      loop.push_back({{-1, batch}, {d}});
    }
    ++batch;
  }
  size_t offset = 0;
  for (int64_t d = 0; d < operand.rank() && offset < gather.offset_dims.size(); ++d) {
    if (absl::c_linear_search(gather.collapsed_slice_dims, d) ||
        absl::c_linear_search(gather.operand_batching_dims, d)) {
      continue;
    }
    const int64_t to = gather.offset_dims[offset++];
    if (gather.slice_sizes[static_cast<size_t>(d)] == operand.dimensions(static_cast<int>(d)) &&
        !absl::c_linear_search(gather.start_index_map, d)) {
      loop.push_back({{d, -1}, {to}});
    }
  }
  return loop;
}

// Whether the scatter adds updates to zeros, so that partial scatters can be summed.
bool AddsToZeros(const HloInstruction& scatter) {
  const HloInstruction& root = *scatter.to_apply()->root_instruction();
  if (scatter.shape().IsTuple() || root.opcode() != HloOpcode::kAdd ||
      root.operand(0)->opcode() != HloOpcode::kParameter ||
      root.operand(1)->opcode() != HloOpcode::kParameter || root.operand(0) == root.operand(1)) {
    return false;
  }
  const HloInstruction* zero = WithoutAnnotations(scatter.operand(0));
  if (zero->opcode() == HloOpcode::kBroadcast) zero = zero->operand(0);
  return zero->opcode() == HloOpcode::kConstant && zero->literal().IsAll(0);
}

// Batches of operands and indices, and dimensions of the operands that updates fill. The result is
// a sum over the others where it begins with zeros.
Loop ScatterLoop(const HloInstruction& instruction) {
  const auto& scatter = instruction.attributes<ScatterAttributes>();
  const size_t count = CountResults(instruction);
  const Shape& operand = OperandShape(instruction, 0);
  const Shape& updates = OperandShape(instruction, count + 1);
  const bool adds = AddsToZeros(instruction);
  Loop loop;
  const auto add = [&](int64_t operand_dimension, int64_t index, int64_t update) {
    LoopDimension& dimension = loop.emplace_back(NewDimension(instruction));
    for (size_t i = 0; i < count; ++i) {
      dimension.operands[i] = dimension.results[i] = operand_dimension;
      dimension.operands[count + 1 + i] = update;
    }
    dimension.operands[count] = index;
  };
  size_t window = 0;
  for (int64_t d = 0; d < operand.rank() && window < scatter.update_window_dims.size(); ++d) {
    if (absl::c_linear_search(scatter.inserted_window_dims, d) ||
        absl::c_linear_search(scatter.input_batching_dims, d)) {
      continue;
    }
    const int64_t update = scatter.update_window_dims[window++];
    if (updates.dimensions(static_cast<int>(update)) == operand.dimensions(static_cast<int>(d)) &&
        !absl::c_linear_search(scatter.scatter_dims_to_operand_dims, d)) {
      add(d, -1, update);
    }
  }
  int64_t index = 0;
  for (int64_t update = 0; update < updates.rank(); ++update) {
    if (absl::c_linear_search(scatter.update_window_dims, update)) continue;
    if (index == scatter.index_vector_dim) ++index;
    const auto paired = absl::c_find(scatter.scatter_indices_batching_dims, index);
    if (paired != scatter.scatter_indices_batching_dims.end()) {
      const auto pair = static_cast<size_t>(paired - scatter.scatter_indices_batching_dims.begin());
      add(scatter.input_batching_dims[pair], index, update);
    } else if (adds) {
      add(-1, index, update);
      loop.back().is_summed = true;
    }
    ++index;
  }
  return loop;
}

Loop CustomCallLoop(const HloInstruction& instruction) {
  const auto& attributes = instruction.extras().frontend_attributes;
  const auto found = attributes.find("num_batch_dims");
  int64_t count = 0;
  if (found == attributes.end() || !absl::SimpleAtoi(found->second, &count) || count <= 0 ||
      instruction.attributes<CustomCallAttributes>().has_side_effect) {
    return {};
  }
  Loop loop;
  for (int64_t d = 0; d < count; ++d) {
    LoopDimension& dimension = loop.emplace_back(NewDimension(instruction));
    // What has fewer dimensions is the same for the full batch.
    for (size_t i = 0; i < dimension.operands.size(); ++i) {
      const Shape& shape = OperandShape(instruction, i);
      if (shape.IsArray() && shape.rank() >= count) dimension.operands[i] = d;
    }
    for (size_t i = 0; i < dimension.results.size(); ++i) {
      const Shape& shape = ResultShape(instruction, i);
      if (!shape.IsArray() || shape.rank() < count) return {};
      dimension.results[i] = d;
    }
  }
  return loop;
}

// Of what takes rows of an array, or puts rows into one: the dimensions that it takes in full.
Loop SliceLoop(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kSlice: {
      const auto& slice = instruction.attributes<SliceAttributes>().slice;
      const Shape& operand = OperandShape(instruction, 0);
      return KeptDimensions(instruction, 1, [&](int64_t d) {
        return IsFullSlice(slice[static_cast<size_t>(d)], operand.dimensions(static_cast<int>(d)));
      });
    }
    case HloOpcode::kPad: {
      const auto& padding = instruction.attributes<PadAttributes>().padding;
      return KeptDimensions(instruction, 1,
                            [&](int64_t d) { return IsUnpadded(padding[static_cast<size_t>(d)]); });
    }
    case HloOpcode::kConcatenate: {
      const auto& dimensions = instruction.attributes<DimensionListAttributes>().dimensions;
      return KeptDimensions(instruction, static_cast<size_t>(instruction.operand_count()),
                            [&](int64_t d) { return !absl::c_linear_search(dimensions, d); });
    }
    case HloOpcode::kDynamicSlice: {
      const Shape& operand = OperandShape(instruction, 0);
      return KeptDimensions(instruction, 1, [&](int64_t d) {
        const int i = static_cast<int>(d);
        return instruction.shape().dimensions(i) == operand.dimensions(i);
      });
    }
    case HloOpcode::kDynamicUpdateSlice: {
      const Shape& operand = OperandShape(instruction, 0);
      const Shape& update = OperandShape(instruction, 1);
      return KeptDimensions(instruction, 2, [&](int64_t d) {
        const int i = static_cast<int>(d);
        return update.dimensions(i) == operand.dimensions(i);
      });
    }
    default:
      return {};
  }
}

Loop LoopOf(const HloInstruction& instruction) {
  const auto operands = static_cast<size_t>(instruction.operand_count());
  switch (instruction.opcode()) {
    case HloOpcode::kSlice:
    case HloOpcode::kPad:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
      return SliceLoop(instruction);
    case HloOpcode::kSort: {
      const int64_t sorted = instruction.attributes<SortAttributes>().dimensions[0];
      return KeptDimensions(instruction, operands, [&](int64_t d) { return d != sorted; });
    }
    case HloOpcode::kTopK: {
      const int64_t last = OperandShape(instruction, 0).rank() - 1;
      return KeptDimensions(instruction, 1, [&](int64_t d) { return d != last; });
    }
    case HloOpcode::kReduceWindow: {
      const WindowDims& window = instruction.attributes<WindowAttributes>().window;
      return KeptDimensions(instruction, operands / 2, [&](int64_t d) {
        return window[static_cast<size_t>(d)] == WindowDim();
      });
    }
    case HloOpcode::kSelectAndScatter: {
      const WindowDims& window = instruction.attributes<WindowAttributes>().window;
      return KeptDimensions(
          instruction, 2, [&](int64_t d) { return window[static_cast<size_t>(d)] == WindowDim(); });
    }
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve: {
      const int64_t matrix = OperandShape(instruction, 0).rank() - 2;
      return KeptDimensions(instruction, operands, [&](int64_t d) { return d < matrix; });
    }
    case HloOpcode::kFft: {
      const auto& lengths = instruction.attributes<FftAttributes>().fft_length;
      const int64_t batch =
          OperandShape(instruction, 0).rank() - static_cast<int64_t>(lengths.size());
      return KeptDimensions(instruction, 1, [&](int64_t d) { return d < batch; });
    }
    case HloOpcode::kConvolution:
      return ConvolutionLoop(instruction);
    case HloOpcode::kGather:
      return GatherLoop(instruction);
    case HloOpcode::kScatter:
      return ScatterLoop(instruction);
    case HloOpcode::kCustomCall:
      return CustomCallLoop(instruction);
    default:
      return {};
  }
}

// How the loop is divided: as the operand that is known first says, and as others say of dimensions
// that it does not have, if `with_others`.
DimensionShardings DimensionShardingsOfLoop(const Loop& loop,
                                            absl::Span<const ShardLayout* const> known,
                                            bool with_others) {
  size_t first = 0;
  while (known[first] == nullptr) ++first;
  DimensionShardings dimensions(loop.size());
  for (size_t i = first; i < known.size(); ++i) {
    if (known[i] == nullptr || (i != first && !with_others)) continue;
    const DimensionShardings operand = DimensionShardingsOf(*known[i]);
    for (size_t k = 0; k < loop.size(); ++k) {
      const int64_t d = loop[k].operands[i];
      const bool is_free = i == first || loop[k].operands[first] < 0;
      if (d >= 0 && is_free && dimensions[k].count == 1) {
        dimensions[k] = operand[static_cast<size_t>(d)];
      }
    }
  }
  return dimensions;
}

std::optional<ShardLayout> ShardLayoutAlong(const Loop& loop, const DimensionShardings& dimensions,
                                            int64_t rank, bool of_results, size_t index,
                                            int64_t partitions) {
  DimensionShardings array(static_cast<size_t>(rank));
  for (size_t k = 0; k < loop.size(); ++k) {
    const int64_t d = (of_results ? loop[k].results : loop[k].operands)[index];
    if (d >= 0) array[static_cast<size_t>(d)] = dimensions[k];
  }
  return ShardLayoutFrom(array, partitions);
}

std::optional<ShardingStrategy> StrategyWith(const HloInstruction& instruction, const Loop& loop,
                                             const DimensionShardings& dimensions,
                                             int64_t partitions) {
  DimensionShardings kept, summed;
  for (size_t k = 0; k < loop.size(); ++k) {
    (loop[k].is_summed ? summed : kept).push_back(dimensions[k]);
  }
  DimensionShardings all = kept;
  all.insert(all.end(), summed.begin(), summed.end());
  const std::optional<ShardLayout> combined = ShardLayoutFrom(all, partitions);
  if (!combined.has_value() || combined->IsUndivided()) return std::nullopt;
  ShardingStrategy strategy;
  for (size_t i = 0; i < static_cast<size_t>(instruction.operand_count()); ++i) {
    const Shape& shape = OperandShape(instruction, i);
    if (!shape.IsArray()) return std::nullopt;
    std::optional<ShardLayout> layout =
        ShardLayoutAlong(loop, dimensions, shape.rank(), /*of_results=*/false, i, partitions);
    if (!layout.has_value()) return std::nullopt;
    if (layout->IsUndivided()) layout.reset();
    strategy.operands.push_back(std::move(layout));
  }
  for (size_t i = 0; i < CountResults(instruction); ++i) {
    std::optional<ShardLayout> layout =
        ShardLayoutAlong(loop, dimensions, ResultShape(instruction, i).rank(),
                         /*of_results=*/true, i, partitions);
    if (!layout.has_value()) return std::nullopt;
    if (instruction.shape().IsTuple()) {
      strategy.elements.push_back(*std::move(layout));
    } else {
      strategy.result = *std::move(layout);
    }
  }
  auto partial = PartialGroups(kept, summed, partitions);
  if (!partial.has_value()) return std::nullopt;
  strategy.partial = *std::move(partial);
  return strategy;
}

}  // namespace

std::optional<ShardingStrategy> BatchStrategy(const HloInstruction& instruction,
                                              absl::Span<const ShardLayout* const> known,
                                              int64_t partitions) {
  const Loop loop = LoopOf(instruction);
  if (loop.empty()) return std::nullopt;
  for (const bool with_others : {true, false}) {
    std::optional<ShardingStrategy> strategy = StrategyWith(
        instruction, loop, DimensionShardingsOfLoop(loop, known, with_others), partitions);
    if (strategy.has_value()) return strategy;
  }
  return std::nullopt;
}

void FitToShards(HloInstruction* clone) {
  switch (clone->opcode()) {
    case HloOpcode::kSlice:
      for (int d = 0; d < clone->shape().rank(); ++d) {
        SliceDim& slice =
            clone->mutable_attributes<SliceAttributes>()->slice[static_cast<size_t>(d)];
        slice.limit = std::min(slice.limit, clone->operand(0)->shape().dimensions(d));
      }
      break;
    case HloOpcode::kDynamicSlice: {
      const absl::Span<const int64_t> sizes = clone->shape().dimensions();
      clone->mutable_attributes<DynamicSliceAttributes>()->dynamic_slice_sizes.assign(sizes.begin(),
                                                                                      sizes.end());
      break;
    }
    case HloOpcode::kGather: {
      auto& sizes = clone->mutable_attributes<GatherAttributes>()->slice_sizes;
      for (size_t d = 0; d < sizes.size(); ++d) {
        sizes[d] = std::min(sizes[d], clone->operand(0)->shape().dimensions(static_cast<int>(d)));
      }
      break;
    }
    case HloOpcode::kCustomCall: {
      auto& constraints =
          clone->mutable_attributes<CustomCallAttributes>()->operand_layout_constraints;
      if (!constraints.has_value()) break;
      for (size_t i = 0; i < constraints->size(); ++i) {
        Shape shape = OperandShape(*clone, i);
        if ((*constraints)[i].has_layout()) *shape.mutable_layout() = (*constraints)[i].layout();
        (*constraints)[i] = std::move(shape);
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace xla::spmd
