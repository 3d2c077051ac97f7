// SPDX-License-Identifier: Apache-2.0
// The loops around gathers and scatters: which dimensions of operands, indices and windows belong
// together, and the ways to divide them.
#ifndef XLA_SPMD_INDEXED_LOOPS_H_
#define XLA_SPMD_INDEXED_LOOPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

// Dimensions that are divided alike, or -1: of the operands (of a scatter, also the results), of
// the indices, and of what has windows (a gather's result, a scatter's updates).
struct IndexedLoop {
  enum class Kind : uint8_t {
    kWindow,    // windows have all of the operand's dimension
    kParallel,  // index vectors along a dimension have its positions as a component, or it is a
                // batching dimension
    kBatch,     // of index vectors
    kIndexed,   // positions that indices choose: each partition works on those in its shard
  };
  Kind kind;
  int64_t operand = -1, indices = -1, windows = -1;
  int64_t component = -1;  // of index vectors; -1 for batching dimensions
  int64_t size = 1;        // of windows in the dimension, for kIndexed
};

std::vector<IndexedLoop> LoopsOfGather(const HloInstruction& gather);
std::vector<IndexedLoop> LoopsOfScatter(const HloInstruction& scatter);

// Whether index vectors choose positions along the dimension, which is divided: each partition
// counts them from where its shard begins.
bool HasPositions(const IndexedLoop& loop, const DimensionSharding& sharding);

// How all dimensions are divided.
struct IndexedLayouts {
  std::vector<DimensionSharding> loops;
  ShardLayout operand, indices, windows;
  // Partitions that share out what indices choose, and the batch of indices. Empty: none do.
  PartitionGroups choosing, batches;
};

// Ways to divide them that follow the layouts that are given (null: none), each before the others:
// `result` is that of the operand for scatters, and of windows for gathers. At least one, which
// divides nothing. Scatters that may not divide the batch of indices have `may_divide_batch` false.
std::vector<IndexedLayouts> IndexedCandidates(
    absl::Span<const IndexedLoop> loops, const ShardLayout* operand, const ShardLayout* indices,
    const ShardLayout* windows, const ShardLayout* result_of_scatter,
    const HloInstruction& instruction, bool may_divide_batch, int64_t partitions);

}  // namespace xla::spmd

#endif  // XLA_SPMD_INDEXED_LOOPS_H_
