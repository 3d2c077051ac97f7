// SPDX-License-Identifier: Apache-2.0
// Devices that meet, send and receive; feeds and channels to the host.
#include "xla/runtime/rendezvous.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/literal_util.h"
#include "xla/runtime/channels.h"
#include "xla/runtime/feeds.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Payload = runtime::Rendezvous::Payload;

Payload Number(int64_t value) { return std::make_shared<int64_t>(value); }
int64_t ValueOf(const Payload& payload) { return *static_cast<int64_t*>(payload.get()); }

// What each gets: the sum of what all brought, plus 1000 times its rank.
absl::StatusOr<std::vector<Payload>> Sum(absl::Span<const Payload> brought) {
  int64_t sum = 0;
  for (const Payload& payload : brought) sum += ValueOf(payload);
  std::vector<Payload> results;
  for (size_t rank = 0; rank < brought.size(); ++rank)
    results.push_back(Number(sum + 1000 * static_cast<int64_t>(rank)));
  return results;
}

runtime::WaitLimits Within(absl::Duration timeout) { return {timeout, nullptr}; }

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr runtime::Rendezvous::Place kPlace = {/*is_channel=*/true, 7};

// Runs body(device) -> status on n threads; what each ended with.
template <typename Body>
std::vector<absl::Status> RunDevices(runtime::Rendezvous& rendezvous, Body body) {
  std::vector<absl::Status> statuses(static_cast<size_t>(rendezvous.num_devices()));
  runtime::ReusableThreads threads;
  EXPECT_OK(threads.RunAll(rendezvous.num_devices(), [&](int64_t device) {
    absl::Status& status = statuses[static_cast<size_t>(device)];
    status = body(device);
    rendezvous.Finish(device, status);
  }));
  return statuses;
}

