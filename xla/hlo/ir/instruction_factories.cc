// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/instruction_factories.h"

#include <utility>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla {

using Made = InstructionFactories::Made;

static HloInstruction::InstructionVector WithTail(HloInstruction* first,
                                                  InstructionFactories::Operands tail) {
  HloInstruction::InstructionVector all = {first};
  all.insert(all.end(), tail.begin(), tail.end());
  return all;
}

static HloInstruction::InstructionVector Joined(InstructionFactories::Operands head,
                                                InstructionFactories::Operands tail) {
  HloInstruction::InstructionVector all(head.begin(), head.end());
  all.insert(all.end(), tail.begin(), tail.end());
  return all;
}

static Int64s List(InstructionFactories::Ints values) {
  return Int64s(values.begin(), values.end());
}

Made InstructionFactories::CreateIota(const Shape& shape, int64_t iota_dimension) {
  return HloInstruction::Create(HloOpcode::kIota, shape, {},
                                IotaAttributes{.iota_dimension = iota_dimension});
}

Made InstructionFactories::CreateNary(const Shape& shape, HloOpcode opcode, Operands operands) {
  return HloInstruction::Create(opcode, shape, operands);
}

Made InstructionFactories::CreateUnary(const Shape& shape, HloOpcode opcode,
                                       HloInstruction* operand) {
  return HloInstruction::Create(opcode, shape, {operand});
}

Made InstructionFactories::CreateBinary(const Shape& shape, HloOpcode opcode, HloInstruction* lhs,
                                        HloInstruction* rhs) {
  return HloInstruction::Create(opcode, shape, {lhs, rhs});
}

Made InstructionFactories::CreateTernary(const Shape& shape, HloOpcode opcode, HloInstruction* lhs,
                                         HloInstruction* rhs, HloInstruction* ehs) {
  return HloInstruction::Create(opcode, shape, {lhs, rhs, ehs});
}

Made InstructionFactories::CreateVariadic(const Shape& shape, HloOpcode opcode, Operands operands) {
  return HloInstruction::Create(opcode, shape, operands);
}

Made InstructionFactories::CreateMap(const Shape& shape, Operands operands,
                                     HloComputation* computation) {
  MapAttributes attributes;
  for (int64_t d = 0; d < shape.rank(); ++d) attributes.dimensions.push_back(d);
  return HloInstruction::Create(HloOpcode::kMap, shape, operands, attributes,
                                absl::MakeConstSpan(&computation, 1));
}

Made InstructionFactories::CreateCompare(const Shape& shape, HloInstruction* lhs,
                                         HloInstruction* rhs, Comparison::Direction direction,
                                         std::optional<Comparison::Type> type) {
  return HloInstruction::Create(HloOpcode::kCompare, shape, {lhs, rhs},
                                CompareAttributes{.direction = direction, .type = type});
}

Made InstructionFactories::CreateConvert(const Shape& shape, HloInstruction* operand) {
  return CreateUnary(shape, HloOpcode::kConvert, operand);
}

Made InstructionFactories::CreateBitcast(const Shape& shape, HloInstruction* operand) {
  return CreateUnary(shape, HloOpcode::kBitcast, operand);
}

Made InstructionFactories::CreateBitcastConvert(const Shape& shape, HloInstruction* operand) {
  return CreateUnary(shape, HloOpcode::kBitcastConvert, operand);
}

Made InstructionFactories::CreateStochasticConvert(const Shape& shape, HloInstruction* operand,
                                                   HloInstruction* random) {
  return CreateBinary(shape, HloOpcode::kStochasticConvert, operand, random);
}

Made InstructionFactories::CreateReducePrecision(const Shape& shape, HloInstruction* operand,
                                                 int exponent_bits, int mantissa_bits) {
  return HloInstruction::Create(
      HloOpcode::kReducePrecision, shape, {operand},
      ReducePrecisionAttributes{.exponent_bits = exponent_bits, .mantissa_bits = mantissa_bits});
}

Made InstructionFactories::CreateBroadcast(const Shape& shape, HloInstruction* operand,
                                           Ints broadcast_dimensions) {
  return HloInstruction::Create(HloOpcode::kBroadcast, shape, {operand},
                                DimensionListAttributes{.dimensions = List(broadcast_dimensions)});
}

Made InstructionFactories::CreateReshape(const Shape& shape, HloInstruction* operand,
                                         int64_t inferred_dimension) {
  return HloInstruction::Create(HloOpcode::kReshape, shape, {operand},
                                ReshapeAttributes{.inferred_dimension = inferred_dimension});
}

Made InstructionFactories::CreateDynamicReshape(const Shape& shape, HloInstruction* operand,
                                                Operands dim_sizes) {
  return HloInstruction::Create(HloOpcode::kDynamicReshape, shape, WithTail(operand, dim_sizes));
}

