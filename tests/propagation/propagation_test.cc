// SPDX-License-Identifier: Apache-2.0
// Shardings after propagation, stated in programs/*.mlir: beside operations, which have the name of
// a location, and for arguments and results in comments of their own.
#include "xla/spmd/propagation/propagation.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/propagation/sharding_text.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/stablehlo/translate.h"

namespace xla {
namespace {

std::vector<std::string> Programs() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::SourcePath("tests/propagation/programs"))) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What follows `before` and precedes `after` in the line; "" if it has no `before`.
std::string Between(const std::string& line, const std::string& before, const std::string& after) {
  const size_t begin = line.find(before);
  if (begin == std::string::npos) return "";
  const size_t end = line.find(after, begin + before.size());
  return line.substr(begin + before.size(), end - begin - before.size());
}

void CheckFunction(const std::string& text, const std::string& function,
                   const std::vector<std::string>& lines, int* checked) {
  stablehlo::EntryArguments arguments;
  arguments.function = function;
  arguments.shardy = stablehlo::ShardyForm::kAxes;
  ASSERT_OK_AND_ASSIGN(const auto module, stablehlo::ReadStableHlo(text, function, arguments));
  ASSERT_OK(propagation::PropagateShardings({}, module.get()));
  std::map<std::string, std::string> found;
  for (const auto& [name, sharding] : testing::ShardingTexts(*module)) found[name] = sharding;
  for (const std::string& line : lines) {
    std::string name = Between(line, "loc(\"", "\")"), expected = Between(line, ")  // ", "\n");
    if (name.empty()) {
      name = Between(line, "  // ", ": ");
      expected = Between(line, ": ", "\n");
      if (name.size() != 4) continue;
    } else {
      name += ".0";
    }
    if (expected.empty()) continue;
    ++*checked;
    EXPECT_EQ(found[name], expected) << "@" << function << ": " << line;
  }
}

TEST(Propagation, GivesTheShardingsThatProgramsState) {
  int checked = 0;
  for (const std::string& file : Programs()) {
    const std::string text = testing::ReadTestFile(file);
    std::map<std::string, std::vector<std::string>> functions;
    std::string function;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      const std::string name = Between(line, "func.func @", "(");
      if (!name.empty()) function = name;
      if (!function.empty()) functions[function].push_back(line + "\n");
    }
    for (const auto& [name, lines] : functions) CheckFunction(text, name, lines, &checked);
  }
  EXPECT_GT(checked, 40);
}

// A chain of constants as long as a program may be: no recursion.
TEST(Propagation, LongChainsOfConstants) {
  std::string text =
      "HloModule m\nENTRY main {\n  x = f32[8] parameter(0), sharding={mesh['a'=2], [{'a'}]}\n"
      "  n0 = f32[8] iota(), iota_dimension=0\n";
  constexpr int kLength = 5000;
  for (int i = 1; i < kLength; ++i) {
    absl::StrAppend(&text, "  n", i, " = f32[8] negate(n", i - 1, ")\n");
  }
  absl::StrAppend(&text, "  s = f32[8] add(x, n", kLength - 1, ")\n  ROOT t = f32[8] add(s, n",
                  kLength - 1, ")\n}\n");
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  ASSERT_OK(propagation::PropagateShardings({}, module.get()));
  EXPECT_TRUE(module->entry_computation()->root_instruction()->has_sharding());
}

TEST(Propagation, ReportsWhatDoesNotFit) {
  const auto propagate = [](const char* text) -> absl::Status {
    const auto module = ParseAndReturnUnverifiedModule(text);
    if (!module.ok()) return module.status();
    return propagation::PropagateShardings({}, module->get());
  };
  EXPECT_ERROR(propagate(R"(
HloModule m
ENTRY main {
  x = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding_group_id="1"}
  y = f32[4] parameter(1), frontend_attributes={xla.sdy.sharding_group_id="1"}
  ROOT t = (f32[8], f32[4]) tuple(x, y)
})"),
               "the values of sharding group 1 have different shapes");
  EXPECT_ERROR(propagate(R"(
HloModule m
ENTRY main {
  ROOT x = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding_group_id="one"}
})"),
               "cannot be in the sharding group 'one'");
}

}  // namespace
}  // namespace xla
