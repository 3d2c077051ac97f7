// SPDX-License-Identifier: Apache-2.0
// What XLA writes beside its dumps. Programs are dumped with the command: `xylem compile --help`.
#ifndef XLA_SERVICE_DUMP_H_
#define XLA_SERVICE_DUMP_H_

#include <string>

#include "xla/xla.pb.h"

namespace xla {

// The fields that differ from DefaultDebugOptionsIgnoringFlags, in protobuf's text format, as
// ParseFlagsFromDebugOptionsFile reads them. Lists that are empty are left out.
std::string GetNonDefaultDebugOptions(const DebugOptions& options);

}  // namespace xla

#endif  // XLA_SERVICE_DUMP_H_
