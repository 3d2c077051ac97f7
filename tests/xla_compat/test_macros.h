// SPDX-License-Identifier: Apache-2.0
// Stand-ins for the test macros and status matchers that XLA's tests use: GoogleTest with matchers
// for absl::Status, TF_ASSERT_OK and its relatives.
#ifndef TESTS_XLA_COMPAT_TEST_MACROS_H_
#define TESTS_XLA_COMPAT_TEST_MACROS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/base/config.h"
#include "absl/numeric/bits.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/tsl/platform/logging.h"

// Attributes of newer Abseil.
#ifndef absl_nonnull
#define absl_nonnull
#define absl_nullable
#define absl_nullability_unknown
#endif
#ifndef ABSL_ATTRIBUTE_NO_UNIQUE_ADDRESS
#define ABSL_ATTRIBUTE_NO_UNIQUE_ADDRESS [[no_unique_address]]
#endif
#ifndef ABSL_REFACTOR_INLINE
#define ABSL_REFACTOR_INLINE
#endif
#ifndef ABSL_DEPRECATE_AND_INLINE
#define ABSL_DEPRECATE_AND_INLINE()
#endif

// Functions of newer Eigen.
#if __has_include("Eigen/Core")
#include "Eigen/Core"
#if !EIGEN_VERSION_AT_LEAST(3, 4, 90)
namespace Eigen::numext {
template <typename T>
bool signbit(const T& x) {
  using std::signbit;
  return signbit(static_cast<float>(x));
}
}  // namespace Eigen::numext
#endif
#endif

// What newer Abseil has in absl/numeric/bits.h and absl/base/casts.h.
#if defined(ABSL_LTS_RELEASE_VERSION) && ABSL_LTS_RELEASE_VERSION < 20240116
namespace absl {
using endian = std::endian;
constexpr uint32_t byteswap(uint32_t x) { return __builtin_bswap32(x); }
template <typename To, typename From>
To down_cast(From* from) {
  return static_cast<To>(from);
}
}  // namespace absl
#endif

// GoogleTest's regular expressions on a string_view that is not std::string_view.
#ifndef ABSL_USES_STD_STRING_VIEW
namespace testing::internal {
template <>
inline bool MatchesRegexMatcher::MatchAndExplain(const absl::string_view& text,
                                                 MatchResultListener* listener) const {
  return MatchAndExplain(std::string(text), listener);
}
}  // namespace testing::internal
#endif

namespace absl_testing {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& value) {
  return value.status();
}

MATCHER(IsOk, "is OK") {
  if (StatusOf(arg).ok()) return true;
  *result_listener << StatusOf(arg);
  return false;
}

// A code, given as a number or enumerator of any type, or what matches a code.
template <typename Code>
::testing::Matcher<absl::StatusCode> CodeMatcher(const Code& code) {
  if constexpr (std::is_integral_v<Code> || std::is_enum_v<Code>) {
    return ::testing::Eq(static_cast<absl::StatusCode>(code));
  } else {
    return ::testing::SafeMatcherCast<absl::StatusCode>(code);
  }
}

// An error of a code and of a message that match.
class StatusIsMatcher {
 public:
  StatusIsMatcher(::testing::Matcher<absl::StatusCode> code,
                  ::testing::Matcher<const std::string&> message)
      : code_(std::move(code)), message_(std::move(message)) {}

  template <typename T>
  bool MatchAndExplain(const T& value, ::testing::MatchResultListener* listener) const {
    const absl::Status& status = StatusOf(value);
    *listener << status;
    return code_.Matches(status.code()) &&
           message_.MatchAndExplain(std::string(status.message()), listener);
  }
  void DescribeTo(std::ostream* out) const {
    *out << "has a code that ";
    code_.DescribeTo(out);
    *out << " and a message that ";
    message_.DescribeTo(out);
  }
  void DescribeNegationTo(std::ostream* out) const { *out << "not: ", DescribeTo(out); }

 private:
  ::testing::Matcher<absl::StatusCode> code_;
  ::testing::Matcher<const std::string&> message_;
};

