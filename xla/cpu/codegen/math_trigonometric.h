// SPDX-License-Identifier: Apache-2.0
// sin, cos and tan over a type of lanes (math_exp_log.h).
#ifndef XLA_CPU_CODEGEN_MATH_TRIGONOMETRIC_H_
#define XLA_CPU_CODEGEN_MATH_TRIGONOMETRIC_H_

#include "xla/cpu/codegen/math_exp_log.h"
#include "xla/cpu/codegen/math_pair.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::cpu::math {

// x = quadrant pi / 2 + (high + low), |high| <= pi / 4, for 0 <= x up to a bound.
template <class F, class I>
struct Reduced {
  F high, low;
  I quadrant;  // of which the last two bits count
};

// Where fused multiply-add rounds twice, multiples of parts of pi / 2 with so few bits that they
// are exact are subtracted instead.

// In f64, exact to 2^-60 of the quadrant for numbers below 2^30 that came from f32.
inline constexpr double kReducedF32 = 0x1p30;
template <class D>
auto ReduceF32(const D& x) {
  const auto n = RoundF64(x * Like(x, 0.63661977236758138));
  const D r = HasExactFma(x) ? Fma(n.number, Like(x, -6.123233995736766e-17),
                                   Fma(n.number, Like(x, -1.5707963267948966), x))
                             : ((x - n.number * Like(x, 1.5707962512969970703125)) -
                                n.number * Like(x, 7.54978941586159635335207e-8)) -
                                   n.number * Like(x, 5.390302858158119e-15);
  return Reduced<D, decltype(n.integer)>{r, Like(x, 0), n.integer};
}
// In f32, of numbers below 2^13: the first difference is exact, and so is the second if the second
// product is less than half of it.
inline constexpr double kReducedInF32 = 0x1p13, kLeastReducedInF32 = 0x1p-11;
template <class F>
auto ReduceInF32(const F& x) {
  const auto n = RoundF32(x * Like(x, 0.63661977236758138));
  const F first = Fma(n.number, Like(x, -1.57079637050628662109375), x);
  const F middle = Like(x, 4.371138828673792886547744274139404296875e-8);
  const F high = Fma(n.number, middle, first);
  const F low = Fma(n.number, Like(x, 1.7151245100058819e-15), Fma(n.number, middle, first - high));
  return Reduced<F, decltype(n.integer)>{high, low, n.integer};
}
// With the part of the remainder that one number cannot hold.
inline constexpr double kReducedF64 = 0x1p20;
template <class D>
auto ReduceF64(const D& x) {
  const auto n = RoundF64(x * Like(x, 0.63661977236758138));
  if (!HasExactFma(x)) {
    const Pair<D> first = SumInAnyOrder(x - n.number * Like(x, 1.57079632673412561416626),
                                        n.number * Like(x, -6.077100506303965976595549e-11));
    const Pair<D> second = SumInAnyOrder(first.high, n.number * Like(x, -2.022266248795951e-21));
    return Reduced<D, decltype(n.integer)>{second.high, second.low + first.low, n.integer};
  }
  const D first = Fma(n.number, Like(x, -1.5707963267948966), x);
  const D middle = Like(x, -6.123233995736766e-17);
  const D high = Fma(n.number, middle, first);
  const D low = Fma(n.number, Like(x, 1.4973849048591833e-33), Fma(n.number, middle, first - high));
  return Reduced<D, decltype(n.integer)>{high, low, n.integer};
}

template <class F, class I>
auto IsOdd(const I& quadrant, const F&) {
  return LikeInt(quadrant, 0) < (quadrant & LikeInt(quadrant, 1));
}

// sin of quadrant pi / 2 + r.
template <class F, class I>
F SinOfReducedF32(const F& r, const F& low, const I& quadrant) {
  const F z = SquareF32(r);
  const F s = Polynomial(z, {-0.1666665494358604, 0.0083321781423850964, -0.00019517298618677625});
  const F c = Polynomial(z, {0.041666646868538552, -0.0013887367613105758, 2.443846168512216e-5});
  const F sine = r + Fma(r * z, s, low);
  const F cosine = Like(r, 1) + Fma(z, Fma(z, c, Like(r, -0.5)), -(r * low));
  const F y = Select(IsOdd(quadrant, r), cosine, sine);
  return FromBits(Bits(y) ^ Shl(quadrant & LikeInt(quadrant, 2), 30));
}
// sin and cos of r + low as pairs.
template <class F>
struct SinCosPairs {
  Pair<F> sin, cos;
};
template <class F>
SinCosPairs<F> SinCosOfRestF64(const F& r, const F& low) {
  const F z = SquareF64(r);
  const F s =
      Polynomial(z, {-0.16666666666666632, 0.0083333333333224247, -0.0001984126982981695,
                     2.7557313695201252e-6, -2.5050758647029653e-8, 1.5896827478200912e-10});
  const F c =
      Polynomial(z, {0.0416666666666666, -0.0013888888888874139, 2.4801587289491934e-5,
                     -2.7557314355265984e-7, 2.0875723686751988e-9, -1.1359669940902088e-11});
  const F half = z * Like(r, 0.5);
  const F one = Like(r, 1);
  const F head = one - half;
  return {SumOf(r, Fma(r * z, s, low * head)),
          SumOf(head, ((one - head) - half) + Fma(z * z, c, -(r * low)))};
}
template <class F, class I>
F SinOfReducedF64(const F& r, const F& low, const I& quadrant) {
  const auto [sine, cosine] = SinCosOfRestF64(r, low);
  const F y = Select(IsOdd(quadrant, r), cosine.high, sine.high);
  return FromBits(Bits(y) ^ Shl(quadrant & LikeInt(quadrant, 2), 62));
}

