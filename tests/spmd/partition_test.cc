// SPDX-License-Identifier: Apache-2.0
// Programs with shardings, divided into partitions and run on all of them.
#include "xla/spmd/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "tests/spmd/run_on_shards.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/shape_util.h"
#include "xla/spmd/shard_layout.h"
#include "xla/stablehlo/translate.h"

namespace xla::spmd::testing {
namespace {

TEST(SpmdPartitionTest, UnreducedArgumentsAreSummed) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<2xf32> {mhlo.sharding = "{unreduced}"})
      -> (tensor<2xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.multiply %a, %a : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                        {{1, 2}, {1, 3}, {1, 4}, {2, 1}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{25, 100}, {25, 100}, {25, 100}, {25, 100}}));
}

TEST(SpmdPartitionTest, TheFirstPartitionHasAnUnreducedResult) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<2xf32> {mhlo.sharding = "{replicated}"})
      -> (tensor<2xf32> {mhlo.sharding = "{unreduced}"}) {
    return %a : tensor<2xf32>
  })",
                        {{1, 2}, {1, 2}, {1, 2}, {1, 2}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{1, 2}, {0, 0}, {0, 0}, {0, 0}}));
}

TEST(SpmdPartitionTest, ShardsAddUpToAnUnreducedResult) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<4xf32> {mhlo.sharding = "{unreduced}"}) {
    return %a : tensor<4xf32>
  })",
                        {{1}, {2}, {3}, {4}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 4}}));
}

// Also where only an annotation divides the value.
TEST(SpmdPartitionTest, AnnotatedShardsAddUpToAnUnreducedResult) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<4xf32> {mhlo.sharding = "{replicated}"})
      -> (tensor<4xf32> {mhlo.sharding = "{unreduced}"}) {
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.custom_call @Sharding(%one) {mhlo.sharding = "{devices=[4]<=[4]}"}
        : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{unreduced}"}
        : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  })",
                        {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}));
}

TEST(SpmdPartitionTest, SumsOfShardsAreAnUnreducedResult) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<1xf32> {mhlo.sharding = "{unreduced}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{unreduced}"}
        : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
    return %2 : tensor<1xf32>
  })",
                        {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, &results),
            "OK");
  Values sum(1, 0);
  for (const Values& part : results) sum[0] += part[0];
  EXPECT_EQ(sum, Values{36});

  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<16xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<2xf32> {mhlo.sharding = "{unreduced}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reshape %a : (tensor<16xf32>) -> tensor<8x2xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  })",
                        {{1, 2, 1, 1}, {3, 4, 1, 2}, {5, 6, 0, 0}, {7, 8, 2, 2}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{2, 3}, {4, 6}, {5, 6}, {9, 10}}));
}

TEST(SpmdPartitionTest, ReversedShardsChangePlaces) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %0 = stablehlo.reverse %a, dims = [0] : tensor<8xf32>
    return %0 : tensor<8xf32>
  })",
                        {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{7, 6}, {5, 4}, {3, 2}, {1, 0}}));
}

TEST(SpmdPartitionTest, TilesMayBeUnreduced) {
  // Partitions 0 and 2 have the parts of the first shard, 1 and 3 those of the second. Each sum is
  // scattered: what a partition gets of it is its part of the result, among zeros.
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<4xf32> {
          mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0) last_tile_dims={unreduced}}"})
      -> (tensor<4xf32> {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dims={unreduced}}"}) {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                        {{1, 2}, {3, 4}, {10, 20}, {30, 40}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{22, 0}, {0, 44}, {66, 0}, {0, 88}}));
}

TEST(SpmdPartitionTest, ElementwiseProgramsWorkOnShards) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %0 = stablehlo.add %a, %a : tensor<8xf32>
    return %0 : tensor<8xf32>
  })",
                        {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{0, 2}, {4, 6}, {8, 10}, {12, 14}}));
}

TEST(SpmdPartitionTest, OtherProgramsGatherAndSlice) {
  Shards results;
  // Devices in another order, and shards that two devices have.
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]3,2,1,0}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dim_replicate}"}) {
    %0 = stablehlo.reverse %a, dims = [0] : tensor<8xf32>
    return %0 : tensor<8xf32>
  })",
                        {{6, 7}, {4, 5}, {2, 3}, {0, 1}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{7, 6, 5, 4}, {7, 6, 5, 4}, {3, 2, 1, 0}, {3, 2, 1, 0}}));
}

