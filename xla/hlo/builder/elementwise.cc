// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of one and two operands.
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/builder/expansions.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {

absl::StatusOr<XlaOp> XlaBuilder::State::MakeUnary(
    HloOpcode opcode, XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy) {
  AccuracySpec accuracy;
  if (result_accuracy.has_value()) {
    XLA_ASSIGN_OR_RETURN(accuracy, ToAccuracy(*result_accuracy));
  }
  XLA_ASSIGN_OR_RETURN(const XlaOp op, Add(opcode, {operand}));
  if (!(accuracy == AccuracySpec())) {
    XLA_ASSIGN_OR_RETURN(HloInstruction * instruction, Find(op));
    instruction->mutable_extras().result_accuracy = accuracy;
  }
  return op;
}

absl::StatusOr<XlaOp> XlaBuilder::State::MakeBinary(HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                                                    absl::Span<const int64_t> broadcast_dimensions,
                                                    Attributes attributes) {
  XLA_ASSIGN_OR_RETURN(const Operands operands,
                       BroadcastOperands(opcode, lhs, rhs, broadcast_dimensions));
  return Add(opcode, {operands.lhs, operands.rhs}, std::move(attributes));
}

XlaOp XlaBuilder::UnaryOp(const char* call, HloOpcode opcode, XlaOp operand,
                          const std::optional<ResultAccuracy>& result_accuracy) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record(
      call, [&] { return builder->state().MakeUnary(opcode, operand, result_accuracy); });
}

XlaOp XlaBuilder::BinaryOp(const char* call, HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                           absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record(
      call, [&] { return builder->state().MakeBinary(opcode, lhs, rhs, broadcast_dimensions); });
}

namespace {

XlaOp Expanded(const char* call, XlaOp x, XlaOp (*expand)(XlaOp)) {
  XlaBuilder* builder = XlaBuilder::Of({x});
  if (builder == nullptr) return XlaOp();
  return builder->Record(call, [&]() -> absl::StatusOr<XlaOp> { return expand(x); });
}

}  // namespace

XlaOp Acos(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand) {
  return expand ? Expanded("Acos", x, ExpandAcos)
                : XlaBuilder::UnaryOp("Acos", HloOpcode::kAcos, x, result_accuracy);
}

XlaOp Acosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand) {
  return expand ? Expanded("Acosh", x, ExpandAcosh)
                : XlaBuilder::UnaryOp("Acosh", HloOpcode::kAcosh, x, result_accuracy);
}

XlaOp Asin(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand) {
  return expand ? Expanded("Asin", x, ExpandAsin)
                : XlaBuilder::UnaryOp("Asin", HloOpcode::kAsin, x, result_accuracy);
}

XlaOp Asinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand) {
  return expand ? Expanded("Asinh", x, ExpandAsinh)
                : XlaBuilder::UnaryOp("Asinh", HloOpcode::kAsinh, x, result_accuracy);
}

XlaOp Atanh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand) {
  return expand ? Expanded("Atanh", x, ExpandAtanh)
                : XlaBuilder::UnaryOp("Atanh", HloOpcode::kAtanh, x, result_accuracy);
}

XlaOp Cosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand) {
  return expand ? Expanded("Cosh", x, ExpandCosh)
                : XlaBuilder::UnaryOp("Cosh", HloOpcode::kCosh, x, result_accuracy);
}

XlaOp Sinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand) {
  return expand ? Expanded("Sinh", x, ExpandSinh)
                : XlaBuilder::UnaryOp("Sinh", HloOpcode::kSinh, x, result_accuracy);
}

XlaOp operator+(XlaOp x, XlaOp y) { return Add(x, y); }
XlaOp operator-(XlaOp x, XlaOp y) { return Sub(x, y); }
XlaOp operator*(XlaOp x, XlaOp y) { return Mul(x, y); }
XlaOp operator/(XlaOp x, XlaOp y) { return Div(x, y); }
XlaOp operator%(XlaOp x, XlaOp y) { return Rem(x, y); }
XlaOp operator&(XlaOp x, XlaOp y) { return And(x, y); }
XlaOp operator|(XlaOp x, XlaOp y) { return Or(x, y); }
XlaOp operator^(XlaOp x, XlaOp y) { return Xor(x, y); }
XlaOp operator<<(XlaOp x, XlaOp y) { return ShiftLeft(x, y); }
XlaOp operator>>(XlaOp x, XlaOp y) {
  XlaBuilder* builder = XlaBuilder::Of({x, y});
  if (builder == nullptr) return XlaOp();
  const absl::StatusOr<const Shape*> shape = builder->GetShapePtr(x);
  if (shape.ok() && !primitive_util::IsIntegralType((*shape)->element_type())) {
    return builder->ReportError(InvalidArgumentStrCat(
        "Argument to >> operator does not have an integral type (", (*shape)->ToString(), ")."));
  }
  const bool is_unsigned =
      shape.ok() && primitive_util::IsUnsignedIntegralType((*shape)->element_type());
  return is_unsigned ? ShiftRightLogical(x, y) : ShiftRightArithmetic(x, y);
}
XlaOp operator-(XlaOp x) { return Neg(x); }
XlaOp operator~(XlaOp x) { return Not(x); }

}  // namespace xla
