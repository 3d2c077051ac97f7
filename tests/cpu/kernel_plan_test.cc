// SPDX-License-Identifier: Apache-2.0
// How kernels are planned: vectors that are computed at a time.
#include "xla/cpu/kernel/kernel_plan.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/base/machine.h"
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
  const int64_t several = 4 * one;
  // With few registers, functions share the constants that they load.
  const bool has_few_registers = MachineOfThread().vector_registers < 32;
  EXPECT_EQ(LanesOf(f32, Chain(f32, "multiply", 10)), one);
  EXPECT_EQ(LanesOf(f32, Chain(f32, "multiply", 40)), several);
  EXPECT_EQ(LanesOf(u32, Chain(u32, "multiply", 40)), has_few_registers ? several : one);
  EXPECT_EQ(LanesOf(u32, Chain(u32, "multiply", 80)), several);
  EXPECT_EQ(LanesOf(f32, "  ROOT r = f32[100000] tanh(x)\n"), has_few_registers ? several : one);
  EXPECT_EQ(LanesOf(f32, "  y = f32[100000] tanh(x)\n  ROOT r = f32[100000] tanh(y)\n"), several);
}

// The simplifier makes constants of arrays without elements, unless it is disabled.
TEST(KernelPlanTest, TransposesOfArraysWithoutElementsHaveNoUnits) {
  for (const auto& [from, to] : {std::pair{"f32[0,64]", "f32[64,0]"},
                                 {"f32[64,0]", "f32[0,64]"},
                                 {"f32[0,0]", "f32[0,0]"}}) {
    SCOPED_TRACE(from);
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(absl::StrCat(
                                                "HloModule m\nENTRY e {\n  x = ", from,
                                                " parameter(0)\n  ROOT t = ", to,
                                                " transpose(x), dimensions={1,0}\n}\n")));
    CpuCompileOptions options;
    options.pipeline.disabled = {"algebraic-simplifier"};
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module, options));
    const Target target = {"x86_64", "", "", MachineWith(InstructionSet::kAvx2)};
    KernelRequest request;
    request.instruction = program->optimized_module().entry_computation()->root_instruction();
    request.target = &target;
    request.is_written = {false};
    ASSERT_EQ(request.instruction->opcode(), HloOpcode::kFusion);
    EXPECT_EQ(PlanKernel(request)->units, 0);
  }
}

}  // namespace
}  // namespace xla::cpu
