// SPDX-License-Identifier: Apache-2.0
// Custom calls that one partition makes for all, as callbacks on whole arrays are.
#ifndef XLA_PJRT_ONE_PARTITION_H_
#define XLA_PJRT_ONE_PARTITION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::pjrt {

// Makes the custom calls with a maximal sharding on their partition alone; the others get its
// results. `next_channel` is advanced past the channels that this takes. InvalidArgument if there
// is no such partition.
absl::Status CallOnOnePartition(HloModule* module, int64_t* next_channel);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_ONE_PARTITION_H_
