// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/block_exchange.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/shard_emitter.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;
using Sizes = std::vector<int64_t>;

constexpr int64_t kMostPartitions = 256;  // of which there are tables
constexpr size_t kMostRounds = 12;
// A gather is one instruction; a few permutations are as good.
constexpr size_t kMostRoundsOfGather = 4;

// Part of an array: the first row and the end in each dimension.
struct Box {
  Sizes begin, end;
  bool IsEmpty() const {
    for (size_t d = 0; d < begin.size(); ++d) {
      if (begin[d] >= end[d]) return true;
    }
    return false;
  }
};

Sizes ShardSizes(const Shape& full, const ShardLayout& layout) {
  Sizes sizes;
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    sizes.push_back(CeilOfRatio(full.dimensions(static_cast<int>(d)), layout.counts[d]));
  }
  return sizes;
}

// What each partition has of the array.
std::vector<Box> BoxesOf(const Shape& full, const ShardLayout& layout) {
  const auto partitions = static_cast<size_t>(layout.mesh.num_devices());
  std::vector<Box> boxes(partitions);
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    const int64_t rows = full.dimensions(static_cast<int>(d));
    const int64_t size = CeilOfRatio(rows, layout.counts[d]);
    const Sizes positions = layout.counts[d] > 1 ? layout.Positions(d) : Sizes(partitions, 0);
    for (size_t p = 0; p < partitions; ++p) {
      boxes[p].begin.push_back(std::min(positions[p] * size, rows));
      boxes[p].end.push_back(std::min((positions[p] + 1) * size, rows));
    }
  }
  return boxes;
}

Box Intersection(const Box& a, const Box& b) {
  Box box;
  for (size_t d = 0; d < a.begin.size(); ++d) {
    box.begin.push_back(std::max(a.begin[d], b.begin[d]));
    box.end.push_back(std::min(a.end[d], b.end[d]));
  }
  return box;
}

int64_t Volume(absl::Span<const int64_t> sizes) {
  int64_t volume = 1;
  for (const int64_t size : sizes) volume *= size;
  return volume;
}

Sizes SizesOf(const Box& box) {
  Sizes sizes;
  for (size_t d = 0; d < box.begin.size(); ++d) sizes.push_back(box.end[d] - box.begin[d]);
  return sizes;
}

Sizes Larger(Sizes a, const Sizes& b) {
  for (size_t d = 0; d < a.size(); ++d) a[d] = std::max(a[d], b[d]);
  return a;
}

struct Transfer {
  int64_t source, target;
  Box box;
};

// Puts transfers into rounds in which each partition sends and receives one block at most: few
// rounds, in which some blocks are larger than they need to be, or those of one size each.
class Rounds {
 public:
  Rounds(const std::vector<Box>& from, const std::vector<Box>& to, bool of_one_size)
      : partitions_(from.size()), from_(from), to_(to), of_one_size_(of_one_size) {}

  void Add(const Transfer& transfer) {
    const bool is_kept = transfer.source == transfer.target;
    const Sizes sizes = SizesOf(transfer.box);
    size_t best = rounds_.size();
    int64_t least = Volume(sizes);
    for (size_t r = 0; r < rounds_.size(); ++r) {
      const BlockExchange::Round& round = rounds_[r];
      const bool keeps = round.pairs.empty();
      if (keeps != is_kept || (of_one_size_ && !keeps && round.block != sizes) ||
          round.is_target[static_cast<size_t>(transfer.target)] ||
          (!is_kept && sends_[r][static_cast<size_t>(transfer.source)])) {
        continue;
      }
      const int64_t growth = Volume(Larger(round.block, sizes)) - Volume(round.block);
      if (growth > least || (growth == least && best < rounds_.size())) continue;
      least = growth;
      best = r;
    }
    if (best == rounds_.size()) NewRound(sizes.size());
    BlockExchange::Round& round = rounds_[best];
    round.block = Larger(round.block, sizes);
    const auto source = static_cast<size_t>(transfer.source);
    const auto target = static_cast<size_t>(transfer.target);
    round.is_target[target] = true;
    sends_[best][source] = true;
    if (!is_kept) round.pairs.emplace_back(transfer.source, transfer.target);
    for (size_t d = 0; d < sizes.size(); ++d) {
      round.rows[d][source].source = transfer.box.begin[d] - from_[source].begin[d];
      round.rows[d][target].target = transfer.box.begin[d] - to_[target].begin[d];
      round.rows[d][target].size = sizes[d];
    }
  }

  size_t size() const { return rounds_.size(); }
  std::vector<BlockExchange::Round> Take() { return std::move(rounds_); }

