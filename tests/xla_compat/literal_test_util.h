// SPDX-License-Identifier: Apache-2.0
// Stand-in for XLA's LiteralTestUtil: assertions on literals, through xla/literal_comparison.h.
#ifndef TESTS_XLA_COMPAT_LITERAL_TEST_UTIL_H_
#define TESTS_XLA_COMPAT_LITERAL_TEST_UTIL_H_

#include <initializer_list>
#include <optional>
#include <string>

#include "tests/xla_compat/test_macros.h"
#include "xla/error_spec.h"
#include "xla/literal.h"
#include "xla/literal_comparison.h"
#include "xla/literal_util.h"

namespace xla {

class LiteralTestUtil {
 public:
  using Result = ::testing::AssertionResult;

  static Result FromStatus(const absl::Status& status) {
    if (status.ok()) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << status.message();
  }
  [[nodiscard]] static Result EqualShapes(const Shape& expected, const Shape& actual) {
    return FromStatus(literal_comparison::EqualShapes(expected, actual));
  }
  [[nodiscard]] static Result EqualShapesAndLayouts(const Shape& expected, const Shape& actual) {
    if (expected == actual) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << expected.ToString(true) << " against " << actual.ToString(true);
  }
  [[nodiscard]] static Result Equal(const LiteralSlice& expected, const LiteralSlice& actual) {
    return FromStatus(literal_comparison::Equal(expected, actual));
  }
  [[nodiscard]] static Result Near(const LiteralSlice& expected, const LiteralSlice& actual,
                                   const ErrorSpec& error,
                                   std::optional<bool> detailed = std::nullopt) {
    return FromStatus(literal_comparison::Near(expected, actual, error, detailed, nullptr));
  }
  [[nodiscard]] static Result NearOrEqual(const LiteralSlice& expected, const LiteralSlice& actual,
                                          const std::optional<ErrorSpec>& error) {
    return error.has_value() ? Near(expected, actual, *error) : Equal(expected, actual);
  }

  template <typename T>
  static void ExpectR0Equal(T expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR0<T>(expected), actual));
  }
  template <typename T>
  static void ExpectR1Equal(absl::Span<const T> expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR1<T>(expected), actual));
  }
  template <typename T>
  static void ExpectR2Equal(std::initializer_list<std::initializer_list<T>> expected,
                            const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR2<T>(expected), actual));
  }
  template <typename T>
  static void ExpectR3Equal(
      std::initializer_list<std::initializer_list<std::initializer_list<T>>> expected,
      const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR3<T>(expected), actual));
  }
  template <typename T>
  static void ExpectR2EqualArray2D(const Array2D<T>& expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR2FromArray2D(expected), actual));
  }
  template <typename T>
  static void ExpectR3EqualArray3D(const Array3D<T>& expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR3FromArray3D(expected), actual));
  }
  template <typename T>
  static void ExpectR4EqualArray4D(const Array4D<T>& expected, const LiteralSlice& actual) {
    EXPECT_TRUE(Equal(LiteralUtil::CreateR4FromArray4D(expected), actual));
  }
  template <typename T>
  static void ExpectR0Near(T expected, const LiteralSlice& actual, const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR0<T>(expected), actual, error));
  }
  template <typename T>
  static void ExpectR1Near(absl::Span<const T> expected, const LiteralSlice& actual,
                           const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR1<T>(expected), actual, error));
  }
  template <typename T>
  static void ExpectR2Near(std::initializer_list<std::initializer_list<T>> expected,
                           const LiteralSlice& actual, const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR2<T>(expected), actual, error));
  }
  template <typename T>
  static void ExpectR3Near(
      std::initializer_list<std::initializer_list<std::initializer_list<T>>> expected,
      const LiteralSlice& actual, const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR3<T>(expected), actual, error));
  }
  template <typename T>
  static void ExpectR4Near(
      std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>>
          expected,
      const LiteralSlice& actual, const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR4<T>(expected), actual, error));
  }
  template <typename T>
  static void ExpectR2NearArray2D(const Array2D<T>& expected, const LiteralSlice& actual,
                                  const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR2FromArray2D(expected), actual, error));
  }
  template <typename T>
  static void ExpectR3NearArray3D(const Array3D<T>& expected, const LiteralSlice& actual,
                                  const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR3FromArray3D(expected), actual, error));
  }
  template <typename T>
  static void ExpectR4NearArray4D(const Array4D<T>& expected, const LiteralSlice& actual,
                                  const ErrorSpec& error) {
    EXPECT_TRUE(Near(LiteralUtil::CreateR4FromArray4D(expected), actual, error));
  }
};

}  // namespace xla

#endif  // TESTS_XLA_COMPAT_LITERAL_TEST_UTIL_H_
