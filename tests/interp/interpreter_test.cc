// SPDX-License-Identifier: Apache-2.0
// Running modules: arguments, results, memory, limits, control flow, dynamic sizes.
#include "xla/interpreter/interpreter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/eval_program.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/evaluator.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla::interpreter {
namespace {

absl::StatusOr<Literal> RunText(const std::string& text,
                                const std::vector<const Literal*>& arguments = {},
                                const InterpreterOptions& options = {},
                                RunStatistics* statistics = nullptr) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) return module.status();
  return Interpret(**module, arguments, options, statistics);
}

std::string RunToString(const std::string& text) {
  absl::StatusOr<Literal> result = RunText(text);
  return result.ok() ? result->ToStringOneline() : std::string(result.status().message());
}

TEST(InterpreterTest, ArgumentsAndResultsHaveAnyLayout) {
  const std::string text = R"(
HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}
ENTRY e {
  p = f32[2,3] parameter(0)
  i = f32[2,3] iota(), iota_dimension=1
  ROOT r = f32[2,3] subtract(p, i)
})";
  Literal row_major = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  for (const std::vector<int64_t>& order : {std::vector<int64_t>{1, 0}, {0, 1}}) {
    const Literal argument = row_major.Relayout(LayoutUtil::MakeLayout(order));
    ASSERT_OK_AND_ASSIGN(const Literal result, RunText(text, {&argument}));
    EXPECT_EQ(result, LiteralUtil::CreateR2<float>({{1, 1, 1}, {4, 4, 4}}));
    EXPECT_EQ(result.shape().layout().minor_to_major(0), 0);
  }
}

TEST(InterpreterTest, PaddedArgumentsAndResults) {
  const std::string text = R"(
HloModule m
ENTRY e {
  p = s32[2,3] parameter(0)
  ROOT r = s32[2,3] add(p, p)
})";
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<HloModule> module, ParseAndReturnUnverifiedModule(text));
  const Shape padded = ShapeUtil::MakeShapeWithPaddedLayout(S32, {2, 3}, {0, 1}, {3, 5});
  *module->config().mutable_entry_computation_layout()->mutable_result() = padded;
  const Literal dense = LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  const Literal argument = dense.Relayout(padded);
  ASSERT_OK_AND_ASSIGN(const Literal result, Interpret(*module, {&argument}));
  EXPECT_EQ(result, LiteralUtil::CreateR2<int32_t>({{2, 4, 6}, {8, 10, 12}}));
  EXPECT_EQ(result.size_bytes(), 15 * 4);
}

TEST(InterpreterTest, WrongArgumentsAreErrorsInWords) {
  const std::string text = R"(
HloModule m
ENTRY e {
  p = f32[2] parameter(0)
  ROOT r = f32[2] negate(p)
})";
  const Literal longer = LiteralUtil::CreateR1<float>({1, 2, 3});
  const Literal integers = LiteralUtil::CreateR1<int32_t>({1, 2});
  EXPECT_ERROR(RunText(text), "takes 1 arguments; 0 were given");
  EXPECT_ERROR(RunText(text, {&longer}),
               "argument 0 has shape f32[3], but parameter p has shape f32[2]");
  EXPECT_ERROR(RunText(text, {&integers}), "argument 0 has shape s32[2]");
}

TEST(InterpreterTest, ErrorsNameTheInstruction) {
  const std::string text = R"(
HloModule m
f {
  a = f32[2] parameter(0)
  ROOT bad.call = f32[2] custom-call(a), custom_call_target="nobody.knows"
}
ENTRY e {
  p = f32[2] constant({1, 2})
  ROOT r = f32[2] call(p), to_apply=f
})";
  InterpreterOptions options;
  options.custom_calls = CheckCustomCalls();
  EXPECT_STATUS(RunText(text, {}, options), absl::StatusCode::kUnimplemented, "bad.call");
  EXPECT_ERROR(RunText(text, {}, options), "check.expect_close");
}

