// SPDX-License-Identifier: Apache-2.0
// What a run costs and guarantees: copies, threads, runs at the same time, asynchronous runs.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/client/execution_test_util.h"
#include "tests/test_util.h"
#include "xla/client/local_client.h"
#include "xla/literal_util.h"
#include "xla/runtime/event.h"
#include "xla/runtime/execution_context.h"

namespace xla {
namespace {

// Devices that meet take long where every access is checked.
#if defined(XYLEM_THREAD_SANITIZER)
constexpr int kManyMeetings = 1'000;
#else
constexpr int kManyMeetings = 20'000;
#endif

constexpr char kAddOne[] = R"(HloModule add_one
ENTRY e {
  x = f32[] parameter(0)
  one = f32[] constant(1)
  ROOT sum = f32[] add(x, one)
})";

// Runs the program on buffers of the arguments; what the run did.
absl::StatusOr<runtime::RunStatistics> RunOnce(LocalClient& client, std::string_view text,
                                               absl::Span<const Literal> arguments,
                                               Literal* result = nullptr) {
  XLA_ASSIGN_OR_RETURN(const auto executable, CompileText(client, text));
  std::vector<ScopedShapedBuffer> buffers;
  for (const Literal& argument : arguments) {
    XLA_ASSIGN_OR_RETURN(ScopedShapedBuffer buffer, client.LiteralToShapedBuffer(argument, 0));
    buffers.push_back(std::move(buffer));
  }
  std::vector<const ShapedBuffer*> pointers;
  for (const ScopedShapedBuffer& buffer : buffers) pointers.push_back(&buffer);
  runtime::RunStatistics statistics;
  XLA_ASSIGN_OR_RETURN(
      const ScopedShapedBuffer output,
      executable->Run(pointers, ExecutableRunOptions().set_run_statistics(&statistics)));
  if (result != nullptr) {
    XLA_ASSIGN_OR_RETURN(*result, client.ShapedBufferToLiteral(output));
  }
  return statistics;
}

// --- Copies

TEST(CopiesTest, AreNoneWhereLayoutsAgree) {
  const auto client = MakeClient();
  const Literal scalar = LiteralUtil::CreateR0<float>(1);
  const Literal matrix = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  Literal large(ShapeUtil::MakeShape(F32, {1000, 100}));
  large.PopulateWithValue<float>(2);
  const struct {
    const char* text;
    const Literal* argument;
  } kCases[] = {
      {kAddOne, &scalar},
      {"HloModule chain ENTRY e { x = f32[] parameter(0) y = f32[] add(x, x) ROOT z = f32[] "
       "multiply(y, y) }",
       &scalar},
      {"HloModule dot ENTRY e { x = f32[3,3] parameter(0) ROOT d = f32[3,3] dot(x, x), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
       &matrix},
      {"HloModule tuple ENTRY e { x = f32[1000,100] parameter(0) a = f32[1000,100] exponential(x) "
       "b = f32[1000,100] add(a, x) t = (f32[1000,100]) tuple(b) ROOT r = (f32[1000,100], "
       "(f32[1000,100])) tuple(a, t) }",
       &large},
      {R"(HloModule loop
body { s = (s32[], f32[3,3]) parameter(0) i = s32[] get-tuple-element(s), index=0
  v = f32[3,3] get-tuple-element(s), index=1 one = s32[] constant(1) n = s32[] add(i, one)
  w = f32[3,3] add(v, v) ROOT t = (s32[], f32[3,3]) tuple(n, w) }
condition { s = (s32[], f32[3,3]) parameter(0) i = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3) ROOT c = pred[] compare(i, three), direction=LT }
ENTRY e { x = f32[3,3] parameter(0) y = f32[3,3] negate(x) z = s32[] constant(0) zero = s32[] add(z, z)
  s = (s32[], f32[3,3]) tuple(zero, y)
  ROOT w = (s32[], f32[3,3]) while(s), condition=condition, body=body })",
       &matrix},
      {"HloModule dynamic ENTRY e { x = f32[3,3] parameter(0) n = s32[] constant(2) d = f32[<=3,3] "
       "set-dimension-size(x, n), dimensions={0} ROOT y = f32[<=3,3] negate(d) }",
       &matrix},
  };
  for (const auto& [text, argument] : kCases) {
    const Literal arguments[] = {argument->Clone()};
    Literal result;
    ASSERT_OK_AND_ASSIGN(const auto statistics, RunOnce(*client, text, arguments, &result));
    EXPECT_EQ(statistics.copies, 0) << text;
    EXPECT_EQ(statistics.copied_bytes, 0) << text;
  }
}

