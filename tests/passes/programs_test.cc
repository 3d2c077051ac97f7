// SPDX-License-Identifier: Apache-2.0
// The programs of tests/passes/*.hlo: passes make of each the program that follows it, and both
// give the same bits for random inputs.
//
// A file holds cases, separated by lines of "// ====":
//   // PASSES: inline-calls,fixpoint(dce)
//   HloModule ...
//   // ---- becomes            (or "// ---- unchanged", and nothing after it)
//   HloModule ...
// "// ---- changes", and nothing after it: it becomes something else, which computes the same on
// many random inputs. For passes whose programs are long.
// Programs are compared up to names and the order of instructions (but in schedules).
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/passes/passes_test_util.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/constant_folding.h"
#include "xla/layout_util.h"
#include "xla/passes/pipeline.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

struct Case {
  std::string name;  // "dce.hlo:12", the file and the case's line
  std::string passes;
  std::string before;
  std::string after;  // empty: unchanged
  bool changes = false;
};

std::vector<Case> ReadCases() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(XYLEM_SOURCE_DIR) + "/tests/passes")) {
    if (entry.path().extension() == ".hlo") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Case> cases;
  for (const std::string& path : paths) {
    std::ifstream file(path);
    Case current;
    std::string* part = &current.before;
    int line_number = 0;
    auto finish = [&] {
      if (!current.passes.empty()) cases.push_back(current);
      current = Case();
      part = &current.before;
    };
    for (std::string line; std::getline(file, line);) {
      ++line_number;
      if (absl::StartsWith(line, "// ====")) {
        finish();
      } else if (absl::StartsWith(line, "// PASSES: ")) {
        current.passes = line.substr(11);
        current.name =
            absl::StrCat(std::filesystem::path(path).filename().string(), ":", line_number);
      } else if (absl::StartsWith(line, "// ---- ")) {
        part = &current.after;
        current.changes = line == "// ---- changes";
      } else {
        absl::StrAppend(part, line, "\n");
      }
    }
    finish();
  }
  return cases;
}

// Where a pass leaves the layout open, the text has the default one.
std::unique_ptr<HloModule> WithLayouts(const HloModule& module) {
  const auto fill = [](Shape* shape) {
    ShapeUtil::ForEachMutableSubshape(shape, [](Shape* part, const ShapeIndex&) {
      if (part->IsArray() && !part->has_layout()) LayoutUtil::SetToDefaultLayout(part);
    });
  };
  std::unique_ptr<HloModule> copy = module.Clone();
  for (HloComputation* computation : copy->computations()) {
    for (HloInstruction* instruction : computation->instructions())
      fill(instruction->mutable_shape());
  }
  ProgramShape entry = copy->entry_computation_layout();
  for (int i = 0; i < entry.parameters_size(); ++i) fill(entry.mutable_parameters(i));
  fill(entry.mutable_result());
  copy->config().set_entry_computation_layout(entry);
  return copy;
}

TEST(PassPrograms, BecomeWhatTheFilesSayAndComputeTheSame) {
  const std::vector<Case> cases = ReadCases();
  EXPECT_GT(cases.size(), 30u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ASSERT_OK_AND_ASSIGN(const Pipeline pipeline,
                         Pipeline::Parse(c.passes, {&kConstantFolding, 1}));
    ASSERT_OK_AND_ASSIGN(const auto before, ParseAndReturnUnverifiedModule(c.before));
    ASSERT_OK(VerifyModule(*before));
    const std::unique_ptr<HloModule> module = before->Clone();
    ASSERT_OK_AND_ASSIGN(const bool changed, pipeline.Run(module.get(), {.verify = true}));
    const std::string after(absl::StripAsciiWhitespace(c.after));
    EXPECT_EQ(changed, c.changes || !after.empty()) << module->ToString();
    if (!after.empty()) {
      ASSERT_OK_AND_ASSIGN(const auto expected, ParseAndReturnUnverifiedModule(after));
      EXPECT_OK(WithLayouts(*module)->CheckEqual(*expected)) << module->ToString();
    }
    EXPECT_OK(testing::ComputeTheSame(*before, *module, c.changes ? 25 : 3)) << module->ToString();
    // What a pass has done, it does not do again.
    ASSERT_OK_AND_ASSIGN(const bool again, pipeline.Run(module.get(), {.verify = true}));
    EXPECT_FALSE(again) << module->ToString();
  }
}

}  // namespace
}  // namespace xla
