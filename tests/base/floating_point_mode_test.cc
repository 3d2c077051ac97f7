// SPDX-License-Identifier: Apache-2.0
#include "xla/base/floating_point_mode.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <thread>

namespace xla {
namespace {

// Not computed by the compiler.
volatile float least_normal = 0x1p-126f;
float Half(float x) { return x * 0.5f; }

TEST(FloatingPointModeTest, FlushesWithinTheScope) {
  const FloatingPointMode outside = FloatingPointMode::OfThread();
  EXPECT_EQ(Half(least_normal), 0x1p-127f);
  {
    const ScopedFloatingPointMode flushing(FloatingPointMode::FlushingSubnormals());
    EXPECT_EQ(FloatingPointMode::OfThread(), FloatingPointMode::FlushingSubnormals());
#if defined(__x86_64__) || defined(__aarch64__)
    EXPECT_EQ(Half(least_normal), 0);
#endif
    {
      const ScopedFloatingPointMode ieee(FloatingPointMode::Ieee());
      EXPECT_EQ(Half(least_normal), 0x1p-127f);
    }
    FloatingPointMode other = FloatingPointMode::FlushingSubnormals();
    std::thread([&] {
      const ScopedFloatingPointMode ieee(FloatingPointMode::Ieee());
      other = FloatingPointMode::OfThread();
    }).join();
    EXPECT_EQ(other, FloatingPointMode::Ieee());
    EXPECT_EQ(FloatingPointMode::OfThread(), FloatingPointMode::FlushingSubnormals());
  }
  EXPECT_EQ(FloatingPointMode::OfThread(), outside);
  EXPECT_EQ(Half(least_normal), 0x1p-127f);
}

// Whatever the code around has set.
TEST(FloatingPointModeTest, ReplacesTheRoundingDirectionAndRestoresIt) {
  const int outer = std::fegetround();
  std::fesetround(FE_UPWARD);
  {
    const ScopedFloatingPointMode ieee(FloatingPointMode::Ieee());
    volatile double one = 1, small = 0x1p-60;
    EXPECT_EQ(one + small, 1);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(outer);
}

}  // namespace
}  // namespace xla
