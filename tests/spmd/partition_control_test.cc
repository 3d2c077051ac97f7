// SPDX-License-Identifier: Apache-2.0
// Loops and conditionals, divided into partitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "tests/spmd/run_on_shards.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/partition.h"
#include "xla/stablehlo/translate.h"

namespace xla::spmd::testing {
namespace {

// A scan: the rows of its state are independent, the sums begin full and become divided.
constexpr char kScan[] = R"(
HloModule m, num_partitions=4

body {
  p = (s32[], f32[8,4], f32[3,8,4], f32[4,4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8,4] get-tuple-element(p), index=1
  all = f32[3,8,4] get-tuple-element(p), index=2
  w = f32[4,4] get-tuple-element(p), index=3
  y = f32[8,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[8,4] tanh(y)
  row = f32[1,8,4] reshape(t)
  zero = s32[] constant(0)
  more = f32[3,8,4] dynamic-update-slice(all, row, i, zero, zero)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  made = (f32[8,4], f32[3,8,4]) tuple($0, more)
  last = f32[8,4] get-tuple-element(made), index=0
  stacked = f32[3,8,4] get-tuple-element(made), index=1
  ROOT r = (s32[], f32[8,4], f32[3,8,4], f32[4,4]) tuple(j, last, stacked, w)
}

condition {
  p = (s32[], f32[8,4], f32[3,8,4], f32[4,4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}

ENTRY e {
  x = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}
  w = f32[4,4] parameter(1)
  zero = s32[] constant(0)
  f = f32[] constant(0)
  all = f32[3,8,4] broadcast(f), dimensions={}
  s = (s32[], f32[8,4], f32[3,8,4], f32[4,4]) tuple(zero, x, all, w)
  l = (s32[], f32[8,4], f32[3,8,4], f32[4,4]) while(s), condition=condition, body=body
  last = f32[8,4] get-tuple-element(l), index=1
  made = f32[3,8,4] get-tuple-element(l), index=2
  ROOT r = (f32[8,4], f32[3,8,4]) tuple(last, made)
})";

TEST(SpmdPartitionTest, LoopsWorkOnShards) {
  ASSERT_OK_AND_ASSIGN(const auto module,
                       ParseAndReturnUnverifiedModule(absl::Substitute(kScan, "t")));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true, true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(f32[2,4], f32[3,2,4])");
  EXPECT_EQ(CountOf(*module, HloOpcode::kWhile), 1);
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 0);
}

// The state may be full as the loop begins, and divided by an annotation of the body.
TEST(SpmdPartitionTest, AnnotationsDivideTheStateOfLoops) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[8] custom-call(x), custom_call_target="Sharding", sharding={devices=[4]<=[4]}
  z = f32[8] add(y, y)
  ROOT r = (s32[], f32[8]) tuple(j, z)
}

condition {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}

ENTRY e {
  x = f32[8] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[8]) tuple(zero, x)
  l = (s32[], f32[8]) while(s), condition=condition, body=body
  ROOT r = f32[8] get-tuple-element(l), index=1
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "f32[2]");
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 0);
}

// What the body does not make in shards is full from the start.
TEST(SpmdPartitionTest, LoopsOfWholeArraysGatherOnce) {
  std::string text = absl::Substitute(kScan, "full");
  text.insert(text.find("  row ="), "  full = f32[8,4] custom-call(t), custom_call_target=\"g\"\n");
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true, true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(CountOf(*module, HloOpcode::kWhile), 1);
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 1);
  const HloComputation* entry = module->entry_computation();
  EXPECT_TRUE(
      std::any_of(entry->instructions().begin(), entry->instructions().end(),
                  [](const HloInstruction* i) { return i->opcode() == HloOpcode::kAllGather; }));
}

// The sharding moves with the value, and the condition needs all of it.
TEST(SpmdPartitionTest, LoopsComputeWhatOneDeviceWould) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sums = stablehlo.constant dense<0.0> : tensor<8xf32>
    %0:2 = stablehlo.while(%x = %a, %s = %sums) : tensor<8xf32>, tensor<8xf32>
     cond {
      %limit = stablehlo.constant dense<100.0> : tensor<f32>
      %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %less = stablehlo.compare LT, %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %y = stablehlo.add %x, %x : tensor<8xf32>
      %t = stablehlo.add %s, %y : tensor<8xf32>
      stablehlo.return %y, %t : tensor<8xf32>, tensor<8xf32>
    }
    %r = stablehlo.add %0#0, %0#1 : tensor<8xf32>
    return %r : tensor<8xf32>
  })",
                        {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, &results),
            "OK");
  // 36, 72, 144: doubled twice. x: 4 a, sums: 2 a + 4 a.
  EXPECT_EQ(results, (Shards{{10, 20}, {30, 40}, {50, 60}, {70, 80}}));
}