TEST(CopiesTest, AreCountedWhereLayoutsDiffer) {
  // Compiled programs write such results as any other.
  const auto client = MakeClient(LocalClientOptions().set_use_compiler(false));
  const Literal arguments[] = {LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}})
                                   .Relayout(LayoutUtil::MakeLayout({0, 1}))};
  Literal result;
  ASSERT_OK_AND_ASSIGN(
      const auto statistics,
      RunOnce(
          *client,
          "HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}} ENTRY e { x = "
          "f32[2,3] parameter(0) ROOT y = f32[2,3] add(x, x) }",
          arguments, &result));
  EXPECT_EQ(statistics.copies, 2);
  EXPECT_EQ(statistics.copied_bytes, 48);
  EXPECT_EQ(result.Get<float>({1, 0}), 8);
}

TEST(CopiesTest, AreMadeOfArraysThatAreReturnedTwiceOrAsTheyCame) {
  // Compiled programs write such results as any other.
  const auto client = MakeClient(LocalClientOptions().set_use_compiler(false));
  const Literal arguments[] = {LiteralUtil::CreateR1<float>({1, 2})};
  Literal result;
  ASSERT_OK_AND_ASSIGN(
      const auto statistics,
      RunOnce(
          *client,
          "HloModule m ENTRY e { x = f32[2] parameter(0) y = f32[2] negate(x) ROOT t = (f32[2], "
          "f32[2], f32[2]) tuple(x, y, y) }",
          arguments, &result));
  EXPECT_EQ(statistics.copies, 2);
  EXPECT_EQ(result,
            LiteralUtil::MakeTupleFromSlices({arguments[0], LiteralUtil::CreateR1<float>({-1, -2}),
                                              LiteralUtil::CreateR1<float>({-1, -2})}));
}

// An allocator of the caller: results are written to memory that it gave.
class CallersAllocator : public se::HostMemoryAllocator {
 public:
  using HostMemoryAllocator::HostMemoryAllocator;
  absl::StatusOr<se::OwningDeviceMemory> Allocate(int device, uint64_t size, bool retry,
                                                  int64_t space) override {
    XLA_ASSIGN_OR_RETURN(se::OwningDeviceMemory memory,
                         HostMemoryAllocator::Allocate(device, size, retry, space));
    last = memory.cref().opaque();
    return memory;
  }
  const void* last = nullptr;
};

TEST(CopiesTest, AreNoneIntoMemoryOfTheCaller) {
  const auto client = MakeClient();
  CallersAllocator allocator(client->platform());
  ASSERT_OK_AND_ASSIGN(const auto executable, CompileText(*client, kAddOne));
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer x,
                       client->LiteralToShapedBuffer(LiteralUtil::CreateR0<float>(1), 0));
  runtime::RunStatistics statistics;
  ASSERT_OK_AND_ASSIGN(
      const ScopedShapedBuffer y,
      executable->Run(
          {&x}, ExecutableRunOptions().set_allocator(&allocator).set_run_statistics(&statistics)));
  EXPECT_EQ(y.root_buffer().opaque(), allocator.last);
  EXPECT_EQ(statistics.copies, 0);
  EXPECT_EQ(*client->ShapedBufferToLiteral(y), LiteralUtil::CreateR0<float>(2));
}

// --- Threads

