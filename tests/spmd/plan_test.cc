// SPDX-License-Identifier: Apache-2.0
// Whole plans. tests/spmd/plan_programs/NAME.hlo are planned for d=4,m=2 on machine.txt; NAME.txt
// is what must come out. XYLEM_UPDATE_EXPECTED=1 writes these again.
#include "xla/spmd/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/spmd/plan_test_util.h"
#include "tests/test_util.h"
#include "xla/spmd/plan_text.h"
#include "xla/spmd/plan_timeline.h"

namespace xla::spmd::testing {
namespace {

using ::xla::testing::ReadTestFile;
using ::xla::testing::SourcePath;

double ProcessorSecondsSince(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(PlanTest, TextsOfPrograms) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourcePath("tests/spmd/plan_programs"))) {
    if (entry.path().extension() != ".hlo") continue;
    ++count;
    SCOPED_TRACE(entry.path().filename().string());
    const auto plan = PlanOf(ReadTestFile(entry.path().string()), "d=4,m=2");
    ASSERT_OK(plan);
    std::filesystem::path expected = entry.path();
    expected.replace_extension(".txt");
    const std::string text = PlanText(*plan, 20);
    if (std::getenv("XYLEM_UPDATE_EXPECTED") != nullptr) std::ofstream(expected) << text;
    EXPECT_EQ(text, ReadTestFile(expected.string()));
  }
  EXPECT_GE(count, 4);
}

// An all-reduce along one axis of d=1024,m=1024, gathers along the other one.
constexpr char kManyDevices[] = R"(
HloModule m, num_partitions=1048576

sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }

ENTRY e {
  x = f32[64,128] parameter(0)
  w = f32[1,128] parameter(1)
  g = f32[1024,128] all-gather(w), channel_id=1, replica_groups=[1024,1024]<=[1048576], dimensions={0}, use_global_device_ids=true
  y = f32[64,1024] dot(x, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT r = f32[64,1024] all-reduce(y), channel_id=2, replica_groups=[1024,1024]<=[1024,1024]T(1,0), use_global_device_ids=true, to_apply=sum
})";

TEST(PlanTest, AMillionDevicesTakeMilliseconds) {
  const std::clock_t begin = std::clock();
  int plans = 0;
  for (; plans < 20; ++plans) {
    ASSERT_OK_AND_ASSIGN(const Plan plan, PlanOf(kManyDevices, "d=1024,m=1024"));
    ASSERT_EQ(plan.collectives.size(), 2u);
    EXPECT_EQ(plan.collectives[0].axes, "m");
    EXPECT_EQ(plan.collectives[1].axes, "d");
    EXPECT_EQ(plan.collectives[0].group_size, 1024);
    ASSERT_EQ(plan.products.size(), 1u);
    EXPECT_EQ(plan.products[0].devices, 1024 * 1024);
  }
  // Of processor time. Lists of a million devices would take several times as long.
  EXPECT_LT(ProcessorSecondsSince(begin) / plans, 0.02);
}

TEST(PlanTest, MeshAndProgramMustAgree) {
  EXPECT_ERROR(PlanOf(kManyDevices, "d=4,m=2"),
               "the mesh has 8 devices, but the program is for 1 replicas x 1048576 partitions");
  EXPECT_ERROR(PlanOf("HloModule m, replica_count=2000000, num_partitions=2000000\n"
                      "ENTRY e { ROOT x = f32[] parameter(0) }",
                      ""),
               "at most 1048576 devices");
  // Without --mesh there is one axis.
  ASSERT_OK_AND_ASSIGN(const Plan plan, PlanOf(kManyDevices, ""));
  EXPECT_EQ(plan.collectives[0].axes, "devices:(1024)1024");
}

TEST(PlanTest, ReplicasAndPartitions) {
  const auto axes = [](const std::string& attributes) {
    const std::string text = absl::StrCat(
        "HloModule m, replica_count=4, num_partitions=2\n"
        "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
        "ENTRY e { x = f32[8] parameter(0)\n ROOT r = f32[8] all-reduce(x), to_apply=sum, ",
        attributes, " }");
    const auto plan = PlanOf(text, "r=4,p=2");
    return plan.ok() ? plan->collectives[0].axes : std::string(plan.status().message());
  };
  EXPECT_EQ(axes("replica_groups={}"), "r");
  EXPECT_EQ(axes("replica_groups={{0,1},{2,3}}"), "r:(2)2");
  EXPECT_EQ(axes("replica_groups={{0,1,2,3}}, channel_id=1"), "r,p");
  EXPECT_EQ(axes("replica_groups={{0,1},{2,3},{4,5},{6,7}}, channel_id=1, "
                 "use_global_device_ids=true"),
            "p");
}

TEST(PlanTest, SizesMustBeKnown) {
  EXPECT_ERROR(PlanOf("HloModule m\nENTRY e { ROOT x = f32[?,4] parameter(0) }", ""),
               "has no size: it has a dimension without a bound");
}

