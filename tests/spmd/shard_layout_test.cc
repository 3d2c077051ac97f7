// SPDX-License-Identifier: Apache-2.0
// Layouts by axes against tables of what each partition has.
#include "xla/spmd/shard_layout.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/sharding_strategy.h"

namespace xla::spmd {
namespace {

using Table = std::vector<int64_t>;  // of each partition

class Random {
 public:
  explicit Random(uint32_t seed) : generator_(seed) {}
  int64_t Below(int64_t n) { return static_cast<int64_t>(generator_() % static_cast<uint64_t>(n)); }
  Table Order(int64_t n) {
    Table order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), generator_);
    return order;
  }

 private:
  std::mt19937 generator_;
};

// Up to three axes; devices in order, in that of a transposition, or in any.
Mesh RandomMesh(Random& random) {
  const std::vector<int64_t> all_sizes = {2, 2, 3, 4, 6};
  std::vector<int64_t> sizes;
  std::vector<std::string> names;
  int64_t count = 1;
  const int64_t axes = 1 + random.Below(3);
  for (int64_t i = 0; i < axes; ++i) {
    const int64_t size = all_sizes[static_cast<size_t>(random.Below(5))];
    sizes.push_back(size);
    names.push_back(std::string(1, static_cast<char>('a' + i)));
    count *= size;
  }
  switch (random.Below(3)) {
    case 0:
      return Mesh(sizes, names);
    case 1: {
      std::vector<int> perm;
      for (const int64_t d : random.Order(axes)) perm.push_back(static_cast<int>(d));
      std::vector<int64_t> before(sizes.size());
      for (size_t i = 0; i < perm.size(); ++i) before[static_cast<size_t>(perm[i])] = sizes[i];
      return Mesh(TileAssignment(sizes, before, perm), names);
    }
    default:
      return Mesh::Create(sizes, names, random.Order(count)).value();
  }
}

// Some axes and parts of axes divide three dimensions, some are unreduced.
NamedSharding RandomSharding(const Mesh& mesh, Random& random) {
  std::vector<std::vector<AxisRef>> lists(4);
  std::vector<AxisRef> parts;
  for (const int64_t i : random.Order(mesh.num_axes())) {
    const int64_t size = mesh.axis_size(i);
    if (size % 2 == 0 && size > 2 && random.Below(2) == 0) {
      parts.push_back(AxisRef::Part(i, size / 2, size, mesh));
      parts.push_back(AxisRef::Part(i, 1, size / 2, mesh));
    } else {
      parts.emplace_back(i);
    }
  }
  for (const AxisRef& part : parts) {
    const int64_t at = random.Below(6);
    if (at < 4) AppendAxis(part, mesh, lists[static_cast<size_t>(at)]);
  }
  SortAndMergeAxes(lists[3], mesh);
  return NamedSharding(mesh, {lists.begin(), lists.begin() + 3}, {}, lists[3]);
}

struct Tables {
  std::vector<Table> positions;  // in each dimension
  Table partial;                 // the position among those that are added up
};

// By the definition of a named sharding: the digits of the place of a device in the mesh.
Tables TablesOf(const NamedSharding& sharding) {
  const Mesh& mesh = sharding.mesh();
  Tables tables;
  const auto position = [&](absl::Span<const int64_t> index, absl::Span<const AxisRef> axes) {
    int64_t result = 0;
    for (const AxisRef& axis : axes) {
      const auto i = static_cast<size_t>(axis.mesh_axis_index());
      const int64_t inner = mesh.axis_size(axis.mesh_axis_index()) / axis.next_pre_size(mesh);
      result = result * axis.size(mesh) + index[i] / inner % axis.size(mesh);
    }
    return result;
  };
  const auto count = static_cast<size_t>(mesh.num_devices());
  tables.positions.assign(static_cast<size_t>(sharding.num_dimensions()), Table(count));
  tables.partial.resize(count);
  mesh.device_assignment().Each([&](absl::Span<const int64_t> index, int64_t device) {
    const auto p = static_cast<size_t>(device);
    for (size_t d = 0; d < tables.positions.size(); ++d) {
      tables.positions[d][p] =
          position(index, sharding.dim_sharding(static_cast<int64_t>(d)).axes());
    }
    tables.partial[p] = position(index, sharding.unreduced_axes());
  });
  return tables;
}

// The groups name each partition once, and in each group the i-th partition has number i.
void ExpectGroups(const PartitionGroups& groups, const Table& numbers) {
  std::set<int64_t> seen;
  for (const std::vector<int64_t>& group : groups.Lists()) {
    for (size_t i = 0; i < group.size(); ++i) {
      EXPECT_TRUE(seen.insert(group[i]).second);
      EXPECT_EQ(numbers[static_cast<size_t>(group[i])], static_cast<int64_t>(i));
    }
  }
  EXPECT_EQ(seen.size(), numbers.size());
  EXPECT_EQ(*GroupsAlong(groups.mesh, groups.axes).Flatten(), groups.Lists());
}

