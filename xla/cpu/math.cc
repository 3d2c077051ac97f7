// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/math.h"

#include <cmath>
#include <initializer_list>
#include <limits>

#include "absl/functional/function_ref.h"
#include "xla/cpu/math_complex.h"
#include "xla/cpu/math_complex_inverse.h"
#include "xla/cpu/math_exp_log.h"
#include "xla/cpu/math_hyperbolic.h"
#include "xla/cpu/math_inverse.h"
#include "xla/cpu/math_power.h"
#include "xla/cpu/math_trigonometric.h"
#include "xla/xla_data_enums.h"

namespace xla::cpu {
namespace {

// Calls XlaCpuFunction on vectors in memory; of complex numbers with both parts.
IrValue CallFunctionOfVectors(Ir& ir, HloOpcode opcode, PrimitiveType type,
                              std::initializer_list<IrValue> a, std::initializer_list<IrValue> b,
                              IrValue* im = nullptr) {
  const IrType vector = ir.TypeOf(*a.begin());
  const int lanes = ir.Lanes(vector);
  const int bytes = ir.Bits(vector) / 8;
  const auto write = [&](std::initializer_list<IrValue> parts) {
    const IrValue memory = ir.Alloca(ir.Int(bytes * 8), lanes * static_cast<int64_t>(parts.size()));
    int64_t offset = 0;
    for (const IrValue part : parts) {
      ir.Store(part, ir.Offset(memory, ir.Index(offset)), bytes);
      offset += lanes * bytes;
    }
    return memory;
  };
  const IrValue in_a = write(a), in_b = write(b);
  const IrValue out = ir.Alloca(ir.Int(bytes * 8), lanes * static_cast<int64_t>(a.size()));
  const IrValue arguments[] = {ir.Const(ir.I32(), static_cast<int64_t>(opcode)),
                               ir.Const(ir.I32(), static_cast<int64_t>(type)),
                               ir.Index(lanes),
                               in_a,
                               in_b,
                               out};
  ir.Call("XlaCpuFunction", ir.Void(), arguments);
  if (im != nullptr) *im = ir.Load(vector, ir.Offset(out, ir.Index(lanes * bytes)), bytes);
  return ir.Load(vector, out, bytes);
}

}  // namespace

// The type of lanes of math_*.h: values of generated code.
namespace math {
namespace {

struct Mask {
  Ir* ir;
  IrValue v;
  friend Mask operator&(Mask a, Mask b) { return {a.ir, a.ir->And(a.v, b.v)}; }
  friend Mask operator|(Mask a, Mask b) { return {a.ir, a.ir->Or(a.v, b.v)}; }
  friend Mask operator!(Mask a) { return {a.ir, a.ir->Not(a.v)}; }
};

struct Ints {
  Ir* ir;
  IrValue v;
  friend Ints operator+(Ints a, Ints b) { return {a.ir, a.ir->Add(a.v, b.v)}; }
  friend Ints operator-(Ints a, Ints b) { return {a.ir, a.ir->Sub(a.v, b.v)}; }
  friend Ints operator&(Ints a, Ints b) { return {a.ir, a.ir->And(a.v, b.v)}; }
  friend Ints operator^(Ints a, Ints b) { return {a.ir, a.ir->Xor(a.v, b.v)}; }
  friend Mask operator<(Ints a, Ints b) { return {a.ir, a.ir->ICmp(LLVMIntSLT, a.v, b.v)}; }
};

struct Floats {
  Ir* ir;
  IrValue v;
  friend Floats operator+(Floats a, Floats b) { return {a.ir, a.ir->FAdd(a.v, b.v)}; }
  friend Floats operator-(Floats a, Floats b) { return {a.ir, a.ir->FSub(a.v, b.v)}; }
  friend Floats operator*(Floats a, Floats b) { return {a.ir, a.ir->FMul(a.v, b.v)}; }
  friend Floats operator/(Floats a, Floats b) { return {a.ir, a.ir->FDiv(a.v, b.v)}; }
  friend Floats operator-(Floats a) { return {a.ir, a.ir->FNeg(a.v)}; }
  Mask Compare(LLVMRealPredicate p, Floats b) const { return {ir, ir->FCmp(p, v, b.v)}; }
  friend Mask operator<(Floats a, Floats b) { return a.Compare(LLVMRealOLT, b); }
  [[maybe_unused]] friend Mask operator<=(Floats a, Floats b) { return a.Compare(LLVMRealOLE, b); }
  friend Mask operator>(Floats a, Floats b) { return a.Compare(LLVMRealOGT, b); }
  friend Mask operator>=(Floats a, Floats b) { return a.Compare(LLVMRealOGE, b); }
  friend Mask operator==(Floats a, Floats b) { return a.Compare(LLVMRealOEQ, b); }
  friend Mask operator!=(Floats a, Floats b) { return a.Compare(LLVMRealUNE, b); }
};

Floats Like(Floats x, double value) { return {x.ir, x.ir->Const(x.ir->TypeOf(x.v), value)}; }
Ints LikeInt(Ints x, int64_t value) { return {x.ir, x.ir->Const(x.ir->TypeOf(x.v), value)}; }
Floats Fma(Floats a, Floats b, Floats c) { return {a.ir, a.ir->Fma(a.v, b.v, c.v)}; }
Floats Abs(Floats x) { return {x.ir, x.ir->Unary("llvm.fabs", x.v)}; }
Floats Sqrt(Floats x) { return {x.ir, x.ir->Unary("llvm.sqrt", x.v)}; }
Floats RoundEven(Floats x) { return {x.ir, x.ir->Unary("llvm.rint", x.v)}; }
Floats CopySign(Floats magnitude, Floats sign) {
  return {sign.ir, sign.ir->Binary("llvm.copysign", magnitude.v, sign.v)};
}
Floats Select(Mask condition, Floats a, Floats b) {
  return {a.ir, a.ir->Select(condition.v, a.v, b.v)};
}
Ints Bits(Floats x) { return {x.ir, x.ir->BitCast(x.v, x.ir->IntsLike(x.ir->TypeOf(x.v)))}; }
IrType FloatsAsWideAs(Ir& ir, IrValue v, bool twice) {
  const IrType type = ir.TypeOf(v);
  return ir.WithElement(type, (ir.Bits(type) == 64) != twice ? ir.F64() : ir.F32());
}
Floats FromBits(Ints x) { return {x.ir, x.ir->BitCast(x.v, FloatsAsWideAs(*x.ir, x.v, false))}; }
Floats ToFloat(Ints x) { return {x.ir, x.ir->SIToFP(x.v, FloatsAsWideAs(*x.ir, x.v, false))}; }
Ints Shl(Ints x, int bits) { return {x.ir, x.ir->Shl(x.v, LikeInt(x, bits).v)}; }
Ints Shr(Ints x, int bits) { return {x.ir, x.ir->AShr(x.v, LikeInt(x, bits).v)}; }
Floats Widen(Floats x) {
  return {x.ir, x.ir->FPExt(x.v, x.ir->WithElement(x.ir->TypeOf(x.v), x.ir->F64()))};
}
Floats Narrow(Floats x) {
  return {x.ir, x.ir->FPTrunc(x.v, x.ir->WithElement(x.ir->TypeOf(x.v), x.ir->F32()))};
}
Ints NarrowInt(Ints x) {
  return {x.ir, x.ir->Trunc(x.v, x.ir->WithElement(x.ir->TypeOf(x.v), x.ir->I32()))};
}
constexpr char kAnyLane[] = "llvm.vector.reduce.or", kAllLanes[] = "llvm.vector.reduce.and";
IrValue OfLanes(Ir& ir, const char* reduction, Mask mask) {
  if (ir.Lanes(mask.v) == 1) return mask.v;
  return ir.Intrinsic(reduction, {ir.TypeOf(mask.v)}, {mask.v});
}
template <class Then>
Floats WhereAny(Mask where, Floats otherwise, Then then) {
  Ir& ir = *otherwise.ir;
  return {&ir, ir.If(
                   OfLanes(ir, kAnyLane, where), [&] { return Ir::Carried{then().v}; },
                   [&] { return Ir::Carried{otherwise.v}; })[0]};
}
Floats PerLane(Mask where, HloOpcode opcode, Floats x, Floats otherwise) {
  Ir& ir = *x.ir;
  const PrimitiveType type = ir.Bits(ir.TypeOf(x.v)) == 32 ? F32 : F64;
  const IrValue any = OfLanes(ir, kAnyLane, where);
  // Few numbers need it.
  const auto far = [&] {
    const IrValue library = CallFunctionOfVectors(ir, opcode, type, {x.v}, {x.v});
    return Ir::Carried{ir.Select(where.v, library, otherwise.v)};
  };
  return {&ir, ir.If(any, far, [&] { return Ir::Carried{otherwise.v}; })[0]};
}

Floats Scale(const Floats& x, const Floats& n) {
  return {x.ir, x.ir->Avx512Binary("scalef", x.v, n.v)};
}
bool CanScale(const Floats& x) { return x.ir->HasAvx512Binary(x.ir->TypeOf(x.v)); }
Floats ScaleF32(const Floats& x, const Rounded<Floats, Ints>& n) {
  return CanScale(x) ? Scale(x, n.number) : ScaleF32<Floats, Ints>(x, n);
}
Floats ScaleF64(const Floats& x, const Rounded<Floats, Ints>& n) {
  return CanScale(x) ? Scale(x, n.number) : ScaleF64<Floats, Ints>(x, n);
}
Floats ScaleToNormalF32(const Floats& x, const Rounded<Floats, Ints>& n) {
  return CanScale(x) ? Scale(x, n.number) : ScaleToNormalF32<Floats, Ints>(x, n);
}

// What `of_sum` makes of x^2 + y^2, or what `of_root` makes of its root, computed in f64, where a
// square overflows or is subnormal. Both return as many lanes of one type.
IrValue OfSquares(const Floats& x, const Floats& y,
                  absl::FunctionRef<IrValue(const Floats& sum)> of_sum,
                  absl::FunctionRef<IrValue(const Floats& root)> of_root) {
  Ir& ir = *x.ir;
  const Floats sum = Fma(x, x, y * y);
  const auto is_any = [&](Mask mask) { return OfLanes(ir, kAnyLane, mask); };
  // Bits of positive numbers are in the order of the numbers: one comparison for a range.
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
  // Zeros are as good as usual numbers.
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

// The least float whose rounded root is at least the bound, or above it. The root is monotonic: it
// is less than the bound if and only if the square is less than this.
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

// The functions of math_*.h for an opcode; null where there is none.
using Unary = Floats (*)(const Floats&);
using Binary = Floats (*)(const Floats&, const Floats&);
Unary UnaryF32(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAcos:
      return AcosF32;
    case HloOpcode::kAcosh:
      return AcoshF32;
    case HloOpcode::kAsin:
      return AsinF32;
    case HloOpcode::kAsinh:
      return AsinhF32;
    case HloOpcode::kAtanh:
      return AtanhF32;
    case HloOpcode::kCbrt:
      return CbrtF32;
    case HloOpcode::kCos:
      return CosF32;
    case HloOpcode::kCosh:
      return CoshF32;
    case HloOpcode::kErf:
      return ErfF32;
    case HloOpcode::kExp:
      return ExpF32;
    case HloOpcode::kExpm1:
      return Expm1F32;
    case HloOpcode::kLog:
      return LogF32;
    case HloOpcode::kLog1p:
      return Log1pF32;
    case HloOpcode::kLogistic:
      return LogisticF32;
    case HloOpcode::kSin:
      return SinF32;
    case HloOpcode::kSinh:
      return SinhF32;
    case HloOpcode::kTan:
      return TanF32;
    case HloOpcode::kTanh:
      return TanhF32;
    default:
      return nullptr;
  }
}
Unary UnaryF64(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAcos:
      return AcosF64;
    case HloOpcode::kAcosh:
      return AcoshF64;
    case HloOpcode::kAsin:
      return AsinF64;
    case HloOpcode::kAsinh:
      return AsinhF64;
    case HloOpcode::kAtanh:
      return AtanhF64;
    case HloOpcode::kCbrt:
      return CbrtF64;
    case HloOpcode::kCos:
      return CosF64;
    case HloOpcode::kCosh:
      return CoshF64;
    case HloOpcode::kErf:
      return ErfF64;
    case HloOpcode::kExp:
      return ExpF64;
    case HloOpcode::kExpm1:
      return Expm1F64;
    case HloOpcode::kLog:
      return LogF64;
    case HloOpcode::kLog1p:
      return Log1pF64;
    case HloOpcode::kLogistic:
      return LogisticF64;
    case HloOpcode::kSin:
      return SinF64;
    case HloOpcode::kSinh:
      return SinhF64;
    case HloOpcode::kTan:
      return TanF64;
    case HloOpcode::kTanh:
      return TanhF64;
    default:
      return nullptr;
  }
}
Binary BinaryF32(HloOpcode opcode) {
  if (opcode == HloOpcode::kPower) return PowF32;
  if (opcode == HloOpcode::kAtan2) return Atan2F32;
  return nullptr;
}
// Without fused multiply-add, logarithms have too few bits for large exponents.
Binary BinaryF64(HloOpcode opcode, bool has_fma) {
  if (opcode == HloOpcode::kPower && has_fma) return PowF64;
  if (opcode == HloOpcode::kAtan2) return Atan2F64;
  return nullptr;
}

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

}  // namespace
}  // namespace math

