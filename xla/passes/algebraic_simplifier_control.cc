// SPDX-License-Identifier: Apache-2.0
// Simplification of tuples and loops.
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/pattern.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Result = absl::StatusOr<HloInstruction*>;

// get-tuple-element(tuple(x0, x1, ..), i)
Result ElementOfTuple(HloInstruction* element, Rewriter&) {
  HloInstruction* tuple = element->operand(0);
  if (tuple->opcode() != HloOpcode::kTuple) return nullptr;
  HloInstruction* x = tuple->operand(element->tuple_index());
  return x->shape() == element->shape() ? x : nullptr;
}

// tuple(get-tuple-element(x, 0), get-tuple-element(x, 1), ..) with all elements of x
Result TupleOfElements(HloInstruction* tuple, Rewriter&) {
  if (tuple->operand_count() == 0) return nullptr;
  HloInstruction* whole = nullptr;
  for (int64_t i = 0; i < tuple->operand_count(); ++i) {
    const HloInstruction* element = tuple->operand(i);
    if (element->opcode() != HloOpcode::kGetTupleElement || element->tuple_index() != i ||
        (whole != nullptr && element->operand(0) != whole)) {
      return nullptr;
    }
    whole = element->operand(0);
  }
  return whole->shape() == tuple->shape() ? whole : nullptr;
}

// A loop whose state is an array without elements: whatever it computes, the result is the start.
// XLA takes it for a constant as well, even where the loop would never end.
Result LoopWithoutElements(HloInstruction* loop, Rewriter&) {
  if (!ShapeUtil::IsZeroElementArray(loop->shape()) || loop->HasSideEffect()) return nullptr;
  HloInstruction* start = loop->operand(0);
  return start->shape() == loop->shape() ? start : nullptr;
}

constexpr RewriteRule kControlRules[] = {
    {"element-of-tuple", HloOpcode::kGetTupleElement, &ElementOfTuple},
    {"tuple-of-elements", HloOpcode::kTuple, &TupleOfElements},
    {"loop-without-elements", HloOpcode::kWhile, &LoopWithoutElements},
};

}  // namespace

absl::Span<const RewriteRule> ControlSimplifications() { return kControlRules; }

}  // namespace xla
