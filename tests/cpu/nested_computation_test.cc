// SPDX-License-Identifier: Apache-2.0
// Computations that are applied to elements may hold any operation.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/cpu/nested_programs.h"
#include "tests/test_util.h"
#include "tools/self_check.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

CustomCallRegistry TestCalls() {
  CustomCallRegistry registry;
  EXPECT_OK(registry.Register("test.reverse", [](CustomCallFrame& call) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const auto in, call.argument<int32_t>(0));
    XLA_ASSIGN_OR_RETURN(const auto out, call.result<int32_t>(0));
    std::reverse_copy(in.begin(), in.end(), out.begin());
    return absl::OkStatus();
  }));
  return registry;
}

absl::StatusOr<Literal> RunCompiled(const HloModule& module, int threads,
                                    const CustomCallRegistry& calls,
                                    const std::atomic<bool>* cancel = nullptr) {
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module));
  runtime::ThreadPool pool(threads);
  runtime::ExecutionContext context;
  context.pool = &pool;
  context.custom_calls = &calls;
  context.cancel = cancel;
  return program->Run({}, context);
}

// "" if compiled and interpreted results have the same bits.
std::string CheckProgram(const std::string& text) {
  const CustomCallRegistry calls = TestCalls();
  const auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) return std::string(module.status().message());
  if (const absl::Status status = VerifyModule(**module); !status.ok())
    return std::string(status.message());
  InterpreterOptions options;
  options.custom_call_registry = &calls;
  const absl::StatusOr<Literal> expected = Interpret(**module, {}, options);
  if (!expected.ok()) return absl::StrCat("interpreter: ", expected.status().message());
  for (const int threads : {1, 3}) {
    const absl::StatusOr<Literal> actual = RunCompiled(**module, threads, calls);
    if (!actual.ok()) return absl::StrCat("compiler: ", actual.status().message());
    if (*actual != *expected)
      return absl::StrCat(actual->ToString(), " rather than ", expected->ToString());
  }
  return "";
}

class AppliedBodyTest : public ::testing::TestWithParam<size_t> {};