Table ShardNumbers(const std::vector<Table>& positions, const std::vector<int64_t>& counts,
                   size_t partitions) {
  Table numbers(partitions, 0);
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] == 1) continue;
    for (size_t p = 0; p < partitions; ++p) numbers[p] = numbers[p] * counts[d] + positions[d][p];
  }
  return numbers;
}

TEST(ShardLayoutTest, NamedShardingsAndTheirTiles) {
  Random random(38);
  const Shape array = ShapeUtil::MakeShape(F32, {24, 24, 24});
  for (int i = 0; i < 500; ++i) {
    const NamedSharding sharding = RandomSharding(RandomMesh(random), random);
    SCOPED_TRACE(sharding.ToString());
    const auto partitions = static_cast<size_t>(sharding.num_devices());
    const Tables tables = TablesOf(sharding);
    ASSERT_OK_AND_ASSIGN(const ShardLayout layout,
                         ShardLayoutOf(HloSharding(sharding), array, sharding.num_devices()));
    EXPECT_EQ(layout.counts, sharding.dimensions());
    for (size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(layout.Positions(d), tables.positions[d]);
      for (size_t p = 0; p < partitions; ++p) {
        EXPECT_EQ(layout.Position(static_cast<int64_t>(p), d), tables.positions[d][p]);
      }
    }
    ExpectGroups(layout.Groups(), ShardNumbers(tables.positions, layout.counts, partitions));
    if (!sharding.unreduced_axes().empty()) {
      // Where axes of the mesh are transposed, those who add up are in another order.
      EXPECT_EQ(layout.partial_groups.group_size(),
                AxesSize(sharding.unreduced_axes(), sharding.mesh()));
      for (const std::vector<int64_t>& group : layout.partial_groups.Lists()) {
        std::set<int64_t> parts;
        for (const int64_t p : group) {
          parts.insert(tables.partial[static_cast<size_t>(p)]);
          for (size_t d = 0; d < 3; ++d) {
            EXPECT_EQ(layout.Position(p, d), layout.Position(group[0], d));
          }
        }
        EXPECT_EQ(parts.size(), group.size());
      }
    }
    // The tiles say the same.
    ASSERT_OK_AND_ASSIGN(
        const ShardLayout tiles,
        ShardLayoutOf(HloSharding::V3ToV2Sharding(sharding), array, sharding.num_devices()));
    EXPECT_EQ(tiles, layout);
    if (!layout.partial_groups.empty()) continue;
    ASSERT_OK_AND_ASSIGN(const HloSharding back, ToHloSharding(layout));
    ASSERT_OK_AND_ASSIGN(const ShardLayout again,
                         ShardLayoutOf(back, array, sharding.num_devices()));
    EXPECT_EQ(again, layout);
  }
}

// All combinations of the values of two tables, each as often.
bool IsIndependent(const Table& a, int64_t count_a, const Table& b, int64_t count_b) {
  std::map<std::pair<int64_t, int64_t>, size_t> times;
  for (size_t p = 0; p < a.size(); ++p) ++times[{a[p], b[p]}];
  return times.size() == static_cast<size_t>(count_a * count_b) &&
         std::all_of(times.begin(), times.end(),
                     [&](const auto& entry) { return entry.second == times.begin()->second; });
}

