// SPDX-License-Identifier: Apache-2.0
// Which part of an array each partition has.
#include "xla/spmd/shard_layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

ShardLayout UndividedLayout(const Shape& array, int64_t partitions) {
  ShardLayout layout;
  layout.counts.assign(static_cast<size_t>(array.rank()), 1);
  layout.shard_of.assign(static_cast<size_t>(partitions), 0);
  for (int64_t p = 0; p < partitions; ++p) layout.groups.push_back({p});
  return layout;
}

// The number of devices along the dimensions behind that of a type.
size_t InnerSubgroups(const HloSharding& sharding, OpSharding_Type type) {
  const absl::Span<const int64_t> dims = sharding.tile_assignment().dimensions();
  return static_cast<size_t>(
      Product(dims.subspan(static_cast<size_t>(sharding.SubgroupDim(type)) + 1)));
}

}  // namespace

bool ShardLayout::IsUndivided() const {
  return std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count == 1; });
}

int64_t ShardLayout::Position(int64_t partition, size_t dimension) const {
  int64_t shard = shard_of[static_cast<size_t>(partition)];
  for (size_t d = counts.size() - 1; d > dimension; --d) shard /= counts[d];
  return shard % counts[dimension];
}

int64_t ShardLayout::size() const {
  int64_t size = 1;
  for (const int64_t count : counts) size *= count;
  return size;
}

bool HaveSameGroups(std::vector<std::vector<int64_t>> a, std::vector<std::vector<int64_t>> b) {
  for (auto* groups : {&a, &b}) {
    for (std::vector<int64_t>& group : *groups) std::sort(group.begin(), group.end());
    std::sort(groups->begin(), groups->end());
  }
  return a == b;
}

absl::StatusOr<ShardLayout> ShardLayoutOf(const HloSharding& sharding, const Shape& array,
                                          int64_t partitions) {
  if (sharding.UseNamedShardingLeaf()) {
    return ShardLayoutOf(HloSharding::V3ToV2Sharding(sharding), array, partitions);
  }
  ShardLayout layout = UndividedLayout(array, partitions);
  layout.reduction = sharding.unreduced_kind();
  if (layout.reduction != UnreducedKind::kSum &&
      primitive_util::IsComplexType(array.element_type())) {
    return absl::InvalidArgumentError(
        absl::StrCat(array.ToString(), " has no order, which the sharding ", sharding.ToString(),
                     " needs: it is unreduced by a maximum or minimum"));
  }
  switch (sharding.kind()) {
    case HloSharding::Kind::kReplicated:
    case HloSharding::Kind::kManual:
    case HloSharding::Kind::kUnknown:
    case HloSharding::Kind::kMaximal:
      return layout;
    case HloSharding::Kind::kUnreduced:
      layout.partial_groups.emplace_back();
      for (int64_t p = 0; p < partitions; ++p) layout.partial_groups[0].push_back(p);
      return layout;
    case HloSharding::Kind::kTiled:
      break;
    default:
      return absl::UnimplementedError(
          absl::StrCat("partitioning of the sharding ", sharding.ToString()));
  }
  const TileAssignment& assignment = sharding.tile_assignment();
  const std::vector<int64_t> devices(assignment.array().begin(), assignment.array().end());
  const auto rank = static_cast<size_t>(array.rank());
  if (assignment.dimensions().size() < rank || assignment.num_elements() != partitions) {
    return absl::InvalidArgumentError(absl::StrCat("the sharding ", sharding.ToString(),
                                                   " does not fit ", array.ToString(), " and ",
                                                   partitions, " partitions"));
  }
  int64_t copies = 1;
  for (size_t d = 0; d < assignment.dimensions().size(); ++d) {
    if (d < rank) {
      layout.counts[d] = assignment.dimensions()[d];
    } else {
      copies *= assignment.dimensions()[d];
    }
  }
  const int64_t partials = sharding.SubgroupSize(OpSharding_Type_UNREDUCED);
  if (partials > 1) layout.partial_groups.resize(devices.size() / static_cast<size_t>(partials));
  layout.groups.assign(static_cast<size_t>(copies), {});
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] < 0 || devices[i] >= partitions) {
      return absl::InvalidArgumentError(absl::StrCat("the sharding ", sharding.ToString(),
                                                     " names a partition beyond ", partitions));
    }
    layout.shard_of[static_cast<size_t>(devices[i])] = static_cast<int64_t>(i) / copies;
    layout.groups[i % static_cast<size_t>(copies)].push_back(devices[i]);
    if (partials > 1) {
      const size_t inner = InnerSubgroups(sharding, OpSharding_Type_UNREDUCED);
      const size_t outer = i / (inner * static_cast<size_t>(partials));
      layout.partial_groups[outer * inner + i % inner].push_back(devices[i]);
    }
  }
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
  // Partitions of a group that differ only in the part of their positions that is not manual have
  // the same shard, and go to different groups.
  manual.groups.clear();
  for (const std::vector<int64_t>& group : all.groups) {
    std::map<int64_t, std::vector<int64_t>> by_rest;
    for (const int64_t p : group) {
      int64_t shard = 0, rest = 0;
      for (size_t d = 0; d < all.counts.size(); ++d) {
        const int64_t position = all.Position(p, d);
        const int64_t inner = all.counts[d] / manual.counts[d];
        shard = shard * manual.counts[d] + position / inner;
        rest = rest * inner + position % inner;
      }
      manual.shard_of[static_cast<size_t>(p)] = shard;
      by_rest[rest].push_back(p);
    }
    for (auto& [rest, partitions] : by_rest) manual.groups.push_back(std::move(partitions));
  }
  return manual;
}

}  // namespace xla::spmd
