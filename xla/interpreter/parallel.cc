// SPDX-License-Identifier: Apache-2.0
// The thread pool behind the interpreter's parallel loops.
#include "xla/interpreter/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace xla::interpreter {
namespace {

int UsableThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// One loop: threads draw chunks from `next`. Which thread runs a chunk varies, what a chunk is does
// not.
struct Loop {
  int64_t count;
  int64_t chunk;
  int64_t chunks;
  absl::FunctionRef<absl::Status(int64_t, int64_t)> body;
  std::atomic<int64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  int64_t failed_chunk = std::numeric_limits<int64_t>::max();
  absl::Status status;

  void Fail(int64_t index, absl::Status error) {
    std::lock_guard<std::mutex> lock(mutex);
    if (index < failed_chunk) {
      failed_chunk = index;
      status = std::move(error);
    }
    stop.store(true, std::memory_order_relaxed);
  }

  // Runs one chunk; false when none is left.
  bool RunOne() {
    if (stop.load(std::memory_order_relaxed)) return false;
    const int64_t index = next.fetch_add(1, std::memory_order_relaxed);
    if (index >= chunks) return false;
    const int64_t begin = index * chunk;
    absl::Status result = body(begin, std::min(count, begin + chunk));
    if (!result.ok()) Fail(index, std::move(result));
    return true;
  }
};

}  // namespace

struct ParallelRunner::Pool {
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i) threads.emplace_back([this] { Work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      finished = true;
    }
    wake.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void Work() {
    std::unique_lock<std::mutex> lock(mutex);
    int64_t seen = 0;
    while (true) {
      wake.wait(lock, [&] { return finished || generation != seen; });
      if (finished) return;
      seen = generation;
      Loop* current = loop;
      if (current == nullptr) continue;
      ++active;
      lock.unlock();
      while (current->RunOne()) {
      }
      lock.lock();
      if (--active == 0) idle.notify_all();
    }
  }

  // Lets the workers at the loop; it stays valid until Finish.
  void Begin(Loop* new_loop) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      loop = new_loop;
      ++generation;
    }
    wake.notify_all();
  }
  void Finish() {
    std::unique_lock<std::mutex> lock(mutex);
    loop = nullptr;
    idle.wait(lock, [&] { return active == 0; });
  }

  std::mutex mutex;
  std::condition_variable wake, idle;
  std::vector<std::thread> threads;
  Loop* loop = nullptr;
  int64_t generation = 0;
  int active = 0;
  bool finished = false;
};

int ParallelRunner::Threads(int requested) { return requested > 0 ? requested : UsableThreads(); }

ParallelRunner::ParallelRunner(int threads) : threads_(Threads(threads)) {}
ParallelRunner::~ParallelRunner() = default;

absl::Status ParallelRunner::Run(int64_t count, int64_t chunk,
                                 absl::FunctionRef<absl::Status(int64_t, int64_t)> body,
                                 absl::FunctionRef<absl::Status()> poll) {
  if (count <= 0) return absl::OkStatus();
  chunk = std::max<int64_t>(chunk, 1);
  const int64_t chunks = count / chunk + (count % chunk != 0 ? 1 : 0);
  Loop loop{.count = count, .chunk = chunk, .chunks = chunks, .body = body};
  const bool shared = threads_ > 1 && chunks > 1;
  if (shared) {
    if (pool_ == nullptr) pool_ = std::make_unique<Pool>(threads_ - 1);
    pool_->Begin(&loop);
  }
  absl::Status polled;
  while (loop.RunOne()) {
    polled = poll();
    if (!polled.ok()) {
      loop.stop.store(true, std::memory_order_relaxed);
      break;
    }
  }
  if (shared) pool_->Finish();
  return polled.ok() ? loop.status : polled;
}

}  // namespace xla::interpreter
