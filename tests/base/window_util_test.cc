// SPDX-License-Identifier: Apache-2.0
// Windows: the bounds that they give, and their text form.
#include "xla/window_util.h"

#include <gtest/gtest.h>

#include "tests/base/base_test_util.h"
#include "tests/test_util.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using testing::kMax;

TEST(WindowBounds, DilationPutsHolesBetweenNeighbors) {
  EXPECT_EQ(window_util::DilatedBound(3, 2), 5);
  EXPECT_EQ(window_util::DilatedBound(3, 1), 3);
  EXPECT_EQ(window_util::DilatedBound(1, 7), 1);
  EXPECT_EQ(window_util::DilatedBound(0, 7), 0);
}

TEST(WindowBounds, StridedPlacesOfAWindow) {
  EXPECT_EQ(window_util::StridedBound(5, 2, 2), 2);  // at 0 and 2; at 4 it would stick out
  EXPECT_EQ(window_util::StridedBound(5, 1, 2), 3);
  EXPECT_EQ(window_util::StridedBound(5, 5, 3), 1);
  EXPECT_EQ(window_util::StridedBound(5, 6, 1), 0);
  EXPECT_EQ(window_util::StridedBound(0, 1, 1), 0);
}

// By definition: the places p = 0, stride, .. at which every window element p + k * dilation lies
// in the padded, dilated base.
TEST(WindowBounds, MatchTheDefinition) {
  for (int64_t bound = 0; bound < 6; ++bound) {
    for (int64_t size = 1; size < 4; ++size) {
      for (int64_t stride = 1; stride < 4; ++stride) {
        for (int64_t window_dilation = 1; window_dilation < 3; ++window_dilation) {
          for (int64_t base_dilation = 1; base_dilation < 3; ++base_dilation) {
            const int64_t low = 1, high = 2;
            const int64_t extent = low + (bound == 0 ? 0 : (bound - 1) * base_dilation + 1) + high;
            int64_t places = 0;
            for (int64_t p = 0; p + (size - 1) * window_dilation < extent; p += stride) ++places;
            ASSERT_OK_AND_ASSIGN(const int64_t actual,
                                 window_util::WindowedBound(bound, size, stride, low, high,
                                                            window_dilation, base_dilation));
            EXPECT_EQ(actual, places);
          }
        }
      }
    }
  }
}

TEST(WindowBounds, BadNumbersAreErrors) {
  EXPECT_ERROR(window_util::WindowedBound(5, 0, 1, 0, 0, 1, 1), "must all be positive");
  EXPECT_ERROR(window_util::WindowedBound(5, 1, 0, 0, 0, 1, 1), "must all be positive");
  EXPECT_ERROR(window_util::WindowedBound(-5, 1, 1, 0, 0, 1, 1), "negative dimension size -5");
  EXPECT_ERROR(window_util::WindowedBound(5, 1, 1, -4, -2, 1, 1),
               "padding -4_-2 of a dimension of size 5 leaves a negative size");
  EXPECT_ERROR(window_util::WindowedBound(kMax, 1, 1, 0, 1, 1, 1), "overflows int64");
  EXPECT_ERROR(window_util::WindowedBound(kMax, 1, 1, 0, 0, 1, 2), "overflows int64");
  EXPECT_ERROR(window_util::WindowedBound(5, kMax, 1, 0, 0, 3, 1), "overflows int64");
  EXPECT_OK(window_util::WindowedBound(5, 1, 1, kMax, -kMax, 1, 1));
  ASSERT_OK_AND_ASSIGN(const int64_t unbounded,
                       window_util::WindowedBound(Shape::kUnboundedSize, 3, 1, 0, 0, 1, 1));
  EXPECT_EQ(unbounded, Shape::kUnboundedSize);
}

