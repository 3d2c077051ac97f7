// SPDX-License-Identifier: Apache-2.0
// Arrays that are unreduced by sums, maxima and minima, divided into partitions.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/spmd/run_on_shards.h"

namespace xla::spmd::testing {
namespace {

// Values at the boundary, in the mesh of the test's partitions, of which x is unreduced.
std::string ShardyProgram(std::string_view function) {
  return absl::StrCat("sdy.mesh @mesh = <[\"x\"=", kDevices, "]>\n", std::string(function));
}

TEST(SpmdPartitionTest, UnreducedArgumentsAreCombinedByTheirKind) {
  for (const auto& [kind, want] : {std::pair<const char*, float>{"max", -1}, {"min", -4}}) {
    Shards results;
    ASSERT_EQ(RunOnShards(ShardyProgram(absl::StrCat(R"(
  func.func public @main(%a: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=)",
                                                     kind, R"({"x"}>})
      -> (tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.negate %a : tensor<1xf32>
    %1 = stablehlo.negate %0 : tensor<1xf32>
    return %1 : tensor<1xf32>
  })")),
                          {{-2}, {-1}, {-4}, {-3}}, &results),
              "OK");
    EXPECT_EQ(results, (Shards{{want}, {want}, {want}, {want}})) << kind;
  }
}

TEST(SpmdPartitionTest, TheOthersLeaveAnUnreducedResult) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const auto& [kind, rest] :
       {std::pair<const char*, float>{"max", -kInfinity}, {"min", kInfinity}}) {
    Shards results;
    ASSERT_EQ(RunOnShards(ShardyProgram(absl::StrCat(R"(
  func.func public @main(%a: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
      -> (tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=)",
                                                     kind, R"({"x"}>}) {
    return %a : tensor<1xf32>
  })")),
                          {{-2}, {-2}, {-2}, {-2}}, &results),
              "OK");
    EXPECT_EQ(results, (Shards{{-2}, {rest}, {rest}, {rest}})) << kind;
  }
}

// Each partition keeps its own: nothing is sent.
TEST(SpmdPartitionTest, ExtremaOfShardsAreAnUnreducedResult) {
  for (const auto& [kind, init, want] :
       {std::tuple<const char*, const char*, Shards>{"max", "0xFF800000", {{-1}, {-3}, {-5}, {-7}}},
        {"min", "0x7F800000", {{-2}, {-4}, {-6}, {-8}}}}) {
    Shards results;
    ASSERT_EQ(RunOnShards(ShardyProgram(absl::StrCat(
                              R"(
  func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=)",
                              kind, R"({"x"}>}) {
    %init = stablehlo.constant dense<)",
                              init, R"(> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %init) applies stablehlo.)",
                              kind, R"(imum across dimensions = [0]
        : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    return %1 : tensor<1xf32>
  })")),
                          {{-1, -2}, {-3, -4}, {-5, -6}, {-7, -8}}, &results),
              "OK");
    EXPECT_EQ(results, want) << kind;
  }
}

// Programs over a mesh of two axes: partition 2 * x + y.
std::string OverTwoAxes(std::string_view function) {
  return absl::StrCat("sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n", std::string(function));
}

// Each sum over x is divided along x; what is to be added along y stays apart.
TEST(SpmdPartitionTest, PartsAreScatteredAsParts) {
  Shards results;
  ASSERT_EQ(RunOnShards(OverTwoAxes(R"(
  func.func public @main(
        %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>}) {
    return %a : tensor<4xf32>
  })"),
                        {{1, 2, 3, 4}, {10, 20, 30, 40}, {5, 6, 7, 8}, {50, 60, 70, 80}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{6, 8}, {60, 80}, {10, 12}, {100, 120}}));
}

// A shard becomes a part, among zeros, once it is divided along the other axis.
TEST(SpmdPartitionTest, ShardsMoveBeforeTheyAreParts) {
  Shards results;
  ASSERT_EQ(RunOnShards(OverTwoAxes(R"(
  func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) {
    return %a : tensor<4xf32>
  })"),
                        {{1, 2}, {1, 2}, {3, 4}, {3, 4}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{1, 0}, {3, 0}, {0, 2}, {0, 4}}));
}

// Of sizes that do not divide evenly, shards are joined first.
TEST(SpmdPartitionTest, UnevenShardsBecomeParts) {
  Shards results;
  ASSERT_EQ(RunOnShards(OverTwoAxes(R"(
  func.func public @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) {
    return %a : tensor<2xf32>
  })"),
                        {{1}, {1}, {2}, {2}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{1}, {2}, {0}, {0}}));
}

// Shards of an argument are summed along y, and what they add up to along x is the result.
TEST(SpmdPartitionTest, ShardsOfUnreducedArgumentsAreReduced) {
  Shards results;
  ASSERT_EQ(RunOnShards(OverTwoAxes(R"(
  func.func public @main(
        %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>})
      -> (tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    return %1 : tensor<1xf32>
  })"),
                        {{1, 2}, {10, 20}, {3, 4}, {30, 40}}, &results),
            "OK");
  EXPECT_EQ(results, (Shards{{33}, {33}, {77}, {77}}));
}

}  // namespace
}  // namespace xla::spmd::testing
