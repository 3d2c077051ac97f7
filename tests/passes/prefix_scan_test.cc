// SPDX-License-Identifier: Apache-2.0
// Which reduce-windows are prefix scans.
#include "xla/passes/prefix_scan.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

std::optional<PrefixScan> Recognize(const std::string& window, const std::string& reducer) {
  const std::string text = absl::StrCat(
      "HloModule m\nf { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] ", reducer,
      " }\nENTRY e { p = f32[4,9] parameter(0)  z = f32[] constant(0)\n"
      "  ROOT w = reduce-window(p, z), window={",
      window, "}, to_apply=f }\n");
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module.status());
  if (!module.ok()) return std::nullopt;
  return RecognizePrefixScan(*(*module)->entry_computation()->root_instruction());
}

TEST(PrefixScan, WindowsThatGrowFromTheBorder) {
  const auto forward = Recognize("size=1x9 pad=0_0x8_0", "add(a, b)");
  ASSERT_TRUE(forward.has_value());
  EXPECT_EQ(forward->dimension, 1);
  EXPECT_FALSE(forward->reverse);
  EXPECT_EQ(forward->operation, HloOpcode::kAdd);
  const auto reverse = Recognize("size=4x1 pad=0_3x0_0", "maximum(b, a)");
  ASSERT_TRUE(reverse.has_value());
  EXPECT_EQ(reverse->dimension, 0);
  EXPECT_TRUE(reverse->reverse);
  EXPECT_EQ(reverse->operation, HloOpcode::kMaximum);
}

TEST(PrefixScan, OthersAreNot) {
  for (const char* window : {"size=1x8 pad=0_0x7_0", "size=1x9 pad=0_0x4_4", "size=4x9 pad=3_0x8_0",
                             "size=1x9 pad=0_0x8_0 stride=1x2"}) {
    EXPECT_FALSE(Recognize(window, "add(a, b)").has_value()) << window;
  }
  EXPECT_FALSE(Recognize("size=1x9 pad=0_0x8_0", "add(a, a)").has_value());
  EXPECT_FALSE(Recognize("size=1x9 pad=0_0x8_0", "subtract(a, b)").has_value());
}

}  // namespace
}  // namespace xla
