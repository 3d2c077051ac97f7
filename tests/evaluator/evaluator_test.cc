// SPDX-License-Identifier: Apache-2.0
// HloEvaluator: its errors, what it evaluates although other values are not known, and the loops
// that PatternMatchParseWhileLoop recognizes.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::unique_ptr<HloModule> Parse(std::string_view text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module);
  return *std::move(module);
}

TEST(HloEvaluatorTest, ArgumentsMustFit) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  p = s32[1] parameter(0)
  ROOT sum = s32[1] add(p, p)
})");
  const Literal one = LiteralUtil::CreateR1<int32_t>({1});
  const Literal two = LiteralUtil::CreateR1<int32_t>({1, 2});
  EXPECT_EQ(*HloEvaluator().Evaluate(*module, {&one}), LiteralUtil::CreateR1<int32_t>({2}));
  EXPECT_EQ(
      HloEvaluator().Evaluate(*module, {&two}).status().message(),
      "Shape mismatch at parameter 0. Computation expected s32[1]{0}, but arg was s32[2]{0}.");
  EXPECT_EQ(HloEvaluator().Evaluate(*module, {&one, &one}).status().message(),
            "Expected 1 argument, but got 2.");
  EXPECT_EQ(HloEvaluator().Evaluate(*module->entry_computation(), {}).status().message(),
            "Expected 1 argument, but got 0.");
}

TEST(HloEvaluatorTest, BitcastsNeedLayouts) {
  const Shape matrix = ShapeUtil::MakeShape(F32, {2, 2});
  Shape bare = matrix;
  bare.clear_layout();
  HloModule module("m");
  HloComputation* entry = module.AddComputation("e");
  entry->AddInstruction(HloInstruction::CreateParameter(0, bare, "p"));
  entry->set_root_instruction(entry->AddInstruction(
      HloInstruction::CreateBitcast(matrix, entry->parameter_instruction(0))));
  module.set_entry_computation(entry);
  const Literal argument = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
  EXPECT_EQ(HloEvaluator().Evaluate(*entry, {&argument}).status().message(),
            "Evaluator cannot evaluate bitcast for non-scalar operand without assigned layout.");
}

TEST(HloEvaluatorTest, BitcastsOfSingleElementsNeedNoLayouts) {
  const Shape matrix = ShapeUtil::MakeShape(F32, {1, 1});
  Shape bare = matrix;
  bare.clear_layout();
  HloModule module("m");
  HloComputation* entry = module.AddComputation("e");
  entry->AddInstruction(HloInstruction::CreateParameter(0, bare, "p"));
  Shape flat = ShapeUtil::MakeShape(F32, {1});
  flat.clear_layout();
  entry->set_root_instruction(
      entry->AddInstruction(HloInstruction::CreateBitcast(flat, entry->parameter_instruction(0))));
  module.set_entry_computation(entry);
  const Literal argument = LiteralUtil::CreateR2<float>({{7}});
  ASSERT_OK_AND_ASSIGN(const Literal result, HloEvaluator().Evaluate(*entry, {&argument}));
  EXPECT_EQ(result, LiteralUtil::CreateR1<float>({7}));
}

TEST(HloEvaluatorTest, KnownElementsOfTuplesOfUnknownOnes) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  p = f32[] parameter(0)
  c = f32[] constant(5)
  inner = (f32[], f32[]) tuple(p, c)
  outer = (f32[], (f32[], f32[])) tuple(p, inner)
  part = (f32[], f32[]) get-tuple-element(outer), index=1
  again = ((f32[], f32[]), f32[]) tuple(part, p)
  back = (f32[], f32[]) get-tuple-element(again), index=0
  lost = f32[] get-tuple-element(back), index=0
  ROOT known = f32[] get-tuple-element(back), index=1
})");
  const HloComputation& entry = *module->entry_computation();
  Literal value;
  EXPECT_TRUE(HloEvaluator().TryEvaluate(entry.root_instruction(), &value,
                                         /*recursively_evaluate_nonconstant_operands=*/true));
  EXPECT_EQ(value, LiteralUtil::CreateR0<float>(5));
  EXPECT_FALSE(HloEvaluator().TryEvaluate(entry.GetInstructionWithName("lost"), &value, true));
}

