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

CollectiveDeviceList OverMesh(Mesh mesh, std::vector<AxisRef> used) {
  CollectiveDeviceList list;
  list.form = CollectiveDeviceList::Form::kMesh;
  list.mesh = std::move(mesh);
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
  const AxisRef x(0);
  rejected(OverMesh(Mesh({2, 2}, {"x", "y"}), {x}), "");
  rejected(OverMesh(Mesh(*TileAssignment::Create({2, 2}, {3, 2, 1, 0}), {"x", "y"}), {x}), "");
  rejected(OverMesh(Mesh({4}, {"x"}), {AxisRef(1)}), "axis index 1 is out of range");
  rejected(OverMesh(Mesh({4}, {"x"}), {x, x}), "axis 'x' is duplicated");
  rejected(OverMesh(Mesh({4}, {"x"}), {AxisRef(0, {1, 3})}),
           "sub-axis 'x':(1)3 does not divide the axis of size 4");
  CollectiveDeviceList no_mesh = OverMesh(Mesh(), {});
  no_mesh.mesh.reset();
  rejected(no_mesh, "No mesh");
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
