// SPDX-License-Identifier: Apache-2.0
// What each instruction of the programs of tests/variants computes, and how that changes with the
// instruction; compiled, it is the same.
#include "tests/variants/values.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/variants/alone.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "xla/cpu/program.h"

namespace xla::testing {
namespace {

// Of each instruction its value; for each of its variants a fingerprint of the same. One of
// `compiled_one_of` programs is compiled as well.
void ExpectValues(const std::string& name, const std::string& text, size_t compiled_one_of,
                  std::vector<std::string>* lines) {
  const ProgramLines program(text);
  lines->push_back(absl::StrCat("== ", name));
  const auto add = [&](const std::string& title, const Outcome& outcome, bool whole) {
    if (!outcome.is_valid) return;
    lines->push_back(absl::StrCat(
        title, ": ", whole ? OneLine(outcome.interpreted, 240) : Fingerprint(outcome.interpreted)));
    EXPECT_EQ(outcome.difference, "") << name << " " << title << " compiled";
  };
  for (size_t i = 0; i < program.size(); ++i) {
    if (program.IsInstruction(i))
      add(program.NameAt(i), OutcomeOf(program.UpTo(i), /*compiled=*/true), true);
  }
  for (const Variant& variant :
       TextVariants(text).Make([](absl::string_view line) { return !absl::StartsWith(line, "//"); },
                               /*characters=*/false)) {
    const ProgramLines changed(variant.text);
    if (!changed.IsInstruction(variant.line - 1)) continue;
    const size_t number = HashOf(variant.change);
    add(OneLine(variant.change),
        OutcomeOf(changed.UpTo(variant.line - 1), number % compiled_one_of == 0), false);
  }
}

TEST(Values, Programs) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "without a compiler";
  std::vector<std::string> lines;
  for (const std::string name : {"attributes", "dynamic", "equality", "syntax", "syntax_details"}) {
    ExpectValues(name, ReadWholeFile(VariantsPath(absl::StrCat("programs/", name, ".hlo"))), 4,
                 &lines);
  }
  WriteOutcomes("values", lines);
}

// What the examples of docs/operations.md compute on the way to their checks.
TEST(Values, Operations) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "without a compiler";
  std::vector<std::string> lines;
  for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/operations"), ".hlo"))
    ExpectValues(path.stem().string(), ReadWholeFile(path.string()), 32, &lines);
  WriteOutcomes("values_of_operations", lines);
}

}  // namespace
}  // namespace xla::testing
