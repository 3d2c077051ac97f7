// SPDX-License-Identifier: Apache-2.0
// Files of programs.
#include "tools/program_files.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "tools/files.h"

namespace xla {
namespace {

size_t ProgramsIn(const std::string& text, absl::StatusCode* code) {
  const std::string path = absl::StrCat(testing::ProcessTempDir(), "/program_files_test.mlir");
  EXPECT_OK(WriteFile(path, text));
  const auto modules = LoadModules(path, true);
  *code = modules.status().code();
  return modules.ok() ? modules->size() : 0;
}

TEST(ProgramFilesTest, ProgramsAreCounted) {
  const std::string program =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  return %x : tensor<f32>\n}\n";
  absl::StatusCode code;
  EXPECT_EQ(ProgramsIn(program, &code), 1u);
  EXPECT_EQ(ProgramsIn(program + "// -----\n" + program, &code), 2u);
  EXPECT_EQ(ProgramsIn("// A note\n// -----\n" + program, &code), 1u);
}

TEST(ProgramFilesTest, CommentsAloneAreNoProgram) {
  absl::StatusCode code;
  EXPECT_EQ(ProgramsIn("// RUN: nothing\n\n// Test an empty module\n", &code), 0u);
  EXPECT_EQ(code, absl::StatusCode::kOk);
  for (const char* empty : {"", "\n", "  \r\n"}) {
    EXPECT_EQ(ProgramsIn(empty, &code), 0u);
    EXPECT_EQ(code, absl::StatusCode::kInvalidArgument) << empty;
  }
}

}  // namespace
}  // namespace xla
