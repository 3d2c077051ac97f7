// SPDX-License-Identifier: Apache-2.0
// What programs receive at the borders of manual computations, in collectives of their own and in
// scaled products.
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/report.h"

namespace xla::spmd::testing {
namespace {

// What a device receives of a program that is partitioned; -1 with the reason if it is not.
int64_t BytesOfPartitioned(const std::string& text) {
  const auto bytes = [&]() -> absl::StatusOr<int64_t> {
    XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(text));
    XLA_RETURN_IF_ERROR(PartitionModule(module.get()).status());
    XLA_RETURN_IF_ERROR(VerifyModule(*module));
    return ReportCommunication(*module).bytes;
  }();
  EXPECT_OK(bytes.status());
  return bytes.value_or(-1);
}

// Whether there are the replicas that a collective names is for the run to say.
TEST(SpmdPartitionTest, CollectivesOfReplicasStay) {
  EXPECT_EQ(BytesOfPartitioned(R"(
HloModule m, num_partitions=2

ENTRY e {
  a = s32[4] parameter(0), sharding={devices=[2]<=[2]}
  ROOT r = s32[4] collective-permute(a), source_target_pairs={{0,1}}, sharding={devices=[2]<=[2]}
})"),
            8 + 16);
}

// Shards that a program computes are those of a manual computation.
TEST(SpmdPartitionTest, ComputedShardsEnterManualComputations) {
  EXPECT_EQ(BytesOfPartitioned(R"(
HloModule m, num_partitions=4

ENTRY e {
  a = s32[8,2] parameter(0), sharding={devices=[4,1]<=[4]}
  b = s32[8,2] multiply(a, a), sharding={devices=[4,1]<=[4]}
  c = s32[2,2] custom-call(b), custom_call_target="SPMDFullToShardShape", sharding={manual}
  d = s32[2,2] negate(c), sharding={manual}
  f = s32[8,2] custom-call(d), custom_call_target="SPMDShardToFullShape", sharding={devices=[4,1]<=[4]}
  g = s32[8,2] add(f, a), sharding={devices=[4,1]<=[4]}
  h = s32[2,2] custom-call(g), custom_call_target="SPMDFullToShardShape", sharding={manual}
  ROOT r = s32[8,2] custom-call(h), custom_call_target="SPMDShardToFullShape", sharding={devices=[4,1]<=[4]}
})"),
            0);
}

// Of computations that are left one after the other, the shards are those of the innermost one.
TEST(SpmdPartitionTest, ShardsLeaveNestedManualComputations) {
  EXPECT_EQ(BytesOfPartitioned(R"(
HloModule m, num_partitions=8

ENTRY e {
  a = s32[6,4,8] parameter(0), sharding={devices=[2,2,2]<=[8]}
  b = s32[3,2,4] custom-call(a), custom_call_target="SPMDFullToShardShape", sharding={manual}
  c = s32[6,2,4] custom-call(b), custom_call_target="SPMDShardToFullShape", sharding={devices=[2,1,1,4]<=[8] last_tile_dims={manual}}
  d = s32[6,4,4] custom-call(c), custom_call_target="SPMDShardToFullShape", sharding={devices=[2,2,1,2]<=[8] last_tile_dims={manual}}
  ROOT r = s32[6,4,8] custom-call(d), custom_call_target="SPMDShardToFullShape", sharding={devices=[2,2,2]<=[8]}
})"),
            0);
}

// Scales of blocks are divided with what they scale, and sums of blocks added.
TEST(SpmdPartitionTest, ScaledProductsWorkOnShards) {
  const auto bytes = [](const std::string& x, const std::string& w, const std::string& xs,
                        const std::string& ws, const std::string& y) {
    return BytesOfPartitioned(absl::StrCat(R"(
HloModule m, num_partitions=2

ENTRY e {
  x = f8e4m3fn[16,64] parameter(0), sharding={)",
                                           x, R"(}
  w = f8e4m3fn[32,64] parameter(1), sharding={)",
                                           w, R"(}
  xs = f8e8m0fnu[16,2] parameter(2), sharding={)",
                                           xs, R"(}
  ws = f8e8m0fnu[32,2] parameter(3), sharding={)",
                                           ws, R"(}
  ROOT y = f32[16,32] scaled-dot(x, w, xs, ws), lhs_contracting_dims={1}, rhs_contracting_dims={1}, sharding={)",
                                           y, "}\n}"));
  };
  constexpr const char* kRows = "devices=[2,1]<=[2]";
  constexpr const char* kColumns = "devices=[1,2]<=[2]";
  constexpr const char* kAll = "replicated";
  EXPECT_EQ(bytes(kRows, kAll, kRows, kAll, kRows), 0);
  EXPECT_EQ(bytes(kAll, kRows, kAll, kRows, kColumns), 0);
  EXPECT_EQ(bytes(kColumns, kColumns, kColumns, kColumns, kAll), 16 * 32 * 4);
}

// Collectives of a program exchange shards between partitions that have the same part.
TEST(SpmdPartitionTest, CollectivesWorkOnShards) {
  constexpr const char* kProgram = R"(
HloModule m, num_partitions=4

sum {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}

ENTRY e {
  a = s32[4,2] parameter(0), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  b = s32[4,2] all-reduce(a), channel_id=1, replica_groups=$0, use_global_device_ids=true, to_apply=sum, sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  ROOT r = s32[4,2] collective-permute(b), channel_id=2, source_target_pairs=$1, sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}
})";
  // Partitions 0 and 2 have the first rows, 1 and 3 the others.
  EXPECT_EQ(BytesOfPartitioned(absl::Substitute(kProgram, "{{2,0},{1,3}}", "{{0,2},{1,3}}")),
            16 + 16);
  // Between different parts the whole array goes, gathered first.
  EXPECT_EQ(BytesOfPartitioned(absl::Substitute(kProgram, "{{0,1},{2,3}}", "{{0,2},{1,3}}")),
            16 + 32 + 16);
}

}  // namespace
}  // namespace xla::spmd::testing
