// SPDX-License-Identifier: Apache-2.0
// Runs of compiled programs: donated memory, several devices, dynamic sizes, custom calls, several
// executions at once, memory limits.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/interpreter.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<CpuProgram>> CompileText(const std::string& text) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(text));
  return CpuProgram::Compile(*module);
}

// Memory as a device's buffer has it.
struct HostArray {
  explicit HostArray(const std::vector<float>& values)
      : shape(ShapeUtil::MakeShape(F32, {static_cast<int64_t>(values.size())})),
        bytes(static_cast<int64_t>(values.size() * sizeof(float))),
        data(runtime::AllocateHostMemory(static_cast<size_t>(bytes))) {
    std::memcpy(data, values.data(), static_cast<size_t>(bytes));
  }
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;
  ~HostArray() { runtime::FreeHostMemory(data); }
  runtime::ArgumentView View(bool donated) const { return {&shape, data, bytes, donated}; }
  std::vector<float> values() const {
    const auto* floats = static_cast<const float*>(data);
    return std::vector<float>(floats, floats + bytes / 4);
  }

  Shape shape;
  int64_t bytes;
  void* data;
};

std::vector<float> ValuesOf(const runtime::ResultView& result, size_t count) {
  const auto* floats = static_cast<const float*>(result.data);
  return std::vector<float>(floats, floats + count);
}

// Results whose layout says that memory is wider than the array.
TEST(CpuRunTest, PaddedLayoutsOfResultsAndArguments) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule padded
ENTRY main {
  x = s32[2,3]{0,1:W(3,5)V(zero)} parameter(0)
  y = s32[2,3]{1,0:W(2,4)V(zero)} copy(x)
  z = s32[2,3]{0,1:W(3,5)V(zero)} add(x, y)
  ROOT r = (s32[2,3]{1,0:W(2,4)V(zero)}, s32[2,3]{0,1:W(3,5)V(zero)}) tuple(y, z)
})"));
  const Literal rows = LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  ASSERT_OK_AND_ASSIGN(const Literal result, program->Run({&rows}));
  for (int i = 0; i < 2; ++i) {
    for (int64_t row = 0; row < 2; ++row) {
      for (int64_t column = 0; column < 3; ++column) {
        EXPECT_EQ(result.Get<int32_t>({row, column}, {i}),
                  (i + 1) * rows.Get<int32_t>({row, column}));
      }
    }
  }
}

constexpr char kUpdate[] = R"(
HloModule update, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  product = f32[4] multiply(x, y)
  ROOT sum = f32[4] add(product, x)
})";

TEST(CpuRunTest, DonatedMemoryBecomesTheResult) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(kUpdate));
  const HostArray x({1, 2, 3, 4}), y({10, 20, 30, 40});
  const runtime::ArgumentView arguments[] = {x.View(true), y.View(false)};
  runtime::ResultView result;
  ASSERT_OK(program->RunOnBuffers(arguments, absl::MakeSpan(&result, 1)));
  EXPECT_EQ(result.data, x.data);
  EXPECT_EQ(result.donor, 0);
  EXPECT_FALSE(result.is_new);
  EXPECT_EQ(ValuesOf(result, 4), std::vector<float>({11, 42, 93, 164}));
  EXPECT_EQ(y.values(), std::vector<float>({10, 20, 30, 40}));
}

TEST(CpuRunTest, MemoryThatIsNotDonatedKeepsItsContents) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(kUpdate));
  const HostArray x({1, 2, 3, 4}), y({10, 20, 30, 40});
  const runtime::ArgumentView arguments[] = {x.View(false), y.View(false)};
  runtime::ResultView result;
  ASSERT_OK(program->RunOnBuffers(arguments, absl::MakeSpan(&result, 1)));
  EXPECT_TRUE(result.is_new);
  EXPECT_EQ(ValuesOf(result, 4), std::vector<float>({11, 42, 93, 164}));
  EXPECT_EQ(x.values(), std::vector<float>({1, 2, 3, 4}));
  runtime::FreeHostMemory(result.data);
}

TEST(CpuRunTest, AFailedRunHasNoResults) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule fails
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] negate(x)
  z = f32[4] custom-call(y), custom_call_target="nothing"
  ROOT t = (f32[4], f32[4]) tuple(y, z)
})"));
  const HostArray x({1, 2, 3, 4});
  const runtime::ArgumentView arguments[] = {x.View(false)};
  runtime::ResultView results[2];
  EXPECT_ERROR(program->RunOnBuffers(arguments, absl::MakeSpan(results)), "nothing");
  for (const runtime::ResultView& result : results) {
    EXPECT_EQ(result.data, nullptr);
    EXPECT_FALSE(result.is_new);
  }
}

