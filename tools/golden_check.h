// SPDX-License-Identifier: Apache-2.0
// Compares the results of a program with recorded ones.
#ifndef XYLEM_TOOLS_GOLDEN_CHECK_H_
#define XYLEM_TOOLS_GOLDEN_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/golden.h"
#include "tools/tolerance.h"
#include "xla/literal.h"

namespace xla {

struct CheckOutcome {
  bool passed = false;
  // Largest difference of a sample, relative to the array's largest element, and its limit: of the
  // output whose error is nearest to its limit, or farthest beyond it.
  double worst = 0, limit = 0;
  std::string detail;  // why it did not pass
};

// `errors` has an entry for each leaf of the result. INVALID_ARGUMENT if the shapes differ.
absl::StatusOr<CheckOutcome> CompareWithGolden(const Literal& result,
                                               absl::Span<const ExpectedError> errors,
                                               const Golden& golden);

// The arguments that golden.json describes.
absl::StatusOr<std::vector<Literal>> DrawArguments(const Golden& golden);

}  // namespace xla

#endif  // XYLEM_TOOLS_GOLDEN_CHECK_H_
