// SPDX-License-Identifier: Apache-2.0
// Custom calls that functions of the caller partition (jax.custom_partitioning), and calls that
// report how a value is divided (jax.debug.inspect_array_sharding). Both run while a program is
// partitioned.
#ifndef XLA_PJRT_CUSTOM_PARTITIONER_H_
#define XLA_PJRT_CUSTOM_PARTITIONER_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h"
#include "xla/spmd/call_partitioner.h"

namespace xla::pjrt {

// For the whole process, in place of an earlier one for this target. The callbacks are kept until
// the process ends, as a program that is being compiled may use them. InvalidArgument for callbacks
// of another version and without functions.
absl::Status RegisterPartitioner(std::string_view target,
                                 JAX_CustomCallPartitioner_Callbacks* callbacks);

// The partitioners registered so far. Results are suggested as a call's sharding rule says; without
// Shardy, as its partitioner says. Errors of partitioners; InvalidArgument for a program whose
// parameters are not as many as the operands.
class RegisteredPartitioners : public spmd::CallPartitioner {
 public:
  bool Partitions(const HloInstruction& call) const override;
  absl::StatusOr<spmd::PartitionedCall> Partition(
      const HloInstruction& call, absl::Span<const HloSharding> operands,
      const HloSharding& result_sharding) const override;
  bool TakesShards(const HloInstruction& call) const override;
  absl::Status ReportSharding(const HloInstruction& call,
                              const HloSharding& sharding) const override;
};

}  // namespace xla::pjrt

#endif  // XLA_PJRT_CUSTOM_PARTITIONER_H_
