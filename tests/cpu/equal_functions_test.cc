// SPDX-License-Identifier: Apache-2.0
// Functions of a program that are equal, such as the loops of unrolled steps, are compiled once.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

// Loops one after the other, each of which starts from what the one before it has made.
std::unique_ptr<CpuProgram> CompileSteps(int64_t steps) {
  std::string text = R"(HloModule steps
condition { s = (s32[], f32[16]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(30) ROOT l = pred[] compare(i, n), direction=LT }
body {
  s = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[16] get-tuple-element(s), index=1
  sine = f32[16] sine(v)
  r = f32[16] reverse(sine), dimensions={0}
  w = f32[16] tanh(r)
  ROOT t = (s32[], f32[16]) tuple(next, w)
}
ENTRY main {
  i = s32[] constant(0)
  x0 = f32[16] parameter(0)
)";
  for (int64_t k = 0; k < steps; ++k) {
    absl::StrAppend(&text, "  c", k, " = f32[] constant(0.", k + 1, ")\n  b", k,
                    " = f32[16] broadcast(c", k, "), dimensions={}\n  a", k, " = f32[16] add(x", k,
                    ", b", k, ")\n  init", k, " = (s32[], f32[16]) tuple(i, a", k, ")\n  loop", k,
                    " = (s32[], f32[16]) while(init", k, "), condition=condition, body=body\n  x",
                    k + 1, " = f32[16] get-tuple-element(loop", k, "), index=1\n");
  }
  absl::StrAppend(&text, "  ROOT r = f32[16] copy(x", steps, ")\n}\n");
  const auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module.status());
  auto program = CpuProgram::Compile(**module);
  EXPECT_OK(program.status());
  return *std::move(program);
}

TEST(EqualFunctionsTest, LoopsAreCompiledOnce) {
  const auto one = CompileSteps(1), many = CompileSteps(12);
  // A call of the first one takes the place of each other one.
  EXPECT_LT(many->GeneratedBytes(), 2 * one->GeneratedBytes());
  const Literal x = LiteralUtil::CreateFullWithDescendingLayout<float>({16}, 0.5f);
  ASSERT_OK_AND_ASSIGN(const Literal result, many->Run({&x}));
  Literal step = x.Clone();
  for (int64_t k = 0; k < 12; ++k) {
    for (float& value : step.data<float>()) value += std::stof(absl::StrCat("0.", k + 1));
    // What the only loop adds itself.
    for (float& value : step.data<float>()) value -= 0.1f;
    ASSERT_OK_AND_ASSIGN(step, one->Run({&step}));
  }
  for (size_t i = 0; i < 16; ++i)
    EXPECT_NEAR(result.data<float>()[i], step.data<float>()[i], 1e-5) << i;
}

}  // namespace
}  // namespace xla
