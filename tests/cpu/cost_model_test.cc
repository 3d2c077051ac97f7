// SPDX-License-Identifier: Apache-2.0
// What operations cost on a machine, and that plans obey the machine that they are given.
#include "xla/cpu/codegen/cost_model.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/base/machine.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"

namespace xla::cpu {
namespace {

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(absl::StrCat("HloModule m\n", text));
  EXPECT_OK(module.status());
  return module.ok() ? *std::move(module) : nullptr;
}

const HloInstruction& RootOf(const HloModule& module) {
  return *module.entry_computation()->root_instruction();
}

// One operation on f32 vectors.
std::string Operation(const std::string& text) {
  return absl::StrCat(
      "ENTRY e {\n  x = f32[8] parameter(0)\n  y = f32[8] parameter(1)\n  ROOT r = ", text,
      "\n}\n");
}

TEST(CostModelTest, ClassesOrderOperations) {
  const char* const kOperations[] = {"f32[8] add(x, y)", "f32[8] divide(x, y)", "f32[8] tanh(x)",
                                     "f32[8] power(x, y)"};
  double before = 0;
  for (const char* operation : kOperations) {
    const auto module = Parse(Operation(operation));
    const double cost = VectorCost(RootOf(*module));
    EXPECT_GT(cost, before) << operation;
    before = cost;
  }
  const auto quotient = [](const char* type) {
    const auto module =
        Parse(absl::StrCat("ENTRY e {\n  x = ", type, "[8] parameter(0)\n  ROOT r = ", type,
                           "[8] remainder(x, x)\n}\n"));
    return VectorCost(RootOf(*module));
  };
  EXPECT_EQ(quotient("s32"), quotient("f64"));
  EXPECT_GT(quotient("s64"), quotient("s32"));
  for (const char* free : {"f32[2,4] reshape(x)", "f32[2,8] broadcast(x), dimensions={1}",
                           "f32[4] slice(x), slice={[0:4]}"}) {
    const auto module = Parse(Operation(free));
    EXPECT_EQ(VectorCost(RootOf(*module)), 0) << free;
    EXPECT_EQ(ElementCost(RootOf(*module)), 0) << free;
    EXPECT_EQ(FusedCost(RootOf(*module)), 0) << free;
  }
}

// All functions of the table, of one argument or of two.
TEST(CostModelTest, FunctionsCostAlike) {
  for (const char* function :
       {"acos(x)", "acosh(x)", "asin(x)", "asinh(x)", "atanh(x)", "cosh(x)", "sinh(x)", "erf(x)"}) {
    const auto module = Parse(Operation(absl::StrCat("f32[8] ", function)));
    const auto tanh = Parse(Operation("f32[8] tanh(x)"));
    EXPECT_EQ(ElementCost(RootOf(*module)), ElementCost(RootOf(*tanh))) << function;
    EXPECT_EQ(VectorCost(RootOf(*module)), VectorCost(RootOf(*tanh))) << function;
    EXPECT_EQ(LatenciesOf(*module->entry_computation()).longest,
              LatenciesOf(*tanh->entry_computation()).longest)
        << function;
  }
}

TEST(CostModelTest, WhatIsInMemoryIsNotComputedAgain) {
  const auto dot = Parse(R"(
ENTRY e {
  x = f32[8,8] parameter(0)
  ROOT r = f32[8,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  EXPECT_EQ(FusedCost(RootOf(*dot)), kCostInMemory);
  const auto concatenate = Parse(Operation("f32[24] concatenate(x, y, x), dimensions={0}"));
  EXPECT_EQ(FusedCost(RootOf(*concatenate)), 6);
}

TEST(CostModelTest, ChainsWaitForTheirOperations) {
  const auto module = Parse(R"(
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] add(x, x)
  b = f32[8] divide(a, x)
  c = f32[8] multiply(x, x)
  s = f32[8] sine(x)
  t = bf16[8] convert(c)
  u = bf16[8] add(t, t)
  d = f32[8] convert(u)
  e = f32[8] add(d, s)
  ROOT r = f32[8] add(b, e)
})");
  const Latencies latencies = LatenciesOf(*module->entry_computation());
  EXPECT_EQ(latencies.longest, 60 + 4 + 4);  // through the sine
  EXPECT_EQ(latencies.all, 4 + 12 + 4 + 60 + 10 + 10 + 4 + 4 + 4);
  EXPECT_EQ(latencies.trigonometric, 1);
}

TEST(CostModelTest, OperationsOfContractionsAreXlas) {
  const auto convolution = Parse(R"(
ENTRY e {
  x = f32[1,1,10] parameter(0)
  k = f32[1,1,3] parameter(1)
  ROOT r = f32[1,1,17] convolution(x, k), window={size=3 lhs_dilate=2}, dim_labels=bf0_oi0->bf0
})");
  const ContractionFinder none = [](const HloInstruction&) -> const HloInstruction* {
    return nullptr;
  };
  EXPECT_EQ(EstimateOperations(RootOf(*convolution), none), 2 * 26);
}

// --- Plans of a fixed machine

constexpr char kElementwise[] = R"(
body {
  x = f32[1024,1024] parameter(0)
  ROOT y = f32[1024,1024] add(x, x)
}
ENTRY e {
  x = f32[1024,1024] parameter(0)
  ROOT f = f32[1024,1024] fusion(x), kind=kLoop, calls=body
})";

std::unique_ptr<const KernelPlan> PlanOf(const HloModule& module, const Target& target) {
  KernelRequest request;
  request.instruction = &RootOf(module);
  request.target = &target;
  request.is_written.resize(static_cast<size_t>(request.instruction->operand_count()));
  return PlanKernel(request);
}

TEST(MachineOfPlansTest, DecidesVectorsThreadsAndStreams) {
  const auto module = Parse(kElementwise);
  Target target = {"x86_64", "", "", MachineWith(InstructionSet::kAvx2)};
  const auto usual = PlanOf(*module, target);
  EXPECT_EQ(usual->lanes(), 8);
  EXPECT_LT(usual->chunk, usual->units);
  EXPECT_FALSE(usual->streams);
  target.machine.last_level_bytes = 1 << 20;
  EXPECT_TRUE(PlanOf(*module, target)->streams);
  target.machine.nanoseconds_of_task *= 4;
  const auto coarse = PlanOf(*module, target);
  EXPECT_GE(coarse->chunk, 4 * usual->chunk);
  target.machine.nanoseconds_worth_a_thread = 1e9;
  const auto alone = PlanOf(*module, target);
  EXPECT_EQ(alone->chunk, alone->units);
  target.machine = MachineWith(InstructionSet::kAvx512);
  EXPECT_EQ(PlanOf(*module, target)->lanes(), 16);
  target.machine = MachineWith(InstructionSet::kSse42);
  EXPECT_EQ(PlanOf(*module, target)->lanes(), 4);
}

// Results are the same bits for any number of threads.
TEST(MachineOfPlansTest, CoresDecideNothing) {
  const auto module = Parse(kElementwise);
  Target target = {"x86_64", "", "", MachineWith(InstructionSet::kAvx2)};
  const std::string one = PlanText(*PlanOf(*module, target));
  target.machine.cores = 64;
  EXPECT_EQ(PlanText(*PlanOf(*module, target)), one);
}

}  // namespace
}  // namespace xla::cpu
