// SPDX-License-Identifier: Apache-2.0
// What kernels read on the way: parts of rows, concatenations within fusions, loops that exchange
// buffers.
#include "xla/cpu/kernel/loop_partitioning.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/plan/assign_lowering.h"
#include "xla/cpu/plan/fusion.h"
#include "xla/cpu/plan/multi_output.h"
#include "xla/cpu/plan/ping_pong_state.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"

namespace xla::cpu {
namespace {

using Parts = std::vector<LoopPartition>;

TEST(RowPartsTest, AreDividedWhereTheOperandChanges) {
  EXPECT_EQ(PartitionBetween({32}, 64, 16), (Parts{{0, 32}, {32, 64}}));
  EXPECT_EQ(PartitionBetween({1, 99}, 100, 16), (Parts{{1, 99}}));
  EXPECT_EQ(PartitionBetween({-5, 40, 200}, 100, 16), (Parts{{0, 40}, {40, 100}}));
}

TEST(RowPartsTest, LeaveLittleToScalarCode) {
  EXPECT_TRUE(PartitionBetween({15, 30}, 45, 16).empty());
  EXPECT_TRUE(PartitionBetween({20, 35}, 60, 16).empty());      // 15 of 60
  EXPECT_TRUE(PartitionBetween({20, 40, 60}, 80, 16).empty());  // too many
}

// Of the root of an entry computation, in vectors of 16.
Parts PartsOf(const std::string& instructions) {
  const auto module =
      ParseAndReturnUnverifiedModule("HloModule m\nENTRY e {\n" + instructions + "\n}");
  EXPECT_OK(module.status());
  if (!module.ok()) return {};
  const HloInstruction* root = (*module)->entry_computation()->root_instruction();
  return PartitionRows(*root, root->shape().dimensions().back(), 16);
}

TEST(RowPartsTest, RowsThatRepeatOthersAreReadRowByRow) {
  const std::string tile = R"(
    x = f32[5,100] parameter(0)
    b = f32[5,3,100] broadcast(x), dimensions={0,2}
    t = f32[5,300] reshape(b)
    zero = f32[] constant(0)
  )";
  EXPECT_EQ(PartsOf(tile + "ROOT r = f32[5,300] negate(t)"), (Parts{{0, 100, 100, 0, 3}}));
  EXPECT_EQ(PartsOf(tile + "ROOT r = f32[5,303] pad(t, zero), padding=0_0x2_1"),
            (Parts{{2, 102, 100, 2, 3}}));
  EXPECT_EQ(PartsOf(tile + "ROOT r = f32[5,200] slice(t), slice={[0:5], [70:270]}"),
            (Parts{{0, 30, 100, -70, 1}, {30, 130, 100, -70, 1}, {130, 200, 100, -70, 1}}));
  EXPECT_EQ(PartsOf(tile + "ROOT r = f32[5,400] concatenate(x, t), dimensions={1}"),
            (Parts{{0, 100}, {100, 200, 100, 100, 3}}));
}

// The phases of the root of an entry computation.
int64_t PhasesOf(const std::string& instructions) {
  const auto module =
      ParseAndReturnUnverifiedModule("HloModule m\nENTRY e {\n" + instructions + "\n}");
  EXPECT_OK(module.status());
  return module.ok() ? PhasesOfRows(*(*module)->entry_computation()) : 0;
}

TEST(RowPartsTest, RowsThatAreSpreadOutHavePhases) {
  const std::string once = R"(
    x = f32[100,1] parameter(0)
    zero = f32[] constant(0)
    a = f32[200,1] pad(x, zero), padding=1_0_1x0_0
  )";
  EXPECT_EQ(PhasesOf(once + "ROOT r = f32[200,1] negate(a)"), 2);
  EXPECT_EQ(PhasesOf(once + "ROOT r = f32[598,1] pad(a, zero), padding=0_0_2x0_0"), 6);
  EXPECT_EQ(PhasesOf(once + "ROOT r = f32[1991,1] pad(a, zero), padding=0_0_9x0_0"), 1);
  EXPECT_EQ(PhasesOf(once + "ROOT r = f32[100,1] slice(a), slice={[0:200:2], [0:1]}"), 1);
  EXPECT_EQ(PhasesOf(once + "ROOT r = f32[200,2] pad(a, zero), padding=0_0x0_1"), 1);
}

int64_t CountFusions(const HloModule& module) {
  int64_t count = 0;
  for (const HloInstruction* instruction : module.entry_computation()->instructions())
    count += instruction->opcode() == HloOpcode::kFusion ? 1 : 0;
  return count;
}

// Kernels of an entry computation that returns `ROOT r`.
int64_t KernelsOf(const std::string& instructions) {
  const auto module =
      ParseAndReturnUnverifiedModule("HloModule m\nENTRY e {\n" + instructions + "\n}");
  EXPECT_OK(module.status());
  if (!module.ok()) return -1;
  EXPECT_OK(FuseForCpu(module->get()).status());
  EXPECT_OK(MergeFusions(module->get(), CpuCompileOptions().least_shared_bytes).status());
  return CountFusions(**module);
}

