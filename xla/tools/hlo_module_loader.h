// SPDX-License-Identifier: Apache-2.0
// Programs from text and files in any form, under XLA's include path and with its signatures.
#ifndef XLA_TOOLS_HLO_MODULE_LOADER_H_
#define XLA_TOOLS_HLO_MODULE_LOADER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/hlo.pb.h"

namespace xla {

namespace hlo_module_loader_details {

struct Config {
  int64_t num_replicas = 0;  // 0: as the program says
  int64_t num_partitions = 0;
};

}  // namespace hlo_module_loader_details

// The text without what loggers put in front of each line: "I0102 03:04:05.678901 7 file.cc:8] ".
std::string StripLogHeaders(absl::string_view hlo_string);

// Formats: "hlo" and "txt", text; "pb", a serialized HloSnapshot, HloProto or HloModuleProto;
// "pbtxt", the same as protobuf text. The module is not verified. The hook may change its config.
absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFromData(
    absl::string_view data, absl::string_view format,
    const hlo_module_loader_details::Config& ovr_config = hlo_module_loader_details::Config(),
    const std::function<void(HloModuleConfig*)>& config_modifier_hook = {},
    BufferAssignmentProto* buffer_assignment_proto = nullptr, bool fill_missing_layouts = true);

// The format is that of the extension, unless it is given.
absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFromFile(
    const std::string& path, std::string format = "",
    const hlo_module_loader_details::Config& ovr_config = hlo_module_loader_details::Config(),
    const std::function<void(HloModuleConfig*)>& config_modifier_hook = {},
    BufferAssignmentProto* buffer_assignment_proto = nullptr, bool fill_missing_layouts = true);

}  // namespace xla

#endif  // XLA_TOOLS_HLO_MODULE_LOADER_H_
