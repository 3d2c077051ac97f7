// SPDX-License-Identifier: Apache-2.0
// Sources: S. Moshier, Cephes (exp, log); N. Juffa (erf, reduction of sin and cos); Cody and Waite,
// Software manual for the elementary functions, 1980.
#include "xla/cpu/math.h"

#include <cmath>
#include <initializer_list>
#include <limits>

#include "xla/xla_data_enums.h"

namespace xla::cpu {
namespace {

// Functions of float, on vectors of one type.
class FloatMath {
 public:
  FloatMath(Ir& ir, IrType type) : ir_(ir), type_(type), ints_(ir.IntsLike(type)) {}

  IrValue Exp(IrValue x) {
    const IrValue limited = Limit(x, -104.0, 89.0);
    IrValue n, power;
    const IrValue r = ReduceExp(limited, &n, &power);
    const IrValue p = Add(ir_.Fma(Square(r), ExpTail(r), r), F(1));
    // 2^n in two steps, for results that overflow or are subnormal.
    const IrValue half = ir_.AShr(power, I(1));
    return Mul(Mul(p, PowerOfTwo(half)), PowerOfTwo(ir_.Sub(power, half)));
  }

  IrValue Expm1(IrValue x) {
    IrValue n, power;
    const IrValue limited = Limit(x, -18.0, 89.0);
    const IrValue r = ReduceExp(limited, &n, &power);
    const IrValue p = ir_.Fma(Square(r), ExpTail(r), r);
    // 2 * (2^(n-1) * p + (2^(n-1) - 1/2)): n may be 128.
    const IrValue scale = PowerOfTwo(ir_.Sub(power, I(1)));
    const IrValue result = ir_.Fma(scale, p, Sub(scale, F(0.5)));
    return Pick(Eq(x, F(0)), x, Add(result, result));
  }

  IrValue Log(IrValue x) {
    // Subnormal numbers are scaled up.
    const IrValue is_tiny = ir_.FCmp(LLVMRealOLT, x, F(1.17549435e-38));
    const IrValue scaled = Pick(is_tiny, Mul(x, F(8388608.0)), x);
    const IrValue bits = ir_.BitCast(scaled, ints_);
    const IrValue exponent = ir_.AShr(ir_.Sub(bits, I(0x3f3504f3)), I(23));
    const IrValue mantissa = ir_.BitCast(ir_.Sub(bits, ir_.Shl(exponent, I(23))), type_);
    const IrValue e = ir_.FAdd(ir_.SIToFP(exponent, type_), Pick(is_tiny, F(-23), F(0)));
    const IrValue f = Sub(mantissa, F(1));
    const IrValue poly = Polynomial(
        f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
            -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
    const IrValue f2 = Square(f);
    IrValue y = ir_.Fma(e, F(-2.12194440e-4), Mul(Mul(f, f2), poly));
    y = ir_.Fma(F(-0.5), f2, y);
    const IrValue result = ir_.Fma(e, F(0.693359375), Add(f, y));
    const IrValue at_end = Pick(Eq(x, F(0)), F(-kInf), x);  // infinity, NaN
    const IrValue is_normal =
        ir_.And(ir_.FCmp(LLVMRealOGT, x, F(0)), ir_.FCmp(LLVMRealOLT, x, F(kInf)));
    const IrValue special = Pick(ir_.FCmp(LLVMRealOLT, x, F(0)), F(kNan), at_end);
    return Pick(is_normal, result, special);
  }

  // log(u) + (x - (u - 1)) / u with u = 1 + x rounded.
  IrValue Log1p(IrValue x) {
    const IrValue u = Add(x, F(1));
    const IrValue correction = ir_.FDiv(Sub(x, Sub(u, F(1))), u);
    const IrValue log = Log(u);
    const IrValue is_finite =
        ir_.And(ir_.FCmp(LLVMRealOLT, x, F(kInf)), ir_.FCmp(LLVMRealOGT, u, F(0)));
    const IrValue result = Pick(is_finite, Add(log, correction), log);
    return Pick(ir_.FCmp(LLVMRealOEQ, u, F(1)), x, result);
  }

  // tanh |x| = -t / (2 + t) with t = expm1(-2 |x|).
  IrValue Tanh(IrValue x) {
    const IrValue magnitude = ir_.Unary("llvm.fabs", x);
    const IrValue t = Expm1(Mul(magnitude, F(-2)));
    const IrValue result = ir_.FDiv(ir_.FNeg(t), Add(t, F(2)));
    return ir_.Binary("llvm.copysign", result, x);
  }

  // From exp(-|x|), which does not overflow.
  IrValue Logistic(IrValue x) {
    const IrValue e = Exp(ir_.FNeg(ir_.Unary("llvm.fabs", x)));
    const IrValue denominator = Add(e, F(1));
    const IrValue numerator = Pick(ir_.FCmp(LLVMRealOLT, x, F(0)), e, F(1));
    return ir_.FDiv(numerator, denominator);
  }

  IrValue Erf(IrValue x) {
    const IrValue t = ir_.Unary("llvm.fabs", x);
    const IrValue s = Square(x);
    IrValue large = ir_.Fma(F(-1.72853470e-5), t, F(3.83197126e-4));
    large = ir_.Fma(large, s, ir_.Fma(F(-3.88396438e-3), t, F(2.42546219e-2)));
    large = ir_.Fma(large, t, F(-1.06777877e-1));
    large = ir_.Fma(large, t, F(-6.34846687e-1));
    large = ir_.Fma(large, t, F(-1.28717512e-1));
    large = ir_.Fma(large, t, ir_.FNeg(t));
    // Beyond 4 the result is 1; the polynomial need not hold there.
    large = Pick(ir_.FCmp(LLVMRealOGT, t, F(4)), F(-20), large);
    large = ir_.Binary("llvm.copysign", Sub(F(1), Exp(large)), x);
    IrValue small = Polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1,
                                   -3.76125336e-1, 1.28379166e-1});
    small = ir_.Fma(small, x, x);
    return Pick(ir_.FCmp(LLVMRealOGT, t, F(0.927734375)), large, small);
  }

