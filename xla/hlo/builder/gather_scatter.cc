// SPDX-License-Identifier: Apache-2.0
// Slices at dynamic indices.
#include "xla/hlo/builder/builder_state.h"

namespace xla {

XlaOp DynamicSlice(XlaOp operand, absl::Span<const XlaOp> start_indices,
                   absl::Span<const int64_t> slice_sizes) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("DynamicSlice", [&] {
    return builder->state().Add(
        HloOpcode::kDynamicSlice, Concatenated({operand}, start_indices),
        DynamicSliceAttributes{.dynamic_slice_sizes = ToInt64s(slice_sizes)});
  });
}

XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, absl::Span<const XlaOp> start_indices) {
  XlaBuilder* builder = XlaBuilder::Of({operand, update});
  if (builder == nullptr) return XlaOp();
  return builder->Record("DynamicUpdateSlice", [&] {
    return builder->state().Add(HloOpcode::kDynamicUpdateSlice,
                                Concatenated({operand, update}, start_indices));
  });
}

XlaOp Gather(XlaOp input, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
             absl::Span<const int64_t> slice_sizes, bool indices_are_sorted) {
  XlaBuilder* builder = XlaBuilder::Of({input, start_indices});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Gather", [&] {
    const GatherDimensionNumbers& d = dimension_numbers;
    return builder->state().Add(
        HloOpcode::kGather, {input, start_indices},
        GatherAttributes{.offset_dims = ToInt64s(d.offset_dims()),
                         .collapsed_slice_dims = ToInt64s(d.collapsed_slice_dims()),
                         .start_index_map = ToInt64s(d.start_index_map()),
                         .operand_batching_dims = ToInt64s(d.operand_batching_dims()),
                         .start_indices_batching_dims = ToInt64s(d.start_indices_batching_dims()),
                         .index_vector_dim = d.index_vector_dim(),
                         .slice_sizes = ToInt64s(slice_sizes),
                         .indices_are_sorted = indices_are_sorted});
  });
}

XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
              XlaComputationRef update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
              bool unique_indices) {
  XlaBuilder* builder = XlaBuilder::Of({input, scatter_indices, updates});
  if (builder == nullptr) return XlaOp();
  return Scatter(absl::MakeConstSpan(&input, 1), scatter_indices, absl::MakeConstSpan(&updates, 1),
                 update_computation, dimension_numbers, indices_are_sorted, unique_indices);
}

XlaOp Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
              absl::Span<const XlaOp> updates, XlaComputationRef update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
              bool unique_indices) {
  XlaBuilder* builder = XlaBuilder::Of({scatter_indices});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Scatter", [&]() -> absl::StatusOr<XlaOp> {
    if (inputs.empty()) return InvalidArgument("Scatter inputs cannot be empty.");
    if (inputs.size() != updates.size()) {
      return InvalidArgument("Scatter should have same number of inputs and updates: %u vs %u.",
                             inputs.size(), updates.size());
    }
    std::vector<XlaOp> operands(inputs.begin(), inputs.end());
    operands.push_back(scatter_indices);
    operands.insert(operands.end(), updates.begin(), updates.end());
    const ScatterDimensionNumbers& d = dimension_numbers;
    return builder->state().Add(
        HloOpcode::kScatter, operands,
        ScatterAttributes{
            .update_window_dims = ToInt64s(d.update_window_dims()),
            .inserted_window_dims = ToInt64s(d.inserted_window_dims()),
            .scatter_dims_to_operand_dims = ToInt64s(d.scatter_dims_to_operand_dims()),
            .input_batching_dims = ToInt64s(d.input_batching_dims()),
            .scatter_indices_batching_dims = ToInt64s(d.scatter_indices_batching_dims()),
            .index_vector_dim = d.index_vector_dim(),
            .indices_are_sorted = indices_are_sorted,
            .unique_indices = unique_indices},
        nullptr, {&update_computation, 1});
  });
}

}  // namespace xla
