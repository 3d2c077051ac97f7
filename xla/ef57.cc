// SPDX-License-Identifier: Apache-2.0
#include "xla/ef57.h"

#include <cmath>

#include "xla/base/check.h"

namespace xla {

std::pair<float, float> SplitF64ToF32(double x) {
  const float hi = static_cast<float>(x);
  if (!std::isfinite(hi)) return {hi, 0.0f};
  // Exact before it is rounded to float, since hi is within a factor of two of x (Sterbenz).
  return {hi, static_cast<float>(x - static_cast<double>(hi))};
}

void ConvertF64ToEf57(absl::Span<const double> input, absl::Span<float> output) {
  XLA_CHECK(output.size() == 2 * input.size())
      << output.size() << " floats for " << input.size() << " doubles";
  for (size_t i = 0; i < input.size(); ++i) {
    const auto [hi, lo] = SplitF64ToF32(input[i]);
    output[2 * i] = hi;
    output[2 * i + 1] = lo;
  }
}

}  // namespace xla