TEST(RendezvousTest, EachGetsItsOwnResultInEveryVisit) {
  constexpr int64_t kDevices = 8, kVisits = 200;
  runtime::Rendezvous rendezvous(kDevices);
  std::atomic<int64_t> wrong{0};
  for (const absl::Status& status : RunDevices(rendezvous, [&](int64_t device) -> absl::Status {
         // Even and odd devices are groups of their own, in descending order.
         std::vector<int64_t> group;
         for (int64_t d = kDevices - 1; d >= 0; --d) {
           if (d % 2 == device % 2) group.push_back(d);
         }
         const int64_t rank = (kDevices - 1 - device) / 2;
         for (int64_t visit = 0; visit < kVisits; ++visit) {
           auto result = rendezvous.Meet(kPlace, group, rank, "op", Number(visit + device), Sum,
                                         Within(absl::Seconds(60)));
           if (!result.ok()) return result.status();
           const int64_t sum = 4 * visit + (device % 2 == 0 ? 0 + 2 + 4 + 6 : 1 + 3 + 5 + 7);
           if (ValueOf(*result) != sum + 1000 * rank) ++wrong;
         }
         return absl::OkStatus();
       })) {
    EXPECT_OK(status);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_OK(rendezvous.RootError());
}

TEST(RendezvousTest, AnErrorOfTheCombinationIsThatOfAll) {
  runtime::Rendezvous rendezvous(3);
  for (const absl::Status& status : RunDevices(rendezvous, [&](int64_t device) {
         return rendezvous
             .Meet(
                 kPlace, {0, 1, 2}, device, "op", Number(0),
                 [](absl::Span<const Payload>) -> absl::StatusOr<std::vector<Payload>> {
                   return absl::InvalidArgumentError("does not fit");
                 },
                 Within(absl::Seconds(60)))
             .status();
       })) {
    EXPECT_STATUS(status, absl::StatusCode::kInvalidArgument, "does not fit");
  }
  EXPECT_EQ(rendezvous.RootDevice(), 0);
}

TEST(RendezvousTest, TheTimeOutNamesWhoIsMissing) {
  runtime::Rendezvous rendezvous(4);
  std::atomic<bool> may_end{false};
  const auto start = std::chrono::steady_clock::now();
  const auto statuses = RunDevices(rendezvous, [&](int64_t device) -> absl::Status {
    if (device == 1 || device == 3) {
      // Busy with something else.
      while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return absl::OkStatus();
    }
    const absl::Status status = rendezvous
                                    .Meet(kPlace, {3, 2, 1, 0}, 3 - device, "op", Number(0), Sum,
                                          Within(absl::Milliseconds(200)))
                                    .status();
    may_end = true;
    return status;
  });
  EXPECT_GT(SecondsSince(start), 0.19);
  EXPECT_LT(SecondsSince(start), 20);
  EXPECT_STATUS(rendezvous.RootError(), absl::StatusCode::kDeadlineExceeded,
                "waited 200ms for devices 3 and 1 of the group {3,2,1,0}");
}

TEST(RendezvousTest, ADeviceThatHasEndedIsNotWaitedFor) {
  for (const bool ends_first : {false, true}) {
    runtime::Rendezvous rendezvous(3);
    const auto start = std::chrono::steady_clock::now();
    RunDevices(rendezvous, [&](int64_t device) -> absl::Status {
      if (device == 2) {
        if (!ends_first) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return absl::OkStatus();
      }
      if (ends_first) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return rendezvous
          .Meet(kPlace, {0, 1, 2}, device, "op", Number(0), Sum, Within(absl::InfiniteDuration()))
          .status();
    });
    EXPECT_LT(SecondsSince(start), 20);
    EXPECT_STATUS(rendezvous.RootError(), absl::StatusCode::kFailedPrecondition,
                  "device 2 has ended the program without it");
  }
}

TEST(RendezvousTest, DevicesThatWaitForEachOtherAreToldAtOnce) {
  runtime::Rendezvous rendezvous(2);
  const auto start = std::chrono::steady_clock::now();
  RunDevices(rendezvous, [&](int64_t device) {
    return rendezvous
        .Meet({false, device}, {0, 1}, device, device == 0 ? "this" : "that", Number(0), Sum,
              Within(absl::InfiniteDuration()))
        .status();
  });
  EXPECT_LT(SecondsSince(start), 20);
  EXPECT_STATUS(rendezvous.RootError(), absl::StatusCode::kFailedPrecondition,
                "device 0 in this for device 1; device 1 in that for device 0");
}

TEST(RendezvousTest, AnErrorOfOneDeviceStopsTheOthersAndIsTheRoot) {
  runtime::Rendezvous rendezvous(8);
  const auto start = std::chrono::steady_clock::now();
  const auto statuses = RunDevices(rendezvous, [&](int64_t device) -> absl::Status {
    if (device == 5) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return absl::DataLossError("broken");
    }
    std::vector<int64_t> all(8);
    std::iota(all.begin(), all.end(), 0);
    return rendezvous
        .Meet(kPlace, all, device, "op", Number(0), Sum, Within(absl::InfiniteDuration()))
        .status();
  });
  EXPECT_LT(SecondsSince(start), 20);
  for (int64_t device = 0; device < 8; ++device) {
    if (device == 5) continue;
    EXPECT_STATUS(statuses[static_cast<size_t>(device)], absl::StatusCode::kCancelled,
                  "because of an error on device 5");
  }
  EXPECT_STATUS(rendezvous.RootError(), absl::StatusCode::kDataLoss, "broken");
  EXPECT_EQ(rendezvous.RootDevice(), 5);
}

TEST(RendezvousTest, PollEndsAWait) {
  runtime::Rendezvous rendezvous(2);
  std::atomic<bool> cancelled{false};
  const runtime::WaitLimits limits = {absl::InfiniteDuration(), [&]() -> absl::Status {
                                        return cancelled ? absl::CancelledError("enough")
                                                         : absl::OkStatus();
                                      }};
  RunDevices(rendezvous, [&](int64_t device) -> absl::Status {
    if (device == 0)
      return rendezvous.Meet(kPlace, {0, 1}, 0, "op", Number(0), Sum, limits).status();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancelled = true;
    while (!rendezvous.stopped()) std::this_thread::yield();
    return rendezvous.StopStatus();
  });
  EXPECT_STATUS(rendezvous.RootError(), absl::StatusCode::kCancelled, "enough");
}

