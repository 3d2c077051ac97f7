// SPDX-License-Identifier: Apache-2.0
// Threads that run the loops of routines under test.
#ifndef TESTS_BLAS_THREADS_UTIL_H_
#define TESTS_BLAS_THREADS_UTIL_H_

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "xla/kernels/kernel.h"

namespace xla::blas {

// A host whose loops start threads, so that they run at the same time for sure.
class TestThreads {
 public:
  explicit TestThreads(int32_t workers) : workers_(workers) {}

  kernels::KernelHost host() { return {this, workers_, &ParallelFor, &Poll}; }
  // The status code that polls return.
  void set_code(int32_t code) { code_ = code; }
  int64_t loops() const { return loops_; }

 private:
  static void ParallelFor(void* caller, int64_t count, void (*body)(void*, int64_t),
                          void* argument) {
    TestThreads* const self = static_cast<TestThreads*>(caller);
    ++self->loops_;
    std::atomic<int64_t> next{0};
    const auto work = [&] {
      for (int64_t i = next++; i < count; i = next++) body(argument, i);
    };
    std::vector<std::thread> threads;
    for (int32_t i = 1; i < self->workers_; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
  }
  static int32_t Poll(void* caller) { return static_cast<TestThreads*>(caller)->code_; }

  const int32_t workers_;
  std::atomic<int32_t> code_{0};
  int64_t loops_ = 0;
};

}  // namespace xla::blas

#endif  // TESTS_BLAS_THREADS_UTIL_H_