TEST(InterpreterTest, ProductsOfComplexNumbersAreComplex) {
  for (const char* operation : {"dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                                "convolution(p, p), dim_labels=bf_io->bf"}) {
    for (const char* type : {"s16", "f32"}) {
      const std::string text = absl::StrCat(
          "HloModule m\nENTRY e {\n  p = c64[1,1] constant({{(1, 2)}})\n  ROOT r = ", type,
          "[1,1] ", operation, "\n}\n");
      EXPECT_STATUS(RunText(text), absl::StatusCode::kUnimplemented, type);
    }
  }
}

// A loop that updates a large array: one buffer moves from trip to trip.
constexpr char kUpdatingLoop[] = R"(
HloModule m
body {
  t = (s32[], f32[1000,1000]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  a = f32[1000,1000] get-tuple-element(t), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  zero = s32[] constant(0)
  row = f32[1,1000] slice(f32[1000,1000] a), slice={[0:1],[0:1000]}
  more = f32[1,1000] add(row, row)
  b = f32[1000,1000] dynamic-update-slice(a, more, i, zero)
  ROOT r = (s32[], f32[1000,1000]) tuple(next, b)
}
condition {
  t = (s32[], f32[1000,1000]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(500)
  ROOT r = pred[] compare(i, n), direction=LT
}
ENTRY e {
  one = f32[] constant(1)
  a = f32[1000,1000] broadcast(one), dimensions={}
  zero = s32[] constant(0)
  t = (s32[], f32[1000,1000]) tuple(zero, a)
  w = (s32[], f32[1000,1000]) while(t), condition=condition, body=body
  s = f32[1000,1000] get-tuple-element(w), index=1
  ROOT last = f32[1,2] slice(s), slice={[499:500],[0:2]}
})";

TEST(InterpreterTest, LoopCarriesAreUpdatedInPlace) {
  RunStatistics statistics;
  ASSERT_OK_AND_ASSIGN(const Literal result, RunText(kUpdatingLoop, {}, {}, &statistics));
  EXPECT_EQ(result, LiteralUtil::CreateR2<float>({{4, 4}}));
  EXPECT_LT(statistics.peak_bytes, 4'100'000);
  EXPECT_GT(statistics.instructions, 500 * 5);
}

TEST(InterpreterTest, TheMemoryLimitHolds) {
  InterpreterOptions options;
  options.memory_limit_bytes = 3'000'000;
  EXPECT_STATUS(RunText(kUpdatingLoop, {}, options), absl::StatusCode::kResourceExhausted,
                "memory limit of 3000000");
}

TEST(InterpreterTest, OperandsOthersUseAreNotOverwritten) {
  EXPECT_EQ(
      RunToString(R"(
HloModule m
ENTRY e {
  i = s32[4] iota(), iota_dimension=0
  j = s32[4] add(i, i)
  k = s32[4] multiply(j, j)
  z = s32[] constant(1)
  v = s32[2] constant({-1, -2})
  d = s32[4] dynamic-update-slice(j, v, z)
  ROOT r = (s32[4], s32[4], s32[4], s32[4]) tuple(i, j, k, d)
})"),
      "( s32[4] {0, 1, 2, 3}, s32[4] {0, 2, 4, 6}, s32[4] {0, 4, 16, 36}, s32[4] {0, -1, -2, 6} )");
}

TEST(InterpreterTest, DeepCallsAreAnError) {
  std::string text = "HloModule m\nlevel0 { ROOT p = f32[] parameter(0) }\n";
  for (int i = 1; i <= 1100; ++i) {
    absl::StrAppend(&text, "level", i,
                    " { p = f32[] parameter(0) ROOT r = f32[] call(p), to_apply=level", i - 1,
                    " }\n");
  }
  const auto entry = [](int depth) {
    return absl::StrCat("ENTRY e { c = f32[] constant(2) ROOT r = f32[] call(c), to_apply=level",
                        depth, " }\n");
  };
  EXPECT_EQ(RunToString(text + entry(900)), "f32[] 2");
  EXPECT_STATUS(RunText(text + entry(1100)), absl::StatusCode::kResourceExhausted,
                "nest deeper than 1000");
}

constexpr char kEndlessLoop[] = R"(
HloModule m
body { ROOT t = (s32[]) parameter(0) }
condition { t = (s32[]) parameter(0) ROOT r = pred[] constant(true) }
ENTRY e {
  c = s32[] constant(0)
  t = (s32[]) tuple(c)
  ROOT w = (s32[]) while(t), condition=condition, body=body
})";

TEST(InterpreterTest, ARunCanBeCancelledAndShowsItsProgress) {
  std::atomic<bool> cancel = false;
  InterpreterOptions options;
  options.cancel = &cancel;
  int calls = 0;
  std::string name;
  options.progress = [&](int64_t, const HloInstruction& current) {
    name = current.name();
    if (++calls == 2) cancel = true;
  };
  EXPECT_STATUS(RunText(kEndlessLoop, {}, options), absl::StatusCode::kCancelled, "cancelled");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(name, "w");
}

TEST(InterpreterTest, ABranchOutOfRangeIsTheLast) {
  for (const auto& [index, expected] : {std::pair<int, const char*>{-1, "f32[] 3"},
                                        {0, "f32[] 1"},
                                        {1, "f32[] 2"},
                                        {2, "f32[] 3"},
                                        {3, "f32[] 3"}}) {
    EXPECT_EQ(RunToString(absl::StrCat(R"(
HloModule m
a { p = f32[] parameter(0) ROOT r = f32[] constant(1) }
b { p = f32[] parameter(0) ROOT r = f32[] constant(2) }
c { p = f32[] parameter(0) ROOT r = f32[] constant(3) }
ENTRY e {
  i = s32[] constant()",
                                       index, R"()
  x = f32[] constant(0)
  ROOT r = f32[] conditional(i, x, x, x), branch_computations={a, b, c}
})")),
              expected);
  }
}

TEST(InterpreterTest, DeadSideEffectsRunAndDeadArithmeticDoesNot) {
  // The failing check is not reached from the root, but through a call.
  const std::string text = R"(
HloModule m
f {
  a = f32[] parameter(0)
  two = f32[] constant(2)
  c = () custom-call(a, two), custom_call_target="check.expect_eq", custom_call_has_side_effect=true
  ROOT r = f32[] negate(a)
}
ENTRY e {
  one = f32[] constant(1)
  huge = f32[100000,100000,1000] broadcast(one), dimensions={}
  unused = f32[] call(one), to_apply=f
  ROOT r = f32[] constant(5)
})";
  InterpreterOptions options;
  options.custom_calls = CheckCustomCalls();
  EXPECT_ERROR(RunText(text, {}, options),
               "check failed: 1 of 1 elements differ; the worst at []: 1, expected 2");
}

TEST(InterpreterTest, ResultsDoNotDependOnTheNumberOfThreads) {
  const std::string text = R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  i = f32[300,1000] iota(), iota_dimension=1
  j = f32[300,1000] iota(), iota_dimension=0
  q = f32[300,1000] sine(i)
  s = f32[300,1000] add(q, j)
  z = f32[] constant(0)
  ROOT r = f32[300] reduce(s, z), dimensions={1}, to_apply=add
})";
  InterpreterOptions one, many;
  one.num_threads = 1;
  many.num_threads = 5;
  ASSERT_OK_AND_ASSIGN(const Literal first, RunText(text, {}, one));
  ASSERT_OK_AND_ASSIGN(const Literal second, RunText(text, {}, many));
  EXPECT_EQ(first, second);
}