TEST(RendezvousTest, MessagesComeInOrder) {
  constexpr int64_t kMessages = 500;
  runtime::Rendezvous rendezvous(3);
  std::atomic<int64_t> wrong{0};
  // 0 -> 1 -> 2 -> 0
  for (const absl::Status& status : RunDevices(rendezvous, [&](int64_t device) -> absl::Status {
         const int64_t source = (device + 2) % 3, target = (device + 1) % 3;
         for (int64_t i = 0; i < kMessages; ++i) {
           const absl::Status sent =
               rendezvous.Send({kPlace, device, target}, device, Number(100 * i + device));
           if (!sent.ok()) return sent;
           auto received = rendezvous.Receive({kPlace, source, device}, device, "recv",
                                              Within(absl::Seconds(60)));
           if (!received.ok()) return received.status();
           if (ValueOf(*received) != 100 * i + source) ++wrong;
         }
         return absl::OkStatus();
       })) {
    EXPECT_OK(status);
  }
  EXPECT_EQ(wrong, 0);
}

TEST(RendezvousTest, WaitsForMessagesEnd) {
  {
    runtime::Rendezvous rendezvous(2);
    RunDevices(rendezvous, [&](int64_t device) -> absl::Status {
      if (device == 0) return absl::OkStatus();
      return rendezvous.Receive({kPlace, 0, 1}, 1, "recv", Within(absl::InfiniteDuration()))
          .status();
    });
    EXPECT_ERROR(rendezvous.RootError(),
                 "device 1 waits for device 0 to send on channel 7, but that has ended");
  }
  {
    runtime::Rendezvous rendezvous(2);
    RunDevices(rendezvous, [&](int64_t device) {
      return rendezvous
          .Receive({kPlace, 1 - device, device}, device, "recv", Within(absl::InfiniteDuration()))
          .status();
    });
    EXPECT_ERROR(rendezvous.RootError(), "device 0 in recv for device 1; device 1 in recv for");
  }
  {
    runtime::Rendezvous rendezvous(2);
    std::atomic<bool> may_end{false};
    RunDevices(rendezvous, [&](int64_t device) -> absl::Status {
      if (device == 0) {
        while (!may_end) std::this_thread::yield();
        return absl::OkStatus();
      }
      const absl::Status status =
          rendezvous.Receive({kPlace, -1, -1}, 1, "recv", Within(absl::Milliseconds(50))).status();
      may_end = true;
      return status;
    });
    EXPECT_STATUS(rendezvous.RootError(), absl::StatusCode::kDeadlineExceeded,
                  "device 1 waited 50ms for any device to send on channel 7");
  }
}

TEST(RendezvousTest, AnOpenChannelHasOneSenderAndOneReceiver) {
  runtime::Rendezvous rendezvous(2);
  const runtime::Rendezvous::Channel open = {kPlace, -1, -1};
  EXPECT_OK(rendezvous.Send(open, 0, Number(1)));
  EXPECT_ERROR(rendezvous.Send(open, 1, Number(2)), "devices 0 and 1 both send on channel 7");
  EXPECT_OK(rendezvous.Receive(open, 1, "recv", {}).status());
  EXPECT_ERROR(rendezvous.Receive(open, 0, "recv", {}), "devices 1 and 0 both receive");
}

TEST(DevicesTextTest, ReadsAsASentence) {
  EXPECT_EQ(runtime::DevicesText({3}), "device 3");
  EXPECT_EQ(runtime::DevicesText({1, 2}), "devices 1 and 2");
  EXPECT_EQ(runtime::DevicesText({1, 2, 5}), "devices 1, 2 and 5");
  std::vector<int64_t> many(100);
  std::iota(many.begin(), many.end(), 0);
  EXPECT_EQ(runtime::DevicesText(many), "devices 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 88 more");
}

