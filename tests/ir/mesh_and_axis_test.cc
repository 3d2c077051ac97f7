// SPDX-License-Identifier: Apache-2.0
// Meshes and the algebra of axes and sub-axes.
#include "xla/hlo/ir/mesh_and_axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/test_util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using Axes = std::vector<AxisRef>;

AxisRef Sub(int64_t axis, int64_t pre, int64_t size) { return AxisRef(axis, {pre, size}); }

TEST(Mesh, Text) {
  EXPECT_EQ(Mesh().ToString(), "mesh[]");
  EXPECT_EQ(Mesh(3).ToString(), "maximal_mesh[device_id=3]");
  const Mesh mesh({2, 4}, {"x", "y"});
  EXPECT_EQ(mesh.ToString(), "mesh['x'=2,'y'=4]");
  EXPECT_EQ(Mesh(TileAssignment({2, 4}, {4, 2}, {1, 0}), {"x", "y"}).ToString(),
            "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0))");
  ASSERT_OK_AND_ASSIGN(const Mesh listed, Mesh::Create({2, 2}, {"x", "y"}, {0, 2, 1, 3}));
  EXPECT_EQ(listed.ToString(), "mesh['x'=2,'y'=2], device_ids=(0,2,1,3)");
}

TEST(Mesh, AxesAndDevices) {
  const Mesh mesh({2, 1, 4}, {"x", "one", "y"});
  EXPECT_EQ(mesh.num_devices(), 8);
  EXPECT_EQ(Mesh().num_devices(), 1);
  EXPECT_EQ(Mesh(3).num_devices(), 1);
  EXPECT_EQ(Mesh(3).num_axes(), 0);
  EXPECT_EQ(mesh.FindAxis("y"), 2);
  EXPECT_EQ(mesh.FindAxis("z"), std::nullopt);
  EXPECT_ERROR(mesh.Axis("z"), "axis 'z' is not in mesh['x'=2,'one'=1,'y'=4]");
  EXPECT_TRUE(mesh.HasIotaDevices());
  EXPECT_TRUE(mesh.ContainsAllMeshAxesInOrder({AxisRef(0), AxisRef(2)}));
  EXPECT_TRUE(mesh.ContainsAllMeshAxesInOrder(mesh.AllAxes()));
  EXPECT_FALSE(mesh.ContainsAllMeshAxesInOrder({AxisRef(2), AxisRef(0)}));
  EXPECT_FALSE(mesh.ContainsAllMeshAxesInOrder({AxisRef(0)}));
  EXPECT_FALSE(mesh.ContainsAllMeshAxesInOrder({AxisRef(0), Sub(2, 1, 2)}));
  ASSERT_OK_AND_ASSIGN(const Mesh listed, Mesh::Create({4}, {"x"}, {0, 1, 2, 3}));
  EXPECT_EQ(listed, Mesh({4}, {"x"}));
  EXPECT_TRUE(listed.DeviceAssignmentEquals(Mesh({4}, {"y"})));
  EXPECT_FALSE(listed == Mesh({4}, {"y"}));
  EXPECT_FALSE(Mesh(0) == Mesh());
}

TEST(Mesh, WhatDoesNotFitIsAnError) {
  const auto create = [](std::vector<int64_t> sizes, std::vector<std::string> names,
                         std::vector<int64_t> ids = {}) {
    return Mesh::Create(sizes, std::move(names), ids);
  };
  EXPECT_ERROR(create({2, 2}, {"x", "x"}), "mesh['x'=2,'x'=2]: axis 'x' is duplicated");
  EXPECT_ERROR(create({2, 2}, {"x"}), "2 axes have 1 names");
  EXPECT_ERROR(create({2, 0}, {"x", "y"}), "sizes must be positive");
  EXPECT_ERROR(create({int64_t{1} << 40, int64_t{1} << 40}, {"x", "y"}), "2^24");
  EXPECT_ERROR(create({2, 2}, {"x", "y"}, {0, 1}), "2 devices given for 4 tiles");
  EXPECT_ERROR(create({2}, {"x"}, {1, 2}), "must name each of the devices 0 to 1 once");
  EXPECT_ERROR(create({2}, {"x"}, {1, 1}), "device 1 is duplicated");
}

