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

XlaOp XlaBuilder::State::Unary(const char* call, CallSite site, HloOpcode opcode, XlaOp operand,
                               const std::optional<ResultAccuracy>& result_accuracy) {
  return Record(call, site, [&] { return MakeUnary(opcode, operand, result_accuracy); });
}

XlaOp XlaBuilder::State::Binary(const char* call, CallSite site, HloOpcode opcode, XlaOp lhs,
                                XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  return Record(call, site, [&] { return MakeBinary(opcode, lhs, rhs, broadcast_dimensions); });
}

XlaOp XlaBuilder::Abs(XlaOp operand, CallSite site) {
  return state_->Unary("Abs", site, HloOpcode::kAbs, operand);
}

XlaOp XlaBuilder::Cbrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                       CallSite site) {
  return state_->Unary("Cbrt", site, HloOpcode::kCbrt, operand, result_accuracy);
}

XlaOp XlaBuilder::Ceil(XlaOp operand, CallSite site) {
  return state_->Unary("Ceil", site, HloOpcode::kCeil, operand);
}

XlaOp XlaBuilder::Clz(XlaOp operand, CallSite site) {
  return state_->Unary("Clz", site, HloOpcode::kClz, operand);
}

XlaOp XlaBuilder::Copy(XlaOp operand, CallSite site) {
  return state_->Unary("Copy", site, HloOpcode::kCopy, operand);
}

XlaOp XlaBuilder::Cos(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                      CallSite site) {
  return state_->Unary("Cos", site, HloOpcode::kCos, operand, result_accuracy);
}

XlaOp XlaBuilder::Erf(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                      CallSite site) {
  return state_->Unary("Erf", site, HloOpcode::kErf, operand, result_accuracy);
}

XlaOp XlaBuilder::Exp(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                      CallSite site) {
  return state_->Unary("Exp", site, HloOpcode::kExp, operand, result_accuracy);
}

XlaOp XlaBuilder::Expm1(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                        CallSite site) {
  return state_->Unary("Expm1", site, HloOpcode::kExpm1, operand, result_accuracy);
}

XlaOp XlaBuilder::Floor(XlaOp operand, CallSite site) {
  return state_->Unary("Floor", site, HloOpcode::kFloor, operand);
}

XlaOp XlaBuilder::Imag(XlaOp operand, CallSite site) {
  return state_->Unary("Imag", site, HloOpcode::kImag, operand);
}

XlaOp XlaBuilder::IsFinite(XlaOp operand, CallSite site) {
  return state_->Unary("IsFinite", site, HloOpcode::kIsFinite, operand);
}

XlaOp XlaBuilder::Log(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                      CallSite site) {
  return state_->Unary("Log", site, HloOpcode::kLog, operand, result_accuracy);
}

XlaOp XlaBuilder::Log1p(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                        CallSite site) {
  return state_->Unary("Log1p", site, HloOpcode::kLog1p, operand, result_accuracy);
}

XlaOp XlaBuilder::Logistic(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                           CallSite site) {
  return state_->Unary("Logistic", site, HloOpcode::kLogistic, operand, result_accuracy);
}

XlaOp XlaBuilder::Neg(XlaOp operand, CallSite site) {
  return state_->Unary("Neg", site, HloOpcode::kNegate, operand);
}

XlaOp XlaBuilder::Not(XlaOp operand, CallSite site) {
  return state_->Unary("Not", site, HloOpcode::kNot, operand);
}

XlaOp XlaBuilder::PopulationCount(XlaOp operand, CallSite site) {
  return state_->Unary("PopulationCount", site, HloOpcode::kPopulationCount, operand);
}

XlaOp XlaBuilder::Real(XlaOp operand, CallSite site) {
  return state_->Unary("Real", site, HloOpcode::kReal, operand);
}

XlaOp XlaBuilder::Round(XlaOp operand, CallSite site) {
  return state_->Unary("Round", site, HloOpcode::kRoundNearestAfz, operand);
}

XlaOp XlaBuilder::RoundNearestAfz(XlaOp operand, CallSite site) {
  return state_->Unary("RoundNearestAfz", site, HloOpcode::kRoundNearestAfz, operand);
}

XlaOp XlaBuilder::RoundNearestEven(XlaOp operand, CallSite site) {
  return state_->Unary("RoundNearestEven", site, HloOpcode::kRoundNearestEven, operand);
}

XlaOp XlaBuilder::Rsqrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                        CallSite site) {
  return state_->Unary("Rsqrt", site, HloOpcode::kRsqrt, operand, result_accuracy);
}

XlaOp XlaBuilder::Sign(XlaOp operand, CallSite site) {
  return state_->Unary("Sign", site, HloOpcode::kSign, operand);
}

XlaOp XlaBuilder::Sin(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                      CallSite site) {
  return state_->Unary("Sin", site, HloOpcode::kSin, operand, result_accuracy);
}

XlaOp XlaBuilder::Sqrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                       CallSite site) {
  return state_->Unary("Sqrt", site, HloOpcode::kSqrt, operand, result_accuracy);
}

