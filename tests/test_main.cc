// SPDX-License-Identifier: Apache-2.0
// main() of the test binaries: obeys --xla_cpu_max_isa of XLA_FLAGS, so that any of them runs at
// any level of instruction sets. The exit code is 77 where all tests that were asked for skipped
// themselves.
#include <gtest/gtest.h>

#include <cstdio>

#include "xla/debug_options_flags.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const absl::StatusOr<xla::InstructionSet> bound = xla::MaxInstructionSetFromFlags();
  if (!bound.ok()) {
    std::fprintf(stderr, "%s\n", std::string(bound.status().message()).c_str());
    return 2;
  }
  const xla::ScopedMaxInstructionSet scope(*bound);
  const int result = RUN_ALL_TESTS();
  const ::testing::UnitTest& tests = *::testing::UnitTest::GetInstance();
  const bool only_skipped = tests.skipped_test_count() > 0 && tests.successful_test_count() == 0;
  return result == 0 && only_skipped ? 77 : result;
}
