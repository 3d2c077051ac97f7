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

std::string Canonical(HloSharding sharding) {
  auto canonical = sharding.Canonical();
  return canonical.ok() ? canonical->ToString() : canonical.status().ToString();
}

HloSharding Subgroup(HloSharding sharding, std::vector<OpSharding_Type> types) {
  sharding.last_tile_dims = std::move(types);
  return sharding;
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
  const HloSharding iota = HloSharding::IotaTile({2, 1, 2, 2});
  EXPECT_EQ(Canonical(Subgroup(iota, {kManual, kReplicated})),
            "{devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}");
  EXPECT_EQ(Canonical(Subgroup(iota, {kReplicated, kManual})),
            "{devices=[2,1,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, replicated}}");
  EXPECT_EQ(Canonical(Subgroup(iota, {kReplicated, kReplicated})),
            "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(Canonical(Subgroup(HloSharding::IotaTile({2, 1, 2, 2, 2}),
                               {kReplicated, kManual, kUnreduced})),
            "{devices=[2,1,2,2,2]<=[2,2,4]T(0,2,1) last_tile_dims={manual, unreduced, "
            "replicated}}");
  EXPECT_EQ(
      Canonical(Subgroup(HloSharding::IotaTile({2, 1, 2, 2, 2}), {kManual, kUnreduced, kManual})),
      "{devices=[2,1,4,2]<=[4,2,2]T(0,2,1) last_tile_dims={manual, unreduced}}");
  EXPECT_EQ(Canonical(Subgroup(HloSharding::Tile({2, 1, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}),
                               {kReplicated, kManual})),
            "{devices=[2,1,2,2]0,2,1,3,4,6,5,7 last_tile_dims={manual, replicated}}");
}

