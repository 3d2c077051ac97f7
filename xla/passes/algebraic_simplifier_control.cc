// SPDX-License-Identifier: Apache-2.0
// Simplification of tuples.
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/pattern.h"

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

constexpr RewriteRule kControlRules[] = {
    {"element-of-tuple", HloOpcode::kGetTupleElement, &ElementOfTuple},
    {"tuple-of-elements", HloOpcode::kTuple, &TupleOfElements},
};

}  // namespace

absl::Span<const RewriteRule> ControlSimplifications() { return kControlRules; }

}  // namespace xla
