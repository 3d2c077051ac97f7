// SPDX-License-Identifier: Apache-2.0
#include "python/native/threads.h"

#include <pthread.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace xla::python {
namespace {

std::atomic<int> forks{0};

[[gnu::constructor]] void CountForks() {
  pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
}

struct Pools {
  std::mutex mutex;
  // By number of threads and generation.
  std::map<std::pair<int, int>, std::weak_ptr<Threads>> threads;
};

}  // namespace

int ForkGeneration() { return forks.load(std::memory_order_relaxed); }

std::shared_ptr<Threads> SharedThreads(int count) {
  static auto* const pools = new Pools;
  const std::lock_guard lock(pools->mutex);
  std::weak_ptr<Threads>& known = pools->threads[{count, ForkGeneration()}];
  std::shared_ptr<Threads> threads = known.lock();
  if (threads == nullptr) {
    threads = std::make_shared<Threads>(count);
    known = threads;
  }
  return threads;
}

}  // namespace xla::python
