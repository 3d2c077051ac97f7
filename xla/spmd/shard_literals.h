// SPDX-License-Identifier: Apache-2.0
// Values on the host: shards of full arrays, and full arrays of shards.
#ifndef XLA_SPMD_SHARD_LITERALS_H_
#define XLA_SPMD_SHARD_LITERALS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla::spmd {

// What a partition has of a value; `sharding` is that of all leaves, or a tuple with one for each.
// Padding is zero. Of an unreduced array, the first partition of each group has the value, the
// others what leaves it unchanged. Errors as of ShardLayoutOf.
absl::StatusOr<Literal> ShardOfLiteral(const LiteralSlice& full, const HloSharding& sharding,
                                       int64_t partition, int64_t partitions);

// The array of this shape from what the partitions have, in order. Unimplemented for unreduced
// arrays.
absl::StatusOr<Literal> FullLiteral(absl::Span<const LiteralSlice> shards,
                                    const HloSharding& sharding, const Shape& shape);
// The same of a result of this shape, with a sharding for each leaf.
absl::StatusOr<Literal> FullResult(absl::Span<const Literal> results,
                                   absl::Span<const HloSharding> shardings, const Shape& shape);

}  // namespace xla::spmd

#endif  // XLA_SPMD_SHARD_LITERALS_H_
