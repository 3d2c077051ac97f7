// SPDX-License-Identifier: Apache-2.0
// The pool of threads that divide the work of operations: one for the life of a client.
//
//   ThreadPool pool;                                   // as many threads as the process may use
//   pool.ParallelFor(count, /*chunk=*/1024, [&](int64_t begin, int64_t end) {
//     for (int64_t i = begin; i < end; ++i) out[i] = in[i] + 1;
//     return absl::OkStatus();
//   });
//
// Work in the pool computes and ends: it must not wait for other work or for the host. Work that
// blocks (a device in a rendezvous) runs on threads of ReusableThreads.
#ifndef XLA_RUNTIME_THREAD_POOL_H_
#define XLA_RUNTIME_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace xla::runtime {

// Thread-safe.
class ThreadPool {
 public:
  using Body = absl::FunctionRef<absl::Status(int64_t begin, int64_t end)>;
  using Poll = absl::FunctionRef<absl::Status()>;

  // `num_threads` counts the thread that calls ParallelFor; 0 or less: UsableCpus() (cpu_count.h).
  // The threads are started by the first loop of several chunks, and live as long as the pool.
  explicit ThreadPool(int num_threads = 0);
  // Precondition: no loop is running.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return num_threads_; }
  // Threads that the pool has started so far.
  int64_t threads_started() const { return threads_started_.load(std::memory_order_relaxed); }

  // Calls body(begin, end) for the chunks [0, chunk), [chunk, 2*chunk), ... of [0, count), and
  // returns when all have ended. The chunks do not depend on the number of threads, and so neither
  // do results. chunk < 1 counts as 1.
  //
  // Workers take over the bound on instruction sets (xla/base/instruction_set.h) of the thread that
  // starts the loop.
  //
  // Loops of several threads share the workers, a chunk each in turn. A loop that starts inside the
  // body of another one runs on the thread that it starts on. `poll` is called by the calling
  // thread between its chunks; its error, or that of a body, ends the loop early. The error of the
  // lowest chunk among those that ran is returned.
  absl::Status ParallelFor(int64_t count, int64_t chunk, Body body, Poll poll);
  absl::Status ParallelFor(int64_t count, int64_t chunk, Body body) {
    return ParallelFor(count, chunk, body, [] { return absl::OkStatus(); });
  }

 private:
  struct Loop;

  void Start();
  void Work(int thread);  // 1 and up: the caller of a loop is 0
  // Looks for a loop so many times, without the mutex.
  bool AwaitLoop(int spins) const;
  // The next loop in turn that has chunks left; null if there is none.
  Loop* NextLoop();
  void Remove(Loop* loop);

  const int num_threads_;
  std::atomic<int64_t> threads_started_{0};
  std::atomic<int> loop_count_{0};  // size of loops_, for threads without the mutex

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_started_ = false;
  bool is_finished_ = false;
  int idle_ = 0;
  size_t turn_ = 0;           // position in loops_ of the loop that is served next
  std::vector<Loop*> loops_;  // with chunks that no thread has taken
  std::vector<std::thread> threads_;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_THREAD_POOL_H_
