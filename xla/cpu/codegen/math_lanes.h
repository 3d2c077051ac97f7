// SPDX-License-Identifier: Apache-2.0
// The type of lanes of math_*.h (math_exp_log.h) in generated code: values that are scalars or
// vectors.
#ifndef XLA_CPU_CODEGEN_MATH_LANES_H_
#define XLA_CPU_CODEGEN_MATH_LANES_H_

#include <cstdint>
#include <initializer_list>

#include "xla/cpu/codegen/ir.h"
#include "xla/cpu/codegen/math_exp_log.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/xla_data_enums.h"

namespace xla::cpu {

// Calls XlaCpuFunction on vectors in memory; of complex numbers with both parts.
IrValue CallFunctionOfVectors(Ir& ir, HloOpcode opcode, PrimitiveType type,
                              std::initializer_list<IrValue> a, std::initializer_list<IrValue> b,
                              IrValue* im = nullptr);

namespace math {

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
  friend Mask operator<=(Floats a, Floats b) { return a.Compare(LLVMRealOLE, b); }
  friend Mask operator>(Floats a, Floats b) { return a.Compare(LLVMRealOGT, b); }
  friend Mask operator>=(Floats a, Floats b) { return a.Compare(LLVMRealOGE, b); }
  friend Mask operator==(Floats a, Floats b) { return a.Compare(LLVMRealOEQ, b); }
  friend Mask operator!=(Floats a, Floats b) { return a.Compare(LLVMRealUNE, b); }
};

inline Floats Like(Floats x, double value) { return {x.ir, x.ir->Const(x.ir->TypeOf(x.v), value)}; }
inline Ints LikeInt(Ints x, int64_t value) { return {x.ir, x.ir->Const(x.ir->TypeOf(x.v), value)}; }
inline Floats Fma(Floats a, Floats b, Floats c) { return {a.ir, a.ir->Fma(a.v, b.v, c.v)}; }
inline bool HasExactFma(Floats x) { return x.ir->HasFma(); }
inline bool UnderflowsSlowly(Floats x) { return x.ir->UnderflowsSlowly(); }
inline Floats Abs(Floats x) { return {x.ir, x.ir->Unary("llvm.fabs", x.v)}; }
inline Floats Sqrt(Floats x) { return {x.ir, x.ir->Unary("llvm.sqrt", x.v)}; }
inline Floats RoundEven(Floats x) { return {x.ir, x.ir->Unary("llvm.rint", x.v)}; }
inline Floats Truncate(Floats x) { return {x.ir, x.ir->Unary("llvm.trunc", x.v)}; }
inline Floats CopySign(Floats magnitude, Floats sign) {
  return {sign.ir, sign.ir->Binary("llvm.copysign", magnitude.v, sign.v)};
}
inline Floats Select(Mask condition, Floats a, Floats b) {
  return {a.ir, a.ir->Select(condition.v, a.v, b.v)};
}
inline Ints Bits(Floats x) { return {x.ir, x.ir->BitCast(x.v, x.ir->IntsLike(x.ir->TypeOf(x.v)))}; }
inline IrType FloatsAsWideAs(Ir& ir, IrValue v, bool twice) {
  const IrType type = ir.TypeOf(v);
  return ir.WithElement(type, (ir.Bits(type) == 64) != twice ? ir.F64() : ir.F32());
}
inline Floats FromBits(Ints x) {
  return {x.ir, x.ir->BitCast(x.v, FloatsAsWideAs(*x.ir, x.v, false))};
}
inline Floats ToFloat(Ints x) {
  return {x.ir, x.ir->SIToFP(x.v, FloatsAsWideAs(*x.ir, x.v, false))};
}
inline Ints Shl(Ints x, int bits) { return {x.ir, x.ir->Shl(x.v, LikeInt(x, bits).v)}; }
inline Ints Shr(Ints x, int bits) { return {x.ir, x.ir->AShr(x.v, LikeInt(x, bits).v)}; }
inline Floats Widen(Floats x) {
  return {x.ir, x.ir->FPExt(x.v, x.ir->WithElement(x.ir->TypeOf(x.v), x.ir->F64()))};
}
inline Floats Narrow(Floats x) {
  return {x.ir, x.ir->FPTrunc(x.v, x.ir->WithElement(x.ir->TypeOf(x.v), x.ir->F32()))};
}
inline Ints NarrowInt(Ints x) {
  return {x.ir, x.ir->Trunc(x.v, x.ir->WithElement(x.ir->TypeOf(x.v), x.ir->I32()))};
}
inline constexpr char kAnyLane[] = "llvm.vector.reduce.or", kAllLanes[] = "llvm.vector.reduce.and";
inline IrValue OfLanes(Ir& ir, const char* reduction, Mask mask) {
  if (ir.Lanes(mask.v) == 1) return mask.v;
  return ir.Intrinsic(reduction, {ir.TypeOf(mask.v)}, {mask.v});
}
template <class Then>
inline Floats WhereAny(Mask where, Floats otherwise, Then then) {
  Ir& ir = *otherwise.ir;
  return {&ir, ir.If(
                   OfLanes(ir, kAnyLane, where), [&] { return Ir::Carried{then().v}; },
                   [&] { return Ir::Carried{otherwise.v}; })[0]};
}
inline Floats PerLane(Mask where, HloOpcode opcode, Floats x, Floats y, Floats otherwise) {
  Ir& ir = *x.ir;
  const PrimitiveType type = ir.Bits(ir.TypeOf(x.v)) == 32 ? F32 : F64;
  const IrValue any = OfLanes(ir, kAnyLane, where);
  // Few numbers need the library. The other lanes are NaN, which takes it the least time.
  const auto far = [&] {
    const IrValue library = CallFunctionOfVectors(ir, opcode, type, {Select(where, x, NaN(x)).v},
                                                  {Select(where, y, NaN(y)).v});
    return Ir::Carried{ir.Select(where.v, library, otherwise.v)};
  };
  return {&ir, ir.If(any, far, [&] { return Ir::Carried{otherwise.v}; })[0]};
}

inline Floats PerLane(Mask where, HloOpcode opcode, Floats x, Floats otherwise) {
  return PerLane(where, opcode, x, x, otherwise);
}

inline Floats Scale(const Floats& x, const Floats& n) {
  return {x.ir, x.ir->Avx512Binary("scalef", x.v, n.v)};
}
inline bool CanScale(const Floats& x) { return x.ir->HasAvx512Binary(x.ir->TypeOf(x.v)); }
inline Floats ScaleF32(const Floats& x, const Rounded<Floats, Ints>& n) {
  return CanScale(x) ? Scale(x, n.number) : ScaleF32<Floats, Ints>(x, n);
}
inline Floats ScaleF64(const Floats& x, const Rounded<Floats, Ints>& n) {
  return CanScale(x) ? Scale(x, n.number) : ScaleF64<Floats, Ints>(x, n);
}

// 1/sqrt(x) of f32 from an estimate y, which takes half the time of a root and a division or less.
// With e = 1 - x y^2 it is y / sqrt(1 - e), of which three terms are enough.
inline Floats RsqrtF32(const Floats& x) {
  const Floats one = Like(x, 1);
  // Estimates take subnormal numbers for zeros.
  const Mask is_small = x < Like(x, 0x1p-126);
  const Floats scaled = Select(is_small, x * Like(x, 0x1p24), x);
  const Floats y = {x.ir, x.ir->RsqrtEstimate(scaled.v)};
  const Floats root = scaled * y;
  const Floats e = Fma(-Fma(scaled, y, -root), y, Fma(-root, y, one));
  const Floats refined = Fma(y * e, Fma(e, Like(x, 0.375), Like(x, 0.5)), y);
  return Select((x > Like(x, 0)) & (x < Infinity(x)),
                refined * Select(is_small, Like(x, 0x1p12), one), y);
}

}  // namespace math
}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_MATH_LANES_H_
