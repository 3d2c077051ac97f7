// SPDX-License-Identifier: Apache-2.0
// Custom calls that functions of the caller partition (jax.custom_partitioning), and calls that
// report how a value is divided (jax.debug.inspect_array_sharding). Both run while a program is
// partitioned.
#ifndef XLA_PJRT_CUSTOM_PARTITIONER_H_
#define XLA_PJRT_CUSTOM_PARTITIONER_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h"
#include "xla/pjrt/tiles.h"

namespace xla::pjrt {

// For the whole process, in place of an earlier one for this target. The callbacks are kept until
// the process ends, as a program that is being compiled may use them. InvalidArgument for callbacks
// of another version and without functions.
absl::Status RegisterPartitioner(std::string_view target,
                                 JAX_CustomCallPartitioner_Callbacks* callbacks);

// Whether this is a custom call whose target has a partitioner.
bool HasPartitioner(const HloInstruction& instruction);

// Whether it reports the sharding of its operand.
bool InspectsSharding(const HloInstruction& instruction);

struct CustomPartition {
  std::unique_ptr<HloModule> program;  // of one partition, without calls
  std::vector<HloSharding> operands;
  std::vector<HloSharding> results;  // of the array, or of each element of the tuple
};

// How an operand is divided at hand.
struct OperandDivision {
  HloSharding sharding = HloSharding::Replicate();
  const Tiles* tiles = nullptr;  // null: not at all
};

// Asks the partitioner of the call. Results are suggested as the call's sharding rule says; without
// Shardy, as the partitioner says. Errors of the partitioner, and InvalidArgument for a program
// whose parameters are not as many as the operands.
absl::StatusOr<CustomPartition> PartitionCustomCall(const HloInstruction& call,
                                                    absl::Span<const OperandDivision> operands);

// Reports the sharding.
absl::Status ReportSharding(const HloInstruction& call, const HloSharding& sharding);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_CUSTOM_PARTITIONER_H_
