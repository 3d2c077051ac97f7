// SPDX-License-Identifier: Apache-2.0
// Which part of an array each partition has.
#include "xla/spmd/shard_layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/sharding_axes.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

constexpr int64_t kMaxPartitions = int64_t{1} << 24;  // of a mesh

// The digits of positions by the numbers of partitions in order, as axes, major to minor; none if
// positions are not of that form.
std::optional<std::vector<AxisRef>> AxesOfPositions(const std::vector<int64_t>& positions,
                                                    int64_t count, const Mesh& mesh) {
  struct Digit {
    int64_t weight, stride, size;
  };
  const auto partitions = static_cast<int64_t>(positions.size());
  const auto at = [&](int64_t p) { return positions[static_cast<size_t>(p)]; };
  if (at(0) != 0) return std::nullopt;
  std::vector<Digit> digits;
  for (int64_t stride = 1, end = 1; stride < partitions; stride += end) {
    if (at(stride) == 0) continue;
    Digit digit = {at(stride), stride, 1};
    while (digit.size * stride < partitions &&
           at(digit.size * stride) == digit.size * digit.weight) {
      ++digit.size;
    }
    if (digit.size == 1 || partitions % (stride * digit.size) != 0) return std::nullopt;
    digits.push_back(digit);
    end = stride * digit.size;
    stride = 0;
  }
  absl::c_sort(digits, [](const Digit& a, const Digit& b) { return a.weight > b.weight; });
  std::vector<AxisRef> axes;
  int64_t rest = count;
  for (const Digit& digit : digits) {
    if (digit.weight * digit.size != rest) return std::nullopt;
    rest = digit.weight;
    const int64_t end = partitions / digit.stride;
    AppendAxis(AxisRef::Part(0, end / digit.size, end, mesh), mesh, axes);
  }
  if (rest != 1) return std::nullopt;
  for (int64_t p = 0; p < partitions; ++p) {
    int64_t position = 0;
    for (const Digit& digit : digits) position += p / digit.stride % digit.size * digit.weight;
    if (position != at(p)) return std::nullopt;
  }
  return axes;
}

// Axes of another mesh as sub-axes of that of all its devices.
std::vector<AxisRef> OfOneAxis(absl::Span<const AxisRef> axes, const Mesh& from, const Mesh& to) {
  std::vector<AxisRef> result;
  for (const AxisRef& axis : axes) {
    int64_t before = 1;
    for (int64_t i = 0; i < axis.mesh_axis_index(); ++i) before *= from.axis_size(i);
    AppendAxis(AxisRef::Part(0, before * axis.pre_size(), before * axis.next_pre_size(from), to),
               to, result);
  }
  return result;
}

// `sharding` has as many devices as there are partitions, and is of this rank.
ShardLayout LayoutOfAxes(const NamedSharding& sharding, int64_t rank) {
  const Mesh& from = sharding.mesh();
  ShardLayout layout = UndividedLayout(rank, from.num_devices());
  if (!from.HasIotaDevices() && from.num_axes() > 0) {
    const Array<int64_t>& devices = from.device_assignment().array();
    layout.mesh = PartitionMesh(std::vector<int64_t>(devices.begin(), devices.end()));
  }
  for (int64_t d = 0; d < sharding.num_dimensions(); ++d) {
    const auto i = static_cast<size_t>(d);
    layout.axes[i] = OfOneAxis(sharding.dim_sharding(d).axes(), from, layout.mesh);
    layout.counts[i] = AxesSize(layout.axes[i], layout.mesh);
  }
  layout.partial_groups = {layout.mesh, OfOneAxis(sharding.unreduced_axes(), from, layout.mesh)};
  SortAndMergeAxes(layout.partial_groups.axes, layout.mesh);
  return layout;
}

absl::StatusOr<ShardLayout> LayoutOfNamed(const HloSharding& sharding, const Shape& array,
                                          int64_t partitions) {
  const NamedSharding& named = sharding.named_sharding();
  if (named.IsReplicatedOrSingleDevice()) return UndividedLayout(array.rank(), partitions);
  if (named.num_devices() != partitions || named.num_dimensions() > array.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("the sharding ", sharding.ToString(),
                                                   " does not fit ", array.ToString(), " and ",
                                                   partitions, " partitions"));
  }
  if (!named.mesh().HasIotaDevices()) {
    return ShardLayoutOf(HloSharding::V3ToV2Sharding(sharding), array, partitions);
  }
  return LayoutOfAxes(named, array.rank());
}

