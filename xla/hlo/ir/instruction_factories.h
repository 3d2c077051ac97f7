// SPDX-License-Identifier: Apache-2.0
// XLA's functions that make instructions, HloInstruction::CreateAdd.. and so on: each is a thin
// form of HloInstruction::Create. Part of hlo_instruction.h; include that.
#ifndef XLA_HLO_IR_INSTRUCTION_FACTORIES_H_
#define XLA_HLO_IR_INSTRUCTION_FACTORIES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/service/hlo_enums.h"
#include "xla/shape.h"
#include "xla/xla_data_enums.h"

namespace xla {

class HloComputation;
class HloInstruction;

// Base of HloInstruction. Shapes are those of the results; nothing is checked: the verifier does.
// Those that take protos are defined in xla/hlo/proto.
struct InstructionFactories {
  using Made = std::unique_ptr<HloInstruction>;
  using Operands = absl::Span<HloInstruction* const>;
  using Ints = absl::Span<const int64_t>;

  static Made CreateIota(const Shape& shape, int64_t iota_dimension);
  static Made CreateNary(const Shape& shape, HloOpcode opcode, Operands operands);
  static Made CreateUnary(const Shape& shape, HloOpcode opcode, HloInstruction* operand);
  static Made CreateBinary(const Shape& shape, HloOpcode opcode, HloInstruction* lhs,
                           HloInstruction* rhs);
  static Made CreateTernary(const Shape& shape, HloOpcode opcode, HloInstruction* lhs,
                            HloInstruction* rhs, HloInstruction* ehs);
  static Made CreateVariadic(const Shape& shape, HloOpcode opcode, Operands operands);
  static Made CreateMap(const Shape& shape, Operands operands, HloComputation* computation);
  static Made CreateCompare(const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
                            Comparison::Direction direction,
                            std::optional<Comparison::Type> type = std::nullopt);
  static Made CreateConvert(const Shape& shape, HloInstruction* operand);
  static Made CreateBitcast(const Shape& shape, HloInstruction* operand);
  static Made CreateBitcastConvert(const Shape& shape, HloInstruction* operand);
  static Made CreateStochasticConvert(const Shape& shape, HloInstruction* operand,
                                      HloInstruction* random);
  static Made CreateReducePrecision(const Shape& shape, HloInstruction* operand, int exponent_bits,
                                    int mantissa_bits);

  static Made CreateBroadcast(const Shape& shape, HloInstruction* operand,
                              Ints broadcast_dimensions);
  static Made CreateReshape(const Shape& shape, HloInstruction* operand,
                            int64_t inferred_dimension = -1);
  static Made CreateDynamicReshape(const Shape& shape, HloInstruction* operand, Operands dim_sizes);
  static Made CreateTranspose(const Shape& shape, HloInstruction* operand, Ints dimensions);
  static Made CreateReverse(const Shape& shape, HloInstruction* operand, Ints dimensions);
  static Made CreateConcatenate(const Shape& shape, Operands operands, int64_t dimension);
  static Made CreateSlice(const Shape& shape, HloInstruction* operand, Ints start_indices,
                          Ints limit_indices, Ints strides);
  static Made CreateDynamicSlice(const Shape& shape, HloInstruction* operand,
                                 Operands start_indices, Ints slice_sizes);
  static Made CreateDynamicUpdateSlice(const Shape& shape, HloInstruction* operand,
                                       HloInstruction* update, Operands start_indices);
  static Made CreatePad(const Shape& shape, HloInstruction* operand, HloInstruction* padding_value,
                        const PaddingConfig& padding_config);
  static Made CreateGetDimensionSize(const Shape& shape, HloInstruction* operand,
                                     int64_t dimension);
  static Made CreateSetDimensionSize(const Shape& shape, HloInstruction* operand,
                                     HloInstruction* size, int64_t dimension);
  static Made CreateGather(const Shape& shape, HloInstruction* operand,
                           HloInstruction* start_indices, const GatherDimensionNumbers& numbers,
                           Ints slice_sizes, bool indices_are_sorted);
  static Made CreateScatter(const Shape& shape, Operands operands, HloInstruction* indices,
                            Operands updates, HloComputation* computation,
                            const ScatterDimensionNumbers& numbers, bool indices_are_sorted,
                            bool unique_indices);
  static Made CreateScatter(const Shape& shape, HloInstruction* operand, HloInstruction* indices,
                            HloInstruction* updates, HloComputation* computation,
                            const ScatterDimensionNumbers& numbers, bool indices_are_sorted,
                            bool unique_indices);

  static Made CreateReduce(const Shape& shape, HloInstruction* operand, HloInstruction* init_value,
                           Ints dimensions, HloComputation* computation);
  static Made CreateReduce(const Shape& shape, Operands operands, Operands init_values,
                           Ints dimensions, HloComputation* computation);
  static Made CreateReduceWindow(const Shape& shape, HloInstruction* operand,
                                 HloInstruction* init_value, const Window& window,
                                 HloComputation* computation);
  static Made CreateReduceWindow(const Shape& shape, Operands operands, Operands init_values,
                                 const Window& window, HloComputation* computation);
  static Made CreateSelectAndScatter(const Shape& shape, HloInstruction* operand,
                                     HloComputation* select, const Window& window,
                                     HloInstruction* source, HloInstruction* init_value,
                                     HloComputation* scatter);
  static Made CreateSort(const Shape& shape, int64_t dimension, Operands operands,
                         HloComputation* compare, bool is_stable);
  static Made CreateTopK(const Shape& shape, HloInstruction* input, int64_t k, bool largest);
  static Made CreateBatchNormTraining(const Shape& shape, HloInstruction* operand,
                                      HloInstruction* scale, HloInstruction* offset, float epsilon,
                                      int64_t feature_index);
  static Made CreateBatchNormInference(const Shape& shape, HloInstruction* operand,
                                       HloInstruction* scale, HloInstruction* offset,
                                       HloInstruction* mean, HloInstruction* variance,
                                       float epsilon, int64_t feature_index);
  static Made CreateBatchNormGrad(const Shape& shape, HloInstruction* operand,
                                  HloInstruction* scale, HloInstruction* mean,
                                  HloInstruction* variance, HloInstruction* grad_output,
                                  float epsilon, int64_t feature_index);

