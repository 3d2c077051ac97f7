// SPDX-License-Identifier: Apache-2.0
// Utilities of all rooms: integer rounding, and constructors of absl::Status from a format or from
// pieces.
//
//   return InvalidArgument("operand %d has rank %d, expected %d", i, rank, 2);
//   return InvalidArgumentStrCat("unknown opcode: ", name);
#ifndef XLA_UTIL_H_
#define XLA_UTIL_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "xla/base/dimension_vector.h"  // IWYU pragma: export
#include "xla/fp_bits.h"                // IWYU pragma: export

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace xla {

class HloInstruction;
class HloModule;
using HloPredicate = std::function<bool(const HloInstruction*)>;
using HloModulePredicate = std::function<bool(const HloModule*)>;

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

template <typename T>
constexpr T FloorOfRatio(T dividend, T divisor) {
  return dividend / divisor -
         ((dividend % divisor != 0 && (dividend < 0) != (divisor < 0)) ? 1 : 0);
}
template <typename T>
struct DivMod {
  T quotient;
  T modulo;
};
// The quotient rounded down, and what remains.
template <typename T>
constexpr DivMod<T> FloorDivMod(T dividend, T divisor) {
  const T quotient = FloorOfRatio(dividend, divisor);
  return {quotient, static_cast<T>(dividend - quotient * divisor)};
}

// ---- Bits of unsigned integers ----

// The low `width` bits set.
template <typename T>
constexpr T LsbMask(int width) {
  static_assert(std::is_unsigned_v<T>);
  return width == 0
             ? T(0)
             : static_cast<T>(static_cast<T>(-1) >> (std::numeric_limits<T>::digits - width));
}
template <typename T>
constexpr T KeepLowerBits(T value, int width) {
  return static_cast<T>(value & LsbMask<T>(width));
}
// -1 for 0.
template <typename T>
constexpr int Log2Floor(T x) {
  static_assert(std::is_unsigned_v<T>);
  return static_cast<int>(std::bit_width(x)) - 1;
}
template <typename T>
constexpr int Log2Ceiling(T x) {
  static_assert(std::is_unsigned_v<T>);
  return x == 0 ? -1 : static_cast<int>(std::bit_width(static_cast<T>(x - 1)));
}
template <typename T>
constexpr int CountLeadingSignBits(T x) {
  using Unsigned = std::make_unsigned_t<T>;
  const Unsigned bits = static_cast<Unsigned>(x);
  return x < 0 ? std::countl_one(bits) : std::countl_zero(bits);
}
constexpr bool IsPowerOf2(uint64_t x) { return std::has_single_bit(x); }

// base to a whole exponent; a negative one gives the reciprocal.
template <typename T, typename Exponent>
constexpr T IPow(T base, Exponent exponent) {
  static_assert(std::numeric_limits<Exponent>::is_integer);
  const bool reciprocal = exponent < 0;
  T result(1);
  while (true) {
    if ((exponent & 1) != 0) result *= base;
    exponent /= 2;
    if (exponent == 0) break;
    base *= base;
  }
  return reciprocal ? static_cast<T>(T(1) / result) : result;
}

// The integers as large as a type.
template <size_t kBytes>
struct UnsignedIntegerTypeForSize;
template <>
struct UnsignedIntegerTypeForSize<1> {
  using type = uint8_t;
};
template <>
struct UnsignedIntegerTypeForSize<2> {
  using type = uint16_t;
};
template <>
struct UnsignedIntegerTypeForSize<4> {
  using type = uint32_t;
};
template <>
struct UnsignedIntegerTypeForSize<8> {
  using type = uint64_t;
};
template <size_t kBytes>
using UnsignedIntegerTypeForSizeType = typename UnsignedIntegerTypeForSize<kBytes>::type;
template <size_t kBytes>
using SignedIntegerTypeForSizeType = std::make_signed_t<UnsignedIntegerTypeForSizeType<kBytes>>;

// ---- Sequences ----

int64_t Product(absl::Span<const int64_t> xs);
template <typename T>
T Product(absl::Span<const T> xs) {
  T product(1);
  for (const T& x : xs) product *= x;
  return product;
}
std::vector<int64_t> ElemwiseProduct(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

template <typename Container1, typename Container2>
bool ContainersEqual(const Container1& a, const Container2& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <typename Container1, typename T>
bool ContainersEqual(const Container1& a, std::initializer_list<T> b) {
  return std::equal(std::begin(a), std::end(a), b.begin(), b.end());
}
template <typename Container1, typename Container2, typename Predicate>
bool ContainersEqual(const Container1& a, const Container2& b, Predicate equal) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), equal);
}
// Sets all elements to `value`.
template <typename C, typename V>
void c_fill(C& container, const V& value) {
  std::fill(std::begin(container), std::end(container), value);
}
// The position of the first element that equals `value`; the size if there is none.
template <typename C, typename Value>
int64_t FindIndex(const C& c, Value&& value) {
  return std::distance(std::begin(c), std::find(std::begin(c), std::end(c), value));
}
template <typename C, typename Value>
void InsertAt(C* c, int64_t index, Value&& value) {
  c->insert(c->begin() + index, std::forward<Value>(value));
}
template <typename C>
void EraseAt(C* c, int64_t index) {
  c->erase(c->begin() + index);
}
// Removes the first element that equals `value`; whether there was one.
template <typename Container, typename T>
bool EraseElementFromVector(Container* container, const T& value) {
  const auto it = std::find(container->begin(), container->end(), value);
  if (it == container->end()) return false;
  container->erase(it);
  return true;
}
// The elements at positions other than these, which ascend.
template <typename T>
T RemoveElements(absl::Span<const int64_t> sorted_ids_to_remove, const T& container) {
  T result;
  auto next = sorted_ids_to_remove.begin();
  for (int64_t i = 0; i < static_cast<int64_t>(container.size()); ++i) {
    if (next != sorted_ids_to_remove.end() && *next == i) {
      ++next;
    } else {
      result.push_back(container[i]);
    }
  }
  return result;
}
template <typename T>
std::vector<T> SpanToVector(absl::Span<const T> span) {
  return std::vector<T>(span.begin(), span.end());
}
template <typename T, size_t N>
std::vector<T> InlinedVectorToVector(const absl::InlinedVector<T, N>& vector) {
  return std::vector<T>(vector.begin(), vector.end());
}
template <typename T>
bool IsInt32(T x) {
  return static_cast<int32_t>(x) == x;
}
// Whether the numbers, distinct, have no gaps: {5, 7, 6}.
bool DistinctNumbersAreConsecutiveIfSorted(absl::Span<const int64_t> numbers);
// Dimensions of an operand of a contraction that are neither contracted nor batch dimensions.
DimensionVector GetNonContractingDims(int64_t rank, absl::Span<const int64_t> contracting_dims,
                                      absl::Span<const int64_t> batch_dims);
