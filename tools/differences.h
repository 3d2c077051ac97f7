// SPDX-License-Identifier: Apache-2.0
// Where two values of the same shape differ by more than rounding explains.
#ifndef XYLEM_TOOLS_DIFFERENCES_H_
#define XYLEM_TOOLS_DIFFERENCES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/tolerance.h"
#include "xla/literal.h"
#include "xla/types.h"

namespace xla {

// The distance of two numbers. Two NaNs have none, whatever their signs and payloads; a complex
// number is NaN if one of its parts is. NaN is infinitely far from numbers, and an infinity from
// all but itself.
double DistanceOf(complex128 a, complex128 b);

// Where two arrays differ most.
struct Difference {
  size_t leaf = 0;             // of a tuple
  std::vector<int64_t> index;  // empty as well where sizes differ
  std::string first, second;
  double error = 0;  // relative to the largest element; infinite for values of another kind

  // "at [1,2]: compiled 1.5, interpreted 2, 0.25 of the largest element", with names of both sides.
  std::string ToString(const std::string& first_name, const std::string& second_name) const;
};

// Of arrays of the same type and bounds, by more than `limit`, relative to the largest element of
// `second`. Integers and predicates are compared exactly.
std::optional<Difference> FindDifference(const LiteralSlice& first, const LiteralSlice& second,
                                         double limit);

// The same of all arrays of two values of one shape; `errors` has an entry for each leaf. The first
// leaf that differs counts. INVALID_ARGUMENT if the shapes differ.
absl::StatusOr<std::optional<Difference>> FindDifference(const Literal& first,
                                                         const Literal& second,
                                                         absl::Span<const ExpectedError> errors);

}  // namespace xla

#endif  // XYLEM_TOOLS_DIFFERENCES_H_
