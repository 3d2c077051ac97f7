// SPDX-License-Identifier: Apache-2.0
// Conformance with XLA's own parser and printer, on recorded verdicts.
//
// The environment variable XYLEM_CONFORMANCE_DIR names a folder with NAME.hlo and NAME.xla.json:
// {"ok": whether XLA accepts the text, "error": its report, "short", "long", "long_operand_shape":
// its prints}. Without it the test is skipped.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"

namespace xla {
namespace {

using testing::ReadTestFile;
using Fields = google::protobuf::Map<std::string, google::protobuf::Value>;

struct Example {
  std::string name, text;
  google::protobuf::Struct verdict;
};

std::vector<Example> ReadExamples(const std::string& folder) {
  std::vector<Example> examples;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    Example& example = examples.emplace_back();
    example.name = entry.path().stem();
    example.text = ReadTestFile(entry.path());
    std::filesystem::path verdict_path = entry.path();
    verdict_path.replace_extension(".xla.json");
    EXPECT_TRUE(
        google::protobuf::util::JsonStringToMessage(ReadTestFile(verdict_path), &example.verdict)
            .ok())
        << verdict_path;
  }
  std::sort(examples.begin(), examples.end(),
            [](const Example& a, const Example& b) { return a.name < b.name; });
  return examples;
}

// "2:13 2:5": the places that a report names.
std::string Places(std::string_view report) {
  std::string places;
  constexpr std::string_view kStart = "was parsing ";
  for (size_t at = 0; (at = report.find(kStart, at)) != std::string_view::npos;) {
    at += kStart.size();
    places += std::string(report.substr(at, report.find(": error", at) - at)) + " ";
  }
  return places;
}

class ConformanceHloTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("XYLEM_CONFORMANCE_DIR");
    if (folder == nullptr)
      GTEST_SKIP() << "set XYLEM_CONFORMANCE_DIR to a folder of NAME.hlo and NAME.xla.json";
    examples_ = ReadExamples(folder);
    if (examples_.empty()) examples_ = ReadExamples(std::string(folder) + "/hlo");
    ASSERT_FALSE(examples_.empty()) << folder << " holds no .hlo file";
  }
  std::vector<Example> examples_;
};

TEST_F(ConformanceHloTest, WhatXlaAcceptsParses) {
  int count = 0;
  for (const Example& example : examples_) {
    if (!example.verdict.fields().at("ok").bool_value()) continue;
    ++count;
    EXPECT_OK(ParseAndReturnUnverifiedModule(example.text)) << example.name;
  }
  std::cout << count << " accepted texts\n";
}

TEST_F(ConformanceHloTest, WhatXlaRejectsIsRejectedAtTheSamePlaces) {
  int count = 0, same_report = 0;
  for (const Example& example : examples_) {
    const Fields& verdict = example.verdict.fields();
    // null: the text crashes XLA.
    if (verdict.at("ok").bool_value()) continue;
    const auto module = ParseAndReturnUnverifiedModule(example.text);
    EXPECT_FALSE(module.ok()) << example.name << " is accepted";
    if (module.ok() || verdict.at("ok").has_null_value()) continue;
    ++count;
    const std::string& expected = verdict.at("error").string_value();
    same_report += module.status().ToString() == expected;
    // Some reports of XLA name no place at all.
    if (Places(expected).empty()) continue;
    EXPECT_EQ(Places(module.status().ToString()), Places(expected))
        << example.name << "\nXLA: " << expected << "\nhere: " << module.status();
  }
  std::cout << count << " rejected texts, " << same_report
            << " of the reports are the same to the letter\n";
}

// At most 2 in 100 prints may differ; they are listed.
TEST_F(ConformanceHloTest, PrintsAreTheSame) {
  struct Print {
    const char* name;
    HloPrintOptions options;
  };
  Print prints[] = {{"short", HloPrintOptions::ShortParsable()},
                    {"long", HloPrintOptions::Default()},
                    {"long_operand_shape", HloPrintOptions::Default()}};
  prints[2].options.print_operand_shape = true;
  for (Print& print : prints) print.options.print_large_constants = true;  // as they were recorded
  int count = 0, different = 0;
  for (const Example& example : examples_) {
    const Fields& verdict = example.verdict.fields();
    if (!verdict.at("ok").bool_value()) continue;
    const auto module = ParseAndReturnUnverifiedModule(example.text);
    if (!module.ok()) continue;  // reported above
    for (const Print& print : prints) {
      const auto expected = verdict.find(print.name);
      if (expected == verdict.end()) continue;
      ++count;
      if (ModuleToString(**module, print.options) == expected->second.string_value()) continue;
      ++different;
      std::cout << "different: " << example.name << " " << print.name << "\n";
    }
  }
  std::cout << count << " prints, " << different << " different\n";
  EXPECT_LE(different * 50, count);
}

}  // namespace
}  // namespace xla