TEST(SpmdPartitionTest, ManualComputationsGetTheirShards) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
        manual_axes={"x"} (%b: tensor<1xf32>) {
      %1 = "stablehlo.collective_permute"(%b) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>} : (tensor<1xf32>) -> tensor<1xf32>
      sdy.return %1 : tensor<1xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                        {{0}, {1}, {2}, {3}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{3}, {0}, {1}, {2}}));
}

TEST(SpmdPartitionTest, NestedManualComputationsGatherWithinTheirGroup) {
  Shards results;
  // Inside, each half of the devices, along "x", has an array of its own, divided along "y".
  ASSERT_EQ(RunOnShards(R"(
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
        manual_axes={"x"} (%b: tensor<2xf32>) {
      %1 = sdy.manual_computation(%b) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>]
          manual_axes={"y"} (%c: tensor<1xf32>) {
        %2 = stablehlo.add %c, %c : tensor<1xf32>
        sdy.return %2 : tensor<1xf32>
      } : (tensor<2xf32>) -> tensor<2xf32>
      %3 = stablehlo.reverse %1, dims = [0] : tensor<2xf32>
      sdy.return %3 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                        {{0, 1}, {0, 1}, {2, 3}, {2, 3}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{2, 0}, {2, 0}, {6, 4}, {6, 4}}));
}

TEST(SpmdPartitionTest, ElementwiseShardsNeedNoCommunication) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[8,2] parameter(0), sharding={devices=[2,2]<=[4]}
  c = f32[] constant(2)
  b = f32[8,2] broadcast(c), dimensions={}
  m = f32[8,2] multiply(a, b)
  s = f32[8,2] sine(m)
  ROOT t = (f32[8,2]) tuple(s)
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(shardings.outputs[0].ToString(), "{devices=[2,2]<=[4]}");
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    EXPECT_NE(instruction->opcode(), HloOpcode::kAllGather);
    EXPECT_NE(instruction->opcode(), HloOpcode::kDynamicSlice);
  }
  EXPECT_EQ(module->entry_computation_layout().parameters(0).ToString(), "f32[4,1]");
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(f32[4,1])");
}

TEST(SpmdPartitionTest, TransposesReductionsAndProductsWorkOnShards) {
  const Shards rows = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<2xf32> {mhlo.sharding = "{replicated}"}) {
    %x = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<4x2xf32>
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    return %s : tensor<2xf32>
  })",
                        rows, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{12, 16}, {12, 16}, {12, 16}, {12, 16}}));
  // The dimension that is summed is divided.
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<4xf32> {mhlo.sharding = "{replicated}"}) {
    %x = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<4x2xf32>
    %p = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0]
        : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    %r = stablehlo.reshape %p : (tensor<2x2xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  })",
                        rows, &results),
            "OK");
  const Values squares = {56, 68, 68, 84};
  EXPECT_EQ(results, (Shards{squares, squares, squares, squares}));
  // The rows of both are divided alike: those of the first stay so.
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<16xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %x = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<4x2xf32>
    %p = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1]
        : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
    %r = stablehlo.reshape %p : (tensor<4x4xf32>) -> tensor<16xf32>
    return %r : tensor<16xf32>
  })",
                        rows, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{1, 3, 5, 7}, {3, 13, 23, 33}, {5, 23, 41, 59}, {7, 33, 59, 85}}));
}

TEST(SpmdPartitionTest, AProductOfRowsAndColumnsNeedsNoCommunication) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}

ENTRY e {
  a = f32[8,2] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  b = f32[2,6] parameter(1), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  p = f32[8,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[6,8] transpose(p), dimensions={1,0}
  c = f32[] constant(0)
  s = f32[6] reduce(t, c), dimensions={1}, to_apply=add
  ROOT r = (f32[6,8], f32[6]) tuple(t, s)
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true, true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(shardings.outputs[0].ToString(), "{devices=[2,2]<=[2,2]T(1,0)}");
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(f32[3,4], f32[3])");
  int sums = 0;
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    EXPECT_NE(instruction->opcode(), HloOpcode::kAllGather);
    if (instruction->opcode() == HloOpcode::kAllReduce) ++sums;
  }
  EXPECT_EQ(sums, 1);
}

