// SPDX-License-Identifier: Apache-2.0
// Emits functions of complex numbers.
#include "xla/cpu/codegen/math_complex.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/functional/function_ref.h"
#include "xla/cpu/codegen/math.h"
#include "xla/cpu/codegen/math_complex_f64.h"
#include "xla/cpu/codegen/math_complex_inverse.h"
#include "xla/cpu/codegen/math_complex_inverse_f64.h"
#include "xla/cpu/codegen/math_lanes.h"
#include "xla/cpu/codegen/math_trigonometric.h"

namespace xla::cpu {
namespace math {
namespace {

// Applies `of_sum` to x^2 + y^2 or, if a square overflows or is subnormal, `of_root` to its root,
// computed in f64. Both return as many lanes of one type.
IrValue OfSquares(const Floats& x, const Floats& y,
                  absl::FunctionRef<IrValue(const Floats& sum)> of_sum,
                  absl::FunctionRef<IrValue(const Floats& root)> of_root) {
  Ir& ir = *x.ir;
  const Floats sum = Fma(x, x, y * y);
  const auto is_any = [&](Mask mask) { return OfLanes(ir, kAnyLane, mask); };
  // The bits of positive numbers have the order of the numbers: one comparison tests a range.
  constexpr int64_t kLow = int64_t{127 - 60} << 23, kHigh = int64_t{127 + 120} << 23;
  const Ints above = Bits(sum) - LikeInt(Bits(sum), kLow);
  const Mask is_unusual = {&ir, ir.ICmp(LLVMIntUGE, above.v, LikeInt(above, kHigh - kLow).v)};
  const auto in_f64 = [&] {
    const Floats a = Widen(x), b = Widen(y);
    const Floats root = Narrow(Sqrt(Fma(a, a, b * b)));
    // Infinite, even if the other part is NaN.
    const Mask is_infinite = (Abs(x) == Infinity(x)) | (Abs(y) == Infinity(x));
    return Ir::Carried{of_root(Select(is_infinite, Infinity(x), root))};
  };
  const auto directly = [&] { return Ir::Carried{of_sum(sum)}; };
  // Zeros need no special case either.
  const auto unless_zero = [&] {
    const Floats zero = Like(x, 0);
    return ir.If(is_any(is_unusual & !((x == zero) & (y == zero))), in_f64, directly);
  };
  return ir.If(is_any(is_unusual), unless_zero, directly)[0];
}

// sqrt(x^2 + y^2) of f32.
Floats HypotF32(const Floats& x, const Floats& y) {
  return {x.ir, OfSquares(
                    x, y, [](const Floats& sum) { return Sqrt(sum).v; },
                    [](const Floats& root) { return root.v; })};
}

// Returns the least float whose rounded root is at least the bound, or above it. The root is
// monotonic: it is less than the bound if and only if the square is less than this.
float LeastSquare(float bound, bool above) {
  const auto passes = [&](float square) {
    const float root = std::sqrt(square);
    return above ? root > bound : root >= bound;
  };
  float square = bound * bound;
  while (passes(square)) square = std::nextafter(square, 0.0f);
  while (!passes(square)) square = std::nextafter(square, std::numeric_limits<float>::infinity());
  return square;
}

// Functions of numbers of f32 in f64.
using ComplexUnary = ComplexF64<Floats> (*)(const Floats&, const Floats&);
ComplexUnary ComplexUnaryF64(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAcos:
      return ComplexAcosF64;
    case HloOpcode::kAcosh:
      return ComplexAcoshF64;
    case HloOpcode::kAsin:
      return ComplexAsinF64;
    case HloOpcode::kAsinh:
      return ComplexAsinhF64;
    case HloOpcode::kAtanh:
      return ComplexAtanhF64;
    case HloOpcode::kCos:
      return ComplexCosF64;
    case HloOpcode::kCosh:
      return ComplexCoshF64;
    case HloOpcode::kExp:
      return ComplexExpF64;
    case HloOpcode::kExpm1:
      return ComplexExpm1F64;
    case HloOpcode::kLog:
      return ComplexLogF64;
    case HloOpcode::kLog1p:
      return ComplexLog1pF64;
    case HloOpcode::kLogistic:
      return ComplexLogisticF64;
    case HloOpcode::kRsqrt:
      return ComplexRsqrtF64;
    case HloOpcode::kSign:
      return ComplexSignF64;
    case HloOpcode::kSin:
      return ComplexSinF64;
    case HloOpcode::kSinh:
      return ComplexSinhF64;
    case HloOpcode::kSqrt:
      return ComplexSqrtF64;
    case HloOpcode::kTan:
      return ComplexTanF64;
    case HloOpcode::kTanh:
      return ComplexTanhF64;
    default:
      return nullptr;
  }
}
using ComplexBinary = ComplexF64<Floats> (*)(const Floats&, const Floats&, const Floats&,
                                             const Floats&);
ComplexBinary ComplexBinaryF64(HloOpcode opcode) {
  if (opcode == HloOpcode::kDivide) return QuotientF64;
  if (opcode == HloOpcode::kPower) return ComplexPowerF64;
  return nullptr;
}

// Functions of numbers of f64.
ComplexUnary ComplexUnaryOfF64(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAcos:
      return ComplexAcosOfF64;
    case HloOpcode::kAcosh:
      return ComplexAcoshOfF64;
    case HloOpcode::kAsin:
      return ComplexAsinOfF64;
    case HloOpcode::kAsinh:
      return ComplexAsinhOfF64;
    case HloOpcode::kAtanh:
      return ComplexAtanhOfF64;
    case HloOpcode::kCos:
      return ComplexCosOfF64;
    case HloOpcode::kCosh:
      return ComplexCoshOfF64;
    case HloOpcode::kExp:
      return ComplexExpOfF64;
    case HloOpcode::kExpm1:
      return ComplexExpm1OfF64;
    case HloOpcode::kLog:
      return ComplexLogOfF64;
    case HloOpcode::kLog1p:
      return ComplexLog1pOfF64;
    case HloOpcode::kRsqrt:
      return ComplexRsqrtOfF64;
    case HloOpcode::kSign:
      return ComplexSignOfF64;
    case HloOpcode::kSin:
      return ComplexSinOfF64;
    case HloOpcode::kSinh:
      return ComplexSinhOfF64;
    case HloOpcode::kSqrt:
      return ComplexSqrtOfF64;
    case HloOpcode::kTan:
      return ComplexTanOfF64;
    case HloOpcode::kTanh:
      return ComplexTanhOfF64;
    default:
      return nullptr;
  }
}
ComplexBinary ComplexBinaryOfF64(HloOpcode opcode) {
  if (opcode == HloOpcode::kDivide) return ComplexQuotientOfF64;
  if (opcode == HloOpcode::kPower) return ComplexPowerOfF64;
  return nullptr;
}

}  // namespace
}  // namespace math

