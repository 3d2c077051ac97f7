// SPDX-License-Identifier: Apache-2.0
// Exchanges of shards between layouts: chains of slices, all-to-alls, permutations and gathers;
// reduce-scatter; rows of neighboring shards.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "xla/hlo/ir/attributes.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/device_axes.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/shard_emitter.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

Shape WithSize(Shape shape, int64_t dimension, int64_t size) {
  shape.set_dimensions(static_cast<int>(dimension), size);
  return shape;
}

std::vector<int64_t> SizesOf(const Shape& shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

// The pieces of other shards that ranges need, by distance. `size`: of a shard.
RowPieces PiecesOf(const RowRange& range, int64_t size, int64_t count) {
  RowPieces pieces;
  const std::vector<bool> none(static_cast<size_t>(count), false);
  for (int64_t q = 0; q < count; ++q) {
    const int64_t start = range.starts[static_cast<size_t>(q)];
    const int64_t first = std::max<int64_t>(start, 0);
    const int64_t last = std::min(start + range.length, range.limit);
    for (int64_t block = first / size; first < last && block * size < last; ++block) {
      RowPiece& piece = pieces.try_emplace(block - q, RowPiece{size, 0, none}).first->second;
      piece.low = std::min(piece.low, std::max<int64_t>(first - block * size, 0));
      piece.high = std::max(piece.high, std::min(last - block * size, size));
      piece.needed[static_cast<size_t>(q)] = true;
    }
  }
  if (pieces.empty()) pieces[0] = RowPiece{0, 1, none};
  return pieces;
}

// Where the range of a position begins in its pieces, joined. Pieces that a range needs are next to
// each other there, without gaps.
int64_t OffsetIn(const RowPieces& pieces, const RowRange& range, int64_t position, int64_t size) {
  const int64_t start = range.starts[static_cast<size_t>(position)];
  if (start >= range.limit || start + range.length <= 0) return 0;
  const int64_t first = std::max<int64_t>(start, 0);
  int64_t before = 0;
  for (const auto& [distance, piece] : pieces) {
    if (distance == first / size - position) {
      return before + first % size - piece.low - (first - start);
    }
    before += piece.high - piece.low;
  }
  return 0;
}

// The groups of a reduce-scatter, in the order of the shards of `to`; none if the partitions whose
// values add up do not divide the sum among themselves. `parts`: in each dimension.
std::optional<std::vector<std::vector<int64_t>>> ScatterGroups(const ShardLayout& from,
                                                               const ShardLayout& to,
                                                               std::vector<int64_t>* parts) {
  if (from.partial_groups.empty() || !to.partial_groups.empty()) return std::nullopt;
  int64_t count = 1;
  for (size_t d = 0; d < from.counts.size(); ++d) {
    if (to.counts[d] % from.counts[d] != 0) return std::nullopt;
    parts->push_back(to.counts[d] / from.counts[d]);
    count *= parts->back();
  }
  if (count == 1) return std::nullopt;
  std::vector<std::vector<int64_t>> groups;
  for (const std::vector<int64_t>& group : from.partial_groups) {
    if (static_cast<int64_t>(group.size()) != count) return std::nullopt;
    std::vector<int64_t>& ordered = groups.emplace_back(group.size(), -1);
    for (const int64_t p : group) {
      int64_t at = 0;
      for (size_t d = 0; d < from.counts.size(); ++d) {
        // The target's shard must lie within what the partition has.
        const int64_t position = to.Position(p, d), inner = (*parts)[d];
        if (position / inner != from.Position(p, d)) return std::nullopt;
        at = at * inner + position % inner;
      }
      if (ordered[static_cast<size_t>(at)] >= 0) return std::nullopt;
      ordered[static_cast<size_t>(at)] = p;
    }
  }
  return groups;
}

}  // namespace

