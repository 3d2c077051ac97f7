// SPDX-License-Identifier: Apache-2.0
// Adds the instructions that cut arrays into shards, put them together again, and exchange them.
#ifndef XLA_SPMD_SHARD_EMITTER_H_
#define XLA_SPMD_SHARD_EMITTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/shape.h"
#include "xla/spmd/block_exchange.h"
#include "xla/spmd/redivision.h"
#include "xla/spmd/reshard.h"
#include "xla/spmd/row_range.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

// Where the shard of this partition starts in a dimension, an s32. `size`: of shards there.
HloInstruction* ShardStart(HloComputation* computation, const ShardLayout& layout, size_t dimension,
                           int64_t size);
// What leaves others as they are when it is combined with them.
HloInstruction* NeutralValue(HloComputation* computation, const Shape& shape,
                             UnreducedKind reduction);
// The value for the position of this partition in a dimension, an s32.
HloInstruction* ValueAtPosition(HloComputation* computation, const ShardLayout& layout,
                                size_t dimension, absl::Span<const int64_t> values);

class ShardEmitter {
 public:
  explicit ShardEmitter(HloModule* module)
      : module_(*module), partitions_(module->config().num_partitions()) {}

  // Collectives that are added from now on have its metadata: they are there for its sake.
  void set_cause(const HloInstruction& cause);
  int64_t partitions() const { return partitions_; }
  // Whether a collective of this channel was added here: programs use small ids.
  bool IsOwnChannel(int64_t channel) const { return channel >= kFirstChannel; }
  // The next channel of a collective; it is advanced past those that are taken.
  int64_t* next_channel() { return &next_channel_; }

  // The shard of a full array that this partition has. Of those whose values add up, the first has
  // it, the others zeros. Shards of dimensions that do not divide evenly end in zeros.
  absl::StatusOr<HloInstruction*> Cut(HloInstruction* full, const ShardLayout& layout);
  // The shard where this partition is the first of those whose values add up, zeros elsewhere.
  HloInstruction* KeepFirst(HloInstruction* shard, const ShardLayout& layout);
  // What adds up to the value along the axes of `to` that are partial, from shards or parts of
  // sums: parts along these axes are exchanged as they are, what is divided along them goes to its
  // place among zeros, other partial axes are summed. Null if the layouts are over two meshes.
  HloInstruction* Unreduce(HloInstruction* shard, const Shape& full, const ShardLayout& from,
                           const ShardLayout& to);
  // The full array, from the shards of all partitions.
  HloInstruction* Gather(HloInstruction* shard, const Shape& full, const ShardLayout& layout);
  // An array of the full shape with the shard at its place and zeros elsewhere.
  HloInstruction* Place(HloInstruction* shard, const Shape& full, const ShardLayout& layout);
  // The shard of `to` from the partition that has it in `from`, where both have shards of one size;
  // null if no exchange of one shard for another does.
  HloInstruction* CollectivePermute(HloInstruction* shard, const ShardLayout& from,
                                    const ShardLayout& to);
  // The shard of `to`, by the steps of reshard.h; null if no chain leads there.
  HloInstruction* Reshard(HloInstruction* shard, const Shape& full, const ShardLayout& from,
                          const ShardLayout& to);
  // What a device receives for that; of a full gather if no chain leads there.
  int64_t ReshardBytes(const Shape& full, const ShardLayout& from, const ShardLayout& to) const;
  // The shard of `to` of what adds up over the groups of `from`; null if no partitions of these
  // divide the sum among themselves.
  HloInstruction* ReduceScatter(HloInstruction* part, const Shape& full, const ShardLayout& from,
                                const ShardLayout& to);
  bool CanReduceScatter(const Shape& full, const ShardLayout& from, const ShardLayout& to) const;
  // The rows of a range, from the partitions that have them. Those outside of the array are `fill`,
  // a scalar, or undefined if that is null.
  HloInstruction* Rows(HloInstruction* shard, const RowRange& range, const ShardLayout& layout,
                       HloInstruction* fill);
  // Shards joined along a dimension, in the order of each group.
  HloInstruction* GatherAlong(HloInstruction* shard, int64_t dimension,
                              const PartitionGroups& groups);
  // Where the rows from `start` on, an s32, are within [0, limit).
  HloInstruction* ValidRows(const Shape& shape, int64_t dimension, HloInstruction* start,
                            int64_t limit) const;
  // `fill`, a scalar, where the mask is false.
  HloInstruction* Masked(HloInstruction* value, HloInstruction* mask, HloInstruction* fill) const;
  // What the partitions of each group have, combined.
  HloInstruction* Combine(HloInstruction* part, const PartitionGroups& groups,
                          HloComputation* combiner);
  // The same of several parts, of one element type, by one instruction.
  std::vector<HloInstruction*> CombineAll(absl::Span<HloInstruction* const> parts,
                                          const PartitionGroups& groups, HloComputation* combiner);
  // The sum of parts of which each element is zero on all partitions but one, with the same bits.
  // `full`: the sum, without padding. `parts`: the layout. `scattered`: that of the sum, which a
  // reduce-scatter makes; null: it is on all partitions of a group.
  HloInstruction* CombineDisjoint(HloInstruction* part, Shape full, ShardLayout parts,
                                  const ShardLayout* scattered);
  // Adds a program's instructions, which get channels of their own, and returns its result.
  // InvalidArgument if operands have other shapes than its parameters.
  absl::StatusOr<HloInstruction*> Inline(const HloModule& program, HloComputation* computation,
                                         absl::Span<HloInstruction* const> operands);
  // Adds two scalars, or takes the larger or smaller one.
  HloComputation* Combiner(PrimitiveType type, UnreducedKind reduction);
  // The collective, with the metadata of its cause if there is one.
  HloInstruction* WithCause(HloInstruction* collective);
  // The collectives that were added since the last call.
  std::vector<HloInstruction*> TakeAdded() { return std::exchange(added_, {}); }