TEST(RunTest, StartsNoThread) {
  const auto client = MakeClient(LocalClientOptions().set_intra_op_parallelism_threads(3));
  ASSERT_OK_AND_ASSIGN(const auto small, CompileText(*client, kAddOne));
  ASSERT_OK_AND_ASSIGN(
      const auto large,
      CompileText(*client,
                  "HloModule m ENTRY e { x = f32[] parameter(0) b = f32[1000000] "
                  "broadcast(x), dimensions={} ROOT y = f32[1000000] exponential(b) }"));
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer x,
                       client->LiteralToShapedBuffer(LiteralUtil::CreateR0<float>(1), 0));
  const runtime::ThreadPool& pool = client->backend().thread_pool();
  ASSERT_OK(small->Run({&x}, ExecutableRunOptions()).status());
  EXPECT_EQ(pool.threads_started(), 0);  // no loop was large enough
  ASSERT_OK(large->Run({&x}, ExecutableRunOptions()).status());
  EXPECT_EQ(pool.threads_started(), 2);
  const int64_t threads = ThreadsNow();
  for (int i = 0; i < 100'000; ++i) ASSERT_OK(small->Run({&x}, ExecutableRunOptions()).status());
  for (int i = 0; i < 20; ++i) ASSERT_OK(large->Run({&x}, ExecutableRunOptions()).status());
  EXPECT_EQ(pool.threads_started(), 2);
  EXPECT_EQ(client->backend().threads().threads_started(), 0);
  EXPECT_EQ(ThreadsNow(), threads);
}

constexpr char kSumOfReplicas[] = R"(HloModule all
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[] parameter(0) ROOT s = f32[] all-reduce(x), replica_groups={}, to_apply=add })";

TEST(RunTest, StartsNoThreadOnSeveralDevices) {
  const auto client = MakeClient(LocalClientOptions().set_device_count(3));
  ASSERT_OK_AND_ASSIGN(
      const auto executable,
      CompileText(*client, kSumOfReplicas, ExecutableBuildOptions().set_num_replicas(3)));
  std::vector<ScopedShapedBuffer> buffers;
  std::vector<std::vector<const ShapedBuffer*>> arguments(3);
  for (int d = 0; d < 3; ++d) {
    ASSERT_OK_AND_ASSIGN(
        ScopedShapedBuffer buffer,
        client->LiteralToShapedBuffer(LiteralUtil::CreateR0<float>(static_cast<float>(d + 1)), d));
    buffers.push_back(std::move(buffer));
  }
  for (size_t d = 0; d < 3; ++d) arguments[d] = {&buffers[d]};
  const auto run = [&] { return executable->RunReplicated(arguments, ExecutableRunOptions()); };
  for (int i = 0; i < kManyMeetings; ++i) ASSERT_OK(run().status());
  EXPECT_EQ(client->backend().threads().threads_started(), 2);
  ASSERT_OK_AND_ASSIGN(const auto results, run());
  EXPECT_EQ(*client->ShapedBufferToLiteral(results[2]), LiteralUtil::CreateR0<float>(6));
}

