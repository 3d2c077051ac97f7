// SPDX-License-Identifier: Apache-2.0
// Random sequences of calls, as the fuzzer makes them.
#include "tests/pjrt/random_calls.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace xla::pjrt::testing {
namespace {

TEST(PjrtRandomCallsTest, EndInSuccessOrInAnErrorWithAMessage) {
  std::mt19937 random(1);
  int calls = 0, successes = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<uint8_t> bytes(random() % 400);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    RandomCalls sequence(bytes.data(), bytes.size());
    ASSERT_EQ(sequence.Run(), "") << i;
    calls += sequence.calls();
    successes += sequence.successes();
  }
  // Neither errors nor successes are all there is.
  EXPECT_GT(successes, calls / 3);
  EXPECT_LT(successes, calls);
}

}  // namespace
}  // namespace xla::pjrt::testing