// sin(|x| + turns pi / 2). Few numbers need f64, and fewer need the C library.
template <class F>
F SinOfSizeF32(const F& x, int64_t turns, HloOpcode opcode) {
  const F size = Abs(x);
  const auto near = ReduceInF32(size);
  const F y = SinOfReducedF32(near.high, near.low, near.quadrant + LikeInt(near.quadrant, turns));
  const auto is_inexact =
      HasExactFma(x) ? (size > Like(x, kReducedInF32)) |
                           ((Abs(near.high) < Like(x, kLeastReducedInF32)) & (size > Like(x, 1)))
                     : AllLanes(x);
  return WhereAny(is_inexact, y, [&] {
    const auto reduced = ReduceF32(Widen(size));
    const F r = Narrow(reduced.high);
    const auto quadrant = NarrowInt(reduced.quadrant);
    const F exact =
        SinOfReducedF32(r, Narrow(reduced.high - Widen(r)), quadrant + LikeInt(quadrant, turns));
    const auto is_far = (size > Like(x, kReducedF32)) & (size < Infinity(x));
    return PerLane(is_far, opcode, size, Select(is_inexact, exact, y));
  });
}
template <class F>
F SinF32(const F& x) {
  return FlipSign(SinOfSizeF32(x, 0, HloOpcode::kSin), x);
}
template <class F>
F CosF32(const F& x) {
  return SinOfSizeF32(x, 1, HloOpcode::kCos);
}
template <class F>
F SinF64(const F& x) {
  const F size = Abs(x);
  const auto reduced = ReduceF64(size);
  const F y = FlipSign(SinOfReducedF64(reduced.high, reduced.low, reduced.quadrant), x);
  return PerLane((size > Like(x, kReducedF64)) & (size < Infinity(x)), HloOpcode::kSin, x, y);
}
template <class F>
F CosF64(const F& x) {
  const F size = Abs(x);
  const auto reduced = ReduceF64(size);
  const F y =
      SinOfReducedF64(reduced.high, reduced.low, reduced.quadrant + LikeInt(reduced.quadrant, 1));
  return PerLane((size > Like(x, kReducedF64)) & (size < Infinity(x)), HloOpcode::kCos, x, y);
}

// In f64.
template <class F>
F TanF32(const F& x) {
  const F size = Abs(x);
  const auto reduced = ReduceF32(Widen(size));
  const auto& r = reduced.high;
  const auto z = r * r;
  const auto t =
      Fma(r * z,
          Polynomial(z, {0.33333333478275037, 0.13333324164053817, 0.053970246735768093,
                         0.021848347796462553, 0.0089891827175175475, 0.0031444865354717656,
                         0.0024147503978317231, -0.0005940872475189833, 0.00095877997333339984}),
          r);
  const F y = Select(IsOdd(NarrowInt(reduced.quadrant), x), Narrow(Like(r, -1) / t), Narrow(t));
  return PerLane((size > Like(x, kReducedF32)) & (size < Infinity(x)), HloOpcode::kTan, x,
                 FlipSign(y, x));
}

// sin / cos or -cos / sin.
template <class F>
F TanF64(const F& x) {
  const F size = Abs(x);
  const auto reduced = ReduceF64(size);
  const auto [sine, cosine] = SinCosOfRestF64(reduced.high, reduced.low);
  const auto is_odd = IsOdd(reduced.quadrant, x);
  const auto [high, low] = QuotientOf(
      Pair<F>{Select(is_odd, -cosine.high, sine.high), Select(is_odd, -cosine.low, sine.low)},
      Pair<F>{Select(is_odd, sine.high, cosine.high), Select(is_odd, sine.low, cosine.low)});
  return PerLane((size > Like(x, kReducedF64)) & (size < Infinity(x)), HloOpcode::kTan, x,
                 FlipSign(high + low, x));
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_TRIGONOMETRIC_H_
