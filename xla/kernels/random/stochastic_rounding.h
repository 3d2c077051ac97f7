// SPDX-License-Identifier: Apache-2.0
// stochastic-convert of one number: rounded up or down at random, in proportion to how near it is.
#ifndef XLA_KERNELS_RANDOM_STOCHASTIC_ROUNDING_H_
#define XLA_KERNELS_RANDOM_STOCHASTIC_ROUNDING_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace xla::kernels {

// Whether a fraction below 1 rounds up: when it, as an unsigned integer of the random number's
// width, is larger than the random number. (A double's 53 bits hold it as far as they go.)
template <typename Random>
bool RoundsUp(double fraction, Random random, int random_bits) {
  return random < static_cast<Random>(std::ldexp(fraction, random_bits));
}

// Rounds to an integer in [low, high]; `least` and `greatest` are the bounds as doubles. NaN
// becomes 0.
template <typename Int, typename Random>
Int StochasticInteger(double value, Random random, int random_bits, Int low, Int high, double least,
                      double greatest) {
  if (!(value > least && value < greatest)) {
    return value != value ? Int{0} : value <= least ? low : high;
  }
  const double magnitude = std::fabs(value);
  const double whole = std::trunc(magnitude);
  double rounded = whole;
  if (RoundsUp(magnitude - whole, random, random_bits)) rounded += 1;
  if (value < 0) rounded = -rounded;
  return rounded <= least ? low : rounded >= greatest ? high : static_cast<Int>(rounded);
}

// Rounds to a floating-point type with this many mantissa bits, whose smallest normal number is
// 2^smallest_exponent: to one of the neighbors of the value in that type, as if its range were not
// bounded above.
template <typename Random>
double StochasticFloat(double value, Random random, int random_bits, int mantissa,
                       int smallest_exponent) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double magnitude = std::fabs(value);
  const int step = std::max(std::ilogb(magnitude), smallest_exponent) - mantissa;  // its logarithm
  const double steps = std::ldexp(magnitude, -step);
  double whole = std::trunc(steps);
  if (RoundsUp(steps - whole, random, random_bits)) whole += 1;
  return std::copysign(std::ldexp(whole, step), value);
}

}  // namespace xla::kernels

#endif  // XLA_KERNELS_RANDOM_STOCHASTIC_ROUNDING_H_
