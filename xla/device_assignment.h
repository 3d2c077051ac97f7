// SPDX-License-Identifier: Apache-2.0
// Which device runs which replica and partition of a program.
#ifndef XLA_DEVICE_ASSIGNMENT_H_
#define XLA_DEVICE_ASSIGNMENT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/array2d.h"
#include "xla/xla_data_enums.h"

namespace xla {

// assignment(replica, computation) is the number of a device. "Computation" is XLA's word for
// partition here.
class DeviceAssignment : public Array2D<int64_t> {
 public:
  struct LogicalID {
    int replica_id;
    int computation_id;
  };

  DeviceAssignment() = default;
  DeviceAssignment(int replica_count, int computation_count)
      : Array2D<int64_t>(replica_count, computation_count, -1) {}

  int replica_count() const { return static_cast<int>(height()); }
  int computation_count() const { return static_cast<int>(width()); }

  // NotFound if no replica or partition runs on the device, Internal if more than one does.
  absl::StatusOr<LogicalID> LogicalIdForDevice(int64_t device_id) const;
  absl::StatusOr<int> ReplicaIdForDevice(int64_t device_id) const;

  absl::Status Serialize(DeviceAssignmentProto* proto) const;
  static absl::StatusOr<std::unique_ptr<DeviceAssignment>> Deserialize(
      const DeviceAssignmentProto& proto);

  std::string ToString() const;
};

}  // namespace xla

#endif  // XLA_DEVICE_ASSIGNMENT_H_
