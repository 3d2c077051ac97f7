// SPDX-License-Identifier: Apache-2.0
#include "xla/base/mutant_switch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace mutant {
namespace {

// One byte per mutant, set when it is reached. Shared by a test and the processes that it starts,
// and complete even if they are killed.
char* trace = nullptr;
long trace_size = 0;

}  // namespace

// active == -2: not known yet; -1: no mutant is active, those that are reached are noted.
bool OnSlow(int id) {
  if (active == -2) {
    const char* chosen = std::getenv("XYLEM_MUTANT");
    const char* path = std::getenv("XYLEM_MUTANT_TRACE");
    if (path != nullptr) {
      const int fd = open(path, O_RDWR | O_CLOEXEC);
      struct stat info = {};
      if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0) {
        void* memory = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ | PROT_WRITE,
                            MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED) {
          trace = static_cast<char*>(memory);
          trace_size = info.st_size;
        }
      }
      if (fd >= 0) close(fd);
    }
    active = trace != nullptr ? -1 : chosen == nullptr ? 0 : std::atoi(chosen);
  }
  if (active >= 0) return active == id;
  if (id < trace_size) trace[id] = 1;
  return false;
}

void Inapplicable(int id) {
  const char* path = std::getenv("XYLEM_MUTANT_INAPPLICABLE");
  if (path == nullptr) return;
  const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd >= 0) close(fd);
}

}  // namespace mutant