absl::StatusOr<ShardLayout> LayoutOfTiles(const HloSharding& sharding, const Shape& array,
                                          int64_t partitions) {
  const TileAssignment& assignment = sharding.tile_assignment();
  const auto rank = static_cast<size_t>(array.rank());
  if (assignment.dimensions().size() < rank || assignment.num_elements() != partitions) {
    return absl::InvalidArgumentError(absl::StrCat("the sharding ", sharding.ToString(),
                                                   " does not fit ", array.ToString(), " and ",
                                                   partitions, " partitions"));
  }
  const auto named = xla::ToNamedSharding(sharding, partitions, array.rank());
  if (named.ok()) return LayoutOfAxes(*named, array.rank());
  // Tiles of which no axes are the dimensions.
  std::vector<int64_t> counts(assignment.dimensions().begin(), assignment.dimensions().end());
  std::vector<std::vector<int64_t>> positions(
      counts.size(), std::vector<int64_t>(static_cast<size_t>(partitions)));
  bool is_valid = true;
  assignment.Each([&](absl::Span<const int64_t> index, int64_t device) {
    is_valid = is_valid && device >= 0 && device < partitions;
    for (size_t d = 0; d < index.size() && is_valid; ++d) {
      positions[d][static_cast<size_t>(device)] = index[d];
    }
  });
  std::optional<ShardLayout> layout;
  if (is_valid) layout = ShardLayoutOfPositions(counts, positions, partitions);
  if (!layout.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("the sharding ", sharding.ToString(),
                                                   " does not name each of ", partitions,
                                                   " partitions once"));
  }
  const int64_t unreduced = sharding.SubgroupDim(OpSharding_Type_UNREDUCED);
  if (unreduced >= 0) {
    layout->partial_groups.axes = std::move(layout->axes[static_cast<size_t>(unreduced)]);
  }
  layout->counts.resize(rank);
  layout->axes.resize(rank);
  return *std::move(layout);
}

}  // namespace

bool ShardLayout::operator==(const ShardLayout& other) const {
  if (counts != other.counts || !HaveSameGroups(partial_groups, other.partial_groups)) return false;
  if (!partial_groups.empty() && reduction != other.reduction) return false;
  if (mesh == other.mesh) return axes == other.axes;
  if (mesh.num_devices() != other.mesh.num_devices()) return false;
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] > 1 && Positions(d) != other.Positions(d)) return false;
  }
  return true;
}

bool ShardLayout::IsUndivided() const {
  return std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count == 1; });
}

int64_t ShardLayout::Position(int64_t partition, size_t dimension) const {
  int64_t place = partition;
  if (!mesh.HasIotaDevices()) {
    const Array<int64_t>& order = mesh.device_assignment().array();
    place = std::find(order.begin(), order.end(), partition) - order.begin();
  }
  int64_t position = 0;
  for (const AxisRef& axis : axes[dimension]) {
    const int64_t stride = mesh.num_devices() / axis.next_pre_size(mesh);
    position = position * axis.size(mesh) + place / stride % axis.size(mesh);
  }
  return position;
}

std::vector<int64_t> ShardLayout::Positions(size_t dimension) const {
  std::vector<int64_t> positions(static_cast<size_t>(mesh.num_devices()), 0);
  const TileAssignment groups = AxesGroups(mesh, axes[dimension]);
  groups.Each([&](absl::Span<const int64_t> index, int64_t device) {
    positions[static_cast<size_t>(device)] = index[1];
  });
  return positions;
}

PartitionGroups ShardLayout::Groups() const {
  PartitionGroups groups{mesh, {}};
  for (const std::vector<AxisRef>& list : axes) {
    groups.axes.insert(groups.axes.end(), list.begin(), list.end());
  }
  return groups;
}

PartitionGroups ShardLayout::GroupsAlong(absl::Span<const int64_t> dimensions) const {
  PartitionGroups groups{mesh, {}};
  for (const int64_t d : dimensions) {
    const std::vector<AxisRef>& list = axes[static_cast<size_t>(d)];
    groups.axes.insert(groups.axes.end(), list.begin(), list.end());
  }
  return groups;
}

