// SPDX-License-Identifier: Apache-2.0
// Simplifications of elementwise operations. A rule applies only if the result has the shape of the
// value that replaces it: operands may differ in precision and in dynamic sizes.
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "xla/literal_util.h"
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/pattern.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using m::Any;
using m::Op;
using m::Same;
using m::Splat;
using Result = absl::StatusOr<HloInstruction*>;

// Returns the value if it has the instruction's shape, layout included; otherwise null.
HloInstruction* IfSameShape(HloInstruction* value, const HloInstruction* instruction) {
  return value->shape() == instruction->shape() ? value : nullptr;
}

bool IsIntegral(const HloInstruction* instruction) {
  return primitive_util::IsIntegralType(instruction->shape().element_type());
}

// x + 0 of integers; x + -0 of floating-point numbers, which keeps the sign of a zero x.
Result AddZero(HloInstruction* add, Rewriter&) {
  HloInstruction* x;
  const double zero = IsIntegral(add) ? 0.0 : -0.0;
  if (!Match(add, m::Add(Any(&x), Splat(zero)))) return nullptr;
  return IfSameShape(x, add);
}

// x - 0
Result SubtractZero(HloInstruction* subtract, Rewriter&) {
  HloInstruction* x;
  if (!Match(subtract, m::Subtract(Any(&x), Splat(0.0)))) return nullptr;
  return IfSameShape(x, subtract);
}

// x - x of integers
Result SubtractItself(HloInstruction* subtract, Rewriter& rewriter) {
  HloInstruction* x;
  if (!IsIntegral(subtract) || !subtract->shape().is_static() ||
      !Match(subtract, m::Subtract(Any(&x), Same(&x)))) {
    return nullptr;
  }
  HloInstruction* zero = rewriter.Constant(LiteralUtil::Zero(subtract->shape().element_type()));
  return rewriter.Create(HloOpcode::kBroadcast, subtract->shape(), {zero});
}

// x * 1
Result MultiplyByOne(HloInstruction* multiply, Rewriter&) {
  HloInstruction* x;
  if (!Match(multiply, m::Multiply(Any(&x), Splat(1.0)))) return nullptr;
  return IfSameShape(x, multiply);
}

// x * 0 of integers
Result MultiplyByZero(HloInstruction* multiply, Rewriter&) {
  HloInstruction *x, *zero;
  if (!IsIntegral(multiply)) return nullptr;
  if (Match(multiply->operand(0), Splat(0.0))) {
    zero = multiply->operand(0);
  } else if (Match(multiply, m::Multiply(Any(&x), Splat(0.0, &zero)))) {
    // The constant is the right operand.
  } else {
    return nullptr;
  }
  return IfSameShape(zero, multiply);
}

// x / 1
Result DivideByOne(HloInstruction* divide, Rewriter&) {
  HloInstruction* x;
  if (!Match(divide, m::Divide(Any(&x), Splat(1.0)))) return nullptr;
  return IfSameShape(x, divide);
}

// x / 2^k becomes x * 2^-k where the reciprocal is exact.
Result DivideByPowerOfTwo(HloInstruction* divide, Rewriter& rewriter) {
  HloInstruction *x, *divisor;
  const PrimitiveType type = divide->shape().element_type();
  if ((type != F32 && type != F64) || !Match(divide, m::Divide(Any(&x), Any(&divisor)))) {
    return nullptr;
  }
  const std::optional<double> value = SplatValue(*divisor);
  int exponent;
  // Both 2^-k and 2^k must be normal numbers: they are in both types for |k| up to 100.
  constexpr int kMaxExponent = 100;
  if (!value.has_value() || divisor->shape() != divide->shape() || !divide->shape().is_static() ||
      std::abs(std::frexp(*value, &exponent)) != 0.5 || std::abs(exponent) > kMaxExponent ||
      *value == 1) {
    return nullptr;
  }
  Literal reciprocal = type == F32 ? LiteralUtil::CreateR0<float>(static_cast<float>(1 / *value))
                                   : LiteralUtil::CreateR0<double>(1 / *value);
  HloInstruction* scalar = rewriter.Constant(std::move(reciprocal));
  HloInstruction* splat = divide->shape().rank() == 0
                              ? scalar
                              : rewriter.Create(HloOpcode::kBroadcast, divide->shape(), {scalar});
  return rewriter.Create(HloOpcode::kMultiply, divide->shape(), {x, splat});
}

