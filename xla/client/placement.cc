// SPDX-License-Identifier: Apache-2.0
#include "xla/client/placement.h"

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/job.h"

namespace xla {
namespace {

absl::Status CheckIds(const ClientCore& core, int64_t partitions, const Placement& placement) {
  const int64_t devices = core.global_device_count();
  absl::flat_hash_set<int64_t> seen;
  for (size_t d = 0; d < placement.ids.size(); ++d) {
    const int64_t id = placement.ids[d];
    if (id < 0 || id >= devices) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the device assignment has device ", id, " for partition ",
          static_cast<int64_t>(d) % partitions, " of replica ",
          static_cast<int64_t>(d) / partitions, "; the ",
          core.job() == nullptr ? "client" : "job of the client", " has ", devices, " devices"));
    }
    if (!seen.insert(id).second)
      return absl::InvalidArgumentError(
          absl::StrCat("the device assignment has device ", id, " twice"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Placement> PlaceDevices(const ClientCore& core, int64_t replicas, int64_t partitions,
                                       const DeviceAssignment* assignment) {
  Placement placement;
  const int64_t devices = replicas * partitions;
  if (assignment == nullptr) {
    const bool are_local = devices <= core.backend().device_count();
    for (int64_t d = 0; d < devices; ++d)
      placement.ids.push_back(d + (are_local ? core.first_device() : 0));
  } else {
    if (assignment->replica_count() != replicas || assignment->computation_count() != partitions) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the device assignment is for ", assignment->replica_count(), " replicas and ",
          assignment->computation_count(), " partitions; the program was compiled for ", replicas,
          " and ", partitions));
    }
    for (int r = 0; r < replicas; ++r) {
      for (int p = 0; p < partitions; ++p) placement.ids.push_back((*assignment)(r, p));
    }
  }
  XLA_RETURN_IF_ERROR(CheckIds(core, partitions, placement));
  for (const int64_t id : placement.ids) {
    const int64_t ordinal = id - core.first_device();
    const bool is_local = ordinal >= 0 && ordinal < core.backend().device_count();
    placement.all_ordinals.push_back(is_local ? static_cast<int>(ordinal) : -1);
    if (is_local) placement.ordinals.push_back(static_cast<int>(ordinal));
  }
  if (placement.ordinals.size() < placement.ids.size()) {
    XLA_ASSIGN_OR_RETURN(placement.processes, core.job()->ProcessesOf(placement.ids));
  }
  return placement;
}

}  // namespace xla