int64_t ShardLayout::size() const {
  int64_t size = 1;
  for (const int64_t count : counts) size *= count;
  return size;
}

ShardLayout UndividedLayout(int64_t rank, int64_t partitions) {
  ShardLayout layout;
  layout.counts.assign(static_cast<size_t>(rank), 1);
  layout.axes.resize(static_cast<size_t>(rank));
  layout.mesh = PartitionMesh(partitions);
  layout.partial_groups.mesh = layout.mesh;
  return layout;
}

std::optional<ShardLayout> ShardLayoutOfPositions(absl::Span<const int64_t> counts,
                                                  absl::Span<const std::vector<int64_t>> positions,
                                                  int64_t partitions) {
  ShardLayout layout = UndividedLayout(static_cast<int64_t>(counts.size()), partitions);
  layout.counts.assign(counts.begin(), counts.end());
  bool has_axes = true;
  for (size_t d = 0; d < counts.size() && has_axes; ++d) {
    if (counts[d] == 1) continue;
    auto axes = AxesOfPositions(positions[d], counts[d], layout.mesh);
    has_axes = axes.has_value();
    if (has_axes) layout.axes[d] = *std::move(axes);
  }
  if (has_axes && AxesCanCoexistWithoutOverlap(layout.Groups().axes)) return layout;
  // The partitions in the order of their shards.
  const int64_t shards = layout.size();
  if (shards > partitions || partitions % shards != 0) return std::nullopt;
  std::vector<std::vector<int64_t>> holders(static_cast<size_t>(shards));
  for (int64_t p = 0; p < partitions; ++p) {
    int64_t shard = 0;
    for (size_t d = 0; d < counts.size(); ++d) {
      if (counts[d] > 1) shard = shard * counts[d] + positions[d][static_cast<size_t>(p)];
    }
    holders[static_cast<size_t>(shard)].push_back(p);
  }
  std::vector<int64_t> order;
  for (const std::vector<int64_t>& of_shard : holders) {
    if (static_cast<int64_t>(of_shard.size()) != partitions / shards) return std::nullopt;
    order.insert(order.end(), of_shard.begin(), of_shard.end());
  }
  layout.mesh = PartitionMesh(order);
  layout.partial_groups.mesh = layout.mesh;
  int64_t before = 1;
  for (size_t d = 0; d < counts.size(); ++d) {
    layout.axes[d].clear();
    if (counts[d] == 1) continue;
    layout.axes[d].push_back(AxisRef::Part(0, before, before * counts[d], layout.mesh));
    before *= counts[d];
  }
  return layout;
}

absl::StatusOr<ShardLayout> ShardLayoutOf(const HloSharding& sharding, const Shape& array,
                                          int64_t partitions) {
  if (partitions < 1 || partitions > kMaxPartitions) {
    return absl::InvalidArgumentError(
        absl::StrCat(partitions, " partitions; between 1 and ", kMaxPartitions, " are supported"));
  }
  const UnreducedKind reduction = sharding.unreduced_kind();
  if (reduction != UnreducedKind::kSum && primitive_util::IsComplexType(array.element_type())) {
    return absl::InvalidArgumentError(
        absl::StrCat(array.ToString(), " has no order, which the sharding ", sharding.ToString(),
                     " needs: it is unreduced by a maximum or minimum"));
  }
  ShardLayout layout = UndividedLayout(array.rank(), partitions);
  switch (sharding.kind()) {
    case HloSharding::Kind::kReplicated:
    case HloSharding::Kind::kManual:
    case HloSharding::Kind::kUnknown:
    case HloSharding::Kind::kMaximal:
      break;
    case HloSharding::Kind::kUnreduced:
      if (partitions > 1) layout.partial_groups.axes = layout.mesh.AllAxes();
      break;
    case HloSharding::Kind::kNamed: {
      XLA_ASSIGN_OR_RETURN(layout, LayoutOfNamed(sharding, array, partitions));
      break;
    }
    case HloSharding::Kind::kTiled: {
      XLA_ASSIGN_OR_RETURN(layout, LayoutOfTiles(sharding, array, partitions));
      break;
    }
    default:
      return absl::UnimplementedError(
          absl::StrCat("partitioning of the sharding ", sharding.ToString()));
  }
  layout.reduction = reduction;
  return layout;
}