TEST(InterpreterTest, ShapesOfTheRunAreKeptOnce) {
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<HloModule> module,
                       ParseAndReturnUnverifiedModule("HloModule m\nENTRY e { ROOT c = f32[] "
                                                      "constant(1) }"));
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<EvalProgram> program, EvalProgram::Create(*module));
  const InterpreterOptions options;
  EvalState state(*program, 1, 1, options);
  EvalContext ctx(&state);
  const Shape& shape = ctx.InternShape(Shape(F32, {2, 3}));
  const Shape& other = ctx.InternShape(Shape(F64, {2, 3}));
  EXPECT_NE(&shape, &other);
  // Addresses stay, and an operation that is run again adds nothing.
  for (int64_t i = 0; i < 1000; ++i) ctx.InternShape(Shape(F32, {i}));
  EXPECT_EQ(&ctx.InternShape(Shape(F32, {2, 3})), &shape);
  EXPECT_EQ(shape, Shape(F32, {2, 3}));
}

// XLA's verifier lets these pass; its compiler refuses the one and ends its process on the other.
TEST(InterpreterTest, ComplexNumbersHaveNoOrder) {
  EXPECT_ERROR(RunText("HloModule m\nENTRY e { c = c64[2] constant({(1, 0), (2, 0)}) ROOT t = "
                       "(c64[1], s32[1]) topk(c), k=1, largest=true }"),
               "the order of complex numbers is not defined");
  EXPECT_ERROR(RunText("HloModule m\nENTRY e { c = c128[] constant((1, 0)) ROOT t = c128[] "
                       "clamp(c, c, c) }"),
               "the order of complex numbers is not defined");
}

