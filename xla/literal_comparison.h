// SPDX-License-Identifier: Apache-2.0
// Comparison of results with expected values. Returns OK, or an InvalidArgument status that says
// where and by how much they differ.
#ifndef XLA_LITERAL_COMPARISON_H_
#define XLA_LITERAL_COMPARISON_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "xla/error_spec.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {
namespace literal_comparison {

// Equal element types, dimensions and tuple structure; layouts may differ.
absl::Status EqualShapes(const Shape& expected, const Shape& actual);
// Equal dynamic sizes too.
absl::Status EqualDynamicShapesAndDimensions(const LiteralSlice& expected,
                                             const LiteralSlice& actual);

// How many elements have errors of at least 0.0001, 0.001, 0.01, 0.1 and 1.
struct ErrorBuckets {
  explicit ErrorBuckets(const std::vector<int64_t>& absolute = {},
                        const std::vector<int64_t>& relative = {})
      : abs_error_buckets(absolute), rel_error_buckets(relative) {}
  const std::vector<int64_t> abs_error_buckets;
  const std::vector<int64_t> rel_error_buckets;
};

// Called for each tuple leaf with differences; `mismatches` has a PRED for each element.
using MiscompareCallback = std::function<void(
    const LiteralSlice& expected, const LiteralSlice& actual, const LiteralSlice& mismatches,
    const ShapeIndex& shape_index, const ErrorBuckets& error_buckets)>;

// Every element has the same bits. The message gives the first element that differs and the number
// of those that do.
absl::Status Equal(const LiteralSlice& expected, const LiteralSlice& actual,
                   const MiscompareCallback& miscompare_callback = nullptr);

// Every floating-point or complex element is within the bounds of ErrorSpec; elements of other
// types are equal. For each leaf that exceeds them, the message gives the number of such elements,
// those with the greatest absolute and relative error (index, expected and actual value, errors),
// and the first few. detailed_message adds a histogram of the errors.
absl::Status Near(const LiteralSlice& expected, const LiteralSlice& actual, const ErrorSpec& error,
                  std::optional<bool> detailed_message = std::nullopt,
                  const MiscompareCallback& miscompare_callback = nullptr);

// The literal's text, or its shape where that would be long.
std::string ToStringTruncated(const LiteralSlice& literal);

}  // namespace literal_comparison
}  // namespace xla

#endif  // XLA_LITERAL_COMPARISON_H_
