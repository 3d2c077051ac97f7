// SPDX-License-Identifier: Apache-2.0
// Custom calls from shared libraries.
#include <dlfcn.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "xla/runtime/custom_call.h"

namespace xla {

absl::Status CustomCallRegistry::LoadLibrary(const std::string& path) {
  // Without a slash dlopen would search the system's folders.
  const std::string file = path.find('/') == std::string::npos ? absl::StrCat("./", path) : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return absl::InvalidArgumentError(absl::StrCat("cannot load the custom-call library ", path,
                                                   ": ", reason == nullptr ? "no reason" : reason));
  }
  void* symbol = dlsym(library, XYLEM_CUSTOM_CALLS_SYMBOL);
  if (symbol == nullptr) {
    dlclose(library);  // nothing of it ran but its initializers
    return absl::InvalidArgumentError(absl::StrCat("the library ", path,
                                                   " has no custom calls: it does not export ",
                                                   XYLEM_CUSTOM_CALLS_SYMBOL, "()"));
  }
  const auto entry = reinterpret_cast<XylemCustomCallsFunction>(symbol);
  return RegisterTable(entry(), absl::StrCat("custom-call library ", path));
}

}  // namespace xla