HloInstruction* ShardEmitter::TableEntry(HloComputation* computation,
                                         const std::vector<int64_t>& values) const {
  if (std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == values[0]; })) {
    return ScalarS32(computation, values[0]);
  }
  const std::vector<int32_t> narrow(values.begin(), values.end());
  HloInstruction* table = computation->AddInstruction(
      HloInstruction::CreateConstant(LiteralUtil::CreateR1<int32_t>(narrow)));
  DynamicSliceAttributes attributes;
  attributes.dynamic_slice_sizes = {1};
  return Reshape(Add(computation, HloOpcode::kDynamicSlice, ShapeUtil::MakeShape(S32, {1}),
                     {table, PartitionNumber(computation)}, attributes),
                 {});
}

HloInstruction* ShardEmitter::SliceAt(HloInstruction* value, const Shape& shape,
                                      absl::Span<const std::vector<int64_t>> starts) const {
  HloComputation* computation = value->parent();
  Instructions operands = {value};
  for (const std::vector<int64_t>& of_dimension : starts) {
    operands.push_back(TableEntry(computation, of_dimension));
  }
  DynamicSliceAttributes attributes;
  attributes.dynamic_slice_sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
  return Add(computation, HloOpcode::kDynamicSlice, shape, operands, attributes);
}

HloInstruction* ShardEmitter::SliceShard(HloInstruction* shard, const ShardLayout& from,
                                         const ShardLayout& to) {
  Shape shape = shard->shape();
  std::vector<std::vector<int64_t>> starts(from.counts.size());
  for (size_t d = 0; d < starts.size(); ++d) {
    const int64_t parts = to.counts[d] / from.counts[d];
    const int64_t size = shape.dimensions(static_cast<int>(d)) / parts;
    shape.set_dimensions(static_cast<int>(d), size);
    for (int64_t p = 0; p < partitions_; ++p) {
      starts[d].push_back(to.Position(p, d) % parts * size);
    }
  }
  return SliceAt(shard, shape, starts);
}

// Dimension `to` is split among the group; what comes is joined along `from`.
HloInstruction* ShardEmitter::AllToAll(HloInstruction* shard, int64_t from, int64_t to,
                                       std::vector<std::vector<int64_t>> groups) {
  const auto count = static_cast<int64_t>(groups[0].size());
  std::vector<int64_t> sizes = SizesOf(shard->shape());
  const PrimitiveType type = shard->shape().element_type();
  std::vector<int64_t> split = sizes;
  split[static_cast<size_t>(to)] /= count;
  split.insert(split.begin() + to, count);
  AllToAllAttributes attributes;
  attributes.dimensions.emplace().push_back(to);
  attributes.channel_id = next_channel_++;
  attributes.replica_groups.groups = std::move(groups);
  HloInstruction* parts = Reshape(shard, split);
  HloInstruction* exchanged = WithCause(
      Add(shard->parent(), HloOpcode::kAllToAll, parts->shape(), {parts}, std::move(attributes)));
  // The number of the sender comes in front of dimension `from`.
  std::vector<int64_t> order;
  for (int64_t d = 0; d < static_cast<int64_t>(split.size()); ++d) {
    if (d != to) order.push_back(d);
  }
  order.insert(order.begin() + from, to);
  std::vector<int64_t> moved_sizes;
  for (const int64_t d : order) moved_sizes.push_back(split[static_cast<size_t>(d)]);
  HloInstruction* moved =
      Add(shard->parent(), HloOpcode::kTranspose, ShapeUtil::MakeShape(type, moved_sizes),
          {exchanged}, Dimensions(order));
  sizes[static_cast<size_t>(from)] *= count;
  sizes[static_cast<size_t>(to)] /= count;
  return Reshape(moved, sizes);
}

