// SPDX-License-Identifier: Apache-2.0
// A caller of kernels for tests: any number of threads, counted memory, and a watch over polls.
#ifndef TESTS_KERNELS_KERNEL_TEST_UTIL_H_
#define TESTS_KERNELS_KERNEL_TEST_UTIL_H_

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "xla/kernels/context.h"

namespace xla::kernels {

class TestContext : public Context {
 public:
  explicit TestContext(int threads = 1) : threads_(threads) {}

  absl::Status ParallelFor(int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body) override {
    EXPECT_GE(chunk, 1);
    const int64_t chunks = count <= 0 ? 0 : (count - 1) / chunk + 1;
    std::atomic<int64_t> next{0};
    std::mutex mutex;
    int64_t failed = chunks;
    absl::Status status;
    const auto work = [&] {
      for (int64_t i = next++; i < chunks; i = next++) {
        absl::Status result = Poll();
        if (result.ok()) result = body(i * chunk, std::min(count, (i + 1) * chunk));
        if (result.ok()) continue;
        std::lock_guard<std::mutex> lock(mutex);
        next = chunks;
        if (i < failed) {
          failed = i;
          status = result;
        }
      }
    };
    std::vector<std::thread> workers;
    for (int i = 1; i < threads_ && chunks > 1; ++i) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
    return status;
  }

  absl::Status Poll() override {
    if (threads_ == 1) {
      const double now = CpuSeconds();
      longest_gap = std::max(longest_gap, now - last_poll_);
      last_poll_ = now;
    }
    return ++polls > cancel_after ? absl::CancelledError("cancelled") : absl::OkStatus();
  }

  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t bytes) override {
    if (live += bytes; live > limit) {
      live -= bytes;
      return absl::ResourceExhaustedError("over the limit");
    }
    peak = std::max(peak.load(), live.load());
    void* memory = std::aligned_alloc(64, static_cast<size_t>(bytes + 63) / 64 * 64);
    return std::shared_ptr<void>(memory, [this, bytes](void* data) {
      std::free(data);
      live -= bytes;
    });
  }

  // Of the calling thread: not disturbed by other processes.
  static double CpuSeconds() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  std::atomic<int64_t> live{0}, peak{0}, limit{INT64_MAX};
  std::atomic<int64_t> polls{0}, cancel_after{INT64_MAX};
  double longest_gap = 0;  // between polls, of a single thread

 private:
  const int threads_;
  double last_poll_ = CpuSeconds();
};

// Kernels poll at least every 100 ms and stop at once when told to: runs one whose input is large
// and cancels it after some polls. How long sanitizers take depends on what they check in a kernel
// and on what else the machine does: they see that it stops.
inline void ExpectStopsSoon(const std::function<absl::Status(Context&)>& kernel,
                            int64_t cancel_after = 20) {
  TestContext context;
  context.cancel_after = cancel_after;
  const absl::Status status = kernel(context);
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  // The time after the last poll.
  const int64_t polls = context.polls;
  context.Poll().IgnoreError();
#if !defined(__SANITIZE_ADDRESS__) && !defined(XYLEM_THREAD_SANITIZER)
  EXPECT_LE(context.longest_gap, 0.1);
#endif
  EXPECT_LE(polls, cancel_after + 2);
  EXPECT_EQ(context.live, 0);
}

// A kernel's working memory counts against its caller's limit.
inline void ExpectCountsMemory(int64_t least_bytes,
                               const std::function<absl::Status(Context&)>& kernel) {
  TestContext context;
  const absl::Status unlimited = kernel(context);
  EXPECT_TRUE(unlimited.ok()) << unlimited;
  EXPECT_GE(context.peak, least_bytes);
  EXPECT_EQ(context.live, 0);
  context.limit = context.peak - 1;
  EXPECT_EQ(kernel(context).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(context.live, 0);
}

// Random bits that are the same in every run.
class TestRandom {
 public:
  explicit TestRandom(uint64_t seed) : state_(seed * 2 + 1) {}
  uint64_t Bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x9E3779B97F4A7C15u;
  }
  int64_t In(int64_t low, int64_t high) {
    return low + static_cast<int64_t>((Bits() >> 20) % static_cast<uint64_t>(high - low + 1));
  }
  double Unit() { return static_cast<double>(Bits() >> 11) * 0x1p-53 * 2 - 1; }

 private:
  uint64_t state_;
};

}  // namespace xla::kernels

#endif  // TESTS_KERNELS_KERNEL_TEST_UTIL_H_
