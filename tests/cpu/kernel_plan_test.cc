// SPDX-License-Identifier: Apache-2.0
// How kernels are planned: vectors that are computed at a time.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"

namespace xla::cpu {
namespace {

// The elements that the kernel of these instructions computes at a time.
int64_t LanesOf(const std::string& type, const std::string& instructions) {
  const auto module = ParseAndReturnUnverifiedModule(
      absl::StrCat("HloModule m\nENTRY e {\n  x = ", type, " parameter(0)\n", instructions, "}\n"));
  EXPECT_OK(module.status());
  if (!module.ok()) return 0;
  const auto program = CpuProgram::Compile(**module);
  EXPECT_OK(program.status());
  return program.ok() && (*program)->kernels().size() == 1 ? (*program)->kernels()[0].lanes : 0;
}

std::string Chain(const std::string& type, const std::string& opcode, int length) {
  std::string text = absl::StrCat("  v0 = ", type, " ", opcode, "(x, x)\n");
  for (int i = 1; i < length; ++i) {
    absl::StrAppend(&text, "  v", i, " = ", type, " ", opcode, "(v", i - 1, ", x)\n");
  }
  return absl::StrCat(text, "  ROOT r = ", type, " ", opcode, "(v", length - 1, ", x)\n");
}

TEST(KernelPlanTest, LongChainsOfOperationsAreComputedForSeveralVectors) {
  const std::string f32 = "f32[100000]", u32 = "u32[100000]";
  const int64_t one = LanesOf(f32, Chain(f32, "multiply", 1));
  EXPECT_GE(one, 4);
  const int64_t several = one >= 16 ? 4 * one : 2 * one;
  EXPECT_EQ(LanesOf(f32, Chain(f32, "multiply", 10)), one);
  EXPECT_EQ(LanesOf(f32, Chain(f32, "multiply", 40)), several);
  EXPECT_EQ(LanesOf(u32, Chain(u32, "multiply", 40)), one);
  EXPECT_EQ(LanesOf(u32, Chain(u32, "multiply", 80)), several);
  EXPECT_EQ(LanesOf(f32, "  ROOT r = f32[100000] tanh(x)\n"), one);
  EXPECT_EQ(LanesOf(f32, "  y = f32[100000] tanh(x)\n  ROOT r = f32[100000] tanh(y)\n"), several);
}

}  // namespace
}  // namespace xla::cpu
