// SPDX-License-Identifier: Apache-2.0
// Asynchronous work: order on each device, events, errors; memory of the host.
#include "xla/runtime/launch_queues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/test_util.h"
#include "xla/runtime/host_memory.h"

namespace xla::runtime {
namespace {

TEST(LaunchQueuesTest, WorkRunsInOrderOnEachDevice) {
  constexpr int kDevices = 3, kLaunches = 300;
  ReusableThreads threads;
  std::vector<std::vector<int>> order(kDevices);
  {
    LaunchQueues queues(kDevices, &threads);
    for (int i = 0; i < kLaunches; ++i) {
      std::vector<int> devices = {i % kDevices};
      if (i % 4 == 0) devices.push_back((i + 1) % kDevices);
      queues.Launch(devices, {}, [&order, devices, i](const absl::Status&) {
        for (const int device : devices) order[static_cast<size_t>(device)].push_back(i);
        return absl::OkStatus();
      });
    }
  }  // waits
  size_t count = 0;
  for (const std::vector<int>& device : order) {
    EXPECT_TRUE(std::is_sorted(device.begin(), device.end()));
    count += device.size();
  }
  EXPECT_EQ(count, static_cast<size_t>(kLaunches + kLaunches / 4));
}

TEST(LaunchQueuesTest, WorkWaitsForEventsAndGetsTheirError) {
  ReusableThreads threads;
  LaunchQueues queues(1, &threads);
  EventSource input;
  std::atomic<bool> ran{false};
  const Event done = queues.Launch({0}, {Event(), input.event()}, [&](const absl::Status& inputs) {
    ran = true;
    return inputs;
  });
  EXPECT_STATUS(done.Await(absl::Milliseconds(10)), absl::StatusCode::kDeadlineExceeded, "");
  EXPECT_FALSE(ran);
  EXPECT_FALSE(queues.Idle(0).IsReady());
  input.Set(absl::AbortedError("no input"));
  EXPECT_STATUS(done.Await(), absl::StatusCode::kAborted, "no input");
  EXPECT_TRUE(ran);
  // An error does not stay with the device.
  EXPECT_OK(queues.Idle(0).Await());
  EXPECT_OK(queues.Launch({0}, {}, [](const absl::Status& inputs) { return inputs; }).Await());
}

TEST(LaunchQueuesTest, DevicesDoNotWaitForEachOther) {
  ReusableThreads threads;
  LaunchQueues queues(2, &threads);
  std::atomic<bool> open{false};
  const Event blocked = queues.Launch({0}, {}, [&](const absl::Status&) {
    while (!open) std::this_thread::yield();
    return absl::OkStatus();
  });
  EXPECT_OK(queues.Launch({1}, {}, [](const absl::Status&) { return absl::OkStatus(); }).Await());
  EXPECT_FALSE(blocked.IsReady());
  open = true;
  EXPECT_OK(blocked.Await());
}

TEST(HostMemoryTest, IsAlignedWhereverItsBlockIs) {
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{64}, size_t{1000}, size_t{1} << 20}) {
    void* memory = AllocateHostMemory(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % kHostMemoryAlignment, 0u);
    std::memset(memory, 1, bytes);
    FreeHostMemory(memory);
  }
  FreeHostMemory(nullptr);
  EXPECT_EQ(AllocateHostMemory(SIZE_MAX - 10), nullptr);
  for (const size_t offset : {size_t{0}, size_t{8}, size_t{48}, size_t{100}}) {
    void* block = std::malloc(offset + kHostMemoryPrefix + 10);
    auto* memory = static_cast<char*>(PlaceHostMemory(block, offset));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % kHostMemoryAlignment, 0u);
    EXPECT_GE(memory - sizeof(void*), static_cast<char*>(block) + offset);
    EXPECT_LE(memory + 10, static_cast<char*>(block) + offset + kHostMemoryPrefix + 10);
    FreeHostMemory(memory);
  }
}

}  // namespace
}  // namespace xla::runtime
