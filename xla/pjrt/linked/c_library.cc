// SPDX-License-Identifier: Apache-2.0
// Functions that the archives in the plugin would otherwise need from the process.
#include <sys/random.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

extern "C" {

// Objects compiled for executables expect the C library's variable at a known distance. Linked with
// --wrap=stderr, so that all of the plugin refers to this copy of the pointer.
extern FILE* __real_stderr;
FILE* __wrap_stderr = nullptr;

// Runs before the constructors of all other objects (priorities up to 100 are the compiler's).
__attribute__((constructor(101))) static void SetStandardError() { __wrap_stderr = __real_stderr; }

// std::random_device calls it. It is new in glibc 2.36, and nothing else needs more than 2.35.
uint32_t arc4random() {
  uint32_t word = 0;
  while (getrandom(&word, sizeof(word), 0) != static_cast<ssize_t>(sizeof(word))) {
  }
  return word;
}

// libzstd calls them if the process has them. 0: not traced.
unsigned long long ZSTD_trace_compress_begin(const struct ZSTD_CCtx_s*) { return 0; }
void ZSTD_trace_compress_end(unsigned long long, const void*) {}

}  // extern "C"
