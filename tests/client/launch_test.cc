// SPDX-License-Identifier: Apache-2.0
// Launches on device buffers: events, donation, aliasing, memory of the host, errors.
#include "xla/service/launch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/client/execution_test_util.h"
#include "tests/test_util.h"
#include "xla/client/local_client.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/runtime/device_buffer.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using runtime::DeviceBuffer;
using BufferPtr = std::shared_ptr<DeviceBuffer>;

class LaunchTest : public ::testing::Test {
 protected:
  LaunchTest() : client(MakeClient(LocalClientOptions().set_device_count(2))) {}

  std::shared_ptr<const Executable> Compile(std::string_view text) {
    auto module = ParseAndReturnUnverifiedModule(text);
    EXPECT_OK(module);
    (*module)->SetDefaultEntryLayout();
    EXPECT_OK(VerifyModule(**module));
    auto executable = client->backend().Compile(std::move(*module));
    EXPECT_OK(executable);
    return *std::move(executable);
  }

  BufferPtr Vector(std::vector<float> values, int device = 0) {
    const size_t bytes = values.size() * sizeof(float);
    auto memory = client->backend().memory_allocator()->Allocate(device, bytes);
    EXPECT_OK(memory);
    std::memcpy(const_cast<void*>(memory->cref().opaque()), values.data(), bytes);
    return DeviceBuffer::FromMemory(
        ShapeUtil::MakeShape(F32, {static_cast<int64_t>(values.size())}), device,
        *std::move(memory));
  }

  static std::vector<float> ValuesOf(const BufferPtr& buffer) {
    auto use = buffer->Acquire();
    EXPECT_OK(use);
    EXPECT_OK(buffer->ready().Await());
    const auto* data = static_cast<const float*>(use->data());
    return std::vector<float>(data, data + buffer->shape().dimensions(0));
  }
  static const void* AddressOf(const BufferPtr& buffer) {
    auto use = buffer->Acquire();
    EXPECT_OK(use);
    EXPECT_OK(buffer->ready().Await());
    return use->data();
  }

  absl::StatusOr<Launched> Start(const std::shared_ptr<const Executable>& executable,
                                 LaunchRequest::Buffers arguments, std::vector<bool> donate = {},
                                 const CustomCallRegistry* custom_calls = nullptr) {
    LaunchRequest request;
    request.arguments = {std::move(arguments)};
    request.donate = std::move(donate);
    request.device_ordinals = {0};
    request.context.custom_calls = custom_calls;
    return Launch(client->backend(), executable, std::move(request));
  }

  std::unique_ptr<LocalClient> client;
};

constexpr char kDouble[] = R"(HloModule twice
ENTRY e { x = f32[4] parameter(0) ROOT y = f32[4] add(x, x) })";
constexpr char kUpdate[] = R"(HloModule update, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[4] parameter(0) v = f32[1] constant({9}) i = s32[] constant(2)
  ROOT y = f32[4] dynamic-update-slice(x, v, i) })";
constexpr char kGate[] = R"(HloModule gate
ENTRY e { x = f32[4] parameter(0)
  ROOT y = f32[4] custom-call(x), custom_call_target="gate", api_version=API_VERSION_TYPED_FFI })";

