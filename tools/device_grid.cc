// SPDX-License-Identifier: Apache-2.0
// How many devices a program runs on.
#include "tools/device_grid.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "xla/spmd/partition.h"

namespace xla {

absl::StatusOr<DeviceGrid> CheckDeviceGrid(DeviceGrid grid, int64_t most) {
  if (grid.replicas >= 1 && grid.partitions >= 1 && grid.replicas <= most &&
      grid.partitions <= most / grid.replicas) {
    return grid;
  }
  return absl::InvalidArgumentError(absl::StrCat(grid.replicas, " replicas of ", grid.partitions,
                                                 " partitions are not 1 to ", most, " devices"));
}

absl::StatusOr<DeviceGrid> ReadDeviceGrid(const HloModule& module, const Arguments& arguments,
                                          int64_t most_devices) {
  DeviceGrid grid;
  grid.replicas = arguments.GetInt("--replicas", module.config().replica_count());
  // The programs of Shardy state the number of their devices in meshes alone.
  int64_t stated = module.config().num_partitions();
  if (stated == 1 || arguments.Has("--mesh")) {
    const int64_t sharded = spmd::CountShardedDevices(module);
    if (sharded > 1) stated = sharded;
  }
  grid.partitions = arguments.GetInt("--partitions", stated);
  return CheckDeviceGrid(grid, most_devices);
}

}  // namespace xla