 private:
  struct ReshardPlan {
    NamedSharding from;
    std::vector<ReshardStep> steps;
    int64_t bytes;  // that a device receives
  };
  using PlanKey = std::tuple<NamedSharding, NamedSharding, std::vector<int64_t>, PrimitiveType>;

  // The cheapest of the ways from one layout to another; the others are null.
  struct Way {
    const ReshardPlan* plan = nullptr;
    std::optional<Redivision> redivision;
    const BlockExchange* exchange = nullptr;
    // Of a sum: it is divided over its own mesh first.
    std::optional<ShardLayout> scattered;
    bool is_placed = false;     // all shards are added, each at its place among zeros
    int64_t bytes = INT64_MAX;  // that a device receives
  };
  // A reshard, after which axes that divide dimensions still become partial.
  struct UnreducedReshard {
    const ReshardPlan* plan = nullptr;
    std::vector<std::vector<AxisRef>> placed;  // these axes, of each dimension
    PartitionGroups kept_first;                // along which the first has the value
  };
  // None if there is none.
  std::optional<UnreducedReshard> CheapestUnreducedReshard(const Shape& full,
                                                           const ShardLayout& from,
                                                           const ShardLayout& to) const;
  // The layout over the mesh of a sum in which it is divided before shards go to those who get
  // them, where that is less than to cut shards out of the sum. `bytes`: what a device receives for
  // both.
  std::optional<ShardLayout> ScatteredFirst(const Shape& full, const ShardLayout& from,
                                            const ShardLayout& to, int64_t* bytes) const;
  Way CheapestWay(const Shape& full, const ShardLayout& from, const ShardLayout& to) const;
  // Null where chains do as well, or there is none.
  const BlockExchange* ExchangeOf(const Shape& full, const ShardLayout& from,
                                  const ShardLayout& to) const;
  HloInstruction* Exchange(HloInstruction* shard, const Shape& full, const BlockExchange& exchange,
                           const ShardLayout& to);
  // Null if the layouts are over two meshes, or no reshard is possible.
  const ReshardPlan* PlanOf(const Shape& full, const ShardLayout& from,
                            const ShardLayout& to) const;
  HloInstruction* Redivide(HloInstruction* shard, const Redivision& redivision,
                           const ShardLayout& from, const ShardLayout& to);
  HloInstruction* PermutePiece(HloInstruction* piece, int64_t distance,
                               const std::vector<bool>& needed, const ShardLayout& layout,
                               int64_t dimension);
  HloInstruction* JoinedPieces(HloInstruction* shard, const RowPieces& pieces,
                               const ShardLayout& layout, int64_t dimension);
  absl::StatusOr<HloInstruction*> ShardAt(HloInstruction* full, const ShardLayout& layout);

  HloModule& module_;
  // Every strategy of every instruction asks for plans, mostly the same ones.
  mutable absl::flat_hash_map<PlanKey, std::unique_ptr<ReshardPlan>> plans_;
  mutable absl::flat_hash_map<PlanKey, std::unique_ptr<BlockExchange>> exchanges_;
  InstructionMetadata cause_;
  std::vector<HloInstruction*> added_;
  const int64_t partitions_;
  static constexpr int64_t kFirstChannel = int64_t{1} << 32;
  int64_t next_channel_ = kFirstChannel;
};

}  // namespace xla::spmd

#endif  // XLA_SPMD_SHARD_EMITTER_H_