 private:
  void NewRound(size_t rank) {
    BlockExchange::Round& round = rounds_.emplace_back();
    round.block.assign(rank, 0);
    round.rows.assign(rank, std::vector<BlockExchange::Rows>(partitions_));
    round.is_target.assign(partitions_, false);
    sends_.emplace_back(partitions_, false);
  }

  const size_t partitions_;
  const std::vector<Box>&from_, &to_;
  const bool of_one_size_;
  std::vector<BlockExchange::Round> rounds_;
  std::vector<std::vector<bool>> sends_;
};

int64_t BytesReceived(const std::vector<BlockExchange::Round>& rounds, const Shape& full,
                      int64_t partitions) {
  Sizes received(static_cast<size_t>(partitions), 0);
  for (const BlockExchange::Round& round : rounds) {
    Shape block = full;
    for (size_t d = 0; d < round.block.size(); ++d) {
      block.set_dimensions(static_cast<int>(d), round.block[d]);
    }
    const int64_t bytes = ShapeUtil::ByteSizeOf(block);
    for (const auto& [source, target] : round.pairs) {
      received[static_cast<size_t>(target)] += bytes;
    }
  }
  return *absl::c_max_element(received);
}

// Those that each partition lacks, from its group of partitions that have the array among
// themselves: within a manual computation the arrays of groups may differ.
std::vector<Transfer> TransfersOf(const ShardLayout& from, const std::vector<Box>& had,
                                  const std::vector<Box>& wanted) {
  std::vector<Transfer> kept, sent;
  for (const std::vector<int64_t>& group : from.Groups().Lists()) {
    for (const int64_t target : group) {
      for (const int64_t source : group) {
        Box box =
            Intersection(had[static_cast<size_t>(source)], wanted[static_cast<size_t>(target)]);
        if (box.IsEmpty()) continue;
        (source == target ? kept : sent).push_back({source, target, std::move(box)});
      }
    }
  }
  // Larger ones first: smaller ones find rounds that they do not make larger.
  absl::c_stable_sort(sent, [](const Transfer& a, const Transfer& b) {
    return Volume(SizesOf(a.box)) > Volume(SizesOf(b.box));
  });
  kept.insert(kept.end(), sent.begin(), sent.end());
  return kept;
}

// Values of all partitions, of which each takes its own.
HloInstruction* OfPartition(HloComputation* computation, const std::vector<int32_t>& values) {
  if (absl::c_all_of(values, [&](int32_t value) { return value == values[0]; })) {
    return ScalarS32(computation, values[0]);
  }
  return TableEntry(computation, values, PartitionNumber(computation));
}

// One field of what partitions send and take.
HloInstruction* FieldOf(HloComputation* computation, const std::vector<BlockExchange::Rows>& rows,
                        int64_t BlockExchange::Rows::*field) {
  std::vector<int32_t> values;
  for (const BlockExchange::Rows& of : rows) values.push_back(static_cast<int32_t>(of.*field));
  return OfPartition(computation, values);
}

// The shape with room for blocks at the end, where some begin so late that they reach over it.
Shape WithRoom(const Shape& shape, const BlockExchange::Round& round,
               int64_t BlockExchange::Rows::*start) {
  Shape result = shape;
  for (size_t d = 0; d < round.block.size(); ++d) {
    int64_t end = shape.dimensions(static_cast<int>(d));
    for (const BlockExchange::Rows& rows : round.rows[d]) {
      end = std::max(end, rows.*start + round.block[d]);
    }
    result.set_dimensions(static_cast<int>(d), end);
  }
  return result;
}

HloInstruction* BlockOf(HloInstruction* shard, const BlockExchange::Round& round) {
  HloComputation* computation = shard->parent();
  Shape shape = shard->shape();
  Instructions operands = {
      WithPadding(shard, WithRoom(shape, round, &BlockExchange::Rows::source))};
  for (size_t d = 0; d < round.block.size(); ++d) {
    operands.push_back(FieldOf(computation, round.rows[d], &BlockExchange::Rows::source));
    shape.set_dimensions(static_cast<int>(d), round.block[d]);
  }
  if (ShapeUtil::Compatible(shape, operands[0]->shape())) return operands[0];
  DynamicSliceAttributes attributes;
  attributes.dynamic_slice_sizes = round.block;
  return Add(computation, HloOpcode::kDynamicSlice, shape, operands, std::move(attributes));
}

// Where rows of a dimension are `size` from `start` on, both of this partition.
HloInstruction* RowsBetween(const Shape& shape, int64_t dimension, HloInstruction* start,
                            HloInstruction* size) {
  const Shape numbers = ShapeUtil::MakeShape(S32, shape.dimensions());
  HloInstruction* iota = Add(start->parent(), HloOpcode::kIota, numbers, {},
                             IotaAttributes{.iota_dimension = dimension});
  HloInstruction* row = Binary(HloOpcode::kSubtract, iota, Spread(start, numbers));
  const auto compare = [&](HloInstruction* bound, ComparisonDirection direction) {
    return Add(start->parent(), HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, shape.dimensions()),
               {row, Spread(bound, numbers)}, CompareAttributes{.direction = direction});
  };
  return Binary(HloOpcode::kAnd, compare(ScalarS32(start->parent(), 0), ComparisonDirection::kGe),
                compare(size, ComparisonDirection::kLt));
}