// -(-x), !(!x)
Result UndoneTwice(HloInstruction* outer, Rewriter&) {
  HloInstruction* x;
  if (!Match(outer, Op(outer->opcode(), Op(outer->opcode(), Any(&x))))) return nullptr;
  return IfSameShape(x, outer);
}

// abs, ceil, floor, rounding and sign of their own result
Result Idempotent(HloInstruction* outer, Rewriter&) {
  HloInstruction* inner;
  if (!Match(outer, Op(outer->opcode(), Op(outer->opcode()).As(&inner)))) return nullptr;
  return IfSameShape(inner, outer);
}

// A conversion to the operand's own type.
Result ConvertToSameType(HloInstruction* convert, Rewriter&) {
  return IfSameShape(convert->operand(0), convert);
}

// convert(convert(x)) where the type in between holds all values of x.
Result ConvertTwice(HloInstruction* outer, Rewriter& rewriter) {
  HloInstruction *x, *inner;
  if (!Match(outer, m::Convert(m::Convert(Any(&x)).As(&inner)))) {
    return nullptr;
  }
  const PrimitiveType from = x->shape().element_type();
  const PrimitiveType between = inner->shape().element_type();
  // Conversions between integers and floating-point numbers clamp and round; those within the same
  // kind compose.
  const bool same_kind =
      primitive_util::IsFloatingPointType(from) == primitive_util::IsFloatingPointType(between);
  if (!same_kind || primitive_util::IsComplexType(from) ||
      primitive_util::IsComplexType(outer->shape().element_type()) ||
      !primitive_util::CastPreservesValues(from, between)) {
    return nullptr;
  }
  if (x->shape() == outer->shape()) return x;
  return rewriter.Create(HloOpcode::kConvert, outer->shape(), {x});
}

// and, or, minimum, maximum of a value with itself
Result WithItself(HloInstruction* binary, Rewriter&) {
  HloInstruction* x;
  if (!Match(binary, Op(binary->opcode(), Any(&x), Same(&x)))) return nullptr;
  return IfSameShape(x, binary);
}

// x & true, x | false
Result NeutralBool(HloInstruction* binary, Rewriter&) {
  HloInstruction* x;
  const double neutral = binary->opcode() == HloOpcode::kAnd ? 1.0 : 0.0;
  if (binary->shape().element_type() != PRED ||
      !Match(binary, Op(binary->opcode(), Any(&x), Splat(neutral)))) {
    return nullptr;
  }
  return IfSameShape(x, binary);
}

// x | 0, x ^ 0, shifts by 0
Result NeutralBits(HloInstruction* binary, Rewriter&) {
  HloInstruction* x;
  if (!IsIntegral(binary) || !Match(binary, Op(binary->opcode(), Any(&x), Splat(0.0)))) {
    return nullptr;
  }
  return IfSameShape(x, binary);
}

// select by a constant, or between equal values
Result SelectKnown(HloInstruction* select, Rewriter&) {
  HloInstruction *on_true = select->operand(1), *on_false = select->operand(2);
  if (on_true == on_false) return IfSameShape(on_true, select);
  const std::optional<double> which = SplatValue(*select->operand(0));
  if (!which.has_value()) return nullptr;
  return IfSameShape(*which != 0 ? on_true : on_false, select);
}

// select(!p, a, b) becomes select(p, b, a)
Result SelectByNot(HloInstruction* select, Rewriter& rewriter) {
  HloInstruction *p, *a, *b;
  if (!Match(select, m::Select(m::Not(Any(&p)), Any(&a), Any(&b))) ||
      p->shape() != select->operand(0)->shape()) {
    return nullptr;
  }
  return rewriter.Create(HloOpcode::kSelect, select->shape(), {p, b, a});
}