// The digits of n in the mixed radix of `bounds`, most significant first.
template <typename Container>
Container ToMixedRadix(int64_t n, absl::Span<const int64_t> bounds) {
  Container digits;
  if (bounds.empty()) return digits;
  int64_t divisor = Product(bounds);
  int64_t remainder = n % divisor;
  for (const int64_t radix : bounds) {
    divisor /= radix;
    digits.push_back(remainder / divisor);
    remainder %= divisor;
  }
  return digits;
}

// ---- Packed elements ----

// Bytes with values in their low bits, to as few bytes as hold them and back; the first value is in
// the lowest bits of the first byte. bits_per_element is 1, 2 or 4; the output has room for all.
void PackIntN(int bits_per_element, absl::Span<const char> input, absl::Span<char> output);
void UnpackIntN(int bits_per_element, absl::Span<const char> input, absl::Span<char> output);

// ---- Text ----

// The proto's text with every field, also those at their default.
std::string PrintAllFields(const google::protobuf::Message& message);

// The elements with ", " between them.
template <typename Container>
std::string CommaSeparatedString(const Container& c, const char* prefix = "",
                                 const char* suffix = "") {
  return absl::StrCat(prefix, absl::StrJoin(c, ", "), suffix);
}
template <typename T = int>
std::string CommaSeparatedString(const std::initializer_list<T>& c, const char* prefix = "",
                                 const char* suffix = "") {
  return absl::StrCat(prefix, absl::StrJoin(c, ", "), suffix);
}
// "(1, 2)".
template <typename Container>
std::string VectorString(const Container& c) {
  return CommaSeparatedString(c, "(", ")");
}
template <typename T = int>
std::string VectorString(const std::initializer_list<T>& c) {
  return CommaSeparatedString(c, "(", ")");
}
// Each line behind `indentation`.
std::string Reindent(absl::string_view original, absl::string_view indentation);
// "12.3GFLOP/s".
std::string HumanReadableNumFlops(double flops, double nanoseconds);
std::string HumanReadableNumTranscendentalOps(double ops, double nanoseconds);
// Characters that file systems do not like become '_'.
std::string SanitizeFileName(std::string file_name);

using Vector2 = std::array<int64_t, 2>;
using Vector3 = std::array<int64_t, 3>;

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
absl::Status Unknown(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::UnknownError(absl::StrFormat(format, args...));
}
template <typename... Args>
absl::Status Cancelled(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::CancelledError(absl::StrFormat(format, args...));
}
template <typename... Args>
absl::Status Unavailable(const absl::FormatSpec<Args...>& format, const Args&... args) {
  return absl::UnavailableError(absl::StrFormat(format, args...));
}

template <typename... Args>
absl::Status ResourceExhaustedStrCat(const Args&... args) {
  return absl::ResourceExhaustedError(absl::StrCat(args...));
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
// dimensions, equal ones at the start are groups of their own, and the rest is one group.
absl::InlinedVector<std::pair<int64_t, int64_t>, 8> CommonFactors(absl::Span<const int64_t> a,
                                                                  absl::Span<const int64_t> b);

}  // namespace xla

#endif  // XLA_UTIL_H_