// Sums that are annotated so stay the partial values that the partitions have, and are completed
// once, by one instruction.
TEST(SpmdPartitionTest, LoopsAddUpWithoutCommunication) {
  constexpr std::string_view kProgram = R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<2xf32> {mhlo.sharding = "{replicated}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %steps = stablehlo.constant dense<4> : tensor<i32>
    %s0 = stablehlo.custom_call @Sharding(%zero) {mhlo.sharding = "{unreduced}"}
        : (tensor<f32>) -> tensor<f32>
    %t0 = stablehlo.custom_call @Sharding(%zero) {mhlo.sharding = "{unreduced}"}
        : (tensor<f32>) -> tensor<f32>
    %0:4 = stablehlo.while(%x = %a, %i = %none, %s = %s0, %t = %t0)
        : tensor<8xf32>, tensor<i32>, tensor<f32>, tensor<f32>
     cond {
      %more = stablehlo.compare LT, %i, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %y = stablehlo.add %x, %x : tensor<8xf32>
      %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %part = stablehlo.custom_call @Sharding(%sum) {mhlo.sharding = "{unreduced}"}
          : (tensor<f32>) -> tensor<f32>
      %s1 = stablehlo.add %s, %part : tensor<f32>
      %s2 = stablehlo.custom_call @Sharding(%s1) {mhlo.sharding = "{unreduced}"}
          : (tensor<f32>) -> tensor<f32>
      %negated = stablehlo.negate %part : tensor<f32>
      %t1 = stablehlo.subtract %negated, %t : tensor<f32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %y, %j, %s2, %t1 : tensor<8xf32>, tensor<i32>, tensor<f32>, tensor<f32>
    }
    %u = stablehlo.reshape %0#2 : (tensor<f32>) -> tensor<1xf32>
    %v = stablehlo.reshape %0#3 : (tensor<f32>) -> tensor<1xf32>
    %r = stablehlo.concatenate %u, %v, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  })";
  Shards results;
  ASSERT_EQ(RunOnShards(kProgram, {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, &results), "OK");
  // 36, 72, 144, 288: their sum, and with alternating signs.
  EXPECT_EQ(results, (Shards(4, {540, -180})));

  const auto source = stablehlo::LoadStableHlo(
      absl::StrCat("module @program attributes {mhlo.num_partitions = 4 : i32} {",
                   absl::string_view(kProgram.data(), kProgram.size()), "}"),
      "program");
  ASSERT_OK(source.status());
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      stablehlo::TranslateToHlo(source->get(), {.shardy = stablehlo::ShardyForm::kAxes}));
  module->config().set_num_partitions(4);
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {false}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllReduce), 1);
}

// The body asks for the sum before it is complete.
TEST(SpmdPartitionTest, SumsThatTheBodyDoesNotKeepAreCompleted) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<1xf32> {mhlo.sharding = "{replicated}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %steps = stablehlo.constant dense<3> : tensor<i32>
    %s0 = stablehlo.custom_call @Sharding(%zero) {mhlo.sharding = "{unreduced}"}
        : (tensor<f32>) -> tensor<f32>
    %0:3 = stablehlo.while(%x = %a, %i = %none, %s = %s0) : tensor<8xf32>, tensor<i32>, tensor<f32>
     cond {
      %more = stablehlo.compare LT, %i, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %square = stablehlo.multiply %s, %s : tensor<f32>
      %s1 = stablehlo.add %square, %sum : tensor<f32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %x, %j, %s1 : tensor<8xf32>, tensor<i32>, tensor<f32>
    }
    %r = stablehlo.reshape %0#2 : (tensor<f32>) -> tensor<1xf32>
    return %r : tensor<1xf32>
  })",
                        {{1, 0}, {0, 0}, {0, 1}, {0, 0}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards(4, {38})));  // 2, 6, 38
}

// The module after partitioning; null, and a failure, if that does not work.
std::unique_ptr<HloModule> Partition(std::string_view text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module.status());
  if (!module.ok()) return nullptr;
  const auto shardings = PartitionModule(module->get(), {.may_choose_output = {true}});
  EXPECT_OK(shardings.status());
  EXPECT_OK(VerifyModule(**module));
  return shardings.ok() ? *std::move(module) : nullptr;
}

std::string ResultOf(const HloModule& module) {
  return module.entry_computation_layout().result().ToString();
}

