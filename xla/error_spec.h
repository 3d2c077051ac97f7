// SPDX-License-Identifier: Apache-2.0
// ErrorSpec: the error bounds within which two floating-point results count as equal.
#ifndef XLA_ERROR_SPEC_H_
#define XLA_ERROR_SPEC_H_

#include <cstdint>

#include "xla/xla_data_enums.h"

namespace xla {

// An element is accepted if any of these holds, where `expected` is the reference:
//   |actual - expected| <= abs
//   |actual - expected| <= rel * |expected|
//   the values are at most `ulp` representable values apart (0 disables this criterion)
// An infinity matches only itself and a NaN matches any NaN, except as the flags say.
struct ErrorSpec {
  explicit constexpr ErrorSpec(double absolute, double relative = 0, bool relaxed = false)
      : abs(absolute), rel(relative), relaxed_nans(relaxed) {}
  static constexpr ErrorSpec Ulps(int64_t ulps) {
    ErrorSpec spec(0);
    spec.ulp = ulps;
    return spec;
  }

  double abs;
  double rel;
  int64_t ulp = 0;
  // The actual value may be anything where NaN is expected.
  bool relaxed_nans;
  // An infinity matches any finite value, and vice versa.
  bool more_infs_ok = false;
  bool fewer_infs_ok = false;
  // NaNs match whatever their bits are. False: their bits must be equal.
  bool all_nans_are_equivalent = true;

  // Counts steps between values rounded to a narrow type: an element outside the bounds above is
  // accepted if it is at most that many steps away.
  struct LowPrecisionFPErrorSpec {
    PrimitiveType type = PRIMITIVE_TYPE_INVALID;
    int within_n_values = -1;
  };
  LowPrecisionFPErrorSpec low_precision_fp_error_spec;
};

}  // namespace xla

#endif  // XLA_ERROR_SPEC_H_
