// SPDX-License-Identifier: Apache-2.0
// Simplifications of tuples and of arrays without elements.
#include <optional>

#include "xla/literal.h"
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

// An array without elements is a constant, whatever would compute it: even a loop that would never
// end (XLA treats it as a constant as well), or a custom call whose handler refuses empty arrays.
Result ArrayWithoutElements(HloInstruction* array, Rewriter& rewriter) {
  if (!ShapeUtil::IsZeroElementArray(array->shape()) || !array->shape().is_static() ||
      array->opcode() == HloOpcode::kConstant || array->opcode() == HloOpcode::kParameter ||
      array->HasSideEffect()) {
    return nullptr;
  }
  return rewriter.Constant(Literal::CreateFromShape(array->shape()));
}

constexpr RewriteRule kControlRules[] = {
    {"element-of-tuple", HloOpcode::kGetTupleElement, &ElementOfTuple},
    {"tuple-of-elements", HloOpcode::kTuple, &TupleOfElements},
    {"array-without-elements", std::nullopt, &ArrayWithoutElements},
};

}  // namespace

absl::Span<const RewriteRule> ControlSimplifications() { return kControlRules; }

}  // namespace xla
