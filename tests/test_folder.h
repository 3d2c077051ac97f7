// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_TEST_FOLDER_H_
#define TESTS_TEST_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace xla {

// A folder of a test: empty at first, and removed at the end.
class TestFolder {
 public:
  TestFolder() : path_(::testing::TempDir() + "/test_XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      files.push_back(entry.path());
    return files;
  }

 private:
  std::string path_;
};

}  // namespace xla

#endif  // TESTS_TEST_FOLDER_H_
