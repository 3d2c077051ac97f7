// SPDX-License-Identifier: Apache-2.0
// Shardings that propagation gives are those that programs are partitioned by.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/spmd/run_on_shards.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/module_shardings.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/report.h"
#include "xla/stablehlo/translate.h"

namespace xla::spmd::testing {
namespace {

struct Partitioned {
  std::unique_ptr<HloModule> module;
  ProgramShardings shardings;
  int64_t bytes = 0;
  std::string signature() const {
    const ProgramShape& layout = module->entry_computation_layout();
    std::string text;
    for (const Shape& parameter : layout.parameters()) {
      absl::StrAppend(&text, parameter.ToString(), " ");
    }
    return absl::StrCat(text, "-> ", layout.result().ToString());
  }
};

// A program of Shardy on four devices.
absl::StatusOr<Partitioned> PartitionShardy(const char* body) {
  Partitioned result;
  XLA_ASSIGN_OR_RETURN(
      result.module,
      stablehlo::ReadStableHlo(
          absl::StrCat("module attributes {mhlo.num_partitions = 4 : i32} {\n", body, "}"),
          "program", {.shardy = stablehlo::ShardyForm::kAxes}));
  result.module->config().set_use_shardy_partitioner(true);
  XLA_RETURN_IF_ERROR(VerifyModule(*result.module));
  XLA_ASSIGN_OR_RETURN(
      result.shardings,
      PartitionModule(result.module.get(), {.may_choose_output = UnstatedOutputs(*result.module),
                                            .may_choose_parameter = {true}}));
  XLA_RETURN_IF_ERROR(VerifyModule(*result.module));
  result.bytes = ReportCommunication(*result.module).bytes;
  return result;
}

// jax-ml/jax#25844: only the forward values state shardings.
TEST(SpmdPropagationTest, GradientsKeepShardings) {
  ASSERT_OK_AND_ASSIGN(const Partitioned program, PartitionShardy(R"(
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                         %w: tensor<16x8xf32>, %g: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<8x16xf32>) {
    %dw = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %dx = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1] : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
    %new = stablehlo.subtract %w, %dw : tensor<16x8xf32>
    %two = stablehlo.multiply %x, %dx : tensor<8x16xf32>
    return %new, %two : tensor<16x8xf32>, tensor<8x16xf32>
  }
)"));
  EXPECT_EQ(program.signature(), "f32[8,4] f32[4,8] f32[8,8] -> (f32[4,8], f32[8,4])");
  EXPECT_EQ(program.bytes, 0);
}

TEST(SpmdPropagationTest, ResultsDivideWhatTheyAreMadeOf) {
  ASSERT_OK_AND_ASSIGN(const Partitioned program, PartitionShardy(R"(
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>)
      -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.tanh %0 : tensor<8x6xf32>
    return %1 : tensor<8x6xf32>
  }
)"));
  EXPECT_EQ(program.signature(), "f32[4,4] f32[4,3] -> f32[4,3]");
  EXPECT_EQ(program.bytes, 0);
}

// Barriers end propagation, priorities order it.
TEST(SpmdPropagationTest, GuidanceDecides) {
  ASSERT_OK_AND_ASSIGN(const Partitioned barrier, PartitionShardy(R"(
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = stablehlo.negate %a : tensor<8xf32>
    %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
)"));
  EXPECT_EQ(barrier.signature(), "f32[2] -> f32[8]");
  ASSERT_OK_AND_ASSIGN(const Partitioned priority, PartitionShardy(R"(
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {?}]>},
                         %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.add %a, %b : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
)"));
  EXPECT_EQ(priority.signature(), "f32[2,8] f32[8,2] -> f32[8,2]");
}