// The block at its place in an array of the shape of a shard; anything elsewhere.
HloInstruction* Placed(HloInstruction* block, const Shape& shape,
                       const BlockExchange::Round& round) {
  HloComputation* computation = block->parent();
  const Shape roomy = WithRoom(shape, round, &BlockExchange::Rows::target);
  if (ShapeUtil::Compatible(block->shape(), roomy)) return block;
  Instructions operands = {Zero(computation, roomy), block};
  for (const std::vector<BlockExchange::Rows>& rows : round.rows) {
    operands.push_back(FieldOf(computation, rows, &BlockExchange::Rows::target));
  }
  return WithoutPadding(Add(computation, HloOpcode::kDynamicUpdateSlice, roomy, operands), shape);
}

}  // namespace

std::optional<BlockExchange> FindBlockExchange(const Shape& full, const ShardLayout& from,
                                               const ShardLayout& to) {
  const int64_t partitions = from.mesh.num_devices();
  if (from.IsUndivided() || !from.partial_groups.empty() || !to.partial_groups.empty() ||
      partitions > kMostPartitions || ShapeUtil::IsZeroElementArray(full)) {
    return std::nullopt;
  }
  const std::vector<Box> had = BoxesOf(full, from);
  const std::vector<Box> wanted =
      to.IsUndivided() ? std::vector<Box>(had.size(), BoxesOf(full, to)[0]) : BoxesOf(full, to);
  const size_t most = to.IsUndivided() ? kMostRoundsOfGather : kMostRounds;
  const std::vector<Transfer> transfers = TransfersOf(from, had, wanted);
  std::optional<BlockExchange> best;
  for (const bool of_one_size : {false, true}) {
    Rounds rounds(had, wanted, of_one_size);
    for (const Transfer& transfer : transfers) {
      rounds.Add(transfer);
      if (rounds.size() > most + 1) break;
    }
    if (rounds.size() == 0 || rounds.size() > most + 1) continue;
    BlockExchange exchange{rounds.Take()};
    exchange.bytes = BytesReceived(exchange.rounds, full, partitions);
    if (!best.has_value() || exchange.bytes < best->bytes) best = std::move(exchange);
  }
  return best;
}

HloInstruction* ShardEmitter::Exchange(HloInstruction* shard, const Shape& full,
                                       const BlockExchange& exchange, const ShardLayout& to) {
  HloComputation* computation = shard->parent();
  Shape shape = shard->shape();
  const Sizes sizes = ShardSizes(full, to);
  for (size_t d = 0; d < sizes.size(); ++d) shape.set_dimensions(static_cast<int>(d), sizes[d]);
  HloInstruction* result = nullptr;
  for (const BlockExchange::Round& round : exchange.rounds) {
    HloInstruction* block = BlockOf(shard, round);
    if (!round.pairs.empty()) {
      CollectivePermuteAttributes attributes;
      attributes.source_target_pairs.assign(round.pairs.begin(), round.pairs.end());
      attributes.channel_id = next_channel_++;
      block = WithCause(Add(computation, HloOpcode::kCollectivePermute, block->shape(), {block},
                            std::move(attributes)));
    }
    HloInstruction* placed = Placed(block, shape, round);
    if (result == nullptr) {
      result = placed;
      continue;
    }
    // Only what a partition takes in this round is of it.
    std::vector<int32_t> takes(round.is_target.begin(), round.is_target.end());
    HloInstruction* mask =
        Spread(Add(computation, HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, {}),
                   {OfPartition(computation, takes), ScalarS32(computation, 0)},
                   CompareAttributes{.direction = ComparisonDirection::kNe}),
               shape);
    for (size_t d = 0; d < sizes.size(); ++d) {
      const bool takes_all = [&] {
        for (size_t p = 0; p < round.rows[d].size(); ++p) {
          if (round.is_target[p] && round.rows[d][p].size != sizes[d]) return false;
        }
        return true;
      }();
      if (takes_all) continue;
      mask = Binary(HloOpcode::kAnd, mask,
                    RowsBetween(shape, static_cast<int64_t>(d),
                                FieldOf(computation, round.rows[d], &BlockExchange::Rows::target),
                                FieldOf(computation, round.rows[d], &BlockExchange::Rows::size)));
    }
    result = Add(computation, HloOpcode::kSelect, shape, {mask, placed, result});
  }
  return result;
}

}  // namespace xla::spmd
