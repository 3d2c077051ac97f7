// SPDX-License-Identifier: Apache-2.0
// Random calls: none crashes, and every program that the builder accepts verifies and survives the
// way through its proto.
#include "tests/builder/random_calls.h"

#include <cstdint>
#include <random>
#include <vector>

#include "tests/builder/builder_test_util.h"
#include "xla/hlo/proto/hlo_proto.h"

namespace xla {
namespace {

TEST(RandomCallsTest, WhatBuildsVerifies) {
  std::mt19937 random(1);
  int built = 0;
  constexpr int kPrograms = 20000;
  for (int i = 0; i < kPrograms; ++i) {
    std::vector<uint8_t> bytes(random() % 48);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    const absl::StatusOr<XlaComputation> program =
        testing::RandomCalls(bytes.data(), bytes.size()).MakeProgram();
    if (!program.ok()) {
      ASSERT_FALSE(program.status().message().empty());
      continue;
    }
    ++built;
    ASSERT_OK_AND_ASSIGN(const auto module, program->module());
    ASSERT_OK(VerifyModule(*module)) << ModuleToString(*module);
    ASSERT_OK_AND_ASSIGN(const auto read, CreateModuleFromProto(program->proto()));
    ASSERT_OK(read->CheckEqual(*module)) << ModuleToString(*module);
  }
  // Errors must not be all there is.
  EXPECT_GT(built, kPrograms / 20);
}

}  // namespace
}  // namespace xla
