// SPDX-License-Identifier: Apache-2.0
// Shape inference of operations across replicas and partitions, and the rules of device groups.
#include "tests/infer/infer_test_util.h"

namespace xla {
namespace {

using testing::ExpectInferred;
using Op = HloOpcode;

const std::vector<std::string> kAdd = {"f32[] f32[] -> f32[]"};

CollectiveDeviceList Groups(const std::string& text) {
  absl::StatusOr<CollectiveDeviceList> list = ParseCollectiveDeviceList(text);
  EXPECT_TRUE(list.ok()) << text << ": " << list.status();
  return list.ok() ? *list : CollectiveDeviceList();
}

template <class Attributes>
Attributes Base(const std::string& groups, std::optional<int64_t> channel = std::nullopt) {
  Attributes attributes;
  attributes.channel_id = channel;
  attributes.replica_groups = Groups(groups);
  return attributes;
}

AllGatherAttributes AllGather(int64_t dimension, const std::string& groups) {
  auto attributes = Base<AllGatherAttributes>(groups);
  attributes.dimensions = {dimension};
  return attributes;
}
AllReduceAttributes AllReduce(const std::string& groups,
                              std::optional<int64_t> channel = std::nullopt, bool global = false) {
  auto attributes = Base<AllReduceAttributes>(groups, channel);
  attributes.use_global_device_ids = global;
  return attributes;
}
ReduceScatterAttributes ReduceScatter(int64_t dimension, const std::string& groups) {
  auto attributes = Base<ReduceScatterAttributes>(groups);
  attributes.dimensions = {dimension};
  return attributes;
}
AllToAllAttributes AllToAll(std::optional<Int64s> dimensions, const std::string& groups) {
  auto attributes = Base<AllToAllAttributes>(groups);
  attributes.dimensions = std::move(dimensions);
  return attributes;
}
CollectivePermuteAttributes Permute(std::vector<std::pair<int64_t, int64_t>> pairs) {
  return {.source_target_pairs = std::move(pairs)};
}

TEST(CollectiveInference, AllGatherMultipliesByTheGroupSize) {
  ExpectInferred(
      {{Op::kAllGather, {"f32[2,3]{0,1}"}, AllGather(0, "{{0,1},{2,3}}"), "f32[4,3]{0,1}"},
       {Op::kAllGather, {"f32[2,3]"}, AllGather(0, "[3,10]<=[30]"), "f32[20,3]"},
       {Op::kAllGather, {"f32[2]", "s8[3]"}, AllGather(0, "{{0,1}}"), "(f32[4], s8[6])"},
       {Op::kAllGather, {"f32[2]"}, AllGather(0, "{}"), "f32[8]", {}, {}, 4},
       {Op::kAllGather, {"f32[2]"}, AllGather(0, "{}"), "f32[6]", {}, "f32[6]"},
       {Op::kAllGather,
        {"f32[2]"},
        AllGather(0, "{{0,1}}"),
        "! shard_count = 3, subgroup_size = 2",
        {},
        "f32[6]"},
       {Op::kAllGather, {"f32[2]"}, AllGather(1, "{{0,1}}"), "! dimension 1 is out of bounds"},
       {Op::kAllGather,
        {"f32[2]"},
        AllGather(0, "{}"),
        "! number of devices of all-gather is not known"},
       {Op::kAllGather, {"token[]"}, AllGather(0, "{{0,1}}"), "! Expected array argument"},
       {Op::kAllGather, {}, AllGather(0, "{{0,1}}"), "! at least one operand"},
       {Op::kAllGather, {"s8[5000000000000000000]"}, AllGather(0, "{{0,1}}"), "! overflows"},
       {Op::kAllGatherStart, {"f32[2]"}, AllGather(0, "{{0,1}}"), "(f32[2], f32[4])"},
       {Op::kAllGatherDone, {"(f32[2],f32[4])"}, {}, "f32[4]"},
       {Op::kAllGatherDone, {"f32[2]"}, {}, "! must be the tuple that its -start gives"}});
}

TEST(CollectiveInference, AllReduceKeepsShapes) {
  ExpectInferred(
      {{Op::kAllReduce, {"f32[2,3]{0,1}"}, AllReduce("{}"), "f32[2,3]{0,1}", kAdd},
       {Op::kAllReduce, {"f32[2]", "s32[3]"}, AllReduce("{{0,1},{2}}"), "(f32[2], s32[3])", kAdd},
       {Op::kAllReduceStart, {"f32[2]"}, AllReduce("{}"), "f32[2]", kAdd},
       {Op::kAllReduceDone, {"f32[2]"}, {}, "f32[2]"},
       {Op::kAllReduce,
        {"f32[2]"},
        AllReduce("{}"),
        "! must take two scalars",
        {"f32[] -> f32[]"}}});
}

TEST(CollectiveInference, GroupsNameEveryDeviceOnce) {
  ExpectInferred(
      {{Op::kAllReduce, {"f32[]"}, AllReduce("{{0,2},{1,3}}"), "f32[]", kAdd, {}, 4},
       {Op::kAllReduce, {"f32[]"}, AllReduce("{{0,0}}"), "! Replica 0 is repeated", kAdd},
       {Op::kAllReduce, {"f32[]"}, AllReduce("{{0,2}}"), "! Replica 2 is out of range", kAdd},
       {Op::kAllReduce, {"f32[]"}, AllReduce("{{0,1},{}}"), "! empty replica group", kAdd},
       {Op::kAllReduce,
        {"f32[]"},
        AllReduce("{{0,1}}"),
        "! should contain 4 replicas, but found 2",
        kAdd,
        {},
        4},
       {Op::kAllGather, {"f32[2]"}, AllGather(0, "{{0,1},{2}}"), "! uniform size"},
       {Op::kAllReduce,
        {"f32[]"},
        AllReduce("[2,4]<=[4]"),
        "! Product of the reshape dimensions",
        kAdd},
       {Op::kAllReduce, {"f32[]"}, AllReduce("[2,4]<=[4,2]T(1,0)"), "f32[]", kAdd},
       {Op::kAllReduce, {"f32[]"}, AllReduce("mesh['x'=2,'y'=2] {'x'}", 1, true), "f32[]", kAdd},
       {Op::kAllReduce,
        {"f32[]"},
        AllReduce("{}", 1, true),
        "! must be specified in flattened-id mode",
        kAdd},
       {Op::kAllReduce,
        {"f32[]"},
        AllReduce("{}", std::nullopt, true),
        "! Cannot have use_global_device_ids=true without channel_id",
        kAdd}});
}

TEST(CollectiveInference, ReduceScatterDivides) {
  ExpectInferred({{Op::kReduceScatter, {"f32[8,3]"}, ReduceScatter(0, "{{0,1}}"), "f32[4,3]", kAdd},
                  {Op::kReduceScatter,
                   {"f32[8]", "f32[4]"},
                   ReduceScatter(0, "{{0,1}}"),
                   "(f32[4], f32[2])",
                   kAdd},
                  {Op::kReduceScatter,
                   {"f32[7]"},
                   ReduceScatter(0, "{{0,1}}"),
                   "! must be dividable by shard_count 2",
                   kAdd},
                  {Op::kReduceScatter,
                   {"f32[8]"},
                   ReduceScatter(0, "{{0,1}}"),
                   "! subgroup_size = 2",
                   kAdd,
                   "f32[2]"}});
}

TEST(CollectiveInference, AllToAll) {
  ExpectInferred(
      {{Op::kAllToAll, {"f32[4,3]{0,1}"}, AllToAll(Int64s{0}, "{{0,1}}"), "f32[4,3]{0,1}"},
       {Op::kAllToAll, {"f32[3]", "f32[3]"}, AllToAll(std::nullopt, "{{0,1}}"), "(f32[3], f32[3])"},
       {Op::kAllToAll, {"f32[3]"}, AllToAll(Int64s{0}, "{{0,1}}"), "! dividable by split_count 2"},
       {Op::kAllToAll,
        {"f32[4]"},
        AllToAll(Int64s{1}, "{{0,1}}"),
        "! split_dimension 1 is out-of-bounds"},
       {Op::kAllToAll, {"f32[<=4]"}, AllToAll(Int64s{0}, "{{0,1}}"), "! bounded dynamic"},
       {Op::kAllToAll,
        {"f32[3]"},
        AllToAll(std::nullopt, "{{0,1}}"),
        "! got 1 operands for 2 devices of a group"},
       {Op::kAllToAll,
        {"f32[3]", "f32[4]"},
        AllToAll(std::nullopt, "{{0,1}}"),
        "! different shapes"}});
  ExpectInferred({{Op::kRaggedAllToAll,
                   {"f32[8,3]", "f32[9,3]", "s32[4]", "s32[4]", "s32[4]", "s32[4]"},
                   {},
                   "f32[9,3]"},
                  {Op::kRaggedAllToAll,
                   {"f32[8]", "s32[9]", "s32[4]", "s32[4]", "s32[4]", "s32[4]"},
                   {},
                   "! same element type"},
                  {Op::kRaggedAllToAll,
                   {"f32[8]", "f32[9]", "s32[4]", "s32[4]", "f32[4]", "s32[4]"},
                   {},
                   "! must be integer arrays"}});
}

TEST(CollectiveInference, Permute) {
  CollectivePermuteAttributes in_place = Permute({{0, 1}, {1, 0}});
  in_place.slice_sizes = {{1, 2}};
  CollectivePermuteAttributes one_size = in_place, uneven = in_place;
  one_size.slice_sizes = {{2}};
  uneven.slice_sizes = {{1, 2}, {1, 2}, {1, 2}};
  const std::string two = "(f32[2,3], f32[2,3])", two_offsets = "((s32[],s32[]),(s32[],s32[]))";
  ExpectInferred(
      {{Op::kCollectivePermute, {"f32[2]"}, Permute({{0, 1}, {1, 0}}), "f32[2]"},
       {Op::kCollectivePermute, {"f32[2]", "s8[3]"}, Permute({{0, 1}}), "(f32[2], s8[3])"},
       {Op::kCollectivePermute,
        {"f32[2,3]", "f32[4,3]", "(s32[],s32[])", "(s32[],s32[])"},
        in_place,
        "f32[4,3]"},
       {Op::kCollectivePermute, {"f32[2,3]"}, in_place, "! expects 4 operands; got 1"},
       {Op::kCollectivePermute,
        {"f32[2,3]", "f32[4,3]", "(s32[],s32[])", "(s32[],s32[])"},
        one_size,
        "! slice_sizes 0 has 1 sizes for the buffer f32[2,3]"},
       {Op::kCollectivePermute,
        {two, two, two_offsets, two_offsets},
        uneven,
        "! slice_sizes has 3 slices for 2 buffers"},
       {Op::kCollectivePermute, {"()", "()", "()", "()"}, in_place, "! 1 slices for 0 buffers"},
       {Op::kCollectivePermute,
        {"f32[2,3]", "f32[4,3]", "(s32[])", "(s32[],s32[])"},
        in_place,
        "! Buffer offset index"},
       {Op::kCollectivePermute,
        {"f32[2]"},
        Permute({{0, 1}, {0, 2}}),
        "! Source 0 appears more than once"},
       {Op::kCollectivePermute,
        {"f32[2]"},
        Permute({{0, 1}, {2, 1}}),
        "! Target 1 appears more than once"},
       {Op::kCollectivePermute, {"f32[2]"}, Permute({{-1, 1}}), "! Source -1"},
       {Op::kCollectivePermute,
        {"f32[2]"},
        Permute({{0, 4}}),
        "! Target 4 in the instruction's source-target pair must be < 4",
        {},
        {},
        4},
       {Op::kCollectivePermuteStart, {"f32[2]"}, Permute({{0, 1}}), "(f32[2], f32[2])"},
       {Op::kCollectivePermuteStart,
        {"f32[2]"},
        Permute({{0, 1}}),
        "(f32[2], f32[2], u32[])",
        {},
        "(f32[2], f32[2], u32[])"},
       {Op::kCollectivePermuteDone, {"(f32[2],f32[3],u32[])"}, {}, "f32[3]"},
       {Op::kCollectiveBroadcast, {"f32[2]"}, Base<CollectiveAttributes>("{{1,0}}"), "f32[2]"},
       {Op::kCollectiveBroadcast,
        {"f32[2]"},
        Base<CollectiveAttributes>("{{1,1}}"),
        "! negative or repeated"},
       {Op::kReplicaId, {}, {}, "u32[]"},
       {Op::kPartitionId, {}, {}, "u32[]"}});
}

}  // namespace
}  // namespace xla
