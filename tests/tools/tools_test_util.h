// SPDX-License-Identifier: Apache-2.0
// Files of arrays and command lines for tests of `xylem run`.
#ifndef TESTS_TOOLS_TOOLS_TEST_UTIL_H_
#define TESTS_TOOLS_TOOLS_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "tools/command.h"
#include "tools/npz.h"
#include "xla/literal_util.h"

namespace xla::testing {

// The path of a new .npz file.
inline std::string WriteNpz(const std::string& name,
                            const std::vector<std::pair<std::string, Literal>>& arrays) {
  std::vector<std::pair<std::string, LiteralSlice>> slices;
  for (const auto& [array, literal] : arrays) slices.emplace_back(array, LiteralSlice(literal));
  const std::string path = absl::StrCat(testing::ProcessTempDir(), "/tools_test_", name, ".npz");
  EXPECT_OK(xla::WriteNpz(path, slices));
  return path;
}

inline Literal Scalar(int32_t value) { return LiteralUtil::CreateR0<int32_t>(value); }

// The arguments of `xylem run` with these words; an error is the text that xylem would print.
inline absl::StatusOr<Arguments> CommandLine(std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  ParsedCommandLine parsed = ParseCommandLine(Commands(), words);
  if (parsed.command == nullptr) return absl::InvalidArgumentError(parsed.text);
  return std::move(parsed.arguments);
}

}  // namespace xla::testing

#endif  // TESTS_TOOLS_TOOLS_TEST_UTIL_H_
