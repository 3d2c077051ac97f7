// SPDX-License-Identifier: Apache-2.0
// What the caller of the partitioner decides: custom calls that it partitions itself, as
// jax.custom_partitioning does, and calls that report how a value is sharded.
#ifndef XLA_SPMD_CALL_PARTITIONER_H_
#define XLA_SPMD_CALL_PARTITIONER_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"

namespace xla::spmd {

// What a custom call becomes.
struct PartitionedCall {
  std::unique_ptr<HloModule> program;  // of one partition, without calls
  std::vector<HloSharding> operands;
  std::vector<HloSharding> results;  // of the array, or of each element of the tuple
};

// The functions are called while a program is partitioned, on the thread that does so.
class CallPartitioner {
 public:
  virtual ~CallPartitioner() = default;
  // Whether Partition takes this custom call.
  virtual bool Partitions(const HloInstruction& call) const = 0;
  // `operands` are the shardings that these have; `result` is the sharding that propagation gave,
  // one for each array of a tuple. The program must have as many parameters as the call has
  // operands.
  virtual absl::StatusOr<PartitionedCall> Partition(const HloInstruction& call,
                                                    absl::Span<const HloSharding> operands,
                                                    const HloSharding& result) const = 0;
  // Whether the custom call takes the shards of its operands as they are.
  virtual bool TakesShards(const HloInstruction& call) const = 0;
  // The sharding of the operand of a custom call "InspectSharding".
  virtual absl::Status ReportSharding(const HloInstruction& call,
                                      const HloSharding& sharding) const = 0;
};

}  // namespace xla::spmd

#endif  // XLA_SPMD_CALL_PARTITIONER_H_