// Each result has its own flag; the last one is that of those that follow.
TEST(SpmdPartitionTest, ResultsThatMayNotBeChosenAreWhole) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=2
ENTRY e {
  a = f32[8] parameter(0), sharding={devices=[2]<=[2]}
  n = f32[8] negate(a)
  s = f32[8] sine(a)
  c = f32[8] cosine(a)
  ROOT r = (f32[8], f32[8], f32[8]) tuple(n, s, c)
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {false, true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(f32[8], f32[4], f32[4])");
  EXPECT_TRUE(shardings.outputs[0].IsReplicated());
  EXPECT_FALSE(shardings.outputs[1].IsReplicated());
}

// What an operation does for each row of f32[8,6] alone is done on the rows of each partition, with
// the results that it has on the full array.
TEST(SpmdPartitionTest, RowsAreDivided) {
  const char* const operations[] = {
      "%r = stablehlo.slice %x [0:8, 1:5:2] : (tensor<8x6xf32>) -> tensor<8x2xf32>",
      "%r = stablehlo.pad %x, %one, low = [0, 1], high = [0, 2], interior = [0, 1]"
      " : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x14xf32>",
      "%r = stablehlo.concatenate %x, %x, dim = 1"
      " : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x12xf32>",
      "%r = stablehlo.reverse %x, dims = [1] : tensor<8x6xf32>",
      "%r = stablehlo.dynamic_slice %x, %zero, %two, sizes = [8, 3]"
      " : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>",
      "%u = stablehlo.slice %x [0:8, 0:2] : (tensor<8x6xf32>) -> tensor<8x2xf32>\n"
      "%r = stablehlo.dynamic_update_slice %x, %u, %zero, %two"
      " : (tensor<8x6xf32>, tensor<8x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>",
      "%r:2 = \"stablehlo.sort\"(%x, %x) ({\n"
      "^bb0(%k: tensor<f32>, %l: tensor<f32>, %m: tensor<f32>, %n: tensor<f32>):\n"
      "  %p = stablehlo.compare GT, %k, %l : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "  stablehlo.return %p : tensor<i1>\n"
      "}) {dimension = 1 : i64} : (tensor<8x6xf32>, tensor<8x6xf32>)"
      " -> (tensor<8x6xf32>, tensor<8x6xf32>)",
      // A table of which all take rows, with indices that differ.
      "%i = stablehlo.convert %x : (tensor<8x6xf32>) -> tensor<8x6xi32>\n"
      "%t = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>\n"
      "%r = \"stablehlo.gather\"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2],"
      " collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,"
      " slice_sizes = array<i64: 1, 2>} : (tensor<3x2xf32>, tensor<8x6xi32>) -> tensor<8x6x2xf32>",
      // The columns of full rows.
      "%i = stablehlo.constant dense<[[4], [0]]> : tensor<2x1xi32>\n"
      "%r = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0],"
      " collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>,"
      " slice_sizes = array<i64: 8, 1>} : (tensor<8x6xf32>, tensor<2x1xi32>) -> tensor<8x2xf32>",
      // Each row takes and adds to elements of its own.
      "%j = stablehlo.convert %x : (tensor<8x6xf32>) -> tensor<8x6xi32>\n"
      "%i = stablehlo.reshape %j : (tensor<8x6xi32>) -> tensor<8x6x1xi32>\n"
      "%r = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<"
      " collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0],"
      " start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}"
      " : (tensor<8x6xf32>, tensor<8x6x1xi32>) -> tensor<8x6xf32>",
      "%j = stablehlo.convert %x : (tensor<8x6xf32>) -> tensor<8x6xi32>\n"
      "%i = stablehlo.reshape %j : (tensor<8x6xi32>) -> tensor<8x6x1xi32>\n"
      "%r = \"stablehlo.scatter\"(%x, %i, %x) ({\n"
      "^bb0(%k: tensor<f32>, %l: tensor<f32>):\n"
      "  %p = stablehlo.add %k, %l : tensor<f32>\n"
      "  stablehlo.return %p : tensor<f32>\n"
      "}) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1],"
      " input_batching_dims = [0], scatter_indices_batching_dims = [0],"
      " scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}"
      " : (tensor<8x6xf32>, tensor<8x6x1xi32>, tensor<8x6xf32>) -> tensor<8x6xf32>",
      // Whole columns are added to columns.
      "%u = stablehlo.slice %x [0:8, 0:2] : (tensor<8x6xf32>) -> tensor<8x2xf32>\n"
      "%i = stablehlo.constant dense<[[4], [0]]> : tensor<2x1xi32>\n"
      "%r = \"stablehlo.scatter\"(%x, %i, %u) ({\n"
      "^bb0(%k: tensor<f32>, %l: tensor<f32>):\n"
      "  %p = stablehlo.add %k, %l : tensor<f32>\n"
      "  stablehlo.return %p : tensor<f32>\n"
      "}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0],"
      " inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}"
      " : (tensor<8x6xf32>, tensor<2x1xi32>, tensor<8x2xf32>) -> tensor<8x6xf32>",
      "%y = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<8x6x1xf32>\n"
      "%k = stablehlo.constant dense<[[[1.0, 2.0]], [[0.5, -1.0]]]> : tensor<2x1x2xf32>\n"
      "%r = stablehlo.convolution(%y, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],"
      " window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
      " : (tensor<8x6x1xf32>, tensor<2x1x2xf32>) -> tensor<8x5x2xf32>",
      // The dimension that is divided is summed over, as in the gradient of a kernel.
      "%y = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<8x6x1xf32>\n"
      "%r = stablehlo.convolution(%y, %y) dim_numbers = [f, 0, b]x[i, 0, o]->[b, 0, f],"
      " window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
      " : (tensor<8x6x1xf32>, tensor<8x6x1xf32>) -> tensor<1x3x1xf32>",
      "%y = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<8x2x3xf32>\n"
      "%g = stablehlo.dot_general %y, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2]"
      " : (tensor<8x2x3xf32>, tensor<8x2x3xf32>) -> tensor<8x2x2xf32>\n"
      "%e = stablehlo.constant dense<[[9.0, 0.0], [0.0, 9.0]]> : tensor<2x2xf32>\n"
      "%b = stablehlo.broadcast_in_dim %e, dims = [1, 2] : (tensor<2x2xf32>) -> tensor<8x2x2xf32>\n"
      "%s = stablehlo.add %g, %b : tensor<8x2x2xf32>\n"
      "%l = stablehlo.cholesky %s, lower = true : tensor<8x2x2xf32>\n"
      "%r = \"stablehlo.triangular_solve\"(%l, %y) {left_side = true, lower = true, transpose_a ="
      " #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}"
      " : (tensor<8x2x2xf32>, tensor<8x2x3xf32>) -> tensor<8x2x3xf32>",
  };
  Shards rows, full(4);
  for (int d = 0; d < kDevices; ++d) {
    Values& shard = rows.emplace_back();
    for (int i = 0; i < 12; ++i) shard.push_back(static_cast<float>((7 * i + 5 * d) % 4));
  }
  for (const Values& shard : rows) {
    for (Values& all : full) all.insert(all.end(), shard.begin(), shard.end());
  }
  for (const std::string operation : operations) {
    const size_t arrow = operation.rfind("-> ");
    std::string type =
        operation.substr(arrow != std::string::npos ? arrow + 3 : operation.rfind(": ") + 2);
    if (type[0] == '(') type = "tensor<8x6xf32>";
    const bool is_pair = operation[2] == ':';
    const auto program = [&](const char* sharding) {
      return absl::StrCat("func.func public @main(%a: tensor<48xf32> {mhlo.sharding = \"", sharding,
                          "\"}) -> (", type, R"( {mhlo.sharding = "{replicated}"}) {
    %x = stablehlo.reshape %a : (tensor<48xf32>) -> tensor<8x6xf32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    )",
                          operation, "\nreturn ", is_pair ? "%r#1" : "%r", " : ", type, "\n}");
    };
    Shards divided, expected;
    ASSERT_EQ(RunOnShards(program("{devices=[4]<=[4]}"), rows, &divided), "OK") << operation;
    ASSERT_EQ(RunOnShards(program("{replicated}"), full, &expected), "OK") << operation;
    EXPECT_EQ(divided, expected) << operation;
    ASSERT_OK_AND_ASSIGN(
        const auto module,
        stablehlo::ReadStableHlo(absl::StrCat("module attributes {mhlo.num_partitions = 4 : i32} {",
                                              program("{devices=[4]<=[4]}"), "}"),
                                 "program"));
    ASSERT_OK(PartitionModule(module.get(), {.may_choose_output = {true}}));
    for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
      EXPECT_NE(instruction->opcode(), HloOpcode::kAllGather) << operation;
    }
  }
}

