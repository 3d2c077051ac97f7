// SPDX-License-Identifier: Apache-2.0
// Stand-in for XLA's pool of threads: Eigen's.
#ifndef TESTS_XLA_COMPAT_THREAD_POOL_H_
#define TESTS_XLA_COMPAT_THREAD_POOL_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "tests/xla_compat/environment.h"
#include "unsupported/Eigen/CXX11/ThreadPool"

namespace tsl {

class BlockingCounter {
 public:
  explicit BlockingCounter(int count) : count_(count) {}
  void DecrementCount() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--count_ == 0) done_.notify_all();
  }
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  int count_;
};

}  // namespace tsl

namespace tsl::thread {

// The destructor waits for the tasks.
class ThreadPool {
 public:
  ThreadPool(Env*, const std::string&, int threads) : pool_(threads) {}
  ThreadPool(Env*, const ThreadOptions&, const std::string&, int threads) : pool_(threads) {}
  int NumThreads() const { return pool_.NumThreads(); }
  void Schedule(std::function<void()> body) { pool_.Schedule(std::move(body)); }
  Eigen::ThreadPoolInterface* AsEigenThreadPool() { return &pool_; }

 private:
  mutable Eigen::ThreadPool pool_;
};

}  // namespace tsl::thread

#endif  // TESTS_XLA_COMPAT_THREAD_POOL_H_