// What the body of a loop states, arguments and results of the loop have, without a second try.
TEST(SpmdPropagationTest, LoopsAreDividedThroughout) {
  ASSERT_OK_AND_ASSIGN(const Partitioned program, PartitionShardy(R"(
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x4xf32>, %n: tensor<i32>) -> tensor<8x4xf32> {
    %0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<8x4xf32>
    cond {
      %c = stablehlo.constant dense<9> : tensor<i32>
      %p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %1 = stablehlo.tanh %x : tensor<8x4xf32>
      %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"x"}]> : tensor<8x4xf32>
      %3 = stablehlo.add %2, %x : tensor<8x4xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %3 : tensor<i32>, tensor<8x4xf32>
    }
    return %0#1 : tensor<8x4xf32>
  }
)"));
  EXPECT_EQ(program.signature(), "f32[8,1] s32[] -> f32[8,1]");
  EXPECT_EQ(program.bytes, 0);
}

// Chosen shardings of parameters and results divide them evenly and have no sub-axes.
TEST(SpmdPropagationTest, ChosenShardingsAreEven) {
  ASSERT_OK_AND_ASSIGN(const Partitioned program, PartitionShardy(R"(
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<2x12xf32>, tensor<23xf32>) {
    %0 = stablehlo.reshape %a : (tensor<24xf32>) -> tensor<2x12xf32>
    %1 = stablehlo.slice %a [0:23] : (tensor<24xf32>) -> tensor<23xf32>
    return %0, %1 : tensor<2x12xf32>, tensor<23xf32>
  }
)"));
  for (const HloSharding& output : program.shardings.outputs) EXPECT_TRUE(output.IsReplicated());
}

// As JAX states it of keys of random numbers on one device.
TEST(SpmdPropagationTest, MeshesWithoutAxesFitAnyNumberOfDevices) {
  ASSERT_OK_AND_ASSIGN(const Partitioned program, PartitionShardy(R"(
  sdy.mesh @empty = <[]>
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty, [{}]>},
                         %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = stablehlo.add %a, %b : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
)"));
  EXPECT_EQ(program.signature(), "f32[8] f32[2] -> f32[2]");
}

TEST(SpmdPropagationTest, TilesAreSeenAsAxes) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4
ENTRY e {
  a = f32[8,6] parameter(0)
  b = f32[6,8] parameter(1), sharding={devices=[1,4]<=[2,2]T(1,0)}
  t = f32[8,6] transpose(b), dimensions={1,0}
  s = f32[8,6] add(a, t)
  ROOT r = (f32[8,6], f32[8,6]) tuple(s, t)
})"));
  const std::unique_ptr<HloModule> closed = module->Clone();
  ASSERT_OK_AND_ASSIGN(
      const ProgramShardings free,
      PartitionModule(module.get(), {.may_choose_output = {true}, .may_choose_parameter = {true}}));
  EXPECT_EQ(free.parameters[0].ToString(), "{devices=[4,1]<=[2,2]T(1,0)}");
  EXPECT_EQ(free.parameters[1].ToString(), "{devices=[1,4]<=[2,2]T(1,0)}");
  EXPECT_EQ(free.outputs[0].ToString(), "{devices=[4,1]<=[2,2]T(1,0)}");
  // Neither may be chosen.
  ASSERT_OK_AND_ASSIGN(const ProgramShardings stated, PartitionModule(closed.get()));
  EXPECT_TRUE(stated.parameters[0].IsReplicated());
  EXPECT_TRUE(stated.outputs[0].IsReplicated() && stated.outputs[1].IsReplicated());
}

// A root's sharding by axes is that of the result, parts of axes included.
TEST(SpmdPropagationTest, RootsStateTheirResults) {
  for (const char* sharding : {"mesh['x'=4], [{'x':(1)2}, {}]", "mesh['x'=4], [{'x'}, {}]"}) {
    ASSERT_OK_AND_ASSIGN(const auto module,
                         ParseAndReturnUnverifiedModule(absl::StrCat(R"(
HloModule m, num_partitions=4
ENTRY e {
  a = f32[4,6] parameter(0), sharding={)",
                                                                     sharding, R"(}
  ROOT b = f32[4,6] negate(a), sharding={)",
                                                                     sharding, "}\n}\n")));
    ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings, PartitionModule(module.get()));
    EXPECT_OK(VerifyModule(*module));
    const ComputationLayout& layout = module->entry_computation_layout();
    EXPECT_EQ(layout.result().ToString(), layout.parameter_shape(0).ToString()) << sharding;
    EXPECT_EQ(shardings.outputs[0].ToString(), shardings.parameters[0].ToString());
    EXPECT_EQ(ReportCommunication(*module).bytes, 0);
  }
}

