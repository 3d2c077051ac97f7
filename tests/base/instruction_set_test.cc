// SPDX-License-Identifier: Apache-2.0
#include "xla/base/instruction_set.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "tests/test_util.h"
#include "xla/debug_options_flags.h"

namespace xla {
namespace {

TEST(InstructionSetTest, NamesAreThoseOfXla) {
  for (const char* name : {"SSE4_2", "AVX", "AVX2", "AVX512", "AVX512_VNNI", "AVX512_BF16"}) {
    ASSERT_OK_AND_ASSIGN(const InstructionSet set, ParseInstructionSet(name));
    EXPECT_STREQ(InstructionSetName(set), name);
  }
  EXPECT_EQ(*ParseInstructionSet("avx2"), InstructionSet::kAvx2);
  for (const char* name : {"", "AMX", "AMX_FP16", "NEON", "sve2"})
    EXPECT_EQ(*ParseInstructionSet(name), InstructionSet::kAny) << name;
  EXPECT_ERROR(ParseInstructionSet("AVX3"),
               "unknown instruction set 'AVX3'; known: SSE4_2, AVX, AVX2, AVX512, ");
}

TEST(InstructionSetTest, BoundsBelongToScopesOfAThread) {
  const InstructionSet outside = MaxInstructionSet();
  {
    const ScopedMaxInstructionSet outer(InstructionSet::kAvx2);
    {
      const ScopedMaxInstructionSet inner(InstructionSet::kSse42);
      EXPECT_EQ(MaxInstructionSet(), InstructionSet::kSse42);
    }
    EXPECT_EQ(MaxInstructionSet(), InstructionSet::kAvx2);
    InstructionSet other = InstructionSet::kSse42;
    std::thread([&] { other = MaxInstructionSet(); }).join();
    EXPECT_EQ(other, InstructionSet::kAny);
  }
  EXPECT_EQ(MaxInstructionSet(), outside);
}

TEST(InstructionSetTest, OptionsLowerTheBound) {
  const ScopedMaxInstructionSet scope(InstructionSet::kAvx512);
  DebugOptions options;
  EXPECT_EQ(*MaxInstructionSetOf(options), InstructionSet::kAvx512);
  options.set_xla_cpu_max_isa("AVX");
  EXPECT_EQ(*MaxInstructionSetOf(options), InstructionSet::kAvx);
  options.set_xla_cpu_max_isa("AVX512_BF16");
  EXPECT_EQ(*MaxInstructionSetOf(options), InstructionSet::kAvx512);
  options.set_xla_cpu_max_isa("fast");
  EXPECT_ERROR(MaxInstructionSetOf(options),
               "xla_cpu_max_isa: unknown instruction set 'fast'; known: SSE4_2, ");
}

}  // namespace
}  // namespace xla
