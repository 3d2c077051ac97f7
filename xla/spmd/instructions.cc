// SPDX-License-Identifier: Apache-2.0
// Small instructions.
#include "xla/spmd/instructions.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla::spmd {

bool IsCall(const HloInstruction& instruction, std::string_view target) {
  return instruction.opcode() == HloOpcode::kCustomCall &&
         instruction.attributes<CustomCallAttributes>().custom_call_target == target;
}

HloInstruction* WithoutAnnotations(HloInstruction* value) {
  while (IsCall(*value, "Sharding") || IsCall(*value, "InspectSharding")) value = value->operand(0);
  return value;
}

HloSharding ShardingOf(const HloInstruction& instruction) {
  return instruction.has_sharding() ? *instruction.extras().sharding : HloSharding::Replicate();
}

HloSharding LeafSharding(const HloSharding& sharding, size_t leaf) {
  if (!sharding.IsTuple()) return sharding;
  const std::vector<HloSharding>& elements = sharding.tuple_elements();
  return leaf < elements.size() ? elements[leaf] : HloSharding::Replicate();
}

std::vector<HloComputation*> ReachableComputations(HloComputation* computation) {
  std::vector<HloComputation*> reached = {computation};
  absl::flat_hash_set<const HloComputation*> seen = {computation};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const HloInstruction* instruction : reached[i]->instructions()) {
      for (HloComputation* called : instruction->called_computations()) {
        if (seen.insert(called).second) reached.push_back(called);
      }
    }
  }
  return reached;
}

std::vector<int64_t> UnspecifiedDims(const HloInstruction& annotation) {
  absl::string_view config = annotation.raw_backend_config_string();
  if (!absl::ConsumePrefix(&config, "unspecified_dims=[") || !absl::ConsumeSuffix(&config, "]")) {
    return {};
  }
  std::vector<int64_t> dimensions;
  for (const absl::string_view word : absl::StrSplit(config, ',')) {
    int64_t dimension;
    if (!absl::SimpleAtoi(word, &dimension) || dimension < 0) return {};
    dimensions.push_back(dimension);
  }
  return dimensions;
}

HloInstruction* Add(HloComputation* computation, HloOpcode opcode, Shape shape,
                    absl::Span<HloInstruction* const> operands, Attributes attributes) {
  LayoutUtil::SetToDefaultLayout(&shape);
  return computation->AddInstruction(
      HloInstruction::Create(opcode, std::move(shape), operands, std::move(attributes)));
}

HloInstruction* Annotation(HloInstruction* value, const HloSharding& sharding) {
  CustomCallAttributes attributes;
  attributes.custom_call_target = "Sharding";
  HloInstruction* annotation =
      Add(value->parent(), HloOpcode::kCustomCall, value->shape(), {value}, std::move(attributes));
  annotation->set_sharding(sharding);
  return annotation;
}

HloInstruction* Reshape(HloInstruction* value, absl::Span<const int64_t> dimensions) {
  return Add(value->parent(), HloOpcode::kReshape,
             ShapeUtil::MakeShape(value->shape().element_type(), dimensions), {value});
}

DimensionListAttributes Dimensions(std::vector<int64_t> dimensions) {
  DimensionListAttributes attributes;
  attributes.dimensions.assign(dimensions.begin(), dimensions.end());
  return attributes;
}

HloInstruction* ScalarS32(HloComputation* computation, int64_t value) {
  return computation->AddInstruction(
      HloInstruction::CreateConstant(LiteralUtil::CreateR0<int32_t>(static_cast<int32_t>(value))));
}

HloInstruction* PartitionNumber(HloComputation* computation) {
  HloInstruction* id = Add(computation, HloOpcode::kPartitionId, ShapeUtil::MakeShape(U32, {}), {});
  return Add(computation, HloOpcode::kConvert, ShapeUtil::MakeShape(S32, {}), {id});
}

HloInstruction* TableEntry(HloComputation* computation, absl::Span<const int32_t> table,
                           HloInstruction* position) {
  HloInstruction* constant = computation->AddInstruction(
      HloInstruction::CreateConstant(LiteralUtil::CreateR1<int32_t>(table)));
  DynamicSliceAttributes attributes;
  attributes.dynamic_slice_sizes = {1};
  return Reshape(Add(computation, HloOpcode::kDynamicSlice, ShapeUtil::MakeShape(S32, {1}),
                     {constant, position}, attributes),
                 {});
}

HloInstruction* Zero(HloComputation* computation, const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<HloInstruction*> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      elements.push_back(Zero(computation, element));
    }
    return Add(computation, HloOpcode::kTuple, shape, elements);
  }
  if (!shape.IsArray()) return Add(computation, HloOpcode::kAfterAll, shape, {});
  HloInstruction* zero = computation->AddInstruction(
      HloInstruction::CreateConstant(LiteralUtil::Zero(shape.element_type())));
  return Add(computation, HloOpcode::kBroadcast, shape, {zero}, Dimensions({}));
}

HloInstruction* WithPadding(HloInstruction* value, const Shape& shape) {
  if (ShapeUtil::SameDimensions(value->shape(), shape)) return value;
  PadAttributes attributes;
  for (int d = 0; d < shape.rank(); ++d) {
    attributes.padding.push_back({0, shape.dimensions(d) - value->shape().dimensions(d), 0});
  }
  HloInstruction* zero = Zero(value->parent(), ShapeUtil::MakeShape(shape.element_type(), {}));
  return Add(value->parent(), HloOpcode::kPad, shape, {value, zero}, std::move(attributes));
}

HloInstruction* WithoutPadding(HloInstruction* padded, const Shape& shape) {
  if (ShapeUtil::SameDimensions(padded->shape(), shape)) return padded;
  SliceAttributes attributes;
  for (const int64_t size : shape.dimensions()) attributes.slice.push_back({0, size, 1});
  return Add(padded->parent(), HloOpcode::kSlice, shape, {padded}, std::move(attributes));
}

HloInstruction* Element(HloInstruction* tuple, int64_t index) {
  return Add(tuple->parent(), HloOpcode::kGetTupleElement,
             tuple->shape().tuple_shapes(static_cast<int>(index)), {tuple},
             TupleIndexAttributes{.index = index});
}

std::optional<UnreducedKind> ReductionOf(const HloComputation& combiner) {
  return ReductionOf(*combiner.root_instruction());
}

std::optional<UnreducedKind> ReductionOf(const HloInstruction& operation) {
  switch (operation.opcode()) {
    case HloOpcode::kAdd:
      return UnreducedKind::kSum;
    case HloOpcode::kMaximum:
      return UnreducedKind::kMax;
    case HloOpcode::kMinimum:
      return UnreducedKind::kMin;
    default:
      return std::nullopt;
  }
}

}  // namespace xla::spmd
