// SPDX-License-Identifier: Apache-2.0
// Utilities of all rooms: integer rounding, and constructors of absl::Status from a format or from
// pieces.
//
//   return InvalidArgument("operand %d has rank %d, expected %d", i, rank, 2);
//   return InvalidArgumentStrCat("unknown opcode: ", name);
#ifndef XLA_UTIL_H_
#define XLA_UTIL_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "xla/base/dimension_vector.h"  // IWYU pragma: export

namespace xla {

// The smallest integer at least `dividend` / `divisor`, for non-negative dividend and positive
// divisor. Cannot overflow.
template <typename T>
constexpr T CeilOfRatio(T dividend, T divisor) {
  static_assert(std::is_integral_v<T>);
  return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

// The smallest multiple of `divisor` that is at least `value`; value >= 0, divisor > 0.
// Precondition: the result fits in T.
template <typename T>
constexpr T RoundUpTo(T value, T divisor) {
  return CeilOfRatio(value, divisor) * divisor;
}

// The greatest multiple of `divisor` that is at most `value`; value >= 0, divisor > 0.
template <typename T>
constexpr T RoundDownTo(T value, T divisor) {
  return value / divisor * divisor;
}

// "[2,3,4]", as lists of dimensions appear in error messages.
std::string DimensionsToString(absl::Span<const int64_t> dimensions);

template <typename... Args>
absl::Status InvalidArgument(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::InvalidArgumentError(absl::StrFormat(format, args...));
}
template <typename... Args>
absl::Status Unimplemented(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::UnimplementedError(absl::StrFormat(format, args...));
}
template <typename... Args>
absl::Status FailedPrecondition(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::FailedPreconditionError(absl::StrFormat(format, args...));
}
template <typename... Args>
absl::Status NotFound(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::NotFoundError(absl::StrFormat(format, args...));
}
template <typename... Args>
absl::Status ResourceExhausted(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::ResourceExhaustedError(absl::StrFormat(format, args...));
}
template <typename... Args>
absl::Status Internal(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::InternalError(absl::StrFormat(format, args...));
}

template <typename... Args>
absl::Status InvalidArgumentStrCat(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status UnimplementedStrCat(const Args&... args) {
  return absl::UnimplementedError(absl::StrCat(args...));
}
template <typename... Args>
absl::Status InternalStrCat(const Args&... args) {
  return absl::InternalError(absl::StrCat(args...));
}

// `status` with `context` put before its message: "while parsing x: <message>".
absl::Status AddContext(const absl::Status& status, absl::string_view context);

// Splits the dimension lists a and b into the finest groups of consecutive dimensions with equal
// products: the result holds pairs (i, j) such that product(a[i_k..i_k+1)) == product(b[j_k..)),
// starting with (0, 0) and ending with (a.size(), b.size()). A reshape from a to
// b decomposes into these groups. Precondition: a and b have equal products. With zero-sized
// dimensions the result holds only the two ends, since any grouping would be valid.
absl::InlinedVector<std::pair<int64_t, int64_t>, 8> CommonFactors(absl::Span<const int64_t> a,
                                                                  absl::Span<const int64_t> b);

}  // namespace xla

#endif  // XLA_UTIL_H_
