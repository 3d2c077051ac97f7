// SPDX-License-Identifier: Apache-2.0
#include "xla/distributed/topology.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace xla::distributed {
namespace {

ProcessDescription Process(std::string host, int64_t devices = 2) {
  ProcessDescription process;
  process.version = "Xylem 1";
  process.platform = "xylem";
  process.num_devices = devices;
  process.boot_id = "boot of " + host;
  process.host = std::move(host);
  process.pid = 7;
  process.address = "10.0.0.1";
  return process;
}

TEST(TopologyTest, NumbersDevicesByHostThenProcess) {
  const auto topology =
      Topology::Create({Process("a", 2), Process("b", 1), Process("a", 3), Process("b", 1)});
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_EQ(topology->num_devices(), 7);
  EXPECT_EQ(topology->num_hosts(), 2);
  EXPECT_EQ(topology->GlobalId(0, 1), 1);
  EXPECT_EQ(topology->GlobalId(2, 0), 2);
  EXPECT_EQ(topology->GlobalId(1, 0), 5);
  EXPECT_EQ(topology->GlobalId(3, 0), 6);
  EXPECT_EQ(topology->process(3).host, 1);
  std::vector<bool> seen(7, false);
  for (int64_t process = 0; process < 4; ++process) {
    for (int64_t i = 0; i < topology->process(process).description.num_devices; ++i) {
      const int64_t id = topology->GlobalId(process, i);
      const auto found = topology->Find(id);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->process, process);
      EXPECT_EQ(found->local, i);
      seen[static_cast<size_t>(id)] = true;
    }
  }
  EXPECT_EQ(seen, std::vector<bool>(7, true));
  EXPECT_FALSE(topology->Find(7).has_value());
  EXPECT_FALSE(topology->Find(-1).has_value());
}

TEST(TopologyTest, StatedPartitionsReplaceHosts) {
  std::vector<ProcessDescription> processes = {Process("a"), Process("a"), Process("b")};
  processes[0].partition_index = 5;
  auto topology = Topology::Create(processes);
  EXPECT_NE(topology.status().ToString().find("process 0 (host a, pid 7) states a partition index "
                                              "and process 1 (host a, pid 7) does not"),
            std::string::npos)
      << topology.status();
  processes[1].partition_index = 3;
  processes[2].partition_index = 5;
  topology = Topology::Create(processes);
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_EQ(topology->GlobalId(1, 0), 0);
  EXPECT_EQ(topology->GlobalId(0, 0), 2);
  EXPECT_EQ(topology->GlobalId(2, 0), 4);
}

TEST(TopologyTest, ProcessesThatDifferAreNamed) {
  std::vector<ProcessDescription> processes = {Process("a"), Process("b")};
  processes[1].version = "Xylem 2";
  const std::string text = Topology::Create(processes).status().ToString();
  for (const char* part :
       {"process 0 (host a, pid 7)", "Xylem 1", "process 1 (host b", "Xylem 2"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  processes[1] = Process("b");
  processes[1].platform = "cpu";
  EXPECT_FALSE(Topology::Create(processes).ok());
  processes[1] = Process("b", 0);
  EXPECT_FALSE(Topology::Create(processes).ok());
  processes[1] = Process("b", kMaxJobDevices);
  EXPECT_FALSE(Topology::Create(processes).ok());
  EXPECT_FALSE(Topology::Create({}).ok());
}

TEST(TopologyTest, SerializesExactly) {
  std::vector<ProcessDescription> processes = {Process("a"), Process("b", 5)};
  for (ProcessDescription& process : processes) process.partition_index = process.num_devices;
  const auto topology = Topology::Create(processes);
  ASSERT_TRUE(topology.ok());
  const auto again = Topology::Parse(topology->Serialize());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->process(1).description, processes[1]);
  EXPECT_EQ(again->Serialize(), topology->Serialize());
  const ProcessDescription self = DescribeThisProcess();
  EXPECT_FALSE(self.boot_id.empty());
  EXPECT_FALSE(self.host.empty());
}

// Whatever a peer has put, reading ends with an error or something well formed.
TEST(TopologyTest, DamagedTextIsRefused) {
  const std::string good = Topology::Create({Process("a"), Process("b")})->Serialize();
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    switch (random() % 3) {
      case 0:
        text[random() % text.size()] = static_cast<char>(random());
        break;
      case 1:
        text.resize(random() % text.size());
        break;
      default:
        text.insert(random() % text.size(), text.substr(random() % text.size(), random() % 40));
    }
    const auto parsed = Topology::Parse(text);
    refused += parsed.ok() ? 0 : 1;
    if (parsed.ok()) {
      EXPECT_LE(parsed->num_devices(), kMaxJobDevices);
    }
  }
  EXPECT_GT(refused, 3000);
  EXPECT_FALSE(Topology::Parse("xylem-topology 99999999999\n").ok());
  EXPECT_FALSE(ParseProcess(std::string(1 << 20, 'x')).ok());
}

