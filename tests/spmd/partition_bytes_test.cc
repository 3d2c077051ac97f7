// SPDX-License-Identifier: Apache-2.0
// What programs receive at the borders of manual computations, in collectives of their own and in
// scaled products.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/report.h"
#include "xla/spmd/shard_literals.h"

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

// The results of each partition, of arguments that count up: shards of those that it gets, or the
// full ones.
absl::StatusOr<std::vector<Literal>> RunWithArguments(const HloModule& module,
                                                      absl::Span<const Literal> arguments,
                                                      const ProgramShardings* shardings) {
  const int64_t partitions = module.config().num_partitions();
  std::vector<std::vector<Literal>> given(static_cast<size_t>(partitions));
  std::vector<std::vector<const Literal*>> pointers;
  for (int64_t p = 0; p < partitions; ++p) {
    std::vector<Literal>& own = given[static_cast<size_t>(p)];
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (shardings == nullptr) {
        own.push_back(arguments[i].Clone());
        continue;
      }
      XLA_ASSIGN_OR_RETURN(Literal shard,
                           ShardOfLiteral(arguments[i], shardings->parameters[i], p, partitions));
      own.push_back(std::move(shard));
    }
    std::vector<const Literal*>& of_device = pointers.emplace_back();
    for (const Literal& argument : own) of_device.push_back(&argument);
  }
  return InterpretReplicated(module, 1, partitions, pointers, {});
}

// Whether each partition has its shards of what it computes of full arguments.
absl::Status CompareWithFull(const std::string& text) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(text));
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions()) {
    Literal& argument = arguments.emplace_back(parameter->shape());
    int32_t value = 0;
    for (int32_t& element : argument.data<int32_t>()) element = value++;
  }
  const auto local = module->Clone();
  XLA_ASSIGN_OR_RETURN(const ProgramShardings shardings, PartitionModule(local.get()));
  XLA_RETURN_IF_ERROR(RemoveAnnotations(module.get()));
  XLA_ASSIGN_OR_RETURN(const auto full, RunWithArguments(*module, arguments, nullptr));
  XLA_ASSIGN_OR_RETURN(const auto shards, RunWithArguments(*local, arguments, &shardings));
  for (size_t p = 0; p < full.size(); ++p) {
    for (size_t i = 0; i < shardings.outputs.size(); ++i) {
      const ShapeIndex index = {static_cast<int64_t>(i)};
      XLA_ASSIGN_OR_RETURN(
          const Literal expected,
          ShardOfLiteral(LiteralSlice(full[p], index), shardings.outputs[i],
                         static_cast<int64_t>(p), static_cast<int64_t>(full.size())));
      if (LiteralSlice(shards[p], index) == expected) continue;
      return absl::InternalError(absl::StrCat("result ", i, " of partition ", p));
    }
  }
  return absl::OkStatus();
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

// What other axes divide stays divided within: along those that the computation states, and those
// of what enters. Both reach those who get its results.
TEST(SpmdPartitionTest, ShardsAreDividedFurtherInManualComputations) {
  constexpr const char* kProgram = R"(
HloModule m, num_partitions=8

ENTRY e {
  a = s32[8,4] parameter(0), sharding={devices=[4,2]<=[8]}
  b = s32[8,4] custom-call(a), custom_call_target="Sharding", sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
  c = s32[2,4] custom-call(b), custom_call_target="SPMDFullToShardShape", sharding={$0}
  d = s32[2,4] multiply(c, c)
  p = s32[2,4] collective-permute(d), channel_id=1, source_target_pairs={{0,6},{2,0},{4,2},{6,4},{1,7},{3,1},{5,3},{7,5}}
  f = s32[8,4] custom-call(p), custom_call_target="SPMDShardToFullShape", sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
  ROOT r = s32[8,4] copy(f), sharding={devices=[4,2]<=[8]}
})";
  // The permutation exchanges halves of shards.
  EXPECT_EQ(BytesOfPartitioned(
                absl::Substitute(kProgram, "devices=[1,2,4]<=[4,2]T(1,0) last_tile_dims={manual}")),
            16);
}

// A shard of one row that is divided within ends in padding, which is none of the whole array.
TEST(SpmdPartitionTest, PaddingStaysInManualComputations) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=8

