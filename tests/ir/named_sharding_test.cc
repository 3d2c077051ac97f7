// SPDX-License-Identifier: Apache-2.0
// Shardings by named axes, and as tiles and back.
#include "xla/hlo/ir/named_sharding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/sharding_axes.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using Axes = std::vector<AxisRef>;
using Dim = NamedSharding::DimensionSharding;

AxisRef Sub(int64_t axis, int64_t pre, int64_t size) { return AxisRef(axis, {pre, size}); }

const Mesh& TestMesh() {
  static const Mesh* const mesh = new Mesh({2, 4}, {"x", "y"});
  return *mesh;
}

TEST(NamedSharding, Text) {
  const Mesh& mesh = TestMesh();
  const AxisRef x(0), y(1);
  const auto text = [](const NamedSharding& sharding) { return HloSharding(sharding).ToString(); };
  EXPECT_EQ(text(NamedSharding(mesh, {Dim({x}), Dim::Open({Sub(1, 1, 2)})})),
            "{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}]}");
  EXPECT_EQ(text(NamedSharding(mesh, {Dim({x}), Dim::Open()}, {Sub(1, 2, 2)}, {Sub(1, 1, 2)})),
            "{mesh['x'=2,'y'=4], [{'x'}, {?}], replicated={'y':(2)2}, unreduced={'y':(1)2}}");
  EXPECT_EQ(text(NamedSharding(mesh)), "{mesh['x'=2,'y'=4], replicated}");
  EXPECT_EQ(text(NamedSharding::Manual(mesh)), "{mesh['x'=2,'y'=4], manual}");
  EXPECT_EQ(text(NamedSharding::Unreduced(mesh)), "{mesh['x'=2,'y'=4], unreduced}");
  EXPECT_EQ(text(NamedSharding(mesh, {}, {}, {}, {x})), "{mesh['x'=2,'y'=4], [], manual={'x'}}");
  EXPECT_EQ(text(NamedSharding(mesh, {}, {}, {y})), "{mesh['x'=2,'y'=4], [], unreduced={'y'}}");
  EXPECT_EQ(text(NamedSharding(mesh, {}, {x}, {}, {y})),
            "{mesh['x'=2,'y'=4], [], replicated={'x'}, manual={'y'}}");
  EXPECT_EQ(text(NamedSharding(mesh, {}, {x, y})),
            "{mesh['x'=2,'y'=4], [], replicated={'x', 'y'}}");
  EXPECT_EQ(text(NamedSharding::SingleDevice(1)), "{maximal_mesh[device_id=1]}");
  EXPECT_EQ(
      text(NamedSharding(Mesh(TileAssignment({2, 4}, {4, 2}, {1, 0}), {"x", "y"}), {Dim({x})})),
      "{mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)), [{'x'}]}");
  // Priorities have no place in the text of HLO.
  EXPECT_EQ(text(NamedSharding(mesh, {Dim({x}, true, 2)})), "{mesh['x'=2,'y'=4], [{'x'}]}");
}

TEST(NamedSharding, WhatDoesNotFitIsAnError) {
  const Mesh& mesh = TestMesh();
  const AxisRef x(0), y(1);
  EXPECT_ERROR(NamedSharding::Create(mesh, {Dim({x}), Dim({x})}), "axis 'x' is duplicated");
  EXPECT_ERROR(NamedSharding::Create(mesh, {Dim({y}), Dim({Sub(1, 2, 2)})}),
               "axis 'y':(2)2 is duplicated or overlaps 'y'");
  EXPECT_ERROR(NamedSharding::Create(mesh, {Dim({y})}, {Sub(1, 2, 2)}), "overlaps 'y'");
  EXPECT_ERROR(NamedSharding::Create(mesh, {Dim({AxisRef(2)})}), "out of range");
  EXPECT_ERROR(NamedSharding::Create(mesh, {Dim({Sub(1, 1, 2), Sub(1, 2, 2)})}), "must be merged");
  EXPECT_OK(NamedSharding::Create(mesh, {Dim({Sub(1, 1, 2)}), Dim({Sub(1, 2, 2)})}));
  EXPECT_ERROR(NamedSharding::Create(mesh, {}, {y, x}),
               "replicated axes {'y', 'x'} are not in the order of mesh['x'=2,'y'=4]");
  EXPECT_ERROR(NamedSharding::Create(mesh, {}, {}, {y, x}), "unreduced axes {'y', 'x'}");
  EXPECT_ERROR(NamedSharding::Create(mesh, {}, {}, {}, {y, x}), "manual axes {'y', 'x'}");
  EXPECT_ERROR(NamedSharding::Create(mesh, {Dim({}, true, -1)}), "a priority is negative");
  EXPECT_ERROR(NamedSharding::Create(Mesh(3), {Dim()}), "has no dimensions");
}

