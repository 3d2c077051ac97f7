// SPDX-License-Identifier: Apache-2.0
// Checks how the time of a computation grows with the size of its input.
//
//   ExpectLinearTime([](int64_t size) { return SecondsOf([&] { Verify(Chain(size)); }); }, 1'000,
//   100'000);
#ifndef TESTS_TIMING_H_
#define TESTS_TIMING_H_

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace xla::testing {

// The processor time in seconds that `run` takes on this thread: other processes count only by what
// they displace from caches and memory.
template <typename Run>
double SecondsOf(Run run) {
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  run();
  return now() - start;
}

// Checks that `seconds(large)` is closer to what linear time gives than to what quadratic time
// gives, relative to `seconds(small)`. The bound is the geometric mean of the two: sizes that
// differ by a factor of 100 leave a factor of 10 for caches that are too small and for a machine
// that does other things as well. After that the least of several attempts counts.
template <typename Seconds>
void ExpectLinearTime(Seconds seconds, int64_t small, int64_t large) {
  const double bound = std::pow(static_cast<double>(large) / static_cast<double>(small), 1.5);
  double small_seconds = seconds(small), large_seconds = seconds(large);
  for (int attempt = 1; attempt < 5 && large_seconds >= bound * small_seconds; ++attempt) {
    small_seconds = std::min(small_seconds, seconds(small));
    large_seconds = std::min(large_seconds, seconds(large));
  }
  EXPECT_LT(large_seconds, bound * small_seconds)
      << small_seconds << " s for " << small << ", " << large_seconds << " s for " << large;
}

}  // namespace xla::testing

#endif  // TESTS_TIMING_H_
