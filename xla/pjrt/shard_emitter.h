// SPDX-License-Identifier: Apache-2.0
// Adds the instructions that cut arrays into tiles, put them together again, and exchange them.
#ifndef XLA_PJRT_SHARD_EMITTER_H_
#define XLA_PJRT_SHARD_EMITTER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/pjrt/tiles.h"
#include "xla/shape.h"

namespace xla::pjrt {

class ShardEmitter {
 public:
  explicit ShardEmitter(HloModule* module)
      : module_(*module), partitions_(module->config().num_partitions()) {}

  int64_t partitions() const { return partitions_; }
  // The next channel of a collective; it is advanced past those that are taken.
  int64_t* next_channel() { return &next_channel_; }

  // The tile of a whole array that this partition has. Of those whose values add up, the first has
  // it, the others zeros. Unimplemented for dimensions that do not divide evenly.
  absl::StatusOr<HloInstruction*> Cut(HloInstruction* whole, const Tiles& tiles);
  // The whole array, from the tiles of all partitions.
  HloInstruction* Gather(HloInstruction* shard, const Shape& whole, const Tiles& tiles);
  // An array of the whole shape with the tile at its place and zeros elsewhere.
  HloInstruction* Place(HloInstruction* shard, const Shape& whole, const Tiles& tiles);
  // The tile of `to` from the partition that has it in `from`, where both have tiles of one size;
  // null if no exchange of one tile for another does.
  HloInstruction* Permute(HloInstruction* shard, const Tiles& from, const Tiles& to);
  // What the partitions of each group have, combined.
  HloInstruction* Combine(HloInstruction* part, const std::vector<std::vector<int64_t>>& groups,
                          HloComputation* combiner);
  // The same of several parts, of one element type, by one instruction.
  std::vector<HloInstruction*> CombineAll(absl::Span<HloInstruction* const> parts,
                                          const std::vector<std::vector<int64_t>>& groups,
                                          HloComputation* combiner);
  // Adds a program's instructions, which get channels of their own, and returns its result.
  // InvalidArgument if operands have other shapes than its parameters.
  absl::StatusOr<HloInstruction*> Inline(const HloModule& program, HloComputation* computation,
                                         absl::Span<HloInstruction* const> operands);
  // Adds two scalars, or takes the larger or smaller one.
  HloComputation* Combiner(PrimitiveType type, UnreducedKind reduction);
  // Where the tile of the partition of this number starts in a dimension, an s32.
  HloInstruction* TileStart(HloInstruction* number, const Shape& shard, const Tiles& tiles,
                            size_t dimension) const;

 private:
  absl::StatusOr<HloInstruction*> TileOf(HloInstruction* whole, const Tiles& tiles);

  HloModule& module_;
  const int64_t partitions_;
  // First channel id for collectives inserted here; programs use small ids.
  int64_t next_channel_ = int64_t{1} << 32;
};

}  // namespace xla::pjrt

#endif  // XLA_PJRT_SHARD_EMITTER_H_