TEST(NamedSharding, Parts) {
  const Mesh& mesh = TestMesh();
  const AxisRef x(0), y(1);
  const NamedSharding sharding(mesh, {Dim({Sub(1, 1, 2)}, false, 1), Dim()}, {Sub(1, 2, 2)}, {x},
                               {}, UnreducedKind::kMax);
  EXPECT_EQ(sharding.dimensions(), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(sharding.UsedAxes(), (Axes{Sub(1, 1, 2), Sub(1, 2, 2), x}));
  EXPECT_EQ(sharding.GetImplicitlyReplicatedAxes(), Axes{});
  EXPECT_EQ(sharding.Closed(),
            NamedSharding(mesh, {Dim({Sub(1, 1, 2)}), Dim()}, {}, {x}, {}, UnreducedKind::kMax));
  EXPECT_EQ(sharding.WithoutAxes({y}),
            NamedSharding(mesh, {Dim({}, false, 1), Dim()}, {}, {x}, {}, UnreducedKind::kMax));
  EXPECT_EQ(sharding.WithoutAxes({x}).unreduced_kind(), UnreducedKind::kSum);
  EXPECT_EQ(sharding.WithoutAxes({x}).WithManualAxes({x}).manual_axes(), Axes{x});
  EXPECT_TRUE(sharding.HasPartialReplication());
  EXPECT_FALSE(NamedSharding(mesh, {Dim({x, y})}).HasPartialReplication());
  EXPECT_TRUE(NamedSharding(mesh, {}, {}, {}, {x, y}).IsManual());
  EXPECT_TRUE(NamedSharding::FullyOpen(mesh, 2).IsReplicated());
  EXPECT_FALSE(NamedSharding::FullyOpen(mesh, 2) == NamedSharding::FullyClosed(mesh, 2));
  EXPECT_FALSE(NamedSharding(mesh, {Dim({x})}) == NamedSharding(mesh, {Dim({x}, true, 1)}));

  Dim dim({y, x});
  EXPECT_EQ(dim.Slice(mesh, 3), std::nullopt);
  EXPECT_EQ(dim.Slice(mesh, 2)->axes(), Axes{Sub(1, 1, 2)});
  EXPECT_EQ(dim.axes(), (Axes{Sub(1, 2, 2), x}));
  Dim whole({Sub(1, 1, 2)});
  whole.Append(dim, mesh);
  EXPECT_EQ(whole.axes(), (Axes{y, x}));
  EXPECT_TRUE(Dim({Sub(1, 1, 2)}).IsPrefixOf(whole));
}

// --- As tiles and back.

std::vector<int64_t> Divisors(int64_t size) {
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= size; ++d) {
    if (size % d == 0) divisors.push_back(d);
  }
  return divisors;
}

class RandomShardings {
 public:
  explicit RandomShardings(int seed) : random_(static_cast<uint32_t>(seed)) {}

  size_t Below(size_t limit) { return random_() % limit; }