HloInstruction* ShardEmitter::GatherAlong(HloInstruction* shard, int64_t dimension,
                                          std::vector<std::vector<int64_t>> groups) {
  AllGatherAttributes attributes;
  attributes.dimensions.push_back(dimension);
  attributes.channel_id = next_channel_++;
  attributes.use_global_device_ids = true;
  const Shape shape = WithSize(shard->shape(), dimension,
                               shard->shape().dimensions(static_cast<int>(dimension)) *
                                   static_cast<int64_t>(groups[0].size()));
  attributes.replica_groups.groups = std::move(groups);
  return WithCause(
      Add(shard->parent(), HloOpcode::kAllGather, shape, {shard}, std::move(attributes)));
}

HloInstruction* ShardEmitter::Reshard(HloInstruction* shard, const Shape& full,
                                      const ShardLayout& from, const ShardLayout& to) {
  if (from == to) return shard;
  if (!from.partial_groups.empty() || !to.partial_groups.empty()) return nullptr;
  const std::optional<DeviceAxes> axes = DeviceAxes::For(from, to, partitions_);
  if (!axes.has_value()) return CollectivePermute(shard, from, to);
  ShardLayout now = axes->LayoutOf(*axes->ListsOf(from));
  for (const ExchangeStep& step :
       ReshardChain(*axes, *axes->ListsOf(from), *axes->ListsOf(to), ShapeUtil::ByteSizeOf(full))) {
    ShardLayout next = axes->LayoutOf(step.result);
    switch (step.kind) {
      case ExchangeStep::Kind::kSlice:
        shard = SliceShard(shard, now, next);
        break;
      case ExchangeStep::Kind::kAllToAll:
        shard = AllToAll(shard, step.from, step.to, axes->Groups(step.axes));
        break;
      case ExchangeStep::Kind::kPermute:
        shard = CollectivePermute(shard, now, next);
        break;
      case ExchangeStep::Kind::kAllGather:
        shard = GatherAlong(shard, step.from, axes->Groups(step.axes));
        break;
    }
    if (shard == nullptr) return nullptr;
    now = std::move(next);
  }
  return shard;
}

int64_t ShardEmitter::ReshardBytes(const Shape& full, const ShardLayout& from,
                                   const ShardLayout& to) const {
  if (from == to) return 0;
  const int64_t bytes = ShapeUtil::ByteSizeOf(full);
  const int64_t shard = bytes / from.size();
  if (!from.partial_groups.empty() || !to.partial_groups.empty()) return 2 * bytes;
  const std::optional<DeviceAxes> axes = DeviceAxes::For(from, to, partitions_);
  if (!axes.has_value()) return from.counts == to.counts ? shard : bytes - shard;
  int64_t sum = 0;
  for (const ExchangeStep& step :
       ReshardChain(*axes, *axes->ListsOf(from), *axes->ListsOf(to), bytes)) {
    sum += step.bytes;
  }
  return sum;
}

bool ShardEmitter::CanReduceScatter(const ShardLayout& from, const ShardLayout& to) {
  std::vector<int64_t> parts;
  return ScatterGroups(from, to, &parts).has_value();
}