TEST(Mesh, ProtosReadBackEqual) {
  ASSERT_OK_AND_ASSIGN(const Mesh listed, Mesh::Create({2, 2}, {"x", "y"}, {0, 2, 1, 3}));
  ASSERT_OK_AND_ASSIGN(const Mesh random, Mesh::Create({2, 2}, {"x", "y"}, {3, 0, 1, 2}));
  for (const Mesh& mesh :
       {Mesh(), Mesh(7), Mesh({2, 4}, {"x", "y"}),
        Mesh(TileAssignment({2, 4}, {4, 2}, {1, 0}), {"x", "y"}), listed, random}) {
    ASSERT_OK_AND_ASSIGN(const Mesh read, Mesh::FromProto(mesh.ToProto()));
    EXPECT_EQ(read, mesh);
    EXPECT_EQ(read.ToString(), mesh.ToString());
  }
  MeshProto proto = Mesh({4}, {"x"}).ToProto();
  proto.mutable_iota_transform()->add_reshape_dims(4);
  proto.mutable_iota_transform()->add_transpose_perm(1);
  EXPECT_ERROR(Mesh::FromProto(proto), "transposed dimension 1 out of range");
}

// All parts of an axis of 24 devices, and of it alone.
Axes AllParts(const Mesh& mesh) {
  Axes parts;
  for (int64_t begin = 1; begin < 24; ++begin) {
    for (int64_t end = begin + 1; end <= 24; ++end) {
      if (24 % end == 0 && end % begin == 0) parts.push_back(AxisRef::Part(0, begin, end, mesh));
    }
  }
  return parts;
}

TEST(AxisRef, PairsAgainstTheirCuts) {
  const Mesh mesh({24, 2}, {"a", "b"});
  const Axes parts = AllParts(mesh);
  for (const AxisRef& a : parts) {
    EXPECT_OK(a.Validate(mesh));
    EXPECT_TRUE(a.CanCoexist(AxisRef(1)));
    EXPECT_FALSE(a.Overlaps(AxisRef(1)));
    for (const AxisRef& b : parts) {
      SCOPED_TRACE(a.ToString(&mesh) + " and " + b.ToString(&mesh));
      const int64_t a0 = a.pre_size(), a1 = a.next_pre_size(mesh);
      const int64_t b0 = b.pre_size(), b1 = b.next_pre_size(mesh);
      std::vector<int64_t> cuts = {a0, a1, b0, b1};
      std::sort(cuts.begin(), cuts.end());
      bool divide = true;
      for (size_t i = 1; i < cuts.size(); ++i) divide &= cuts[i] % cuts[i - 1] == 0;
      EXPECT_EQ(a.CanCoexist(b), divide);
      const bool overlap = std::max(a0, b0) < std::min(a1, b1);
      EXPECT_EQ(a.Overlaps(b), overlap);
      EXPECT_EQ(a.CanCoexistWithoutOverlap(b), divide && !overlap);
      EXPECT_EQ(a.Contains(b), divide && a0 <= b0 && b1 <= a1);
      EXPECT_EQ(a.IsPrefixOf(b), divide && a0 == b0 && a1 <= b1);
      const auto part = [&](bool exists, int64_t begin, int64_t end) {
        return exists && begin < end ? std::optional<AxisRef>(AxisRef::Part(0, begin, end, mesh))
                                     : std::nullopt;
      };
      EXPECT_EQ(a.GetOverlap(b), part(divide && overlap, std::max(a0, b0), std::min(a1, b1)));
      EXPECT_EQ(a.GetGreatestCommonPrefix(b), part(divide && a0 == b0, a0, std::min(a1, b1)));
      EXPECT_EQ(a.GetPrefixWithoutOverlap(b),
                part(divide, a0, overlap ? std::max(a0, b0) : a1).has_value()
                    ? part(divide, a0, overlap ? b0 : a1)
                    : std::nullopt);
      EXPECT_EQ(a.GetSuffixWithoutOverlap(b, mesh), part(divide, overlap ? b1 : a0, a1));
      EXPECT_EQ(a.CanMerge(b), a1 == b0 && a.IsSubAxis() && b.IsSubAxis());
      AxisRef merged = a;
      EXPECT_EQ(merged.Merge(b, mesh), a.CanMerge(b));
      EXPECT_EQ(merged, a.CanMerge(b) ? AxisRef::Part(0, a0, b1, mesh) : a);
      EXPECT_EQ(a < b, std::pair(a0, a1) < std::pair(b0, b1));
    }
  }
}