// The iota form and the list of devices are one sharding, before and after.
TEST(Sharding, SubgroupsOfIotasOrderDevicesAsThoseOfLists) {
  std::vector<int> order = {0, 1, 2};
  do {
    for (const std::vector<int64_t>& tiles :
         std::vector<std::vector<int64_t>>{{2, 6, 2}, {4, 3, 2}, {3, 4, 2}, {1, 4, 6}, {6, 2, 2}}) {
      const std::vector<int64_t> reshape = {2, 3, 4};
      ASSERT_OK_AND_ASSIGN(const std::vector<int64_t> devices, FlattenIota(reshape, order));
      for (const auto& types : std::vector<std::vector<OpSharding_Type>>{
               {kManual, kReplicated}, {kReplicated, kManual}, {kUnreduced, kManual}}) {
        ASSERT_OK_AND_ASSIGN(
            const HloSharding of_iota,
            Subgroup(HloSharding::IotaTile(tiles, reshape, order), types).Canonical());
        ASSERT_OK_AND_ASSIGN(const HloSharding of_list,
                             Subgroup(HloSharding::Tile(tiles, devices), types).Canonical());
        EXPECT_EQ(of_iota.tile_dims, of_list.tile_dims);
        EXPECT_EQ(of_iota.last_tile_dims, of_list.last_tile_dims);
        const auto listed = [](const HloSharding& sharding) {
          return sharding.devices.empty()
                     ? FlattenIota(sharding.reshape_dims, sharding.transpose_perm).value()
                     : sharding.devices;
        };
        EXPECT_EQ(listed(of_iota), listed(of_list)) << of_iota.ToString();
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Sharding, SubgroupsOfOneOrOfAllDevicesAreNamedPlainly) {
  EXPECT_EQ(Canonical(Subgroup(HloSharding::IotaTile({1, 1, 4}), {kReplicated})), "{replicated}");
  EXPECT_EQ(Canonical(Subgroup(HloSharding::IotaTile({1, 1, 4}), {kManual})), "{manual}");
  EXPECT_EQ(Canonical(Subgroup(HloSharding::IotaTile({1, 1, 4}), {kUnreduced})), "{unreduced}");
  EXPECT_EQ(Canonical(Subgroup(HloSharding::IotaTile({1, 1, 2, 2}), {kManual, kManual})),
            "{manual}");
  EXPECT_EQ(Canonical(Subgroup(HloSharding::IotaTile({2, 1, 1, 2}), {kManual, kReplicated})),
            "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(Canonical(Subgroup(HloSharding::IotaTile({2, 2, 1}), {kReplicated})),
            "{devices=[2,2]<=[4]}");
}

TEST(Sharding, SizesThatDoNotFitAreErrors) {
  EXPECT_ERROR(HloSharding::Tile({2, 2}, {0, 1, 2}).Canonical(), "3 devices given for 4 tiles");
  EXPECT_ERROR(HloSharding::Tile({2, 2}, {0, 1, 2, 2}).Canonical(), "device 2 stands twice");
  EXPECT_ERROR(HloSharding::Tile({0, 2}, {}).Canonical(), "sizes must be positive");
  EXPECT_ERROR(HloSharding::IotaTile({int64_t{1} << 40, int64_t{1} << 40}).Canonical(), "2^24");
  EXPECT_ERROR(HloSharding::IotaTile({2, 2}, {2, 4}).Canonical(), "as many devices");
}

TEST(Sharding, Text) {
  EXPECT_EQ(HloSharding::Replicate().ToString(), "{replicated}");
  EXPECT_EQ(HloSharding::AssignDevice(3).ToString(), "{maximal device=3}");
  HloSharding manual = HloSharding::Manual();
  manual.group = HloSharding::Group::kAs;
  manual.group_id = 3;
  EXPECT_EQ(manual.ToString(), "{manual shard_as 3}");
  HloSharding tiled = HloSharding::Tile({2, 2}, {3, 2, 1, 0});
  tiled.metadata.emplace_back();
  tiled.metadata[0].set_op_name("a");
  EXPECT_EQ(tiled.ToString(), "{devices=[2,2]3,2,1,0}");
  EXPECT_EQ(tiled.ToString(true), "{devices=[2,2]3,2,1,0 metadata={op_name=\"a\"}}");
  EXPECT_EQ(HloSharding::Tuple(std::vector<HloSharding>(6)).ToString(),
            "{{replicated}, {replicated}, {replicated}, {replicated}, {replicated}, "
            "/*index=5*/{replicated}}");
  EXPECT_EQ(HloSharding::Tuple({}).ToString(), "{}");
}

HloSharding Named(HloSharding::Named named) {
  HloSharding sharding;
  sharding.kind = HloSharding::Kind::kNamed;
  sharding.named = std::make_shared<HloSharding::Named>(std::move(named));
  return sharding;
}

const Mesh kMesh = {.axes = {{"x", 2}, {"y", 4}}};

TEST(NamedSharding, Text) {
  const AxisRef x{.name = "x", .pre_size = {}, .size = {}};
  const AxisRef y{.name = "y", .pre_size = {}, .size = {}};
  EXPECT_EQ(
      Named({.mesh = kMesh, .dims = {{.axes = {x}}, {.axes = {{"y", 1, 2}}, .is_closed = false}}})
          .ToString(),
      "{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}]}");
  EXPECT_EQ(Named({.mesh = kMesh,
                   .dims = {{.axes = {x}}, {.is_closed = false}},
                   .replicated = {{"y", 2, 2}},
                   .unreduced = {{"y", 1, 2}}})
                .ToString(),
            "{mesh['x'=2,'y'=4], [{'x'}, {?}], replicated={'y':(2)2}, unreduced={'y':(1)2}}");
  EXPECT_EQ(Named({.mesh = kMesh, .fully_replicated = true}).ToString(),
            "{mesh['x'=2,'y'=4], replicated}");
  EXPECT_EQ(Named({.mesh = kMesh, .manual = {x, y}}).ToString(), "{mesh['x'=2,'y'=4], manual}");
  EXPECT_EQ(Named({.mesh = kMesh, .unreduced = {x, y}}).ToString(),
            "{mesh['x'=2,'y'=4], unreduced}");
  EXPECT_EQ(Named({.mesh = kMesh, .manual = {x}}).ToString(),
            "{mesh['x'=2,'y'=4], [], manual={'x'}}");
  EXPECT_EQ(Named({.mesh = kMesh, .unreduced = {y}}).ToString(),
            "{mesh['x'=2,'y'=4], [], unreduced={'y'}}");
  EXPECT_EQ(Named({.mesh = kMesh, .replicated = {x}, .manual = {y}}).ToString(),
            "{mesh['x'=2,'y'=4], [], replicated={'x'}, manual={'y'}}");
  EXPECT_EQ(Named({.mesh = kMesh, .replicated = {x, y}}).ToString(),
            "{mesh['x'=2,'y'=4], [], replicated={'x', 'y'}}");
  EXPECT_EQ(Named({.mesh = {.maximal_device = 1}}).ToString(), "{maximal_mesh[device_id=1]}");
  EXPECT_EQ(
      Named(
          {.mesh = {.axes = kMesh.axes, .iota_reshape_dims = {4, 2}, .iota_transpose_perm = {1, 0}},
           .dims = {{.axes = {x}}}})
          .ToString(),
      "{mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)), [{'x'}]}");
}

TEST(Sharding, ProtosReadBackEqual) {
  const AxisRef x{.name = "x", .pre_size = {}, .size = {}};
  HloSharding like = HloSharding::Unknown();
  like.group = HloSharding::Group::kLike;
  like.group_id = 7;
  HloSharding replicated_last = HloSharding::IotaTile({2, 2, 2});
  replicated_last.last_tile_dim_replicate = true;
  for (const HloSharding& sharding :
       {HloSharding::Replicate(), HloSharding::Manual(), HloSharding::Unreduced(), like,
        HloSharding::AssignDevice(2), HloSharding::Tile({2, 2}, {3, 1, 0, 2}),
        HloSharding::IotaTile({2, 2}), HloSharding::IotaTile({2, 2}, {2, 2}, {1, 0}),
        replicated_last, Subgroup(HloSharding::IotaTile({2, 2, 2}), {kManual}),
        HloSharding::Tuple({HloSharding::Replicate(), HloSharding::Manual()}),
        HloSharding::Tuple({}), Named({.mesh = kMesh, .dims = {{.axes = {x}}, {}}}),
        Named({.mesh = kMesh, .fully_replicated = true})}) {
    SCOPED_TRACE(sharding.ToString());
    ASSERT_OK_AND_ASSIGN(HloSharding read, HloSharding::FromProto(sharding.ToProto()));
    EXPECT_EQ(read.ToString(), sharding.ToString());
    EXPECT_TRUE(read == sharding);
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
  EXPECT_ERROR(HloSharding::AssignDevice(4).Validate(shape, 4), "device 4 >= num_devices (4)");
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
  const Mesh mesh = {.axes = {{"x", 2}, {"y", 2}}};
  const AxisRef x{.name = "x", .pre_size = {}, .size = {}};
  const AxisRef y{.name = "y", .pre_size = {}, .size = {}};
  EXPECT_EQ(*OverMesh(mesh, {x}).Flatten(), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(*OverMesh(mesh, {y}).Flatten(), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(*OverMesh(mesh, {y, x}).Flatten(), (Groups{{0, 2, 1, 3}}));
  EXPECT_EQ(*OverMesh(mesh, {}).Flatten(), (Groups{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(*OverMesh({.axes = mesh.axes, .device_ids = {3, 2, 1, 0}}, {x}).Flatten(),
            (Groups{{3, 1}, {2, 0}}));
  EXPECT_ERROR(OverMesh(mesh, {{.name = "z", .pre_size = {}, .size = {}}}).Flatten(),
               "axis 'z' is not in mesh['x'=2,'y'=2]");
  EXPECT_ERROR(OverMesh(mesh, {x, x}).Flatten(), "stands twice");
}

TEST(ReplicaGroups, SubAxesGroupPartsOfAnAxis) {
  const Mesh mesh = {.axes = {{"a", 8}}};
  EXPECT_EQ(*OverMesh(mesh, {{"a", 1, 2}}).Flatten(), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(*OverMesh(mesh, {{"a", 4, 2}}).Flatten(), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(*OverMesh(mesh, {{"a", 1, 2}, {"a", 4, 2}}).Flatten(),
            (Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_ERROR(OverMesh(mesh, {{"a", 1, 3}}).Flatten(), "does not divide the axis of size 8");
  EXPECT_ERROR(OverMesh(mesh, {{"a", 1, 4}, {"a", 2, 4}}).Flatten(), "overlaps");
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
      OverMesh({.axes = {{"x", 2}, {"y", 8}}}, {{"y", 1, 2}, {"y", 4, 2}});
  EXPECT_EQ(mesh.ToString(), "mesh['x'=2,'y'=8] {'y':(1)2,'y':(4)2}");
  EXPECT_EQ(*CollectiveDeviceList::FromProto(mesh.ToMeshProto()), mesh);
}

TEST(Sharding, EqualityLooksAtEveryField) {
  const HloSharding sharding = HloSharding::Tile({2, 2}, {0, 1, 2, 3});
  EXPECT_TRUE(sharding == HloSharding::Tile({2, 2}, {0, 1, 2, 3}));
  std::vector<HloSharding> others(7, sharding);
  others[0].tile_dims = {4, 1};
  others[1].devices = {3, 1, 2, 0};
  others[2].reshape_dims = {2, 2};
  others[3].transpose_perm = {1, 0};
  others[4].last_tile_dim_replicate = true;
  others[5].group = HloSharding::Group::kAs;
  others[6].kind = HloSharding::Kind::kReplicated;
  for (size_t i = 0; i < others.size(); ++i) EXPECT_FALSE(sharding == others[i]) << i;
  EXPECT_FALSE(HloSharding::AssignDevice(1) == HloSharding::AssignDevice(2));
  HloSharding group = sharding, other = sharding;
  group.group = other.group = HloSharding::Group::kAs;
  group.group_id = 1;
  other.group_id = 2;
  EXPECT_FALSE(group == other);
}

}  // namespace
}  // namespace xla
