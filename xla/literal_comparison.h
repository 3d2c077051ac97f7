// SPDX-License-Identifier: Apache-2.0
// Comparison of results with expected values. Returns OK, or an InvalidArgument status that says
// where and by how much they differ.
#ifndef XLA_LITERAL_COMPARISON_H_
#define XLA_LITERAL_COMPARISON_H_

#include <optional>

#include "absl/functional/function_ref.h"
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

// Every element has the same bits. The message gives the first element that differs and the number
// of those that do.
absl::Status Equal(const LiteralSlice& expected, const LiteralSlice& actual);

// Called for each tuple leaf that exceeds the bounds.
using MiscompareCallback = absl::FunctionRef<void(
    const LiteralSlice& expected, const LiteralSlice& actual, const ShapeIndex& shape_index)>;

// Every floating-point or complex element is within the bounds of ErrorSpec; elements of other
// types are equal. For each leaf that exceeds them, the message gives the number of such elements,
// those with the greatest absolute and relative error (index, expected and actual value, errors),
// and the first few. detailed_message adds a histogram of the errors.
absl::Status Near(const LiteralSlice& expected, const LiteralSlice& actual, const ErrorSpec& error,
                  std::optional<bool> detailed_message = std::nullopt);
absl::Status Near(const LiteralSlice& expected, const LiteralSlice& actual, const ErrorSpec& error,
                  std::optional<bool> detailed_message, MiscompareCallback miscompare_callback);

}  // namespace literal_comparison
}  // namespace xla

#endif  // XLA_LITERAL_COMPARISON_H_