template <typename Code, typename Message>
auto StatusIs(const Code& code, Message message) {
  return ::testing::MakePolymorphicMatcher(
      StatusIsMatcher(CodeMatcher(code), ::testing::SafeMatcherCast<const std::string&>(message)));
}
template <typename Code>
auto StatusIs(const Code& code) {
  return StatusIs(code, ::testing::_);
}

template <typename Inner>
class IsOkAndHoldsMatcher {
 public:
  explicit IsOkAndHoldsMatcher(Inner inner) : inner_(std::move(inner)) {}

  template <typename StatusOrT>
  operator ::testing::Matcher<StatusOrT>() const {
    return ::testing::Matcher<StatusOrT>(new Implementation<StatusOrT>(inner_));
  }

 private:
  template <typename StatusOrT>
  class Implementation : public ::testing::MatcherInterface<StatusOrT> {
   public:
    using Value = typename std::decay_t<StatusOrT>::value_type;
    explicit Implementation(const Inner& inner)
        : inner_(::testing::SafeMatcherCast<const Value&>(inner)) {}
    void DescribeTo(std::ostream* out) const override {
      *out << "is OK and has a value that ";
      inner_.DescribeTo(out);
    }
    bool MatchAndExplain(StatusOrT value, ::testing::MatchResultListener* listener) const override {
      if (!value.ok()) {
        *listener << value.status();
        return false;
      }
      return inner_.MatchAndExplain(*value, listener);
    }

   private:
    ::testing::Matcher<const Value&> inner_;
  };

  Inner inner_;
};

template <typename Inner>
IsOkAndHoldsMatcher<std::decay_t<Inner>> IsOkAndHolds(Inner&& inner) {
  return IsOkAndHoldsMatcher<std::decay_t<Inner>>(std::forward<Inner>(inner));
}

}  // namespace absl_testing

namespace tsl::testing {
using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
inline std::string TmpDir() {
  const char* folder = std::getenv("TEST_TMPDIR");
  return folder == nullptr ? "/tmp" : folder;
}
inline std::string XlaSrcRoot() {
  const char* folder = std::getenv("XLA_SOURCE");
  return folder == nullptr ? "." : std::string(folder) + "/xla";
}
inline int RandomSeed() { return 42; }
}  // namespace tsl::testing

#undef EXPECT_OK
#undef ASSERT_OK
#define EXPECT_OK(...) EXPECT_THAT((__VA_ARGS__), ::absl_testing::IsOk())
#define ASSERT_OK(...) ASSERT_THAT((__VA_ARGS__), ::absl_testing::IsOk())
#define TF_EXPECT_OK(...) EXPECT_OK(__VA_ARGS__)
#define TF_ASSERT_OK(...) ASSERT_OK(__VA_ARGS__)
#define EXPECT_IS_OK(...) EXPECT_OK(__VA_ARGS__)
#define ASSERT_IS_OK(...) ASSERT_OK(__VA_ARGS__)
#define EXPECT_IS_NOT_OK(...) EXPECT_THAT((__VA_ARGS__), ::testing::Not(::absl_testing::IsOk()))
#define ASSERT_IS_NOT_OK(...) ASSERT_THAT((__VA_ARGS__), ::testing::Not(::absl_testing::IsOk()))

#define COMPAT_CONCAT_INNER(x, y) x##y
#define COMPAT_CONCAT(x, y) COMPAT_CONCAT_INNER(x, y)
#undef ASSERT_OK_AND_ASSIGN
#define ASSERT_OK_AND_ASSIGN(lhs, ...) \
  COMPAT_ASSERT_OK_AND_ASSIGN(COMPAT_CONCAT(compat_status_or_, __COUNTER__), lhs, __VA_ARGS__)
#define COMPAT_ASSERT_OK_AND_ASSIGN(status_or, lhs, ...)                     \
  auto status_or = (__VA_ARGS__);                                            \
  ASSERT_TRUE(status_or.ok()) << #__VA_ARGS__ << ": " << status_or.status(); \
  lhs = std::move(status_or).value()
#define TF_ASSERT_OK_AND_ASSIGN(lhs, ...) ASSERT_OK_AND_ASSIGN(lhs, __VA_ARGS__)

#endif  // TESTS_XLA_COMPAT_TEST_MACROS_H_
