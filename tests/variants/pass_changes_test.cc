// SPDX-License-Identifier: Apache-2.0
// Each pass on each program: it says that it changed the module if and only if it did, and leaves a
// valid module.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tools/pass_options.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/passes/pass.h"

namespace xla::testing {
namespace {

// The programs of a file: all of it, or what is before and after each case of a test of passes.
std::vector<std::string> ProgramsOf(const std::string& path) {
  std::vector<std::string> programs;
  std::string program;
  for (const absl::string_view line : absl::StrSplit(ReadWholeFile(path), '\n')) {
    if (absl::StartsWith(line, "// ----") || absl::StartsWith(line, "// ====")) {
      programs.push_back(std::move(program));
      program.clear();
      continue;
    }
    absl::StrAppend(&program, line, "\n");
  }
  programs.push_back(std::move(program));
  return programs;
}

void CheckPasses(const std::string& folder, int* runs, int* changes) {
  for (const auto& path : FilesOf(folder, ".hlo")) {
    int number = 0;
    for (const std::string& program : ProgramsOf(path)) {
      ++number;
      const auto module = ParseAndReturnUnverifiedModule(program);
      if (!module.ok() || !VerifyModule(**module).ok()) continue;
      const std::string before = ModuleToString(**module);
      for (const Pass& pass : PassesOfAllRooms()) {
        const std::string where =
            absl::StrCat(path.filename().string(), " ", number, ": ", std::string(pass.name));
        const std::unique_ptr<HloModule> copy = (*module)->Clone();
        ASSERT_EQ(ModuleToString(*copy), before) << where;
        const absl::StatusOr<bool> changed = pass.run(copy.get());
        if (!changed.ok()) continue;
        // Fusions are taken apart and formed again, perhaps the same; lowerings are not printed
        // where custom calls have data of their own.
        const bool may_be_equal =
            (pass.name == "fuse" || pass.name == "assign-lowering") && *changed;
        EXPECT_TRUE(may_be_equal || *changed == (ModuleToString(*copy) != before)) << where;
        EXPECT_OK(VerifyModule(*copy)) << where;
        ++*runs;
        *changes += *changed ? 1 : 0;
      }
    }
  }
}

TEST(PassChanges, AreReported) {
  int runs = 0, changes = 0;
  for (const char* folder : {"/tests/passes", "/tests/hlo"})
    CheckPasses(absl::StrCat(XYLEM_SOURCE_DIR, folder), &runs, &changes);
  EXPECT_GT(runs, 1000);
  EXPECT_GT(changes, 100);
}

}  // namespace
}  // namespace xla::testing