  static Made CreateDot(const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
                        const DotDimensionNumbers& numbers, const PrecisionConfig& precision);
  static Made CreateRaggedDot(const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
                              HloInstruction* group_sizes, const RaggedDotDimensionNumbers& numbers,
                              const PrecisionConfig& precision);
  static Made CreateScaledDot(const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
                              HloInstruction* lhs_scale, HloInstruction* rhs_scale,
                              const DotDimensionNumbers& numbers, const PrecisionConfig& precision);
  static Made CreateConvolve(const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
                             int64_t feature_group_count, int64_t batch_group_count,
                             const Window& window, const ConvolutionDimensionNumbers& numbers,
                             const PrecisionConfig& precision);
  static Made CreateConvolve(const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
                             int64_t feature_group_count, int64_t batch_group_count,
                             const Window& window, const ConvolutionDimensionNumbers& numbers,
                             const PrecisionConfig& precision, const SparsityConfig& sparsity,
                             ConvolutionKind kind = CONVOLUTION_KIND_UNSET);
  static Made CreateFft(const Shape& shape, HloInstruction* operand, FftType type, Ints fft_length);
  static Made CreateTriangularSolve(const Shape& shape, HloInstruction* a, HloInstruction* b,
                                    const TriangularSolveOptions& options);
  static Made CreateCholesky(const Shape& shape, HloInstruction* a, const CholeskyOptions& options);

  static Made CreateRng(const Shape& shape, RandomDistribution distribution, Operands parameters);
  static Made CreateRngBitGenerator(const Shape& shape, HloInstruction* state,
                                    RandomAlgorithm algorithm);
  static Made CreateRngGetAndUpdateState(const Shape& shape, int64_t delta);

  static Made CreateTuple(Operands elements);
  static Made CreateGetTupleElement(const Shape& shape, HloInstruction* operand, int64_t index);
  static Made CreateGetTupleElement(HloInstruction* operand, int64_t index);
  static Made CreateCall(const Shape& shape, Operands operands, HloComputation* computation);
  static Made CreateWhile(const Shape& shape, HloComputation* condition, HloComputation* body,
                          HloInstruction* init);
  static Made CreateConditional(const Shape& shape, HloInstruction* pred, HloInstruction* true_arg,
                                HloComputation* true_computation, HloInstruction* false_arg,
                                HloComputation* false_computation);
  static Made CreateConditional(const Shape& shape, HloInstruction* branch_index,
                                absl::Span<HloComputation* const> branch_computations,
                                Operands branch_args);
  static Made CreateCustomCall(const Shape& shape, Operands operands, std::string_view target,
                               std::string opaque = "",
                               CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
  static Made CreateCustomCall(const Shape& shape, Operands operands, HloComputation* to_apply,
                               std::string_view target, std::string opaque = "",
                               CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
  static Made CreateCustomCall(const Shape& shape, Operands operands, std::string_view target,
                               absl::Span<const Shape> operand_shapes_with_layout,
                               std::string opaque = "",
                               CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
  static Made CreateAddDependency(HloInstruction* data, HloInstruction* token);
  static Made CreateToken();
  static Made CreateAfterAll(Operands operands);
  static Made CreateInfeed(const Shape& shape, HloInstruction* token, const std::string& config);
  static Made CreateOutfeed(const Shape& shape, HloInstruction* operand, HloInstruction* token,
                            std::string_view config);
  static Made CreateSend(HloInstruction* operand, HloInstruction* token,
                         std::optional<int64_t> channel_id, bool is_host_transfer);
  static Made CreateSendDone(HloInstruction* operand, std::optional<int64_t> channel_id,
                             bool is_host_transfer);
  static Made CreateRecv(const Shape& shape, HloInstruction* token,
                         std::optional<int64_t> channel_id, bool is_host_transfer);
  static Made CreateRecvDone(HloInstruction* operand, std::optional<int64_t> channel_id,
                             bool is_host_transfer);
  static Made CreateReplicaId();
  static Made CreateReplicaId(const Shape& shape);
  static Made CreatePartitionId();
  static Made CreatePartitionId(const Shape& shape);
  static Made CreateAllReduce(const Shape& shape, Operands operands, HloComputation* computation,
                              absl::Span<const ReplicaGroup> replica_groups, bool constrain_layout,
                              const std::optional<int64_t>& channel_id, bool use_global_device_ids);
  static Made CreateCollectivePermute(
      const Shape& shape, HloInstruction* operand,
      const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
      const std::optional<int64_t>& channel_id);
};

}  // namespace xla

#endif  // XLA_HLO_IR_INSTRUCTION_FACTORIES_H_
