// SPDX-License-Identifier: Apache-2.0
// Unrolled steps that differ in numbers share one kernel.
#include "xla/cpu/plan/constant_operands.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

// A product and then elementwise operations of `step`, with # for the number of the step.
std::unique_ptr<CpuProgram> Unrolled(const std::string& step, int steps) {
  std::string text =
      "HloModule m\nENTRY e {\n  w = f32[64,64] parameter(0)\n  y0 = f32[8,64] parameter(1)\n";
  for (int i = 0; i < steps; ++i) {
    absl::StrAppend(
        &text, "  p", i, " = f32[8,64] dot(y", i,
        ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
        absl::StrReplaceAll(step, {{"#+1", absl::StrCat(i + 1)}, {"#", absl::StrCat(i)}}));
  }
  absl::StrAppend(&text, "  ROOT r = f32[8,64] copy(y", steps, ")\n}\n");
  const auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module.status());
  if (!module.ok()) return nullptr;
  auto program = CpuProgram::Compile(**module, {});
  EXPECT_OK(program.status());
  return program.ok() ? *std::move(program) : nullptr;
}

TEST(ConstantOperands, StepsShareAKernel) {
  const auto program = Unrolled(R"(
  c# = f32[] constant(0.#5)
  b# = f32[8,64] broadcast(c#), dimensions={}
  a# = f32[8,64] sine(p#)
  y#+1 = f32[8,64] multiply(a#, b#)
)",
                                9);
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->kernels().size(), 1);
}

// The exponent decides how a power is computed.
TEST(ConstantOperands, ExponentsStay) {
  const auto program = Unrolled(R"(
  c# = f32[] constant(2.#5)
  b# = f32[8,64] broadcast(c#), dimensions={}
  a# = f32[8,64] abs(p#)
  y#+1 = f32[8,64] power(a#, b#)
)",
                                9);
  ASSERT_NE(program, nullptr);
  EXPECT_GT(program->kernels().size(), 4);
}

// Of a few fusions each has a kernel with its numbers in the code.
TEST(ConstantOperands, FewFusionsKeepTheirConstants) {
  const auto program = Unrolled(R"(
  c# = f32[] constant(0.#5)
  b# = f32[8,64] broadcast(c#), dimensions={}
  y#+1 = f32[8,64] multiply(p#, b#)
)",
                                2);
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->kernels().size(), 2);
}

}  // namespace
}  // namespace xla
