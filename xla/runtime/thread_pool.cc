// SPDX-License-Identifier: Apache-2.0
// Parallel loops on a pool of threads.
#include "xla/runtime/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <system_error>
#include <utility>

#include "xla/base/floating_point_mode.h"
#include "xla/base/instruction_set.h"
#include "xla/runtime/cpu_count.h"

namespace xla::runtime {
namespace {

// How often a thread looks at whether there is something to do before it goes to sleep. To wake a
// sleeping thread takes some microseconds, on virtual machines tens of them, which is longer than
// many loops run; a look takes 10 to 40 nanoseconds.
constexpr int kSpins = 512;  // of the calling thread, for the last chunks
// Of workers between loops: twice as often after each loop that began soon, half as often after
// others, whether the thread was still looking or had gone to sleep.
constexpr int kLeastIdleSpins = 16;
constexpr int kMostIdleSpins = 4096;
constexpr std::chrono::microseconds kSoon(100);

// Whether this thread is inside the body of a loop.
thread_local bool is_in_loop = false;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

absl::Status RunOnTheSpot(int64_t count, int64_t chunk, ThreadPool::Body body,
                          ThreadPool::Poll poll) {
  for (int64_t begin = 0; begin < count;) {
    const int64_t end = count - begin <= chunk ? count : begin + chunk;
    if (absl::Status status = body(begin, end); !status.ok()) return status;
    if (absl::Status status = poll(); !status.ok()) return status;
    begin = end;
  }
  return absl::OkStatus();
}

}  // namespace

// Chunks are divided into ranges, one for each thread, which takes from those of others when its
// own is empty: threads that compute the same part of one array after the other find it in their
// caches. Which thread runs a chunk varies; what a chunk is does not.
struct ThreadPool::Loop {
  static constexpr int kMostRanges = 16;
  struct alignas(64) Range {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  int64_t count;
  int64_t chunk;
  int64_t chunks;
  Body body;
  // Of the thread that starts it.
  const InstructionSet max_instruction_set = MaxInstructionSet();
  const FloatingPointMode floating_point_mode = FloatingPointMode::OfThread();
  int range_count;
  Range ranges[kMostRanges];
  std::atomic<bool> stop{false};
  std::atomic<int> workers{0};  // that are at this loop; changed under the pool's mutex
  std::condition_variable idle;
  std::mutex error_mutex;
  int64_t failed_chunk = std::numeric_limits<int64_t>::max();
  absl::Status status;

  void Fail(int64_t index, absl::Status error) {
    const std::lock_guard<std::mutex> lock(error_mutex);
    if (index < failed_chunk) {
      failed_chunk = index;
      status = std::move(error);
    }
    stop.store(true, std::memory_order_relaxed);
  }

  Loop(int64_t count, int64_t chunk, int64_t chunks, int threads, Body body)
      : count(count), chunk(chunk), chunks(chunks), body(body) {
    range_count = static_cast<int>(std::min<int64_t>({kMostRanges, threads, chunks}));
    const int64_t each = chunks / range_count, more = chunks % range_count;
    int64_t begin = 0;
    for (int r = 0; r < range_count; ++r) {
      ranges[r].next.store(begin, std::memory_order_relaxed);
      begin += each + (r < more ? 1 : 0);
      ranges[r].end = begin;
    }
  }

  // A chunk of the thread's own range, or else of the next one that has any; -1 if none is left.
  int64_t Take(int thread) {
    for (int i = 0; i < range_count; ++i) {
      Range& range = ranges[(thread + i) % range_count];
      if (range.next.load(std::memory_order_relaxed) >= range.end) continue;
      const int64_t index = range.next.fetch_add(1, std::memory_order_relaxed);
      if (index < range.end) return index;
    }
    return -1;
  }

