// SPDX-License-Identifier: Apache-2.0
#include "xla/service/run_length.h"

#include <gtest/gtest.h>

#include <chrono>

namespace xla {
namespace {

constexpr std::chrono::nanoseconds kTiny = std::chrono::microseconds(5);
constexpr std::chrono::nanoseconds kMedium = std::chrono::microseconds(500);
constexpr std::chrono::nanoseconds kHuge = std::chrono::seconds(1);

// How many short runs it takes until the next is expected to be short.
int ShortRunsNeeded(RunLength& length) {
  int runs = 0;
  while (!length.IsShort()) {
    length.Add(kTiny);
    ++runs;
  }
  return runs;
}

TEST(RunLengthTest, KnowsNothingAtFirst) { EXPECT_FALSE(RunLength().IsShort()); }

TEST(RunLengthTest, OneShortRunIsFollowedByOthers) {
  RunLength length;
  length.Add(kTiny);
  EXPECT_TRUE(length.IsShort());
  length.Add(kMedium);
  EXPECT_FALSE(length.IsShort());
  EXPECT_EQ(ShortRunsNeeded(length), 1);
}

TEST(RunLengthTest, LongRunsAfterShortOnesMakeItCareful) {
  RunLength length;
  length.Add(kTiny);
  length.Add(kHuge);
  EXPECT_EQ(ShortRunsNeeded(length), 4);
  length.Add(kHuge);
  EXPECT_EQ(ShortRunsNeeded(length), 16);
  for (int i = 0; i < 20; ++i) {
    (void)ShortRunsNeeded(length);
    length.Add(kHuge);
  }
  EXPECT_EQ(ShortRunsNeeded(length), 1024);
}

TEST(RunLengthTest, LongRunsThatWereExpectedDoNot) {
  RunLength length;
  for (int i = 0; i < 10; ++i) length.Add(kHuge);
  EXPECT_EQ(ShortRunsNeeded(length), 1);
}

TEST(RunLengthTest, ForgetsWhatABusyMachineDid) {
  RunLength length;
  length.Add(kTiny);
  length.Add(kHuge);
  length.Add(kMedium);
  for (int i = 0; i < 1000; ++i) length.Add(kTiny);
  length.Add(kMedium);
  EXPECT_EQ(ShortRunsNeeded(length), 1);
}

}  // namespace
}  // namespace xla
