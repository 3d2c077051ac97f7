// SPDX-License-Identifier: Apache-2.0
// The pool of loops, threads kept for reuse, and the number of CPUs.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/test_util.h"
#include "xla/runtime/cpu_count.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/runtime/thread_pool.h"

namespace xla::runtime {
namespace {

int64_t ThreadsOfTheProcess() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

// --- ThreadPool

TEST(ThreadPoolTest, ChunksAreTheSameForAnyNumberOfThreads) {
  const auto chunks = [](int threads) {
    ThreadPool pool(threads);
    std::vector<int64_t> starts(1000, -1);
    EXPECT_OK(pool.ParallelFor(1000, 7, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) starts[static_cast<size_t>(i)] = begin;
      return absl::OkStatus();
    }));
    return starts;
  };
  EXPECT_EQ(chunks(1), chunks(8));
}

TEST(ThreadPoolTest, AnErrorEndsTheLoop) {
  ThreadPool pool(4);
  const auto fail = [](int64_t begin, int64_t) {
    return begin >= 50 ? absl::InternalError(std::to_string(begin)) : absl::OkStatus();
  };
  for (int i = 0; i < 100; ++i) {
    EXPECT_STATUS(pool.ParallelFor(100, 1, fail), absl::StatusCode::kInternal, "5");
  }
}

TEST(ThreadPoolTest, ThePollStopsTheLoop) {
  ThreadPool pool(2);
  std::atomic<int64_t> ran{0};
  EXPECT_STATUS(pool.ParallelFor(
                    1 << 20, 1,
                    [&](int64_t, int64_t) {
                      ++ran;
                      return absl::OkStatus();
                    },
                    [] { return absl::CancelledError("enough"); }),
                absl::StatusCode::kCancelled, "enough");
  EXPECT_LT(ran, 1 << 20);
}

TEST(ThreadPoolTest, ALoopInALoopRunsOnItsOwnThread) {
  ThreadPool pool(4);
  std::atomic<int64_t> sum{0}, strangers{0};
  EXPECT_OK(pool.ParallelFor(64, 1, [&](int64_t, int64_t) {
    const std::thread::id self = std::this_thread::get_id();
    return pool.ParallelFor(10, 3, [&](int64_t begin, int64_t end) {
      sum += end - begin;
      if (std::this_thread::get_id() != self) ++strangers;
      return absl::OkStatus();
    });
  }));
  EXPECT_EQ(sum, 640);
  EXPECT_EQ(strangers, 0);
}

TEST(ThreadPoolTest, WorkersTakePartInLoopsOfSeveralThreads) {
  constexpr int kCallers = 8, kLoops = 200;
  ThreadPool pool(3);
  std::atomic<int64_t> wrong{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < kCallers; ++c) {
    callers.emplace_back([&] {
      for (int loop = 0; loop < kLoops; ++loop) {
        std::atomic<int64_t> sum{0};
        const absl::Status status = pool.ParallelFor(100, 7, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) sum += i;
          return absl::OkStatus();
        });
        if (!status.ok() || sum != 4950) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(pool.threads_started(), 2);
}

// A worker serves the loops of all threads in turn: a short loop does not wait for a long one.
TEST(ThreadPoolTest, WorkersShareThemselvesFairly) {
  ThreadPool pool(2);
  std::atomic<bool> stop{false};
  std::atomic<int64_t> long_chunks{0};
  std::thread long_caller([&] {
    const absl::Status status = pool.ParallelFor(int64_t{1} << 40, 1, [&](int64_t, int64_t) {
      ++long_chunks;
      return stop ? absl::CancelledError("enough") : absl::OkStatus();
    });
    EXPECT_STATUS(status, absl::StatusCode::kCancelled, "enough");
  });
  while (long_chunks < 1000) std::this_thread::yield();
  // The worker is busy with the long loop; its help here shows in the thread that runs a chunk.
  const std::thread::id self = std::this_thread::get_id();
  bool was_helped = false;
  const auto start = std::chrono::steady_clock::now();
  while (!was_helped && std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
    std::atomic<bool> helped{false};
    EXPECT_OK(pool.ParallelFor(50, 1, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != self) helped = true;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      return absl::OkStatus();
    }));
    was_helped = helped;
  }
  EXPECT_TRUE(was_helped);
  stop = true;
  long_caller.join();
}

TEST(ThreadPoolTest, ThreadsAreStartedOnce) {
  ThreadPool pool(3);
  EXPECT_EQ(pool.threads_started(), 0);  // not before there is something to do
  int64_t threads = -1;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_OK(pool.ParallelFor(8, 1, [](int64_t, int64_t) { return absl::OkStatus(); }));
    if (i == 0) threads = ThreadsOfTheProcess();
  }
  EXPECT_EQ(pool.threads_started(), 2);
  EXPECT_EQ(ThreadsOfTheProcess(), threads);
}

// --- ReusableThreads

TEST(ReusableThreadsTest, AllRunAtTheSameTime) {
  // Each waits for all others: with fewer threads this would never end.
  ReusableThreads threads;
  for (int round = 0; round < 3; ++round) {
    std::atomic<int64_t> there{0};
    ASSERT_OK(threads.RunAll(16, [&](int64_t) {
      ++there;
      while (there < 16) std::this_thread::yield();
    }));
    EXPECT_EQ(there, 16);
  }
}