Made InstructionFactories::CreateTranspose(const Shape& shape, HloInstruction* operand,
                                           Ints dimensions) {
  return HloInstruction::Create(HloOpcode::kTranspose, shape, {operand},
                                DimensionListAttributes{.dimensions = List(dimensions)});
}

Made InstructionFactories::CreateReverse(const Shape& shape, HloInstruction* operand,
                                         Ints dimensions) {
  return HloInstruction::Create(HloOpcode::kReverse, shape, {operand},
                                DimensionListAttributes{.dimensions = List(dimensions)});
}

Made InstructionFactories::CreateConcatenate(const Shape& shape, Operands operands,
                                             int64_t dimension) {
  return HloInstruction::Create(HloOpcode::kConcatenate, shape, operands,
                                DimensionListAttributes{.dimensions = {dimension}});
}

Made InstructionFactories::CreateSlice(const Shape& shape, HloInstruction* operand,
                                       Ints start_indices, Ints limit_indices, Ints strides) {
  SliceAttributes attributes;
  for (size_t d = 0; d < start_indices.size(); ++d) {
    attributes.slice.push_back({start_indices[d], limit_indices[d], strides[d]});
  }
  return HloInstruction::Create(HloOpcode::kSlice, shape, {operand}, std::move(attributes));
}

Made InstructionFactories::CreateDynamicSlice(const Shape& shape, HloInstruction* operand,
                                              Operands start_indices, Ints slice_sizes) {
  return HloInstruction::Create(HloOpcode::kDynamicSlice, shape, WithTail(operand, start_indices),
                                DynamicSliceAttributes{.dynamic_slice_sizes = List(slice_sizes)});
}

Made InstructionFactories::CreateDynamicUpdateSlice(const Shape& shape, HloInstruction* operand,
                                                    HloInstruction* update,
                                                    Operands start_indices) {
  HloInstruction::InstructionVector all = {operand, update};
  all.insert(all.end(), start_indices.begin(), start_indices.end());
  return HloInstruction::Create(HloOpcode::kDynamicUpdateSlice, shape, all);
}

Made InstructionFactories::CreateGetDimensionSize(const Shape& shape, HloInstruction* operand,
                                                  int64_t dimension) {
  return HloInstruction::Create(HloOpcode::kGetDimensionSize, shape, {operand},
                                OneDimensionAttributes{.dimensions = {dimension}});
}

Made InstructionFactories::CreateSetDimensionSize(const Shape& shape, HloInstruction* operand,
                                                  HloInstruction* size, int64_t dimension) {
  return HloInstruction::Create(HloOpcode::kSetDimensionSize, shape, {operand, size},
                                OneDimensionAttributes{.dimensions = {dimension}});
}

Made InstructionFactories::CreateReduce(const Shape& shape, HloInstruction* operand,
                                        HloInstruction* init_value, Ints dimensions,
                                        HloComputation* computation) {
  return HloInstruction::Create(HloOpcode::kReduce, shape, {operand, init_value},
                                DimensionListAttributes{.dimensions = List(dimensions)},
                                {computation});
}

Made InstructionFactories::CreateReduce(const Shape& shape, Operands operands, Operands init_values,
                                        Ints dimensions, HloComputation* computation) {
  return HloInstruction::Create(HloOpcode::kReduce, shape, Joined(operands, init_values),
                                DimensionListAttributes{.dimensions = List(dimensions)},
                                absl::MakeConstSpan(&computation, 1));
}

Made InstructionFactories::CreateSort(const Shape& shape, int64_t dimension, Operands operands,
                                      HloComputation* compare, bool is_stable) {
  return HloInstruction::Create(HloOpcode::kSort, shape, operands,
                                SortAttributes{.dimensions = {dimension}, .is_stable = is_stable},
                                absl::MakeConstSpan(&compare, 1));
}

Made InstructionFactories::CreateTopK(const Shape& shape, HloInstruction* input, int64_t k,
                                      bool largest) {
  return HloInstruction::Create(HloOpcode::kTopK, shape, {input},
                                TopKAttributes{.k = k, .largest = largest});
}

Made InstructionFactories::CreateBatchNormTraining(const Shape& shape, HloInstruction* operand,
                                                   HloInstruction* scale, HloInstruction* offset,
                                                   float epsilon, int64_t feature_index) {
  return HloInstruction::Create(
      HloOpcode::kBatchNormTraining, shape, {operand, scale, offset},
      BatchNormAttributes{.epsilon = epsilon, .feature_index = feature_index});
}