// Two loops that count to their second element, which the body leaves alone; `second` is what the
// second loop starts with.
std::unique_ptr<HloModule> TwoLoops(std::string_view second) {
  return Parse(absl::StrCat(R"(HloModule m
body {
  p = (s32[], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  x = f32[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT r = (s32[], s32[], f32[]) tuple(next, n, x)
}
condition {
  p = (s32[], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  less = pred[] compare(i, n), direction=LT
  ROOT c = pred[] copy(less)
}
body2 {
  p = (s32[], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  x = f32[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT r = (s32[], s32[], f32[]) tuple(next, n, x)
}
condition2 {
  p = (s32[], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[] parameter(0)
  zero = s32[] constant(0)
  ten = s32[] constant(10)
  init = (s32[], s32[], f32[]) tuple(zero, ten, x)
  first = (s32[], s32[], f32[]) while(init), condition=condition, body=body
  counter = s32[] get-tuple-element(first), index=0
  init2 = (s32[], s32[], f32[]) tuple(zero, )",
                            std::string(second), R"(, x)
  ROOT second = (s32[], s32[], f32[]) while(init2), condition=condition2, body=body2
})"));
}

TEST(WhileLoopTest, BoundsOfOtherLoopsAreKnown) {
  const auto module = TwoLoops("counter");
  for (const char* name : {"first", "second"}) {
    const std::optional<ParsedWhileLoop> loop =
        PatternMatchParseWhileLoop(module->entry_computation()->GetInstructionWithName(name));
    ASSERT_TRUE(loop.has_value()) << name;
    ASSERT_FALSE(loop->is_dynamic()) << name;
    EXPECT_EQ(loop->static_while_loop->trip_count, 10) << name;
    EXPECT_EQ(loop->static_while_loop->loop_bound, 10) << name;
  }
}

TEST(WhileLoopTest, InnerLoopsSeeWhatTheOuterLoopDoesNotChange) {
  const auto module = Parse(R"(HloModule m
inner_body {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  two = s32[] constant(2)
  next = s32[] add(i, two)
  ROOT r = (s32[], s32[]) tuple(next, n)
}
inner_condition {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  fixed = s32[] get-tuple-element(p), index=1
  changed = s32[] get-tuple-element(p), index=2
  zero = s32[] constant(0)
  known_init = (s32[], s32[]) tuple(zero, fixed)
  known = (s32[], s32[]) while(known_init), condition=inner_condition, body=inner_body
  lost_init = (s32[], s32[]) tuple(zero, changed)
  lost = (s32[], s32[]) while(lost_init), condition=inner_condition, body=inner_body
  sum = s32[] get-tuple-element(lost), index=0
  ROOT r = (s32[], s32[], s32[]) tuple(i, fixed, sum)
}
condition {
  p = (s32[], s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = s32[] parameter(0)
  six = s32[] constant(6)
  init = (s32[], s32[], s32[]) tuple(x, six, six)
  ROOT loop = (s32[], s32[], s32[]) while(init), condition=condition, body=body
})");
  const HloComputation& body = *module->GetComputationWithName("body");
  const auto known = PatternMatchParseWhileLoop(body.GetInstructionWithName("known"));
  ASSERT_TRUE(known.has_value() && !known->is_dynamic());
  EXPECT_EQ(known->static_while_loop->trip_count, 3);
  EXPECT_EQ(known->static_while_loop->step_size, 2);
  const auto unknown = PatternMatchParseWhileLoop(body.GetInstructionWithName("lost"));
  ASSERT_TRUE(unknown.has_value());
  EXPECT_TRUE(unknown->is_dynamic());
}

}  // namespace
}  // namespace xla
