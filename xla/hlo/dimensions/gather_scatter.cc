// SPDX-License-Identifier: Apache-2.0
// Dimension relations of slices at positions that are data.
#include <algorithm>

#include "xla/hlo/dimensions/rules.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::dimensions {
namespace {

// What gather and scatter have in common: an array, indices, and slices (the gather's result, the
// scatter's updates).
struct SlicedArray {
  Sizes array, indices, slices;
  int64_t index_vector_dim;
  Sizes window_dims;     // of the slices
  Sizes collapsed_dims;  // of the array, which the slices do not have
  Sizes batch_dims;      // of the array
  Sizes indices_batch_dims;
};

// Calls add(dimension of the array, of the indices, of the slices, factor) for each factor.
template <class Add>
void RelateSlices(const SlicedArray& s, bool is_scatter, FactorKind update_kind, Add add) {
  int64_t array_dim = 0, batch = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(s.slices.size()); ++d) {
    const int64_t size = s.slices[d];
    if (!Contains(s.window_dims, d)) {
      const int64_t indices_dim = batch < s.index_vector_dim ? batch : batch + 1;
      ++batch;
      // Either a batch dimension of all three, or one along which positions are independent;
      // updates of such ones are combined.
      const auto* found =
          std::find(s.indices_batch_dims.begin(), s.indices_batch_dims.end(), indices_dim);
      const bool is_batch = found != s.indices_batch_dims.end();
      add(is_batch ? s.batch_dims[found - s.indices_batch_dims.begin()] : kNoDim, indices_dim, d,
          DimensionFactor{
              .size = size,
              .kind = is_scatter && !is_batch ? update_kind : FactorKind::kPassThrough});
      continue;
    }
    while (Contains(s.collapsed_dims, array_dim) || Contains(s.batch_dims, array_dim)) ++array_dim;
    const int64_t array_size = s.array[array_dim];
    const DimensionFactor of_array{.size = array_size, .kind = FactorKind::kNeedReplication};
    const DimensionFactor of_slices{.size = size, .kind = FactorKind::kNeedReplication};
    if (array_size == size) {
      add(array_dim, kNoDim, d, DimensionFactor{.size = size});
    } else if (is_scatter) {
      add(array_dim, kNoDim, kNoDim, of_array);
      add(kNoDim, kNoDim, d, of_slices);
    } else if (size == 1) {
      // A device that does not have the position contributes zero.
      add(array_dim, kNoDim, kNoDim,
          DimensionFactor{.size = array_size, .kind = FactorKind::kReduction});
      add(kNoDim, kNoDim, d, of_slices);
    } else {
      add(array_dim, kNoDim, d,
          DimensionFactor{
              .size = array_size, .kind = FactorKind::kNeedReplication, .is_blocked = true});
    }
    ++array_dim;
  }
  for (const int64_t d : s.collapsed_dims) {
    FactorKind kind = FactorKind::kPassThrough;  // a device scatters what falls into its part
    if (!is_scatter) {
      kind = s.array[d] == 1 ? FactorKind::kNeedReplication : FactorKind::kReduction;
    }
    add(d, kNoDim, kNoDim, DimensionFactor{.size = s.array[d], .kind = kind});
  }
  if (s.index_vector_dim < static_cast<int64_t>(s.indices.size())) {
    add(kNoDim, s.index_vector_dim, kNoDim,
        DimensionFactor{.size = s.indices[s.index_vector_dim],
                        .kind = FactorKind::kNeedReplication});
  }
}