XlaOp XlaBuilder::Tan(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                      CallSite site) {
  return state_->Unary("Tan", site, HloOpcode::kTan, operand, result_accuracy);
}

XlaOp XlaBuilder::Tanh(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy,
                       CallSite site) {
  return state_->Unary("Tanh", site, HloOpcode::kTanh, operand, result_accuracy);
}

XlaOp XlaBuilder::Acos(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
                       CallSite site) {
  if (!expand) return state_->Unary("Acos", site, HloOpcode::kAcos, x, result_accuracy);
  return Record("Acos", site, [&]() -> absl::StatusOr<XlaOp> { return ExpandAcos(x); });
}

XlaOp XlaBuilder::Acosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
                        CallSite site) {
  if (!expand) return state_->Unary("Acosh", site, HloOpcode::kAcosh, x, result_accuracy);
  return Record("Acosh", site, [&]() -> absl::StatusOr<XlaOp> { return ExpandAcosh(x); });
}

XlaOp XlaBuilder::Asin(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
                       CallSite site) {
  if (!expand) return state_->Unary("Asin", site, HloOpcode::kAsin, x, result_accuracy);
  return Record("Asin", site, [&]() -> absl::StatusOr<XlaOp> { return ExpandAsin(x); });
}

XlaOp XlaBuilder::Asinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
                        CallSite site) {
  if (!expand) return state_->Unary("Asinh", site, HloOpcode::kAsinh, x, result_accuracy);
  return Record("Asinh", site, [&]() -> absl::StatusOr<XlaOp> { return ExpandAsinh(x); });
}

XlaOp XlaBuilder::Atanh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
                        CallSite site) {
  if (!expand) return state_->Unary("Atanh", site, HloOpcode::kAtanh, x, result_accuracy);
  return Record("Atanh", site, [&]() -> absl::StatusOr<XlaOp> { return ExpandAtanh(x); });
}

XlaOp XlaBuilder::Cosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
                       CallSite site) {
  if (!expand) return state_->Unary("Cosh", site, HloOpcode::kCosh, x, result_accuracy);
  return Record("Cosh", site, [&]() -> absl::StatusOr<XlaOp> { return ExpandCosh(x); });
}

XlaOp XlaBuilder::Sinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
                       CallSite site) {
  if (!expand) return state_->Unary("Sinh", site, HloOpcode::kSinh, x, result_accuracy);
  return Record("Sinh", site, [&]() -> absl::StatusOr<XlaOp> { return ExpandSinh(x); });
}

XlaOp XlaBuilder::Add(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("Add", site, HloOpcode::kAdd, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::And(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("And", site, HloOpcode::kAnd, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::Atan2(XlaOp y, XlaOp x, absl::Span<const int64_t> broadcast_dimensions,
                        CallSite site) {
  return state_->Binary("Atan2", site, HloOpcode::kAtan2, y, x, broadcast_dimensions);
}

XlaOp XlaBuilder::Complex(XlaOp real, XlaOp imag, absl::Span<const int64_t> broadcast_dimensions,
                          CallSite site) {
  return state_->Binary("Complex", site, HloOpcode::kComplex, real, imag, broadcast_dimensions);
}

XlaOp XlaBuilder::Div(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("Div", site, HloOpcode::kDivide, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::Max(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("Max", site, HloOpcode::kMaximum, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::Min(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("Min", site, HloOpcode::kMinimum, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::Mul(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("Mul", site, HloOpcode::kMultiply, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::Mulhi(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                        CallSite site) {
  return state_->Binary("Mulhi", site, HloOpcode::kMulhi, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::Or(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                     CallSite site) {
  return state_->Binary("Or", site, HloOpcode::kOr, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::Pow(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("Pow", site, HloOpcode::kPower, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::Rem(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("Rem", site, HloOpcode::kRemainder, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::ShiftLeft(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                            CallSite site) {
  return state_->Binary("ShiftLeft", site, HloOpcode::kShiftLeft, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::ShiftRightArithmetic(XlaOp lhs, XlaOp rhs,
                                       absl::Span<const int64_t> broadcast_dimensions,
                                       CallSite site) {
  return state_->Binary("ShiftRightArithmetic", site, HloOpcode::kShiftRightArithmetic, lhs, rhs,
                        broadcast_dimensions);
}

XlaOp XlaBuilder::ShiftRightLogical(XlaOp lhs, XlaOp rhs,
                                    absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  return state_->Binary("ShiftRightLogical", site, HloOpcode::kShiftRightLogical, lhs, rhs,
                        broadcast_dimensions);
}

XlaOp XlaBuilder::Sub(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("Sub", site, HloOpcode::kSubtract, lhs, rhs, broadcast_dimensions);
}

XlaOp XlaBuilder::Xor(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                      CallSite site) {
  return state_->Binary("Xor", site, HloOpcode::kXor, lhs, rhs, broadcast_dimensions);
}

}  // namespace xla