TEST(InterpreterTest, EveryOperationIsThere) {
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    EXPECT_NE(GetEvalFunction(opcode), nullptr) << HloOpcodeString(opcode);
  }
}

// Dynamic sizes: [5] of at most 8.
TEST(DynamicSizesTest, FlowThroughOperations) {
  const std::string prefix = R"(
HloModule m
ENTRY e {
  i = s32[8] iota(), iota_dimension=0
  n = s32[] constant(5)
  d = s32[<=8] set-dimension-size(i, n), dimensions={0}
)";
  EXPECT_EQ(RunToString(prefix + "ROOT r = s32[<=8] negate(d) }"),
            "s32[<=8](5) {0, -1, -2, -3, -4}");
  EXPECT_EQ(RunToString(prefix + "ROOT r = s32[<=8] reverse(d), dimensions={0} }"),
            "s32[<=8](5) {4, 3, 2, 1, 0}");
  EXPECT_EQ(RunToString(prefix + "ROOT r = s32[] get-dimension-size(d), dimensions={0} }"),
            "s32[] 5");
  EXPECT_EQ(RunToString(prefix + "ROOT r = s32[<=16] concatenate(d, d), dimensions={0} }"),
            "s32[<=16](10) {0, 1, 2, 3, 4, 0, 1, 2, 3, 4}");
  EXPECT_EQ(RunToString(prefix + "ROOT r = s32[<=10] pad(d, n), padding=1_1 }"),
            "s32[<=10](7) {5, 0, 1, 2, 3, 4, 5}");
  EXPECT_EQ(
      RunToString(prefix +
                  "b = s32[<=8,2] broadcast(d), dimensions={0} ROOT r = s32[<=16] reshape(b) }"),
      "s32[<=16](10) {0, 0, 1, 1, 2, 2, 3, 3, 4, 4}");
  EXPECT_EQ(
      RunToString(prefix +
                  "b = s32[2,<=8] broadcast(d), dimensions={1} ROOT r = s32[<=16] reshape(b) }"),
      "s32[<=16](10) {0, 1, 2, 3, 4, 0, 1, 2, 3, 4}");
  EXPECT_EQ(RunToString(prefix + "b = s32[2,<=8] broadcast(d), dimensions={1} "
                                 "ROOT r = s32[<=8,2] transpose(b), dimensions={1,0} }"),
            "s32[<=8,2](5,2) { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 4 } }");
}

