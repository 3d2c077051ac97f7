// SPDX-License-Identifier: Apache-2.0
// A host of the plugin that does what it is told, in order, and needs nothing but the C library:
//
//   open FILE       loads the plugin
//   run             runs a program on the plugin that was opened last
//   close           closes it
//   global FILE     loads another library whose symbols all that comes later may find; a missing
//                   one is passed over
//   fork            ends the process from a child; the parent waits for it and goes on
//   compile-at-exit leaves while threads compile programs
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/guest/run_program.h"

namespace {

void* library = nullptr;
const PJRT_Api* api = nullptr;

bool Open(const char* file) {
  library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  using Entry = const PJRT_Api* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "GetPjrtApi"));
  if (entry == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  api = entry();
  return api != nullptr;
}

bool Fork() {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) std::exit(0);  // runs the handlers of the process's end
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void* CompileForever(void* client) {
  while (guest::Compile(*api, static_cast<PJRT_Client*>(client)) != nullptr) {
  }
  return nullptr;
}

bool StartCompiling() {
  PJRT_Client* const client = guest::NewClient(*api);
  if (client == nullptr) return false;
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, CompileForever, client) != 0) return false;
    pthread_detach(thread);
  }
  usleep(100000);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* word) { return std::strcmp(argv[i], word) == 0; };
    bool succeeded = false;
    if (is("open") && i + 1 < argc) {
      succeeded = Open(argv[++i]);
    } else if (is("global") && i + 1 < argc) {
      succeeded = true;
      if (dlopen(argv[++i], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        const char* const reason = dlerror();
        succeeded = std::strstr(reason, "No such file") != nullptr;
        std::printf("not loaded: %s\n", reason);
      }
    } else if (is("run")) {
      succeeded = guest::RunProgram(*api);
    } else if (is("close")) {
      succeeded = dlclose(library) == 0;
    } else if (is("fork")) {
      succeeded = Fork();
    } else if (is("compile-at-exit")) {
      succeeded = StartCompiling();
    }
    if (!succeeded) {
      std::fprintf(stderr, "failed: %s\n", argv[i]);
      return 1;
    }
  }
  return 0;
}