// Of borders of manual computations and annotations that no edge of the graph can stand for.
TEST(SpmdPropagationTest, BordersOfOtherValuesAreErrors) {
  const auto partition = [](absl::string_view text) {
    const auto module = ParseAndReturnUnverifiedModule(absl::StrCat(R"(
HloModule m, num_partitions=2
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
  none = () tuple()
  )",
                                                                    text, "\n}\n"));
    EXPECT_OK(module.status());
    return PartitionModule(module->get()).status();
  };
  for (const absl::string_view call :
       {R"(c = f32[2] custom-call(), custom_call_target="SPMDFullToShardShape")",
        R"(c = f32[4] custom-call(), custom_call_target="SPMDShardToFullShape")",
        R"(c = f32[2] custom-call(x, x), custom_call_target="SPMDFullToShardShape")"}) {
    EXPECT_STATUS(partition(absl::StrCat(call, ", sharding={manual}\n  ROOT r = f32[4] negate(x)")),
                  absl::StatusCode::kInvalidArgument,
                  "a border of a manual computation has one operand");
  }
  EXPECT_STATUS(
      partition(R"(c = f32[4] custom-call(none), custom_call_target="SPMDShardToFullShape",
    sharding={devices=[2]<=[2]}
  ROOT r = f32[4] negate(x))"),
      absl::StatusCode::kInvalidArgument, "another rank");
  EXPECT_OK(partition(R"(c = () custom-call(none), custom_call_target="Sharding",
    sharding={replicated}
  d = f32[4] custom-call(x), custom_call_target="Sharding", sharding={devices=[2]<=[2]}
  ROOT r = f32[4] negate(d))"));
}

TEST(SpmdPropagationTest, ReportsPartitionsBeyondMeasure) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=99999999
ENTRY e {
  ROOT a = f32[8] parameter(0), sharding={replicated}
})"));
  EXPECT_STATUS(PartitionModule(module.get()).status(), absl::StatusCode::kInvalidArgument,
                "99999999 partitions");
}

// The sums that a manual computation is stated to take are not lost on the way to it: one partition
// of each group has the value, the others zeros.
TEST(SpmdPropagationTest, SumsReachManualComputations) {
  ASSERT_OK_AND_ASSIGN(const Partitioned program, PartitionShardy(R"(
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main() -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %cst = stablehlo.constant dense<1.0> : tensor<8x2xf32>
    %0 = sdy.sharding_constraint %cst <@mesh, [{}, {"y"}], unreduced={"x"}> : tensor<8x2xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}, {"y"}], unreduced={"x"}>]
        out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%arg0: tensor<8x1xf32>) {
      %2 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, scatter_dimension = 0 : i64,
          use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %3 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<8x1xf32>) -> tensor<4x1xf32>
      sdy.return %2 : tensor<4x1xf32>
    } : (tensor<8x2xf32>) -> tensor<8x2xf32>
    return %1 : tensor<8x2xf32>
  })"));
  EXPECT_EQ(CountOf(*program.module, HloOpcode::kSelect), 1) << program.module->ToString();
}

// The slice that cuts out what a partition has in a manual computation has an index of its own in
// each: the parts of one slice that all want would be added up.
TEST(SpmdPropagationTest, ShardsOfManualComputationsAreCutOutByEachPartition) {
  ASSERT_OK_AND_ASSIGN(const Partitioned program, PartitionShardy(R"(
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %cst = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<32xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>]
        manual_axes={"x"} (%arg0: tensor<8xf32>) {
      %3 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %4 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %3 : tensor<8xf32>
    } : (tensor<32xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  })"));
  EXPECT_EQ(CountOf(*program.module, HloOpcode::kAllReduce), 1) << program.module->ToString();
}

}  // namespace
}  // namespace xla::spmd::testing
