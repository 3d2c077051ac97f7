// SPDX-License-Identifier: Apache-2.0
// Programs with planted faults become small and keep their faults.
#include "xla/debugging/reduction.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/debugging/planted_faults.h"
#include "tests/test_util.h"
#include "xla/array2d.h"
#include "xla/base/status_macros.h"
#include "xla/debugging/observed_values.h"
#include "xla/debugging/pass_bisection.h"
#include "xla/debugging/reduction_edits.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"
#include "xla/passes/pass.h"

namespace xla {
namespace {

constexpr int kInstructions = 400;

Literal Waves(double phase) {
  Array2D<float> values(8, 8);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j)
      values(i, j) = static_cast<float>(0.75 * std::sin(1.7 * i + 0.3 * j * j + phase));
  }
  return LiteralUtil::CreateR2FromArray2D(values);
}

ReducibleProgram Program(const std::string& text) {
  ReducibleProgram program;
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module.status());
  program.module = *std::move(module);
  EXPECT_OK(VerifyModule(*program.module));
  program.has_arguments = true;
  program.arguments.push_back(Waves(0));
  program.arguments.push_back(Waves(1));
  return program;
}

absl::StatusOr<Literal> Evaluate(const HloModule& module, const std::vector<Literal>& arguments,
                                 NonFiniteSearch* search = nullptr) {
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  InterpreterOptions options;
  options.num_threads = 1;
  if (search != nullptr) options.observe = search->Observer();
  return Interpret(module, pointers, options);
}

std::string NameOf(const char* name) {
  std::string out;
  for (const char* c = name; *c != 0; ++c) {
    if (std::isalnum(*c) != 0) out.push_back(*c);
  }
  return out;
}

// --- NaNs of programs

class PlantedNanTest : public ::testing::TestWithParam<size_t> {};

TEST_P(PlantedNanTest, IsFoundAndReduced) {
  const testing::PlantedNan& planted = testing::PlantedNans()[GetParam()];
  const ReducibleProgram program = Program(testing::LargeProgram(kInstructions, planted.text));
  ASSERT_GT(program.module->instruction_count(), kInstructions);
  NonFiniteSearch search(/*stops_at_infinity=*/false);
  EXPECT_STATUS(Evaluate(*program.module, program.arguments, &search), absl::StatusCode::kAborted,
                "");
  ASSERT_TRUE(search.nan().has_value());
  EXPECT_EQ(search.nan()->instruction, planted.origin);

  const FaultTest test = [](const ReducibleProgram& candidate) -> absl::StatusOr<bool> {
    NonFiniteSearch found(false);
    InterpreterOptions options;
    options.observe = found.Observer();
    return absl::IsAborted(InterpretProgram(candidate, options).status());
  };
  ReductionStatistics statistics;
  ASSERT_OK_AND_ASSIGN(const ReducibleProgram reduced,
                       ReduceProgram(program, test, {}, &statistics));
  EXPECT_LE(reduced.module->instruction_count(), 15) << reduced.module->ToString();
  EXPECT_OK(VerifyModule(*reduced.module));
  EXPECT_TRUE(statistics.is_complete);
  EXPECT_LT(statistics.tests, 2000);
  ASSERT_OK_AND_ASSIGN(const bool is_faulty, test(reduced));
  EXPECT_TRUE(is_faulty);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedNanTest,
                         ::testing::Range<size_t>(0, testing::PlantedNans().size()),
                         [](const auto& info) {
                           return NameOf(testing::PlantedNans()[info.param].name);
                         });

TEST(PlantedNanTest, ThereIsNoneWithout) {
  const ReducibleProgram program = Program(testing::LargeProgram(kInstructions, ""));
  NonFiniteSearch search(/*stops_at_infinity=*/false);
  EXPECT_OK(Evaluate(*program.module, program.arguments, &search).status());
  EXPECT_FALSE(search.nan().has_value());
}

// --- Faults of passes

class FaultyPassTest : public ::testing::TestWithParam<size_t> {};

// What the pass makes of the program, by the same comparison each time.
FaultTest MakesAnotherResult(const testing::FaultyPass& pass) {
  return [&pass](const ReducibleProgram& candidate) -> absl::StatusOr<bool> {
    const std::unique_ptr<HloModule> damaged = candidate.module->Clone();
    XLA_RETURN_IF_ERROR(pass.run(damaged.get()).status());
    const absl::StatusOr<Literal> right = InterpretProgram(candidate);
    ReducibleProgram other = candidate.Clone();
    other.module = damaged->Clone();
    const absl::StatusOr<Literal> wrong = InterpretProgram(other);
    return right.ok() && wrong.ok() && !(*right == *wrong);
  };
}

TEST_P(FaultyPassTest, ProgramIsReduced) {
  const testing::FaultyPass& pass = testing::FaultyPasses()[GetParam()];
  const ReducibleProgram program = Program(testing::LargeProgram(kInstructions, ""));
  const FaultTest test = MakesAnotherResult(pass);
  ReductionStatistics statistics;
  ASSERT_OK_AND_ASSIGN(const ReducibleProgram reduced,
                       ReduceProgram(program, test, {}, &statistics));
  EXPECT_LE(reduced.module->instruction_count(), 15) << reduced.module->ToString();
  EXPECT_OK(VerifyModule(*reduced.module));
  ASSERT_OK_AND_ASSIGN(const bool is_faulty, test(reduced));
  EXPECT_TRUE(is_faulty);
}