TEST(CpuRunTest, TheInterpreterUsesDonatedMemoryOnly) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(absl::StrReplaceAll(
                                              kUpdate, {{"may-alias", "must-alias"}})));
  ASSERT_OK_AND_ASSIGN(const auto program, InterpreterProgram::Create(*module));
  for (const bool donated : {false, true}) {
    const HostArray x({1, 2, 3, 4}), y({10, 20, 30, 40});
    const runtime::ArgumentView arguments[] = {x.View(donated), y.View(false)};
    runtime::ResultView result;
    const absl::Span<const runtime::ArgumentView> all_arguments[] = {arguments};
    const absl::Span<runtime::ResultView> all_results[] = {absl::MakeSpan(&result, 1)};
    ASSERT_OK(program->RunOnBuffers(1, 1, all_arguments, all_results));
    EXPECT_EQ(result.data == x.data, donated);
    EXPECT_EQ(result.donor, donated ? 0 : -1);
    EXPECT_EQ(ValuesOf(result, 4), std::vector<float>({11, 42, 93, 164}));
    EXPECT_EQ(x.values()[0], donated ? 11 : 1);
    if (result.is_new) runtime::FreeHostMemory(result.data);
  }
}

// Each result is the other one's donor's old value.
TEST(CpuRunTest, DonatedArgumentsMayBeExchanged) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule swap, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT t = (f32[3], f32[3]) tuple(y, x)
})"));
  const HostArray x({1, 2, 3}), y({4, 5, 6});
  const runtime::ArgumentView arguments[] = {x.View(true), y.View(true)};
  runtime::ResultView results[2];
  ASSERT_OK(program->RunOnBuffers(arguments, absl::MakeSpan(results)));
  EXPECT_EQ(results[0].data, x.data);
  EXPECT_EQ(results[1].data, y.data);
  EXPECT_EQ(ValuesOf(results[0], 3), std::vector<float>({4, 5, 6}));
  EXPECT_EQ(ValuesOf(results[1], 3), std::vector<float>({1, 2, 3}));
}

// A bitcast reads the memory of the argument, whatever its layout.
TEST(CpuRunTest, BitcastsReadTheLayoutOfArguments) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule bitcasts
ENTRY main {
  x = f32[2,3]{0,1} parameter(0)
  memory = f32[6]{0} bitcast(x)
  turned = f32[3,2]{1,0} bitcast(x)
  same = f32[2,3]{0,1} bitcast(x)
  ROOT t = (f32[6]{0}, f32[3,2]{1,0}, f32[2,3]{0,1}) tuple(memory, turned, same)
})"));
  const Literal x = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  ASSERT_OK_AND_ASSIGN(Literal result, program->Run({&x}));
  const std::vector<Literal> parts = result.DecomposeTuple();
  EXPECT_EQ(parts[0], LiteralUtil::CreateR1<float>({1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(parts[1], LiteralUtil::CreateR2<float>({{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(parts[2], x);
}

TEST(CpuRunTest, DynamicSizesComeWithArgumentsAndGoWithResults) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule sizes
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[<=5] parameter(0)
  zero = f32[] constant(0)
  sum = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  twice = f32[<=10] concatenate(x, x), dimensions={0}
  ROOT t = (f32[], f32[<=10]) tuple(sum, twice)
})"));
  Literal x(ShapeUtil::MakeShape(F32, {5}, {true}));
  const float values[] = {1, 2, 3, 100, 200};
  std::memcpy(x.untyped_data(), values, sizeof(values));
  x.SetDynamicSize(0, 3);
  ASSERT_OK_AND_ASSIGN(Literal result, program->Run({&x}));
  EXPECT_EQ(result.Get<float>({}, {0}), 6);
  EXPECT_EQ(result.GetDynamicSize(0, {1}), 6);
  EXPECT_EQ(LiteralSlice(result, {1}).ToStatic(), LiteralUtil::CreateR1<float>({1, 2, 3, 1, 2, 3}));
}

TEST(CpuRunTest, SizesBeyondTheBoundAreErrors) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule sizes
ENTRY main {
  x = f32[4] parameter(0)
  n = s32[] parameter(1)
  ROOT y = f32[<=4] set-dimension-size(x, n), dimensions={0}
})"));
  const Literal x = LiteralUtil::CreateR1<float>({1, 2, 3, 4});
  const Literal three = LiteralUtil::CreateR0<int32_t>(3), five = LiteralUtil::CreateR0<int32_t>(5);
  ASSERT_OK_AND_ASSIGN(const Literal y, program->Run({&x, &three}));
  EXPECT_EQ(y.GetDynamicSize(0), 3);
  EXPECT_STATUS(program->Run({&x, &five}).status(), absl::StatusCode::kInvalidArgument,
                "is not in [0, 4]");
}

TEST(CpuRunTest, DevicesReduceTheirOperands) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule all, replica_count=3
add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT s = bf16[] add(a, b) }
ENTRY main {
  x = bf16[9] parameter(0)
  ROOT sum = bf16[9] all-reduce(x), replica_groups={}, to_apply=add
})"));
  std::vector<Literal> inputs;
  for (int device = 0; device < 3; ++device) {
    std::vector<bfloat16> values(9, bfloat16(device == 0 ? 256 : 0.75f));
    inputs.push_back(LiteralUtil::CreateR1<bfloat16>(values));
  }
  std::vector<std::vector<const Literal*>> arguments;
  for (const Literal& input : inputs) arguments.push_back({&input});
  ASSERT_OK_AND_ASSIGN(const std::vector<Literal> results, program->RunReplicated(3, 1, arguments));
  // Rounded once: 257.5 becomes 258, while 256 + 0.75 alone would stay 256.
  const Literal expected = LiteralUtil::CreateR1<bfloat16>(std::vector<bfloat16>(9, bfloat16(258)));
  for (const Literal& result : results) EXPECT_EQ(result, expected);
}