TEST(ShardLayoutTest, DimensionsOfSeveralShardings) {
  Random random(512);
  const Shape array = ShapeUtil::MakeShape(F32, {24, 24, 24});
  int independent = 0;
  for (int i = 0; i < 2000; ++i) {
    const Mesh meshes[] = {RandomMesh(random), RandomMesh(random)};
    if (meshes[0].num_devices() != meshes[1].num_devices()) continue;
    const int64_t partitions = meshes[0].num_devices();
    DimensionShardings dims;
    std::vector<Table> tables;
    for (const Mesh& mesh : meshes) {
      const NamedSharding sharding = RandomSharding(mesh, random);
      ASSERT_OK_AND_ASSIGN(const ShardLayout layout,
                           ShardLayoutOf(HloSharding(sharding), array, partitions));
      dims.push_back(DimensionShardingsOf(layout)[0]);
      tables.push_back(layout.Positions(0));
    }
    const bool is_independent = IsIndependent(tables[0], dims[0].count, tables[1], dims[1].count);
    const std::optional<ShardLayout> layout = ShardLayoutFrom(dims, partitions);
    const std::optional<PartitionGroups> groups = PartialGroups({dims[0]}, {dims[1]}, partitions);
    ASSERT_EQ(layout.has_value(), is_independent);
    ASSERT_EQ(groups.has_value(), is_independent);
    if (!is_independent) continue;
    ++independent;
    for (size_t d = 0; d < 2; ++d) EXPECT_EQ(layout->Positions(d), tables[d]);
    EXPECT_EQ(groups->empty(), dims[1].count == 1);
    for (const std::vector<int64_t>& group : groups->Lists()) {
      EXPECT_EQ(static_cast<int64_t>(group.size()), dims[1].count);
      std::set<int64_t> parts;
      for (const int64_t p : group) {
        EXPECT_EQ(tables[0][static_cast<size_t>(p)], tables[0][static_cast<size_t>(group[0])]);
        parts.insert(tables[1][static_cast<size_t>(p)]);
      }
      EXPECT_EQ(parts.size(), group.size());
    }
    // Counted from the end twice, positions are what they were.
    const ShardLayout reversed = ReversedLayout(*layout, {1});
    const Table positions = reversed.Positions(1);
    for (size_t p = 0; p < positions.size(); ++p) {
      EXPECT_EQ(positions[p], dims[1].count - 1 - tables[1][p]);
    }
    EXPECT_EQ(reversed.Positions(0), tables[0]);
    EXPECT_EQ(ReversedLayout(reversed, {1}), *layout);
  }
  EXPECT_GT(independent, 100);
}

TEST(ShardLayoutTest, TilesThatNoAxesDivide) {
  const Shape array = ShapeUtil::MakeShape(F32, {12, 12});
  // Digits of 3 and 2 read as dimensions of 2 and 3.
  ASSERT_OK_AND_ASSIGN(const TileAssignment tiles,
                       TileAssignment::Create({2, 3}, {0, 3, 1, 4, 2, 5}));
  ASSERT_OK_AND_ASSIGN(const ShardLayout layout, ShardLayoutOf(HloSharding::Tile(tiles), array, 6));
  EXPECT_EQ(layout.Positions(0), (Table{0, 0, 1, 0, 1, 1}));
  EXPECT_EQ(layout.Positions(1), (Table{0, 2, 1, 1, 0, 2}));
  EXPECT_FALSE(layout.mesh.HasIotaDevices());
  // Four of the six shards of a dimension, joined: their positions are no digits either.
  const ShardLayout one = *ShardLayoutFrom({DimensionShardingsOf(layout)[1], {}}, 6);
  ASSERT_OK_AND_ASSIGN(const ShardLayout even,
                       EvenShardLayout(one, ShapeUtil::MakeShape(F32, {4, 4})));
  EXPECT_EQ(even.counts, (std::vector<int64_t>{1, 1}));
  ASSERT_OK_AND_ASSIGN(
      const ShardLayout two,
      ManualShardLayout(*ShardLayoutOfPositions({6}, std::vector<Table>{{0, 2, 4, 1, 3, 5}}, 6),
                        ShapeUtil::MakeShape(F32, {6}), ShapeUtil::MakeShape(F32, {3})));
  EXPECT_EQ(two.Positions(0), (Table{0, 0, 1, 0, 1, 1}));
  // Not every partition has one shard of as many.
  EXPECT_FALSE(ShardLayoutOfPositions({2}, std::vector<Table>{{0, 0, 0, 1}}, 4).has_value());
  EXPECT_FALSE(ShardLayoutOfPositions({3}, std::vector<Table>{{0, 1, 2, 0}}, 4).has_value());
  EXPECT_FALSE(ShardLayoutOfPositions({8}, std::vector<Table>{{0, 2, 4, 6}}, 4).has_value());
}

TEST(ShardLayoutTest, CostsNothingMoreForMorePartitions) {
  const Shape array = ShapeUtil::MakeShape(F32, {1 << 20, 1 << 20});
  constexpr int64_t kPartitions = int64_t{1} << 20;
  const HloSharding rows = HloSharding::PartialTile(TileAssignment({1024, 1, 1024}));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_OK_AND_ASSIGN(const ShardLayout layout, ShardLayoutOf(rows, array, kPartitions));
    EXPECT_EQ(GroupsAlong(layout.mesh, layout.Groups().axes).ToString(),
              "[1024,1024]<=[1024,1024]T(1,0)");
    EXPECT_EQ(layout.Position(kPartitions - 1, 0), 1023);
  }
  EXPECT_FALSE(ShardLayoutOf(rows, array, kPartitions / 2).ok());
  EXPECT_FALSE(ShardLayoutOf(HloSharding::Replicate(), array, 0).ok());
  EXPECT_FALSE(ShardLayoutOf(HloSharding::Replicate(), array, int64_t{1} << 40).ok());
}

}  // namespace
}  // namespace xla::spmd
