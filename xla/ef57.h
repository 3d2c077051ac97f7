// SPDX-License-Identifier: Apache-2.0
// Doubles as unevaluated sums of two floats ("df64": A. Thall, Extended-Precision Floating-Point
// Numbers for GPU Computation, 2006; after T. J. Dekker, 1971). 49 bits of the significand survive;
// the range is that of float.
#ifndef XLA_EF57_H_
#define XLA_EF57_H_

#include <utility>

#include "absl/types/span.h"

namespace xla {

// (hi, lo): hi is x rounded to float, lo the rest rounded to float; (inf, 0) where x overflows.
std::pair<float, float> SplitF64ToF32(double x);

// output[2 * i] and output[2 * i + 1] are hi and lo of input[i]. Precondition: the output has twice
// as many elements as the input.
void ConvertF64ToEf57(absl::Span<const double> input, absl::Span<float> output);

}  // namespace xla

#endif  // XLA_EF57_H_