// Windows of updates that do not fill a dimension of the operand begin at its first element,
// whatever the divisions.
TEST(SpmdPartitionTest, WindowsThatAreSmallerThanTheOperandAreNotDivided) {
  const auto program = [](const char* sharding) {
    return absl::StrCat("func.func public @main(%a: tensor<48xf32> {mhlo.sharding = \"", sharding,
                        R"("}) -> (tensor<8x6xf32> {mhlo.sharding = "{replicated}"}) {
    %x = stablehlo.reshape %a : (tensor<48xf32>) -> tensor<8x6xf32>
    %u = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]>
        : tensor<4x2xf32>
    %i = stablehlo.constant dense<[[4], [0]]> : tensor<2x1xi32>
    %r = "stablehlo.scatter"(%x, %i, %u) ({
    ^bb0(%k: tensor<f32>, %l: tensor<f32>):
      %p = stablehlo.add %k, %l : tensor<f32>
      stablehlo.return %p : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0],
        inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}
        : (tensor<8x6xf32>, tensor<2x1xi32>, tensor<4x2xf32>) -> tensor<8x6xf32>
    return %r : tensor<8x6xf32>
})");
  };
  const Shards rows(4, Values(12, 1)), full(4, Values(48, 1));
  Shards divided, expected;
  ASSERT_EQ(RunOnShards(program("{devices=[4]<=[4]}"), rows, &divided), "OK");
  ASSERT_EQ(RunOnShards(program("{replicated}"), full, &expected), "OK");
  EXPECT_EQ(divided, expected);
  EXPECT_EQ(expected[0][4], 2);
  EXPECT_EQ(expected[0][18], 9);
}

// A call of which some result has no dimension of the batch runs on full arrays.
TEST(SpmdPartitionTest, CallsWithResultsOfTheWholeBatchAreNotDivided) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[8,2] parameter(0), sharding={devices=[4,1]<=[4]}
  c = (f32[8,2], s32[]) custom-call(a), custom_call_target="factor", api_version=API_VERSION_TYPED_FFI, frontend_attributes={num_batch_dims="1"}
  f = f32[8,2] get-tuple-element(c), index=0
  i = s32[] get-tuple-element(c), index=1
  ROOT r = (f32[8,2], s32[]) tuple(f, i)
})"));
  ASSERT_OK(PartitionModule(module.get(), {.may_choose_output = {true, true}}));
  EXPECT_OK(VerifyModule(*module));
  int calls = 0;
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    if (instruction->opcode() != HloOpcode::kCustomCall) continue;
    ++calls;
    EXPECT_EQ(instruction->shape().ToString(), "(f32[8,2], s32[])");
    EXPECT_EQ(instruction->operand(0)->shape().ToString(), "f32[8,2]");
  }
  EXPECT_EQ(calls, 1);
}

// A dimension that only operands have says nothing of what shards of them compute.
TEST(SpmdPartitionTest, CallsThatStateARuleRunOnFullArrays) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=2

ENTRY e {
  a = f32[4,4] parameter(0)
  b = f32[4,8] parameter(1), sharding={devices=[1,2]<=[2]}
  ROOT c = f32[4,8] custom-call(a, b), custom_call_target="solve", api_version=API_VERSION_TYPED_FFI, frontend_attributes={xla.sdy.sharding_rule="#sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=8, m=4, n=8}, custom>"}
})"));
  ASSERT_OK(PartitionModule(module.get(), {}));
  EXPECT_OK(VerifyModule(*module));
  int calls = 0;
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    if (instruction->opcode() != HloOpcode::kCustomCall) continue;
    ++calls;
    EXPECT_EQ(instruction->shape().ToString(), "f32[4,8]");
    EXPECT_EQ(instruction->operand(1)->shape().ToString(), "f32[4,8]");
  }
  EXPECT_EQ(calls, 1);
}

TEST(SpmdPartitionTest, BatchesNeedNoCommunication) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[8,2,2] parameter(0), sharding={devices=[4,1,1]<=[4]}
  alpha = f32[] parameter(1)
  c = (f32[8,2,2]{1,2,0}, s32[8]) custom-call(a, alpha), custom_call_target="factor", operand_layout_constraints={f32[8,2,2]{1,2,0}, f32[]}, api_version=API_VERSION_TYPED_FFI, frontend_attributes={num_batch_dims="1"}
  f = f32[8,2,2] get-tuple-element(c), index=0
  i = s32[8] get-tuple-element(c), index=1
  l = f32[8,2,2] cholesky(f), lower=true
  s = f32[8,1,2] slice(l), slice={[0:8], [1:2], [0:2]}
  ROOT r = (f32[8,2,2], s32[8], f32[8,1,2]) tuple(l, i, s)
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true, true, true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(module->entry_computation_layout().result().ToString(),
            "(f32[2,2,2], s32[2], f32[2,1,2])");
  int calls = 0;
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    EXPECT_NE(instruction->opcode(), HloOpcode::kAllGather);
    if (instruction->opcode() != HloOpcode::kCustomCall) continue;
    ++calls;
    EXPECT_EQ(instruction->shape().ToString(/*print_layout=*/true),
              "(f32[2,2,2]{1,2,0}, s32[2]{0})");
    const auto& attributes = instruction->attributes<CustomCallAttributes>();
    EXPECT_EQ((*attributes.operand_layout_constraints)[0].ToString(/*print_layout=*/true),
              "f32[2,2,2]{1,2,0}");
  }
  EXPECT_EQ(calls, 1);
}

TEST(SpmdPartitionTest, AnnotatedValuesAreDivided) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[8] parameter(0), sharding={replicated}
  b = f32[8] custom-call(a), custom_call_target="Sharding", sharding={devices=[4]<=[4]}
  s = f32[8] sine(b)
  ROOT r = (f32[8]) tuple(s)
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(shardings.outputs[0].ToString(), "{devices=[4]<=[4]}");
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(f32[2])");
}

TEST(SpmdPartitionTest, AnAnnotationMayBeTheResult) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[8,8] parameter(0), sharding={devices=[2,2]<=[4]}
  ROOT b = f32[8,8] custom-call(a), custom_call_target="Sharding", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}, backend_config="unspecified_dims=[0]"
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true}}));
  EXPECT_EQ(shardings.outputs[0].ToString(), "{devices=[2,2]<=[4]}");
}

TEST(SpmdPartitionTest, AnnotationsKeepTheTilesOfDimensionsThatTheyLeaveOpen) {
  const auto outputs = [](const char* dimensions, const char* root = "ROOT s = f32[8,8] sine(b)") {
    auto module = ParseAndReturnUnverifiedModule(absl::Substitute(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[8,8] parameter(0), sharding={devices=[2,2]<=[4]}
  b = f32[8,8] custom-call(a), custom_call_target="Sharding", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}, backend_config="$0"
  $1
})",
                                                                  dimensions, root));
    EXPECT_OK(module.status());
    auto shardings = PartitionModule(module->get(), {.may_choose_output = {true}});
    EXPECT_OK(shardings.status());
    EXPECT_OK(VerifyModule(**module));
    return shardings->outputs[0].ToString();
  };
  EXPECT_EQ(outputs("unspecified_dims=[0]"), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(outputs("unspecified_dims=[0,1]"), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(outputs("unspecified_dims=[0]", "ROOT t = (f32[8,8]) tuple(b)"),
            "{devices=[2,2]<=[4]}");
  for (const char* none : {"", "unspecified_dims=[1]", "unspecified_dims=[]",
                           "unspecified_dims=[9]", "unspecified_dims=[0", "unspecified_dims=[x]"}) {
    EXPECT_EQ(outputs(none), "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}") << none;
  }
}

// Each partition counts its own.
TEST(SpmdPartitionTest, ScatteredSumsAreAnUnreducedResult) {
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<3xf32> {mhlo.sharding = "{unreduced}"}) {
    %0 = stablehlo.constant dense<0.0> : tensor<3xf32>
    %zeros = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{replicated}"}
        : (tensor<3xf32>) -> tensor<3xf32>
    %i = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xi32>
    %j = stablehlo.reshape %i : (tensor<8xi32>) -> tensor<8x1xi32>
    %r = "stablehlo.scatter"(%zeros, %j, %a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
        : (tensor<3xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<3xf32>
    return %r : tensor<3xf32>
  })",
                        {{1, 2}, {2, 2}, {0, 1}, {5, 1}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{0, 1, 2}, {0, 0, 4}, {0, 1, 0}, {0, 1, 0}}));
}

