// SPDX-License-Identifier: Apache-2.0
// Constant folding with evaluators of its own.
#include "xla/passes/constant_folding.h"

#include <gtest/gtest.h>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal.h"

namespace xla {
namespace {

// What cannot be evaluated is left to the run, which tells why.
TEST(ConstantFolding, KeepsWhatTheEvaluatorRefuses) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  a = f32[3] constant({1, 2, 3})
  b = f32[3] sine(a)
  ROOT c = f32[3] add(b, a)
})"));
  const std::string before = module->ToString();
  ASSERT_OK_AND_ASSIGN(const bool refused,
                       FoldConstants(module.get(), [](const HloModule&) -> absl::StatusOr<Literal> {
                         return absl::ResourceExhaustedError("no memory");
                       }));
  EXPECT_FALSE(refused);
  EXPECT_EQ(module->ToString(), before);
}

// The evaluated module has copies of the computations that its instructions call.
TEST(ConstantFolding, EvaluatesWholeModules) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
add {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  ROOT s = s32[] add(x, y)
}
ENTRY e {
  a = s32[3] constant({1, 2, 3})
  zero = s32[] constant(0)
  b = s32[] reduce(a, zero), dimensions={0}, to_apply=add
  c = s32[] reduce(a, b), dimensions={0}, to_apply=add
  ROOT t = (s32[], s32[]) tuple(b, c)
})"));
  const auto evaluate = [](const HloModule& program) -> absl::StatusOr<Literal> {
    EXPECT_EQ(program.computation_count(), 2);
    for (const HloInstruction* instruction : program.entry_computation()->instructions()) {
      for (const HloComputation* callee : instruction->called_computations())
        EXPECT_EQ(callee->parent(), &program) << instruction->ToString();
    }
    return Literal(program.entry_computation()->root_instruction()->shape());
  };
  ASSERT_OK_AND_ASSIGN(const bool changed, FoldConstants(module.get(), evaluate));
  EXPECT_TRUE(changed);
}

// Ten results of twenty elements take thirty steps.
TEST(ConstantFolding, StaysWithinItsBudget) {
  for (const int64_t budget : {29, 30}) {
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  a = s32[10] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  b = s32[10] constant({5, 6, 7, 8, 9, 10, 1, 2, 3, 4})
  c = s32[10] add(b, a)
  d = s32[10] constant({5, 6, 7, 8, 9, 10, 1, 2, 3, 7})
  e = s32[10] add(d, a)
  ROOT t = (s32[10], s32[10]) tuple(c, e)
})"));
    const auto evaluate = [](const HloModule& program) -> absl::StatusOr<Literal> {
      return Literal(program.entry_computation()->root_instruction()->shape());
    };
    ASSERT_OK_AND_ASSIGN(const bool changed,
                         FoldConstants(module.get(), evaluate, {.budget = budget}));
    EXPECT_EQ(changed, budget == 30) << budget;
    const HloInstruction& root = *module->entry_computation()->root_instruction();
    EXPECT_EQ(root.operand(0)->IsConstant() ? 1 : 0, changed ? 1 : 0) << budget;
    EXPECT_FALSE(root.operand(1)->IsConstant()) << budget;
  }
}

}  // namespace
}  // namespace xla