// A loop of one array.
TEST(SpmdPartitionTest, LoopsOfOneValueWorkOnShards) {
  const auto module = Partition(R"(
HloModule m, num_partitions=4

body {
  x = f32[8] parameter(0)
  ROOT y = f32[8] add(x, x)
}

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}

condition {
  x = f32[8] parameter(0)
  zero = f32[] constant(0)
  s = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  limit = f32[] constant(100)
  ROOT r = pred[] compare(s, limit), direction=LT
}

ENTRY e {
  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  ROOT l = f32[8] while(x), condition=condition, body=body
})");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ResultOf(*module), "f32[2]");
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 0);
}

// $0 and $1: what the branches do with their arrays.
constexpr char kConditional[] = R"(
HloModule m, num_partitions=4

first {
  p = (f32[8], f32[8]) parameter(0)
  x = f32[8] get-tuple-element(p), index=0
  y = f32[8] get-tuple-element(p), index=1
  $0
}

second {
  p = (f32[8], f32[8]) parameter(0)
  x = f32[8] get-tuple-element(p), index=0
  y = f32[8] get-tuple-element(p), index=1
  $1
}

ENTRY e {
  i = s32[] parameter(0)
  x = f32[8] parameter(1), sharding={devices=[4]<=[4]}
  y = f32[8] parameter(2)
  t = (f32[8], f32[8]) tuple(x, y)
  ROOT c = f32[8] conditional(i, t, t), branch_computations={first, second}
})";

TEST(SpmdPartitionTest, ConditionalsWorkOnShards) {
  const auto module = Partition(absl::Substitute(kConditional, "ROOT r = f32[8] add(x, y)",
                                                 "ROOT r = f32[8] multiply(x, x)"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ResultOf(*module), "f32[2]");
  EXPECT_EQ(CountOf(*module, HloOpcode::kConditional), 1);
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 0);
}

// A branch that makes its result full cuts its shard out.
TEST(SpmdPartitionTest, BranchesGiveTheSameShards) {
  const auto module = Partition(
      absl::Substitute(kConditional, "ROOT r = f32[8] custom-call(y), custom_call_target=\"g\"",
                       "ROOT r = f32[8] multiply(x, x)"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ResultOf(*module), "f32[2]");
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 0);
}

TEST(SpmdPartitionTest, AnnotationsDivideTheResultsOfConditionals) {
  const auto module =
      Partition(absl::Substitute(kConditional,
                                 "ROOT r = f32[8] custom-call(y), custom_call_target=\"Sharding\", "
                                 "sharding={devices=[2,2]<=[4] last_tile_dim_replicate}",
                                 "ROOT r = f32[8] negate(y)"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ResultOf(*module), "f32[4]");
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 0);
}

// The tuple of a branch may be its parameter, or what another instruction makes.
TEST(SpmdPartitionTest, TuplesAreDividedElementByElement) {
  const auto module = Partition(R"(
HloModule m, num_partitions=4

same {
  ROOT p = (f32[8], f32[]) parameter(0)
}

other {
  p = (f32[8], f32[]) parameter(0)
  t = pred[] constant(true)
  ROOT c = (f32[8], f32[]) conditional(t, p, p), true_computation=same, false_computation=same
}

ENTRY e {
  i = pred[] parameter(0)
  x = f32[8] parameter(1), sharding={devices=[4]<=[4]}
  f = f32[] constant(1)
  t = (f32[8], f32[]) tuple(x, f)
  c = (f32[8], f32[]) conditional(i, t, t), true_computation=same, false_computation=other
  y = f32[8] get-tuple-element(c), index=0
  ROOT z = f32[8] negate(y)
})");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ResultOf(*module), "f32[2]");
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 0);
}

// Partitions that take different branches do not communicate within them.
TEST(SpmdPartitionTest, PartitionsMayTakeDifferentBranches) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %in = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[4]<=[4]}"}
        : (tensor<8xf32>) -> tensor<8xf32>
    %local = stablehlo.custom_call @SPMDFullToShardShape(%in) {mhlo.sharding = "{manual}"}
        : (tensor<8xf32>) -> tensor<2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %limit = stablehlo.constant dense<8.0> : tensor<f32>
    %sum = stablehlo.reduce(%local init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %less = stablehlo.compare LT, %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %chosen = "stablehlo.if"(%less) ({
      %y = stablehlo.add %local, %local : tensor<2xf32>
      %s = stablehlo.custom_call @Sharding(%y) {
          mhlo.sharding = "{devices=[1,4]<=[4] last_tile_dims={manual}}"}
          : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %s : tensor<2xf32>
    }, {
      %n = stablehlo.negate %local : tensor<2xf32>
      stablehlo.return %n : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    %out = stablehlo.custom_call @Sharding(%chosen) {mhlo.sharding = "{manual}"}
        : (tensor<2xf32>) -> tensor<2xf32>
    %r = stablehlo.custom_call @SPMDShardToFullShape(%out) {mhlo.sharding = "{devices=[4]<=[4]}"}
        : (tensor<2xf32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  })",
                        {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{2, 4}, {6, 8}, {-5, -6}, {-7, -8}}));
}