// The verifier lets a result have the bounds of its operands as fixed sizes. The memory of the
// sevens is used again.
TEST(DynamicSizesTest, WhatNoOperandHasIsZero) {
  EXPECT_EQ(RunToString(R"(
HloModule m
ENTRY e {
  seven = s32[] constant(7)
  three = s32[] constant(3)
  numbers = s32[4] constant({1, 2, 3, 4})
  some = s32[<=4] set-dimension-size(numbers, three), dimensions={0}
  sevens = s32[8] broadcast(seven), dimensions={}
  last = s32[1] slice(sevens), slice={[7:8]}
  after = s32[4] concatenate(last, last, last, last), dimensions={0}
  ROOT r = s32[8] concatenate(some, after), dimensions={0}
})"),
            "s32[8] {1, 2, 3, 7, 7, 7, 7, 0}");
}

TEST(DynamicSizesTest, ASizeBeyondTheBoundIsAnError) {
  EXPECT_ERROR(RunText(R"(
HloModule m
ENTRY e {
  i = s32[8] iota(), iota_dimension=0
  n = s32[] constant(9)
  ROOT d = s32[<=8] set-dimension-size(i, n), dimensions={0}
})"),
               "size 9 of dimension 0 is not within the bound 8");
}

TEST(DynamicSizesTest, AnArgumentMayBeSmallerThanItsBound) {
  const std::string text = R"(
HloModule m
ENTRY e {
  p = s32[<=4,2] parameter(0)
  ROOT r = s32[<=4,2] negate(p)
})";
  const Literal argument = LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}});
  ASSERT_OK_AND_ASSIGN(const Literal result, RunText(text, {&argument}));
  EXPECT_EQ(result.GetDynamicSize(0), 2);
  EXPECT_EQ(result.Get<int32_t>({1, 1}), -4);
}

TEST(DynamicSizesTest, AnArgumentWithSizesAtRunTimeFitsDynamicParametersAlone) {
  const auto program = [](const std::string& type) {
    return absl::StrCat("HloModule m\nENTRY e { p = ", type, " parameter(0) ROOT r = ", type,
                        " negate(p) }");
  };
  ASSERT_OK_AND_ASSIGN(Literal three,
                       Literal::Make(ShapeUtil::MakeShape(S32, {4}, std::vector<bool>{true})));
  three.PopulateR1<int32_t>({1, 2, 3, 4});
  three.SetDynamicSize(0, 3);
  ASSERT_OK_AND_ASSIGN(const Literal result, RunText(program("s32[<=4]"), {&three}));
  EXPECT_EQ(result.ToStringOneline(), "s32[<=4](3) {-1, -2, -3}");
  ASSERT_OK_AND_ASSIGN(const Literal wider, RunText(program("s32[<=5]"), {&three}));
  EXPECT_EQ(wider.ToStringOneline(), "s32[<=5](3) {-1, -2, -3}");
  EXPECT_ERROR(RunText(program("s32[<=3]"), {&three}),
               "argument 0 has shape s32[<=4], but parameter p has shape s32[<=3]");
  EXPECT_ERROR(RunText(program("s32[4]"), {&three}),
               "argument 0 has shape s32[<=4], but parameter p has shape s32[4]");
  // In a tuple too, and whatever the sizes are.
  three.SetDynamicSize(0, 4);
  Literal pair = LiteralUtil::MakeTuple({&three, &three});
  EXPECT_ERROR(
      RunText("HloModule m\nENTRY e { p = (s32[<=4], s32[4]) parameter(0) "
              "ROOT r = s32[4] get-tuple-element(p), index=1 }",
              {&pair}),
      "argument 0 has shape (s32[<=4], s32[<=4]), but parameter p has shape (s32[<=4], s32[4])");
}

