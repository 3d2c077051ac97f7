// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/epilogue.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/plan/small_dot.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Whether the contraction accumulates in the type of its result.
bool SumsInOwnType(const HloInstruction& contraction) {
  const PrimitiveType result = contraction.shape().element_type();
  for (const HloInstruction* operand : contraction.operands()) {
    const PrimitiveType type = operand->shape().element_type();
    const bool is_narrow = primitive_util::BitWidth(type) <= primitive_util::BitWidth(result);
    const bool is_alike = result == F32 || result == F64 ? primitive_util::IsFloatingPointType(type)
                                                         : primitive_util::IsIntegralType(type);
    if (!is_narrow || !is_alike) return false;
  }
  return result == F32 || result == F64 || result == S32 || result == U32;
}

bool HasControlDependencies(const HloInstruction& instruction) {
  return instruction.HasControlDependencies();
}

// Whether an epilogue may finish the results of the instruction.
bool TakesEpilogue(const HloInstruction& instruction) {
  if (HasControlDependencies(instruction) || instruction.IsRoot()) return false;
  if (instruction.opcode() == HloOpcode::kDot)
    return !IsSmallProduct(instruction) && SumsInOwnType(instruction);
  if (instruction.opcode() != HloOpcode::kConvolution ||
      !instruction.operand(1)->shape().IsArray() || !SumsInOwnType(instruction)) {
    return false;
  }
  // Convolutions with base dilation are computed in parts.
  const auto& dims = instruction.attributes<ConvolutionAttributes>().window.dims;
  return std::all_of(dims.begin(), dims.end(),
                     [](const WindowDim& dim) { return dim.base_dilation == 1; });
}

// Returns the instruction that is read through reshapes without other readers; null if there is
// another reader.
const HloInstruction* ThroughReshapes(const HloInstruction* instruction) {
  while (instruction->users().size() == 1 && !instruction->IsRoot() &&
         !HasControlDependencies(*instruction)) {
    const bool is_view =
        IsView(instruction->opcode()) &&
        instruction->operand(0)->shape().element_type() == instruction->shape().element_type();
    if (!is_view) return instruction;
    instruction = instruction->operand(0);
  }
  return nullptr;
}

// Whether the fusion is elementwise in the parameter, and its other operands are cheap to read.
bool FinishesElements(const HloComputation& fusion, const HloInstruction* parameter) {
  const HloInstruction* root = fusion.root_instruction();
  absl::flat_hash_set<const HloInstruction*> reached = {parameter};
  for (const HloInstruction* instruction : fusion.MakeInstructionPostOrder()) {
    switch (instruction->opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
        continue;
      default:
        break;
    }
    const auto& operands = instruction->operands();
    const bool depends = std::any_of(operands.begin(), operands.end(),
                                     [&](const HloInstruction* o) { return reached.contains(o); });
    if (depends) {
      if (!IsElementwise(*instruction) ||
          instruction->shape().dimensions() != parameter->shape().dimensions()) {
        return false;
      }
      reached.insert(instruction);
      continue;
    }
    switch (instruction->opcode()) {
      case HloOpcode::kBroadcast:
      case HloOpcode::kReshape:
      case HloOpcode::kBitcast:
      case HloOpcode::kIota:
      case HloOpcode::kSlice:
        break;
      default:
        if (!IsElementwise(*instruction)) return false;
    }
  }
  return reached.contains(root);
}

}  // namespace

int64_t ContractionOperand(const HloInstruction& fusion) {
  if (fusion.opcode() != HloOpcode::kFusion || !fusion.shape().IsArray() ||
      fusion.to_apply()->root_instruction()->opcode() == HloOpcode::kParameter) {
    return -1;
  }
  for (int64_t i = 0; i < fusion.operand_count(); ++i) {
    if (!fusion.operand(i)->shape().IsArray()) continue;
    const HloInstruction* contraction = ThroughReshapes(fusion.operand(i));
    if (contraction != nullptr && TakesEpilogue(*contraction) &&
        FinishesElements(*fusion.to_apply(), fusion.to_apply()->parameter_instruction(i))) {
      return i;
    }
  }
  return -1;
}

const HloInstruction* FusedContraction(const HloInstruction& fusion) {
  const int64_t operand = ContractionOperand(fusion);
  return operand < 0 ? nullptr : ThroughReshapes(fusion.operand(operand));
}

bool IsFusedContraction(const HloInstruction& contraction) {
  if (contraction.opcode() != HloOpcode::kDot && contraction.opcode() != HloOpcode::kConvolution)
    return false;
  const HloInstruction* user = &contraction;
  while (user->users().size() == 1 && user->opcode() != HloOpcode::kFusion) user = user->users()[0];
  return FusedContraction(*user) == &contraction;
}

}  // namespace xla::cpu