// Comparisons x > c and x <= c, if maximum(x, c) is computed as well, become comparisons of the
// maximum, so that x need not be kept; likewise x < c and x >= c with the minimum. (Gradients of
// rectifiers.)
Result CompareLimited(HloInstruction* compare, Rewriter& rewriter) {
  HloInstruction* const x = compare->operand(0);
  const auto& attributes = compare->attributes<CompareAttributes>();
  const bool is_maximum = attributes.direction == ComparisonDirection::kGt ||
                          attributes.direction == ComparisonDirection::kLe;
  const bool is_minimum = attributes.direction == ComparisonDirection::kLt ||
                          attributes.direction == ComparisonDirection::kGe;
  const std::optional<double> bound = SplatValue(*compare->operand(1));
  constexpr int64_t kManyUsers = 16;  // searched for each comparison
  if ((!is_maximum && !is_minimum) || x->user_count() > kManyUsers || !bound.has_value() ||
      std::isnan(*bound) || attributes.type == ComparisonType::kFloatTotalOrder ||
      compare->parent()->parent()->has_schedule()) {
    return nullptr;
  }
  const HloOpcode opcode = is_maximum ? HloOpcode::kMaximum : HloOpcode::kMinimum;
  for (HloInstruction* user : x->users()) {
    HloInstruction* limit;
    if (!Match(user, Op(opcode, Same(&x), Any(&limit))) || user->shape() != x->shape() ||
        !user->control_predecessors().empty() || SplatValue(*limit) != bound) {
      continue;
    }
    return rewriter.Create(HloOpcode::kCompare, compare->shape(), {user, compare->operand(1)},
                           attributes);
  }
  return nullptr;
}

constexpr RewriteRule kElementwiseRules[] = {
    {"add-zero", HloOpcode::kAdd, &AddZero},
    {"subtract-zero", HloOpcode::kSubtract, &SubtractZero},
    {"subtract-itself", HloOpcode::kSubtract, &SubtractItself},
    {"multiply-by-one", HloOpcode::kMultiply, &MultiplyByOne},
    {"multiply-by-zero", HloOpcode::kMultiply, &MultiplyByZero},
    {"divide-by-one", HloOpcode::kDivide, &DivideByOne},
    {"divide-by-power-of-two", HloOpcode::kDivide, &DivideByPowerOfTwo},
    {"negate-negate", HloOpcode::kNegate, &UndoneTwice},
    {"not-not", HloOpcode::kNot, &UndoneTwice},
    {"abs-abs", HloOpcode::kAbs, &Idempotent},
    {"ceil-ceil", HloOpcode::kCeil, &Idempotent},
    {"floor-floor", HloOpcode::kFloor, &Idempotent},
    {"round-round", HloOpcode::kRoundNearestAfz, &Idempotent},
    {"round-even-round-even", HloOpcode::kRoundNearestEven, &Idempotent},
    {"sign-sign", HloOpcode::kSign, &Idempotent},
    {"convert-to-same-type", HloOpcode::kConvert, &ConvertToSameType},
    {"convert-convert", HloOpcode::kConvert, &ConvertTwice},
    {"and-itself", HloOpcode::kAnd, &WithItself},
    {"or-itself", HloOpcode::kOr, &WithItself},
    {"minimum-itself", HloOpcode::kMinimum, &WithItself},
    {"maximum-itself", HloOpcode::kMaximum, &WithItself},
    {"and-true", HloOpcode::kAnd, &NeutralBool},
    {"or-false", HloOpcode::kOr, &NeutralBool},
    {"or-zero", HloOpcode::kOr, &NeutralBits},
    {"xor-zero", HloOpcode::kXor, &NeutralBits},
    {"shift-left-zero", HloOpcode::kShiftLeft, &NeutralBits},
    {"shift-right-logical-zero", HloOpcode::kShiftRightLogical, &NeutralBits},
    {"shift-right-arithmetic-zero", HloOpcode::kShiftRightArithmetic, &NeutralBits},
    {"compare-limited", HloOpcode::kCompare, &CompareLimited},
    {"select-known", HloOpcode::kSelect, &SelectKnown},
    {"select-not", HloOpcode::kSelect, &SelectByNot},
};

}  // namespace

absl::Span<const RewriteRule> ElementwiseSimplifications() { return kElementwiseRules; }

}  // namespace xla