std::vector<absl::StatusOr<Topology>> Exchange(KeyValueStore& store,
                                               std::vector<ProcessDescription> processes) {
  std::vector<absl::StatusOr<Topology>> results(processes.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < processes.size(); ++i) {
    threads.emplace_back([&, i] {
      ExchangeOptions options;
      options.process = static_cast<int64_t>(i);
      options.num_processes = static_cast<int64_t>(processes.size());
      results[i] = ExchangeTopology(store, processes[i], options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

TEST(ExchangeTest, AllGetTheSame) {
  const auto store = MakeMemoryStore();
  const std::vector<ProcessDescription> processes = {Process("a"), Process("b", 3), Process("a")};
  for (int client = 0; client < 2; ++client) {  // also of a second client
    for (const auto& topology : Exchange(*store, processes)) {
      ASSERT_TRUE(topology.ok()) << topology.status();
      EXPECT_EQ(topology->Serialize(), Topology::Create(processes)->Serialize());
    }
  }
}

TEST(ExchangeTest, AllGetTheError) {
  const auto store = MakeMemoryStore();
  std::vector<ProcessDescription> processes = {Process("a"), Process("b"), Process("c")};
  processes[2].version = "Xylem 0";
  for (const auto& topology : Exchange(*store, processes)) {
    EXPECT_EQ(topology.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(topology.status().ToString().find("process 2 (host c"), std::string::npos)
        << topology.status();
  }
}

TEST(ExchangeTest, TheMissingAreNamed) {
  const auto store = MakeMemoryStore();
  const auto exchange = [&](int64_t process, absl::Duration timeout) {
    return ExchangeTopology(*store, Process(process == 0 ? "a" : "b"),
                            {.process = process, .num_processes = 4, .timeout = timeout});
  };
  // Process 1 registers before the time of process 0 begins.
  absl::StatusOr<Topology> second;
  std::thread other([&] { second = exchange(1, absl::Minutes(4)); });
  while (!store->TryGet("topology/1").ok()) std::this_thread::yield();
  const absl::StatusOr<Topology> first = exchange(0, absl::Milliseconds(50));
  other.join();
  for (const auto& topology : {first, second}) {
    EXPECT_TRUE(absl::IsDeadlineExceeded(topology.status())) << topology.status();
    EXPECT_NE(topology.status().ToString().find("2 of 4 processes have registered"),
              std::string::npos);
    EXPECT_NE(topology.status().ToString().find("processes 2, 3 have not"), std::string::npos)
        << topology.status();
  }
}

TEST(ExchangeTest, ARestartedProcessMustBeTheSame) {
  const auto store = MakeMemoryStore();
  std::vector<ProcessDescription> processes = {Process("a"), Process("b")};
  for (const auto& topology : Exchange(*store, processes)) ASSERT_TRUE(topology.ok());
  ExchangeOptions second;
  second.process = 1;
  second.num_processes = 2;
  processes[1].pid = 8;
  EXPECT_TRUE(ExchangeTopology(*store, processes[1], second).ok());
  processes[1].num_devices = 4;
  const absl::Status status = ExchangeTopology(*store, processes[1], second).status();
  EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
  EXPECT_NE(status.ToString().find("devices 2"), std::string::npos) << status;
  EXPECT_NE(status.ToString().find("devices 4"), std::string::npos) << status;
}

}  // namespace
}  // namespace xla::distributed
