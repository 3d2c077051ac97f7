// SPDX-License-Identifier: Apache-2.0
// Memory that processes of one host share: rings, regions, and what a faulty neighbor may write.
#include "xla/distributed/host_memory.h"

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace xla::distributed {
namespace {

bool Write(FrameRing& ring, absl::string_view text) {
  const absl::Span<const char> parts[] = {
      {text.data(), text.size() / 2},
      {text.data() + text.size() / 2, text.size() - text.size() / 2}};
  return ring.Write(parts);
}

std::unique_ptr<Region> MakeRegion(size_t channels) {
  auto region = Region::Create(channels);
  EXPECT_TRUE(region.ok()) << region.status();
  return *std::move(region);
}

TEST(HostMemoryTest, FramesComeInOrderAndWhole) {
  const auto region = MakeRegion(1);
  FrameRing& ring = region->channel(0).frames;
  // Many times around the ring, by a writer that is often too fast.
  constexpr int kFrames = 500;
  const auto text_of = [](int i) {
    return std::string(static_cast<size_t>(i) * 7919 % Transport::kMaxFrameBytes,
                       static_cast<char>(i));
  };
  std::thread writer([&] {
    for (int i = 0; i < kFrames; ++i) {
      while (!Write(ring, text_of(i))) std::this_thread::yield();
    }
  });
  std::vector<char> frame;
  for (int i = 0; i < kFrames; ++i) {
    while (true) {
      const absl::StatusOr<bool> read = ring.Read(frame);
      ASSERT_TRUE(read.ok()) << read.status();
      if (*read) break;
      std::this_thread::yield();
    }
    const std::string expected = text_of(i);
    ASSERT_EQ(std::string(frame.begin(), frame.end()), expected) << i;
  }
  writer.join();
  EXPECT_TRUE(ring.IsEmpty());
}

TEST(HostMemoryTest, AFullRingTakesNoMore) {
  const auto region = MakeRegion(1);
  FrameRing& ring = region->channel(0).frames;
  const std::string text(50000, 'x');
  int frames = 0;
  while (Write(ring, text)) ++frames;
  EXPECT_GE(frames, 4);
  EXPECT_FALSE(ring.TakeWish());
  ring.WantRoom();
  std::vector<char> frame;
  EXPECT_TRUE(*ring.Read(frame));
  EXPECT_TRUE(ring.TakeWish());
  EXPECT_FALSE(ring.TakeWish());
  EXPECT_TRUE(Write(ring, text));
}

TEST(HostMemoryTest, DamagedRingsAreErrors) {
  std::mt19937_64 random(5);
  int errors = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto region = MakeRegion(1);
    FrameRing& ring = region->channel(0).frames;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(Write(ring, std::string(100, 'x')));
    // How much was written, how much was read, and the length of the first frame.
    constexpr size_t kOffsets[] = {0, 64, 128};
    const uint64_t value = random() >> (random() % 64);
    std::memcpy(reinterpret_cast<char*>(&ring) + kOffsets[trial % 3], &value, sizeof(value));
    std::vector<char> frame;
    for (int i = 0; i < 10; ++i) {
      const absl::StatusOr<bool> read = ring.Read(frame);
      EXPECT_LE(frame.size(), Transport::kMaxFrameBytes);
      if (read.ok()) continue;
      ++errors;
      break;
    }
    (void)Write(ring, std::string(100, 'y'));
  }
  EXPECT_GT(errors, 500);
}

TEST(HostMemoryTest, OthersFindARegionAndReadItsProcess) {
  const auto region = MakeRegion(3);
  auto opened = Region::Open(region->Location(), 3);
  if (!opened.ok())
    GTEST_SKIP() << "processes may not read each other's memory: " << opened.status();
  EXPECT_TRUE(Write((*opened)->channel(2).frames, "hello"));
  std::vector<char> frame;
  EXPECT_TRUE(*region->channel(2).frames.Read(frame));
  EXPECT_EQ(std::string(frame.begin(), frame.end()), "hello");
  EXPECT_TRUE(region->channel(1).frames.IsEmpty());

  const std::vector<char> there(1 << 20, 'a');
  std::vector<char> here(there.size());
  EXPECT_EQ((*opened)->ReadFrom(reinterpret_cast<uintptr_t>(there.data()), absl::MakeSpan(here)),
            absl::OkStatus());
  EXPECT_EQ(here, there);
  EXPECT_FALSE((*opened)->ReadFrom(1, absl::MakeSpan(here)).ok());
}

TEST(HostMemoryTest, OtherPlacesAreRefused) {
  const auto region = MakeRegion(1);
  EXPECT_FALSE(Region::Open(region->Location(), 2).ok());
  std::vector<std::string> fields = absl::StrSplit(region->Location(), ' ');
  ASSERT_EQ(fields.size(), 5);
  // pid, file, token, address
  const std::vector<std::pair<size_t, std::string>> changes = {
      {0, "0"},  {0, "-1"}, {0, "99999999999"}, {0, "1"},  {1, "0"}, {1, "9999"},
      {1, "-3"}, {2, "17"}, {3, "17"},          {4, "17"}, {4, ""},  {2, "x"}};
  for (const auto& [field, value] : changes) {
    std::vector<std::string> changed = fields;
    changed[field] = value;
    EXPECT_FALSE(Region::Open(absl::StrJoin(changed, " "), 1).ok()) << field << " " << value;
  }
  for (const char* text : {"", "none", "1 2 3", "1 2 3 4 5 6"})
    EXPECT_FALSE(Region::Open(text, 1).ok()) << text;
}

}  // namespace
}  // namespace xla::distributed