TEST_F(LaunchTest, ResultsAreArgumentsBeforeTheyAreReady) {
  const auto twice = Compile(kDouble);
  const BufferPtr x = Vector({1, 2, 3, 4});
  ASSERT_OK_AND_ASSIGN(const Launched first, Start(twice, {x}));
  ASSERT_OK_AND_ASSIGN(const Launched second, Start(twice, {first.results[0][0]}));
  EXPECT_EQ(ValuesOf(second.results[0][0]), (std::vector<float>{4, 8, 12, 16}));
  EXPECT_OK(second.done.Await());
  EXPECT_EQ(ValuesOf(x), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(LaunchTest, DonatedMemoryIsUpdatedInPlace) {
  const auto update = Compile(kUpdate);
  const BufferPtr x = Vector({1, 2, 3, 4});
  const void* const address = AddressOf(x);
  ASSERT_OK_AND_ASSIGN(const Launched run, Start(update, {x}, {true}));
  EXPECT_EQ(AddressOf(run.results[0][0]), address);
  EXPECT_EQ(ValuesOf(run.results[0][0]), (std::vector<float>{1, 2, 9, 4}));
  EXPECT_TRUE(x->IsDeleted());
}

TEST_F(LaunchTest, InterpretedResultsAreInTheMemoryOfArguments) {
  client = MakeClient(LocalClientOptions().set_use_compiler(false));
  const auto update = Compile(R"(HloModule update, input_output_alias={ {1}: (1, {}, must-alias) }
ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1)
  s = f32[4] add(x, y) d = f32[4] subtract(x, y) ROOT t = (f32[4], f32[4]) tuple(s, d) })");
  const BufferPtr x = Vector({1, 2, 3, 4}), y = Vector({1, 1, 1, 1});
  const void* const address = AddressOf(y);
  ASSERT_OK_AND_ASSIGN(const Launched run, Start(update, {x, y}, {false, true}));
  EXPECT_EQ(ValuesOf(run.results[0][0]), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(ValuesOf(run.results[0][1]), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(AddressOf(run.results[0][1]), address);
  EXPECT_EQ(ValuesOf(x), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(LaunchTest, DonatedBuffersCannotBeUsedAgain) {
  const auto update = Compile(kUpdate), twice = Compile(kDouble);
  const BufferPtr x = Vector({1, 2, 3, 4});
  ASSERT_OK(Start(update, {x}, {true}).status());
  EXPECT_STATUS(Start(update, {x}, {true}), absl::StatusCode::kInvalidArgument,
                "program update: the buffer of shape f32[4]{0} on device 0 has no contents any "
                "more: it was donated");
  EXPECT_ERROR(Start(twice, {x}), "it was donated");
  EXPECT_ERROR(x->Acquire(), "it was donated");
  const BufferPtr y = Vector({1, 2, 3, 4});
  y->Delete();
  EXPECT_ERROR(Start(twice, {y}), "it was deleted");
}

TEST_F(LaunchTest, ADonatedBufferIsGivenOnce) {
  const auto sum = Compile(R"(HloModule sum
ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) ROOT z = f32[4] add(x, y) })");
  const BufferPtr x = Vector({1, 2, 3, 4});
  EXPECT_ERROR(Start(sum, {x, x}, {true, false}), "previously donated in the same call");
  EXPECT_ERROR(Start(sum, {x, x}, {false, true}), "which is also used by the same call");
  // A launch that is refused takes nothing.
  const BufferPtr deleted = Vector({1, 2, 3, 4});
  deleted->Delete();
  EXPECT_ERROR(Start(sum, {x, deleted}, {true, false}), "it was deleted");
  ASSERT_OK_AND_ASSIGN(const Launched run, Start(sum, {x, x}));
  EXPECT_EQ(ValuesOf(run.results[0][0]), (std::vector<float>{2, 4, 6, 8}));
}

TEST_F(LaunchTest, ADonationWaitsForEarlierUses) {
  const auto update = Compile(kUpdate);
  const BufferPtr x = Vector({1, 2, 3, 4});
  auto use = x->Acquire();
  ASSERT_OK(use);
  ASSERT_OK_AND_ASSIGN(const Launched run, Start(update, {x}, {true}));
  EXPECT_STATUS(run.done.Await(absl::Milliseconds(20)), absl::StatusCode::kDeadlineExceeded, "");
  EXPECT_EQ(static_cast<const float*>(use->data())[2], 3);
  { const DeviceBuffer::Use ends = *std::move(use); }
  EXPECT_OK(run.done.Await());
}

TEST_F(LaunchTest, MustAliasPutsTheResultIntoTheDonatedMemory) {
  // The results trade places, so that neither can be updated in place.
  const auto swap = Compile(
      R"(HloModule swap, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {}, must-alias) }
ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) a = f32[4] negate(x)
  ROOT t = (f32[4], f32[4]) tuple(y, a) })");
  const BufferPtr x = Vector({1, 2, 3, 4}), y = Vector({5, 6, 7, 8});
  const void* const at_x = AddressOf(x);
  const void* const at_y = AddressOf(y);
  EXPECT_ERROR(Start(swap, {x, y}), "must-alias at compile time but not donated at runtime");
  ASSERT_OK_AND_ASSIGN(const Launched run, Start(swap, {x, y}, {true, true}));
  EXPECT_EQ(AddressOf(run.results[0][0]), at_x);
  EXPECT_EQ(AddressOf(run.results[0][1]), at_y);
  EXPECT_EQ(ValuesOf(run.results[0][0]), (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ(ValuesOf(run.results[0][1]), (std::vector<float>{-1, -2, -3, -4}));
}

TEST_F(LaunchTest, MayAliasWorksWithAndWithoutDonation) {
  const auto update = Compile(R"(HloModule update, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[4] parameter(0) v = f32[1] constant({9}) i = s32[] constant(2)
  ROOT y = f32[4] dynamic-update-slice(x, v, i) })");
  const BufferPtr x = Vector({1, 2, 3, 4});
  const void* const address = AddressOf(x);
  ASSERT_OK_AND_ASSIGN(const Launched copied, Start(update, {x}));
  EXPECT_NE(AddressOf(copied.results[0][0]), address);
  EXPECT_EQ(ValuesOf(x), (std::vector<float>{1, 2, 3, 4}));
  ASSERT_OK_AND_ASSIGN(const Launched donated, Start(update, {x}, {true}));
  EXPECT_EQ(AddressOf(donated.results[0][0]), address);
  EXPECT_EQ(ValuesOf(donated.results[0][0]), ValuesOf(copied.results[0][0]));
}

TEST_F(LaunchTest, HostMemoryIsReadInPlaceAndReleased) {
  const auto twice = Compile(kDouble), update = Compile(kUpdate);
  const float values[] = {1, 2, 3, 4};
  std::atomic<int> released{0};
  {
    const BufferPtr x = DeviceBuffer::OnHostMemory(ShapeUtil::MakeShape(F32, {4}), 0, values,
                                                   sizeof(values), [&] { ++released; });
    EXPECT_EQ(AddressOf(x), values);
    ASSERT_OK_AND_ASSIGN(const Launched run, Start(twice, {x}));
    EXPECT_EQ(ValuesOf(run.results[0][0]), (std::vector<float>{2, 4, 6, 8}));
    // Donation does not make it writable.
    ASSERT_OK_AND_ASSIGN(const Launched second, Start(update, {x}, {true}));
    EXPECT_EQ(ValuesOf(second.results[0][0]), (std::vector<float>{1, 2, 9, 4}));
    EXPECT_EQ(values[2], 3);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(LaunchTest, AnErrorIsThatOfTheResultsAndOfWhatDependsOnThem) {
  CustomCallRegistry calls;
  ASSERT_OK(calls.Register("gate", [](CustomCallFrame&) { return absl::DataLossError("broken"); }));
  const auto gate = Compile(kGate), twice = Compile(kDouble);
  const BufferPtr x = Vector({1, 2, 3, 4});
  ASSERT_OK_AND_ASSIGN(const Launched failed, Start(gate, {x}, {}, &calls));
  ASSERT_OK_AND_ASSIGN(const Launched dependent, Start(twice, {failed.results[0][0]}, {true}));
  EXPECT_STATUS(failed.results[0][0]->ready().Await(), absl::StatusCode::kDataLoss, "broken");
  EXPECT_STATUS(dependent.done.Await(), absl::StatusCode::kDataLoss, "broken");
  EXPECT_STATUS(dependent.results[0][0]->ready().Await(), absl::StatusCode::kDataLoss, "broken");
  ASSERT_OK_AND_ASSIGN(const Launched next, Start(twice, {x}));
  EXPECT_OK(next.done.Await());
}

TEST_F(LaunchTest, CanBeCancelledBeforeAndAfterItStarts) {
  std::atomic<bool> open{false};
  CustomCallRegistry calls;
  ASSERT_OK(calls.Register("gate", [&](CustomCallFrame&) {
    while (!open) std::this_thread::yield();
    return absl::OkStatus();
  }));
  const auto gate = Compile(kGate), twice = Compile(kDouble);
  const BufferPtr x = Vector({1, 2, 3, 4});
  ASSERT_OK_AND_ASSIGN(const Launched blocked, Start(gate, {x}, {}, &calls));
  ASSERT_OK_AND_ASSIGN(const Launched waiting, Start(twice, {x}));
  waiting.Cancel();
  open = true;
  EXPECT_STATUS(waiting.done.Await(), absl::StatusCode::kCancelled, "before it started");
  EXPECT_OK(blocked.done.Await());
  const auto forever = Compile(R"(HloModule forever
body { s = f32[4] parameter(0) ROOT n = f32[4] add(s, s) }
condition { s = f32[4] parameter(0) ROOT c = pred[] constant(true) }
ENTRY e { x = f32[4] parameter(0) ROOT w = f32[4] while(x), condition=condition, body=body })");
  ASSERT_OK_AND_ASSIGN(const Launched run, Start(forever, {x}));
  EXPECT_STATUS(run.done.Await(absl::Milliseconds(10)), absl::StatusCode::kDeadlineExceeded, "");
  run.Cancel();
  EXPECT_STATUS(run.done.Await(), absl::StatusCode::kCancelled, "cancelled");
}

TEST_F(LaunchTest, ChecksWhatItIsGiven) {
  const auto twice = Compile(kDouble);
  EXPECT_ERROR(Start(twice, {}), "takes 1 buffers; 0 were given");
  EXPECT_ERROR(Start(twice, {nullptr}), "argument buffer 0 of program twice is null");
  EXPECT_ERROR(Start(twice, {Vector({1})}), "want f32[4], got f32[1]");
  EXPECT_ERROR(Start(twice, {Vector({1, 2, 3, 4}, 1)}),
               "is on device 1, but the program runs on device 0");
  EXPECT_ERROR(Start(twice, {Vector({1, 2, 3, 4})}, {true, false}), "donations of 2 were given");
}

TEST_F(LaunchTest, DevicesOfOneLaunchMeet) {
  auto module = ParseAndReturnUnverifiedModule(R"(HloModule all, replica_count=2
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[4] parameter(0) ROOT s = f32[4] all-reduce(x), replica_groups={}, to_apply=add })");
  ASSERT_OK(module);
  (*module)->SetDefaultEntryLayout();
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<const Executable> sum,
                       client->backend().Compile(std::move(*module)));
  std::vector<BufferPtr> x = {Vector({1, 2, 3, 4}, 0), Vector({1, 1, 1, 1}, 1)};
  for (int i = 0; i < 5; ++i) {
    LaunchRequest request;
    request.arguments = {{x[0]}, {x[1]}};
    request.donate = {true};
    request.device_ordinals = {0, 1};
    ASSERT_OK_AND_ASSIGN(const Launched run, Launch(client->backend(), sum, request));
    x = {run.results[0][0], run.results[1][0]};
  }
  EXPECT_EQ(ValuesOf(x[1]), (std::vector<float>{32, 48, 64, 80}));
}

TEST_F(LaunchTest, RequestsFitTheProgram) {
  const auto twice = Compile(kDouble);
  const BufferPtr x = Vector({1, 2, 3, 4});
  auto module = ParseAndReturnUnverifiedModule(
      "HloModule two, replica_count=2\nENTRY e { x = f32[4] parameter(0) ROOT y = f32[4] add(x, x) "
      "}");
  ASSERT_OK(module);
  (*module)->SetDefaultEntryLayout();
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<const Executable> two,
                       client->backend().Compile(std::move(*module)));
  struct Case {
    const std::shared_ptr<const Executable>& executable;
    absl::InlinedVector<LaunchRequest::Buffers, 1> arguments;
    absl::InlinedVector<int, 1> devices;
    std::vector<bool> donate;
    const char* error;
  };
  const Case cases[] = {
      {twice, {}, {0}, {}, "runs on 1 devices; arguments of 0 and the ordinals of 1"},
      {twice, {{x}}, {}, {}, "runs on 1 devices; arguments of 1 and the ordinals of 0"},
      {twice, {{x}, {x}}, {0, 1}, {}, "arguments of 2 and the ordinals of 2"},
      {twice, {{x}}, {0}, {true, false}, "takes 1 buffers; donations of 2"},
      {twice, {{x}}, {-1}, {}, "device"},
      {twice, {{x}}, {99}, {}, "device"},
      {twice, {{x, x}}, {0}, {}, "takes 1 buffers; 2 were given"},
      {twice, {{}}, {0}, {}, "takes 1 buffers; 0 were given"},
      {twice, {{nullptr}}, {0}, {}, "argument buffer 0 of program twice is null"},
      {two, {{x}, {x}}, {0, 0}, {}, "device 0 is given twice for program two"}};
  for (const Case& c : cases) {
    LaunchRequest request;
    request.arguments = c.arguments;
    request.device_ordinals = c.devices;
    request.donate = c.donate;
    EXPECT_ERROR(Launch(client->backend(), c.executable, request), c.error);
  }
  EXPECT_EQ(ValuesOf(x), (std::vector<float>{1, 2, 3, 4}));
}

