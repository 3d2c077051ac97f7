// SPDX-License-Identifier: Apache-2.0
// A few of the programs that `make chains` runs by the thousand.
#include "tests/cpu/random_chain.h"

#include <gtest/gtest.h>

#include "tests/cpu/random_chain_check.h"
#include "tests/test_util.h"

namespace xla::testing {
namespace {

TEST(RandomChainTest, BothBackendsGiveTheSame) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    ASSERT_OK(CheckRandomChain(seed)) << seed << "\n" << RandomChain(seed).Write();
  }
}

TEST(RandomChainTest, FollowsFromTheSeed) {
  EXPECT_EQ(RandomChain(7).Write(), RandomChain(7).Write());
  EXPECT_NE(RandomChain(7).Write(), RandomChain(8).Write());
}

}  // namespace
}  // namespace xla::testing