  IrValue SinCos(IrValue x, HloOpcode opcode) {
    const IrValue magnitude = ir_.Unary("llvm.fabs", x);
    const IrValue is_large = ir_.FCmp(LLVMRealUGT, magnitude, F(48039.0));
    IrValue any = is_large;
    const int lanes = ir_.Lanes(type_);
    if (lanes > 1) any = ir_.Intrinsic("llvm.vector.reduce.or", {ir_.TypeOf(is_large)}, {is_large});
    // Few arguments are so large that the reduction needs more digits of pi.
    return ir_.If(
        any, [&] { return Ir::Carried{LibraryFunction(ir_, opcode, F32, {x}, {x})}; },
        [&] { return Ir::Carried{SmallSinCos(x, opcode == HloOpcode::kCos)}; })[0];
  }

  // sqrt(x^2 + y^2), where neither square overflows or is subnormal; else by the library.
  IrValue Hypot(IrValue x, IrValue y) {
    const IrValue magnitude_x = ir_.Unary("llvm.fabs", x), magnitude_y = ir_.Unary("llvm.fabs", y);
    const IrValue larger =
        ir_.Select(ir_.FCmp(LLVMRealOGT, magnitude_x, magnitude_y), magnitude_x, magnitude_y);
    const IrValue sum = ir_.Fma(x, x, Square(y));
    const IrValue is_usual = ir_.Or(Eq(sum, F(0)), ir_.And(ir_.FCmp(LLVMRealOGT, sum, F(0x1p-60)),
                                                           ir_.FCmp(LLVMRealOLT, sum, F(0x1p120))));
    // Zeros from underflow are not usual.
    const IrValue is_exact = ir_.Or(ir_.FCmp(LLVMRealOGT, sum, F(0)), Eq(larger, F(0)));
    IrValue other = ir_.Not(ir_.And(is_usual, is_exact));
    if (ir_.Lanes(type_) > 1) {
      other = ir_.Intrinsic("llvm.vector.reduce.or", {ir_.TypeOf(other)}, {other});
    }
    return ir_.If(
        other,
        [&] {
          return Ir::Carried{LibraryFunction(ir_, HloOpcode::kAbs, C64, {x, y}, {x, y})};
        },
        [&] { return Ir::Carried{ir_.Unary("llvm.sqrt", sum)}; })[0];
  }

  static IrValue LibraryFunction(Ir& ir, HloOpcode opcode, PrimitiveType type,
                                 std::initializer_list<IrValue> a, std::initializer_list<IrValue> b,
                                 IrValue* im = nullptr);

