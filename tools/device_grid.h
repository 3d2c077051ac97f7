// SPDX-License-Identifier: Apache-2.0
// The devices of a run: replicas x partitions.
#ifndef XYLEM_TOOLS_DEVICE_GRID_H_
#define XYLEM_TOOLS_DEVICE_GRID_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tools/command.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"

namespace xla {

struct DeviceGrid {
  int64_t replicas = 1, partitions = 1;
  int64_t count() const { return replicas * partitions; }
};

// INVALID_ARGUMENT unless it has 1 to `most` devices.
absl::StatusOr<DeviceGrid> CheckDeviceGrid(DeviceGrid grid, int64_t most = kMaxDevices);
// --replicas and --partitions, or else what the module says, or its shardings.
absl::StatusOr<DeviceGrid> ReadDeviceGrid(const HloModule& module, const Arguments& arguments,
                                          int64_t most_devices = kMaxDevices);

}  // namespace xla

#endif  // XYLEM_TOOLS_DEVICE_GRID_H_