HloInstruction* ShardEmitter::ReduceScatter(HloInstruction* part, const ShardLayout& from,
                                            const ShardLayout& to) {
  const size_t rank = from.counts.size();
  std::vector<int64_t> parts;
  auto groups = ScatterGroups(from, to, &parts);
  if (!groups.has_value()) return nullptr;
  const auto count = static_cast<int64_t>((*groups)[0].size());
  Shape padded = part->shape();
  for (size_t d = 0; d < rank; ++d) {
    const auto dimension = static_cast<int>(d);
    padded.set_dimensions(dimension, RoundUpTo(padded.dimensions(dimension), parts[d]));
  }
  part = WithPadding(part, padded);
  // [k0, n0, k1, n1, ..] to [k0 * k1 * .., n0, n1, ..], whose blocks are the shards.
  const PrimitiveType type = part->shape().element_type();
  std::vector<int64_t> split, order, moved_sizes, blocks = {count}, sizes;
  for (size_t d = 0; d < rank; ++d) {
    split.push_back(parts[d]);
    split.push_back(part->shape().dimensions(static_cast<int>(d)) / parts[d]);
    sizes.push_back(split.back());
    blocks.push_back(split.back());
  }
  for (const int64_t first : {0, 1}) {
    for (size_t d = 0; d < rank; ++d) order.push_back(static_cast<int64_t>(2 * d) + first);
  }
  for (const int64_t d : order) moved_sizes.push_back(split[static_cast<size_t>(d)]);
  HloInstruction* moved =
      Add(part->parent(), HloOpcode::kTranspose, ShapeUtil::MakeShape(type, moved_sizes),
          {Reshape(part, split)}, Dimensions(order));
  ReduceScatterAttributes attributes;
  attributes.dimensions.push_back(0);
  attributes.channel_id = next_channel_++;
  attributes.use_global_device_ids = true;
  attributes.replica_groups.groups = *std::move(groups);
  HloInstruction* block = Reshape(moved, blocks);
  Shape scattered = WithSize(block->shape(), 0, 1);
  HloInstruction* result = WithCause(part->parent()->AddInstruction(
      HloInstruction::Create(HloOpcode::kReduceScatter, std::move(scattered), {block},
                             std::move(attributes), {Combiner(type, from.reduction)})));
  return Reshape(result, sizes);
}

HloInstruction* ShardEmitter::ValidRows(const Shape& shape, int64_t dimension,
                                        const std::vector<int64_t>& starts, int64_t limit,
                                        HloComputation* computation) const {
  const Shape rows = ShapeUtil::MakeShape(S32, shape.dimensions());
  HloInstruction* iota =
      Add(computation, HloOpcode::kIota, rows, {}, IotaAttributes{.iota_dimension = dimension});
  HloInstruction* start = Add(computation, HloOpcode::kBroadcast, rows,
                              {TableEntry(computation, starts)}, Dimensions({}));
  HloInstruction* row = Add(computation, HloOpcode::kAdd, rows, {iota, start});
  const auto bound = [&](int64_t value, ComparisonDirection direction) {
    HloInstruction* all = Add(computation, HloOpcode::kBroadcast, rows,
                              {ScalarS32(computation, value)}, Dimensions({}));
    return Add(computation, HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, shape.dimensions()),
               {row, all}, CompareAttributes{.direction = direction});
  };
  return Add(computation, HloOpcode::kAnd, ShapeUtil::MakeShape(PRED, shape.dimensions()),
             {bound(0, ComparisonDirection::kGe), bound(limit, ComparisonDirection::kLt)});
}

HloInstruction* ShardEmitter::Masked(HloInstruction* value, HloInstruction* mask,
                                     HloInstruction* fill) const {
  // Pads and windows may have initial values of another precision.
  const PrimitiveType type = value->shape().element_type();
  if (fill->shape().element_type() != type) {
    fill = Add(value->parent(), HloOpcode::kConvert, ShapeUtil::MakeShape(type, {}), {fill});
  }
  HloInstruction* all =
      Add(value->parent(), HloOpcode::kBroadcast, value->shape(), {fill}, Dimensions({}));
  return Add(value->parent(), HloOpcode::kSelect, value->shape(), {mask, value, all});
}

HloInstruction* ShardEmitter::PermutePiece(HloInstruction* piece, int64_t distance,
                                           const std::vector<bool>& needed,
                                           const ShardLayout& layout, int64_t dimension) {
  int64_t stride = 1;  // of the number of a shard along the dimension
  for (size_t e = layout.counts.size() - 1; e > static_cast<size_t>(dimension); --e) {
    stride *= layout.counts[e];
  }
  const int64_t count = layout.counts[static_cast<size_t>(dimension)];
  CollectivePermuteAttributes attributes;
  for (const std::vector<int64_t>& group : layout.groups) {
    for (int64_t shard = 0; shard < static_cast<int64_t>(group.size()); ++shard) {
      if (!needed[static_cast<size_t>(shard / stride % count)]) continue;
      attributes.source_target_pairs.emplace_back(
          group[static_cast<size_t>(shard + distance * stride)], group[static_cast<size_t>(shard)]);
    }
  }
  attributes.channel_id = next_channel_++;
  return WithCause(Add(piece->parent(), HloOpcode::kCollectivePermute, piece->shape(), {piece},
                       std::move(attributes)));
}

