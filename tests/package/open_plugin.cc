// SPDX-License-Identifier: Apache-2.0
// A client of the installed plugin: opens it and asks for its version.
#include <dlfcn.h>

#include <cstdio>

#include "xla/pjrt/c/pjrt_c_api.h"

int main() {
  void* const library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto entry = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (entry == nullptr || entry()->pjrt_api_version.major_version != PJRT_API_MAJOR) return 1;
  std::printf("PJRT %d.%d\n", entry()->pjrt_api_version.major_version,
              entry()->pjrt_api_version.minor_version);
  return 0;
}
