// SPDX-License-Identifier: Apache-2.0
// The programs of tests/programs and bench/programs as libraries that C calls: the same bits as
// those of the compiler of this process.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "tests/aot/aot_library.h"
#include "tests/test_util.h"

namespace xla {
namespace {

std::vector<std::string> ProgramFolders() {
  std::vector<std::string> folders;
  for (const char* parent : {"tests/programs", "bench/programs"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(XYLEM_SOURCE_DIR "/") + parent)) {
      if (std::filesystem::exists(entry.path() / "program.hlo"))
        folders.push_back(std::string(parent) + "/" + entry.path().filename().string());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

class AotAllProgramsTest : public ::testing::TestWithParam<std::string> {};

TEST_P(AotAllProgramsTest, SameBits) {
  const std::string text =
      testing::ReadWholeFile(std::string(XYLEM_SOURCE_DIR "/") + GetParam() + "/program.hlo");
  EXPECT_OK(testing::CheckSameBits(text));
}

INSTANTIATE_TEST_SUITE_P(Programs, AotAllProgramsTest, ::testing::ValuesIn(ProgramFolders()),
                         [](const auto& info) {
                           return absl::StrReplaceAll(info.param, {{"/", "_"}});
                         });

}  // namespace
}  // namespace xla