TEST(RunTest, EightThreadsRunAtTheSameTime) {
  const auto client = MakeClient(LocalClientOptions().set_intra_op_parallelism_threads(4));
  ASSERT_OK_AND_ASSIGN(const auto executable, CompileText(*client, R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[] parameter(0) b = f32[300,1000] broadcast(x), dimensions={}
  y = f32[300,1000] multiply(b, b) z = f32[] constant(0)
  ROOT s = f32[300] reduce(y, z), dimensions={1}, to_apply=add })"));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const auto x =
          client->LiteralToShapedBuffer(LiteralUtil::CreateR0<float>(static_cast<float>(t)), 0);
      for (int i = 0; i < 20; ++i) {
        const auto y = executable->Run({&*x}, ExecutableRunOptions());
        if (!y.ok() || client->ShapedBufferToLiteral(*y)->Get<float>({299}) !=
                           1000 * static_cast<float>(t * t)) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(client->backend().thread_pool().threads_started(), 3);
}

// --- Asynchronous runs

// A client with the custom calls "gate", which returns its operand when `open` is set, and "fail".
class AsyncRunTest : public ::testing::Test {
 protected:
  AsyncRunTest() {
    CustomCallRegistry registry;
    EXPECT_OK(registry.Register("gate", [this](CustomCallFrame& call) -> absl::Status {
      while (!open) std::this_thread::yield();
      XLA_ASSIGN_OR_RETURN(const auto in, call.argument<float>(0));
      XLA_ASSIGN_OR_RETURN(const auto out, call.result<float>(0));
      out[0] = in[0];
      return absl::OkStatus();
    }));
    EXPECT_OK(registry.Register("fail", [](CustomCallFrame&) -> absl::Status {
      return absl::DataLossError("the handler failed");
    }));
    client = MakeClient(LocalClientOptions().set_device_count(2).set_custom_calls(registry));
    const auto call = [&](const std::string& target) {
      auto executable = CompileText(
          *client, "HloModule " + target + " ENTRY e { x = f32[] parameter(0) ROOT y = f32[] " +
                       "custom-call(x), custom_call_target=\"" + target +
                       "\", api_version=API_VERSION_TYPED_FFI }");
      EXPECT_OK(executable);
      return *std::move(executable);
    };
    gate = call("gate");
    fail = call("fail");
    auto compiled = CompileText(*client, kAddOne);
    EXPECT_OK(compiled);
    add_one = *std::move(compiled);
  }

  ScopedShapedBuffer Scalar(float value, int device = 0) {
    auto buffer = client->LiteralToShapedBuffer(LiteralUtil::CreateR0<float>(value), device);
    EXPECT_OK(buffer);
    return *std::move(buffer);
  }

  std::atomic<bool> open{false};
  std::unique_ptr<LocalClient> client;
  std::unique_ptr<LocalExecutable> gate, fail, add_one;
};

TEST_F(AsyncRunTest, ReturnsAtOnceAndRunsInOrder) {
  const ScopedShapedBuffer x = Scalar(1);
  runtime::Event done;
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer y,
                       gate->RunAsync({&x}, ExecutableRunOptions().set_completion(&done)));
  EXPECT_FALSE(done.IsReady());
  runtime::Event later;
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer z,
                       add_one->RunAsync({&y}, ExecutableRunOptions().set_completion(&later)));
  EXPECT_FALSE(later.IsReady());
  // Another device is not held up.
  const ScopedShapedBuffer other = Scalar(5, 1);
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer six,
                       add_one->Run({&other}, ExecutableRunOptions().set_device_ordinal(1)));
  EXPECT_EQ(*client->ShapedBufferToLiteral(six), LiteralUtil::CreateR0<float>(6));
  open = true;
  EXPECT_OK(later.Await());
  EXPECT_TRUE(done.IsReady());
  EXPECT_EQ(*client->ShapedBufferToLiteral(z), LiteralUtil::CreateR0<float>(2));
}

TEST_F(AsyncRunTest, WhatTakesItsResultWaits) {
  const ScopedShapedBuffer x = Scalar(1);
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer y, gate->RunAsync({&x}, ExecutableRunOptions()));
  std::thread opener([&] { open = true; });
  ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer z, add_one->Run({&y}, ExecutableRunOptions()));
  EXPECT_EQ(*client->ShapedBufferToLiteral(z), LiteralUtil::CreateR0<float>(2));
  opener.join();
}

TEST_F(AsyncRunTest, AnErrorReachesWhateverTakesTheResult) {
  const ScopedShapedBuffer x = Scalar(1);
  runtime::Event done, later;
  {
    ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer y,
                         fail->RunAsync({&x}, ExecutableRunOptions().set_completion(&done)));
    ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer z,
                         add_one->RunAsync({&y}, ExecutableRunOptions().set_completion(&later)));
    EXPECT_STATUS(done.Await(), absl::StatusCode::kDataLoss, "the handler failed");
    EXPECT_STATUS(later.Await(), absl::StatusCode::kDataLoss, "the handler failed");
    EXPECT_ERROR(client->ShapedBufferToLiteral(z), "the handler failed");
    EXPECT_ERROR(add_one->Run({&y}, ExecutableRunOptions()), "the handler failed");
  }
  // The device, and the memory that was freed, serve other runs.
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer y, add_one->RunAsync({&x}, {}));
    EXPECT_EQ(*client->ShapedBufferToLiteral(y), LiteralUtil::CreateR0<float>(2));
  }
  // What waits for a run goes on before the run's reads are forgotten.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!client->backend().pending_memory().empty() &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(client->backend().pending_memory().empty());
}

