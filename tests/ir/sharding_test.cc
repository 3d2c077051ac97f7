// SPDX-License-Identifier: Apache-2.0
// Shardings and replica groups: canonical form, text, protos, validation. Expected texts are XLA's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/test_util.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

std::string Subgroup(const TileAssignment& tiles, const std::vector<OpSharding_Type>& types) {
  return HloSharding::Subgroup(tiles, types).ToString();
}

constexpr auto kManual = OpSharding_Type_MANUAL;
constexpr auto kReplicated = OpSharding_Type_REPLICATED;
constexpr auto kUnreduced = OpSharding_Type_UNREDUCED;

TEST(Iota, IsSimplifiedAsXlaDoes) {
  EXPECT_EQ(HloSharding::IotaTile({2, 2}).ToString(), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(HloSharding::IotaTile({2, 2}, {2, 2}, {1, 0}).ToString(),
            "{devices=[2,2]<=[2,2]T(1,0)}");
  EXPECT_EQ(HloSharding::IotaTile({2, 2}, {2, 2}, {0, 1}).ToString(), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(HloSharding::IotaTile({2, 2}, {4, 1}, {1, 0}).ToString(), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(HloSharding::IotaTile({2, 2}, {2, 2, 1}, {1, 0, 2}).ToString(),
            "{devices=[2,2]<=[2,2]T(1,0)}");
  EXPECT_EQ(HloSharding::IotaTile({4, 2}, {2, 2, 2}, {1, 2, 0}).ToString(),
            "{devices=[4,2]<=[2,4]T(1,0)}");
  EXPECT_EQ(HloSharding::IotaTile({8, 2}, {2, 2, 2, 2}, {3, 0, 1, 2}).ToString(),
            "{devices=[8,2]<=[8,2]T(1,0)}");
  EXPECT_EQ(HloSharding::IotaTile({8, 2}, {2, 2, 2, 2}, {3, 2, 1, 0}).ToString(),
            "{devices=[8,2]<=[2,2,2,2]T(3,2,1,0)}");
}

TEST(Sharding, SubgroupsTakeTheirCanonicalOrder) {
  const TileAssignment iota({2, 1, 2, 2});
  EXPECT_EQ(Subgroup(iota, {kManual, kReplicated}),
            "{devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}");
  EXPECT_EQ(Subgroup(iota, {kReplicated, kManual}),
            "{devices=[2,1,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, replicated}}");
  EXPECT_EQ(Subgroup(iota, {kReplicated, kReplicated}),
            "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  const TileAssignment larger({2, 1, 2, 2, 2});
  EXPECT_EQ(Subgroup(larger, {kReplicated, kManual, kUnreduced}),
            "{devices=[2,1,2,2,2]<=[2,2,4]T(0,2,1) last_tile_dims={manual, unreduced, "
            "replicated}}");
  EXPECT_EQ(Subgroup(larger, {kManual, kUnreduced, kManual}),
            "{devices=[2,1,4,2]<=[4,2,2]T(0,2,1) last_tile_dims={manual, unreduced}}");
  ASSERT_OK_AND_ASSIGN(const TileAssignment list,
                       TileAssignment::Create({2, 1, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(Subgroup(list, {kReplicated, kManual}),
            "{devices=[2,1,2,2]0,2,1,3,4,6,5,7 last_tile_dims={manual, replicated}}");
}

// The iota form and the list of devices are one sharding, before and after.
TEST(Sharding, SubgroupsOfIotasOrderDevicesAsThoseOfLists) {
  std::vector<int> order = {0, 1, 2};
  do {
    for (const std::vector<int64_t>& tiles :
         std::vector<std::vector<int64_t>>{{2, 6, 2}, {4, 3, 2}, {3, 4, 2}, {1, 4, 6}, {6, 2, 2}}) {
      const TileAssignment iota(tiles, {2, 3, 4}, order);
      const TileAssignment list(iota.array());
      for (const auto& types : std::vector<std::vector<OpSharding_Type>>{
               {kManual, kReplicated}, {kReplicated, kManual}, {kUnreduced, kManual}}) {
        const HloSharding of_iota = HloSharding::Subgroup(iota, types);
        const HloSharding of_list = HloSharding::Subgroup(list, types);
        EXPECT_EQ(of_iota.subgroup_types(), of_list.subgroup_types());
        EXPECT_EQ(of_iota.tile_assignment().array(), of_list.tile_assignment().array())
            << of_iota.ToString();
        EXPECT_EQ(of_iota, of_list);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Sharding, SubgroupsOfOneOrOfAllDevicesAreNamedPlainly) {
  EXPECT_EQ(Subgroup(TileAssignment({1, 1, 4}), {kReplicated}), "{replicated}");
  EXPECT_EQ(Subgroup(TileAssignment({1, 1, 4}), {kManual}), "{manual}");
  EXPECT_EQ(Subgroup(TileAssignment({1, 1, 4}), {kUnreduced}), "{unreduced}");
  EXPECT_EQ(Subgroup(TileAssignment({1, 1, 2, 2}), {kManual, kManual}), "{manual}");
  EXPECT_EQ(Subgroup(TileAssignment({2, 1, 1, 2}), {kManual, kReplicated}),
            "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(Subgroup(TileAssignment({2, 2, 1}), {kReplicated}), "{devices=[2,2]<=[4]}");
}

TEST(Sharding, SizesThatDoNotFitAreErrors) {
  EXPECT_ERROR(TileAssignment::Create({2, 2}, {0, 1, 2}), "3 devices given for 4 tiles");
  EXPECT_ERROR(TileAssignment::Create({2, 2}, {0, 1, 2, 2}), "device 2 is duplicated");
  EXPECT_ERROR(TileAssignment::Create({2, 2}, {0, 1, 2, -2}), "device -2 is negative");
  EXPECT_ERROR(TileAssignment::Create({0, 2}, {}), "sizes must be positive");
  EXPECT_ERROR(TileAssignment::CreateIota({int64_t{1} << 40, int64_t{1} << 40}), "2^24");
  // XLA reads such an iota; nothing can use it.
  ASSERT_OK_AND_ASSIGN(const TileAssignment other, TileAssignment::CreateIota({2, 4}, {2, 2}));
  EXPECT_EQ(other.ToString(), "devices=[2,4]<=[4]");
  EXPECT_EQ(other(1, 3), 3);
  EXPECT_EQ(other.array()(1, 3), 3);
  const HloSharding sharding = HloSharding::Tile(other);
  EXPECT_EQ(sharding, HloSharding::Tile(other));
  EXPECT_ERROR(sharding.Validate(ShapeUtil::MakeShape(F32, {2, 4}), std::nullopt),
               "the iota does not have as many devices as there are tiles");
  EXPECT_ERROR(HloSharding::FromSubgroups(other, {kReplicated}),
               "the iota does not have as many devices as there are tiles");
  EXPECT_ERROR(Mesh::Create(other, {"a", "b"}), "as many devices");
  EXPECT_ERROR(TileAssignment::CreateIota({2, 2}, {2, 2}, {0}), "another rank");
  EXPECT_ERROR(TileAssignment::CreateIota({2, 2}, {2, 2}, {1, 1}), "is not a permutation");
  EXPECT_ERROR(TileAssignment::CreateIota({2, 2}, {}, {1, 0}), "without dimensions");
  const TileAssignment tiles({2, 2});
  EXPECT_ERROR(HloSharding::FromSubgroups(tiles, {kManual, kManual, kManual}),
               "more last_tile_dims than tile dimensions");
  EXPECT_ERROR(HloSharding::FromSubgroups(tiles, {OpSharding_Type_TUPLE}), "cannot be of type");
}

TEST(Sharding, Text) {
  EXPECT_EQ(HloSharding::Replicate().ToString(), "{replicated}");
  EXPECT_EQ(HloSharding::SingleDevice(3).ToString(), "{maximal device=3}");
  EXPECT_EQ(HloSharding::Manual().SetShardGroup(HloSharding::ShardAs(3)).ToString(),
            "{manual shard_as 3}");
  ASSERT_OK_AND_ASSIGN(const TileAssignment devices, TileAssignment::Create({2, 2}, {3, 2, 1, 0}));
  HloSharding tiled = HloSharding::Tile(devices);
  tiled.metadata().emplace_back();
  tiled.metadata()[0].set_op_name("a");
  EXPECT_EQ(tiled.ToString(), "{devices=[2,2]3,2,1,0}");
  EXPECT_EQ(tiled.ToString(true), "{devices=[2,2]3,2,1,0 metadata={op_name=\"a\"}}");
  EXPECT_EQ(HloSharding::Tuple(std::vector<HloSharding>(6)).ToString(),
            "{{replicated}, {replicated}, {replicated}, {replicated}, {replicated}, "
            "/*index=5*/{replicated}}");
  EXPECT_EQ(HloSharding::Tuple({}).ToString(), "{}");
}

TEST(Sharding, ProtosReadBackEqual) {
  const Mesh mesh({2, 4}, {"x", "y"});
  ASSERT_OK_AND_ASSIGN(const TileAssignment devices, TileAssignment::Create({2, 2}, {3, 1, 0, 2}));
  for (const HloSharding& sharding :
       {HloSharding::Replicate(), HloSharding::Manual(), HloSharding::Unreduced(),
        HloSharding::Unreduced(UnreducedKind::kMax),
        HloSharding::Unknown().SetShardGroup(HloSharding::ShardLike(7)),
        HloSharding::SingleDevice(2), HloSharding::Tile(devices), HloSharding::IotaTile({2, 2}),
        HloSharding::IotaTile({2, 2}, {2, 2}, {1, 0}),
        HloSharding::PartialTile(TileAssignment({2, 2, 2})),
        HloSharding::Subgroup(TileAssignment({2, 2, 2}), {kManual}),
        HloSharding::Subgroup(TileAssignment({2, 2, 2}), {kUnreduced}, UnreducedKind::kMin),
        HloSharding::Tuple({HloSharding::Replicate(), HloSharding::Manual()}),
        HloSharding::Tuple({}),
        HloSharding(
            NamedSharding(mesh, {NamedSharding::DimensionSharding({AxisRef(0)}),
                                 NamedSharding::DimensionSharding::Open({AxisRef(1, {1, 2})})})),
        HloSharding(NamedSharding(mesh, {}, {}, {AxisRef(1)}, {AxisRef(0)}, UnreducedKind::kMax)),
        HloSharding(NamedSharding::Replicate(mesh)), HloSharding(NamedSharding::SingleDevice(3))}) {
    SCOPED_TRACE(sharding.ToString());
    ASSERT_OK_AND_ASSIGN(HloSharding read, HloSharding::FromProto(sharding.ToProto()));
    EXPECT_EQ(read.ToString(), sharding.ToString());
    EXPECT_TRUE(read == sharding);
    EXPECT_EQ(read.unreduced_kind(), sharding.unreduced_kind());
  }
}

TEST(Sharding, OneTileIsTheWhole) {
  OpSharding proto;
  proto.set_type(OpSharding::OTHER);
  proto.add_tile_assignment_dimensions(1);
  proto.add_tile_assignment_devices(3);
  ASSERT_OK_AND_ASSIGN(const HloSharding one, HloSharding::FromProto(proto));
  EXPECT_EQ(one, HloSharding::Replicate());
  proto.set_tile_assignment_dimensions(0, 2);
  EXPECT_ERROR(HloSharding::FromProto(proto), "1 devices given for 2 tiles");
}

TEST(Sharding, BadProtosAreErrors) {
  OpSharding proto;
  proto.set_type(OpSharding_Type_MAXIMAL);
  EXPECT_ERROR(HloSharding::FromProto(proto), "names one device, not 0");
  proto.set_type(OpSharding::OTHER);
  proto.add_tile_assignment_dimensions(int64_t{1} << 62);
  EXPECT_ERROR(HloSharding::FromProto(proto), "either devices or an iota");
  proto.add_iota_reshape_dims(int64_t{1} << 62);
  EXPECT_ERROR(HloSharding::FromProto(proto), "2^24");
  OpSharding tuple;
  tuple.set_type(OpSharding::TUPLE);
  tuple.add_tuple_shardings()->set_type(OpSharding::TUPLE);
  EXPECT_ERROR(HloSharding::FromProto(tuple), "sharding of a tuple");
  OpSharding named;
  named.mutable_named_sharding()->add_manual_axes()->set_mesh_axis_index(5);
  EXPECT_ERROR(HloSharding::FromProto(named), "axis index 5 is out of range");
}

TEST(Sharding, ValidateSaysWhatDoesNotFit) {
  const Shape shape = ShapeUtil::MakeShape(F32, {4, 4});
  EXPECT_OK(HloSharding::IotaTile({2, 2}).Validate(shape, 4));
  EXPECT_ERROR(HloSharding::IotaTile({2, 2}).Validate(shape, 8),
               "sharding should have 8 devices but has 4");
  EXPECT_ERROR(HloSharding::IotaTile({4}).Validate(shape), "different than the input rank");
  EXPECT_ERROR(HloSharding::SingleDevice(4).Validate(shape, 4), "device 4 >= num_devices (4)");
  const Shape tuple = ShapeUtil::MakeTupleShape({shape, shape});
  EXPECT_ERROR(HloSharding::Replicate().Validate(tuple), "is a tuple but sharding is not");
  EXPECT_ERROR(HloSharding::Tuple({HloSharding::Replicate()}).Validate(tuple),
               "has 2 leaf nodes while this sharding has 1");
  EXPECT_OK(HloSharding::Replicate().NormalizeTupleSharding(tuple).Validate(tuple));
}

TEST(ReplicaGroups, IotaFlattens) {
  ASSERT_OK_AND_ASSIGN(Groups groups, CollectiveDeviceList::Iota(2, 4, {8}).Flatten());
  EXPECT_EQ(groups, (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  ASSERT_OK_AND_ASSIGN(groups, CollectiveDeviceList::Iota(2, 4, {4, 2}, {1, 0}).Flatten());
  EXPECT_EQ(groups, (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(CollectiveDeviceList::Iota(2, 4, {2, 2, 2}, {2, 0, 1}).ToString(),
            "[2,4]<=[4,2]T(1,0)");
  EXPECT_ERROR(CollectiveDeviceList::Iota(2, 3, {8}).Flatten(), "8 ids do not fill 2 groups of 3");
  EXPECT_ERROR(CollectiveDeviceList::Iota(int64_t{1} << 40, 1, {int64_t{1} << 40}).Flatten(),
               "more than 16777216 devices");
}

CollectiveDeviceList OverMesh(Mesh mesh, std::vector<AxisRef> axes) {
  CollectiveDeviceList list;
  list.form = CollectiveDeviceList::Form::kMesh;
  list.mesh = std::move(mesh);
  list.mesh_axes = std::move(axes);
  return list;
}

TEST(ReplicaGroups, MeshAxesGroupTheDevicesThatDifferAlongThem) {
  const Mesh mesh({2, 2}, {"x", "y"});
  const AxisRef x(0), y(1);
  EXPECT_EQ(*OverMesh(mesh, {x}).Flatten(), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(*OverMesh(mesh, {y}).Flatten(), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(*OverMesh(mesh, {y, x}).Flatten(), (Groups{{0, 2, 1, 3}}));
  EXPECT_EQ(*OverMesh(mesh, {}).Flatten(), (Groups{{0}, {1}, {2}, {3}}));
  ASSERT_OK_AND_ASSIGN(const Mesh reversed, Mesh::Create({2, 2}, {"x", "y"}, {3, 2, 1, 0}));
  EXPECT_EQ(*OverMesh(reversed, {x}).Flatten(), (Groups{{3, 1}, {2, 0}}));
  EXPECT_ERROR(OverMesh(mesh, {AxisRef(2)}).Flatten(), "axis index 2 is out of range");
  EXPECT_ERROR(OverMesh(mesh, {x, x}).Flatten(), "axis 'x' is duplicated");
}

TEST(ReplicaGroups, SubAxesGroupPartsOfAnAxis) {
  const Mesh mesh({8}, {"a"});
  const auto part = [](int64_t pre, int64_t size) { return AxisRef(0, {pre, size}); };
  EXPECT_EQ(*OverMesh(mesh, {part(1, 2)}).Flatten(), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(*OverMesh(mesh, {part(4, 2)}).Flatten(), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(*OverMesh(mesh, {part(1, 2), part(4, 2)}).Flatten(),
            (Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(*OverMesh(mesh, {part(1, 2), part(2, 2)}).Flatten(),
            (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_ERROR(OverMesh(mesh, {part(1, 3)}).Flatten(), "does not divide the axis of size 8");
  EXPECT_ERROR(OverMesh(mesh, {part(1, 4), part(2, 4)}).Flatten(), "overlaps");
}

TEST(ReplicaGroups, TextAndProtosOfAllForms) {
  CollectiveDeviceList list;
  EXPECT_EQ(list.ToString(), "{}");
  list.groups = {{0, 1}, {2, 3}};
  EXPECT_EQ(list.ToString(), "{{0,1},{2,3}}");
  EXPECT_EQ(*CollectiveDeviceList::FromProto(list.ToListProto()), list);
  const CollectiveDeviceList iota = CollectiveDeviceList::Iota(2, 4, {4, 2}, {1, 0});
  EXPECT_EQ(*CollectiveDeviceList::FromProto(iota.ToIotaProto()), iota);
  const CollectiveDeviceList mesh =
      OverMesh(Mesh({2, 8}, {"x", "y"}), {AxisRef(1, {1, 2}), AxisRef(1, {4, 2})});
  EXPECT_EQ(mesh.ToString(), "mesh['x'=2,'y'=8] {'y':(1)2,'y':(4)2}");
  EXPECT_EQ(*CollectiveDeviceList::FromProto(mesh.ToMeshProto()), mesh);
}

TEST(Sharding, EqualityLooksAtEveryField) {
  const TileAssignment tiles({2, 2});
  ASSERT_OK_AND_ASSIGN(const TileAssignment listed, TileAssignment::Create({2, 2}, {0, 1, 2, 3}));
  ASSERT_OK_AND_ASSIGN(const TileAssignment swapped, TileAssignment::Create({2, 2}, {3, 1, 2, 0}));
  const HloSharding sharding = HloSharding::Tile(tiles);
  EXPECT_EQ(sharding, HloSharding::Tile(listed));
  const HloSharding others[] = {
      HloSharding::IotaTile({4, 1}),
      HloSharding::Tile(swapped),
      HloSharding::IotaTile({2, 2}, {2, 2}, {1, 0}),
      HloSharding::PartialTile(tiles),
      HloSharding::Subgroup(tiles, {kManual}),
      HloSharding::Tile(tiles).SetShardGroup(HloSharding::ShardAs(1)),
      HloSharding::Replicate(),
  };
  for (const HloSharding& other : others) EXPECT_FALSE(sharding == other) << other;
  EXPECT_FALSE(HloSharding::SingleDevice(1) == HloSharding::SingleDevice(2));
  EXPECT_FALSE(HloSharding::Manual().SetShardGroup(HloSharding::ShardAs(1)) ==
               HloSharding::Manual().SetShardGroup(HloSharding::ShardAs(2)));
  EXPECT_FALSE(HloSharding::Manual().SetShardGroup(HloSharding::ShardAs(1)) ==
               HloSharding::Manual().SetShardGroup(HloSharding::ShardLike(1)));
  EXPECT_FALSE(HloSharding::Subgroup(tiles, {kUnreduced}) ==
               HloSharding::Subgroup(tiles, {kUnreduced}, UnreducedKind::kMax));
  EXPECT_FALSE(HloSharding::Unreduced() == HloSharding::Unreduced(UnreducedKind::kMax));
}

TEST(Sharding, PredicatesHoldForTilesAndAxesAlike) {
  const Mesh mesh({2, 4}, {"x", "y"});
  using Dim = NamedSharding::DimensionSharding;
  for (const NamedSharding& named :
       {NamedSharding::Replicate(mesh), NamedSharding::Manual(mesh), NamedSharding::Unreduced(mesh),
        NamedSharding::SingleDevice(3), NamedSharding::FullyOpen(mesh, 2),
        NamedSharding(mesh, {Dim({AxisRef(0)}), Dim()}),
        NamedSharding(mesh, {Dim({AxisRef(0)}), Dim({AxisRef(1)})}),
        NamedSharding(mesh, {Dim({AxisRef(1), AxisRef(0)})}),
        NamedSharding(mesh, {Dim({AxisRef(1, {2, 2})})}, {}, {AxisRef(0)}),
        NamedSharding(mesh, {Dim({AxisRef(0)})}, {}, {}, {AxisRef(1)})}) {
    const HloSharding axes(named), tiles = HloSharding::V3ToV2Sharding(named);
    SCOPED_TRACE(axes.ToString() + " is " + tiles.ToString());
    EXPECT_FALSE(tiles.UseNamedShardingLeaf());
    EXPECT_EQ(axes.IsReplicated(), tiles.IsReplicated());
    EXPECT_EQ(axes.IsManual(), tiles.IsManual());
    EXPECT_EQ(axes.IsUnreduced(), tiles.IsUnreduced());
    EXPECT_EQ(axes.IsTiled(), tiles.IsTiled());
    EXPECT_EQ(axes.UniqueDevice(), tiles.UniqueDevice());
    EXPECT_EQ(axes.HasPartialReplication(), tiles.HasPartialReplication());
    EXPECT_EQ(axes.NumTiles(), tiles.NumTiles());
    EXPECT_EQ(axes.device_assignment(), tiles.tile_assignment());
    const HloSharding tuple = HloSharding::Tuple({axes, axes});
    EXPECT_EQ(tuple.IsReplicated(), axes.IsReplicated());
    EXPECT_EQ(tuple.IsTiled(), axes.IsTiled());
    if (!axes.IsTiled()) continue;
    EXPECT_EQ(axes.IsManualSubgroup(), tiles.IsManualSubgroup());
    EXPECT_EQ(axes.IsUnreducedSubgroup(), tiles.IsUnreducedSubgroup());
    EXPECT_EQ(axes.DataDimensions(), tiles.DataDimensions());
    for (int64_t device = 0; device < 8; ++device) {
      EXPECT_EQ(axes.TileIndexForDevice(device), tiles.TileIndexForDevice(device));
    }
  }
}

TEST(Sharding, TilesOfDevices) {
  const Shape shape = ShapeUtil::MakeShape(F32, {5, 8});
  const HloSharding sharding = HloSharding::IotaTile({4, 2}, {2, 4}, {1, 0});
  EXPECT_EQ(sharding.TileShape(shape), ShapeUtil::MakeShape(F32, {2, 4}));
  EXPECT_EQ(sharding.TileIndexForDevice(6), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(sharding.TileOffsetForDevice(shape, 6), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(sharding.TileLimitForDevice(shape, 6), (std::vector<int64_t>{5, 8}));
  EXPECT_EQ(sharding.TileShape(shape, 6), ShapeUtil::MakeShape(F32, {1, 4}));
  EXPECT_EQ(sharding.TileShape(shape, 7), ShapeUtil::MakeShape(F32, {0, 4}));
  EXPECT_EQ(HloSharding::Replicate().TileShape(shape, 3), shape);
  ASSERT_OK_AND_ASSIGN(const TileAssignment listed, TileAssignment::Create({2, 1}, {7, 3}));
  EXPECT_EQ(HloSharding::Tile(listed).TileIndexForDevice(3), (std::vector<int64_t>{1, 0}));
}

}  // namespace
}  // namespace xla
