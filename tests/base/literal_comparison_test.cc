// SPDX-License-Identifier: Apache-2.0
// Comparison of literals and its reports.
#include "xla/literal_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/base/base_test_util.h"
#include "tests/test_util.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using literal_comparison::Equal;
using literal_comparison::Near;

using testing::kInf;

Literal R1(std::vector<float> values) { return LiteralUtil::CreateR1<float>(values); }

TEST(LiteralComparison, EqualIsOfBitsUnderAnyLayout) {
  const Literal literal = LiteralUtil::CreateR2<float>({{1, NAN}, {3, -0.0f}});
  EXPECT_OK(Equal(literal, literal.Relayout(LayoutUtil::MakeLayout({0, 1}))));
  EXPECT_ERROR(Equal(literal, LiteralUtil::CreateR2<float>({{1, NAN}, {5, 0.0f}})),
               "2 of 4 elements differ; first mismatch at array index {1,0}:\n  expected value: "
               "3\n  actual value:   5");
}

TEST(LiteralComparison, ShapesMustAgree) {
  EXPECT_ERROR(Equal(R1({1}), R1({1, 2})), "sizes differ: expected [1], actual [2]");
  EXPECT_ERROR(Equal(R1({1}), LiteralUtil::CreateR1<int32_t>({1})),
               "expected f32[1], actual s32[1]");
  EXPECT_ERROR(Near(R1({1}), Literal(), ErrorSpec(1)), "shapes differ");
  EXPECT_OK(literal_comparison::EqualShapes(R1({1}).shape(), R1({2}).shape()));
}

TEST(LiteralComparison, TupleLeavesAreNamed) {
  const auto tuple = [](float a, int32_t b) {
    return LiteralUtil::MakeTupleOwned(
        LiteralUtil::CreateR0<float>(a),
        LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<int32_t>(b)));
  };
  EXPECT_OK(Equal(tuple(1, 2), tuple(1, 2)));
  EXPECT_ERROR(Equal(tuple(1, 2), tuple(1, 3)), "in tuple element {1,0}");
  EXPECT_ERROR(Near(tuple(1, 2), tuple(1, 3), ErrorSpec(10)),
               "1 of 1 elements differ in tuple element {1,0}")
      << "integers must be equal";
  int calls = 0;
  EXPECT_FALSE(Near(tuple(1, 2), tuple(5, 3), ErrorSpec(1), std::nullopt,
                    [&](const LiteralSlice&, const LiteralSlice&, const LiteralSlice& mismatches,
                        const ShapeIndex&, const literal_comparison::ErrorBuckets&) {
                      ++calls;
                      EXPECT_TRUE(mismatches.Get<bool>({}));
                    })
                   .ok());
  EXPECT_EQ(calls, 2);
}

TEST(LiteralComparison, AnyBoundIsEnough) {
  EXPECT_OK(Near(R1({100}), R1({100.5f}), ErrorSpec(0.5)));
  EXPECT_OK(Near(R1({100}), R1({101}), ErrorSpec(0, 0.01)));
  EXPECT_FALSE(Near(R1({100}), R1({101}), ErrorSpec(0.5, 0.001)).ok());
  EXPECT_OK(Near(R1({1}), R1({std::nextafter(1.0f, 2.0f)}), ErrorSpec::Ulps(1)));
  EXPECT_FALSE(Near(R1({1}), R1({1 + 2 * 0x1p-23f}), ErrorSpec::Ulps(1)).ok());
  EXPECT_OK(Near(R1({0x1p-149f}), R1({-0x1p-149f}), ErrorSpec::Ulps(2))) << "across zero";
  EXPECT_OK(Near(LiteralUtil::CreateR0<half>(half(1.0f)),
                 LiteralUtil::CreateR0<half>(half(1 + 0x1p-10f)), ErrorSpec::Ulps(1)))
      << "units of the type itself";
  EXPECT_OK(Near(LiteralUtil::CreateR0<complex64>({1, 0x1p-20f}),
                 LiteralUtil::CreateR0<complex64>({1, std::nextafter(0x1p-20f, 1.0f)}),
                 ErrorSpec::Ulps(1)));
  EXPECT_OK(Near(LiteralUtil::CreateR0<complex128>({3, 4}),
                 LiteralUtil::CreateR0<complex128>({3, 4.05}), ErrorSpec(0, 0.01)));
}

TEST(LiteralComparison, InfinitiesAndNaNs) {
  EXPECT_OK(Near(R1({kInf, NAN, -kInf}), R1({kInf, -NAN, -kInf}), ErrorSpec(0)));
  EXPECT_FALSE(Near(R1({kInf}), R1({-kInf}), ErrorSpec(1e30, 1e30)).ok());
  EXPECT_FALSE(Near(R1({kInf}), R1({1e38f}), ErrorSpec(1e30, 1e30)).ok());
  EXPECT_FALSE(Near(R1({1}), R1({NAN}), ErrorSpec(1e30, 1e30)).ok());
  EXPECT_FALSE(Near(R1({NAN}), R1({1}), ErrorSpec(1e30, 1e30)).ok());
  EXPECT_OK(Near(R1({NAN}), R1({1}), ErrorSpec(0, 0, /*relaxed=*/true)));
  ErrorSpec spec(0);
  spec.more_infs_ok = true;
  EXPECT_OK(Near(R1({1}), R1({kInf}), spec));
  EXPECT_FALSE(Near(R1({kInf}), R1({1}), spec).ok());
}

TEST(LiteralComparison, TheReportNamesTheWorst) {
  const Literal expected = LiteralUtil::CreateR2<float>({{1, 100}, {2, 4}});
  const Literal actual = LiteralUtil::CreateR2<float>({{1, 101}, {3, 4}});
  const absl::Status status = Near(expected, actual, ErrorSpec(0.1, 0.001));
  EXPECT_ERROR(
      status,
      "2 of 4 elements (50%) of shape f32[2,2] are not near; bounds: absolute 0.1, relative 0.001");
  EXPECT_ERROR(
      status,
      "greatest absolute error: at index {0,1}: expected 100, actual 101, absolute error 1");
  EXPECT_ERROR(status,
               "greatest relative error: at index {1,0}: expected 2, actual 3, absolute error 1, "
               "relative error 0.5");
  EXPECT_ERROR(Near(expected, actual, ErrorSpec(0.1, 0.001), /*detailed_message=*/true),
               "absolute errors of all elements:\n    below 1e-06: 2");
}

}  // namespace
}  // namespace xla