  Mesh MakeMesh() {
    std::vector<int64_t> sizes;
    std::vector<std::string> names;
    int64_t devices = 1;
    for (size_t axes = 1 + Below(4); sizes.size() < axes;) {
      const int64_t choices[] = {1, 2, 2, 3, 4, 6, 8};
      const int64_t size = choices[Below(7)];
      if (devices * size > 96) break;
      names.push_back(absl::StrCat("a", sizes.size()));
      sizes.push_back(size);
      devices *= size;
    }
    if (sizes.empty()) return Mesh({2}, {"a0"});
    switch (Below(4)) {
      case 0: {  // in any order
        std::vector<int64_t> ids(static_cast<size_t>(devices));
        for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i);
        std::shuffle(ids.begin(), ids.end(), random_);
        return *Mesh::Create(sizes, names, ids);
      }
      case 1: {  // transposed
        std::vector<int> perm(sizes.size());
        for (size_t i = 0; i < perm.size(); ++i) perm[i] = static_cast<int>(i);
        std::shuffle(perm.begin(), perm.end(), random_);
        std::vector<int64_t> dims(sizes.size());
        for (size_t i = 0; i < perm.size(); ++i) dims[static_cast<size_t>(perm[i])] = sizes[i];
        return Mesh(TileAssignment(sizes, dims, perm), names);
      }
      default:
        return Mesh(sizes, names);
    }
  }

  // Parts of the axes, distributed over dimensions and roles.
  NamedSharding Make(const Mesh& mesh, size_t rank) {
    Axes cuts;
    for (const AxisRef& axis : mesh.AllAxes()) {
      const std::vector<int64_t> divisors = Divisors(axis.size(mesh));
      const int64_t cut = divisors[Below(divisors.size())];
      if (cut > 1) cuts.push_back(AxisRef::Part(axis.mesh_axis_index(), 1, cut, mesh));
    }
    Axes parts = RefineAxes(mesh.AllAxes(), cuts, mesh);
    std::shuffle(parts.begin(), parts.end(), random_);
    std::vector<Axes> dims(rank);
    Axes unreduced, manual;
    for (const AxisRef& part : parts) {
      const size_t role = Below(rank + 3);
      if (role < rank) AppendAxis(part, mesh, dims[role]);
      if (role == rank) unreduced.push_back(part);
      if (role == rank + 1) manual.push_back(part);
    }
    SortAndMergeAxes(unreduced, mesh);
    SortAndMergeAxes(manual, mesh);
    std::vector<Dim> dim_shardings;
    for (Axes& axes : dims) dim_shardings.emplace_back(std::move(axes));
    return NamedSharding(mesh, std::move(dim_shardings), {}, unreduced, manual,
                         static_cast<UnreducedKind>(Below(3)));
  }

  // Sizes of `count` dimensions of `total` together.
  std::vector<int64_t> Factors(int64_t total, size_t count) {
    std::vector<int64_t> factors;
    while (factors.size() + 1 < count) {
      const std::vector<int64_t> divisors = Divisors(total);
      factors.push_back(divisors[Below(divisors.size())]);
      total /= factors.back();
    }
    factors.push_back(total);
    std::shuffle(factors.begin(), factors.end(), random_);
    return factors;
  }

  HloSharding MakeTiles() {
    const int64_t choices[] = {2, 6, 8, 12, 16, 24, 36, 48};
    const int64_t devices = choices[Below(8)];
    std::vector<int> perm(1 + Below(4));
    for (size_t i = 0; i < perm.size(); ++i) perm[i] = static_cast<int>(i);
    std::shuffle(perm.begin(), perm.end(), random_);
    std::vector<OpSharding_Type> types;
    const OpSharding_Type all[] = {OpSharding_Type_REPLICATED, OpSharding_Type_MANUAL,
                                   OpSharding_Type_UNREDUCED};
    for (size_t n = Below(4); types.size() < n;) types.push_back(all[Below(3)]);
    const TileAssignment tiles(Factors(devices, 1 + Below(3) + types.size()),
                               Factors(devices, perm.size()), perm);
    return HloSharding::Subgroup(Below(2) == 0 ? tiles : TileAssignment(tiles.array()), types,
                                 static_cast<UnreducedKind>(Below(3)));
  }

 private:
  std::mt19937 random_;
};

// The coordinate of a device along axes, major to minor.
int64_t Coordinate(const Mesh& mesh, absl::Span<const int64_t> index, const Axes& axes) {
  int64_t coordinate = 0;
  for (const AxisRef& axis : axes) {
    const int64_t minor = mesh.axis_size(axis.mesh_axis_index()) / axis.next_pre_size(mesh);
    coordinate = coordinate * axis.size(mesh) +
                 index[static_cast<size_t>(axis.mesh_axis_index())] / minor % axis.size(mesh);
  }
  return coordinate;
}

