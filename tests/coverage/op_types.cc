// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/op_types.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/shape_inference/instruction_shape.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

PrimitiveType MapType(const TypeMap& types, PrimitiveType type) {
  const auto found = types.find(type);
  return found == types.end() ? type : found->second;
}

Shape MapShape(const TypeMap& types, const Shape& shape) {
  Shape mapped = shape;
  ShapeUtil::ForEachMutableSubshape(&mapped, [&](Shape* part, const ShapeIndex&) {
    if (part->IsArray()) part->set_element_type(MapType(types, part->element_type()));
  });
  return mapped;
}

// A bitcast-convert gains or loses its last dimension with the widths.
absl::StatusOr<Shape> BitcastConvertShape(const Shape& operand, const Shape& declared) {
  const auto bits = [](PrimitiveType type) {
    return type == PRED ? 8 : primitive_util::BitWidth(type);
  };
  const int from = bits(operand.element_type()), to = bits(declared.element_type());
  std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
  if (from > to) sizes.push_back(from / to);
  if (from < to && !sizes.empty()) sizes.pop_back();
  return ShapeUtil::MakeValidatedShape(declared.element_type(), sizes);
}

absl::Status MapInstruction(const TypeMap& types, HloInstruction* instruction) {
  Shape declared = MapShape(types, instruction->shape());
  if (auto* a = instruction->attributes_if<ConstantAttributes>()) {
    if (!a->literal.literal->shape().IsArray()) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(Literal converted, a->literal.literal->Convert(declared.element_type()));
    *instruction->mutable_shape() = converted.shape();
    instruction->set_attributes(
        ConstantAttributes{{std::make_shared<const Literal>(std::move(converted))}});
    return absl::OkStatus();
  }
  if (auto* a = instruction->attributes_if<OutfeedAttributes>(); a != nullptr && a->outfeed_shape) {
    instruction->mutable_attributes<OutfeedAttributes>()->outfeed_shape =
        MapShape(types, *a->outfeed_shape);
  }
  if (instruction->opcode() == HloOpcode::kBitcastConvert) {
    XLA_ASSIGN_OR_RETURN(declared, BitcastConvertShape(instruction->operand(0)->shape(), declared));
  }
  if (instruction->opcode() == HloOpcode::kParameter) {
    *instruction->mutable_shape() = declared;
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const Shape inferred, InferInstructionShape(*instruction, declared));
  *instruction->mutable_shape() = ShapeUtil::Compatible(inferred, declared) ? declared : inferred;
  return absl::OkStatus();
}

}  // namespace

std::vector<PrimitiveType> ArrayElementTypes() {
  std::vector<PrimitiveType> types;
  for (int type = PrimitiveType_MIN; type <= PrimitiveType_MAX; ++type) {
    if (PrimitiveType_IsValid(type) &&
        primitive_util::IsArrayType(static_cast<PrimitiveType>(type)))
      types.push_back(static_cast<PrimitiveType>(type));
  }
  return types;
}

absl::StatusOr<std::unique_ptr<HloModule>> WithElementTypes(const HloModule& module,
                                                            const TypeMap& types) {
  std::unique_ptr<HloModule> changed = module.Clone();
  XLA_ASSIGN_OR_RETURN(const auto computations, changed->ComputationPostOrder());
  for (HloComputation* computation : computations) {
    XLA_ASSIGN_OR_RETURN(const auto instructions, computation->PostOrder());
    for (HloInstruction* instruction : instructions)
      XLA_RETURN_IF_ERROR(MapInstruction(types, instruction));
  }
  changed->config().clear_entry_computation_layout();
  changed->SetDefaultEntryLayout();
  XLA_RETURN_IF_ERROR(VerifyModule(*changed));
  return changed;
}

absl::StatusOr<std::unique_ptr<HloModule>> UpTo(const HloModule& module, const std::string& name) {
  std::unique_ptr<HloModule> cut = module.Clone();
  HloComputation* entry = cut->entry_computation();
  for (HloInstruction* instruction : entry->instructions()) {
    if (instruction->name() == name) entry->set_root_instruction(instruction);
  }
  if (entry->root_instruction()->name() != name)
    return absl::NotFoundError(absl::StrCat("no instruction ", name, " in the entry computation"));
  std::vector<HloInstruction*> order = entry->MakeInstructionPostOrder();
  std::reverse(order.begin(), order.end());
  for (HloInstruction* instruction : order) {
    if (instruction != entry->root_instruction() && instruction->user_count() == 0 &&
        instruction->opcode() != HloOpcode::kParameter) {
      XLA_RETURN_IF_ERROR(entry->RemoveInstruction(instruction));
    }
  }
  XLA_RETURN_IF_ERROR(cut->RemoveUnusedComputations());
  cut->config().clear_entry_computation_layout();
  cut->SetDefaultEntryLayout();
  return cut;
}

}  // namespace xla
