// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/compute_before_transposes.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "xla/passes/pattern.h"
#include "xla/passes/rewriter.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Whether the transpose moves the minor dimension, both of whose rows are long: others are computed
// where they are used.
bool MovesLongRows(const HloInstruction& transpose) {
  constexpr int64_t kLeastElements = 1024, kLeastRow = 16;
  const Shape& to = transpose.shape();
  const Shape& from = transpose.operand(0)->shape();
  return to.is_static() && to.rank() >= 2 && transpose.dimensions().back() != to.rank() - 1 &&
         to.dimensions().back() >= kLeastRow && from.dimensions().back() >= kLeastRow &&
         ShapeUtil::ElementsIn(to) >= kLeastElements;
}

bool IsFunction(const HloInstruction& instruction) {
  return IsPlainElementwise(instruction) && instruction.called_computations().empty() &&
         instruction.shape().IsArray() && instruction.shape().element_type() != PRED &&
         instruction.opcode() != HloOpcode::kCopy;
}

// Returns the transpose that the operand is, reshaped or not, and that nothing else reads; null if
// there is none.
HloInstruction* TransposeOf(HloInstruction* operand) {
  for (int i = 0; i < 2; ++i) {
    if (operand->user_count() != 1 || !IsPlain(*operand)) return nullptr;
    if (operand->opcode() == HloOpcode::kTranspose)
      return MovesLongRows(*operand) ? operand : nullptr;
    if (operand->opcode() != HloOpcode::kReshape || !operand->shape().is_static()) return nullptr;
    operand = operand->operand(0);
  }
  return nullptr;
}

// Returns one of the transposes that all operands but splats are; null if they are not, or not all
// the same transpose.
HloInstruction* TransposeOfOperands(const HloInstruction& function) {
  HloInstruction* first = nullptr;
  for (HloInstruction* operand : function.operands()) {
    if (IsSplat(*operand)) continue;
    HloInstruction* transpose = TransposeOf(operand);
    if (transpose == nullptr || operand->shape().dimensions() != function.shape().dimensions() ||
        (first != nullptr && (transpose->dimensions() != first->dimensions() ||
                              transpose->shape().dimensions() != first->shape().dimensions()))) {
      return nullptr;
    }
    first = transpose;
  }
  return first;
}

absl::StatusOr<HloInstruction*> ComputeFirst(HloInstruction* function, Rewriter& rewriter) {
  if (!IsFunction(*function)) return nullptr;
  const HloInstruction* transpose = TransposeOfOperands(*function);
  if (transpose == nullptr) return nullptr;
  const Shape& source = transpose->operand(0)->shape();
  const PrimitiveType type = function->shape().element_type();
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : function->operands()) {
    operands.push_back(IsSplat(*operand) ? rewriter.SplatIn(source, operand)
                                         : TransposeOf(operand)->operand(0));
  }
  HloInstruction* computed =
      rewriter.Create(function->opcode(), ShapeUtil::ChangeElementType(source, type), operands,
                      function->attributes());
  HloInstruction* moved =
      rewriter.Create(HloOpcode::kTranspose, ShapeUtil::ChangeElementType(transpose->shape(), type),
                      {computed}, transpose->attributes());
  if (moved->shape().dimensions() == function->shape().dimensions()) return moved;
  return rewriter.Create(HloOpcode::kReshape, function->shape(), {moved});
}

constexpr RewriteRule kRules[] = {{"function-of-transpose", std::nullopt, &ComputeFirst}};

}  // namespace

absl::StatusOr<bool> ComputeBeforeTransposes(HloModule* module) {
  return RewriteToFixedPoint(module, kRules);
}

}  // namespace xla
