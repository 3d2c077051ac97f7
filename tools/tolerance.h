// SPDX-License-Identifier: Apache-2.0
// How far the results of two correct implementations of a program may differ.
//
// Rounding errors are followed through the program as independent random variables, relative to the
// largest element of each array. With u the unit roundoff of the type that an operation computes
// in, it contributes:
//
//   exact operations (data movement, integers, comparisons, negation..)     nothing
//   one correctly rounded operation (add, multiply, divide..)               u
//     of exact operands, unless a compiler may fuse a product into it       nothing
//   a function of at most 2 ulp (exp, tanh..)                               4 u
//   a sum of n terms in any order                                           u sqrt(n) / 4
//   a Fourier transform of n points                                         u sqrt(log2 n)
//
// Contributions along a path add as squares: k equal layers have sqrt(k) times the error of one. A
// sum of n terms, computed in p partial sums, is off by about 0.3 u sqrt(n / p) if its terms have
// random signs and 0.9 u sqrt(n / p) if they are positive, for the worst of a hundred samples: the
// rule covers one accumulator for the former and eight for the latter. Two implementations differ
// by sqrt(2) times the error of one.
//
// Errors of operands often have the same origin, so the worst counts; a sum of two inexact arrays
// has the mean of their variances, a square root half the error of its operand.
//
// A loop that feeds sums back into themselves may amplify errors with each trip: what a trip
// contributes counts trips^2 / 2 times. Other loops forget errors of more than 16 trips ago.
#ifndef XYLEM_TOOLS_TOLERANCE_H_
#define XYLEM_TOOLS_TOLERANCE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/xla_data_enums.h"

namespace xla {

// The likely error of an array, relative to its largest element. Squares, since errors add so.
struct ExpectedError {
  double wide = 0;    // variance of errors of f32 and wider
  double narrow = 0;  // variance of roundings to f16, bf16 and below

  bool exact() const { return wide == 0 && narrow == 0; }
  // Of the worst element. At least one unit in the last place, unless the array is exact.
  double OfElements(PrimitiveType type) const;
  // Of the sum of `count` elements: roundings to narrow types are independent and average out.
  double OfSum(int64_t count) const;
};

// For each leaf of the entry computation's result, in order. Integers and booleans have an error if
// inexact numbers decide them (an escape time, the nearest of some points).
absl::StatusOr<std::vector<ExpectedError>> ExpectedErrors(const HloModule& module);

// The unit roundoff of a floating-point or complex type; 0 for others.
double UnitRoundoff(PrimitiveType type);

}  // namespace xla

#endif  // XYLEM_TOOLS_TOLERANCE_H_