 private:
  static constexpr double kInf = std::numeric_limits<double>::infinity();
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  IrValue F(double value) const { return ir_.Const(type_, value); }
  IrValue I(int64_t value) const { return ir_.Const(ints_, value); }
  IrValue Add(IrValue a, IrValue b) { return ir_.FAdd(a, b); }
  IrValue Sub(IrValue a, IrValue b) { return ir_.FSub(a, b); }
  IrValue Mul(IrValue a, IrValue b) { return ir_.FMul(a, b); }
  IrValue Square(IrValue a) { return ir_.FMul(a, a); }
  IrValue Eq(IrValue a, IrValue b) { return ir_.FCmp(LLVMRealOEQ, a, b); }
  IrValue Pick(IrValue c, IrValue a, IrValue b) { return ir_.Select(c, a, b); }
  // NaN stays.
  IrValue Limit(IrValue x, double low, double high) {
    x = Pick(ir_.FCmp(LLVMRealOLT, x, F(low)), F(low), x);
    return Pick(ir_.FCmp(LLVMRealOGT, x, F(high)), F(high), x);
  }
  // Coefficients from the highest power down.
  IrValue Polynomial(IrValue x, std::initializer_list<double> coefficients) {
    IrValue sum = nullptr;
    for (const double c : coefficients) sum = sum == nullptr ? F(c) : ir_.Fma(sum, x, F(c));
    return sum;
  }
  IrValue PowerOfTwo(IrValue exponent) {
    return ir_.BitCast(ir_.Shl(ir_.Add(exponent, I(127)), I(23)), type_);
  }
  // x = n ln 2 + r; `power` is n as an integer.
  IrValue ReduceExp(IrValue x, IrValue* n, IrValue* power) {
    constexpr double kShift = 12582912.0;  // 1.5 * 2^23: adding it rounds to an integer
    const IrValue shifted = ir_.Fma(x, F(1.44269504088896341), F(kShift));
    *power = ir_.Sub(ir_.BitCast(shifted, ints_), I(0x4b400000));
    *n = Sub(shifted, F(kShift));
    const IrValue r = ir_.Fma(*n, F(-0.693359375), x);
    return ir_.Fma(*n, F(2.12194440e-4), r);
  }
  // (exp(r) - 1 - r) / r^2
  IrValue ExpTail(IrValue r) {
    return Polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                          1.6666665459e-1, 5.0000001201e-1});
  }
  IrValue SmallSinCos(IrValue x, bool is_cosine) {
    constexpr double kShift = 12582912.0;
    const IrValue shifted = ir_.Fma(x, F(0.636619772367581343), F(kShift));
    const IrValue quadrant = ir_.Add(ir_.BitCast(shifted, ints_), I(is_cosine ? 1 : 0));
    const IrValue n = Sub(shifted, F(kShift));
    IrValue r = ir_.Fma(n, F(-1.57079601e+00), x);
    r = ir_.Fma(n, F(-3.13916473e-07), r);
    r = ir_.Fma(n, F(-5.39030253e-15), r);
    const IrValue s = Square(r);
    const IrValue cosine = Polynomial(s, {2.44677067e-5, -1.38877297e-3, 4.16666567e-2, -0.5, 1});
    IrValue sine = Polynomial(s, {2.86567956e-6, -1.98559923e-4, 8.33338592e-3, -1.66666672e-1});
    // r may be -0.
    sine = ir_.Fma(Mul(s, r), sine, r);
    const IrValue swaps = ir_.ICmp(LLVMIntNE, ir_.And(quadrant, I(1)), I(0));
    const IrValue value = Pick(swaps, cosine, sine);
    const IrValue sign = ir_.Shl(ir_.And(quadrant, I(2)), I(30));
    const IrValue result = ir_.BitCast(ir_.Xor(ir_.BitCast(value, ints_), sign), type_);
    return is_cosine ? result : Pick(Eq(x, F(0)), x, result);
  }

  Ir& ir_;
  const IrType type_, ints_;
};

// Calls XlaCpuFunction on vectors in memory; of complex numbers with both parts.
IrValue FloatMath::LibraryFunction(Ir& ir, HloOpcode opcode, PrimitiveType type,
                                   std::initializer_list<IrValue> a,
                                   std::initializer_list<IrValue> b, IrValue* im) {
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

IrValue EmitMath(Ir& ir, HloOpcode opcode, IrValue a, IrValue b) {
  const IrType type = ir.TypeOf(a);
  const bool is_float = ir.Bits(type) == 32;
  if (opcode == HloOpcode::kSqrt) return ir.Unary("llvm.sqrt", a);
  if (opcode == HloOpcode::kRsqrt) {
    return ir.FDiv(ir.Const(type, 1.0), ir.Unary("llvm.sqrt", a));
  }
  if (is_float) {
    FloatMath math(ir, type);
    switch (opcode) {
      case HloOpcode::kExp:
        return math.Exp(a);
      case HloOpcode::kExpm1:
        return math.Expm1(a);
      case HloOpcode::kLog:
        return math.Log(a);
      case HloOpcode::kLog1p:
        return math.Log1p(a);
      case HloOpcode::kTanh:
        return math.Tanh(a);
      case HloOpcode::kLogistic:
        return math.Logistic(a);
      case HloOpcode::kErf:
        return math.Erf(a);
      case HloOpcode::kSin:
      case HloOpcode::kCos:
        return math.SinCos(a, opcode);
      default:
        break;
    }
  }
  if (b == nullptr) b = a;
  return FloatMath::LibraryFunction(ir, opcode, is_float ? F32 : F64, {a}, {b});
}

void EmitComplexMath(Ir& ir, HloOpcode opcode, IrValue a_re, IrValue a_im, IrValue b_re,
                     IrValue b_im, IrValue* re, IrValue* im) {
  if (opcode == HloOpcode::kAbs && ir.Bits(ir.TypeOf(a_re)) == 32) {
    *re = FloatMath(ir, ir.TypeOf(a_re)).Hypot(a_re, a_im);
    *im = nullptr;
    return;
  }
  if (b_re == nullptr) b_re = a_re, b_im = a_im;
  *re = FloatMath::LibraryFunction(ir, opcode, ir.Bits(ir.TypeOf(a_re)) == 32 ? C64 : C128,
                                   {a_re, a_im}, {b_re, b_im}, im);
}

}  // namespace xla::cpu
