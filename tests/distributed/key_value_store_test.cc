// SPDX-License-Identifier: Apache-2.0
#include "xla/distributed/key_value_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace xla::distributed {
namespace {

// Every kind of store keeps the same promises.
class StoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "memory") {
      store = MakeMemoryStore();
    } else if (GetParam() == "prefix") {
      store = WithPrefix(MakeMemoryStore(), "job:");
    } else {
      folder = ::testing::TempDir() + "store_" + std::to_string(getpid());
      auto made = MakeFileStore(folder);
      ASSERT_TRUE(made.ok()) << made.status();
      store = *std::move(made);
    }
  }
  void TearDown() override {
    if (!folder.empty()) std::filesystem::remove_all(folder);
  }
  std::string folder;
  std::shared_ptr<KeyValueStore> store;
};

TEST_P(StoreTest, KeepsWhatWasPutFirst) {
  EXPECT_TRUE(absl::IsNotFound(store->TryGet("a/b:c").status()));
  EXPECT_TRUE(store->Put("a/b:c", std::string("one\0two", 7)).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(store->Put("a/b:c", "three")));
  EXPECT_EQ(*store->TryGet("a/b:c"), std::string("one\0two", 7));
  EXPECT_EQ(*store->Get("a/b:c", absl::ZeroDuration()), std::string("one\0two", 7));
  EXPECT_TRUE(store->Put("empty", "").ok());
  EXPECT_EQ(*store->TryGet("empty"), "");
}

TEST_P(StoreTest, KeysThatLookAlikeDiffer) {
  for (const char* key : {"a/b", "a%2fb", "a_b", "a b", "..", "a+1"}) {
    ASSERT_TRUE(store->Put(key, key).ok()) << key;
  }
  for (const char* key : {"a/b", "a%2fb", "a_b", "a b", "..", "a+1"}) {
    EXPECT_EQ(*store->TryGet(key), key);
  }
}

TEST_P(StoreTest, WaitsUntilThereIsAValue) {
  std::thread other([this] {
    usleep(20'000);
    EXPECT_TRUE(store->Put("late", "here").ok());
  });
  EXPECT_EQ(*store->Get("late", absl::Seconds(60)), "here");
  other.join();
  const absl::Status missing = store->Get("never", absl::Milliseconds(5)).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(missing)) << missing;
  EXPECT_NE(missing.ToString().find("never"), std::string::npos);
}

TEST_P(StoreTest, OneOfManyWins) {
  std::atomic<int> winners{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int key = 0; key < 20; ++key) {
        winners += store->Put("k" + std::to_string(key), std::to_string(i)).ok();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(winners, 20);
}

TEST_P(StoreTest, PutOnceAcceptsTheSameValue) {
  EXPECT_TRUE(PutOnce(*store, "k", "v").ok());
  EXPECT_TRUE(PutOnce(*store, "k", "v").ok());
  const absl::Status other = PutOnce(*store, "k", "w");
  EXPECT_TRUE(absl::IsAlreadyExists(other));
  EXPECT_NE(other.ToString().find("\"v\""), std::string::npos) << other;
  EXPECT_NE(other.ToString().find("\"w\""), std::string::npos) << other;
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, ::testing::Values("memory", "prefix", "files"),
                         [](const auto& info) { return info.param; });

TEST(FileStoreTest, SaysWhatIsWrong) {
  const std::string path = ::testing::TempDir() + "no_folder_" + std::to_string(getpid());
  EXPECT_FALSE(MakeFileStore(path + "/below/that").ok());
  { std::ofstream(path) << "x"; }
  EXPECT_NE(MakeFileStore(path).status().ToString().find("is no folder"), std::string::npos);
  unlink(path.c_str());
  ASSERT_TRUE(MakeFileStore(path).ok());
  auto store = *MakeFileStore(path);
  EXPECT_FALSE(store->Put("", "x").ok());
  EXPECT_FALSE(store->Put(std::string(1000, 'k'), "x").ok());
  ASSERT_TRUE(store->Put("k", "x").ok());
  // No drafts are left.
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1u);
  std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace xla::distributed
