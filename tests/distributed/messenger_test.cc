// SPDX-License-Identifier: Apache-2.0
// What becomes of frames in orders that only busy machines see.
#include "xla/distributed/messenger.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/distributed/hostile_frames.h"

namespace xla::distributed {
namespace {

// Nothing that is sent arrives; the frames of failed runs are kept, by process.
class LosingTransport final : public DeafTransport {
 public:
  absl::Status SendFrame(int process, absl::Span<const absl::Span<const char>> parts) override {
    const absl::StatusOr<DecodedFrame> decoded = DecodeFrame(parts[0]);
    if (decoded.ok() && decoded->frame.kind == Frame::Kind::kEnded)
      failures_[process].push_back(decoded->frame.text);
    return absl::OkStatus();
  }
  const std::map<int, std::vector<std::string>>& failures() const { return failures_; }

 private:
  std::map<int, std::vector<std::string>> failures_;
};

// A process whose connection with the one that failed is cut hears of the failure from others.
TEST(MessengerTest, WhatAProcessHasHeardItTellsTheOthers) {
  auto made = std::make_unique<LosingTransport>();
  const LosingTransport& transport = *made;
  Messenger messenger(std::move(made), {});
  ASSERT_EQ(messenger.Start(), absl::OkStatus());
  const Messenger::RunKey run = messenger.BeginRun(5, {"jit_f", 17, true}, {1, 2});
  Frame frame;
  frame.kind = Frame::Kind::kEnded;
  frame.run = run.run;
  frame.ticket.launch = run.launch;
  frame.code = static_cast<int32_t>(absl::StatusCode::kUnavailable);
  frame.text = "process 1 has gone";
  messenger.OnFrame(2, EncodeFrame(frame));

  Messenger::Operation operation;
  operation.run = run;
  operation.text = "all-reduce.1";
  const Messenger::Peer peers[] = {{1, {}, {}}, {2, {}, {}}};
  const absl::Status status =
      messenger.Exchange(operation, 3, peers, {absl::InfiniteDuration(), nullptr});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  messenger.EndRun(run, status);
  ASSERT_EQ(transport.failures().count(1), 1);
  EXPECT_EQ(transport.failures().at(1), std::vector<std::string>({std::string(status.message())}));
  EXPECT_TRUE(absl::StrContains(status.message(), "process 1 has gone")) << status;
  for (const int process : {1, 2}) {
    frame = Frame();
    frame.kind = Frame::Kind::kSeen;
    messenger.OnFrame(process, EncodeFrame(frame));
  }
}

// A process may end a run while what it sent still lies here, since another one is late.
TEST(MessengerTest, AProcessThatHasEndedHasSentItsMessage) {
  Messenger messenger(std::make_unique<LosingTransport>(), {});
  ASSERT_EQ(messenger.Start(), absl::OkStatus());
  const ProgramIdentity program = {"jit_f", 17, true};
  Messenger::Operation operation;
  operation.run = messenger.BeginRun(5, program, {1, 2});
  operation.text = "all-reduce.1";
  constexpr uint64_t kKey = 3;
  const auto deliver = [&](int process, Frame::Kind kind) {
    Frame frame;
    frame.kind = kind;
    frame.run = operation.run.run;
    frame.ticket.launch = operation.run.launch;
    if (kind == Frame::Kind::kData) {
      frame.ticket.program = program.fingerprint;
      frame.key = kKey;
      frame.bytes = 1;
    }
    std::string bytes = EncodeFrame(frame);
    if (kind == Frame::Kind::kData) bytes += static_cast<char>('a' + process);
    messenger.OnFrame(process, bytes);
  };

  // The thread that waits does nothing while frames come.
  std::mutex mutex;
  std::condition_variable changed;
  bool is_waiting = false, may_go_on = false;
  runtime::WaitLimits limits = {absl::Minutes(4), [&]() -> absl::Status {
                                  std::unique_lock<std::mutex> lock(mutex);
                                  is_waiting = true;
                                  changed.notify_all();
                                  changed.wait(lock, [&] { return may_go_on; });
                                  return absl::OkStatus();
                                }};
  char first = ' ', second = ' ', mine = 'm';
  const absl::Span<char> incoming[] = {{&first, 1}, {&second, 1}};
  const absl::Span<const char> outgoing = {&mine, 1};
  const Messenger::Peer peers[] = {
      {1, absl::MakeConstSpan(&outgoing, 1), absl::MakeConstSpan(&incoming[0], 1)},
      {2, absl::MakeConstSpan(&outgoing, 1), absl::MakeConstSpan(&incoming[1], 1)}};
  absl::Status status;
  std::thread waiter([&] { status = messenger.Exchange(operation, kKey, peers, limits); });
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return is_waiting; });
  }
  deliver(2, Frame::Kind::kData);
  deliver(2, Frame::Kind::kEnded);
  {
    std::lock_guard<std::mutex> lock(mutex);
    may_go_on = true;
    changed.notify_all();
  }
  deliver(1, Frame::Kind::kData);
  waiter.join();
  EXPECT_EQ(status, absl::OkStatus());
  EXPECT_EQ(first, 'b');
  EXPECT_EQ(second, 'c');
  messenger.EndRun(operation.run, status);
  for (const int process : {1, 2}) deliver(process, Frame::Kind::kSeen);
}

}  // namespace
}  // namespace xla::distributed
