// SPDX-License-Identifier: Apache-2.0
// The instructions of a planned reshard.
#ifndef XLA_SPMD_RESHARD_EMITTER_H_
#define XLA_SPMD_RESHARD_EMITTER_H_

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/shape.h"
#include "xla/spmd/partition_groups.h"
#include "xla/spmd/reshard.h"
#include "xla/spmd/shard_emitter.h"

namespace xla::spmd {

// What this partition has of an array of `shape` after the steps of PlanReshard, from its shard
// before them. Shards have ceil(size / number of shards) elements in each dimension, of which those
// beyond the array are padding without meaning. Programs have a partition for each device.
HloInstruction* EmitReshard(HloInstruction* shard, const NamedSharding& from,
                            absl::Span<const ReshardStep> steps, const Shape& shape,
                            ShardEmitter& emit);

}  // namespace xla::spmd

#endif  // XLA_SPMD_RESHARD_EMITTER_H_
