// SPDX-License-Identifier: Apache-2.0
// The functions of InstructionFactories whose attributes are given as protos. Numbers that the
// attributes cannot hold (more precisions than operands) are left out, for the verifier to find.
#include "xla/hlo/ir/instruction_factories.h"

#include <utility>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/xla_data.pb.h"

namespace xla {

using Made = InstructionFactories::Made;

// Attributes are those of the operation's own proto fields, except for precisions.
static Precisions PrecisionsOf(const PrecisionConfig& config) {
  return proto::ReadPrecisions(config, config.operand_precision_size()).value_or(Precisions());
}

static Made MakeDot(HloOpcode opcode, const Shape& shape,
                    std::initializer_list<HloInstruction*> operands,
                    const DotDimensionNumbers& numbers, const PrecisionConfig& precision) {
  DotAttributes attributes;
  attributes.lhs_batch_dims = proto::ToInt64s(numbers.lhs_batch_dimensions());
  attributes.lhs_contracting_dims = proto::ToInt64s(numbers.lhs_contracting_dimensions());
  attributes.rhs_batch_dims = proto::ToInt64s(numbers.rhs_batch_dimensions());
  attributes.rhs_contracting_dims = proto::ToInt64s(numbers.rhs_contracting_dimensions());
  attributes.precision = PrecisionsOf(precision);
  attributes.algorithm = precision.algorithm();
  return HloInstruction::Create(opcode, shape, operands, std::move(attributes));
}

Made InstructionFactories::CreatePad(const Shape& shape, HloInstruction* operand,
                                     HloInstruction* padding_value,
                                     const PaddingConfig& padding_config) {
  PadAttributes attributes;
  for (const auto& dim : padding_config.dimensions()) {
    attributes.padding.push_back(
        {dim.edge_padding_low(), dim.edge_padding_high(), dim.interior_padding()});
  }
  return HloInstruction::Create(HloOpcode::kPad, shape, {operand, padding_value},
                                std::move(attributes));
}

Made InstructionFactories::CreateGather(const Shape& shape, HloInstruction* operand,
                                        HloInstruction* start_indices,
                                        const GatherDimensionNumbers& numbers, Ints slice_sizes,
                                        bool indices_are_sorted) {
  GatherAttributes attributes;
  attributes.offset_dims = proto::ToInt64s(numbers.offset_dims());
  attributes.collapsed_slice_dims = proto::ToInt64s(numbers.collapsed_slice_dims());
  attributes.start_index_map = proto::ToInt64s(numbers.start_index_map());
  attributes.operand_batching_dims = proto::ToInt64s(numbers.operand_batching_dims());
  attributes.start_indices_batching_dims = proto::ToInt64s(numbers.start_indices_batching_dims());
  attributes.index_vector_dim = numbers.index_vector_dim();
  attributes.slice_sizes = proto::ToInt64s(slice_sizes);
  attributes.indices_are_sorted = indices_are_sorted;
  return HloInstruction::Create(HloOpcode::kGather, shape, {operand, start_indices},
                                std::move(attributes));
}

Made InstructionFactories::CreateScatter(const Shape& shape, Operands operands,
                                         HloInstruction* indices, Operands updates,
                                         HloComputation* computation,
                                         const ScatterDimensionNumbers& numbers,
                                         bool indices_are_sorted, bool unique_indices) {
  ScatterAttributes attributes;
  attributes.update_window_dims = proto::ToInt64s(numbers.update_window_dims());
  attributes.inserted_window_dims = proto::ToInt64s(numbers.inserted_window_dims());
  attributes.scatter_dims_to_operand_dims = proto::ToInt64s(numbers.scatter_dims_to_operand_dims());
  attributes.input_batching_dims = proto::ToInt64s(numbers.input_batching_dims());
  attributes.scatter_indices_batching_dims =
      proto::ToInt64s(numbers.scatter_indices_batching_dims());
  attributes.index_vector_dim = numbers.index_vector_dim();
  attributes.indices_are_sorted = indices_are_sorted;
  attributes.unique_indices = unique_indices;
  std::vector<HloInstruction*> all(operands.begin(), operands.end());
  all.push_back(indices);
  all.insert(all.end(), updates.begin(), updates.end());
  return HloInstruction::Create(HloOpcode::kScatter, shape, all, std::move(attributes),
                                absl::MakeConstSpan(&computation, 1));
}

Made InstructionFactories::CreateScatter(const Shape& shape, HloInstruction* operand,
                                         HloInstruction* indices, HloInstruction* updates,
                                         HloComputation* computation,
                                         const ScatterDimensionNumbers& numbers,
                                         bool indices_are_sorted, bool unique_indices) {
  return CreateScatter(shape, absl::MakeConstSpan(&operand, 1), indices,
                       absl::MakeConstSpan(&updates, 1), computation, numbers, indices_are_sorted,
                       unique_indices);
}

Made InstructionFactories::CreateReduceWindow(const Shape& shape, HloInstruction* operand,
                                              HloInstruction* init_value, const Window& window,
                                              HloComputation* computation) {
  return HloInstruction::Create(HloOpcode::kReduceWindow, shape, {operand, init_value},
                                WindowAttributes{.window = proto::ReadWindow(window)},
                                {computation});
}

Made InstructionFactories::CreateReduceWindow(const Shape& shape, Operands operands,
                                              Operands init_values, const Window& window,
                                              HloComputation* computation) {
  std::vector<HloInstruction*> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  return HloInstruction::Create(HloOpcode::kReduceWindow, shape, all,
                                WindowAttributes{.window = proto::ReadWindow(window)},
                                absl::MakeConstSpan(&computation, 1));
}

Made InstructionFactories::CreateSelectAndScatter(const Shape& shape, HloInstruction* operand,
                                                  HloComputation* select, const Window& window,
                                                  HloInstruction* source,
                                                  HloInstruction* init_value,
                                                  HloComputation* scatter) {
  return HloInstruction::Create(HloOpcode::kSelectAndScatter, shape, {operand, source, init_value},
                                WindowAttributes{.window = proto::ReadWindow(window)},
                                {select, scatter});
}

Made InstructionFactories::CreateDot(const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
                                     const DotDimensionNumbers& numbers,
                                     const PrecisionConfig& precision) {
  return MakeDot(HloOpcode::kDot, shape, {lhs, rhs}, numbers, precision);
}

Made InstructionFactories::CreateScaledDot(const Shape& shape, HloInstruction* lhs,
                                           HloInstruction* rhs, HloInstruction* lhs_scale,
                                           HloInstruction* rhs_scale,
                                           const DotDimensionNumbers& numbers,
                                           const PrecisionConfig& precision) {
  return MakeDot(HloOpcode::kScaledDot, shape, {lhs, rhs, lhs_scale, rhs_scale}, numbers,
                 precision);
}

Made InstructionFactories::CreateRaggedDot(const Shape& shape, HloInstruction* lhs,
                                           HloInstruction* rhs, HloInstruction* group_sizes,
                                           const RaggedDotDimensionNumbers& numbers,
                                           const PrecisionConfig& precision) {
  const DotDimensionNumbers& dot = numbers.dot_dimension_numbers();
  RaggedDotAttributes attributes;
  attributes.lhs_batch_dims = proto::ToInt64s(dot.lhs_batch_dimensions());
  attributes.lhs_contracting_dims = proto::ToInt64s(dot.lhs_contracting_dimensions());
  attributes.rhs_batch_dims = proto::ToInt64s(dot.rhs_batch_dimensions());
  attributes.rhs_contracting_dims = proto::ToInt64s(dot.rhs_contracting_dimensions());
  attributes.lhs_ragged_dims = proto::ToInt64s(numbers.lhs_ragged_dimensions());
  attributes.rhs_group_dims = proto::ToInt64s(numbers.rhs_group_dimensions());
  attributes.precision = PrecisionsOf(precision);
  attributes.algorithm = precision.algorithm();
  return HloInstruction::Create(HloOpcode::kRaggedDot, shape, {lhs, rhs, group_sizes},
                                std::move(attributes));
}

Made InstructionFactories::CreateConvolve(const Shape& shape, HloInstruction* lhs,
                                          HloInstruction* rhs, int64_t feature_group_count,
                                          int64_t batch_group_count, const Window& window,
                                          const ConvolutionDimensionNumbers& numbers,
                                          const PrecisionConfig& precision,
                                          const SparsityConfig& sparsity, ConvolutionKind kind) {
  ConvolutionAttributes attributes;
  attributes.sparsity = proto::ReadSparsity(sparsity);
  attributes.kind = kind;
  attributes.window = proto::ReadWindow(window);
  attributes.dim_labels = proto::ReadConvDims(numbers).value_or(ConvDims());
  attributes.feature_group_count = feature_group_count;
  attributes.batch_group_count = batch_group_count;
  attributes.precision = PrecisionsOf(precision);
  return HloInstruction::Create(HloOpcode::kConvolution, shape, {lhs, rhs}, std::move(attributes));
}

Made InstructionFactories::CreateConvolve(const Shape& shape, HloInstruction* lhs,
                                          HloInstruction* rhs, int64_t feature_group_count,
                                          int64_t batch_group_count, const Window& window,
                                          const ConvolutionDimensionNumbers& numbers,
                                          const PrecisionConfig& precision) {
  return CreateConvolve(shape, lhs, rhs, feature_group_count, batch_group_count, window, numbers,
                        precision, SparsityConfig());
}

Made InstructionFactories::CreateTriangularSolve(const Shape& shape, HloInstruction* a,
                                                 HloInstruction* b,
                                                 const TriangularSolveOptions& options) {
  return HloInstruction::Create(HloOpcode::kTriangularSolve, shape, {a, b},
                                TriangularSolveAttributes{.left_side = options.left_side(),
                                                          .lower = options.lower(),
                                                          .unit_diagonal = options.unit_diagonal(),
                                                          .transpose_a = options.transpose_a()});
}

Made InstructionFactories::CreateCholesky(const Shape& shape, HloInstruction* a,
                                          const CholeskyOptions& options) {
  return HloInstruction::Create(HloOpcode::kCholesky, shape, {a},
                                CholeskyAttributes{.lower = options.lower()});
}

Made InstructionFactories::CreateAllReduce(const Shape& shape, Operands operands,
                                           HloComputation* computation,
                                           absl::Span<const ReplicaGroup> replica_groups,
                                           bool constrain_layout,
                                           const std::optional<int64_t>& channel_id,
                                           bool use_global_device_ids) {
  AllReduceAttributes attributes;
  attributes.channel_id = channel_id;
  attributes.constrain_layout = constrain_layout;
  attributes.use_global_device_ids = use_global_device_ids;
  CollectiveDeviceListProto list;
  for (const ReplicaGroup& group : replica_groups) *list.add_replica_groups() = group;
  if (auto devices = CollectiveDeviceList::FromProto(list); devices.ok()) {
    attributes.replica_groups = *std::move(devices);
  }
  return HloInstruction::Create(HloOpcode::kAllReduce, shape, operands, std::move(attributes),
                                absl::MakeConstSpan(&computation, 1));
}

GatherDimensionNumbers HloGatherInstruction::MakeGatherDimNumbers(
    absl::Span<const int64_t> offset_dims, absl::Span<const int64_t> collapsed_slice_dims,
    absl::Span<const int64_t> start_index_map, int64_t index_vector_dim,
    absl::Span<const int64_t> operand_batching_dims,
    absl::Span<const int64_t> start_indices_batching_dims) {
  GatherDimensionNumbers numbers;
  numbers.mutable_offset_dims()->Add(offset_dims.begin(), offset_dims.end());
  numbers.mutable_collapsed_slice_dims()->Add(collapsed_slice_dims.begin(),
                                              collapsed_slice_dims.end());
  numbers.mutable_start_index_map()->Add(start_index_map.begin(), start_index_map.end());
  numbers.set_index_vector_dim(index_vector_dim);
  numbers.mutable_operand_batching_dims()->Add(operand_batching_dims.begin(),
                                               operand_batching_dims.end());
  numbers.mutable_start_indices_batching_dims()->Add(start_indices_batching_dims.begin(),
                                                     start_indices_batching_dims.end());
  return numbers;
}

ScatterDimensionNumbers HloScatterInstruction::MakeScatterDimNumbers(
    absl::Span<const int64_t> update_window_dims, absl::Span<const int64_t> inserted_window_dims,
    absl::Span<const int64_t> scatter_dims_to_operand_dims, int64_t index_vector_dim,
    absl::Span<const int64_t> input_batching_dims,
    absl::Span<const int64_t> scatter_indices_batching_dims) {
  ScatterDimensionNumbers numbers;
  numbers.mutable_update_window_dims()->Add(update_window_dims.begin(), update_window_dims.end());
  numbers.mutable_inserted_window_dims()->Add(inserted_window_dims.begin(),
                                              inserted_window_dims.end());
  numbers.mutable_scatter_dims_to_operand_dims()->Add(scatter_dims_to_operand_dims.begin(),
                                                      scatter_dims_to_operand_dims.end());
  numbers.set_index_vector_dim(index_vector_dim);
  numbers.mutable_input_batching_dims()->Add(input_batching_dims.begin(),
                                             input_batching_dims.end());
  numbers.mutable_scatter_indices_batching_dims()->Add(scatter_indices_batching_dims.begin(),
                                                       scatter_indices_batching_dims.end());
  return numbers;
}

}  // namespace xla