HloInstruction* ShardEmitter::JoinedPieces(HloInstruction* shard, const RowPieces& pieces,
                                           const ShardLayout& layout, int64_t dimension) {
  const auto dim = static_cast<size_t>(dimension);
  HloComputation* computation = shard->parent();
  Instructions parts;
  int64_t joined = 0;
  for (const auto& [distance, piece] : pieces) {
    HloInstruction* part = shard;
    const int64_t rows = piece.high - piece.low;
    if (rows < shard->shape().dimensions(static_cast<int>(dimension))) {
      SliceAttributes attributes;
      for (const int64_t n : shard->shape().dimensions()) attributes.slice.push_back({0, n, 1});
      attributes.slice[dim] = {piece.low, piece.high, 1};
      part = Add(computation, HloOpcode::kSlice, WithSize(shard->shape(), dimension, rows), {shard},
                 std::move(attributes));
    }
    if (distance != 0) part = PermutePiece(part, distance, piece.needed, layout, dimension);
    joined += rows;
    parts.push_back(part);
  }
  if (parts.size() == 1) return parts[0];
  return Add(computation, HloOpcode::kConcatenate, WithSize(shard->shape(), dimension, joined),
             parts, Dimensions({dimension}));
}

HloInstruction* ShardEmitter::Rows(HloInstruction* shard, const RowRange& range,
                                   const ShardLayout& layout, HloInstruction* fill) {
  const int64_t d = range.dimension;
  const auto dim = static_cast<size_t>(d);
  const int64_t size = shard->shape().dimensions(static_cast<int>(d));
  const RowPieces pieces = PiecesOf(range, size, layout.counts[dim]);
  HloInstruction* all = JoinedPieces(shard, pieces, layout, d);
  const int64_t joined = all->shape().dimensions(static_cast<int>(d));
  // Where each partition's range begins there. Rows outside of the array may be any.
  std::vector<int64_t> offsets, first_rows;
  int64_t low = 0, high = 0;
  for (int64_t p = 0; p < partitions_; ++p) {
    const int64_t q = layout.Position(p, dim);
    first_rows.push_back(range.starts[static_cast<size_t>(q)]);
    offsets.push_back(OffsetIn(pieces, range, q, size));
    low = std::max(low, -offsets.back());
    high = std::max(high, offsets.back() + range.length - joined);
  }
  HloComputation* computation = shard->parent();
  if (low > 0 || high > 0) {
    PadAttributes attributes;
    attributes.padding.resize(static_cast<size_t>(all->shape().rank()));
    attributes.padding[dim] = {low, high, 0};
    HloInstruction* zero =
        Zero(computation, ShapeUtil::MakeShape(shard->shape().element_type(), {}));
    all = Add(computation, HloOpcode::kPad, WithSize(shard->shape(), d, joined + low + high),
              {all, zero}, std::move(attributes));
    for (int64_t& offset : offsets) offset += low;
  }
  const Shape shape = WithSize(shard->shape(), d, range.length);
  HloInstruction* rows = all;
  if (!ShapeUtil::Compatible(all->shape(), shape)) {
    std::vector<std::vector<int64_t>> starts(layout.counts.size(),
                                             std::vector<int64_t>(offsets.size(), 0));
    starts[dim] = offsets;
    rows = SliceAt(all, shape, starts);
  }
  const bool is_partial = std::any_of(range.starts.begin(), range.starts.end(), [&](int64_t start) {
    return start < 0 || start + range.length > range.limit;
  });
  if (!is_partial || fill == nullptr) return rows;
  return Masked(rows, ValidRows(shape, d, first_rows, range.limit, computation), fill);
}

}  // namespace xla::spmd