TEST(PaddedBounds, EdgesAndInterior) {
  EXPECT_EQ(window_util::PaddedBound(8, 2, 3, 1).value(), 20);
  EXPECT_EQ(window_util::PaddedBound(8, -2, 0, 0).value(), 6);
  EXPECT_EQ(window_util::PaddedBound(0, 1, 1, 5).value(), 2);
  EXPECT_EQ(window_util::PaddedBound(1, 0, 0, kMax).value(), 1);
  EXPECT_ERROR(window_util::PaddedBound(3, -2, -2, 0), "leaves a negative size");
  EXPECT_ERROR(window_util::PaddedBound(3, 0, 0, -1), "interior padding -1 is negative");
  EXPECT_ERROR(window_util::PaddedBound(3, 0, 0, kMax), "overflows int64");
}

// The texts are those that XLA prints.
TEST(WindowText, OnlyPartsWithAnEffectArePrinted) {
  Window window = window_util::MakeWindow({3, 3});
  EXPECT_EQ(window_util::ToString(window), "size=3x3");
  window = window_util::MakeWindow({3, 3}, {2, 1});
  window.mutable_dimensions(0)->set_padding_low(1);
  window.mutable_dimensions(0)->set_padding_high(1);
  window.mutable_dimensions(0)->set_base_dilation(2);
  window.mutable_dimensions(1)->set_base_dilation(2);
  window.mutable_dimensions(1)->set_window_dilation(2);
  window.mutable_dimensions(0)->set_window_reversal(true);
  EXPECT_EQ(window_util::ToString(window),
            "size=3x3 stride=2x1 pad=1_1x0_0 lhs_dilate=2x2 rhs_dilate=1x2 rhs_reversal=1x0");
  EXPECT_EQ(window_util::ToString(window.dimensions(0)),
            "(size=3,stride=2,padding_low=1,padding_high=1,base_dilation=2,window_reversal)");
  EXPECT_EQ(window_util::ToString(Window()), "");
}

TEST(WindowText, InteriorPaddingIsPrintedForAllOrNone) {
  PaddingConfig config = window_util::MakeSymmetricPadding({1, 2});
  EXPECT_EQ(window_util::ToString(config), "1_1x2_2");
  config.mutable_dimensions(1)->set_interior_padding(3);
  EXPECT_EQ(window_util::ToString(config), "1_1_0x2_2_3");
}

TEST(WindowQuestions, AskForAnEffect) {
  Window window = window_util::MakeWindow({1, 1});
  EXPECT_TRUE(window_util::IsTrivialWindow(window));
  EXPECT_FALSE(window_util::HasStride(window));
  EXPECT_FALSE(window_util::HasOverlappingWindow(window));
  EXPECT_TRUE(window_util::AllOrNoneReversed(window));
  window.mutable_dimensions(1)->set_size(2);
  window.mutable_dimensions(1)->set_padding_low(-1);
  window.mutable_dimensions(1)->set_window_reversal(true);
  EXPECT_FALSE(window_util::IsTrivialWindow(window));
  EXPECT_TRUE(window_util::HasOverlappingWindow(window));
  EXPECT_TRUE(window_util::HasPadding(window));
  EXPECT_TRUE(window_util::HasNegativePadding(window));
  EXPECT_FALSE(window_util::HasSymmetricPadding(window));
  EXPECT_FALSE(window_util::AllOrNoneReversed(window));
  EXPECT_FALSE(window_util::HasDilation(window));
}

TEST(WindowQuestions, NegativePaddingMayBeOnEitherSide) {
  Window window = window_util::MakeWindow({2, 2});
  EXPECT_FALSE(window_util::HasNegativePadding(window));
  window.mutable_dimensions(1)->set_padding_high(-1);
  EXPECT_TRUE(window_util::HasNegativePadding(window));
  window.mutable_dimensions(1)->set_padding_high(1);
  EXPECT_FALSE(window_util::HasNegativePadding(window));
  window.mutable_dimensions(0)->set_padding_low(-1);
  EXPECT_TRUE(window_util::HasNegativePadding(window));
}

TEST(WindowValidation, NamesTheDimension) {
  Window window = window_util::MakeWindow({3, 3});
  EXPECT_OK(window_util::ValidateWindow(window));
  window.mutable_dimensions(1)->set_stride(0);
  EXPECT_ERROR(window_util::ValidateWindow(window),
               "window {size=3x3 stride=1x0} has stride 0 in dimension 1; it must be positive");
}

}  // namespace
}  // namespace xla
