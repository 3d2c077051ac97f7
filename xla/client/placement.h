// SPDX-License-Identifier: Apache-2.0
// Where the devices of a program run. Private to xla/client.
#ifndef XLA_CLIENT_PLACEMENT_H_
#define XLA_CLIENT_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/client/client_core.h"
#include "xla/device_assignment.h"

namespace xla {

// Device d of a program is partition d % num_partitions of replica d / num_partitions.
struct Placement {
  std::vector<int64_t> ids;        // of each device; of a client without a job: its ordinal
  std::vector<int32_t> processes;  // of each; empty if all belong to this one
  std::vector<int> ordinals;       // of those of this process
  // Of all; -1 for those of other processes.
  std::vector<int> all_ordinals;

  bool spans_processes() const { return !processes.empty(); }
};

// As the assignment says, which may be null: on the first devices of the client then, or of its
// job where the client has too few. INVALID_ARGUMENT for devices that there are not, or twice.
absl::StatusOr<Placement> PlaceDevices(const ClientCore& core, int64_t replicas, int64_t partitions,
                                       const DeviceAssignment* assignment);

}  // namespace xla

#endif  // XLA_CLIENT_PLACEMENT_H_
