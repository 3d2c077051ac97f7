// SPDX-License-Identifier: Apache-2.0
#include "xla/base/machine.h"

#include <gtest/gtest.h>

namespace xla {
namespace {

TEST(MachineTest, InstructionSetsIncludeThoseBelow) {
  const Machine sse = MachineWith(InstructionSet::kSse42);
  EXPECT_TRUE(sse.ssse3 && sse.sse4);
  EXPECT_FALSE(sse.avx2 || sse.fma || sse.half || sse.bmi || sse.avx512 || sse.vnni || sse.bf16);
  EXPECT_EQ(sse.vector_bytes, 16);
  EXPECT_EQ(sse.vector_registers, 16);
  const Machine avx2 = MachineWith(InstructionSet::kAvx2);
  EXPECT_TRUE(avx2.avx2 && avx2.fma && avx2.half && avx2.bmi);
  EXPECT_FALSE(avx2.avx512);
  EXPECT_EQ(avx2.vector_bytes, 32);
  EXPECT_EQ(avx2.vector_registers, 16);
  const Machine avx512 = MachineWith(InstructionSet::kAvx512);
  EXPECT_TRUE(avx512.avx512);
  EXPECT_FALSE(avx512.vnni || avx512.bf16);
  EXPECT_EQ(avx512.vector_bytes, 64);
  EXPECT_EQ(avx512.vector_registers, 32);
  EXPECT_TRUE(MachineWith(InstructionSet::kAvx512Vnni).vnni);
  EXPECT_FALSE(MachineWith(InstructionSet::kAvx512Vnni).bf16);
  EXPECT_TRUE(MachineWith(InstructionSet::kAny).bf16);
  EXPECT_FALSE(MachineWith(InstructionSet::kAvx512Bf16).amx);
  EXPECT_TRUE(MachineWith(InstructionSet::kAny).amx);
  const Machine neon = NeonMachine();
  EXPECT_TRUE(neon.fma && neon.half);
  EXPECT_FALSE(neon.avx2 || neon.avx512);
  EXPECT_EQ(neon.vector_registers, 32);
}

// Whatever the machine is: bounds only take away.
TEST(MachineTest, ThisMachineObeysBounds) {
  const Machine& all = HostMachine();
  EXPECT_GE(all.cores, 1);
  for (int i = 0; i <= static_cast<int>(InstructionSet::kAny); ++i) {
    const auto bound = static_cast<InstructionSet>(i);
    const Machine& host = HostMachine(bound);
#if defined(__x86_64__)
    const Machine most = MachineWith(bound);
    EXPECT_EQ(host.avx2, all.avx2 && most.avx2);
    EXPECT_EQ(host.fma, all.fma && most.fma);
    EXPECT_EQ(host.half, all.half && most.half);
    EXPECT_EQ(host.avx512, all.avx512 && most.avx512);
    EXPECT_EQ(host.vnni, all.vnni && most.vnni);
    EXPECT_EQ(host.bf16, all.bf16 && most.bf16);
    EXPECT_EQ(host.amx, all.amx && most.amx);
    EXPECT_LE(host.vector_bytes, most.vector_bytes);
#else
    EXPECT_EQ(host.vector_bytes, all.vector_bytes);
#endif
    const ScopedMaxInstructionSet scope(bound);
    EXPECT_EQ(&MachineOfThread(), &host);
  }
}

TEST(MachineTest, WorkIsDividedByTime) {
  Machine machine = MachineWith(InstructionSet::kAvx2);
  EXPECT_EQ(machine.Lanes(4), 8);
  EXPECT_EQ(machine.Lanes(1), 32);
  EXPECT_EQ(MachineWith(InstructionSet::kSse42).Lanes(8), 4);
  machine.cached_bytes_per_nanosecond = 10;
  machine.memory_bytes_per_nanosecond = 5;
  machine.nanoseconds_worth_a_thread = 1000;
  machine.nanoseconds_of_task = 3000;
  machine.products_per_nanosecond = 4;
  machine.last_level_bytes = 1e6;
  EXPECT_EQ(machine.Nanoseconds(500, 7), 57);
  EXPECT_FALSE(machine.IsWorthAThread(999));
  EXPECT_TRUE(machine.IsWorthAThread(1000));
  EXPECT_EQ(machine.UnitsOfTask(100, 30000), 10);
  EXPECT_EQ(machine.UnitsOfTask(100, 1e9), 1);
  EXPECT_EQ(machine.ItemsOfTask(2), 1024);
  EXPECT_EQ(machine.ProductsOfTask(), 8192);
  EXPECT_EQ(machine.BytesOfTask(), 15000);
  EXPECT_FALSE(machine.ExceedsCaches(999'999));
  EXPECT_TRUE(machine.ExceedsCaches(1e6));
}

// Sums of kernels are cut by these: they are the same everywhere.
TEST(MachineTest, SizesOfTasksAreFixed) {
  for (const Machine& machine : {kUsualMachine, HostMachine(), NeonMachine()}) {
    EXPECT_EQ(machine.ProductsOfTask(), 1 << 20);
    EXPECT_EQ(machine.ItemsOfTask(3), 1 << 14);
    EXPECT_EQ(machine.BytesOfTask(), 500'000);
  }
}

}  // namespace
}  // namespace xla