TEST(CpuRunTest, TheErrorOfADeviceEndsTheRun) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule fails, replica_count=2
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[2] parameter(0)
  bad = f32[2] custom-call(x), custom_call_target="test.missing"
  ROOT sum = f32[2] all-reduce(bad), replica_groups={}, to_apply=add
})"));
  const Literal x = LiteralUtil::CreateR1<float>({1, 2});
  const std::vector<std::vector<const Literal*>> arguments(2, {&x});
  EXPECT_STATUS(program->RunReplicated(2, 1, arguments).status(), absl::StatusCode::kUnimplemented,
                "there is no custom call \"test.missing\"");
}

TEST(CpuRunTest, RegistriesProvideCustomCalls) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule calls
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] custom-call(x), custom_call_target="test.negate"
  ROOT z = f32[3] add(y, y)
})"));
  CustomCallRegistry registry;
  ASSERT_OK(registry.Register("test.negate", [](CustomCallFrame& call) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const auto in, call.argument<float>(0));
    XLA_ASSIGN_OR_RETURN(const auto out, call.result<float>(0));
    for (size_t i = 0; i < in.size(); ++i) out[i] = -in[i];
    return absl::OkStatus();
  }));
  runtime::ExecutionContext context;
  context.custom_calls = &registry;
  const Literal x = LiteralUtil::CreateR1<float>({1, 2, 3});
  ASSERT_OK_AND_ASSIGN(const Literal z, program->Run({&x}, context));
  EXPECT_EQ(z, LiteralUtil::CreateR1<float>({-2, -4, -6}));
}

TEST(CpuRunTest, RunsThatPassTheMemoryLimitAreErrors) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(kUpdate));
  const Literal x = LiteralUtil::CreateR1<float>({1, 2, 3, 4});
  CpuRunOptions options;
  options.memory_limit_bytes = 40;
  EXPECT_STATUS(program->Run({&x, &x}, {}, nullptr, options).status(),
                absl::StatusCode::kResourceExhausted, "would exceed the memory limit of 40 bytes");
}

// The most memory of a run, which succeeds with that limit and fails with one byte less.
int64_t MostMemory(
    const std::string& message,
    const std::function<absl::Status(runtime::RunStatistics*, const CpuRunOptions&)>& run) {
  runtime::RunStatistics statistics;
  EXPECT_OK(run(&statistics, {}));
  CpuRunOptions options;
  options.memory_limit_bytes = statistics.peak_bytes;
  EXPECT_OK(run(nullptr, options));
  --options.memory_limit_bytes;
  EXPECT_STATUS(run(nullptr, options), absl::StatusCode::kResourceExhausted, message);
  return statistics.peak_bytes;
}