TEST_F(AsyncRunTest, BuffersMayBeFreedAtOnce) {
  open = true;
  std::vector<ScopedShapedBuffer> kept;
  for (int i = 0; i < 200; ++i) {
    const ScopedShapedBuffer x = Scalar(static_cast<float>(i));
    ASSERT_OK_AND_ASSIGN(ScopedShapedBuffer y, add_one->RunAsync({&x}, {}));
    if (i % 10 == 0) kept.push_back(std::move(y));
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(*client->ShapedBufferToLiteral(kept[i]),
              LiteralUtil::CreateR0<float>(static_cast<float>(10 * i + 1)));
  }
}

TEST_F(AsyncRunTest, CanBeCancelledInTheMiddle) {
  ASSERT_OK_AND_ASSIGN(const auto forever, CompileText(*client, R"(HloModule forever
body { s = f32[] parameter(0) one = f32[] constant(1) ROOT n = f32[] add(s, one) }
condition { s = f32[] parameter(0) ROOT c = pred[] constant(true) }
ENTRY e { x = f32[] parameter(0) ROOT w = f32[] while(x), condition=condition, body=body })"));
  const ScopedShapedBuffer x = Scalar(1);
  std::atomic<bool> cancel{false};
  runtime::Event done;
  ASSERT_OK_AND_ASSIGN(
      const ScopedShapedBuffer y,
      forever->RunAsync({&x}, ExecutableRunOptions().set_completion(&done).set_cancel(&cancel)));
  EXPECT_STATUS(done.Await(absl::Milliseconds(20)), absl::StatusCode::kDeadlineExceeded, "");
  cancel = true;
  EXPECT_STATUS(done.Await(), absl::StatusCode::kCancelled, "cancelled");
  EXPECT_STATUS(client->ShapedBufferToLiteral(y), absl::StatusCode::kCancelled, "cancelled");
}

TEST_F(AsyncRunTest, TheClientWaitsForRunsUnderWay) {
  runtime::Event done;
  {
    const ScopedShapedBuffer x = Scalar(1);
    ASSERT_OK(gate->RunAsync({&x}, ExecutableRunOptions().set_completion(&done)).status());
  }
  EXPECT_FALSE(done.IsReady());
  std::thread opener([&] { open = true; });
  gate = nullptr;
  fail = nullptr;
  add_one = nullptr;
  client = nullptr;
  EXPECT_TRUE(done.IsReady());
  EXPECT_OK(done.status());
  opener.join();
}

TEST_F(AsyncRunTest, DevicesOfOneRunMeet) {
  ASSERT_OK_AND_ASSIGN(const auto sum, CompileText(*client, kSumOfReplicas,
                                                   ExecutableBuildOptions().set_num_replicas(2)));
  for (int round = 0; round < 50; ++round) {
    const ScopedShapedBuffer a = Scalar(1, 0), b = Scalar(2, 1);
    const auto options = [run = RunId::CreateUniqueId()](int device) {
      return ExecutableRunOptions().set_run_id(run).set_device_ordinal(device);
    };
    ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer first, sum->RunAsync({&a}, options(0)));
    ASSERT_OK_AND_ASSIGN(const ScopedShapedBuffer second, sum->RunAsync({&b}, options(1)));
    EXPECT_EQ(*client->ShapedBufferToLiteral(first), LiteralUtil::CreateR0<float>(3));
    EXPECT_EQ(*client->ShapedBufferToLiteral(second), LiteralUtil::CreateR0<float>(3));
  }
}

TEST_F(AsyncRunTest, StartsNoThread) {
  const ScopedShapedBuffer x = Scalar(1);
  const auto run = [&] {
    auto y = add_one->RunAsync({&x}, {});
    return y.ok() ? client->ShapedBufferToLiteral(*y).status() : y.status();
  };
  for (int i = 0; i < 1000; ++i) ASSERT_OK(run());
  // One, and some at times when a result is taken before the thread that made it is idle again.
  EXPECT_LE(client->backend().threads().threads_started(), 10);
}

}  // namespace
}  // namespace xla
