// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/constant_divisor.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/numeric/int128.h"
#include "xla/cpu/codegen/math_lanes.h"

namespace xla::cpu {
namespace {

constexpr int kGreatestExponent = 64;

// The sum of high and low differs from 1 / divisor by less than 2^(1 - 2 p) of it, where p is the
// number of digits, and so does the result before it is rounded. The quotient of numbers of p
// digits X and C lies (n / 2C) units in the last place from the middle of two numbers, with an
// integer n: results are correct where |n| is larger than this.
constexpr int kGreatestRemainder = 8;

// Whether fma(x, high, x * low) == x / c for each x of p digits whose quotient lies within
// kGreatestRemainder of the middle between two numbers; c is in [1, 2). The middle of two numbers
// below and above X 2^s / C is m / 2, with an odd m, and X 2^(s + 1) = m C + n: for each n, the
// residues of m modulo 2^(s + 1) are known.
template <class Real>
bool IsExactNearMiddles(Real c, Real high, Real low) {
  constexpr int kDigits = std::numeric_limits<Real>::digits;
  const auto divisor = static_cast<uint64_t>(std::ldexp(c, kDigits - 1));
  int zeros = 0;
  while ((divisor >> zeros) % 2 == 0) ++zeros;
  const uint64_t odd = divisor >> zeros;
  uint64_t inverse = odd;  // modulo 2^64; each step doubles its correct digits
  for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
  for (const int shift : {kDigits, kDigits + 1}) {
    const uint64_t period = uint64_t{1} << (shift - zeros);
    for (int64_t n = -kGreatestRemainder; n <= kGreatestRemainder; ++n) {
      if (n == 0 || n % (int64_t{1} << zeros) != 0) continue;
      const uint64_t residue = (-static_cast<uint64_t>(n >> zeros) * inverse) & (period - 1);
      const uint64_t least = uint64_t{1} << kDigits;
      for (uint64_t m = least + ((residue - least) & (period - 1)); m < 2 * least; m += period) {
        const absl::uint128 product = absl::uint128(m) * divisor + absl::uint128(absl::int128(n));
        const uint64_t x = static_cast<uint64_t>(product >> shift);
        if (m % 2 == 0 || x < least / 2 || x >= least) continue;
        const Real dividend = static_cast<Real>(x);
        if (std::fma(dividend, high, dividend * low) != dividend / c) return false;
      }
    }
  }
  return true;
}

template <class Real>
IrValue QuotientByPair(Ir& ir, IrValue a, IrValue b, const ReciprocalPair<Real>& pair,
                       bool is_integral) {
  const IrType type = ir.TypeOf(a);
  const IrValue quotient =
      ir.Fma(a, ir.Const(type, pair.high), ir.FMul(a, ir.Const(type, pair.low)));
  if (is_integral) return quotient;
  const IrValue size = ir.Unary("llvm.fabs", a);
  const IrValue is_tiny = ir.And(ir.FCmp(LLVMRealOLT, size, ir.Const(type, pair.least)),
                                 ir.FCmp(LLVMRealOGT, size, ir.Const(type, 0.0)));
  return math::WhereAny(math::Mask{&ir, is_tiny}, math::Floats{&ir, quotient},
                        [&] {
                          return math::Floats{&ir, ir.FDiv(a, b)};
                        })
      .v;
}

}  // namespace

template <class Real>
std::optional<ReciprocalPair<Real>> FindReciprocalPair(Real divisor) {
  using Limits = std::numeric_limits<Real>;
  if (!std::isnormal(divisor)) return std::nullopt;
  int exponent = 0;
  const Real c = 2 * std::frexp(std::abs(divisor), &exponent);
  if (c == 1 || std::abs(exponent) > kGreatestExponent) return std::nullopt;
  // Rounded towards zero, so that both have one sign: a zero keeps its sign, and infinities are
  // not subtracted.
  Real high = 1 / c;
  if (std::fma(-high, c, Real{1}) < 0) high = std::nextafter(high, Real{0});
  const Real low = std::fma(-high, c, Real{1}) / c;
  if (!IsExactNearMiddles(c, high, low)) return std::nullopt;
  const Real scale = std::copysign(std::ldexp(Real{1}, 1 - exponent), divisor);
  // No number on the way is below the smallest normal number, whose digits may be flushed to zero.
  const int least = Limits::min_exponent - 1 + 2 * Limits::digits + 4 + exponent;
  return ReciprocalPair<Real>{high * scale, low * scale, std::ldexp(Real{1}, least)};
}

template std::optional<ReciprocalPair<float>> FindReciprocalPair(float divisor);
template std::optional<ReciprocalPair<double>> FindReciprocalPair(double divisor);

IrValue EmitQuotient(Ir& ir, IrValue a, IrValue b, bool is_integral) {
  double divisor = 0;
  if (ir.Lanes(a) > 1 && ir.target().machine.fma && ir.IsConst(b, &divisor)) {
    if (ir.Bits(ir.TypeOf(a)) == 32) {
      const auto pair = FindReciprocalPair(static_cast<float>(divisor));
      if (pair.has_value()) return QuotientByPair(ir, a, b, *pair, is_integral);
    } else if (ir.Bits(ir.TypeOf(a)) == 64) {
      const auto pair = FindReciprocalPair(divisor);
      if (pair.has_value()) return QuotientByPair(ir, a, b, *pair, is_integral);
    }
  }
  return ir.FDiv(a, b);
}

}  // namespace xla::cpu
