// SPDX-License-Identifier: Apache-2.0
// Random calls: none crashes, and every program that the builder accepts verifies, survives the way
// through its proto and its text, and runs.
#include <cstdint>
#include <random>
#include <vector>

#include "tests/builder/random_program.h"
#include "tests/test_util.h"

namespace xla {
namespace {

TEST(RandomCallsTest, WhatBuildsHoldsTogether) {
  std::mt19937 random(1);
  int built = 0, failed = 0;
  constexpr int kPrograms = 1000;
  for (int i = 0; i < kPrograms; ++i) {
    std::vector<uint8_t> bytes(random() % 100);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    const absl::Status status = testing::CheckRandomProgram(bytes.data(), bytes.size(), true);
    EXPECT_OK(status) << i;
    if (!status.ok() && ++failed == 10) break;
    if (testing::RandomCalls(bytes.data(), bytes.size()).MakeProgram().ok()) ++built;
  }
  // Errors must not be all there is.
  EXPECT_GT(built, kPrograms / 4);
}

}  // namespace
}  // namespace xla