IrValue EmitMagnitudeCompare(Ir& ir, LLVMRealPredicate predicate, IrValue re, IrValue im,
                             float bound) {
  const math::Floats x = {&ir, re}, y = {&ir, im};
  const bool above = predicate == LLVMRealOLE || predicate == LLVMRealOGT;
  const bool is_less = predicate == LLVMRealOLE || predicate == LLVMRealOLT;
  // Squares that overflow or underflow are on the same side of the bound's square as exact ones.
  const math::Floats sum = math::Fma(x, x, y * y);
  const math::Floats limit = math::Like(sum, static_cast<double>(math::LeastSquare(bound, above)));
  if (is_less) return (sum < limit).v;
  // An infinite part makes the absolute value infinite, even if the other part is NaN.
  const math::Floats infinity = math::Infinity(sum);
  return ((sum >= limit) | (math::Abs(x) == infinity) | (math::Abs(y) == infinity)).v;
}

void EmitComplexMath(Ir& ir, HloOpcode opcode, IrValue a_re, IrValue a_im, IrValue b_re,
                     IrValue b_im, IrValue* re, IrValue* im) {
  using math::Floats;
  const bool is_f32 = ir.Bits(ir.TypeOf(a_re)) == 32;
  if (opcode == HloOpcode::kAbs) {
    const Floats x = {&ir, a_re}, y = {&ir, a_im};
    *re = (is_f32 ? math::HypotF32(x, y) : math::HypotF64(x, y)).v;
    *im = nullptr;
    return;
  }
  const auto wide = [&](IrValue v) { return is_f32 ? Widen(Floats{&ir, v}) : Floats{&ir, v}; };
  const auto narrow = [&](const Floats& x) { return is_f32 ? math::Narrow(x).v : x.v; };
  // Calls the library for lanes that are not `known`. Others are NaN there, which takes it the
  // least time.
  const auto library = [&](const math::Mask* known) {
    const auto argument = [&](IrValue v) {
      return known == nullptr ? v : math::Select(*known, NaN(Floats{&ir, v}), Floats{&ir, v}).v;
    };
    const IrValue a[] = {argument(a_re), argument(a_im)};
    const IrValue b[] = {b_re == nullptr ? a[0] : argument(b_re),
                         b_re == nullptr ? a[1] : argument(b_im)};
    IrValue parts[2];
    parts[0] = CallFunctionOfVectors(ir, opcode, is_f32 ? C64 : C128, {a[0], a[1]}, {b[0], b[1]},
                                     &parts[1]);
    return Ir::Carried{parts[0], parts[1]};
  };
  math::ComplexUnary unary = nullptr;
  math::ComplexBinary binary = nullptr;
  if (is_f32) {
    unary = math::ComplexUnaryF64(opcode);
    binary = math::ComplexBinaryF64(opcode);
  } else if (ir.HasFma()) {  // pairs of numbers need it
    unary = math::ComplexUnaryOfF64(opcode);
    binary = math::ComplexBinaryOfF64(opcode);
  }
  if (unary == nullptr && binary == nullptr) {
    const Ir::Carried parts = library(nullptr);
    *re = parts[0], *im = parts[1];
    return;
  }
  const math::ComplexF64<Floats> result =
      unary == nullptr ? binary(wide(a_re), wide(a_im), wide(b_re), wide(b_im))
                       : unary(wide(a_re), wide(a_im));
  const Ir::Carried parts = ir.If(
      math::OfLanes(ir, math::kAllLanes, result.is_usual),
      [&] {
        return Ir::Carried{narrow(result.re), narrow(result.im)};
      },
      [&] {
        const Ir::Carried exact = library(&result.is_usual);
        return Ir::Carried{ir.Select(result.is_usual.v, narrow(result.re), exact[0]),
                           ir.Select(result.is_usual.v, narrow(result.im), exact[1])};
      });
  *re = parts[0], *im = parts[1];
}

}  // namespace xla::cpu