TEST(AxisRef, WhatDoesNotFitIsAnError) {
  const Mesh mesh({8}, {"a"});
  EXPECT_ERROR(AxisRef(1).Validate(mesh), "axis index 1 is out of range in mesh['a'=8]");
  EXPECT_ERROR(AxisRef(-1).Validate(mesh), "out of range");
  EXPECT_ERROR(Sub(0, 1, 3).Validate(mesh), "sub-axis 'a':(1)3 does not divide the axis of size 8");
  EXPECT_ERROR(Sub(0, 4, 4).Validate(mesh), "does not divide");
  EXPECT_ERROR(Sub(0, 2, int64_t{1} << 62).Validate(mesh), "does not divide");
  EXPECT_ERROR(Sub(0, 0, 2).Validate(mesh), "does not divide");
  EXPECT_ERROR(Sub(0, 1, 8).Validate(mesh), "must be smaller than the axis");
  EXPECT_ERROR(Sub(0, 2, 1).Validate(mesh), "larger than 1");
  AxisRefProto proto;
  proto.mutable_sub_axis_info()->set_pre_size(1);
  EXPECT_ERROR(AxisRef::FromProto(proto), "sizes must be positive");
  EXPECT_EQ(*AxisRef::FromProto(Sub(2, 4, 2).ToProto()), Sub(2, 4, 2));
  EXPECT_EQ(*AxisRef::FromProto(AxisRef(3).ToProto()), AxisRef(3));
}

TEST(Axes, AreValidOrNot) {
  const Mesh mesh({8, 2}, {"a", "b"});
  EXPECT_OK(ValidateSpanOfAxes({AxisRef(1), Sub(0, 4, 2), Sub(0, 1, 2)}, mesh));
  EXPECT_ERROR(ValidateSpanOfAxes({Sub(0, 1, 2), Sub(0, 2, 2)}, mesh),
               "adjacent axes 'a':(1)2 and 'a':(2)2 must be merged");
  EXPECT_OK(ValidateSpanOfAxes({Sub(0, 1, 2), Sub(0, 2, 2)}, mesh, true));
  EXPECT_ERROR(ValidateSpanOfAxes({Sub(0, 1, 2), AxisRef(0)}, mesh), "overlaps 'a':(1)2");
  const Mesh twelve({12}, {"a"});
  EXPECT_ERROR(ValidateSpanOfAxes({Sub(0, 1, 2), Sub(0, 3, 2)}, twelve),
               "sub-axes 'a':(1)2 and 'a':(3)2 cannot be used together");
  EXPECT_FALSE(AxesCanCoexistWithoutOverlap({Sub(0, 1, 2), AxisRef(1), Sub(0, 3, 2)}));
  EXPECT_TRUE(AxesCanCoexistWithoutOverlap({Sub(0, 1, 2), AxisRef(1), Sub(0, 4, 2)}));
}

TEST(Axes, MergeSortAndTruncate) {
  const Mesh mesh({8, 2}, {"a", "b"});
  Axes axes = {Sub(0, 1, 2), Sub(0, 2, 4), AxisRef(1)};
  MergeAxes(axes, mesh);
  EXPECT_EQ(axes, (Axes{AxisRef(0), AxisRef(1)}));
  axes = {Sub(0, 4, 2), AxisRef(1), Sub(0, 2, 2)};
  MergeAxes(axes, mesh);
  EXPECT_EQ(axes.size(), 3u);
  SortAndMergeAxes(axes, mesh);
  EXPECT_EQ(axes, (Axes{Sub(0, 2, 4), AxisRef(1)}));
  axes = {AxisRef(1), AxisRef(0)};
  EXPECT_FALSE(TruncateAxesByRemovingOverlaps(axes, {}));
  EXPECT_TRUE(TruncateAxesByRemovingOverlaps(axes, {Sub(0, 4, 2)}));
  EXPECT_EQ(axes, (Axes{AxisRef(1), Sub(0, 1, 4)}));
  EXPECT_TRUE(TruncateAxesByRemovingOverlaps(axes, {AxisRef(1)}));
  EXPECT_EQ(axes, Axes{});
}

