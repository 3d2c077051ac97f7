// SPDX-License-Identifier: Apache-2.0
// For interpreters that call C with pointers alone, as R does (.C): loads a plugin and runs a
// program.
#include <dlfcn.h>

#include <cstdio>

#include "tests/guest/run_program.h"

extern "C" void guest_run(const char** file, int* passed) {
  *passed = 0;
  void* const library = dlopen(*file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return;
  }
  using Entry = const PJRT_Api* (*)();
  const PJRT_Api* const api = reinterpret_cast<Entry>(dlsym(library, "GetPjrtApi"))();
  *passed = guest::RunProgram(*api) ? 1 : 0;
  dlclose(library);
}
