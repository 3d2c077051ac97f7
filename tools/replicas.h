// SPDX-License-Identifier: Apache-2.0
// The data of several devices: arguments, infeed, results, from and to files.
//
// Members of .npz files that belong to one device are named after it: "device3/arg00".
#ifndef XYLEM_TOOLS_REPLICAS_H_
#define XYLEM_TOOLS_REPLICAS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/command.h"
#include "tools/npz.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/runtime/channels.h"
#include "xla/runtime/feeds.h"

namespace xla {

struct DeviceGrid {
  int64_t replicas = 1, partitions = 1;
  int64_t count() const { return replicas * partitions; }
};

// In parameter order. Devices share what is the same for all.
using DeviceArguments = std::vector<std::shared_ptr<const Literal>>;

// --replicas and --partitions, or else what the module says.
absl::StatusOr<DeviceGrid> ReadDeviceGrid(const HloModule& module, const Arguments& arguments);

// The program's arguments from --input and --random, for each device.
absl::StatusOr<std::vector<DeviceArguments>> ReadDeviceArguments(const HloModule& module,
                                                                 const DeviceGrid& grid,
                                                                 const Arguments& arguments);

// Puts the data of --infeed into the queues and closes them.
absl::Status GiveInfeed(const HloModule& module, const DeviceGrid& grid, const Arguments& arguments,
                        Feeds& feeds);

// Arrays with names: the leaves of each device's result, then what it wrote to outfeed and sent to
// the host.
absl::StatusOr<std::vector<NamedLiteral>> CollectOutputs(const DeviceGrid& grid,
                                                         std::vector<Literal> results, Feeds& feeds,
                                                         HostChannels& channels);

}  // namespace xla

#endif  // XYLEM_TOOLS_REPLICAS_H_
