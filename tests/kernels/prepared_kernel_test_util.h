// SPDX-License-Identifier: Apache-2.0
// Callers of prepared kernels for tests: any number of workers, scratch memory with guards around
// it.
#ifndef TESTS_KERNELS_PREPARED_KERNEL_TEST_UTIL_H_
#define TESTS_KERNELS_PREPARED_KERNEL_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "tests/kernels/kernel_test_util.h"
#include "xla/base/dimension_vector.h"
#include "xla/kernels/array_spec.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

inline void ParallelForOnThreads(void* caller, int64_t count, void (*body)(void*, int64_t),
                                 void* argument) {
  const int workers = *static_cast<int*>(caller);
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    for (int64_t i = next++; i < count; i = next++) body(argument, i);
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < workers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

// Runs the kernel and checks that it stays within its scratch memory.
inline absl::Status RunPrepared(const Kernel& kernel, std::vector<void*> buffers, int workers = 1,
                                int32_t (*poll)(void*) = nullptr) {
  KernelHost host = {&workers, workers, &ParallelForOnThreads, poll};
  const int64_t bytes = kernel.ScratchBytes(workers);
  EXPECT_GE(bytes, 0);
  constexpr int64_t kGuard = 256;
  constexpr unsigned char kPattern = 0xA5;
  auto* memory = static_cast<unsigned char*>(std::aligned_alloc(64, Aligned(bytes) + 2 * kGuard));
  std::memset(memory, kPattern, Aligned(bytes) + 2 * kGuard);
  KernelCall call = {&host, buffers.data(), memory + kGuard};
  const absl::Status status = kernel.Run(call);
  const auto intact = [&](const unsigned char* guard) {
    return std::all_of(guard, guard + kGuard, [](unsigned char c) { return c == kPattern; });
  };
  EXPECT_TRUE(intact(memory)) << "written before the scratch memory";
  EXPECT_TRUE(intact(memory + kGuard + Aligned(bytes))) << "written beyond the scratch memory";
  std::free(memory);
  return status;
}

// An array of these sizes whose dimensions lie in memory in a random order.
inline ArraySpec RandomArray(TestRandom& random, PrimitiveType type,
                             absl::Span<const int64_t> dimensions, bool row_major) {
  ArraySpec spec;
  spec.type = type;
  spec.dimensions.assign(dimensions.begin(), dimensions.end());
  spec.strides.assign(dimensions.size(), 1);
  std::vector<int64_t> order(dimensions.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(order.size() - 1 - i);
  for (size_t i = order.size(); i > 1 && !row_major; --i)
    std::swap(order[i - 1], order[random.In(0, static_cast<int64_t>(i) - 1)]);
  int64_t stride = 1;
  for (const int64_t d : order) {
    spec.strides[d] = stride;
    stride *= dimensions[d];
  }
  return spec;
}

// Calls f(index) for all indices of the sizes, in row-major order.
template <typename F>
void ForEachIndex(absl::Span<const int64_t> sizes, F&& f) {
  for (const int64_t size : sizes) {
    if (size == 0) return;
  }
  DimensionVector index(sizes.size(), 0);
  while (true) {
    f(index);
    int64_t d = static_cast<int64_t>(sizes.size()) - 1;
    for (; d >= 0 && ++index[d] == sizes[d]; --d) index[d] = 0;
    if (d < 0) return;
  }
}

inline int64_t OffsetOf(const ArraySpec& array, absl::Span<const int64_t> index) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * array.strides[d];
  return offset;
}

}  // namespace xla::kernels

#endif  // TESTS_KERNELS_PREPARED_KERNEL_TEST_UTIL_H_
