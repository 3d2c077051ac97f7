// SPDX-License-Identifier: Apache-2.0
// Sharding groups: values that are divided alike.
#include <gtest/gtest.h>

#include "tests/test_util.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/partition.h"
#include "xla/stablehlo/translate.h"

namespace xla::spmd::testing {
namespace {

// Values of a sharding group are divided alike, as the first that is divided.
TEST(SpmdPartitionAlikeTest, GroupsAreDividedAlike) {
  const auto source = stablehlo::LoadStableHlo(R"(
module @program attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
    %c = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>
    "sdy.sharding_group"(%c) <{group_id = 7 : i64}> : (tensor<8xi32>) -> ()
    "sdy.sharding_group"(%a) <{group_id = 7 : i64}> : (tensor<8xi32>) -> ()
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    "sdy.sharding_group"(%0) <{group_id = 7 : i64}> : (tensor<8xi32>) -> ()
    %1 = stablehlo.iota dim = 0 : tensor<8xi32>
    "sdy.sharding_group"(%1) <{group_id = 8 : i64}> : (tensor<8xi32>) -> ()
    return %0, %1, %c : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
  }
})",
                                               "program");
  ASSERT_OK(source.status());
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      stablehlo::TranslateToHlo(source->get(), {.shardy = stablehlo::ShardyForm::kAxes}));
  module->config().set_num_partitions(4);
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true, true, true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(s32[2], s32[8], s32[2])");
}

// %0 would be sums of products, %2 divided in one dimension.
TEST(SpmdPartitionAlikeTest, AGroupIsDividedAsAManualComputationReadsIt) {
  const auto source = stablehlo::LoadStableHlo(R"(
module @program attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%a: tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<8x8xi32>, tensor<8x8xi32>) {
    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1]
        : (tensor<8x2xi32>, tensor<8x2xi32>) -> tensor<8x8xi32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
        out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<2x4xi32>) {
      %2 = "stablehlo.all_reduce"(%b) <{replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]>
          : tensor<2x4xi64>}> ({
        ^bb0(%x: tensor<i32>, %y: tensor<i32>):
          %s = stablehlo.add %x, %y : tensor<i32>
          stablehlo.return %s : tensor<i32>
      }) : (tensor<2x4xi32>) -> tensor<2x4xi32>
      sdy.return %2 : tensor<2x4xi32>
    } : (tensor<8x8xi32>) -> tensor<2x8xi32>
    %3 = stablehlo.dot_general %1, %1, contracting_dims = [0] x [0]
        : (tensor<2x8xi32>, tensor<2x8xi32>) -> tensor<8x8xi32>
    "sdy.sharding_group"(%0) <{group_id = 0 : i64}> : (tensor<8x8xi32>) -> ()
    "sdy.sharding_group"(%3) <{group_id = 0 : i64}> : (tensor<8x8xi32>) -> ()
    return %0, %3 : tensor<8x8xi32>, tensor<8x8xi32>
  }
})",
                                               "program");
  ASSERT_OK(source.status());
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      stablehlo::TranslateToHlo(source->get(), {.shardy = stablehlo::ShardyForm::kAxes}));
  module->config().set_num_partitions(8);
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings,
                       PartitionModule(module.get(), {.may_choose_output = {true, true}}));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(module->entry_computation_layout().result().ToString(), "(s32[2,4], s32[2,4])");
  EXPECT_EQ(shardings.outputs[0], shardings.outputs[1]);
}

}  // namespace
}  // namespace xla::spmd::testing
