// SPDX-License-Identifier: Apache-2.0
// The arguments of several devices, from files. (What a running program reads from the host is in
// host_data.h.)
#ifndef XYLEM_TOOLS_REPLICAS_H_
#define XYLEM_TOOLS_REPLICAS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/command.h"
#include "tools/device_grid.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

// In parameter order. Devices share what is the same for all.
using DeviceArguments = std::vector<std::shared_ptr<const Literal>>;

// The program's arguments for each device: from --input and --param, else `recorded` (of a
// snapshot, for all devices; may be empty), else --random.
absl::StatusOr<std::vector<DeviceArguments>> ReadDeviceArguments(
    const HloModule& module, const DeviceGrid& grid, const Arguments& arguments,
    absl::Span<const Literal> recorded = {});

// --random.
OptionSpec RandomOption();

}  // namespace xla

#endif  // XYLEM_TOOLS_REPLICAS_H_
