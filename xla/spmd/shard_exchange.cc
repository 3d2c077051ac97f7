// SPDX-License-Identifier: Apache-2.0
// Exchanges of shards between layouts, as reshard.h plans them; rows of neighboring shards.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/redivision.h"
#include "xla/spmd/reshard_emitter.h"
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

// Where the range of a position begins in its pieces, joined. Pieces that a range needs are next to
// each other there, without gaps.
int64_t OffsetIn(const RowPieces& pieces, const RowRange& range, int64_t position, int64_t size) {
  const int64_t start = range.starts[static_cast<size_t>(position)];
  const auto [first, end] = range.RowsOf(position);
  if (first >= end) return 0;
  int64_t before = 0;
  for (const auto& [distance, piece] : pieces) {
    if (distance == first / size - position) {
      return before + first % size - piece.low - (first - start);
    }
    before += piece.high - piece.low;
  }
  return 0;
}

// Both layouts over one mesh; none if they need two.
std::optional<std::pair<NamedSharding, NamedSharding>> OverOneMesh(const ShardLayout& from,
                                                                   const ShardLayout& to) {
  std::optional<Mesh> mesh;
  if (!ShareMesh(from, to, &mesh)) return std::nullopt;
  const auto over = [&](ShardLayout layout) {
    if (mesh.has_value()) layout.mesh = layout.partial_groups.mesh = *mesh;
    return ToNamedSharding(layout);
  };
  return std::pair(over(from), over(to));
}

// Unsigned integers of as many bits, for floating-point numbers.
PrimitiveType BitsOf(PrimitiveType type) {
  if (!primitive_util::IsFloatingPointType(type)) return type;
  switch (primitive_util::BitWidth(type)) {
    case 64:
      return U64;
    case 32:
      return U32;
    case 16:
      return U16;
    case 8:
      return U8;
    default:
      return type;
  }
}

// A sum divided among the partitions that have its parts, into as many shards as `to`.
std::optional<ShardLayout> ScatteredLike(const ShardLayout& from, const ShardLayout& to) {
  ShardLayout scattered = from;
  const PartitionGroups groups = std::exchange(scattered.partial_groups, {});
  if (scattered.IsUndivided()) scattered.mesh = groups.mesh;
  if (groups.empty() || !to.partial_groups.empty() || scattered.mesh != groups.mesh) {
    return std::nullopt;
  }
  auto axis = groups.axes.begin();
  for (size_t d = 0; d < to.counts.size(); ++d) {
    for (; axis != groups.axes.end() && scattered.counts[d] < to.counts[d]; ++axis) {
      AppendAxis(*axis, groups.mesh, scattered.axes[d]);
      scattered.counts[d] *= axis->size(groups.mesh);
    }
  }
  const bool is_like = axis == groups.axes.end() && scattered.counts == to.counts;
  return is_like ? std::optional(std::move(scattered)) : std::nullopt;
}

// What a device receives if shards are added, each at its place among zeros, to the full array.
// Less than a gather where shards end in more padding than there are elements.
std::optional<int64_t> BytesToPlace(const Shape& full, const ShardLayout& from,
                                    const ShardLayout& to) {
  const PrimitiveType type = full.element_type();
  if (!to.IsReplicated() || !from.partial_groups.empty() || IsEven(full, from) ||
      primitive_util::IsComplexType(type) || (primitive_util::BitWidth(type) < 8 && type != PRED)) {
    return std::nullopt;
  }
  return 2 * ShapeUtil::ByteSizeOf(full) * (from.size() - 1) / from.size();
}

}  // namespace

HloInstruction* ShardEmitter::CombineDisjoint(HloInstruction* part, Shape full, ShardLayout parts,
                                              const ShardLayout* scattered) {
  const PrimitiveType type = part->shape().element_type();
  const PrimitiveType bits = BitsOf(type);
  const auto as = [&](HloInstruction* value, PrimitiveType to) {
    return Add(value->parent(), HloOpcode::kBitcastConvert,
               ShapeUtil::MakeShape(to, value->shape().dimensions()), {value});
  };
  HloInstruction* summands = bits == type ? part : as(part, bits);
  full.set_element_type(bits);
  // Of booleans the larger one.
  parts.reduction = type == PRED ? UnreducedKind::kMax : UnreducedKind::kSum;
  HloInstruction* sum = scattered != nullptr ? ReduceScatter(summands, full, parts, *scattered)
                                             : Combine(summands, parts.partial_groups,
                                                       Combiner(bits, parts.reduction));
  return bits == type ? sum : as(sum, type);
}