// Whether each result of the computation is one operation, the same for all, that collectives
// reduce by.
bool IsReduction(const HloComputation& combiner, size_t num_results) {
  if (combiner.num_parameters() != static_cast<int64_t>(2 * num_results)) return false;
  const HloInstruction* root = combiner.root_instruction();
  const HloInstruction* first = nullptr;
  for (size_t i = 0; i < num_results; ++i) {
    const HloInstruction* value = root;
    if (root->opcode() == HloOpcode::kTuple) {
      value = root->operand(static_cast<int64_t>(i));
    } else if (num_results != 1) {
      return false;
    }
    switch (value->opcode()) {
      case HloOpcode::kAdd:
      case HloOpcode::kMultiply:
      case HloOpcode::kMaximum:
      case HloOpcode::kMinimum:
        break;
      case HloOpcode::kAnd:
      case HloOpcode::kOr:
        if (value->shape().element_type() != PRED) return false;
        break;
      default:
        return false;
    }
    if (first == nullptr) first = value;
    if (value->opcode() != first->opcode()) return false;
  }
  return true;
}

}  // namespace

Relations RelateDynamicSlice(const RelationInput& in) {
  const Sizes from = in.operand(0).dimensions(), to = in.result().dimensions();
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.result().rank(); ++d) {
    DimensionFactor factor{.size = from[d]};
    if (from[d] != to[d]) {
      factor.kind = FactorKind::kNeedReplication;
      factor.is_blocked = true;
    }
    builder.Add({d}, {d}, factor);
  }
  return std::move(builder).Build();
}

// The array stays divided, each device writes what falls into its part; the update is whole, unless
// its position is known.
Relations RelateDynamicUpdateSlice(const RelationInput& in) {
  const Sizes array = in.operand(0).dimensions(), update = in.operand(1).dimensions();
  const auto& operands = in.instruction.operands();
  const bool is_constant =
      std::all_of(operands.begin() + 2, operands.end(),
                  [](const HloInstruction* index) { return index->IsConstant(); });
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.result().rank(); ++d) {
    if (array[d] == update[d]) {
      builder.Add({d, d}, {d}, {.size = array[d]});
      continue;
    }
    builder.Add({d, kNoDim}, {d}, {.size = array[d]});
    builder.Add({kNoDim, d}, {kNoDim},
                {.size = update[d],
                 .kind = is_constant ? FactorKind::kPassThrough : FactorKind::kNeedReplication});
  }
  return std::move(builder).Build();
}

Relations RelateGather(const RelationInput& in) {
  const auto& dims = in.attributes<GatherAttributes>();
  const SlicedArray sliced{in.operand(0).dimensions(), in.operand(1).dimensions(),
                           in.result().dimensions(),   dims.index_vector_dim,
                           dims.offset_dims,           dims.collapsed_slice_dims,
                           dims.operand_batching_dims, dims.start_indices_batching_dims};
  RelationBuilder builder(in);
  RelateSlices(sliced, /*is_scatter=*/false, FactorKind::kPassThrough,
               [&](int64_t array, int64_t indices, int64_t slices, const DimensionFactor& factor) {
                 builder.Add({array, indices}, {slices}, factor);
               });
  return std::move(builder).Build();
}

Relations RelateScatter(const RelationInput& in) {
  const auto& dims = in.attributes<ScatterAttributes>();
  const size_t count = in.results.size();
  if (in.operands.size() != 2 * count + 1) return std::nullopt;
  const SlicedArray sliced{in.operand(0).dimensions(),
                           in.operand(count).dimensions(),
                           in.operand(count + 1).dimensions(),
                           dims.index_vector_dim,
                           dims.update_window_dims,
                           dims.inserted_window_dims,
                           dims.input_batching_dims,
                           dims.scatter_indices_batching_dims};
  const FactorKind update_kind = IsReduction(*in.instruction.to_apply(), count)
                                     ? FactorKind::kReduction
                                     : FactorKind::kNeedReplication;
  RelationBuilder builder(in);
  RelateSlices(sliced, /*is_scatter=*/true, update_kind,
               [&](int64_t array, int64_t indices, int64_t slices, const DimensionFactor& factor) {
                 Dims operands(count, array);
                 operands.push_back(indices);
                 operands.insert(operands.end(), count, slices);
                 builder.Add(operands, Dims(count, array), factor);
               });
  return std::move(builder).Build();
}

}  // namespace xla::dimensions
