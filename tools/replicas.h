// SPDX-License-Identifier: Apache-2.0
// The data of several devices, from and to files: arguments and results. (What a running program
// reads from the host is in host_data.h.)
//
// Members of .npz files that belong to one device are named after it: "device3/arg00".
#ifndef XYLEM_TOOLS_REPLICAS_H_
#define XYLEM_TOOLS_REPLICAS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/array_file.h"
#include "tools/command.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"
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

// INVALID_ARGUMENT unless it has 1 to `most` devices.
absl::StatusOr<DeviceGrid> CheckDeviceGrid(DeviceGrid grid, int64_t most = kMaxDevices);
// --replicas and --partitions, or else what the module says, or its shardings.
absl::StatusOr<DeviceGrid> ReadDeviceGrid(const HloModule& module, const Arguments& arguments,
                                          int64_t most_devices = kMaxDevices);

// An array of a file, by its name without that of the device. It is read on demand.
struct DeviceArray {
  std::string where;    // file and member, for errors
  int64_t device = -1;  // -1: for all
  std::string name;
  std::shared_ptr<const ArrayFile> file;
  size_t index = 0;  // in the file
};

// The arrays of a file, or the one that is written out. INVALID_ARGUMENT for a device outside the
// grid.
absl::StatusOr<std::vector<DeviceArray>> ReadDeviceArrays(const std::string& path,
                                                          const DeviceGrid& grid);

// The arrays of --input and --param for all devices, by the position that they have among the
// arguments, from their headers alone: before the program is known.
struct InputArray {
  int64_t position = 0;
  Shape shape;
  std::optional<int64_t> integer;  // the value of an integer scalar
};
absl::StatusOr<std::vector<InputArray>> ReadInputArrays(const Arguments& arguments);

// The program's arguments for each device: from --input and --param, else `recorded` (of a
// snapshot, for all devices; may be empty), else --random.
absl::StatusOr<std::vector<DeviceArguments>> ReadDeviceArguments(
    const HloModule& module, const DeviceGrid& grid, const Arguments& arguments,
    absl::Span<const Literal> recorded = {});

// --input, --param and --random.
OptionSpec InputOption();
OptionSpec ParamOption();
OptionSpec RandomOption();
// Whether --input or --param was given.
bool GivesArguments(const Arguments& arguments);

struct NamedLiteral {
  std::string name;
  Literal value;
};

// The leaves of each device's result, or of each replica's if there is one for each, followed by
// what it wrote to outfeed and sent to the host.
absl::StatusOr<std::vector<NamedLiteral>> CollectOutputs(const DeviceGrid& grid,
                                                         std::vector<Literal> results,
                                                         runtime::Feeds& feeds,
                                                         runtime::HostChannels& channels);

}  // namespace xla

#endif  // XYLEM_TOOLS_REPLICAS_H_