TEST(ShardingAxes, TilesOfAxesAreWhereTheAxesSay) {
  RandomShardings random(1);
  for (int round = 0; round < 1000; ++round) {
    const Mesh mesh = random.MakeMesh();
    const NamedSharding named = random.Make(mesh, 1 + random.Below(3));
    const HloSharding tiles = HloSharding::V3ToV2Sharding(named);
    SCOPED_TRACE(named.ToString() + " is " + tiles.ToString());
    EXPECT_EQ(tiles.IsManual(), named.IsManual());
    if (tiles.kind() != HloSharding::Kind::kTiled) continue;
    EXPECT_EQ(tiles.DataDimensions(), named.dimensions());
    EXPECT_EQ(tiles.SubgroupSize(OpSharding_Type_MANUAL), AxesSize(named.manual_axes(), mesh));
    EXPECT_EQ(tiles.SubgroupSize(OpSharding_Type_UNREDUCED),
              AxesSize(named.unreduced_axes(), mesh));
    EXPECT_EQ(tiles.unreduced_kind(),
              tiles.IsUnreducedSubgroup() ? named.unreduced_kind() : UnreducedKind::kSum);
    mesh.device_assignment().Each([&](absl::Span<const int64_t> index, int64_t device) {
      const std::vector<int64_t> tile = tiles.TileIndexForDevice(device);
      for (int64_t d = 0; d < named.num_dimensions(); ++d) {
        ASSERT_EQ(tile[static_cast<size_t>(d)],
                  Coordinate(mesh, index, named.dim_sharding(d).axes()));
      }
    });
  }
}

Axes WithoutOnes(const Axes& axes, const Mesh& mesh) {
  Axes kept;
  for (const AxisRef& axis : axes) {
    if (axis.size(mesh) > 1) AppendAxis(axis, mesh, kept);
  }
  return kept;
}

TEST(ShardingAxes, AxesComeBackFromTilesOverTheSameMesh) {
  RandomShardings random(2);
  for (int round = 0; round < 2000; ++round) {
    const Mesh mesh = random.MakeMesh();
    const NamedSharding named = random.Make(mesh, 1 + random.Below(3));
    const HloSharding tiles = HloSharding::V3ToV2Sharding(named);
    SCOPED_TRACE(named.ToString() + " is " + tiles.ToString());
    ASSERT_OK_AND_ASSIGN(const NamedSharding back,
                         ToNamedSharding(tiles, mesh, named.num_dimensions()));
    EXPECT_EQ(HloSharding::V3ToV2Sharding(back), tiles);
    if (tiles.kind() != HloSharding::Kind::kTiled) continue;
    for (int64_t d = 0; d < named.num_dimensions(); ++d) {
      EXPECT_EQ(back.dim_sharding(d).axes(), WithoutOnes(named.dim_sharding(d).axes(), mesh));
    }
    EXPECT_EQ(back.manual_axes(), WithoutOnes(named.manual_axes(), mesh));
    EXPECT_EQ(back.unreduced_axes(), WithoutOnes(named.unreduced_axes(), mesh));
  }
}

TEST(ShardingAxes, TilesComeBackFromAMeshOfTheirOwn) {
  RandomShardings random(3);
  int listed = 0;
  for (int round = 0; round < 3000; ++round) {
    const HloSharding tiles = random.MakeTiles();
    SCOPED_TRACE(tiles.ToString());
    if (tiles.kind() != HloSharding::Kind::kTiled) continue;
    ASSERT_OK_AND_ASSIGN(const NamedSharding named,
                         ToNamedSharding(tiles, tiles.num_devices(), tiles.TiledDataRank()));
    EXPECT_EQ(HloSharding::V3ToV2Sharding(named), tiles) << named;
    for (const AxisRef& axis : named.UsedAxes()) EXPECT_FALSE(axis.IsSubAxis()) << named;
    listed += !named.mesh().HasIotaDevices();
  }
  EXPECT_LT(listed, 600);
}

TEST(ShardingAxes, OneMeshServesShardingsThatCameFromOne) {
  RandomShardings random(4);
  for (int round = 0; round < 500; ++round) {
    const Mesh original = random.MakeMesh();
    std::vector<HloSharding> all;
    std::vector<const HloSharding*> pointers;
    for (int i = 0; i < 4; ++i) {
      all.push_back(HloSharding::V3ToV2Sharding(random.Make(original, 2)));
    }
    for (const HloSharding& sharding : all) pointers.push_back(&sharding);
    const Mesh mesh = MakeMeshFor(pointers, original.num_devices());
    EXPECT_EQ(mesh.num_devices(), original.num_devices());
    int served = 0;
    for (const HloSharding& sharding : all) {
      SCOPED_TRACE(sharding.ToString() + " of " + original.ToString() + " over " + mesh.ToString());
      const auto named = ToNamedSharding(sharding, mesh, 2);
      if (!named.ok()) continue;
      ++served;
      EXPECT_EQ(HloSharding::V3ToV2Sharding(*named), sharding);
    }
    // Sub-axes of one axis that cannot coexist are the only ones that share no mesh.
    bool is_power_of_2 = (original.num_devices() & (original.num_devices() - 1)) == 0;
    if (is_power_of_2 && original.device_assignment().iota().has_value()) {
      EXPECT_EQ(served, 4);
    }
    EXPECT_GE(served, 1);
  }
}

