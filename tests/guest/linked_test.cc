// SPDX-License-Identifier: Apache-2.0
// The functions of Abseil and protobuf that the plugin has of its own (xla/pjrt/linked): this
// program is linked with them, too.
#include <google/protobuf/arena.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/internal/sysinfo.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/cord.h"
#include "xla/service/hlo.pb.h"

namespace xla {
namespace {

using google::protobuf::Arena;
using google::protobuf::ArenaOptions;

HloModuleProto* NewModule(Arena* arena, int instructions) {
  auto* const module = Arena::CreateMessage<HloModuleProto>(arena);
  module->set_name("a name that is too long for a string without memory of its own");
  HloComputationProto* const computation = module->add_computations();
  for (int i = 0; i < instructions; ++i) {
    HloInstructionProto* const instruction = computation->add_instructions();
    instruction->set_name("instruction");
    for (int64_t id = 0; id < 9; ++id) instruction->add_operand_ids(id);
  }
  return module;
}

bool IsWhole(const HloModuleProto& module, int instructions) {
  if (module.computations_size() != 1) return false;
  const HloComputationProto& computation = module.computations(0);
  if (computation.instructions_size() != instructions) return false;
  return std::all_of(computation.instructions().begin(), computation.instructions().end(),
                     [](const HloInstructionProto& instruction) {
                       return instruction.name() == "instruction" &&
                              instruction.operand_ids_size() == 9 &&
                              instruction.operand_ids(8) == 8;
                     });
}

TEST(LinkedArenaTest, HoldsMessages) {
  Arena arena;
  std::vector<HloModuleProto*> modules;
  for (int i = 0; i < 50; ++i) modules.push_back(NewModule(&arena, i));
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(IsWhole(*modules[i], i)) << i;
  HloModuleProto copy;
  ASSERT_TRUE(copy.ParseFromString(modules[49]->SerializeAsString()));
  EXPECT_TRUE(IsWhole(copy, 49));
  EXPECT_GE(arena.SpaceAllocated(), arena.SpaceUsed());
  EXPECT_GT(arena.SpaceUsed(), 50 * sizeof(HloModuleProto));
}

struct Counted {
  explicit Counted(std::vector<int>* order, int number) : order(order), number(number) {}
  ~Counted() { order->push_back(number); }
  std::vector<int>* order;
  int number;
  char bytes[100] = {};
};

TEST(LinkedArenaTest, DestroysTheNewestFirst) {
  std::vector<int> order;
  {
    Arena arena;
    for (int i = 0; i < 200; ++i) Arena::Create<Counted>(&arena, &order, i);
    arena.Own(new Counted(&order, 200));
    EXPECT_TRUE(order.empty());
    arena.Reset();
    EXPECT_EQ(order.size(), 201u);
    EXPECT_TRUE(std::is_sorted(order.rbegin(), order.rend()));
    Arena::Create<Counted>(&arena, &order, 201);
  }
  EXPECT_EQ(order.size(), 202u);
  EXPECT_EQ(order.back(), 201);
}

TEST(LinkedArenaTest, UsesTheMemoryThatItIsGiven) {
  alignas(8) static char block[4096];
  Arena arena(block, sizeof(block));
  for (int round = 0; round < 3; ++round) {
    auto* const shape = Arena::CreateMessage<ShapeProto>(&arena);
    EXPECT_GE(reinterpret_cast<char*>(shape), block);
    EXPECT_LT(reinterpret_cast<char*>(shape), block + sizeof(block));
    EXPECT_EQ(arena.SpaceAllocated(), sizeof(block));
    EXPECT_TRUE(IsWhole(*NewModule(&arena, 100), 100));  // more than fits
    EXPECT_GT(arena.SpaceAllocated(), sizeof(block));
    arena.Reset();
  }
}

int64_t live_bytes = 0, blocks = 0;
size_t largest = 0;

TEST(LinkedArenaTest, FollowsItsOptions) {
  ArenaOptions options;
  options.start_block_size = 1024;
  options.max_block_size = 4096;
  options.block_alloc = [](size_t size) {
    live_bytes += static_cast<int64_t>(size);
    largest = std::max(largest, size);
    ++blocks;
    return std::malloc(size);
  };
  options.block_dealloc = [](void* memory, size_t size) {
    live_bytes -= static_cast<int64_t>(size);
    std::free(memory);
  };
  {
    Arena arena(options);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 500; ++i) Arena::CreateMessage<ShapeProto>(&arena);
      const int64_t before = live_bytes;
      EXPECT_EQ(static_cast<int64_t>(arena.SpaceAllocated()), before);
      EXPECT_EQ(static_cast<int64_t>(arena.Reset()), before);
      EXPECT_EQ(live_bytes, 1024);  // the first block
      EXPECT_EQ(arena.SpaceUsed(), 0u);
    }
  }
  EXPECT_EQ(live_bytes, 0);
  EXPECT_GT(blocks, 10);
  EXPECT_EQ(largest, 4096u);
}

TEST(LinkedArenaTest, ServesManyThreads) {
  Arena shared;
  std::vector<std::thread> threads;
  std::vector<int> whole(8);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        Arena own;
        whole[t] += IsWhole(*NewModule(&shared, i % 7), i % 7);
        whole[t] += IsWhole(*NewModule(&own, i % 5), i % 5);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : whole) EXPECT_EQ(count, 200);
}

// Tables of all sizes; erasing makes them drop what was deleted in place.
TEST(LinkedAbseilTest, TablesKeepTheirElements) {
  for (const int most : {3, 12, 50, 1000}) {
    absl::flat_hash_map<int, std::string> table;
    std::map<int, std::string> expected;
    uint32_t random = 1;
    for (int step = 0; step < 40 * most; ++step) {
      random = random * 1664525u + 1013904223u;
      const int key = static_cast<int>(random >> 8) % (2 * most);
      if (static_cast<int>(expected.size()) >= most || (random >> 4) % 3 == 0) {
        EXPECT_EQ(table.erase(key), expected.erase(key));
      } else {
        table[key] = expected[key] = std::to_string(step);
      }
    }
    EXPECT_EQ((std::map<int, std::string>(table.begin(), table.end())), expected);
  }
}

TEST(LinkedAbseilTest, AnEmptyTableHasNothing) {
  const absl::flat_hash_set<std::string> table;
  EXPECT_EQ(table.find("x"), table.end());
  EXPECT_EQ(table.begin(), table.end());
}

TEST(LinkedAbseilTest, ThreadsHaveTheirIds) {
  EXPECT_GE(absl::base_internal::NumCPUs(), 1);
  EXPECT_GT(absl::base_internal::NominalCPUFrequency(), 0);
  EXPECT_EQ(absl::base_internal::GetTID(), static_cast<pid_t>(syscall(SYS_gettid)));
  std::thread([] {
    EXPECT_EQ(absl::base_internal::GetCachedTID(), absl::base_internal::GetTID());
    EXPECT_EQ(absl::base_internal::GetCachedTID(), absl::base_internal::GetTID());
    EXPECT_NE(absl::base_internal::GetCachedTID(), getpid());
  }).join();
}

TEST(LinkedAbseilTest, CordsWork) {
  absl::Cord cord;
  for (int i = 0; i < 1000; ++i) cord.Append(std::string(100, static_cast<char>('a' + i % 26)));
  EXPECT_EQ(cord.size(), 100000u);
  EXPECT_EQ(std::string(cord.Subcord(100, 1)), "b");
}

}  // namespace
}  // namespace xla
