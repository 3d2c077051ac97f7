// SPDX-License-Identifier: Apache-2.0
// The clock of measurements on one thread.
#ifndef BENCH_THREAD_TIME_H_
#define BENCH_THREAD_TIME_H_

#include <time.h>

namespace xla {

// The processor time of this thread: other processes count only by what they displace from caches.
inline double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace xla

#endif  // BENCH_THREAD_TIME_H_
