// SPDX-License-Identifier: Apache-2.0
// Instructions under the names of XLA's subclasses of HloInstruction: views that offer what is
// special to some opcodes. They have no data and no virtual functions, and no object is ever made
// of them: Cast and DynCast (hlo_casting_utils.h) look at an instruction through one.
#ifndef XLA_HLO_IR_HLO_INSTRUCTIONS_H_
#define XLA_HLO_IR_HLO_INSTRUCTIONS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"  // IWYU pragma: export
#include "xla/shape_util.h"
#include "xla/xla_data_enums.h"

namespace xla {

namespace ir_internal {

// A view of instructions with these opcodes; Base is HloInstruction or a wider view.
template <class Base, HloOpcode... kOpcodes>
class View : public Base {
 public:
  View() = delete;
  static bool ClassOf(const HloInstruction* instruction) {
    return (... || (instruction->opcode() == kOpcodes));
  }
};

}  // namespace ir_internal

class HloBatchNormInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kBatchNormTraining,
                               HloOpcode::kBatchNormInference, HloOpcode::kBatchNormGrad> {};
class HloBatchNormTrainingInstruction
    : public ir_internal::View<HloBatchNormInstruction, HloOpcode::kBatchNormTraining> {};
class HloBatchNormInferenceInstruction
    : public ir_internal::View<HloBatchNormInstruction, HloOpcode::kBatchNormInference> {};
class HloBatchNormGradInstruction
    : public ir_internal::View<HloBatchNormInstruction, HloOpcode::kBatchNormGrad> {};
class HloFftInstruction : public ir_internal::View<HloInstruction, HloOpcode::kFft> {};
class HloAsyncInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate,
                               HloOpcode::kAsyncDone> {};
class HloAsyncStartInstruction
    : public ir_internal::View<HloAsyncInstruction, HloOpcode::kAsyncStart> {};
class HloCopyStartInstruction : public ir_internal::View<HloInstruction, HloOpcode::kCopyStart> {
 public:
  std::optional<int> cross_program_prefetch_index() const;
};
class HloCompareInstruction : public ir_internal::View<HloInstruction, HloOpcode::kCompare> {
 public:
  ComparisonDirection direction() const { return comparison_direction(); }
  ComparisonType type() const;
};
class HloTriangularSolveInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kTriangularSolve> {};
class HloCholeskyInstruction : public ir_internal::View<HloInstruction, HloOpcode::kCholesky> {};
class HloTopKInstruction : public ir_internal::View<HloInstruction, HloOpcode::kTopK> {
 public:
  int64_t k() const { return attributes<TopKAttributes>().k; }
  bool largest() const { return attributes<TopKAttributes>().largest; }
};
class HloChannelInstruction
    : public ir_internal::View<
          HloInstruction, HloOpcode::kSend, HloOpcode::kSendDone, HloOpcode::kRecv,
          HloOpcode::kRecvDone, HloOpcode::kAllReduce, HloOpcode::kAllReduceStart,
          HloOpcode::kReduceScatter, HloOpcode::kCollectiveBroadcast, HloOpcode::kAllGather,
          HloOpcode::kAllGatherStart, HloOpcode::kAllToAll, HloOpcode::kRaggedAllToAll,
          HloOpcode::kCollectivePermute, HloOpcode::kCollectivePermuteStart> {};
class HloSendRecvInstruction
    : public ir_internal::View<HloChannelInstruction, HloOpcode::kSend, HloOpcode::kSendDone,
                               HloOpcode::kRecv, HloOpcode::kRecvDone> {};
class HloSendInstruction : public ir_internal::View<HloSendRecvInstruction, HloOpcode::kSend> {};
class HloSendDoneInstruction
    : public ir_internal::View<HloSendRecvInstruction, HloOpcode::kSendDone> {};
class HloRecvInstruction : public ir_internal::View<HloSendRecvInstruction, HloOpcode::kRecv> {};
class HloRecvDoneInstruction
    : public ir_internal::View<HloSendRecvInstruction, HloOpcode::kRecvDone> {};
class HloCollectiveInstruction
    : public ir_internal::View<
          HloChannelInstruction, HloOpcode::kAllReduce, HloOpcode::kAllReduceStart,
          HloOpcode::kReduceScatter, HloOpcode::kCollectiveBroadcast, HloOpcode::kAllGather,
          HloOpcode::kAllGatherStart, HloOpcode::kAllToAll, HloOpcode::kRaggedAllToAll> {};
class HloAllGatherInstruction
    : public ir_internal::View<HloCollectiveInstruction, HloOpcode::kAllGather,
                               HloOpcode::kAllGatherStart> {
 public:
  int64_t all_gather_dimension() const { return dimensions()[0]; }
};
class HloAllReduceInstructionBase
    : public ir_internal::View<HloCollectiveInstruction, HloOpcode::kAllReduce,
                               HloOpcode::kAllReduceStart, HloOpcode::kReduceScatter> {};
class HloAllReduceInstruction
    : public ir_internal::View<HloAllReduceInstructionBase, HloOpcode::kAllReduce,
                               HloOpcode::kAllReduceStart> {};
class HloReduceScatterInstruction
    : public ir_internal::View<HloAllReduceInstructionBase, HloOpcode::kReduceScatter> {
 public:
  int64_t scatter_dimension() const { return dimensions()[0]; }
};
class HloAllToAllInstruction
    : public ir_internal::View<HloCollectiveInstruction, HloOpcode::kAllToAll> {
 public:
  // Not set in the tuple form.
  std::optional<int64_t> split_dimension() const;
};
class HloRaggedAllToAllInstruction
    : public ir_internal::View<HloCollectiveInstruction, HloOpcode::kRaggedAllToAll> {};
class HloCollectiveBroadcastInstruction
    : public ir_internal::View<HloCollectiveInstruction, HloOpcode::kCollectiveBroadcast> {};
class HloCollectivePermuteInstruction
    : public ir_internal::View<HloChannelInstruction, HloOpcode::kCollectivePermute,
                               HloOpcode::kCollectivePermuteStart> {};
class HloDimensionsInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kReverse, HloOpcode::kConcatenate,
                               HloOpcode::kReduce, HloOpcode::kScan, HloOpcode::kTranspose,
                               HloOpcode::kBroadcast, HloOpcode::kSort, HloOpcode::kAllGather,
                               HloOpcode::kAllGatherStart, HloOpcode::kMap> {};
class HloReverseInstruction
    : public ir_internal::View<HloDimensionsInstruction, HloOpcode::kReverse> {};
class HloConcatenateInstruction
    : public ir_internal::View<HloDimensionsInstruction, HloOpcode::kConcatenate> {};
class HloReduceInstruction
    : public ir_internal::View<HloDimensionsInstruction, HloOpcode::kReduce> {
 public:
  int64_t input_count() const { return operand_count() / 2; }
  absl::Span<HloInstruction* const> inputs() const;
  absl::Span<HloInstruction* const> init_values() const;
};
class HloScanInstruction : public ir_internal::View<HloDimensionsInstruction, HloOpcode::kScan> {
 public:
  int64_t scan_dimension() const { return dimensions()[0]; }
  bool is_reverse() const { return attributes<ScanAttributes>().is_reverse; }
  int64_t num_carries() const { return attributes<ScanAttributes>().num_carries; }
};
class HloSortInstruction : public ir_internal::View<HloDimensionsInstruction, HloOpcode::kSort> {
 public:
  int64_t sort_dimension() const { return dimensions()[0]; }
  int64_t values_count() const { return operand_count() - 1; }
};
class HloTransposeInstruction
    : public ir_internal::View<HloDimensionsInstruction, HloOpcode::kTranspose> {};
class HloBroadcastInstruction
    : public ir_internal::View<HloDimensionsInstruction, HloOpcode::kBroadcast> {};
class HloDynamicReshapeInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kDynamicReshape> {};
class HloReshapeInstruction : public ir_internal::View<HloInstruction, HloOpcode::kReshape> {
 public:
  int64_t inferred_dimension() const { return attributes<ReshapeAttributes>().inferred_dimension; }
};
class HloMapInstruction : public ir_internal::View<HloInstruction, HloOpcode::kMap> {};
class HloSliceInstruction : public ir_internal::View<HloInstruction, HloOpcode::kSlice> {};
class HloConstantInstruction : public ir_internal::View<HloInstruction, HloOpcode::kConstant> {};
class HloCallableInstruction : public ir_internal::View<HloInstruction, HloOpcode::kFusion,
                                                        HloOpcode::kCall, HloOpcode::kCustomCall> {
 public:
  // Precondition: it calls one.
  HloComputation* called_computation() const { return called_computations()[0]; }
  HloInstruction* called_computation_root() const;
  // Which results share the memory of which operands: (result, (operand, element of it)).
  using OutputAliases = std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>;
  OutputAliases output_operand_aliasing() const;
  void set_output_to_operand_aliasing(const OutputAliases& aliasing);
};
class HloFusionInstruction : public ir_internal::View<HloCallableInstruction, HloOpcode::kFusion> {
 public:
  std::vector<HloInstruction*> fused_instructions() const;
  const std::vector<HloInstruction*>& fused_parameters() const;
  HloInstruction* fused_parameter(int64_t number) const { return fused_parameters()[number]; }
  bool IsLoopFusion() const { return fusion_kind() == FusionKind::kLoop; }
  bool IsInputFusion() const { return fusion_kind() == FusionKind::kInput; }
  bool IsOutputFusion() const { return fusion_kind() == FusionKind::kOutput; }
  bool IsCustomFusion() const { return fusion_kind() == FusionKind::kCustom; }
};
class HloCallInstruction : public ir_internal::View<HloCallableInstruction, HloOpcode::kCall> {};
class HloRngInstruction : public ir_internal::View<HloInstruction, HloOpcode::kRng> {};
class HloParameterInstruction : public ir_internal::View<HloInstruction, HloOpcode::kParameter> {};
class HloGetTupleElementInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kGetTupleElement> {};
class HloReducePrecisionInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kReducePrecision> {};
class HloInfeedInstruction : public ir_internal::View<HloInstruction, HloOpcode::kInfeed> {
 public:
  const Shape& infeed_shape() const { return shape().tuple_shapes(0); }
};
class HloOutfeedInstruction : public ir_internal::View<HloInstruction, HloOpcode::kOutfeed> {
 public:
  const Shape& outfeed_shape() const;
};
class HloConvolutionInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kConvolution> {};
class HloReduceWindowInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kReduceWindow> {
 public:
  int64_t input_count() const { return operand_count() / 2; }
  absl::Span<HloInstruction* const> inputs() const;
  absl::Span<HloInstruction* const> init_values() const;
};
class HloSelectAndScatterInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kSelectAndScatter> {};
class HloCustomCallInstruction
    : public ir_internal::View<HloCallableInstruction, HloOpcode::kCustomCall> {
 public:
  CustomCallApiVersion api_version() const {
    return attributes<CustomCallAttributes>().api_version;
  }
  CustomCallSchedule custom_call_schedule() const {
    return attributes<CustomCallAttributes>().schedule;
  }
  bool layout_constrained() const {
    return attributes<CustomCallAttributes>().operand_layout_constraints.has_value();
  }
  const std::vector<Shape>& operand_shapes_with_layout() const {
    return *attributes<CustomCallAttributes>().operand_layout_constraints;
  }
  bool HasLiteral() const { return attributes<CustomCallAttributes>().literal.literal != nullptr; }
};
class HloPadInstruction : public ir_internal::View<HloInstruction, HloOpcode::kPad> {
 public:
  HloInstruction* padding_value() const { return operand(1); }
};
class HloDynamicIndexInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kDynamicSlice,
                               HloOpcode::kDynamicUpdateSlice> {
 public:
  int64_t first_index_operand_number() const {
    return opcode() == HloOpcode::kDynamicSlice ? 1 : 2;
  }
  absl::Span<HloInstruction* const> index_operands() const;
};
class HloDynamicSliceInstruction
    : public ir_internal::View<HloDynamicIndexInstruction, HloOpcode::kDynamicSlice> {};
class HloDynamicUpdateSliceInstruction
    : public ir_internal::View<HloDynamicIndexInstruction, HloOpcode::kDynamicUpdateSlice> {
 public:
  HloInstruction* update() const { return operand(1); }
};
class HloGatherInstruction : public ir_internal::View<HloInstruction, HloOpcode::kGather> {
 public:
  bool indices_are_sorted() const { return attributes<GatherAttributes>().indices_are_sorted; }
  static GatherDimensionNumbers MakeGatherDimNumbers(
      absl::Span<const int64_t> offset_dims, absl::Span<const int64_t> collapsed_slice_dims,
      absl::Span<const int64_t> start_index_map, int64_t index_vector_dim,
      absl::Span<const int64_t> operand_batching_dims = {},
      absl::Span<const int64_t> start_indices_batching_dims = {});
};
class HloScatterInstruction : public ir_internal::View<HloInstruction, HloOpcode::kScatter> {
 public:
  int64_t scatter_operand_count() const { return operand_count() / 2; }
  absl::Span<HloInstruction* const> scatter_operands() const;
  absl::Span<HloInstruction* const> scatter_updates() const;
  HloInstruction* scatter_indices() const { return operand(scatter_operand_count()); }
  bool indices_are_sorted() const { return attributes<ScatterAttributes>().indices_are_sorted; }
  bool unique_indices() const { return attributes<ScatterAttributes>().unique_indices; }
  static ScatterDimensionNumbers MakeScatterDimNumbers(
      absl::Span<const int64_t> update_window_dims, absl::Span<const int64_t> inserted_window_dims,
      absl::Span<const int64_t> scatter_dims_to_operand_dims, int64_t index_vector_dim,
      absl::Span<const int64_t> input_batching_dims = {},
      absl::Span<const int64_t> scatter_indices_batching_dims = {});
};
class HloIotaInstruction : public ir_internal::View<HloInstruction, HloOpcode::kIota> {
 public:
  int64_t iota_dimension() const { return attributes<IotaAttributes>().iota_dimension; }
};
class HloDotInstruction : public ir_internal::View<HloInstruction, HloOpcode::kDot> {};
class HloRaggedDotInstruction : public ir_internal::View<HloInstruction, HloOpcode::kRaggedDot> {};
class HloScaledDotInstruction : public ir_internal::View<HloInstruction, HloOpcode::kScaledDot> {};
class HloDomainInstruction : public ir_internal::View<HloInstruction, HloOpcode::kDomain> {};
class HloGetDimensionSizeInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kGetDimensionSize> {};
class HloSetDimensionSizeInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kSetDimensionSize> {};
class HloRngGetAndUpdateStateInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kRngGetAndUpdateState> {
 public:
  int64_t delta() const { return attributes<RngDeltaAttributes>().delta; }
};
class HloRngBitGeneratorInstruction
    : public ir_internal::View<HloInstruction, HloOpcode::kRngBitGenerator> {
 public:
  RandomAlgorithm algorithm() const { return attributes<RngBitGeneratorAttributes>().algorithm; }
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INSTRUCTIONS_H_
