// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/sort_keys.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

TEST(SplitSortKeysTest, DeepComparatorsAreLeftAlone) {
  constexpr int kDepth = 100'000;
  std::string text = "HloModule m\nless {\n  x0 = f32[] parameter(0)\n  y0 = f32[] parameter(1)\n";
  for (int i = 1; i <= kDepth; ++i) {
    for (const char* side : {"x", "y"})
      absl::StrAppend(&text, "  ", side, i, " = f32[] sine(", side, i - 1, ")\n");
  }
  absl::StrAppend(&text, "  ROOT r = pred[] compare(x", kDepth, ", y", kDepth,
                  "), direction=LT, type=TOTALORDER\n}\nENTRY e {\n  p = f32[8] parameter(0)\n",
                  "  ROOT s = f32[8] sort(p), dimensions={0}, to_apply=less\n}\n");
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  ASSERT_OK_AND_ASSIGN(const bool changed, SplitSortKeys(module.get()));
  EXPECT_FALSE(changed);
}

}  // namespace
}  // namespace xla