// --- Feeds

Literal R1(std::initializer_list<float> values) {
  return LiteralUtil::CreateR1<float>(std::vector<float>(values));
}
const Shape kF32x2 = ShapeUtil::MakeShape(F32, {2});

TEST(FeedsTest, QueuesOfEachDeviceAreInOrder) {
  runtime::Feeds feeds(2);
  ASSERT_OK(feeds.TransferToInfeed(R1({1, 2}), 0));
  ASSERT_OK(feeds.TransferToInfeed(R1({3, 4}), 1));
  ASSERT_OK(feeds.TransferToInfeed(R1({5, 6}), 0));
  const runtime::WaitLimits limits = Within(absl::Seconds(10));
  ASSERT_OK_AND_ASSIGN(const Literal a, feeds.ReadInfeed(kF32x2, 0, limits));
  ASSERT_OK_AND_ASSIGN(const Literal b, feeds.ReadInfeed(kF32x2, 0, limits));
  ASSERT_OK_AND_ASSIGN(const Literal c, feeds.ReadInfeed(kF32x2, 1, limits));
  EXPECT_EQ(a, R1({1, 2}));
  EXPECT_EQ(b, R1({5, 6}));
  EXPECT_EQ(c, R1({3, 4}));
  ASSERT_OK(feeds.WriteOutfeed(R1({7, 8}), 1, limits));
  EXPECT_EQ(feeds.OutfeedSize(0), 0);
  EXPECT_EQ(feeds.OutfeedSize(1), 1);
  ASSERT_OK_AND_ASSIGN(const Literal d, feeds.TransferFromOutfeed(kF32x2, 1));
  EXPECT_EQ(d, R1({7, 8}));
}

TEST(FeedsTest, ShapesAreCheckedInWords) {
  runtime::Feeds feeds(1);
  ASSERT_OK(feeds.TransferToInfeed(R1({1, 2, 3})));
  EXPECT_STATUS(feeds.ReadInfeed(kF32x2, 0, {}), absl::StatusCode::kInvalidArgument,
                "the program reads f32[2], but the next data in the infeed queue of device 0 has "
                "shape f32[3]");
  // It is still there.
  EXPECT_OK(feeds.ReadInfeed(ShapeUtil::MakeShape(F32, {3}), 0, {}).status());
  ASSERT_OK(feeds.WriteOutfeed(R1({1}), 0, {}));
  EXPECT_ERROR(feeds.TransferFromOutfeed(kF32x2),
               "the next outfeed of device 0 has shape f32[1], but f32[2] was asked for");
  EXPECT_ERROR(feeds.TransferToInfeed(R1({1}), 1), "no feed of device 1: there are 1 devices");
  EXPECT_ERROR(feeds.TransferFromOutfeed(-1), "no feed of device -1");
}

TEST(FeedsTest, DynamicDimensionsTakeSmallerData) {
  runtime::Feeds feeds(1);
  Shape bounded = ShapeUtil::MakeShape(F32, {4}, {true});
  for (const auto& literal : {R1({1, 2, 3}), R1({1, 2, 3, 4})}) {
    ASSERT_OK(feeds.TransferToInfeed(literal));
    EXPECT_OK(feeds.ReadInfeed(bounded, 0, {}).status());
  }
  ASSERT_OK(feeds.TransferToInfeed(R1({1, 2, 3, 4, 5})));
  EXPECT_ERROR(feeds.ReadInfeed(bounded, 0, {}), "the program reads f32[<=4]");
}

