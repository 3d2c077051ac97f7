// SPDX-License-Identifier: Apache-2.0
// What a program reads from the host while it runs, from files: infeed, and recv with
// is_host_transfer=true.
//
// Each array of a file is one value, in order, for all devices or for the one it is named after
// ("device3/x"); the leaves of a tuple are arrays that follow each other, named x.0, x.1, ...
#ifndef XYLEM_TOOLS_HOST_DATA_H_
#define XYLEM_TOOLS_HOST_DATA_H_

#include "absl/status/status.h"
#include "tools/command.h"
#include "tools/device_grid.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/runtime/channels.h"
#include "xla/runtime/feeds.h"

namespace xla {

// Puts the data of --infeed FILE into the queues and closes them. INVALID_ARGUMENT for what no
// infeed of the program reads.
absl::Status GiveInfeed(const HloModule& module, const DeviceGrid& grid, const Arguments& arguments,
                        runtime::Feeds& feeds);

// The same with --host-recv CHANNEL=FILE for what the program receives from the host.
absl::Status GiveHostRecv(const HloModule& module, const DeviceGrid& grid,
                          const Arguments& arguments, runtime::HostChannels& channels);

}  // namespace xla

#endif  // XYLEM_TOOLS_HOST_DATA_H_
