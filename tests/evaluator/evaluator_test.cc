// SPDX-License-Identifier: Apache-2.0
// HloEvaluator: its errors, what it evaluates although other values are not known, and the loops
// that PatternMatchParseWhileLoop recognizes.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
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

// What the condition and the step say, and the trips and the bound that follow.
TEST(WhileLoopTest, BoundsAreThoseOfTheCondition) {
  struct Case {
    int start, step, bound;
    const char* direction;
    int64_t trips;  // -1: not known
  };
  for (const Case& c : {Case{0, 3, 10, "LT", 4}, Case{0, 3, 9, "LE", 4}, Case{7, 1, 7, "LT", 0},
                        Case{7, 1, 7, "LE", 1}, Case{9, 1, 7, "LE", 0}, Case{10, -4, 0, "GT", 3},
                        Case{10, -5, 0, "GE", 3}, Case{0, -1, 10, "LT", -1}}) {
    const auto module = Parse(absl::Substitute(R"(HloModule m
body {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[] get-tuple-element(p), index=1
  step = s32[] constant($1)
  next = s32[] add(i, step)
  ROOT r = (s32[], f32[]) tuple(next, x)
}
condition {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  bound = s32[] constant($2)
  ROOT c = pred[] compare(i, bound), direction=$3
}
ENTRY e {
  x = f32[] parameter(0)
  start = s32[] constant($0)
  init = (s32[], f32[]) tuple(start, x)
  ROOT loop = (s32[], f32[]) while(init), condition=condition, body=body
})",
                                               c.start, c.step, c.bound, c.direction));
    SCOPED_TRACE(module->ToString());
    const std::optional<ParsedWhileLoop> loop =
        PatternMatchParseWhileLoop(module->entry_computation()->root_instruction());
    if (c.trips < 0) {
      EXPECT_FALSE(loop.has_value() && !loop->is_dynamic());
      continue;
    }
    ASSERT_TRUE(loop.has_value() && !loop->is_dynamic());
    EXPECT_EQ(loop->static_while_loop->trip_count, c.trips);
    EXPECT_EQ(loop->static_while_loop->induction_var_index, 0);
    EXPECT_EQ(loop->static_while_loop->induction_var_init_value, c.start);
    EXPECT_EQ(loop->static_while_loop->step_size, c.step);
    EXPECT_EQ(loop->static_while_loop->loop_bound, c.bound);
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

// What the handler is told of a dot or a convolution adds up to its result.
void ExpectTracedProductsAddUp(std::string_view text) {
  const auto module = Parse(text);
  const HloComputation& entry = *module->entry_computation();
  std::vector<Literal> arguments;
  for (int i = 0; i < 2; ++i) {
    Literal& argument = arguments.emplace_back(entry.parameter_instruction(i)->shape());
    float value = static_cast<float>(i) + 1;
    for (float& element : argument.data<float>()) element = value += 1;
  }
  HloEvaluator evaluator;
  Literal sums(entry.root_instruction()->shape());
  evaluator.set_trace_mac_handler([&](int64_t result, int64_t lhs, int64_t rhs) {
    sums.data<float>().at(static_cast<size_t>(result)) +=
        arguments[0].data<float>().at(static_cast<size_t>(lhs)) *
        arguments[1].data<float>().at(static_cast<size_t>(rhs));
  });
  ASSERT_OK_AND_ASSIGN(const Literal result,
                       evaluator.Evaluate(*module, {&arguments[0], &arguments[1]}));
  EXPECT_EQ(sums, result) << text;
}

TEST(HloEvaluatorTest, TracesProducts) {
  const auto expect = [](std::string_view shapes, std::string_view operation) {
    ExpectTracedProductsAddUp(absl::StrCat("HloModule m\nENTRY e {\n", std::string(shapes),
                                           "  ROOT r = ", std::string(operation), "\n}"));
  };
  constexpr char kMatrices[] =
      "  a = f32[2,3,4,5] parameter(0)\n  b = f32[4,6,2,5,2] parameter(1)\n";
  expect(kMatrices,
         "f32[2,3,6,2] dot(a, b), lhs_contracting_dims={3,2}, rhs_contracting_dims={3,0}, "
         "lhs_batch_dims={0}, rhs_batch_dims={4}");
  expect("  a = f32[2,3] parameter(0)\n  b = f32[3,4] parameter(1)\n",
         "f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  constexpr char kImages[] = "  a = f32[2,5,6,4] parameter(0)\n  b = f32[3,2,2,6] parameter(1)\n";
  for (const char* const window :
       {"size=3x2", "size=3x2 stride=2x1", "size=3x2 pad=1_2x0_1", "size=3x2 lhs_dilate=2x3",
        "size=3x2 rhs_dilate=1x2", "size=3x2 rhs_reversal=1x0",
        "size=3x2 stride=2x3 pad=2_1x1_-1 lhs_dilate=3x2 rhs_dilate=2x1 rhs_reversal=0x1"}) {
    expect(kImages, absl::StrCat("convolution(a, b), window={", window,
                                 "}, dim_labels=b01f_01io->b01f, feature_group_count=2"));
  }
  expect(kImages,
         "convolution(a, b), window={size=3x2 stride=2x1 pad=1_2x0_1}, "
         "dim_labels=b01f_01io->1fb0, feature_group_count=2");
  expect("  a = f32[4,5,6,2] parameter(0)\n  b = f32[3,2,2,6] parameter(1)\n",
         "convolution(a, b), window={size=3x2}, dim_labels=b01f_01io->b01f, batch_group_count=2");
}

TEST(HloEvaluatorTest, DetailsOfErrorsAreReadFromTheirPayloads) {
  using internal::EvalErrorDetail;
  const auto parsed = [](const std::string& bytes) {
    absl::Status error = absl::InvalidArgumentError("error");
    error.SetPayload(internal::kEvalErrorDetailUrl, absl::Cord(bytes));
    return internal::ParseEvalErrorDetail(error);
  };
  EXPECT_EQ(parsed(std::string(4, '\0')), EvalErrorDetail::kDynamicValueDependence);
  EXPECT_EQ(parsed(std::string("\x01\x02\x00\x00", 4)), static_cast<EvalErrorDetail>(0x201));
  EXPECT_EQ(parsed("123"), std::nullopt);
  EXPECT_EQ(internal::ParseEvalErrorDetail(absl::InvalidArgumentError("error")), std::nullopt);
}

}  // namespace
}  // namespace xla