TEST(RowPartsTest, RolledRowsAreReadWhereTheyAreUsed) {
  EXPECT_EQ(KernelsOf(R"(
    x = s8[64,200] parameter(0)
    a = s8[64,199] slice(x), slice={[0:64],[1:200]}
    b = s8[64,1] slice(x), slice={[0:64],[0:1]}
    rolled = s8[64,200] concatenate(a, b), dimensions={1}
    c = s8[1,200] slice(rolled), slice={[63:64],[0:200]}
    d = s8[63,200] slice(rolled), slice={[0:63],[0:200]}
    moved = s8[64,200] concatenate(c, d), dimensions={0}
    ROOT r = s8[64,200] add(rolled, moved))"),
            1);
}

TEST(RowPartsTest, WhatCostsMuchIsComputedOnce) {
  // The exponential is needed at two places of each row.
  EXPECT_EQ(KernelsOf(R"(
    x = f32[64,200] parameter(0)
    y = f32[64,200] exponential(x)
    a = f32[64,199] slice(y), slice={[0:64],[1:200]}
    b = f32[64,1] slice(y), slice={[0:64],[0:1]}
    rolled = f32[64,200] concatenate(a, b), dimensions={1}
    ROOT r = f32[64,200] add(rolled, y))"),
            2);
}

TEST(RowPartsTest, ManyShortPiecesAreJoinedInMemory) {
  EXPECT_EQ(KernelsOf(R"(
    x = f32[64,10] parameter(0)
    y = f32[64,10] parameter(1)
    z = f32[64,20] parameter(2)
    n = f32[64,10] negate(x)
    joined = f32[64,20] concatenate(n, y), dimensions={1}
    ROOT r = f32[64,20] add(joined, z))"),
            2);
}

constexpr char kLoop[] = R"(
HloModule m
body {
  s = (s32[], f32[4096]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  x = f32[4096] get-tuple-element(s), index=1
  y = f32[4096] reverse(x), dimensions={0}
  few = f32[8] dynamic-slice(x, n), dynamic_slice_sizes={8}
  more = f32[8] multiply(few, few)
  many = f32[3000] dynamic-slice(x, n), dynamic_slice_sizes={3000}
  own = f32[3000] multiply(many, many)
  others = f32[3000] slice(x), slice={[5:3005]}
  most = f32[3000] multiply(others, others)
  z = f32[4096] $0
  one = s32[] constant(1)
  m = s32[] subtract(n, one)
  ROOT t = (s32[], f32[4096]) tuple(m, z)
}
condition {
  s = (s32[], f32[4096]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  zero = s32[] constant(0)
  ROOT more = pred[] compare(n, zero), direction=GT
}
ENTRY e {
  n = s32[] parameter(0)
  x = f32[4096] parameter(1)
  s = (s32[], f32[4096]) tuple(n, x)
  ROOT w = (s32[], f32[4096]) while(s), condition=condition, body=body
})";

// Buffers that the only loop exchanges.
size_t ExchangesWith(const std::string& next) {
  std::string text = kLoop;
  text.replace(text.find("$0"), 2, next);
  const auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module.status());
  if (!module.ok()) return 0;
  EXPECT_OK(FuseForCpu(module->get()).status());
  EXPECT_OK(MergeFusions(module->get(), CpuCompileOptions().least_shared_bytes).status());
  const Target target = {"x86_64", "", "", MachineWith(InstructionSet::kAvx2)};
  EXPECT_OK(AssignLowering(module->get(), target).status());
  const auto schedule = ScheduleProgram(**module);
  EXPECT_OK(schedule.status());
  if (!schedule.ok()) return 0;
  size_t exchanges = 0;
  for (const ScheduledItem& item : schedule->items) {
    if (item.kind == ScheduledItem::Kind::kWhile)
      exchanges += PingPongPairsOf(*schedule, item).size();
  }
  return exchanges;
}

TEST(ExchangesTest, StateThatCannotBeWrittenInPlaceIsExchanged) {
  EXPECT_EQ(ExchangesWith("add(x, y)"), 1u);
}

TEST(ExchangesTest, StateThatIsWrittenInPlaceIsNot) { EXPECT_EQ(ExchangesWith("negate(x)"), 0u); }

// What an update reads from the array itself is read beforehand if it is small, or while it is
// replaced.
TEST(ExchangesTest, StateOfWhichFewElementsAreUpdatedIsNot) {
  EXPECT_EQ(ExchangesWith("dynamic-update-slice(x, more, n)"), 0u);
  EXPECT_EQ(ExchangesWith("dynamic-update-slice(x, own, n)"), 0u);
  EXPECT_EQ(ExchangesWith("dynamic-update-slice(x, most, n)"), 1u);
}

}  // namespace
}  // namespace xla::cpu
