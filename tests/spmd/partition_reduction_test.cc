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

}  // namespace
}  // namespace xla::spmd::testing
