// SPDX-License-Identifier: Apache-2.0
// How matrix products work on shards of their operands.
#ifndef XLA_SPMD_DOT_STRATEGIES_H_
#define XLA_SPMD_DOT_STRATEGIES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/spmd/shard_layout.h"
#include "xla/spmd/sharding_strategy.h"

namespace xla::spmd {

// As the first operand that is known says (null: it is not), and the other of dimensions of its
// own.
std::optional<ShardingStrategy> DotStrategy(const HloInstruction& dot,
                                            absl::Span<const ShardLayout* const> known,
                                            int64_t partitions);
// Each kind of dimension as an operand, the result that is wanted (or null), or not at all.
std::vector<ShardingStrategy> DotStrategies(const HloInstruction& dot,
                                            absl::Span<const ShardLayout* const> known,
                                            const ShardLayout* wanted, int64_t partitions);

}  // namespace xla::spmd

#endif  // XLA_SPMD_DOT_STRATEGIES_H_