std::pair<int64_t, int64_t> RowRange::RowsOf(int64_t position) const {
  const auto q = static_cast<size_t>(position);
  int64_t first = std::max(starts[q], begin), end = std::min(starts[q] + length, limit);
  if (!needed.empty()) {
    first = std::max(first, needed[q].first);
    end = std::min(end, needed[q].second);
  }
  return {first, std::max(first, end)};
}

RowPieces PiecesOf(const RowRange& range, int64_t size, int64_t count) {
  RowPieces pieces;
  const std::vector<bool> none(static_cast<size_t>(count), false);
  for (int64_t q = 0; q < count; ++q) {
    const auto [first, last] = range.RowsOf(q);
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

HloInstruction* ShardEmitter::GatherAlong(HloInstruction* shard, int64_t dimension,
                                          const PartitionGroups& groups) {
  AllGatherAttributes attributes;
  attributes.dimensions.push_back(dimension);
  attributes.channel_id = next_channel_++;
  attributes.use_global_device_ids = true;
  const Shape shape =
      WithSize(shard->shape(), dimension,
               shard->shape().dimensions(static_cast<int>(dimension)) * groups.group_size());
  attributes.replica_groups = GroupsAlong(groups.mesh, groups.axes);
  return WithCause(
      Add(shard->parent(), HloOpcode::kAllGather, shape, {shard}, std::move(attributes)));
}

const ShardEmitter::ReshardPlan* ShardEmitter::PlanOf(const Shape& full, const ShardLayout& from,
                                                      const ShardLayout& to) const {
  auto shardings = OverOneMesh(from, to);
  if (!shardings.has_value()) return nullptr;
  PlanKey key(std::move(shardings->first), std::move(shardings->second), SizesOf(full),
              full.element_type());
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second.get();
  const NamedSharding& source = std::get<0>(key);
  auto steps = PlanReshard(source, std::get<1>(key), full);
  std::unique_ptr<ReshardPlan> plan;
  if (steps.ok()) {
    const int64_t bytes = BytesReceived(source, *steps, full);
    plan = std::make_unique<ReshardPlan>(ReshardPlan{source, *std::move(steps), bytes});
  }
  return plans_.emplace(std::move(key), std::move(plan)).first->second.get();
}

HloInstruction* ShardEmitter::Reshard(HloInstruction* shard, const Shape& full,
                                      const ShardLayout& from, const ShardLayout& to) {
  if (from == to) return shard;
  if (!to.partial_groups.empty()) return nullptr;
  const Way way = CheapestWay(full, from, to);
  if (way.is_placed) {
    ShardLayout parts = to;
    parts.partial_groups = from.Groups();
    return CombineDisjoint(Place(shard, full, from), full, std::move(parts), nullptr);
  }
  if (way.scattered.has_value()) {
    return Reshard(Reshard(shard, full, from, *way.scattered), full, *way.scattered, to);
  }
  if (way.redivision.has_value()) return Redivide(shard, *way.redivision, from, to);
  if (way.plan != nullptr) return EmitReshard(shard, way.plan->from, way.plan->steps, full, *this);
  if (from.partial_groups.empty()) {
    if (HloInstruction* permuted = CollectivePermute(shard, from, to)) return permuted;
  }
  return way.exchange != nullptr ? Exchange(shard, full, *way.exchange, to) : nullptr;
}

std::optional<ShardLayout> ShardEmitter::ScatteredFirst(const Shape& full, const ShardLayout& from,
                                                        const ShardLayout& to,
                                                        int64_t* bytes) const {
  std::optional<ShardLayout> scattered = ScatteredLike(from, to);
  if (!scattered.has_value()) return std::nullopt;
  ShardLayout complete = from;
  complete.partial_groups.clear();
  const int64_t group = from.partial_groups.group_size();
  const int64_t summed =
      2 * (BytesOfShard(full, complete) / group * (group - 1)) + ReshardBytes(full, complete, to);
  const int64_t moved = ReshardBytes(full, from, *scattered) + ReshardBytes(full, *scattered, to);
  if (moved >= summed) return std::nullopt;
  *bytes = moved;
  return scattered;
}

ShardEmitter::Way ShardEmitter::CheapestWay(const Shape& full, const ShardLayout& from,
                                            const ShardLayout& to) const {
  Way way;
  way.plan = PlanOf(full, from, to);
  if (way.plan != nullptr) way.bytes = way.plan->bytes;
  way.redivision = FindRedivision(full, from, to);
  if (way.redivision.has_value() && way.redivision->bytes < way.bytes) {
    way.plan = nullptr;
    way.bytes = way.redivision->bytes;
  } else {
    way.redivision.reset();
  }
  if (way.plan == nullptr) {
    way.scattered = ScatteredFirst(full, from, to, &way.bytes);
  }
  const BlockExchange* exchange = ExchangeOf(full, from, to);
  if (exchange != nullptr && exchange->bytes < way.bytes) {
    way = {.exchange = exchange, .bytes = exchange->bytes};
  }
  const std::optional<int64_t> placed = BytesToPlace(full, from, to);
  if (placed.has_value() && *placed < way.bytes) way = {.is_placed = true, .bytes = *placed};
  return way;
}

const BlockExchange* ShardEmitter::ExchangeOf(const Shape& full, const ShardLayout& from,
                                              const ShardLayout& to) const {
  // Of even shards over one mesh, chains move no padding.
  std::optional<Mesh> mesh;
  if (ShareMesh(from, to, &mesh) && IsEven(full, from) && IsEven(full, to)) return nullptr;
  if (!from.partial_groups.empty() || !to.partial_groups.empty()) return nullptr;
  const auto [found, is_new] = exchanges_.try_emplace(
      PlanKey(ToNamedSharding(from), ToNamedSharding(to), SizesOf(full), full.element_type()));
  if (is_new) {
    if (auto exchange = FindBlockExchange(full, from, to)) {
      found->second = std::make_unique<BlockExchange>(*std::move(exchange));
    }
  }
  return found->second.get();
}

int64_t ShardEmitter::ReshardBytes(const Shape& full, const ShardLayout& from,
                                   const ShardLayout& to) const {
  if (from == to) return 0;
  const int64_t bytes = ShapeUtil::ByteSizeOf(full);
  if (!to.partial_groups.empty()) {
    const auto way = CheapestUnreducedReshard(full, from, to);
    return way.has_value() ? way->plan->bytes : 2 * bytes;
  }
  const int64_t cheapest = CheapestWay(full, from, to).bytes;
  if (cheapest != INT64_MAX) return cheapest;
  if (!from.partial_groups.empty()) return 2 * bytes;
  const int64_t shard = bytes / from.size();
  return from.counts == to.counts ? shard : bytes - shard;
}

bool ShardEmitter::CanReduceScatter(const Shape& full, const ShardLayout& from,
                                    const ShardLayout& to) const {
  if (from.partial_groups.empty() || !to.partial_groups.empty()) return false;
  const ReshardPlan* plan = PlanOf(full, from, to);
  int64_t bytes = 0;
  if (plan == nullptr) return ScatteredFirst(full, from, to, &bytes).has_value();
  return absl::c_any_of(plan->steps, [](const ReshardStep& step) {
    return step.kind == ReshardStep::Kind::kReduceScatter;
  });
}

HloInstruction* ShardEmitter::ReduceScatter(HloInstruction* part, const Shape& full,
                                            const ShardLayout& from, const ShardLayout& to) {
  return CanReduceScatter(full, from, to) ? Reshard(part, full, from, to) : nullptr;
}

HloInstruction* ShardEmitter::ValidRows(const Shape& shape, int64_t dimension,
                                        HloInstruction* start, int64_t limit) const {
  HloComputation* computation = start->parent();
  const Shape rows = ShapeUtil::MakeShape(S32, shape.dimensions());
  HloInstruction* iota =
      Add(computation, HloOpcode::kIota, rows, {}, IotaAttributes{.iota_dimension = dimension});
  HloInstruction* all_starts =
      Add(computation, HloOpcode::kBroadcast, rows, {start}, Dimensions({}));
  HloInstruction* row = Add(computation, HloOpcode::kAdd, rows, {iota, all_starts});
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
  for (const std::vector<int64_t>& group : layout.Groups().Lists()) {
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
  // Where the range of each position begins there. Rows outside of the array may be any.
  std::vector<int64_t> offsets;
  int64_t low = 0, high = 0;
  for (int64_t q = 0; q < layout.counts[dim]; ++q) {
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
    Instructions operands = {all};
    for (size_t d = 0; d < layout.counts.size(); ++d) {
      operands.push_back(d == dim ? ValueAtPosition(computation, layout, dim, offsets)
                                  : ScalarS32(computation, 0));
    }
    DynamicSliceAttributes attributes;
    attributes.dynamic_slice_sizes = SizesOf(shape);
    rows = Add(computation, HloOpcode::kDynamicSlice, shape, operands, std::move(attributes));
  }
  const bool is_partial = std::any_of(range.starts.begin(), range.starts.end(), [&](int64_t start) {
    return start < 0 || start + range.length > range.limit;
  });
  if (!is_partial || fill == nullptr) return rows;
  HloInstruction* first = ValueAtPosition(computation, layout, dim, range.starts);
  return Masked(rows, ValidRows(shape, d, first, range.limit), fill);
}

}  // namespace xla::spmd
