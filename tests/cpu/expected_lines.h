// SPDX-License-Identifier: Apache-2.0
// Programs in files that end with what is expected of them, in lines that start with "// EXPECT: ".
// With XYLEM_UPDATE_EXPECTED in the environment, files get what is there instead.
#ifndef TESTS_CPU_EXPECTED_LINES_H_
#define TESTS_CPU_EXPECTED_LINES_H_

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"

namespace xla::testing {

struct ProgramWithExpectation {
  std::vector<std::string> program, expected;  // lines

  std::string Text() const { return absl::StrJoin(program, "\n"); }
};

inline constexpr char kExpectedLine[] = "// EXPECT: ";

inline ProgramWithExpectation ReadProgramWithExpectation(const std::string& path) {
  ProgramWithExpectation result;
  for (absl::string_view line : absl::StrSplit(ReadWholeFile(path), '\n')) {
    if (absl::ConsumePrefix(&line, kExpectedLine)) {
      result.expected.emplace_back(line);
    } else {
      result.program.emplace_back(line);
    }
  }
  while (!result.program.empty() && result.program.back().empty()) result.program.pop_back();
  return result;
}

inline void ExpectLinesOf(const std::string& path, const ProgramWithExpectation& file,
                          const std::vector<std::string>& lines) {
  if (std::getenv("XYLEM_UPDATE_EXPECTED") == nullptr) {
    EXPECT_EQ(lines, file.expected);
    return;
  }
  std::ofstream out(path);
  for (const std::string& line : file.program) out << line << "\n";
  out << "\n";
  for (const std::string& line : lines) out << kExpectedLine << line << "\n";
}

// The files of a folder of the source tree, in order, and the name of a test of one.
inline std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(SourcePath(folder)))
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}
inline std::string NameOfFile(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace xla::testing

#endif  // TESTS_CPU_EXPECTED_LINES_H_
