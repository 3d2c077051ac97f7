// SPDX-License-Identifier: Apache-2.0
// Threads of pools have the bound on instruction sets, and the floating-point mode, of the thread
// that gives them work.
#include "xla/base/instruction_set.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include "tests/test_util.h"
#include "xla/base/floating_point_mode.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/runtime/thread_pool.h"

namespace xla::runtime {
namespace {

TEST(InstructionSetOfWorkersTest, IsThatOfTheLoop) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    const auto bound = static_cast<InstructionSet>(round % 7);
    const ScopedMaxInstructionSet scope(bound);
    std::atomic<int> others{0};
    ASSERT_OK(pool.ParallelFor(64, 1, [&](int64_t, int64_t) {
      if (MaxInstructionSet() != bound) ++others;
      return absl::OkStatus();
    }));
    EXPECT_EQ(others, 0) << round;
  }
}

TEST(InstructionSetOfWorkersTest, IsThatOfTheTask) {
  ReusableThreads threads;
  for (const InstructionSet bound :
       {InstructionSet::kSse42, InstructionSet::kAny, InstructionSet::kAvx2}) {
    const ScopedMaxInstructionSet scope(bound);
    std::atomic<int> same{0};
    ASSERT_OK(threads.RunAll(3, [&](int64_t) { same += MaxInstructionSet() == bound; }));
    EXPECT_EQ(same, 3);
  }
}

TEST(FloatingPointModeOfWorkersTest, IsThatOfTheLoop) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    const FloatingPointMode mode =
        round % 3 == 1 ? FloatingPointMode::FlushingSubnormals() : FloatingPointMode::Ieee();
    const ScopedFloatingPointMode scope(mode);
    std::atomic<int> others{0};
    ASSERT_OK(pool.ParallelFor(64, 1, [&](int64_t, int64_t) {
      if (FloatingPointMode::OfThread() != mode) ++others;
      return absl::OkStatus();
    }));
    EXPECT_EQ(others, 0) << round;
  }
}

TEST(FloatingPointModeOfWorkersTest, IsThatOfTheTask) {
  ReusableThreads threads;
  for (const FloatingPointMode mode :
       {FloatingPointMode::FlushingSubnormals(), FloatingPointMode::Ieee()}) {
    const ScopedFloatingPointMode scope(mode);
    std::atomic<int> same{0};
    ASSERT_OK(threads.RunAll(3, [&](int64_t) { same += FloatingPointMode::OfThread() == mode; }));
    EXPECT_EQ(same, 3);
  }
}

}  // namespace
}  // namespace xla::runtime