  // Runs one chunk; false when none is left.
  bool RunOne(int thread) {
    if (stop.load(std::memory_order_relaxed)) return false;
    const int64_t index = Take(thread);
    if (index < 0) return false;
    const int64_t begin = index * chunk;
    is_in_loop = true;
    absl::Status result = body(begin, index == chunks - 1 ? count : begin + chunk);
    is_in_loop = false;
    if (!result.ok()) Fail(index, std::move(result));
    return true;
  }
};

ThreadPool::ThreadPool(int num_threads)
    : num_threads_(num_threads > 0 ? num_threads : UsableCpus()) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_finished_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Start() {
  is_started_ = true;
  for (int i = 1; i < num_threads_; ++i) {
    try {
      threads_.emplace_back([this, i] { Work(i); });
    } catch (const std::system_error&) {
      return;  // Fewer threads do the same work.
    }
    threads_started_.fetch_add(1, std::memory_order_relaxed);
  }
}

ThreadPool::Loop* ThreadPool::NextLoop() {
  if (loops_.empty()) return nullptr;
  turn_ = (turn_ + 1) % loops_.size();
  return loops_[turn_];
}

void ThreadPool::Remove(Loop* loop) {
  loops_.erase(std::remove(loops_.begin(), loops_.end(), loop), loops_.end());
  loop_count_.store(static_cast<int>(loops_.size()), std::memory_order_relaxed);
}

bool ThreadPool::AwaitLoop(int spins) const {
  for (int i = 0; i < spins; ++i) {
    if (loop_count_.load(std::memory_order_relaxed) != 0) return true;
    Pause();
  }
  return false;
}

void ThreadPool::Work(int thread) {
  int spins = kMostIdleSpins;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!is_finished_) {
    Loop* const loop = NextLoop();
    if (loop == nullptr) {
      const auto begin = std::chrono::steady_clock::now();
      lock.unlock();
      const bool has_work = AwaitLoop(spins);
      lock.lock();
      if (!is_finished_ && loops_.empty()) {
        ++idle_;
        wake_.wait(lock);
        --idle_;
      }
      const bool is_soon = has_work || std::chrono::steady_clock::now() - begin < kSoon;
      spins = is_soon ? std::min(2 * spins, kMostIdleSpins) : std::max(spins / 2, kLeastIdleSpins);
      continue;
    }
    loop->workers.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    bool has_more = true;
    {
      const ScopedMaxInstructionSet bound(loop->max_instruction_set);
      const ScopedFloatingPointMode mode(loop->floating_point_mode);
      do {
        has_more = loop->RunOne(thread);
      } while (has_more && loop_count_.load(std::memory_order_relaxed) == 1);
    }
    lock.lock();
    if (!has_more) Remove(loop);
    // The loop ends with its last worker: not to be touched afterwards.
    if (loop->workers.load(std::memory_order_relaxed) == 1) loop->idle.notify_one();
    loop->workers.fetch_sub(1, std::memory_order_release);
  }
}

absl::Status ThreadPool::ParallelFor(int64_t count, int64_t chunk, Body body, Poll poll) {
  if (count <= 0) return absl::OkStatus();
  chunk = std::max<int64_t>(chunk, 1);
  const int64_t chunks = count / chunk + (count % chunk != 0 ? 1 : 0);
  if (num_threads_ == 1 || chunks == 1 || is_in_loop) {
    return RunOnTheSpot(count, chunk, body, poll);
  }

  Loop loop(count, chunk, chunks, num_threads_, body);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_started_) Start();
    loops_.push_back(&loop);
    loop_count_.store(static_cast<int>(loops_.size()), std::memory_order_relaxed);
    const int64_t wanted = std::min<int64_t>(idle_, chunks - 1);
    for (int64_t i = 0; i < wanted; ++i) wake_.notify_one();
  }
  absl::Status polled;
  while (loop.RunOne(0)) {
    polled = poll();
    if (!polled.ok()) {
      loop.stop.store(true, std::memory_order_relaxed);
      break;
    }
  }
  for (int i = 0; i < kSpins && loop.workers.load(std::memory_order_relaxed) != 0; ++i) Pause();
  std::unique_lock<std::mutex> lock(mutex_);
  Remove(&loop);
  loop.idle.wait(lock, [&] { return loop.workers.load(std::memory_order_acquire) == 0; });
  return polled.ok() ? std::move(loop.status) : polled;
}

}  // namespace xla::runtime
