// SPDX-License-Identifier: Apache-2.0
// Random and damaged frames, descriptions and topologies are read without harm.
#include "tests/distributed/hostile_frames.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace xla::distributed {
namespace {

std::string ValidFrames(std::mt19937& random) {
  std::string bytes;
  for (int i = 0; i < 3; ++i) {
    Frame frame;
    frame.kind = static_cast<Frame::Kind>(random() % (static_cast<int>(Frame::kLastKind) + 1));
    frame.run = random() % 2 == 0 ? 7 : random();
    frame.ticket.launch = random() % 3;
    frame.ticket.program = random() % 2 == 0 ? 9 : random();
    frame.key = 3;
    frame.bytes = random() % 2 == 0 ? 16 : random();
    frame.transfer = random() % 3;
    frame.code = static_cast<int32_t>(random() % 20) - 2;
    frame.program = "q";
    frame.text = std::string(random() % 40, 't');
    std::string one = EncodeFrame(frame) + std::string(random() % 30, 'd');
    if (one.size() % 2 == 1) one.push_back('e');
    bytes.push_back(static_cast<char>(one.size() / 2));
    bytes.push_back(static_cast<char>(1 + random() % 2));
    bytes += one;
  }
  return bytes;
}

TEST(HostileFramesTest, DamagedFrames) {
  std::mt19937 random(1);
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = ValidFrames(random);
    ASSERT_EQ(ReadHostileBytes(bytes), absl::OkStatus());
    ASSERT_EQ(ReadHostileBytes(bytes.substr(2)), absl::OkStatus());
    for (int k = static_cast<int>(random() % 4); k >= 0; --k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    bytes.resize(random() % (bytes.size() + 1));
    ASSERT_EQ(ReadHostileBytes(bytes), absl::OkStatus());
  }
}

TEST(HostileFramesTest, DamagedTopologies) {
  std::mt19937 random(2);
  std::vector<ProcessDescription> processes(3);
  for (ProcessDescription& process : processes) {
    process.version = "1";
    process.platform = "xylem";
    process.boot_id = "b";
    process.host = "h";
  }
  const auto topology = Topology::Create(processes);
  ASSERT_TRUE(topology.ok()) << topology.status();
  for (const std::string& valid : {topology->Serialize(), SerializeProcess(processes[0])}) {
    ASSERT_EQ(ReadHostileBytes(valid), absl::OkStatus());
    for (int i = 0; i < 4000; ++i) {
      std::string bytes = valid;
      for (int k = static_cast<int>(random() % 3); k >= 0; --k)
        bytes[random() % bytes.size()] = static_cast<char>('0' + random() % 80);
      ASSERT_EQ(ReadHostileBytes(bytes), absl::OkStatus()) << bytes;
    }
  }
}

// A process that sends what nobody asks for is cut off before it fills the memory.
TEST(HostileFramesTest, AFlood) {
  auto owned = std::make_unique<DeafTransport>();
  DeafTransport& transport = *owned;
  MessengerOptions options;
  options.max_queued_bytes = 1 << 20;
  Messenger messenger(std::move(owned), std::move(options));
  Frame frame;
  frame.run = 12345;
  const std::string bytes = EncodeFrame(frame) + std::string(40000, 'x');
  for (int i = 0; i < 20; ++i) messenger.OnFrame(1, bytes);
  EXPECT_EQ(transport.disconnected, 0);
  for (int i = 0; i < 20; ++i) messenger.OnFrame(1, bytes);
  EXPECT_EQ(transport.disconnected, 1 << 1);
}

}  // namespace
}  // namespace xla::distributed