// Groups of two hosts of six devices: uneven, so written out, but once.
TEST(PlanTest, UnevenUnitsOfAMillionDevices) {
  std::string text =
      "HloModule m, num_partitions=1048576\n"
      "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
      "ENTRY e {\n  v0 = f32[6] parameter(0)\n";
  for (int i = 1; i <= 200; ++i) {
    absl::StrAppend(&text, i == 200 ? "  ROOT v" : "  v", i, " = f32[6] all-reduce(v", i - 1,
                    "), channel_id=", i,
                    ", replica_groups=[262144,4]<=[1048576], use_global_device_ids=true, "
                    "to_apply=sum\n");
  }
  ASSERT_OK_AND_ASSIGN(const auto module, VerifiedModule(absl::StrCat(text, "}")));
  PlanOptions options;
  ASSERT_OK_AND_ASSIGN(options.mesh, ParsePlanMesh("d=262144,m=4"));
  ASSERT_OK_AND_ASSIGN(options.machine, TwoHosts());
  options.machine.levels[0].size = 6;
  const std::clock_t begin = std::clock();
  ASSERT_OK_AND_ASSIGN(const Plan plan, MakePlan(*module, options));
  ASSERT_EQ(plan.collectives.size(), 200u);
  EXPECT_GT(plan.collectives[0].cost.bytes_by_level[1], 0) << "some groups are on two hosts";
  EXPECT_LT(ProcessorSecondsSince(begin), 5);
}

// Two matrices on one device, of which the larger one is the result.
TEST(PlanTest, MemoryByLiveRanges) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, PlanOf(R"(
HloModule m
ENTRY e {
  x = f32[100,100] parameter(0)
  a = f32[100,100] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[100,100] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[100,100] dot(b, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT d = f32[100,100] dot(c, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                               ""));
  EXPECT_EQ(plan.memory.arguments, 40000);
  EXPECT_EQ(plan.memory.results, 40000);
  EXPECT_EQ(plan.memory.temporaries, 80000) << "a and b, or b and c";
  EXPECT_DOUBLE_EQ(plan.seconds, 4 * (2e6 / 1e9 + 1e-6));
}

TEST(PlanTest, CompilersMayBeAskedForMemory) {
  ASSERT_OK_AND_ASSIGN(const auto module,
                       VerifiedModule("HloModule m\nENTRY e { ROOT x = f32[8] parameter(0) }"));
  PlanOptions options;
  ASSERT_OK_AND_ASSIGN(options.machine, TwoHosts());
  options.temporary_bytes_source = "a compiler";
  options.temporary_bytes = [](const HloModule&) { return absl::StatusOr<int64_t>(123); };
  ASSERT_OK_AND_ASSIGN(Plan plan, MakePlan(*module, options));
  EXPECT_EQ(plan.memory.temporaries, 123);
  EXPECT_EQ(plan.memory_source, "a compiler");
  options.temporary_bytes = [](const HloModule&) {
    return absl::StatusOr<int64_t>(absl::UnimplementedError("no such operation"));
  };
  ASSERT_OK_AND_ASSIGN(plan, MakePlan(*module, options));
  EXPECT_EQ(plan.memory_source, "live ranges in program order");
  EXPECT_EQ(plan.notes, std::vector<std::string>{"temporaries by live ranges: no such operation"});
}

// What one operation or reduction reads is not in memory.
TEST(PlanTest, ElementwiseOperationsAreFused) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, PlanOf(R"(
HloModule m
ENTRY e {
  x = f32[1000] parameter(0)
  a = f32[1000] multiply(x, x)
  b = f32[1000] add(a, x)
  ROOT c = f32[1000] negate(b)
})",
                                               ""));
  // x for a, x for b, the result of c.
  EXPECT_EQ(plan.work.bytes, 4000 * 4) << "a reads both its operands";
  EXPECT_EQ(plan.work.vector_flops, 3000);
}

TEST(TimelineTest, TwoStreams) {
  // A collective beside a computation; the last one needs both.
  const std::vector<TimelineTask> tasks = {
      {.seconds = 2, .uses_compute = true, .predecessors = {}},
      {.seconds = 5, .uses_network = true, .predecessors = {0}},
      {.seconds = 3, .uses_compute = true, .predecessors = {0}},
      {.is_wait = true, .predecessors = {1}},
      {.seconds = 1, .uses_compute = true, .predecessors = {2, 3}},
  };
  for (const bool in_order : {false, true}) {
    const Timeline timeline = ScheduleTasks(tasks, in_order);
    EXPECT_EQ(timeline.seconds, 8);
    EXPECT_EQ(timeline.tasks[1].begin, 2);
    EXPECT_EQ(timeline.tasks[2].begin, 2);
    EXPECT_EQ(timeline.tasks[4].begin, 7);
  }
  EXPECT_EQ(LongestChain(tasks), 8);
  EXPECT_EQ(HiddenSeconds(tasks, ScheduleTasks(tasks, true)), (std::vector<double>{0, 3, 0, 0, 0}));
}

TEST(TimelineTest, LongestChainsComeFirst) {
  const std::vector<TimelineTask> tasks = {
      {.seconds = 4, .uses_compute = true, .predecessors = {}},
      {.seconds = 1, .uses_compute = true, .predecessors = {}},
      {.seconds = 6, .uses_network = true, .predecessors = {1}},
  };
  EXPECT_EQ(ScheduleTasks(tasks, /*in_order=*/true).seconds, 11);
  EXPECT_EQ(ScheduleTasks(tasks, /*in_order=*/false).seconds, 7);
}

}  // namespace
}  // namespace xla::spmd::testing
