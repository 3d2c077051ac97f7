// SPDX-License-Identifier: Apache-2.0
// Strategies from the dimension relations of an instruction: its factors are divided along axes
// that operands have or that are wanted of the result.
#ifndef XLA_SPMD_FACTOR_STRATEGIES_H_
#define XLA_SPMD_FACTOR_STRATEGIES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/spmd/shard_layout.h"
#include "xla/spmd/sharding_strategy.h"

namespace xla::spmd {

// Those that follow all layouts, as far as they agree, the operands alone, and the result alone
// (propagation/common_axes.h). Only factors that are divided evenly and that pass through, and of
// products and sums those that are reduced. None for instructions whose shards are not the same
// instruction on smaller arrays.
std::vector<ShardingStrategy> FactorStrategies(const HloInstruction& instruction,
                                               absl::Span<const ShardLayout* const> known,
                                               const ShardLayout* wanted, int64_t partitions);

}  // namespace xla::spmd

#endif  // XLA_SPMD_FACTOR_STRATEGIES_H_