IrValue EmitMath(Ir& ir, HloOpcode opcode, IrValue a, IrValue b) {
  const IrType type = ir.TypeOf(a);
  const bool is_f32 = ir.Bits(type) == 32;
  if (opcode == HloOpcode::kSqrt) return ir.Unary("llvm.sqrt", a);
  if (opcode == HloOpcode::kRsqrt) {
    return ir.FDiv(ir.Const(type, 1.0), ir.Unary("llvm.sqrt", a));
  }
  if (b == nullptr) {
    const math::Unary function = is_f32 ? math::UnaryF32(opcode) : math::UnaryF64(opcode);
    if (function != nullptr) return function(math::Floats{&ir, a}).v;
  } else {
    const math::Binary function =
        is_f32 ? math::BinaryF32(opcode) : math::BinaryF64(opcode, ir.HasFma());
    if (function != nullptr) return function(math::Floats{&ir, a}, math::Floats{&ir, b}).v;
  }
  if (b == nullptr) b = a;
  return CallFunctionOfVectors(ir, opcode, is_f32 ? F32 : F64, {a}, {b});
}

IrValue EmitAccurateMath(Ir& ir, HloOpcode opcode, IrValue a) {
  const IrType type = ir.TypeOf(a);
  if (opcode == HloOpcode::kSqrt) return EmitMath(ir, opcode, a);
  if (ir.Bits(type) == 64) return CallFunctionOfVectors(ir, opcode, F64, {a}, {a});
  if (opcode != HloOpcode::kRsqrt && math::UnaryF64(opcode) == nullptr)
    return CallFunctionOfVectors(ir, opcode, F32, {a}, {a});
  return ir.FPTrunc(EmitMath(ir, opcode, ir.FPExt(a, ir.WithElement(type, ir.F64()))), type);
}

