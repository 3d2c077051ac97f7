// SPDX-License-Identifier: Apache-2.0
// MathUtil: integer and power functions of XLA's platform library.
#ifndef XLA_TSL_LIB_MATH_MATH_UTIL_H_
#define XLA_TSL_LIB_MATH_MATH_UTIL_H_

#include "xla/util.h"

namespace tsl {

class MathUtil {
 public:
  template <typename T>
  static constexpr T CeilOfRatio(T numerator, T denominator) {
    const T floor = FloorOfRatio(numerator, denominator);
    return floor * denominator == numerator ? floor : floor + 1;
  }
  template <typename T>
  static constexpr T FloorOfRatio(T numerator, T denominator) {
    return xla::FloorOfRatio(numerator, denominator);
  }
  template <typename T>
  static constexpr T IPow(T base, int exponent) {
    return xla::IPow(base, exponent);
  }
  template <typename T>
  static constexpr T GCD(T a, T b) {
    while (b != 0) {
      const T rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
};

}  // namespace tsl

#endif  // XLA_TSL_LIB_MATH_MATH_UTIL_H_