TEST(DynamicSizesTest, MatricesAreSquareAtRunTime) {
  const std::string prefix = R"(
HloModule m
ENTRY e {
  a = f32[3,3] constant({{4, 2, 0}, {2, 5, 0}, {0, 0, 1}})
  two = s32[] constant(2)
  d = f32[<=3,3] set-dimension-size(a, two), dimensions={0}
)";
  EXPECT_ERROR(RunText(prefix + "ROOT c = f32[<=3,3] cholesky(d), lower=true }"),
               "the matrices of f32[<=3,3] are 2 x 3 at run time: they must be square");
  EXPECT_ERROR(RunText(prefix + "ROOT x = f32[3,3] triangular-solve(d, a), left_side=true, "
                                "lower=true, transpose_a=NO_TRANSPOSE }"),
               "the matrices of f32[<=3,3] are 2 x 3 at run time: they must be square");
  EXPECT_ERROR(RunText(prefix + "ROOT x = f32[<=3,3] triangular-solve(a, d), left_side=true, "
                                "lower=true, transpose_a=NO_TRANSPOSE }"),
               "3 x 3 matrices cannot solve for 2 rows of f32[<=3,3]");
  EXPECT_ERROR(RunText(prefix + "t = f32[3,<=3] transpose(d), dimensions={1,0} ROOT x = f32[3,<=3] "
                                "triangular-solve(a, t), left_side=false, lower=true, "
                                "transpose_a=NO_TRANSPOSE }"),
               "3 x 3 matrices cannot solve for 2 columns of f32[3,<=3]");
  EXPECT_ERROR(RunText(prefix + "z = c64[<=3,3] convert(d) t = c64[3,<=3] transpose(z), "
                                "dimensions={1,0} ROOT x = c64[3,<=3] fft(t), fft_type=FFT, "
                                "fft_length={3} }"),
               "dimension 1 of c64[3,<=3] has size 2 at run time, but fft_length={3}");
}