absl::StatusOr<Shape> ShardShape(const Shape& array, const ShardLayout& layout) {
  Shape shard = array;
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    const auto dimension = static_cast<int>(d);
    shard.set_dimensions(dimension, CeilOfRatio(array.dimensions(dimension), layout.counts[d]));
  }
  LayoutUtil::SetToDefaultLayout(&shard);
  return shard;
}

bool IsEven(const Shape& array, const ShardLayout& layout) {
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    if (array.dimensions(static_cast<int>(d)) % layout.counts[d] != 0) return false;
  }
  return true;
}

absl::StatusOr<ShardLayout> EvenShardLayout(const ShardLayout& all, const Shape& array) {
  Shape shard = array;
  for (size_t d = 0; d < all.counts.size(); ++d) {
    const auto dimension = static_cast<int>(d);
    shard.set_dimensions(dimension, array.dimensions(dimension) /
                                        std::gcd(array.dimensions(dimension), all.counts[d]));
  }
  return ManualShardLayout(all, array, shard);
}

Shape PaddedShape(const Shape& array, const ShardLayout& layout) {
  Shape padded = array;
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    const auto dimension = static_cast<int>(d);
    padded.set_dimensions(dimension, RoundUpTo(array.dimensions(dimension), layout.counts[d]));
  }
  LayoutUtil::SetToDefaultLayout(&padded);
  return padded;
}

int64_t BytesOfShard(const Shape& array, const ShardLayout& layout) {
  return ShapeUtil::ByteSizeOf(PaddedShape(array, layout)) / layout.size();
}

absl::StatusOr<ShardLayout> ManualShardLayout(const ShardLayout& all, const Shape& array,
                                              const Shape& local) {
  ShardLayout manual = all;
  if (local.rank() != array.rank()) {
    return absl::InvalidArgumentError("a shard of another rank than its array");
  }
  for (size_t d = 0; d < all.counts.size(); ++d) {
    const int64_t full = array.dimensions(static_cast<int>(d));
    const int64_t part = local.dimensions(static_cast<int>(d));
    const int64_t count = part == 0 ? 1 : full / part;
    if (part * count != full || count < 1 || all.counts[d] % count != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(local.ToString(), " is no shard of ", array.ToString()));
    }
    manual.counts[d] = count;
  }
  bool has_axes = true;
  for (size_t d = 0; d < all.counts.size() && has_axes; ++d) {
    const auto prefix = AxesPrefixOfSize(all.axes[d], manual.counts[d], all.mesh);
    has_axes = prefix.has_value();
    if (has_axes) manual.axes[d] = *prefix;
  }
  if (has_axes) return manual;
  std::vector<std::vector<int64_t>> positions;
  for (size_t d = 0; d < all.counts.size(); ++d) {
    positions.push_back(all.Positions(d));
    for (int64_t& position : positions.back()) position /= all.counts[d] / manual.counts[d];
  }
  std::optional<ShardLayout> layout =
      ShardLayoutOfPositions(manual.counts, positions, all.mesh.num_devices());
  XLA_CHECK(layout.has_value());  // `all` has all shards on as many partitions
  layout->partial_groups = all.partial_groups;
  layout->reduction = all.reduction;
  return *std::move(layout);
}

NamedSharding ToNamedSharding(const ShardLayout& layout) {
  std::vector<NamedSharding::DimensionSharding> dims(layout.axes.begin(), layout.axes.end());
  std::vector<AxisRef> unreduced;
  if (layout.partial_groups.mesh == layout.mesh) unreduced = layout.partial_groups.axes;
  return NamedSharding(layout.mesh, std::move(dims), {}, std::move(unreduced), {},
                       layout.reduction);
}

bool ShareMesh(const ShardLayout& a, const ShardLayout& b, std::optional<Mesh>* mesh) {
  const auto is_same = [&](const Mesh& other) {
    if (!mesh->has_value()) *mesh = other;
    return **mesh == other;
  };
  for (const ShardLayout* layout : {&a, &b}) {
    if ((!layout->IsUndivided() && !is_same(layout->mesh)) ||
        (!layout->partial_groups.empty() && !is_same(layout->partial_groups.mesh))) {
      return false;
    }
  }
  return true;
}

}  // namespace xla::spmd