ENTRY e {
  a = s32[8] parameter(0), sharding={devices=[8]<=[8]}
  b = s32[8] custom-call(a), custom_call_target="Sharding", sharding={devices=[4,2]<=[8] last_tile_dim_replicate}
  c = s32[2] custom-call(b), custom_call_target="SPMDFullToShardShape", sharding={devices=[1,4,2]<=[8] last_tile_dims={manual, replicated}}
  d = s32[1] slice(c), slice={[1:2]}
  f = s32[1] negate(d), sharding={devices=[2,4]<=[4,2]T(1,0) last_tile_dims={manual}}
  g = s32[4] custom-call(f), custom_call_target="SPMDShardToFullShape", sharding={devices=[4,2]<=[8] last_tile_dim_replicate}
  h = s32[4] negate(g), sharding={devices=[4,2]<=[8] last_tile_dim_replicate}
  ROOT r = (s32[4]) tuple(h), sharding={{devices=[4,2]<=[8] last_tile_dim_replicate}}
})"));
  ASSERT_OK_AND_ASSIGN(const ProgramShardings shardings, PartitionModule(module.get()));
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR1<int32_t>({0, 1, 2, 3, 4, 5, 6, 7}));
  ASSERT_OK_AND_ASSIGN(const std::vector<Literal> results,
                       RunWithArguments(*module, arguments, &shardings));
  for (size_t p = 0; p < results.size(); ++p) {
    const int32_t row = static_cast<int32_t>(p) / 2 * 2 + 1;
    EXPECT_EQ(LiteralSlice(results[p], {0}), LiteralUtil::CreateR1<int32_t>({row})) << p;
  }
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

// Where it makes no difference to what is received, products are of shards.
TEST(SpmdPartitionTest, ProductsAreGatheredRatherThanOperands) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, num_partitions=8

ENTRY e {
  x = s32[8,8] parameter(0), sharding={replicated}
  w = s32[8,8] parameter(1), sharding={devices=[1,8]<=[8]}
  y = s32[8,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = s32[8,8] negate(y), sharding={replicated}
})"));
  ASSERT_OK(PartitionModule(module.get()).status());
  EXPECT_EQ(ReportCommunication(*module).bytes, 224);
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    if (instruction->opcode() == HloOpcode::kDot) {
      EXPECT_EQ(instruction->shape().ToString(), "s32[8,1]");
    }
  }
}

// Of batches that are divided, a sum and a sum of squares of each feature are added.
TEST(SpmdPartitionTest, BatchNormsWorkOnShards) {
  EXPECT_EQ(BytesOfPartitioned(R"(
HloModule m, num_partitions=8

ENTRY e {
  x = f32[16,4] parameter(0), sharding={devices=[8,1]<=[8]}
  scale = f32[4] parameter(1), sharding={replicated}
  t = (f32[16,4], f32[4], f32[4]) batch-norm-training(x, scale, scale), epsilon=1, feature_index=1
  ROOT r = f32[16,4] get-tuple-element(t), index=0, sharding={devices=[8,1]<=[8]}
})"),
            2 * 2 * 16 * 7 / 8);
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

// Dimensions that are not exchanged stay divided; several operands may be divided differently.
TEST(SpmdPartitionTest, CollectivesKeepOtherDimensionsDivided) {
  constexpr const char* kProgram = R"(
HloModule m, num_partitions=4

sum {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}

ENTRY e {
  a = s32[4,8] parameter(0), sharding={$0}
  b = s32[8,6] parameter(1), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  $1
  ROOT r = ($2, s32[8,6]) tuple(c, d), sharding={{$0}, {devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}}
})";
  constexpr const char* kRows = "devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate";
  constexpr const char* kGroups =
      "channel_id=1, replica_groups={{2,0},{1,3}}, use_global_device_ids=true";
  const auto program = [&](const std::string& collective, const std::string& shape) {
    return absl::Substitute(kProgram, kRows, collective, shape);
  };
  const auto expect = [](const std::string& text, int64_t bytes) {
    EXPECT_EQ(BytesOfPartitioned(text), bytes);
    EXPECT_OK(CompareWithFull(text));
  };
  expect(program(absl::StrCat("c = s32[4,16] all-gather(a), dimensions={1}, ", kGroups,
                              "\n d = s32[8,6] negate(b)"),
                 "s32[4,16]"),
         64);
  expect(program(absl::StrCat("c = s32[4,4] reduce-scatter(a), dimensions={1}, to_apply=sum, ",
                              kGroups, "\n d = s32[8,6] negate(b)"),
                 "s32[4,4]"),
         32);
  expect(program("c = s32[4,8] all-to-all(a), dimensions={1}, channel_id=1, "
                 "replica_groups={{2,0},{1,3}}\n d = s32[8,6] negate(b)",
                 "s32[4,8]"),
         32);
  expect(program(absl::StrCat("t = (s32[4,8], s32[8,6]) all-reduce(a, b), to_apply=sum, ", kGroups,
                              "\n c = s32[4,8] get-tuple-element(t), index=0"
                              "\n d = s32[8,6] get-tuple-element(t), index=1"),
                 "s32[4,8]"),
         2 * (64 + 96) / 2);
  // Along the dimension that is divided, it is gathered first.
  expect(program(absl::StrCat("c = s32[8,8] all-gather(a), dimensions={0}, ", kGroups,
                              "\n d = s32[8,6] negate(b)"),
                 "s32[8,8]"),
         64 + 128);
}

}  // namespace
}  // namespace xla::spmd::testing