TEST_P(AppliedBodyTest, EveryUserAppliesIt) {
  const testing::AppliedBody& body = testing::AppliedBodies()[GetParam()];
  for (const testing::AppliedUser& user : testing::AppliedUsers()) {
    EXPECT_EQ(CheckProgram(testing::NestedProgramText(body, user, "s32")), "")
        << body.name << " in " << user.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, AppliedBodyTest,
                         ::testing::Range<size_t>(0, testing::AppliedBodies().size()),
                         [](const auto& info) {
                           return testing::AppliedBodies()[info.param].name;
                         });

TEST(NestedComputationTest, EveryElementTypePassesThrough) {
  size_t next = 0;
  const std::set<std::string> bodies = {"conditional", "while", "table_by_gather"};
  for (const char* type : {"s8", "s16", "s64", "u8", "u16", "u32", "u64", "bf16", "f16", "f32",
                           "f64", "f8e4m3", "f8e5m2", "f8e4m3fn"}) {
    for (const testing::AppliedBody& body : testing::AppliedBodies()) {
      if (!bodies.contains(body.name)) continue;
      // Each type and body with some of the users.
      for (size_t u = next++ % 4; u < testing::AppliedUsers().size(); u += 4) {
        const testing::AppliedUser& user = testing::AppliedUsers()[u];
        EXPECT_EQ(CheckProgram(testing::NestedProgramText(body, user, type)), "")
            << body.name << " in " << user.name << " of " << type;
      }
    }
  }
}

// The examples of all operations, each run within a computation that a map applies.
TEST(NestedComputationTest, EveryOperationRunsWhereItIsApplied) {
  std::set<HloOpcode> seen;
  int refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(XYLEM_SOURCE_DIR) / "tests" / "operations")) {
    SCOPED_TRACE(entry.path().filename().string());
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    // Checks whose results nothing reads stay.
    ASSERT_OK_AND_ASSIGN(
        const auto module,
        ParseAndReturnUnverifiedModule(absl::StrReplaceAll(
            text.str(), {{"custom_call_target=\"check.",
                          "custom_call_has_side_effect=true, custom_call_target=\"check."}})));
    HloComputation* const example = module->entry_computation();
    ASSERT_EQ(example->num_parameters(), 0);
    bool communicates = false;
    std::set<HloOpcode> opcodes;
    for (const HloComputation* computation : module->computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        opcodes.insert(instruction->opcode());
        communicates |= instruction->info().Has(op_traits::kCommunicates);
      }
    }
    const Shape scalar(S32, {}), array(S32, {3});
    HloComputation* const applied = module->AddComputation("applied");
    HloInstruction* const x =
        applied->AddInstruction(HloInstruction::CreateParameter(0, scalar, "x"));
    HloComputation* callees[] = {example};
    applied->AddInstruction(HloInstruction::Create(
        HloOpcode::kCall, example->root_instruction()->shape(), {}, CallAttributes(), callees));
    applied->set_root_instruction(
        applied->AddInstruction(HloInstruction::Create(HloOpcode::kAdd, scalar, {x, x})));
    HloComputation* const main = module->AddComputation("main");
    const auto constant = [&](std::initializer_list<int32_t> values) {
      return main->AddInstruction(
          HloInstruction::CreateConstant(LiteralUtil::CreateR1<int32_t>(values)));
    };
    HloComputation* functions[] = {applied};
    HloInstruction* const argument = constant({1, 2, 3});
    HloInstruction* const map = main->AddInstruction(
        HloInstruction::Create(HloOpcode::kMap, array, {argument}, MapAttributes{{0}}, functions));
    CustomCallAttributes check;
    check.custom_call_target = "check.expect_eq";
    main->set_root_instruction(main->AddInstruction(HloInstruction::Create(
        HloOpcode::kCustomCall, ShapeUtil::MakeTupleShape({}), {map, constant({2, 4, 6})}, check)));
    module->set_entry_computation(main);
    module->config().set_entry_computation_layout(main->ComputeProgramShape());
    for (const int threads : {1, 3}) {
      InterpreterOptions options;
      options.num_threads = threads;
      options.custom_calls = CheckCustomCalls();
      const absl::Status status = RunSelfChecking(*module, options, /*compiled=*/true);
      if (!communicates) {
        EXPECT_OK(status);
        seen.insert(opcodes.begin(), opcodes.end());
        continue;
      }
      ++refused;
      EXPECT_STATUS(status, absl::StatusCode::kInvalidArgument, "applies to elements");
    }
  }
  EXPECT_GT(refused, 0);
  // Nothing but communication is missing.
  for (int i = 0; i < HloOpcodeCount(); ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    if (GetOpInfo(opcode).Has(op_traits::kCommunicates)) continue;
    // Whose examples need other devices as well.
    if (opcode == HloOpcode::kPartitionId || opcode == HloOpcode::kReplicaId) continue;
    EXPECT_TRUE(seen.contains(opcode)) << HloOpcodeString(opcode);
  }
}

TEST(NestedComputationTest, DevicesAreKnownWhereFunctionsAreApplied) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m, replica_count=2, num_partitions=2
f { a = u32[] parameter(0) r = u32[] replica-id() p = u32[] partition-id() ten = u32[] constant(10)
  s = u32[] multiply(r, ten) t = u32[] add(s, p) ROOT u = u32[] add(t, a) }
ENTRY main { x = u32[2] constant({100, 200}) ROOT r = u32[2] map(x), dimensions={0}, to_apply=f })"));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  const std::vector<std::vector<const Literal*>> arguments(4);
  ASSERT_OK_AND_ASSIGN(const auto results, program->RunReplicated(2, 2, arguments));
  for (uint32_t d = 0; d < 4; ++d) {
    const uint32_t own = d / 2 * 10 + d % 2;
    EXPECT_EQ(results[d], LiteralUtil::CreateR1<uint32_t>({own + 100, own + 200}));
  }
}