TEST(FeedsTest, WaitsEndWithTimeOrWhenNothingWillCome) {
  runtime::Feeds feeds(1, /*capacity_bytes=*/16);
  const runtime::WaitLimits limits = Within(absl::Milliseconds(30));
  EXPECT_STATUS(feeds.ReadInfeed(kF32x2, 0, limits), absl::StatusCode::kDeadlineExceeded,
                "no data was given to the infeed queue of device 0 after 30ms");
  EXPECT_STATUS(feeds.TransferFromOutfeed(kF32x2, 0, limits), absl::StatusCode::kDeadlineExceeded,
                "no outfeed data came from device 0 after 30ms");
  ASSERT_OK(feeds.WriteOutfeed(R1({1, 2}), 0, limits));
  ASSERT_OK(feeds.WriteOutfeed(R1({1, 2}), 0, limits));
  EXPECT_STATUS(feeds.WriteOutfeed(R1({1}), 0, limits), absl::StatusCode::kDeadlineExceeded,
                "the host took no data from the full outfeed queue of device 0");
  feeds.CloseInfeeds();
  EXPECT_STATUS(feeds.ReadInfeed(kF32x2, 0, Within(absl::InfiniteDuration())),
                absl::StatusCode::kFailedPrecondition, "is empty, and no more data will be given");
  EXPECT_ERROR(feeds.TransferToInfeed(R1({1}), 0), "closed");
}

TEST(FeedsTest, HostAndDeviceWorkAtTheSameTime) {
  runtime::Feeds feeds(1, /*capacity_bytes=*/64);
  const runtime::WaitLimits limits = Within(absl::Seconds(60));
  std::thread device([&] {
    for (int i = 0; i < 300; ++i) {
      auto literal = feeds.ReadInfeed(kF32x2, 0, limits);
      ASSERT_OK(literal.status());
      ASSERT_OK(feeds.WriteOutfeed(*std::move(literal), 0, limits));
    }
  });
  std::thread reader([&] {
    for (int i = 0; i < 300; ++i) {
      auto literal = feeds.TransferFromOutfeed(kF32x2, 0, limits);
      ASSERT_OK(literal.status());
      EXPECT_EQ(*literal, R1({static_cast<float>(i), 1}));
    }
  });
  for (int i = 0; i < 300; ++i)
    EXPECT_OK(feeds.TransferToInfeed(R1({static_cast<float>(i), 1}), 0, limits));
  device.join();
  reader.join();
}

TEST(HostChannelsTest, EachDeviceAndChannelIsAQueue) {
  runtime::HostChannels channels(2);
  const runtime::WaitLimits limits = Within(absl::Milliseconds(30));
  ASSERT_OK(channels.ToDevice(R1({1, 2}), 1, 5));
  EXPECT_STATUS(channels.Receive(kF32x2, 0, 5, limits), absl::StatusCode::kDeadlineExceeded,
                "the host gave nothing on channel 5 of device 0 in 30ms");
  EXPECT_STATUS(channels.Receive(kF32x2, 1, 6, limits), absl::StatusCode::kDeadlineExceeded,
                "channel 6 of device 1");
  ASSERT_OK_AND_ASSIGN(const Literal there, channels.Receive(kF32x2, 1, 5, limits));
  EXPECT_EQ(there, R1({1, 2}));
  ASSERT_OK(channels.Send(R1({3, 4}), 0, 9, limits));
  EXPECT_EQ(channels.Sent(0), std::vector<int64_t>{9});
  EXPECT_EQ(channels.Sent(1), std::vector<int64_t>{});
  ASSERT_OK_AND_ASSIGN(const Literal back, channels.FromDevice(0, 9));
  EXPECT_EQ(back, R1({3, 4}));
  EXPECT_STATUS(channels.FromDevice(0, 9, limits), absl::StatusCode::kDeadlineExceeded,
                "device 0 sent nothing on channel 9 in 30ms");
  ASSERT_OK(channels.ToDevice(R1({1}), 0, 5));
  EXPECT_ERROR(channels.Receive(kF32x2, 0, 5, limits),
               "the program receives f32[2], but the host gave f32[1] on channel 5 of device 0");
  channels.Close();
  EXPECT_ERROR(channels.Receive(kF32x2, 0, 77, Within(absl::InfiniteDuration())),
               "the host gave nothing on channel 77 of device 0, and will give nothing more");
  EXPECT_ERROR(channels.ToDevice(R1({1}), 2, 5), "no channels of device 2");
}

}  // namespace
}  // namespace xla