TEST(Axes, Prefixes) {
  const Mesh mesh({8, 2, 4}, {"a", "b", "c"});
  const Axes axes = {AxisRef(1), AxisRef(0), AxisRef(2)};
  EXPECT_TRUE(IsAxesPrefix({}, axes));
  EXPECT_TRUE(IsAxesPrefix({AxisRef(1), Sub(0, 1, 4)}, axes));
  EXPECT_FALSE(IsAxesPrefix({AxisRef(1), Sub(0, 2, 4)}, axes));
  EXPECT_FALSE(IsAxesPrefix({AxisRef(0)}, axes));
  EXPECT_FALSE(IsAxesPrefix({AxisRef(1), Sub(0, 1, 4), AxisRef(2)}, axes));
  EXPECT_EQ(GreatestCommonAxesPrefix(axes, {AxisRef(1), Sub(0, 1, 4), AxisRef(2)}, mesh),
            (Axes{AxisRef(1), Sub(0, 1, 4)}));
  EXPECT_EQ(GreatestCommonAxesPrefix(axes, {AxisRef(2)}, mesh), Axes{});
  EXPECT_EQ(AxesPrefixOfSize(axes, 8, mesh), (Axes{AxisRef(1), Sub(0, 1, 4)}));
  EXPECT_EQ(AxesAfterPrefix(axes, 8, mesh), (Axes{Sub(0, 4, 2), AxisRef(2)}));
  EXPECT_EQ(AxesPrefixOfSize(axes, 16, mesh), (Axes{AxisRef(1), AxisRef(0)}));
  EXPECT_EQ(AxesAfterPrefix(axes, 16, mesh), Axes{AxisRef(2)});
  EXPECT_EQ(AxesPrefixOfSize(axes, 1, mesh), Axes{});
  EXPECT_EQ(AxesPrefixOfSize(axes, 3, mesh), std::nullopt);
  EXPECT_EQ(AxesPrefixOfSize(axes, 128, mesh), std::nullopt);
  EXPECT_EQ(AxesSize(axes, mesh), 64);
}

TEST(Axes, Differences) {
  const Mesh mesh({8, 2, 4}, {"a", "b", "c"});
  EXPECT_EQ(AxesWithout({AxisRef(2), AxisRef(0)}, {Sub(0, 2, 2)}, mesh),
            (Axes{AxisRef(2), Sub(0, 1, 2), Sub(0, 4, 2)}));
  EXPECT_EQ(UnusedAxes({Sub(0, 1, 2), AxisRef(2)}, mesh), (Axes{Sub(0, 2, 4), AxisRef(1)}));
  EXPECT_EQ(UnusedAxes({}, mesh), mesh.AllAxes());
  EXPECT_EQ(UnusedAxes(mesh.AllAxes(), mesh), Axes{});
  EXPECT_EQ(RefineAxes({AxisRef(0), AxisRef(1)}, {Sub(0, 2, 2)}, mesh),
            (Axes{Sub(0, 1, 2), Sub(0, 2, 2), Sub(0, 4, 2), AxisRef(1)}));
  const Mesh ones({1, 2}, {"one", "b"});
  EXPECT_EQ(RefineAxes(ones.AllAxes(), {AxisRef(0)}, ones), ones.AllAxes());
  EXPECT_EQ(UnusedAxes({AxisRef(0)}, ones), Axes{AxisRef(1)});
}

TEST(Axes, GroupsOfManyDevicesStayAnIota) {
  const Mesh mesh({1 << 10, 1 << 14}, {"a", "b"});
  EXPECT_EQ(AxesGroups(mesh, {Sub(1, 1 << 4, 1 << 10)}).ToString(),
            "devices=[16384,1024]<=[16777216]");
  EXPECT_EQ(AxesGroups(mesh, {Sub(1, 1 << 3, 1 << 2), AxisRef(0)}).ToString(),
            "devices=[4096,4096]<=[1024,8,4,512]T(1,3,2,0)");
}

}  // namespace
}  // namespace xla
