// SPDX-License-Identifier: Apache-2.0
// Parallel loops with a partition that does not depend on the number of threads: same bits for any
// number.
#ifndef XLA_INTERPRETER_PARALLEL_H_
#define XLA_INTERPRETER_PARALLEL_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace xla::interpreter {

// A pool of threads, started at the first loop that is large enough. One per run; used from one
// thread at a time.
class ParallelRunner {
 public:
  // threads <= 0: as many as this process may use.
  explicit ParallelRunner(int threads);
  ~ParallelRunner();
  ParallelRunner(const ParallelRunner&) = delete;
  ParallelRunner& operator=(const ParallelRunner&) = delete;

  // How many a request for that many stands for: as many as this process may use for 0 or less.
  static int Threads(int requested);
  int threads() const { return threads_; }

  // Calls body(begin, end) for the chunks [0, chunk), [chunk, 2*chunk) .. of [0, count); chunk
  // >= 1. `poll` is called by the calling thread between its chunks; an error of it, or of a body,
  // ends the loop early: the error of the lowest chunk among those that ran is returned.
  absl::Status Run(int64_t count, int64_t chunk,
                   absl::FunctionRef<absl::Status(int64_t, int64_t)> body,
                   absl::FunctionRef<absl::Status()> poll);

 private:
  struct Pool;
  const int threads_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_PARALLEL_H_