IrValue EmitMagnitudeCompare(Ir& ir, LLVMRealPredicate predicate, IrValue re, IrValue im,
                             float bound) {
  const math::Floats x = {&ir, re}, y = {&ir, im};
  const bool above = predicate == LLVMRealOLE || predicate == LLVMRealOGT;
  const bool is_less = predicate == LLVMRealOLE || predicate == LLVMRealOLT;
  // Squares that overflow or vanish are as far from the square of the bound as exact ones.
  const math::Floats sum = math::Fma(x, x, y * y);
  const math::Floats limit = math::Like(sum, static_cast<double>(math::LeastSquare(bound, above)));
  if (is_less) return (sum < limit).v;
  // An infinite part makes the absolute value infinite, even if the other part is NaN.
  const math::Floats infinity = math::Infinity(sum);
  return ((sum >= limit) | (math::Abs(x) == infinity) | (math::Abs(y) == infinity)).v;
}

void EmitComplexMath(Ir& ir, HloOpcode opcode, IrValue a_re, IrValue a_im, IrValue b_re,
                     IrValue b_im, IrValue* re, IrValue* im) {
  if (opcode == HloOpcode::kAbs && ir.Bits(ir.TypeOf(a_re)) == 32) {
    *re = math::HypotF32(math::Floats{&ir, a_re}, math::Floats{&ir, a_im}).v;
    *im = nullptr;
    return;
  }
  if (b_re == nullptr) b_re = a_re, b_im = a_im;
  const bool is_f32 = ir.Bits(ir.TypeOf(a_re)) == 32;
  const auto library = [&] {
    IrValue parts[2];
    parts[0] = CallFunctionOfVectors(ir, opcode, is_f32 ? C64 : C128, {a_re, a_im}, {b_re, b_im},
                                     &parts[1]);
    return Ir::Carried{parts[0], parts[1]};
  };
  using math::Floats;
  const auto wide = [&](IrValue v) { return Widen(Floats{&ir, v}); };
  const bool is_log = is_f32 && opcode == HloOpcode::kLog;
  const math::ComplexUnary unary = math::ComplexUnaryF64(opcode);
  const math::ComplexBinary binary = math::ComplexBinaryF64(opcode);
  if (!is_f32 || (!is_log && unary == nullptr && binary == nullptr)) {
    const Ir::Carried parts = library();
    *re = parts[0], *im = parts[1];
    return;
  }
  if (is_log) {
    const Floats x = wide(a_re), y = wide(a_im);
    *im = math::Atan2F32(Floats{&ir, a_im}, Floats{&ir, a_re}).v;
    *re = Narrow(math::Select(math::AreFinite(x, y), math::LogOfMagnitudeF64(x, y),
                              math::LogF64(math::InfiniteMagnitude(x, y))))
              .v;
    return;
  }
  const math::ComplexF64<Floats> result =
      unary == nullptr ? binary(wide(a_re), wide(a_im), wide(b_re), wide(b_im))
                       : unary(wide(a_re), wide(a_im));
  const Ir::Carried parts = ir.If(
      math::OfLanes(ir, math::kAllLanes, result.is_usual),
      [&] {
        return Ir::Carried{math::Narrow(result.re).v, math::Narrow(result.im).v};
      },
      [&] {
        const Ir::Carried exact = library();
        return Ir::Carried{ir.Select(result.is_usual.v, math::Narrow(result.re).v, exact[0]),
                           ir.Select(result.is_usual.v, math::Narrow(result.im).v, exact[1])};
      });
  *re = parts[0], *im = parts[1];
}

}  // namespace xla::cpu
