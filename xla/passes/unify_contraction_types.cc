// SPDX-License-Identifier: Apache-2.0
// Computes contractions of complex numbers with other types, and of integers with results of other
// kinds, in one type.
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/passes/expand.h"
#include "xla/passes/graph_builder.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Returns the type in which a contraction of these types is computed.
PrimitiveType ContractionType(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result) {
  bool complex = false, floating = false, is_wide_float = false, is_wide_integer = false;
  for (const PrimitiveType type : {lhs, rhs, result}) {
    complex |= primitive_util::IsComplexType(type);
    floating |= primitive_util::IsFloatingPointType(type);
    is_wide_float |= type == F64 || type == C128;
    is_wide_integer |= type == S64 || type == U64;
  }
  if (complex) return is_wide_float ? C128 : C64;
  if (floating) return is_wide_float ? F64 : F32;
  return is_wide_integer ? S64 : S32;
}

enum class Kind { kInteger, kFloat, kComplex };

Kind KindOf(PrimitiveType type) {
  if (primitive_util::IsComplexType(type)) return Kind::kComplex;
  return primitive_util::IsFloatingPointType(type) ? Kind::kFloat : Kind::kInteger;
}

}  // namespace

absl::StatusOr<bool> UnifyContractionTypes(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kDot &&
          instruction->opcode() != HloOpcode::kConvolution) {
        continue;
      }
      // Sparse kernels of convolutions are tuples of values and positions.
      if (!instruction->operand(0)->shape().IsArray() ||
          !instruction->operand(1)->shape().IsArray()) {
        continue;
      }
      const PrimitiveType lhs = instruction->operand(0)->shape().element_type(),
                          rhs = instruction->operand(1)->shape().element_type(),
                          result = instruction->shape().element_type();
      const PrimitiveType type = ContractionType(lhs, rhs, result);
      const bool is_complex = primitive_util::IsComplexType(type);
      // Complex products need a single type, others a single kind of numbers.
      const bool is_uniform = is_complex
                                  ? lhs == type && rhs == type && result == type
                                  : KindOf(lhs) == KindOf(rhs) && KindOf(rhs) == KindOf(result);
      if (is_uniform || (is_complex && !primitive_util::IsComplexType(result))) continue;
      GraphBuilder b(computation, instruction);
      HloInstruction* operands[] = {b.Convert(instruction->operand(0), type),
                                    b.Convert(instruction->operand(1), type)};
      HloInstruction* const product =
          b.Make(instruction->opcode(), ShapeUtil::ChangeElementType(instruction->shape(), type),
                 operands, instruction->attributes());
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(instruction, b.Convert(product, result)));
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla
