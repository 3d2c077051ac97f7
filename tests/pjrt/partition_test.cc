// SPDX-License-Identifier: Apache-2.0
// Programs with shardings, divided into partitions and run on all of them.
#include "xla/pjrt/partition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/pjrt/plugin.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/pjrt/pjrt.pb.h"
#include "xla/pjrt/tiles.h"
#include "xla/shape_util.h"

namespace xla::pjrt::testing {
namespace {

using Values = std::vector<float>;
using Shards = std::vector<Values>;

constexpr int kDevices = 4;

// Runs a program of one argument and one result on shards of the argument.
std::string RunOnShards(std::string_view body, const Shards& arguments, Shards* results) {
  Plugin plugin(kDevices);
  CompileOptionsProto options;
  auto* build = options.mutable_executable_build_options();
  build->set_num_replicas(1);
  build->set_num_partitions(kDevices);
  build->set_use_spmd_partitioning(true);
  std::string error;
  PJRT_LoadedExecutable* executable =
      plugin.Compile(absl::StrCat("module @program attributes {mhlo.num_partitions = 4 : i32} {",
                                  absl::string_view(body.data(), body.size()), "}"),
                     &error, "mlir", options.SerializeAsString());
  if (executable == nullptr) return error;
  std::vector<PJRT_Buffer*> buffers(kDevices), outputs(kDevices);
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> output_lists;
  for (size_t d = 0; d < kDevices; ++d) {
    buffers[d] = plugin.Floats(arguments[d], d);
    argument_lists.push_back(&buffers[d]);
    output_lists.push_back(&outputs[d]);
  }
  std::vector<PJRT_Event*> done(kDevices);
  auto run_options = New<PJRT_ExecuteOptions>();
  auto args = New<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &run_options;
  args.argument_lists = argument_lists.data();
  args.num_devices = kDevices;
  args.num_args = 1;
  args.output_lists = output_lists.data();
  args.device_complete_events = done.data();
  error = TextOf(Api().PJRT_LoadedExecutable_Execute(&args));
  if (error != "OK") return error;
  for (size_t d = 0; d < kDevices; ++d) {
    const std::string end = Await(done[d]);
    if (end != "OK") error = end;
    plugin.buffers.push_back(outputs[d]);
  }
  if (error != "OK") return error;
  results->clear();
  for (PJRT_Buffer* output : outputs) results->push_back(plugin.ToFloats(output));
  return "OK";
}

TEST(PjrtPartitionTest, UnreducedArgumentsAreSummed) {
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

TEST(PjrtPartitionTest, TheFirstPartitionHasAnUnreducedResult) {
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

TEST(PjrtPartitionTest, TilesMayBeUnreduced) {
  // Partitions 0 and 2 have the parts of the first tile, 1 and 3 those of the second.
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
  EXPECT_EQ(results, (Shards{{22, 44}, {0, 0}, {66, 88}, {0, 0}}));
}

TEST(PjrtPartitionTest, ElementwiseProgramsWorkOnShards) {
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

TEST(PjrtPartitionTest, OtherProgramsGatherAndSlice) {
  Shards results;
  // Devices in another order, and tiles that two devices have.
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

TEST(PjrtPartitionTest, ManualComputationsGetTheirShards) {
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

TEST(PjrtPartitionTest, NestedManualComputationsGatherWithinTheirGroup) {
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

TEST(PjrtPartitionTest, UnevenShardsAreRefused) {
  Shards results;
  EXPECT_NE(RunOnShards(R"(
  func.func public @main(%a: tensor<6xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<6xf32> {
    return %a : tensor<6xf32>
  })",
                        {{0}, {1}, {2}, {3}}, &results)
                .find("dimension 0 of f32[6] divided by 4"),
            std::string::npos);
}

TEST(PjrtPartitionTest, ElementwiseShardsNeedNoCommunication) {
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
                       PartitionModule(module.get(), /*may_choose_output=*/{true}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(shardings.outputs[0].ToString(), "{devices=[2,2]<=[4]}");
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    EXPECT_NE(instruction->opcode(), HloOpcode::kAllGather);
    EXPECT_NE(instruction->opcode(), HloOpcode::kDynamicSlice);
  }
  EXPECT_EQ(module->entry_computation_layout().parameters(0).ToString(), "f32[4,1]");
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(f32[4,1])");
}

TEST(PjrtPartitionTest, TransposesReductionsAndProductsWorkOnShards) {
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

TEST(PjrtPartitionTest, AProductOfRowsAndColumnsNeedsNoCommunication) {
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
                       PartitionModule(module.get(), /*may_choose_output=*/{true, true}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(shardings.outputs[0].ToString(), "{devices=[2,2]0,2,1,3}");
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(f32[3,4], f32[3])");
  int sums = 0;
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    EXPECT_NE(instruction->opcode(), HloOpcode::kAllGather);
    if (instruction->opcode() == HloOpcode::kAllReduce) ++sums;
  }
  EXPECT_EQ(sums, 1);
}

TEST(PjrtPartitionTest, AnnotatedValuesAreDivided) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = f32[8] parameter(0), sharding={replicated}
  b = f32[8] custom-call(a), custom_call_target="Sharding", sharding={devices=[4]<=[4]}
  s = f32[8] sine(b)
  ROOT r = (f32[8]) tuple(s)
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), /*may_choose_output=*/{true}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(shardings.outputs[0].ToString(), "{devices=[4]<=[4]}");
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(f32[2])");
}

TEST(PjrtTilesTest, PositionsFollowTheOrderOfDevices) {
  const Shape array = ShapeUtil::MakeShape(F32, {4, 6});
  ASSERT_OK_AND_ASSIGN(const Tiles tiles,
                       TilesOf(HloSharding::Tile({2, 2}, {0, 2, 1, 3}), array, 4));
  EXPECT_EQ(tiles.tile_of, (std::vector<int64_t>{0, 2, 1, 3}));
  EXPECT_EQ(tiles.Position(1, 0), 1);
  EXPECT_EQ(tiles.Position(1, 1), 0);
  ASSERT_OK_AND_ASSIGN(const Tiles manual,
                       ManualTiles(tiles, array, ShapeUtil::MakeShape(F32, {2, 6})));
  EXPECT_EQ(manual.counts, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(manual.tile_of, (std::vector<int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(manual.groups, (std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}}));
  EXPECT_FALSE(ManualTiles(tiles, array, ShapeUtil::MakeShape(F32, {3, 6})).ok());
}

}  // namespace
}  // namespace xla::pjrt::testing