Made InstructionFactories::CreateBatchNormInference(const Shape& shape, HloInstruction* operand,
                                                    HloInstruction* scale, HloInstruction* offset,
                                                    HloInstruction* mean, HloInstruction* variance,
                                                    float epsilon, int64_t feature_index) {
  return HloInstruction::Create(
      HloOpcode::kBatchNormInference, shape, {operand, scale, offset, mean, variance},
      BatchNormAttributes{.epsilon = epsilon, .feature_index = feature_index});
}

Made InstructionFactories::CreateBatchNormGrad(const Shape& shape, HloInstruction* operand,
                                               HloInstruction* scale, HloInstruction* mean,
                                               HloInstruction* variance,
                                               HloInstruction* grad_output, float epsilon,
                                               int64_t feature_index) {
  return HloInstruction::Create(
      HloOpcode::kBatchNormGrad, shape, {operand, scale, mean, variance, grad_output},
      BatchNormAttributes{.epsilon = epsilon, .feature_index = feature_index});
}

Made InstructionFactories::CreateFft(const Shape& shape, HloInstruction* operand, FftType type,
                                     Ints fft_length) {
  return HloInstruction::Create(HloOpcode::kFft, shape, {operand},
                                FftAttributes{.fft_type = type, .fft_length = List(fft_length)});
}

Made InstructionFactories::CreateRng(const Shape& shape, RandomDistribution distribution,
                                     Operands parameters) {
  return HloInstruction::Create(HloOpcode::kRng, shape, parameters,
                                RngAttributes{.distribution = distribution});
}

Made InstructionFactories::CreateRngBitGenerator(const Shape& shape, HloInstruction* state,
                                                 RandomAlgorithm algorithm) {
  return HloInstruction::Create(HloOpcode::kRngBitGenerator, shape, {state},
                                RngBitGeneratorAttributes{.algorithm = algorithm});
}

Made InstructionFactories::CreateRngGetAndUpdateState(const Shape& shape, int64_t delta) {
  return HloInstruction::Create(HloOpcode::kRngGetAndUpdateState, shape, {},
                                RngDeltaAttributes{.delta = delta});
}

Made InstructionFactories::CreateTuple(Operands elements) {
  std::vector<Shape> shapes;
  for (const HloInstruction* element : elements) shapes.push_back(element->shape());
  return HloInstruction::Create(HloOpcode::kTuple, Shape(std::move(shapes)), elements);
}

Made InstructionFactories::CreateGetTupleElement(const Shape& shape, HloInstruction* operand,
                                                 int64_t index) {
  return HloInstruction::Create(HloOpcode::kGetTupleElement, shape, {operand},
                                TupleIndexAttributes{.index = index});
}

Made InstructionFactories::CreateGetTupleElement(HloInstruction* operand, int64_t index) {
  return CreateGetTupleElement(operand->shape().tuple_shapes(static_cast<int>(index)), operand,
                               index);
}

Made InstructionFactories::CreateCall(const Shape& shape, Operands operands,
                                      HloComputation* computation) {
  return HloInstruction::Create(HloOpcode::kCall, shape, operands, CallAttributes{},
                                absl::MakeConstSpan(&computation, 1));
}

Made InstructionFactories::CreateWhile(const Shape& shape, HloComputation* condition,
                                       HloComputation* body, HloInstruction* init) {
  return HloInstruction::Create(HloOpcode::kWhile, shape, {init}, NoAttributes{},
                                {body, condition});
}

Made InstructionFactories::CreateConditional(const Shape& shape, HloInstruction* pred,
                                             HloInstruction* true_arg,
                                             HloComputation* true_computation,
                                             HloInstruction* false_arg,
                                             HloComputation* false_computation) {
  return HloInstruction::Create(HloOpcode::kConditional, shape, {pred, true_arg, false_arg},
                                NoAttributes{}, {true_computation, false_computation});
}

Made InstructionFactories::CreateConditional(const Shape& shape, HloInstruction* branch_index,
                                             absl::Span<HloComputation* const> branch_computations,
                                             Operands branch_args) {
  return HloInstruction::Create(HloOpcode::kConditional, shape, WithTail(branch_index, branch_args),
                                NoAttributes{}, branch_computations);
}

Made InstructionFactories::CreateCustomCall(const Shape& shape, Operands operands,
                                            std::string_view target, std::string opaque,
                                            CustomCallApiVersion api_version) {
  CustomCallAttributes attributes;
  attributes.custom_call_target = std::string(target);
  attributes.api_version = api_version;
  Made made = HloInstruction::Create(HloOpcode::kCustomCall, shape, operands, attributes);
  if (!opaque.empty()) made->mutable_extras().backend_config = std::move(opaque);
  return made;
}

Made InstructionFactories::CreateCustomCall(const Shape& shape, Operands operands,
                                            HloComputation* to_apply, std::string_view target,
                                            std::string opaque, CustomCallApiVersion api_version) {
  Made made = CreateCustomCall(shape, operands, target, std::move(opaque), api_version);
  made->AppendCalledComputation(to_apply);
  return made;
}