TEST(CpuRunTest, CopiesOfArgumentsAndResultsCountAgainstTheMemoryLimit) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule m
ENTRY main {
  x = f32[8,16] parameter(0)
  ROOT y = f32[8,16] negate(x)
})"));
  constexpr int64_t kBytes = 8 * 16 * 4;
  Literal x(ShapeUtil::MakeShape(F32, {8, 16}));
  x.PopulateWithValue<float>(1);
  const auto run_with = [&](const Literal& argument) {
    return [&](runtime::RunStatistics* statistics, const CpuRunOptions& options) {
      return program->Run({&argument}, {}, statistics, options).status();
    };
  };
  EXPECT_EQ(MostMemory("would exceed the memory limit of 1023 bytes", run_with(x)), 2 * kBytes);
  // Another layout.
  const Literal columns = x.Relayout(LayoutUtil::MakeLayout({0, 1}));
  EXPECT_EQ(
      MostMemory("a copy of 512 bytes of an argument or result would exceed the memory limit of "
                 "1535 bytes",
                 run_with(columns)),
      3 * kBytes);
  // A result that is not aligned.
  alignas(64) char memory[kBytes + 4];
  const int64_t most = MostMemory(
      "a copy of 512 bytes", [&](runtime::RunStatistics* statistics, const CpuRunOptions& options) {
        const runtime::ArgumentView argument = {&x.shape(), x.untyped_data(), kBytes, false};
        runtime::ResultView result;
        result.data = memory + 4;
        result.size_bytes = kBytes;
        return program->RunOnBuffers(absl::MakeConstSpan(&argument, 1), absl::MakeSpan(&result, 1),
                                     {}, statistics, options);
      });
  EXPECT_EQ(most, 3 * kBytes);
}

TEST(CpuRunTest, CopiesOfDynamicLiteralsCountAgainstTheMemoryLimit) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule m
ENTRY main {
  x = f32[<=100] parameter(0)
  ROOT y = f32[<=100] negate(x)
})"));
  Literal x(ShapeUtil::MakeShape(F32, {100}, {true}));
  x.SetDynamicSize(0, 60);
  // Both arrays and their sizes, and copies of them.
  EXPECT_EQ(MostMemory("would exceed the memory limit of",
                       [&](runtime::RunStatistics* statistics, const CpuRunOptions& options) {
                         return program->Run({&x}, {}, statistics, options).status();
                       }),
            4 * 404);
}

TEST(CpuRunTest, WorkingMemoryOfCustomCallsCountsAgainstTheMemoryLimit) {
  // Arrays in other layouts than the program's are copied.
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule m
ENTRY main {
  x = f32[256,256]{1,0} parameter(0)
  ROOT y = f32[256,256]{1,0} custom-call(x), custom_call_target="test.scratch", operand_layout_constraints={f32[256,256]{0,1}}
})"));
  CustomCallRegistry registry;
  ASSERT_OK(registry.Register("test.scratch", [](CustomCallFrame& call) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const auto out, call.result<float>(0));
    std::fill(out.begin(), out.end(), 0.0f);
    return absl::OkStatus();
  }));
  runtime::ExecutionContext context;
  context.custom_calls = &registry;
  constexpr int64_t kBytes = 256 * 256 * 4;
  Literal x(ShapeUtil::MakeShape(F32, {256, 256}));
  x.PopulateWithValue<float>(1);
  EXPECT_GT(MostMemory("working memory of ",
                       [&](runtime::RunStatistics* statistics, const CpuRunOptions& options) {
                         return program->Run({&x}, context, statistics, options).status();
                       }),
            3 * kBytes);
}

TEST(CpuRunTest, SeveralExecutionsRunAtOnce) {
  ASSERT_OK_AND_ASSIGN(const auto program, CompileText(R"(
HloModule loop
body {
  p = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[1000] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  half = f32[] constant(0.5)
  halves = f32[1000] broadcast(half), dimensions={}
  y = f32[1000] multiply(x, halves)
  z = f32[1000] add(y, halves)
  ROOT t = (s32[], f32[1000]) tuple(next, z)
}
condition {
  p = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(20)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[1000] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[1000]) tuple(zero, x)
  loop = (s32[], f32[1000]) while(init), condition=condition, body=body
  ROOT y = f32[1000] get-tuple-element(loop), index=1
})"));
  runtime::ThreadPool pool(2);
  runtime::ExecutionContext context;
  context.pool = &pool;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const Literal x = LiteralUtil::CreateFullWithDescendingLayout<float>({1000}, 1 + t);
      for (int i = 0; i < 25; ++i) {
        const auto y = program->Run({&x}, context);
        const float expected = 1 + static_cast<float>(t) * 0x1p-20f;
        if (!y.ok() || y->Get<float>({17}) != expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace xla