// XLA's own custom calls are not verified: what they rely on is checked where they run.
TEST(DynamicSizesTest, CallsOfWindowsThatMakeNoSenseAreErrors) {
  const auto run = [](const std::string& call) {
    return RunText(absl::StrCat(R"(
HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
ENTRY e {
  zero = f32[] constant(0)
  two = s32[] constant(2)
  all = f32[1,5,1] constant({{{1}, {2}, {3}, {4}, {5}}})
  x = f32[1,<=5,1] set-dimension-size(all, two), dimensions={1}
  row = f32[<=5] reshape(x)
  k = f32[3,1,1] constant({{{1}}, {{10}}, {{100}}})
  sizes = s32[3] constant({1, 9, 1})
  wide = s64[3] constant({1, 2, 1})
  pair = (f32[], f32[]) tuple(zero, zero)
  ROOT r = )",
                                call, " }"));
  };
  const std::string forward =
      ", dim_labels=b0f_0io->b0f, padding_type=PADDING_SAME, "
      "custom_call_target=\"DynamicConvolutionForward\"";
  const std::string back =
      ", window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, "
      "padding_type=PADDING_SAME, "
      "custom_call_target=\"DynamicConvolutionInputGrad\"";
  EXPECT_OK(run("f32[1,<=5,1] custom-call(x, k), window={size=3 pad=1_1}" + forward));
  EXPECT_ERROR(run("f32[1,<=5,1] custom-call(x, k)" + forward),
               "it must have a window and dim_labels");
  EXPECT_ERROR(run("f32[1,<=5,1] custom-call(x, k), window={size=3 pad=1_1}, "
                   "dim_labels=b0f_0io->b0f, custom_call_target=\"DynamicConvolutionForward\""),
               "its padding_type must be PADDING_SAME or PADDING_VALID");
  EXPECT_ERROR(run("f32[1,<=5,1] custom-call(x), window={size=3 pad=1_1}" + forward),
               "it takes 2 operands and 0 computations, not 1 and 0");
  EXPECT_ERROR(run("f32[1,<=5,1] custom-call(x, pair), window={size=3 pad=1_1}" + forward),
               "its operands must be arrays");
  EXPECT_ERROR(run("f32[1,<=6,1] custom-call(x, k), window={size=3 pad=1_1}" + forward),
               "its operands imply a result of f32[1,<=5,1]");
  EXPECT_ERROR(run("s32[1,<=5,1] custom-call(x, k), window={size=3 pad=1_1}" + forward),
               "its operands imply a result of f32[1,<=5,1]");
  EXPECT_ERROR(run("f32[1,<=5,1] custom-call(x, k), window={size=4 pad=1_1}" + forward), "window");
  EXPECT_ERROR(
      run("f32[1,<=9,1] custom-call(x, k), window={size=3 pad=1_1 lhs_dilate=2}" + forward),
      "must not have base dilation");
  // Without the padding that SAME takes, the bound is too small.
  EXPECT_ERROR(run("f32[1,<=1,1] custom-call(x, k), window={size=3 pad=0_-2}" + forward),
               "the size 2 of dimension 1 at run time is not within its bound 1");
  EXPECT_ERROR(run("f32[1,<=5,1] custom-call(wide, x, k)" + back),
               "the sizes of its result are s32[3], not s64[3]");
  EXPECT_ERROR(run("f32[1,<=5,1] custom-call(sizes, x, k)" + back),
               "the size 9 of dimension 1 at run time is not within its bound 5");
  EXPECT_ERROR(run("f32[<=5] custom-call(row, zero), window={size=3 pad=1_1}, "
                   "custom_call_target=\"DynamicReduceWindowSamePadding\""),
               "it takes 2 operands and 1 computations, not 2 and 0");
  EXPECT_ERROR(run("f32[<=5] custom-call(row, zero), to_apply=sum, "
                   "custom_call_target=\"DynamicReduceWindowSamePadding\""),
               "it must have a window");
  EXPECT_ERROR(run("f64[<=5] custom-call(row, zero), window={size=3 pad=1_1}, to_apply=sum, "
                   "custom_call_target=\"DynamicReduceWindowSamePadding\""),
               "must have the same element type");
  EXPECT_ERROR(run("f32[<=5] custom-call(row, row, zero), window={size=3 pad=1_1}, "
                   "called_computations={sum, sum}, "
                   "custom_call_target=\"DynamicSelectAndScatterSamePadding\""),
               "elect");
  EXPECT_ERROR(run("f32[<=3] custom-call(row), custom_call_target=\"SPMDFullToShardShape\""),
               "the result must have the shape of the only operand");
}

TEST(LayoutTest, BitcastReadsMemory) {
  // Column-major [2,3] of 1..6 lies as 1 4 2 5 3 6.
  EXPECT_EQ(RunToString(R"(
HloModule m
ENTRY e {
  c = s32[2,3]{0,1} constant({{1, 2, 3}, {4, 5, 6}})
  ROOT r = s32[6]{0} bitcast(c)
})"),
            "s32[6] {1, 4, 2, 5, 3, 6}");
  EXPECT_EQ(RunToString(R"(
HloModule m
ENTRY e {
  c = s32[2,3]{1,0} constant({{1, 2, 3}, {4, 5, 6}})
  ROOT r = s32[2,3]{0,1} bitcast(c)
})"),
            "s32[2,3] { { 1, 3, 5 }, { 2, 4, 6 } }");
}

TEST(AsyncTest, StartAndDoneHandOn) {
  EXPECT_EQ(RunToString(R"(
HloModule m
f { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }
ENTRY e {
  c = f32[2] constant({1, 2})
  s = ((f32[2]), f32[2], u32[]) async-start(c), calls=f
  u = ((f32[2]), f32[2], u32[]) async-update(s)
  d = f32[2] async-done(u)
  cs = (f32[2], f32[2], u32[]) copy-start(d)
  cd = f32[2] copy-done(cs)
  t = token[] after-all()
  ROOT a = f32[2] add-dependency(cd, t)
})"),
            "f32[2] {-1, -2}");
}

}  // namespace
}  // namespace xla::interpreter