TEST(ReusableThreadsTest, KnowTheirThreads) {
  ReusableThreads threads;
  EXPECT_FALSE(ReusableThreads::OwnThisThread());
  std::atomic<int> own{0};
  EXPECT_OK(threads.RunAll(3, [&](int64_t) { own += ReusableThreads::OwnThisThread() ? 1 : 0; }));
  EXPECT_EQ(own, 2);  // the first runs on the calling thread
}

TEST(ReusableThreadsTest, AreReused) {
  ReusableThreads threads;
  int64_t count = -1;
  std::atomic<int64_t> ran{0};
  for (int i = 0; i < 2000; ++i) {
    ASSERT_OK(threads.RunAll(4, [&](int64_t) { ++ran; }));
    if (i == 0) count = ThreadsOfTheProcess();
  }
  EXPECT_EQ(ran, 8000);
  // A task has counted down before its thread is idle again: another one may be started meanwhile.
  EXPECT_LE(threads.threads_started(), 6);
  EXPECT_LE(ThreadsOfTheProcess(), count + 3);
}

TEST(ReusableThreadsTest, TasksThatBlockDoNotHoldUpOthers) {
  std::atomic<bool> go{false};
  std::atomic<int> done{0};
  {
    ReusableThreads threads;
    for (int i = 0; i < 5; ++i) {
      ASSERT_OK(threads.Run([&] {
        while (!go) std::this_thread::yield();
        ++done;
      }));
    }
    ASSERT_OK(threads.Run([&] { go = true; }));
  }  // waits for all
  EXPECT_EQ(done, 5);
}

// --- The number of CPUs

class CgroupFolder {
 public:
  CgroupFolder() : path_(testing::ProcessTempDir() + "/cgroup_test") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~CgroupFolder() { std::filesystem::remove_all(path_); }
  void Write(const std::string& name, const std::string& text) {
    const std::filesystem::path file = path_ + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  std::optional<double> Quota() const { return internal::CgroupCpuQuota(path_, path_ + "/self"); }

 private:
  const std::string path_;
};

TEST(CpuCountTest, TheLowestQuotaOfVersion2Applies) {
  CgroupFolder folder;
  folder.Write("self", "0::/a/b");
  EXPECT_EQ(folder.Quota(), std::nullopt);
  folder.Write("a/b/cpu.max", "max 100000");
  EXPECT_EQ(folder.Quota(), std::nullopt);
  folder.Write("a/cpu.max", "150000 100000");
  EXPECT_EQ(folder.Quota(), 1.5);
  folder.Write("a/b/cpu.max", "400000 100000");
  EXPECT_EQ(folder.Quota(), 1.5);
  folder.Write("cpu.max", "100000 200000");
  EXPECT_EQ(folder.Quota(), 0.5);
}

TEST(CpuCountTest, TheQuotaOfVersion1Applies) {
  CgroupFolder folder;
  folder.Write("self", "3:memory:/a\n2:cpu,cpuacct:/a\n0::/");
  folder.Write("cpu/a/cpu.cfs_quota_us", "-1");
  folder.Write("cpu/a/cpu.cfs_period_us", "100000");
  EXPECT_EQ(folder.Quota(), std::nullopt);
  folder.Write("cpu/a/cpu.cfs_quota_us", "300000");
  EXPECT_EQ(folder.Quota(), 3.0);
}

TEST(CpuCountTest, APathOfTheHostFallsBackToTheRoot) {
  CgroupFolder folder;
  folder.Write("self", "0::/docker/0123");
  folder.Write("cpu.max", "200000 100000");
  EXPECT_EQ(folder.Quota(), 2.0);
}

TEST(CpuCountTest, OnlyThoseThatTheThreadMayUseCount) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof(all), &all) != 0) GTEST_SKIP() << "more than 1024 CPUs";
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    break;
  }
  if (sched_setaffinity(0, sizeof(one), &one) != 0) GTEST_SKIP() << "the affinity is fixed";
  EXPECT_EQ(UsableCpus(), 1);
  EXPECT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
}

TEST(CpuCountTest, ThereIsAtLeastOne) {
  EXPECT_GE(UsableCpus(), 1);
  EXPECT_EQ(ThreadPool(5).num_threads(), 5);
  EXPECT_EQ(ThreadPool(0).num_threads(), UsableCpus());
}

TEST(CpuCountTest, ProcessesOfAHostShareItsCpus) {
  EXPECT_EQ(UsableCpusOfOne(1), UsableCpus());
  EXPECT_EQ(UsableCpusOfOne(0), UsableCpus());
  EXPECT_EQ(UsableCpusOfOne(int64_t{1} << 40), 1);
  for (int64_t processes = 1; processes < 9; ++processes) {
    EXPECT_GE(UsableCpusOfOne(processes), UsableCpusOfOne(processes + 1));
    EXPECT_LE(UsableCpusOfOne(processes) * processes,
              std::max<int64_t>(processes, sysconf(_SC_NPROCESSORS_ONLN)));
  }
}

}  // namespace
}  // namespace xla::runtime
