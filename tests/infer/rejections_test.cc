// SPDX-License-Identifier: Apache-2.0
// Rules of shape inference with operands and attributes that break only this one.
#include <string>
#include <vector>

#include "tests/infer/infer_test_util.h"

namespace xla {
namespace {

using testing::ExpectInferred;
using Op = HloOpcode;

AllReduceAttributes Reduced(CollectiveDeviceList groups) {
  AllReduceAttributes attributes;
  attributes.replica_groups = std::move(groups);
  return attributes;
}

CollectiveDeviceList OverMesh(std::vector<Mesh::Axis> axes, std::vector<AxisRef> used,
                              std::vector<int64_t> device_ids = {}) {
  CollectiveDeviceList list;
  list.form = CollectiveDeviceList::Form::kMesh;
  list.mesh.emplace();
  list.mesh->axes = std::move(axes);
  list.mesh->device_ids = std::move(device_ids);
  list.mesh_axes = std::move(used);
  return list;
}

TEST(InferenceRejections, GroupsOfMeshes) {
  const auto rejected = [](CollectiveDeviceList groups, const std::string& error) {
    ExpectInferred({{Op::kAllReduce,
                     {"f32[2]"},
                     Reduced(std::move(groups)),
                     error.empty() ? "f32[2]" : "! " + error,
                     {"f32[] f32[] -> f32[]"},
                     "",
                     4,
                     1}});
  };
  rejected(OverMesh({{"x", 2}, {"y", 2}}, {{.name = "x"}}), "");
  rejected(OverMesh({{"x", 2}, {"y", 2}}, {{.name = "x"}}, {3, 2, 1, 0}), "");
  rejected(OverMesh({{"x", 0}}, {{.name = "x"}}), "Axes of a mesh must have positive sizes");
  rejected(OverMesh({{"x", 2}, {"x", 2}}, {{.name = "x"}}), "An axis is duplicated");
  rejected(OverMesh({{"x", int64_t{1} << 40}, {"y", int64_t{1} << 40}}, {{.name = "x"}}),
           "The mesh is too large");
  rejected(OverMesh({{"x", 4}}, {{.name = "x"}}, {0, 1, 2, 2}),
           "Device ids of a mesh must name each device once");
  rejected(OverMesh({{"x", 4}}, {{.name = "x"}}, {0, 1}),
           "Device ids of a mesh must name each device once");
  rejected(OverMesh({{"x", 4}}, {{.name = "z"}}), "Axis 'z' is not in the mesh");
  rejected(OverMesh({{"x", 4}}, {{.name = "x"}, {.name = "x"}}), "Axis 'x' is duplicated");
  rejected(OverMesh({{"x", 4}}, {{.name = "x", .pre_size = 1, .size = 3}}),
           "The part of axis 'x' does not divide it");
}

TEST(InferenceRejections, Groups) {
  CollectiveDeviceList uneven;
  uneven.groups = {{0, 1, 2}, {3}};
  AllGatherAttributes gather;
  gather.dimensions = {0};
  gather.replica_groups = uneven;
  ExpectInferred({{Op::kAllGather,
                   {"f32[2]"},
                   gather,
                   "! Replica groups expected to be of uniform size",
                   {},
                   "f32[4]",
                   4,
                   1}});
}

TEST(InferenceRejections, OperandsAreArrays) {
  const DimensionListAttributes broadcast{.dimensions = {0}};
  ExpectInferred(
      {{Op::kBroadcast, {"(f32[2])"}, broadcast, "! operand of broadcast", {}, "f32[2,3]"},
       {Op::kBatchNormInference,
        {"f32[2,3]", "f32[4]", "f32[3]", "f32[3]", "f32[3]"},
        BatchNormAttributes{.feature_index = 1},
        "! scale"},
       {Op::kBatchNormInference,
        {"f32[2,3]", "f32[3]", "f32[4]", "f32[3]", "f32[3]"},
        BatchNormAttributes{.feature_index = 1},
        "! offset"},
       {Op::kBatchNormInference,
        {"f32[2,3]", "f32[3]", "f32[3]", "f32[4]", "f32[3]"},
        BatchNormAttributes{.feature_index = 1},
        "! mean"},
       {Op::kBatchNormInference,
        {"f32[2,3]", "f32[3]", "f32[3]", "f32[3]", "f32[4]"},
        BatchNormAttributes{.feature_index = 1},
        "! variance"}});
}

TEST(InferenceRejections, ElementsAndSizes) {
  ExpectInferred(
      {{Op::kBitcastConvert,
        {"(f32[2])"},
        {},
        "! Cannot convert from or to tuple type",
        {},
        "s32[2]"},
       {Op::kBitcastConvert,
        {"f32[2]"},
        {},
        "! Cannot convert from or to tuple type",
        {},
        "(s32[2])"},
       {Op::kTopK, {"f32[]"}, TopKAttributes{.k = 1}, "! TopK of a scalar is not defined"},
       {Op::kTopK, {"f32[4]"}, TopKAttributes{.k = -1}, "! TopK expects k >= 0; got -1"},
       {Op::kTopK, {"f32[4]"}, TopKAttributes{.k = 5}, "! k=5 is larger than the last dimension"},
       {Op::kTopK, {"f32[4]"}, TopKAttributes{.k = 4}, "(f32[4], s32[4])"},
       {Op::kTopK, {"f32[4]"}, TopKAttributes{.k = 0}, "(f32[0], s32[0])"},
       {Op::kGetDimensionSize,
        {"f32[2147483648]"},
        OneDimensionAttributes{.dimensions = {0}},
        "! the 0th dimension exceeds the INT_MAX limit"},
       {Op::kGetDimensionSize,
        {"f32[2147483647]"},
        OneDimensionAttributes{.dimensions = {0}},
        "s32[]"},
       {Op::kDynamicSlice,
        {"f32[4,4]", "s32[1]", "s32[]"},
        DynamicSliceAttributes{.dynamic_slice_sizes = {2, 2}},
        "! indices must be scalar, not s32[1]"},
       {Op::kDynamicSlice,
        {"f32[4]", "f32[]"},
        DynamicSliceAttributes{.dynamic_slice_sizes = {2}},
        "! start indices must be of integral type"},
       {Op::kDynamicSlice,
        {"f32[4,4]", "s32[]", "s64[]"},
        DynamicSliceAttributes{.dynamic_slice_sizes = {2, 2}},
        "! must all have the same shape"},
       {Op::kSlice,
        {"f32[4]"},
        SliceAttributes{.slice = {{-1, 2, 1}}},
        "! Negative start index to slice: -1."},
       {Op::kSlice,
        {"f32[4]"},
        SliceAttributes{.slice = {{0, 5, 1}}},
        "! limit index (5) must be less than or equal to dimension size (4) in slice operation; "
        "argument shape: f32[4]; starts: {0}; limits: {5}; strides: {1}."}});
}

}  // namespace
}  // namespace xla