// Only the addition to zeros is divided so.
TEST(SpmdPartitionTest, OtherScattersAreComputedInFull) {
  const auto scattered = [](const char* begin, const char* combiner) {
    Shards results;
    EXPECT_EQ(RunOnShards(absl::Substitute(R"(
  func.func public @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<2xf32> {mhlo.sharding = "{replicated}"}) {
    %begin = stablehlo.constant dense<$0> : tensor<2xf32>
    %j = stablehlo.constant dense<[[0], [1], [1], [0]]> : tensor<4x1xi32>
    %r = "stablehlo.scatter"(%begin, %j, %a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.$1 %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
        : (tensor<2xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  })",
                                           begin, combiner),
                          {{1}, {2}, {3}, {4}}, &results),
              "OK");
    return results;
  };
  EXPECT_EQ(scattered("0.0", "add"), (Shards(4, {5, 5})));
  EXPECT_EQ(scattered("1.0", "add"), (Shards(4, {6, 6})));
  EXPECT_EQ(scattered("0.0", "maximum"), (Shards(4, {4, 3})));
}

// An annotation asks for shards that the result does not have.
TEST(SpmdPartitionTest, ResultsThatDoNotDivideEvenlyAreWhole) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[6] parameter(0)
  ROOT b = f32[6] custom-call(a), custom_call_target="Sharding", sharding={devices=[4]<=[4]}
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(shardings.outputs[0].ToString(), "{replicated}");
}

// What is computed in order is not gathered for that.
TEST(SpmdPartitionTest, OrderNeedsNoCommunication) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  b = f32[8] negate(a)
  c = () custom-call(a, b), custom_call_target="control_dep", custom_call_has_side_effect=true
  ROOT d = f32[8] add(a, b)
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(CountOf(*module, HloOpcode::kAllGather), 0);
}

// Callers do not know the axes of manual computations.
TEST(SpmdPartitionTest, ResultsOfManualComputationsDoNotNameManualAxes) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[8] parameter(0)
  b = f32[8] custom-call(a), custom_call_target="Sharding", sharding={replicated}
  c = f32[8] custom-call(b), custom_call_target="SPMDFullToShardShape", sharding={devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}
  d = f32[8] custom-call(c), custom_call_target="Sharding", sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  i = f32[4] custom-call(d), custom_call_target="SPMDFullToShardShape", sharding={manual}
  o = f32[4] negate(i)
  f = f32[4] custom-call(o), custom_call_target="Sharding", sharding={manual}
  g = f32[8] custom-call(f), custom_call_target="SPMDShardToFullShape", sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  h = f32[8] custom-call(g), custom_call_target="Sharding", sharding={devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}
  ROOT r = f32[8] custom-call(h), custom_call_target="SPMDShardToFullShape", sharding={replicated}
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(shardings.outputs[0].ToString(),
            "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
}

TEST(ShardLayoutTest, PositionsFollowTheOrderOfDevices) {
  const Shape array = ShapeUtil::MakeShape(F32, {4, 6});
  ASSERT_OK_AND_ASSIGN(const TileAssignment devices, TileAssignment::Create({2, 2}, {0, 2, 1, 3}));
  ASSERT_OK_AND_ASSIGN(const ShardLayout layout,
                       ShardLayoutOf(HloSharding::Tile(devices), array, 4));
  EXPECT_EQ(layout.Positions(0), (std::vector<int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(layout.Position(1, 0), 1);
  EXPECT_EQ(layout.Position(1, 1), 0);
  ASSERT_OK_AND_ASSIGN(const ShardLayout manual,
                       ManualShardLayout(layout, array, ShapeUtil::MakeShape(F32, {2, 6})));
  EXPECT_EQ(manual.counts, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(manual.Positions(0), (std::vector<int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(manual.Groups().Lists(), (std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}}));
  EXPECT_FALSE(ManualShardLayout(layout, array, ShapeUtil::MakeShape(F32, {3, 6})).ok());
}

}  // namespace
}  // namespace xla::spmd::testing
