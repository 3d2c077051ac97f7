// SPDX-License-Identifier: Apache-2.0
#include "xla/service/computation_placer.h"

#include "absl/strings/str_cat.h"

namespace xla {

absl::StatusOr<int> ComputationPlacer::DeviceId(int replica, int computation, int replica_count,
                                                int computation_count) {
  if (replica < 0 || replica >= replica_count || computation < 0 ||
      computation >= computation_count) {
    return absl::InvalidArgumentError(absl::StrCat("replica ", replica, " of ", replica_count,
                                                   ", computation ", computation, " of ",
                                                   computation_count));
  }
  return replica * computation_count + computation;
}

absl::StatusOr<DeviceAssignment> ComputationPlacer::AssignDevices(int replica_count,
                                                                  int computation_count) {
  if (replica_count <= 0 || computation_count <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(replica_count, " replicas and ", computation_count, " computations"));
  }
  DeviceAssignment assignment(replica_count, computation_count);
  for (int r = 0; r < replica_count; ++r) {
    for (int c = 0; c < computation_count; ++c) assignment(r, c) = r * computation_count + c;
  }
  return assignment;
}

}  // namespace xla
