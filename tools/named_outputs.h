// SPDX-License-Identifier: Apache-2.0
// What a run returns, by name: results, and what the program wrote to the host.
#ifndef XYLEM_TOOLS_NAMED_OUTPUTS_H_
#define XYLEM_TOOLS_NAMED_OUTPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/command.h"
#include "tools/device_grid.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/runtime/channels.h"
#include "xla/runtime/feeds.h"

namespace xla {

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

// Before anything runs: INVALID_ARGUMENT unless its name is that of a format for results.
absl::Status CheckOutputFile(const std::string& path, const Arguments& arguments);
// INVALID_ARGUMENT if a program returns more than a .npy file, which has one array, can hold.
absl::Status CheckOneResult(const HloModule& module, const DeviceGrid& grid,
                            const std::string& path);
// Writes a .npz archive, or a .npy file where the name says so.
absl::Status WriteOutputs(const std::string& path, const std::vector<NamedLiteral>& outputs);

// Small arrays whole, large ones by their first elements.
std::string AbbreviatedText(const LiteralSlice& array);

}  // namespace xla

#endif  // XYLEM_TOOLS_NAMED_OUTPUTS_H_