TEST_P(FaultyPassTest, IsNamedByBisection) {
  const testing::FaultyPass& faulty = testing::FaultyPasses()[GetParam()];
  const ReducibleProgram program = Program(testing::LargeProgram(kInstructions, ""));
  // Between passes that change the program and are right.
  Pipeline pipeline;
  size_t position = 0;
  for (const char* name : {"inline-calls", "cse", "dce"}) {
    if (position++ == GetParam() % 3) pipeline.Add(faulty.name, faulty.run);
    for (const Pass& pass : AllPasses()) {
      if (pass.name == name) pipeline.Add(pass);
    }
  }
  ASSERT_OK_AND_ASSIGN(const Literal right, Evaluate(*program.module, program.arguments));
  const auto differs = [&](const HloModule& module) -> absl::StatusOr<bool> {
    XLA_ASSIGN_OR_RETURN(const Literal result, Evaluate(module, program.arguments));
    return !(result == right);
  };
  ASSERT_OK_AND_ASSIGN(const std::optional<GuiltyPass> guilty,
                       FindGuiltyPass(*program.module, pipeline, {}, differs));
  ASSERT_TRUE(guilty.has_value());
  EXPECT_EQ(guilty->pass, faulty.name);
}

INSTANTIATE_TEST_SUITE_P(All, FaultyPassTest,
                         ::testing::Range<size_t>(0, testing::FaultyPasses().size()),
                         [](const auto& info) {
                           return NameOf(testing::FaultyPasses()[info.param].name);
                         });

// --- The reducer itself

TEST(ReductionTest, AProgramWithoutTheFaultIsRefused) {
  const ReducibleProgram program = Program(testing::LargeProgram(20, ""));
  const FaultTest never = [](const ReducibleProgram&) -> absl::StatusOr<bool> { return false; };
  EXPECT_STATUS(ReduceProgram(program, never), absl::StatusCode::kFailedPrecondition, "");
}

TEST(ReductionTest, WhatAlwaysShowsTheFaultBecomesTrivial) {
  const ReducibleProgram program = Program(testing::LargeProgram(100, ""));
  const FaultTest always = [](const ReducibleProgram&) -> absl::StatusOr<bool> { return true; };
  ASSERT_OK_AND_ASSIGN(const ReducibleProgram reduced, ReduceProgram(program, always));
  EXPECT_LE(reduced.module->instruction_count(), 2) << reduced.module->ToString();
}

TEST(ReductionTest, JobsDoNotMatter) {
  const testing::FaultyPass& pass = testing::FaultyPasses()[1];
  const ReducibleProgram program = Program(testing::LargeProgram(120, ""));
  ReductionOptions several;
  several.jobs = 3;
  ASSERT_OK_AND_ASSIGN(const ReducibleProgram one,
                       ReduceProgram(program, MakesAnotherResult(pass)));
  ASSERT_OK_AND_ASSIGN(const ReducibleProgram three,
                       ReduceProgram(program, MakesAnotherResult(pass), several));
  EXPECT_EQ(one.module->ToString(), three.module->ToString());
}

TEST(ReductionTest, EachSmallerProgramIsReported) {
  const ReducibleProgram program = Program(testing::LargeProgram(60, ""));
  std::vector<ProgramSize> sizes = {SizeOf(*program.module)};
  ReductionOptions options;
  options.on_smaller = [&](const ReducibleProgram& smaller) {
    sizes.push_back(SizeOf(*smaller.module));
    return absl::OkStatus();
  };
  ASSERT_OK(
      ReduceProgram(program, MakesAnotherResult(testing::FaultyPasses()[3]), options).status());
  for (size_t i = 1; i < sizes.size(); ++i) EXPECT_LT(sizes[i], sizes[i - 1]);
}

TEST(ReductionTest, DimensionsThatBelongTogetherShrinkTogether) {
  ReducibleProgram program = Program(R"(
HloModule m
ENTRY e {
  a = f32[8,8] parameter(0)
  b = f32[8,8] parameter(1)
  d = f32[8,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[8,4] slice(d), slice={[0:8], [2:6]}
  r = f32[4,2,4] reshape(s)
  ROOT n = f32[4,2,4] negate(r)
})");
  bool shrinks_contracted = false, shrinks_rows = false;
  for (const Edit& edit : ShrinkEdits(*program.module)) {
    const absl::StatusOr<ReducibleProgram> smaller = ApplyEdit(program, edit);
    if (!smaller.ok()) continue;
    const auto& parameters = smaller->module->entry_computation()->parameter_instructions();
    for (size_t i = 0; i < parameters.size(); ++i)
      EXPECT_EQ(parameters[i]->shape(), smaller->arguments[i].shape());
    shrinks_contracted |=
        parameters[0]->shape().dimensions(1) == 1 && parameters[1]->shape().dimensions(0) == 1;
    shrinks_rows |= parameters[0]->shape().dimensions(0) == 2;
    EXPECT_OK(Evaluate(*smaller->module, smaller->arguments).status());
  }
  EXPECT_TRUE(shrinks_contracted);
  EXPECT_TRUE(shrinks_rows);
}

}  // namespace
}  // namespace xla