TEST(ShardingAxes, MadeUpMeshes) {
  const auto named = [](const HloSharding& sharding, int64_t devices, int64_t rank) {
    const auto result = ToNamedSharding(sharding, devices, rank);
    return result.ok() ? result->ToString() : std::string(result.status().message());
  };
  EXPECT_EQ(named(HloSharding::IotaTile({2, 4}, {4, 2}, {1, 0}), 8, 2),
            "mesh['_axis_0'=4,'_axis_1'=2], [{'_axis_1'}, {'_axis_0'}]");
  EXPECT_EQ(named(HloSharding::PartialTile(TileAssignment({2, 1, 4})), 8, 2),
            "mesh['_axis_0'=2,'_axis_1'=4], [{'_axis_0'}, {}]");
  EXPECT_EQ(named(HloSharding::IotaTile({4, 2}, {2, 4}, {1, 0}), 8, 2),
            "mesh['_axis_0'=2,'_axis_1'=4], [{'_axis_1'}, {'_axis_0'}]");
  EXPECT_EQ(named(HloSharding::IotaTile({2, 3}, {2, 3}, {1, 0}), 6, 2),
            "mesh['_axis_0'=2,'_axis_1'=3], device_ids=(0,3,1,4,2,5), [{'_axis_0'}, {'_axis_1'}]");
  EXPECT_EQ(named(HloSharding::Replicate(), 8, 2), "mesh['_axis_0'=8], [{}, {}]");
  EXPECT_EQ(named(HloSharding::Unknown(), 8, 1), "mesh['_axis_0'=8], [{?}]");
  EXPECT_EQ(named(HloSharding::Manual(), 8, 1), "mesh['_axis_0'=8], [{}], manual={'_axis_0'}");
  EXPECT_EQ(named(HloSharding::SingleDevice(5), 8, 1), "maximal_mesh[device_id=5]");
  EXPECT_EQ(named(HloSharding::Replicate(), 1, 1), "mesh[], [{}]");
  EXPECT_EQ(named(HloSharding::IotaTile({2, 4}), 8, 1),
            "sharding {devices=[2,4]<=[8]} does not fit rank 1 and "
            "mesh['_axis_0'=2,'_axis_1'=4]");
  EXPECT_EQ(named(HloSharding::IotaTile({2, 4}), 4, 2),
            "sharding {devices=[2,4]<=[8]} does not fit rank 2 and mesh['_axis_0'=4]");
  EXPECT_EQ(named(HloSharding::Tuple({}), 4, 2), "sharding {} of a tuple is none of an array");
  EXPECT_EQ(named(HloSharding::Subgroup(TileAssignment({2, 2}), {OpSharding_Type_MAXIMAL}), 4, 1),
            "sharding {devices=[2,2]<=[4] last_tile_dims={maximal}}: axes cannot be maximal");
}

TEST(ShardingAxes, SubAxesOfAGivenMesh) {
  const Mesh mesh({4, 6}, {"a", "b"});
  ASSERT_OK_AND_ASSIGN(const NamedSharding named,
                       ToNamedSharding(HloSharding::IotaTile({2, 12}), mesh, 2));
  EXPECT_EQ(named.ToString(), "mesh['a'=4,'b'=6], [{'a':(1)2}, {'a':(2)2, 'b'}]");
  EXPECT_ERROR(ToNamedSharding(HloSharding::IotaTile({3, 8}), mesh, 2),
               "the tiles of sharding {devices=[3,8]<=[24]} are no axes of mesh['a'=4,'b'=6]");
}

// Neither direction lists devices.
TEST(ShardingAxes, ManyDevicesCostNothing) {
  const Mesh mesh({1 << 8, 1 << 8, 1 << 8}, {"a", "b", "c"});
  for (int i = 0; i < 2000; ++i) {
    const NamedSharding named(mesh, {Dim({AxisRef(2), Sub(0, 1, 16)}), Dim({AxisRef(1)})});
    const HloSharding tiles = HloSharding::V3ToV2Sharding(named);
    ASSERT_TRUE(tiles.tile_assignment().iota().has_value());
    ASSERT_EQ(*ToNamedSharding(tiles, mesh, 2), named);
    ASSERT_OK(ToNamedSharding(tiles, mesh.num_devices(), 2));
  }
}

}  // namespace
}  // namespace xla
