// SPDX-License-Identifier: Apache-2.0
// Operations that do the same for each index of some dimensions, which may be divided: those that a
// slice keeps whole, batches of linear algebra, batch and features of convolutions.
#ifndef XLA_PJRT_BATCH_RULES_H_
#define XLA_PJRT_BATCH_RULES_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/pjrt/shard_rules.h"

namespace xla::pjrt {

// As FormOnShards (shard_rules.h). Custom calls say with the frontend attribute "num_batch_dims"
// how many leading dimensions of all operands and results are such dimensions.
std::optional<ShardForm> BatchForm(const HloInstruction& instruction,
                                   absl::Span<const Tiles* const> known, int64_t partitions);

// Makes the sizes in the attributes of a clone those of its shards.
void FitToShards(HloInstruction* clone);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_BATCH_RULES_H_