Made InstructionFactories::CreateCustomCall(const Shape& shape, Operands operands,
                                            std::string_view target,
                                            absl::Span<const Shape> operand_shapes_with_layout,
                                            std::string opaque, CustomCallApiVersion api_version) {
  Made made = CreateCustomCall(shape, operands, target, std::move(opaque), api_version);
  made->mutable_attributes<CustomCallAttributes>()->operand_layout_constraints.emplace(
      operand_shapes_with_layout.begin(), operand_shapes_with_layout.end());
  return made;
}

Made InstructionFactories::CreateAddDependency(HloInstruction* data, HloInstruction* token) {
  return CreateBinary(data->shape(), HloOpcode::kAddDependency, data, token);
}

Made InstructionFactories::CreateToken() { return CreateAfterAll({}); }

Made InstructionFactories::CreateAfterAll(Operands operands) {
  return HloInstruction::Create(HloOpcode::kAfterAll, ShapeUtil::MakeTokenShape(), operands);
}

Made InstructionFactories::CreateInfeed(const Shape& shape, HloInstruction* token,
                                        const std::string& config) {
  return HloInstruction::Create(HloOpcode::kInfeed,
                                ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTokenShape()}),
                                {token}, InfeedAttributes{.infeed_config = config});
}

Made InstructionFactories::CreateOutfeed(const Shape& shape, HloInstruction* operand,
                                         HloInstruction* token, std::string_view config) {
  OutfeedAttributes attributes;
  attributes.outfeed_shape = shape;
  attributes.outfeed_config = std::string(config);
  return HloInstruction::Create(HloOpcode::kOutfeed, ShapeUtil::MakeTokenShape(), {operand, token},
                                std::move(attributes));
}

Made InstructionFactories::CreateSend(HloInstruction* operand, HloInstruction* token,
                                      std::optional<int64_t> channel_id, bool is_host_transfer) {
  const Shape shape = ShapeUtil::MakeTupleShape(
      {operand->shape(), ShapeUtil::MakeShape(U32, {}), ShapeUtil::MakeTokenShape()});
  return HloInstruction::Create(
      HloOpcode::kSend, shape, {operand, token},
      SendRecvAttributes{.channel_id = channel_id, .is_host_transfer = is_host_transfer});
}

Made InstructionFactories::CreateSendDone(HloInstruction* operand,
                                          std::optional<int64_t> channel_id,
                                          bool is_host_transfer) {
  return HloInstruction::Create(
      HloOpcode::kSendDone, ShapeUtil::MakeTokenShape(), {operand},
      SendRecvAttributes{.channel_id = channel_id, .is_host_transfer = is_host_transfer});
}

Made InstructionFactories::CreateRecv(const Shape& shape, HloInstruction* token,
                                      std::optional<int64_t> channel_id, bool is_host_transfer) {
  const Shape result = ShapeUtil::MakeTupleShape(
      {shape, ShapeUtil::MakeShape(U32, {}), ShapeUtil::MakeTokenShape()});
  return HloInstruction::Create(
      HloOpcode::kRecv, result, {token},
      SendRecvAttributes{.channel_id = channel_id, .is_host_transfer = is_host_transfer});
}

Made InstructionFactories::CreateRecvDone(HloInstruction* operand,
                                          std::optional<int64_t> channel_id,
                                          bool is_host_transfer) {
  const Shape shape =
      ShapeUtil::MakeTupleShape({operand->shape().tuple_shapes(0), ShapeUtil::MakeTokenShape()});
  return HloInstruction::Create(
      HloOpcode::kRecvDone, shape, {operand},
      SendRecvAttributes{.channel_id = channel_id, .is_host_transfer = is_host_transfer});
}

Made InstructionFactories::CreateReplicaId() {
  return CreateReplicaId(ShapeUtil::MakeShape(U32, {}));
}
Made InstructionFactories::CreateReplicaId(const Shape& shape) {
  return HloInstruction::Create(HloOpcode::kReplicaId, shape, {});
}
Made InstructionFactories::CreatePartitionId() {
  return CreatePartitionId(ShapeUtil::MakeShape(U32, {}));
}
Made InstructionFactories::CreatePartitionId(const Shape& shape) {
  return HloInstruction::Create(HloOpcode::kPartitionId, shape, {});
}

Made InstructionFactories::CreateCollectivePermute(
    const Shape& shape, HloInstruction* operand,
    const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
    const std::optional<int64_t>& channel_id) {
  CollectivePermuteAttributes attributes;
  attributes.channel_id = channel_id;
  attributes.source_target_pairs = source_target_pairs;
  return HloInstruction::Create(HloOpcode::kCollectivePermute, shape, {operand},
                                std::move(attributes));
}

}  // namespace xla
