// SPDX-License-Identifier: Apache-2.0
// Operations that do the same for each index of some dimensions, which may be divided: those that a
// slice keeps in full, batches of linear algebra, batch and features of convolutions.
#ifndef XLA_SPMD_BATCH_RULES_H_
#define XLA_SPMD_BATCH_RULES_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/spmd/sharding_strategy.h"

namespace xla::spmd {

// As FindShardingStrategy (sharding_strategy.h). Custom calls say with the frontend attribute
// "num_batch_dims" how many leading dimensions of all operands and results are such dimensions.
std::optional<ShardingStrategy> BatchStrategy(const HloInstruction& instruction,
                                              absl::Span<const ShardLayout* const> known,
                                              int64_t partitions);

// Makes the sizes in the attributes of a clone those of its shards.
void FitToShards(HloInstruction* clone);

}  // namespace xla::spmd

#endif  // XLA_SPMD_BATCH_RULES_H_
