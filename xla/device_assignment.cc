// SPDX-License-Identifier: Apache-2.0
// Device assignments: look-up and wire form.
#include "xla/device_assignment.h"

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/xla_data.pb.h"

namespace xla {

absl::StatusOr<DeviceAssignment::LogicalID> DeviceAssignment::LogicalIdForDevice(
    int64_t device_id) const {
  LogicalID found = {-1, -1};
  for (int r = 0; r < replica_count(); ++r) {
    for (int c = 0; c < computation_count(); ++c) {
      if ((*this)(r, c) != device_id) continue;
      if (found.replica_id >= 0) {
        return absl::InternalError(
            absl::StrCat("device ", device_id, " is assigned twice: ", ToString()));
      }
      found = {r, c};
    }
  }
  if (found.replica_id < 0) {
    return absl::NotFoundError(
        absl::StrCat("device ", device_id, " is not in the device assignment: ", ToString()));
  }
  return found;
}

absl::StatusOr<int> DeviceAssignment::ReplicaIdForDevice(int64_t device_id) const {
  XLA_ASSIGN_OR_RETURN(const LogicalID id, LogicalIdForDevice(device_id));
  return id.replica_id;
}

absl::Status DeviceAssignment::Serialize(DeviceAssignmentProto* proto) const {
  proto->Clear();
  proto->set_replica_count(replica_count());
  proto->set_computation_count(computation_count());
  for (int c = 0; c < computation_count(); ++c) {
    auto* devices = proto->add_computation_devices();
    for (int r = 0; r < replica_count(); ++r) devices->add_replica_device_ids((*this)(r, c));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<DeviceAssignment>> DeviceAssignment::Deserialize(
    const DeviceAssignmentProto& proto) {
  const int replicas = proto.replica_count(), computations = proto.computation_count();
  if (replicas <= 0 || computations <= 0 || proto.computation_devices_size() != computations) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a device assignment of ", replicas, " replicas and ", computations,
        " computations, with devices for ", proto.computation_devices_size(), " computations"));
  }
  for (const auto& devices : proto.computation_devices()) {
    if (devices.replica_device_ids_size() != replicas) {
      return absl::InvalidArgumentError(absl::StrCat("a device assignment of ", replicas,
                                                     " replicas with devices for ",
                                                     devices.replica_device_ids_size()));
    }
  }
  auto assignment = std::make_unique<DeviceAssignment>(replicas, computations);
  for (int c = 0; c < computations; ++c) {
    for (int r = 0; r < replicas; ++r) {
      (*assignment)(r, c) = proto.computation_devices(c).replica_device_ids(r);
    }
  }
  return assignment;
}

std::string DeviceAssignment::ToString() const {
  std::string out =
      absl::StrCat("Computations: ", computation_count(), " Replicas: ", replica_count(), "\n");
  for (int c = 0; c < computation_count(); ++c) {
    absl::StrAppend(&out, "Computation ", c, ": ");
    for (int r = 0; r < replica_count(); ++r) absl::StrAppend(&out, (*this)(r, c), " ");
    absl::StrAppend(&out, "\n");
  }
  return out;
}

}  // namespace xla
