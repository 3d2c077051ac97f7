// SPDX-License-Identifier: Apache-2.0
// A folder into which programs are dumped, as tests see it.
#ifndef TESTS_DUMP_FOLDER_H_
#define TESTS_DUMP_FOLDER_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace xla {

class DumpFolder {
 public:
  // `name`: of the test. The folder does not exist at first, and is no other process's.
  explicit DumpFolder(const std::string& name)
      : outer_(::testing::TempDir() + name + "_" + std::to_string(getpid())),
        path_(outer_ + "/inner") {
    std::filesystem::remove_all(outer_);
  }
  ~DumpFolder() { std::filesystem::remove_all(outer_); }

  const std::string& path() const { return path_; }

  // What the files are called behind the number, in order.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    if (!std::filesystem::exists(path_)) return names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      const std::string name = entry.path().filename().string();
      EXPECT_EQ(name.compare(0, 7, "module_"), 0) << name;
      names.push_back(name.substr(name.find('.') + 1));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string TextOfFile(const std::string& end) const {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      const std::string name = entry.path().string();
      if (name.size() < end.size() ||
          name.compare(name.size() - end.size(), end.size(), end) != 0) {
        continue;
      }
      std::ifstream file(entry.path());
      return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    return "no such file";
  }

 private:
  const std::string outer_, path_;
};

}  // namespace xla

#endif  // TESTS_DUMP_FOLDER_H_
