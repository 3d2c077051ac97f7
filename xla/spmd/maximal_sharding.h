// SPDX-License-Identifier: Apache-2.0
// Custom calls that one partition makes for all, as callbacks on full arrays are.
#ifndef XLA_SPMD_MAXIMAL_SHARDING_H_
#define XLA_SPMD_MAXIMAL_SHARDING_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::spmd {

// Makes the custom calls with a maximal sharding on their partition alone; the others get its
// results. `next_channel` is advanced past the channels that this takes. InvalidArgument if there
// is no such partition.
absl::Status PartitionMaximalCalls(HloModule* module, int64_t* next_channel);

}  // namespace xla::spmd

#endif  // XLA_SPMD_MAXIMAL_SHARDING_H_
