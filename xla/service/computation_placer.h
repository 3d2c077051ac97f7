// SPDX-License-Identifier: Apache-2.0
// The device assignment that programs have unless they say another.
#ifndef XLA_SERVICE_COMPUTATION_PLACER_H_
#define XLA_SERVICE_COMPUTATION_PLACER_H_

#include "absl/status/statusor.h"
#include "xla/device_assignment.h"  // IWYU pragma: export
#include "xla/xla_data.pb.h"        // IWYU pragma: export

namespace xla {

// Device replica * computation_count + computation for each: the order of a run's arguments.
class ComputationPlacer {
 public:
  virtual ~ComputationPlacer() = default;
  virtual absl::StatusOr<int> DeviceId(int replica, int computation, int replica_count,
                                       int computation_count);
  virtual absl::StatusOr<DeviceAssignment> AssignDevices(int replica_count, int computation_count);
};

}  // namespace xla

#endif  // XLA_SERVICE_COMPUTATION_PLACER_H_
