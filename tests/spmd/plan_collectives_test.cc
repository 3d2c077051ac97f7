// SPDX-License-Identifier: Apache-2.0
// Groups of devices as digits, and the time of collectives against numbers made by hand from the
// formulas of xla/spmd/plan_collectives.h and plan_bounds.h.
#include "xla/spmd/plan_collectives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/spmd/plan_test_util.h"
#include "tests/test_util.h"
#include "xla/spmd/plan_bounds.h"
#include "xla/spmd/plan_groups.h"

namespace xla::spmd::testing {
namespace {

absl::StatusOr<DeviceGroups> GroupsOf(const std::string& groups, int64_t devices) {
  const std::string text = absl::StrCat(
      "HloModule m, num_partitions=", devices,
      "\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[4] parameter(0)\n ROOT r = f32[4] all-reduce(x), channel_id=1, "
      "use_global_device_ids=true, to_apply=sum, replica_groups=",
      groups, " }");
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                       ParseAndReturnUnverifiedModule(text));
  return FindDeviceGroups(*module->entry_computation()->root_instruction(),
                          {.replicas = 1, .partitions = devices});
}

std::string AxesOf(const std::string& groups, const std::string& mesh) {
  const auto axes = ParsePlanMesh(mesh);
  if (!axes.ok()) return std::string(axes.status().message());
  const auto found = GroupsOf(groups, DevicesOf(*axes));
  return found.ok() ? AxesText(*found, *axes) : std::string(found.status().message());
}

TEST(PlanGroupsTest, AxesOfIotaGroups) {
  EXPECT_EQ(AxesOf("[4,2]<=[8]", "d=4,m=2"), "m");
  EXPECT_EQ(AxesOf("[2,4]<=[4,2]T(1,0)", "d=4,m=2"), "d");
  EXPECT_EQ(AxesOf("[1,8]<=[8]", "d=4,m=2"), "d,m");
  EXPECT_EQ(AxesOf("[8,1]<=[8]", "d=4,m=2"), "-");
  EXPECT_EQ(AxesOf("[4,2]<=[2,4]T(1,0)", "d=8"), "d:(1)2");
  EXPECT_EQ(AxesOf("[4,2]<=[8]", "d=8"), "d:(4)2");
  EXPECT_EQ(AxesOf("[4,2]<=[2,2,2]T(0,2,1)", "d=8"), "d:(2)2");
  EXPECT_EQ(AxesOf("[2,4]<=[2,2,2]T(1,0,2)", "a=2,b=2,c=2"), "a,c");
  EXPECT_EQ(AxesOf("[8,8]<=[8,8]T(1,0)", "d=8,m=8"), "d");
}

TEST(PlanGroupsTest, AxesOfListsAndMeshes) {
  EXPECT_EQ(AxesOf("{{0,1},{2,3},{4,5},{6,7}}", "d=4,m=2"), "m");
  EXPECT_EQ(AxesOf("{{0,2,4,6},{1,3,5,7}}", "d=4,m=2"), "d");
  EXPECT_EQ(AxesOf("{}", "d=4,m=2"), "d,m");
  EXPECT_EQ(AxesOf("{{0,1},{2,5},{3,4},{6,7}}", "d=4,m=2"), "?");
  EXPECT_EQ(AxesOf("{{0,3},{1,4},{2,5},{6,7}}", "d=4,m=2"), "?");
  EXPECT_EQ(AxesOf("{{0,1,2},{3,4,5,6,7}}", "d=4,m=2"), "?");
  EXPECT_EQ(AxesOf("mesh['x'=4,'y'=2] {'x'}", "d=4,m=2"), "d");
  EXPECT_EQ(AxesOf("mesh['x'=8] {'x':(2)2}", "d=4,m=2"), "d:(2)2");
  // In the order of the ranks 4, 3, ..: no digits, but one set of axes would be wrong to print.
  EXPECT_EQ(AxesOf("{{1,0},{3,2},{5,4},{7,6}}", "d=4,m=2"), "?");
  EXPECT_EQ(AxesOf("[2,3]<=[6]", "d=2,m=2"), "r: its groups have device 5, but there are 4");
  EXPECT_EQ(AxesOf("{{0,9}}", "d=4,m=2"), "r: its groups have device 9, but there are 8");
}

TEST(PlanGroupsTest, Meshes) {
  ASSERT_OK_AND_ASSIGN(const PlanMesh mesh, ParsePlanMesh("d=64,m=64"));
  EXPECT_EQ(DevicesOf(mesh), 4096);
  EXPECT_ERROR(ParsePlanMesh(""), "an axis has a name and a size");
  EXPECT_ERROR(ParsePlanMesh("d=4,"), "an axis has a name and a size");
  EXPECT_ERROR(ParsePlanMesh("d=0"), "'0' is not a size");
  EXPECT_ERROR(ParsePlanMesh("d=x"), "'x' is not a size");
  EXPECT_ERROR(ParsePlanMesh("d=2,d=2"), "axis d is duplicated");
  EXPECT_ERROR(ParsePlanMesh("d=1048576,m=2"), "more than 1048576 devices");
  EXPECT_ERROR(ParsePlanMesh("d=9223372036854775807,m=9223372036854775807"),
               "more than 1048576 devices");
}

std::vector<int64_t> MembersOf(const std::string& groups, int64_t devices) {
  const auto found = GroupsOf(groups, devices);
  const auto machine = TwoHosts();
  if (!found.ok() || !machine.ok()) return {};
  return MembersByLevel(*found, *machine, devices);
}

TEST(PlanGroupsTest, MembersOnEachLevel) {
  using Members = std::vector<int64_t>;
  EXPECT_EQ(MembersOf("[4,2]<=[8]", 8), (Members{2, 1}));
  EXPECT_EQ(MembersOf("[1,8]<=[8]", 8), (Members{4, 2}));
  EXPECT_EQ(MembersOf("[4,2]<=[2,4]T(1,0)", 8), (Members{1, 2}));
  EXPECT_EQ(MembersOf("[2,4]<=[4,2]T(1,0)", 8), (Members{2, 2}));
  EXPECT_EQ(MembersOf("[16,64]<=[1024]", 1024), (Members{4, 16}));
  // Groups of three on hosts of four: some are on two hosts, with up to two on one.
  EXPECT_EQ(MembersOf("[4,3]<=[12]", 12), (Members{2, 2}));
  EXPECT_EQ(MembersOf("{{0,1},{2,5},{3,4},{6,7}}", 8), (Members{1, 2}));
}

// Level "host": p = 4, alpha 1e-6, beta 1e-9, gamma 1e-12.
TEST(PlanCollectivesTest, OneLevel) {
  ASSERT_OK_AND_ASSIGN(const MachineDescription machine, TwoHosts());
  const std::vector<int64_t> members = {4, 1};
  const double n = 1e6;
  const CollectiveCost reduce =
      CostOfCollective(CollectiveKind::kAllReduce, n, members, machine, 8);
  // Halving: 2 lg p alpha + 2 n beta (p-1)/p + n gamma (p-1)/p.
  EXPECT_EQ(reduce.algorithm, "halving");
  EXPECT_DOUBLE_EQ(reduce.alpha, 4e-6);
  EXPECT_DOUBLE_EQ(reduce.beta, 1.5e-3);
  EXPECT_DOUBLE_EQ(reduce.gamma, 0.75e-6);
  EXPECT_DOUBLE_EQ(reduce.bytes(), 1.5e6);
  EXPECT_EQ(reduce.bytes_by_level[1], 0);
  const CollectiveCost gather =
      CostOfCollective(CollectiveKind::kAllGather, n, members, machine, 8);
  EXPECT_DOUBLE_EQ(gather.alpha, 2e-6);
  EXPECT_DOUBLE_EQ(gather.beta, 0.75e-3);
  EXPECT_EQ(gather.gamma, 0);
  const CollectiveCost scatter =
      CostOfCollective(CollectiveKind::kReduceScatter, n, members, machine, 8);
  EXPECT_DOUBLE_EQ(scatter.seconds(), gather.seconds() + 0.75e-6);
  const CollectiveCost exchange =
      CostOfCollective(CollectiveKind::kAllToAll, n, members, machine, 8);
  EXPECT_EQ(exchange.algorithm, "pairwise");
  EXPECT_DOUBLE_EQ(exchange.alpha, 3e-6);
  EXPECT_DOUBLE_EQ(exchange.beta, 0.75e-3);
}

TEST(PlanCollectivesTest, SmallArrays) {
  ASSERT_OK_AND_ASSIGN(const MachineDescription machine, TwoHosts());
  const std::vector<int64_t> members = {4, 1};
  // Doubling: lg p (alpha + n beta + n gamma).
  const CollectiveCost reduce =
      CostOfCollective(CollectiveKind::kAllReduce, 8, members, machine, 8);
  EXPECT_EQ(reduce.algorithm, "doubling");
  EXPECT_DOUBLE_EQ(reduce.seconds(), 2 * (1e-6 + 8e-9 + 8e-12));
  EXPECT_DOUBLE_EQ(reduce.bytes(), 16);
  // Bruck: lg p (alpha + n/2 beta).
  const CollectiveCost exchange =
      CostOfCollective(CollectiveKind::kAllToAll, 8, members, machine, 8);
  EXPECT_EQ(exchange.algorithm, "bruck");
  EXPECT_DOUBLE_EQ(exchange.seconds(), 2 * (1e-6 + 4e-9));
  // A tree: lg p (alpha + n beta); three of four receive.
  const CollectiveCost cast = CostOfCollective(CollectiveKind::kBroadcast, 8, members, machine, 8);
  EXPECT_EQ(cast.algorithm, "doubling");
  EXPECT_DOUBLE_EQ(cast.seconds(), 2 * (1e-6 + 8e-9));
  EXPECT_DOUBLE_EQ(cast.bytes(), 6);
}

// Four in a host, two hosts; four devices of a host share two links.
TEST(PlanCollectivesTest, TwoLevels) {
  ASSERT_OK_AND_ASSIGN(const MachineDescription machine, TwoHosts());
  const std::vector<int64_t> members = {4, 2};
  const double n = 1e6;
  const CollectiveCost reduce =
      CostOfCollective(CollectiveKind::kAllReduce, n, members, machine, 8);
  EXPECT_EQ(reduce.algorithm, "hierarchy");
  // Inside 2 * 3/4 n; outside one exchange of n/4, on links that two devices share.
  EXPECT_DOUBLE_EQ(reduce.alpha, 4 * 1e-6 + 1e-5);
  EXPECT_DOUBLE_EQ(reduce.beta, 1.5 * n * 1e-9 + n / 4 * 1e-8 * 2);
  EXPECT_DOUBLE_EQ(reduce.bytes_by_level[0], 1.5 * n);
  EXPECT_DOUBLE_EQ(reduce.bytes_by_level[1], n / 4);
  const CollectiveCost exchange =
      CostOfCollective(CollectiveKind::kAllToAll, n, members, machine, 8);
  // Half of n leaves the host: as pairwise messages to four partners there.
  EXPECT_DOUBLE_EQ(exchange.bytes_by_level[1], n / 2);
  EXPECT_DOUBLE_EQ(exchange.bytes_by_level[0],
                   exchange.algorithm == "pairwise" ? n * 3 / 8 : n * 3 / 4);
}

TEST(PlanCollectivesTest, RingsPassABoundaryOnce) {
  ASSERT_OK_AND_ASSIGN(MachineDescription machine, TwoHosts());
  for (MachineLevel& level : machine.levels) level.algorithms = CollectiveAlgorithms::kRing;
  machine.levels[1].width = 1;
  const double n = 8e6;
  const std::vector<int64_t> members = {4, 2};
  const CollectiveCost reduce =
      CostOfCollective(CollectiveKind::kAllReduce, n, members, machine, 8);
  // 14 steps of a megabyte on the slow link, of which a host uses one at a time; the hierarchy has
  // four devices on that link, with 2 * 1/2 * n/4 each.
  EXPECT_EQ(reduce.algorithm, "hierarchy");
  EXPECT_DOUBLE_EQ(reduce.beta, 1.5 * n * 1e-9 + n / 4 * 1e-8 * 4);
  machine.levels[0].beta = 2e-8;  // slow inside as well
  const CollectiveCost flat = CostOfCollective(CollectiveKind::kAllReduce, n, members, machine, 8);
  EXPECT_EQ(flat.algorithm, "ring");
  EXPECT_DOUBLE_EQ(flat.alpha, 14 * 1e-6);
  EXPECT_DOUBLE_EQ(flat.beta, 14 * 1e6 * 2e-8);
  EXPECT_DOUBLE_EQ(flat.bytes(), 14e6);
  EXPECT_DOUBLE_EQ(flat.bytes_by_level[1], 14e6 / 4);
}

TEST(PlanCollectivesTest, BisectionBoundsAllToAll) {
  ASSERT_OK_AND_ASSIGN(MachineDescription machine, TwoHosts());
  machine.levels[1].bisection = 0.5;
  const CollectiveCost exchange =
      CostOfCollective(CollectiveKind::kAllToAll, 1e6, std::vector<int64_t>{1, 2}, machine, 8);
  // n p / 4 / width, of the eight devices of all groups.
  EXPECT_DOUBLE_EQ(exchange.beta, 1e6 * 8 / 4 * 1e-8 / 0.5);
}

TEST(PlanCollectivesTest, OneDeviceMovesEverythingWhereMemoryIsShared) {
  ASSERT_OK_AND_ASSIGN(MachineDescription machine, TwoHosts());
  machine.levels[0].algorithms = CollectiveAlgorithms::kMeeting;
  machine.levels[0].width = 1;
  const CollectiveCost reduce =
      CostOfCollective(CollectiveKind::kAllReduce, 1e6, std::vector<int64_t>{4, 1}, machine, 4);
  EXPECT_EQ(reduce.algorithm, "meeting");
  EXPECT_DOUBLE_EQ(reduce.alpha, 3e-6);
  EXPECT_DOUBLE_EQ(reduce.beta, 3 * 1e6 * 1e-9);
  EXPECT_DOUBLE_EQ(reduce.gamma, 3 * 1e6 * 1e-12);
}

TEST(PlanCollectivesTest, ProcessesOfAHostExchangeDirectly) {
  ASSERT_OK_AND_ASSIGN(MachineDescription machine, TwoHosts());
  machine.levels[0].algorithms = CollectiveAlgorithms::kDirect;
  machine.levels[0].width = 2;  // four devices copy as fast as two
  const auto cost_of = [&](CollectiveKind kind, double bytes) {
    return CostOfCollective(kind, bytes, std::vector<int64_t>{4, 1}, machine, 4);
  };
  // Small arrays whole, large ones in parts.
  const CollectiveCost small = cost_of(CollectiveKind::kAllReduce, 8);
  EXPECT_EQ(small.algorithm, "direct");
  EXPECT_DOUBLE_EQ(small.alpha, 3e-6);
  EXPECT_DOUBLE_EQ(small.beta, 2 * 3 * 8 * 1e-9);
  const CollectiveCost large = cost_of(CollectiveKind::kAllReduce, 1e6);
  EXPECT_DOUBLE_EQ(large.alpha, 2 * 3e-6);
  EXPECT_DOUBLE_EQ(large.beta, 2 * 2 * 1e6 * 3 / 4 * 1e-9);
  EXPECT_DOUBLE_EQ(large.gamma, 2 * 1e6 * 3 / 4 * 1e-12);
  EXPECT_DOUBLE_EQ(cost_of(CollectiveKind::kAllGather, 1e6).beta, 2 * 1e6 * 3 / 4 * 1e-9);
  // One message out, one in.
  std::vector<std::pair<int64_t, int64_t>> shift;
  for (int64_t d = 0; d < 4; ++d) shift.emplace_back(d, (d + 1) % 4);
  const CollectiveCost pairs = CostOfPairs(1e6, shift, machine, 4);
  EXPECT_DOUBLE_EQ(pairs.alpha, 2e-6);
  EXPECT_DOUBLE_EQ(pairs.beta, 2 * 1e6 * 1e-9);
}

TEST(PlanCollectivesTest, GroupsOfOneAreFree) {
  ASSERT_OK_AND_ASSIGN(const MachineDescription machine, TwoHosts());
  const CollectiveCost cost =
      CostOfCollective(CollectiveKind::kAllReduce, 1e6, std::vector<int64_t>{1, 1}, machine, 8);
  EXPECT_EQ(cost.seconds(), 0);
  EXPECT_EQ(cost.bytes(), 0);
}

TEST(PlanCollectivesTest, Permutations) {
  ASSERT_OK_AND_ASSIGN(const MachineDescription machine, TwoHosts());
  std::vector<std::pair<int64_t, int64_t>> shift;
  for (int64_t d = 0; d < 8; ++d) shift.emplace_back(d, (d + 1) % 8);
  const CollectiveCost ring = CostOfPairs(1e6, shift, machine, 8);
  EXPECT_DOUBLE_EQ(ring.alpha, 1e-5);
  EXPECT_DOUBLE_EQ(ring.beta, 1e6 * 1e-8);
  EXPECT_DOUBLE_EQ(ring.bytes_by_level[0], 0.75e6);
  EXPECT_DOUBLE_EQ(ring.bytes_by_level[1], 0.25e6);
  // All four devices of a host send to the other one, on two links.
  std::vector<std::pair<int64_t, int64_t>> across;
  for (int64_t d = 0; d < 8; ++d) across.emplace_back(d, (d + 4) % 8);
  EXPECT_DOUBLE_EQ(CostOfPairs(1e6, across, machine, 8).beta, 1e6 * 1e-8 * 2);
  EXPECT_EQ(
      CostOfPairs(1e6, std::vector<std::pair<int64_t, int64_t>>{{3, 3}}, machine, 8).seconds(), 0);
}

// The three cases of Al Daas et al., with m = 4096, n = 1024, k = 256: P up to 4; up to 64; beyond.
TEST(PlanBoundsTest, Regimes) {
  const ProductBound one = BoundOfProduct(4096, 1024, 256, 4, 0);
  EXPECT_EQ(one.regime, "1d");
  EXPECT_DOUBLE_EQ(one.numbers, 1024.0 * 256 * 3 / 4);
  const ProductBound two = BoundOfProduct(256, 4096, 1024, 16, 0);
  EXPECT_EQ(two.regime, "2d");
  EXPECT_DOUBLE_EQ(two.numbers, 2 * std::sqrt(4096.0 * 1024 * 256 * 256 / 16) -
                                    (4096.0 * 256 + 1024.0 * 256) / 16);
  const ProductBound three = BoundOfProduct(1024, 1024, 1024, 64, 0);
  EXPECT_EQ(three.regime, "3d");
  EXPECT_NEAR(three.numbers, 3 * std::pow(1024.0, 2) / 16 - 3 * 1024.0 * 1024 / 64, 1e-6);
  // 2mnk/(P sqrt(M)) - M.
  const ProductBound memory = BoundOfProduct(1024, 1024, 1024, 4, 4096);
  EXPECT_EQ(memory.regime, "memory");
  EXPECT_DOUBLE_EQ(memory.numbers, 2.0 * 1024 * 1024 * 1024 / (4 * 64) - 4096);
  EXPECT_EQ(BoundOfProduct(1024, 1024, 1024, 1, 4096).numbers, 0);
}

}  // namespace
}  // namespace xla::spmd::testing