// Nor do those of which some make a call for all: the call is made with full values.
TEST(SpmdPartitionTest, ConditionalsOnThePartitionStayWhole) {
  const auto module = Partition(absl::Substitute(R"(
HloModule m, num_partitions=4

first {
  x = f32[8] parameter(0)
  ROOT r = f32[8] add(x, x)
}

second {
  x = f32[8] parameter(0)
  ROOT r = f32[8] negate(x)
}

ENTRY e {
  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  p = u32[] partition-id()
  one = u32[] constant(1)
  i = pred[] compare(p, one), direction=LT
  ROOT c = f32[8] conditional(i, x, x), true_computation=first, false_computation=second
})"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ResultOf(*module), "f32[2]");
  const HloComputation* entry = module->entry_computation();
  EXPECT_TRUE(
      std::any_of(entry->instructions().begin(), entry->instructions().end(),
                  [](const HloInstruction* i) { return i->opcode() == HloOpcode::kAllGather; }));
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 1);
}

// What all partitions have alike chooses a branch, though the rest of the tuple is divided.
TEST(SpmdPartitionTest, ConditionalsOnCountersWorkOnShards) {
  const auto module = Partition(R"(
HloModule m, num_partitions=4

first {
  x = f32[8] parameter(0)
  ROOT r = f32[8] add(x, x)
}

second {
  x = f32[8] parameter(0)
  ROOT r = f32[8] negate(x)
}

body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  is_first = pred[] compare(i, one), direction=LT
  y = f32[8] conditional(is_first, x, x), true_computation=first, false_computation=second
  ROOT r = (s32[], f32[8]) tuple(j, y)
}

condition {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}

ENTRY e {
  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  zero = s32[] constant(0)
  s = (s32[], f32[8]) tuple(zero, x)
  l = (s32[], f32[8]) while(s), condition=condition, body=body
  ROOT r = f32[8] get-tuple-element(l), index=1
})");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 0);
  for (const HloComputation* computation : module->computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kConditional) continue;
      EXPECT_EQ(ShapeUtil::HumanString(instruction->shape()), "(f32[2])");
    }
  }
}

// In a loop, with a branch that depends on all of a divided array.
TEST(SpmdPartitionTest, ConditionalsComputeWhatOneDeviceWould) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %steps = stablehlo.constant dense<4> : tensor<i32>
    %limit = stablehlo.constant dense<100.0> : tensor<f32>
    %0:2 = stablehlo.while(%x = %a, %i = %none) : tensor<8xf32>, tensor<i32>
     cond {
      %more = stablehlo.compare LT, %i, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %less = stablehlo.compare LT, %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %y = "stablehlo.if"(%less) ({
        %d = stablehlo.add %x, %x : tensor<8xf32>
        stablehlo.return %d : tensor<8xf32>
      }, {
        %r = stablehlo.reverse %x, dims = [0] : tensor<8xf32>
        %s = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<8xf32>
        %t = stablehlo.subtract %r, %s : tensor<8xf32>
        stablehlo.return %t : tensor<8xf32>
      }) : (tensor<i1>) -> tensor<8xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %y, %j : tensor<8xf32>, tensor<i32>
    }
    return %0#0 : tensor<8xf32>
  })",
                        {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, &results),
            "OK");
  // Sums 36, 72, 144: doubled twice, then reversed without 144 each (its sum is negative), doubled.
  EXPECT_EQ(results, (Shards{{-224, -232}, {-240, -248}, {-256, -264}, {-272, -280}}));
}

// The result of a manual computation is that of a loop, which is replaced by one on shards.
TEST(SpmdPartitionTest, ResultsOfLoopsLeaveManualComputations) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
        manual_axes={"x"} (%b: tensor<4xf32>) {
      %d = sdy.sharding_constraint %b <@mesh, [{"y"}]> : tensor<4xf32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %1:2 = stablehlo.while(%i = %zero, %v = %d) : tensor<i32>, tensor<4xf32>
      cond {
        %n = stablehlo.constant dense<3> : tensor<i32>
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %w = stablehlo.add %v, %v : tensor<4xf32>
        %s = sdy.sharding_constraint %w <@mesh, [{"y"}]> : tensor<4xf32>
        stablehlo.return %j, %s : tensor<i32>, tensor<4xf32>
      }
      sdy.return %1#1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  })",
                        {{0, 1, 2, 3}, {0, 1, 2, 3}, {4, 5, 6, 7}, {4, 5, 6, 7}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{0, 8}, {16, 24}, {32, 40}, {48, 56}}));
}

}  // namespace
}  // namespace xla::spmd::testing
