// SPDX-License-Identifier: Apache-2.0
// Events: readiness, errors, callbacks, waiting, composition.
#include "xla/runtime/event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/test_util.h"

namespace xla::runtime {
namespace {

TEST(EventTest, IsReadyFromTheStartOrWhenItIsSet) {
  EXPECT_TRUE(Event().IsReady());
  EXPECT_OK(Event().Await());
  EXPECT_ERROR(Event(absl::InternalError("broken")).Await(), "broken");
  EventSource source;
  const Event event = source.event();
  EXPECT_FALSE(event.IsReady());
  source.Set(absl::OkStatus());
  EXPECT_TRUE(event.IsReady());
  EXPECT_OK(event.status());
}

TEST(EventTest, WaitingEndsWithTheEventOrTheTimeout) {
  EventSource source;
  EXPECT_STATUS(source.event().Await(absl::Milliseconds(5)), absl::StatusCode::kDeadlineExceeded,
                "not ready within 5ms");
  std::thread setter([&] { source.Set(absl::AbortedError("stopped")); });
  EXPECT_STATUS(source.event().Await(), absl::StatusCode::kAborted, "stopped");
  setter.join();
  EXPECT_STATUS(source.event().Await(absl::ZeroDuration()), absl::StatusCode::kAborted, "stopped");
}

TEST(EventTest, CallbacksRunOnceInOrder) {
  EventSource source;
  std::vector<int> calls;
  source.event().OnReady([&](const absl::Status& status) { calls.push_back(status.ok() ? 1 : 0); });
  source.event().OnReady([&](const absl::Status&) { calls.push_back(2); });
  EXPECT_TRUE(calls.empty());
  source.Set(absl::OkStatus());
  source.event().OnReady([&](const absl::Status&) { calls.push_back(3); });
  EXPECT_EQ(calls, (std::vector<int>{1, 2, 3}));
}

TEST(EventTest, ASourceThatGoesAwayIsAnError) {
  std::optional<EventSource> source(std::in_place);
  const Event event = source->event();
  EventSource moved = *std::move(source);
  source.reset();
  EXPECT_FALSE(event.IsReady());
  { const EventSource gone = std::move(moved); }
  EXPECT_STATUS(event.Await(), absl::StatusCode::kCancelled, "was destroyed before it was set");
}

TEST(EventTest, AllIsReadyWhenEachIs) {
  EventSource a, b;
  const Event all = Event::All({a.event(), Event(), b.event()});
  b.Set(absl::InternalError("b"));
  EXPECT_FALSE(all.IsReady());
  a.Set(absl::OkStatus());
  EXPECT_ERROR(all.Await(), "b");
  EXPECT_TRUE(Event::All({}).IsReady());
  EXPECT_ERROR(
      Event::All({Event(absl::InternalError("x")), Event(absl::InternalError("y"))}).Await(), "x");
}

TEST(EventTest, ThreadsMayRaceForCallbacks) {
  for (int round = 0; round < 200; ++round) {
    EventSource source;
    std::atomic<int> calls{0};
    std::thread adder([event = source.event(), &calls] {
      for (int i = 0; i < 10; ++i) event.OnReady([&](const absl::Status&) { ++calls; });
    });
    source.Set(absl::InternalError("e"));
    adder.join();
    EXPECT_EQ(calls, 10);
  }
}

}  // namespace
}  // namespace xla::runtime
