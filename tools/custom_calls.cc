// SPDX-License-Identifier: Apache-2.0
// The option --custom-calls: shared libraries with handlers.
#include "tools/custom_calls.h"

#include <string>

#include "xla/base/status_macros.h"

namespace xla {

OptionSpec CustomCallsOption() {
  return {"--custom-calls", "LIBRARY",
          "shared library with custom calls (xla/runtime/custom_call_c.h); may be repeated"};
}

absl::StatusOr<CustomCallRegistry> LoadCustomCalls(const Arguments& arguments) {
  CustomCallRegistry registry;
  for (const std::string& path : arguments.All("--custom-calls")) {
    XLA_RETURN_IF_ERROR(registry.LoadLibrary(path));
  }
  return registry;
}

}  // namespace xla
