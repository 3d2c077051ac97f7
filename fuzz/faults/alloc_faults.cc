// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD that makes allocations fail: XYLEM_FAIL_ALLOCATION=17 the 17th of the
// process, 17+ this one and all later ones. With XYLEM_COUNT_ALLOCATIONS=FILE it writes their
// number there when the process ends.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
// The allocator of glibc, by other names.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

// Constant-initialized: the first allocations come before any constructor.
std::atomic<int64_t> count{0};
std::atomic<int64_t> failing{0};  // 0: not known yet; -1: none
std::atomic<bool> all_later{false};

int64_t Failing() {
  int64_t number = failing.load(std::memory_order_relaxed);
  if (number != 0) return number;
  number = -1;
  if (const char* text = getenv("XYLEM_FAIL_ALLOCATION")) {
    number = 0;
    while (*text >= '0' && *text <= '9') number = number * 10 + (*text++ - '0');
    all_later.store(*text == '+', std::memory_order_relaxed);
  }
  failing.store(number, std::memory_order_relaxed);
  return number;
}

bool Fails() {
  const int64_t number = Failing();
  const int64_t mine = count.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool fails = all_later.load(std::memory_order_relaxed) ? mine >= number : mine == number;
  if (number > 0 && fails) errno = ENOMEM;
  return number > 0 && fails;
}

__attribute__((destructor)) void WriteCount() {
  const char* path = getenv("XYLEM_COUNT_ALLOCATIONS");
  if (path == nullptr) return;
  char text[32];
  const int size =
      std::snprintf(text, sizeof(text), "%lld\n", static_cast<long long>(count.load()));
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return;
  if (write(fd, text, static_cast<size_t>(size)) < 0) _exit(99);
  close(fd);
}

}  // namespace

extern "C" {
void* malloc(size_t size) { return Fails() ? nullptr : __libc_malloc(size); }
void* calloc(size_t number, size_t size) { return Fails() ? nullptr : __libc_calloc(number, size); }
void* realloc(void* block, size_t size) { return Fails() ? nullptr : __libc_realloc(block, size); }
void* memalign(size_t alignment, size_t size) {
  return Fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, size_t alignment, size_t size) {
  void* block = memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}
}
