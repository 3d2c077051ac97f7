// SPDX-License-Identifier: Apache-2.0
// ErrorSpec: how far two floating-point results may be apart and still count as equal.
#ifndef XLA_ERROR_SPEC_H_
#define XLA_ERROR_SPEC_H_

#include <cstdint>

namespace xla {

// An element is near enough if any of these holds, `expected` being the reference:
//   |actual - expected| <= abs
//   |actual - expected| <= rel * |expected|
//   at most `ulp` values of the element type lie from one to the other (0 turns this off)
// An infinity is near only to itself, a NaN to any NaN, except as the flags say.
struct ErrorSpec {
  explicit ErrorSpec(double absolute, double relative = 0, bool relaxed = false)
      : abs(absolute), rel(relative), relaxed_nans(relaxed) {}
  static ErrorSpec Ulps(int64_t ulps) {
    ErrorSpec spec(0);
    spec.ulp = ulps;
    return spec;
  }

  double abs;
  double rel;
  int64_t ulp = 0;
  // The actual value may be anything where NaN is expected.
  bool relaxed_nans;
  // Infinity in the actual value is near to any finite value; and the reverse.
  bool more_infs_ok = false;
  bool fewer_infs_ok = false;
};

}  // namespace xla

#endif  // XLA_ERROR_SPEC_H_