// A token has no buffer.
TEST_F(LaunchTest, TokensAreGivenAsNull) {
  const auto program = Compile(
      "HloModule tokens\nENTRY e { t = token[] parameter(0) x = f32[4] parameter(1) "
      "ROOT y = f32[4] add-dependency(x, t) }");
  const BufferPtr x = Vector({1, 2, 3, 4});
  ASSERT_OK_AND_ASSIGN(const Launched launched, Start(program, {nullptr, x}));
  EXPECT_EQ(ValuesOf(launched.results[0][0]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_ERROR(Start(program, {nullptr, nullptr}), "argument buffer 1 of program tokens is null");
}

TEST_F(LaunchTest, StreamsAreBorrowedForEachDevice) {
  EXPECT_OK(client->backend().BorrowStream(0));
  EXPECT_OK(client->backend().BorrowStream(1));
  EXPECT_ERROR(client->backend().BorrowStream(2), "Invalid device ordinal value (2)");
  EXPECT_ERROR(client->backend().BorrowStream(-1), "Invalid device ordinal value (-1)");
}

TEST_F(LaunchTest, EightThreadsLaunchChains) {
  const auto twice = Compile(kDouble);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      BufferPtr x = Vector({static_cast<float>(t), 1, 1, 1});
      for (int i = 0; i < 10; ++i) {
        auto run = Start(twice, {x}, {i % 2 == 0});
        if (!run.ok()) {
          ++wrong;
          return;
        }
        x = run->results[0][0];
      }
      if (ValuesOf(x)[0] != 1024.0f * static_cast<float>(t)) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(LaunchTest, TheClientWaitsForLaunchesUnderWay) {
  std::atomic<bool> open{false};
  CustomCallRegistry calls;
  ASSERT_OK(calls.Register("gate", [&](CustomCallFrame&) {
    while (!open) std::this_thread::yield();
    return absl::OkStatus();
  }));
  runtime::Event done;
  {
    const auto gate = Compile(kGate);
    ASSERT_OK_AND_ASSIGN(const Launched run, Start(gate, {Vector({1, 2, 3, 4})}, {true}, &calls));
    done = run.done;
  }
  std::thread opener([&] { open = true; });
  client = nullptr;
  EXPECT_TRUE(done.IsReady());
  opener.join();
}

}  // namespace
}  // namespace xla
