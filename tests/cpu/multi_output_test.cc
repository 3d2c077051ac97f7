// SPDX-License-Identifier: Apache-2.0
// Which fusions become one of several results.
#include "xla/cpu/plan/multi_output.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/plan/fusion.h"
#include "xla/hlo/text/parser.h"

namespace xla::cpu {
namespace {

// The results of each kernel of generated code of the entry computation, in order.
std::vector<int> ResultsOfKernels(const std::string& lines, int64_t least_bytes = 0) {
  const auto module = ParseAndReturnUnverifiedModule(absl::StrCat(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
body {
  s = (f32[8,16], s32[]) parameter(0)
  x = f32[8,16] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[8,16] multiply(x, x)
  ROOT t = (f32[8,16], s32[]) tuple(y, j)
}
condition {
  s = (f32[8,16], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  n = s32[] constant(9)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[8,16] parameter(0)
  y = f32[8,16] parameter(1)
  zero = f32[] constant(0)
)",
                                                                  lines, "}\n"));
  EXPECT_OK(module.status());
  if (!module.ok()) return {};
  EXPECT_OK(FuseForCpu(module->get()).status());
  EXPECT_OK(MergeFusions(module->get(), least_bytes).status());
  std::vector<int> results;
  for (const HloInstruction* i : (*module)->entry_computation()->MakeInstructionPostOrder()) {
    if (i->opcode() == HloOpcode::kFusion)
      results.push_back(i->shape().IsTuple() ? i->shape().tuple_shapes_size() : 1);
  }
  return results;
}

using Results = std::vector<int>;

TEST(MultiOutputTest, KernelsThatReadTheSameArrayBecomeOne) {
  const std::string lines =
      "  a = f32[8,16] sine(x)\n"
      "  b = f32[8,16] add(x, y)\n"
      "  c = s32[8,16] convert(y)\n"
      "  ROOT t = (f32[8,16], f32[8,16], s32[8,16]) tuple(a, b, c)\n";
  EXPECT_EQ(ResultsOfKernels(lines), Results({3}));
  EXPECT_EQ(ResultsOfKernels(lines, 512), Results({3}));
  EXPECT_EQ(ResultsOfKernels(lines, 513), Results({1, 1, 1}));
}

TEST(MultiOutputTest, WhatOnlyTheKernelItselfReadsIsNoResult) {
  const std::string lines =
      "  a = f32[8,16] sine(x)\n"
      "  b = f32[8,16] exponential(a)\n"
      "  c = f32[8,16] cosine(a)\n";
  EXPECT_EQ(
      ResultsOfKernels(absl::StrCat(lines, "  ROOT t = (f32[8,16], f32[8,16]) tuple(b, c)\n")),
      Results({2}));
  EXPECT_EQ(ResultsOfKernels(absl::StrCat(
                lines, "  ROOT t = (f32[8,16], f32[8,16], f32[8,16]) tuple(b, c, a)\n")),
            Results({3}));
}

TEST(MultiOutputTest, OneResultIsLeftIfOnlyTheKernelItselfReadsTheOthers) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(HloModule m
first {
  x = f32[8,16] parameter(0)
  ROOT a = f32[8,16] sine(x)
}
second {
  x = f32[8,16] parameter(0)
  a = f32[8,16] parameter(1)
  ROOT b = f32[8,16] add(x, a)
}
ENTRY e {
  x = f32[8,16] parameter(0)
  a = f32[8,16] fusion(x), kind=kLoop, calls=first
  ROOT b = f32[8,16] fusion(x, a), kind=kLoop, calls=second
})"));
  ASSERT_OK(MergeFusions(module.get(), 0).status());
  const HloInstruction& root = *module->entry_computation()->root_instruction();
  ASSERT_EQ(root.opcode(), HloOpcode::kFusion);
  ASSERT_EQ(root.operand_count(), 1);
  EXPECT_EQ(root.to_apply()->root_instruction()->opcode(), HloOpcode::kAdd);
  EXPECT_EQ(root.shape().ToString(), "f32[8,16]");
}

TEST(MultiOutputTest, WhatNeedsAnotherResultInBetweenIsApart) {
  EXPECT_EQ(ResultsOfKernels(R"(  a = f32[8,16] sine(x)
  s = f32[8,8] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  d = f32[8,16] dot(s, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[8,16] add(x, d)
  n = f32[8,16] negate(d)
  ROOT t = (f32[8,16], f32[8,16], f32[8,16]) tuple(a, b, n)
)"),
            Results({1, 1, 2}));  // that in the middle is the second product
}

TEST(MultiOutputTest, OtherDimensionsAndTransposesAreApart) {
  EXPECT_EQ(ResultsOfKernels(R"(  a = f32[8,16] sine(x)
  r = f32[16,8] reshape(x)
  b = f32[16,8] cosine(r)
  s = f32[16,8] transpose(x), dimensions={1,0}
  c = f32[16,8] exponential(s)
  ROOT t = (f32[8,16], f32[16,8], f32[16,8]) tuple(a, b, c)
)"),
            Results({1, 1, 1}));
}

TEST(MultiOutputTest, NotMoreThanFourResults) {
  std::string lines, shapes, names;
  for (int i = 0; i < 6; ++i) {
    absl::StrAppend(&lines, "  k", i, " = f32[] constant(", i, ".5)\n  b", i,
                    " = f32[8,16] broadcast(k", i, "), dimensions={}\n  a", i,
                    " = f32[8,16] multiply(x, b", i, ")\n");
    absl::StrAppend(&shapes, i == 0 ? "" : ", ", "f32[8,16]");
    absl::StrAppend(&names, i == 0 ? "" : ", ", "a", i);
  }
  EXPECT_EQ(ResultsOfKernels(absl::StrCat(lines, "  ROOT t = (", shapes, ") tuple(", names, ")\n")),
            Results({4, 2}));
}

// Such loops are computed element by element.
TEST(MultiOutputTest, BodiesOfElementwiseLoopsStayAsTheyAre) {
  EXPECT_EQ(ResultsOfKernels(R"(  i = s32[] constant(0)
  s = (f32[8,16], s32[]) tuple(x, i)
  w = (f32[8,16], s32[]) while(s), condition=condition, body=body
  z = f32[8,16] get-tuple-element(w), index=0
  a = f32[8,16] sine(z)
  b = f32[8,16] cosine(z)
  ROOT t = (f32[8,16], f32[8,16]) tuple(a, b)
)"),
            Results({2}));
}

}  // namespace
}  // namespace xla::cpu