// A reduction between devices combines by any function, however many threads do so.
TEST(NestedComputationTest, DevicesCombineByAnyFunction) {
  for (const testing::AppliedBody& body : testing::AppliedBodies()) {
    SCOPED_TRACE(body.name);
    const testing::AppliedUser user = {"all_reduce", R"(
p = u32[] replica-id() i = s32[] convert(p) z = s32[] constant(0) n = s32[40] iota(), iota_dimension=0
ib = s32[40] broadcast(i), dimensions={} m = s32[40] multiply(ib, n) f = s32[] constant(15)
fs = s32[40] broadcast(f), dimensions={} x = s32[40] and(m, fs)
a = s32[40] all-reduce(x), to_apply=@max
b = s32[10] reduce-scatter(x), dimensions={0}, to_apply=@max
ROOT t = (s32[40], s32[10]) tuple(a, b))"};
    const std::string text =
        absl::StrReplaceAll(testing::NestedProgramText(body, user, "s32"),
                            {{"HloModule applied", "HloModule applied, replica_count=4"}});
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    const CustomCallRegistry calls = TestCalls();
    runtime::ThreadPool pool(2);
    runtime::ExecutionContext context;
    context.pool = &pool;
    context.custom_calls = &calls;
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
    const std::vector<std::vector<const Literal*>> arguments(4);
    ASSERT_OK_AND_ASSIGN(const auto results, program->RunReplicated(4, 1, arguments, context));
    for (size_t device = 0; device < 4; ++device) {
      ASSERT_EQ(results[device].shape().tuple_shapes_size(), 2);
      const auto all = results[device].data<int32_t>({0}),
                 part = results[device].data<int32_t>({1});
      for (size_t k = 0; k < 40; ++k) {
        int32_t greatest = 0;
        for (int32_t r = 0; r < 4; ++r)
          greatest = std::max(greatest, (r * static_cast<int32_t>(k)) & 15);
        EXPECT_EQ(all[k], greatest);
        if (k / 10 == device) {
          EXPECT_EQ(part[k % 10], greatest);
        }
      }
    }
  }
}

TEST(NestedComputationTest, LoopsOfReducersEndWithTheRun) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
forever { s = s32[] parameter(0) ROOT t = pred[] constant(true) }
step { s = s32[] parameter(0) one = s32[] constant(1) ROOT t = s32[] add(s, one) }
f { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] add(a, b)
  ROOT w = s32[] while(c), condition=forever, body=step }
ENTRY main { x = s32[1000] iota(), iota_dimension=0 z = s32[] constant(0)
  ROOT r = s32[] reduce(x, z), dimensions={0}, to_apply=f })"));
  std::atomic<bool> cancel = false;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel = true;
  });
  EXPECT_STATUS(RunCompiled(*module, 2, {}, &cancel).status(), absl::StatusCode::kCancelled, "");
  other.join();
}

TEST(NestedComputationTest, ErrorsOfStepsAreThoseOfTheRun) {
  CustomCallRegistry calls;
  EXPECT_OK(calls.Register("test.reverse", [](CustomCallFrame&) -> absl::Status {
    return absl::DataLossError("as the test wants it");
  }));
  for (const testing::AppliedUser& user : testing::AppliedUsers()) {
    for (const testing::AppliedBody& body : testing::AppliedBodies()) {
      if (body.name != "custom_call") continue;
      SCOPED_TRACE(user.name);
      ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(
                                                  testing::NestedProgramText(body, user, "s32")));
      for (const int threads : {1, 3}) {
        EXPECT_STATUS(RunCompiled(*module, threads, calls).status(), absl::StatusCode::kDataLoss,
                      "as the test wants it");
      }
    }
  }
}

}  // namespace
}  // namespace xla
