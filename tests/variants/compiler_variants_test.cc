// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of programs that differ from a valid one in one place: another size,
// type, attribute or operand. A line for all variants of a line of a program.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/compiled_text.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/pjrt/partition.h"

namespace xla::testing {
namespace {

// A fingerprint; empty for programs that are not valid.
std::string CompiledOutcome(const std::string& text,
                            absl::Span<const cpu::Target> targets = Targets()) {
  const auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok() || !VerifyModule(**module).ok()) return "";
  std::vector<std::string> lines, generated;
  AddCompiled(**module, &lines, &generated, targets);
  if (generated.empty()) return "";
  return Fingerprint(absl::StrCat(absl::StrJoin(lines, "\n"), absl::StrJoin(generated, "\n")));
}

// One of `one_of` variants of each program, chosen by what changes, for all targets or, if they are
// not all, for one of them. Names of programs begin with `first` to `last`, or with what is
// between.
void ExpectCompiledVariants(const std::string& name, const std::string& folder, size_t one_of,
                            const std::string& first = "", const std::string& last = "~") {
  if (!IsRecordedLlvm())
    GTEST_SKIP() << "the code is recorded as another version of LLVM prints it";
  std::vector<std::vector<std::string>> sections;
  for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/", folder), ".hlo")) {
    const std::string stem = path.stem();
    if (stem < first || stem.substr(0, last.size()) > last) continue;
    const std::string text = ReadWholeFile(path.string());
    constexpr size_t kMostBytes = 14'000;
    if (text.size() > kMostBytes) continue;
    std::vector<std::string> section = {absl::StrCat("== ", path.stem().string())};
    std::map<size_t, std::pair<int, std::string>> by_line;
    for (const Variant& variant : TextVariants(text).Make(
             [](absl::string_view line) { return !absl::StrContains(line, "//"); }, false)) {
      const size_t number = std::stoul(Fingerprint(variant.change), nullptr, 16);
      if (number % one_of != 0) continue;
      const absl::Span<const cpu::Target> targets = Targets();
      const std::string outcome = CompiledOutcome(
          variant.text,
          one_of == 1 ? targets : targets.subspan(number / one_of % targets.size(), 1));
      if (outcome.empty()) continue;
      auto& [count, outcomes] = by_line[variant.line];
      ++count;
      absl::StrAppend(&outcomes, variant.change, ": ", outcome, "\n");
    }
    for (const auto& [line, outcomes] : by_line) {
      section.push_back(
          absl::StrCat(line, ": ", outcomes.first, " variants: ", Fingerprint(outcomes.second)));
    }
    sections.push_back(std::move(section));
  }
  ExpectSections(absl::StrCat(name, "_compiled_variants"), sections);
}

TEST(CompilerVariants, Operations) { ExpectCompiledVariants("operations", "operations", 1); }
TEST(CompilerVariants, DynamicSizes) {
  ExpectCompiledVariants("dynamic", "variants/programs", 2, "dynamic", "dynamic");
}
// In parts, as they take minutes under sanitizers.
TEST(CompilerVariants, SelfCheckingProgramsToC) {
  ExpectCompiledVariants("hlo_to_c", "hlo", 5, "a", "c");
}
TEST(CompilerVariants, SelfCheckingProgramsToF) {
  ExpectCompiledVariants("hlo_to_f", "hlo", 5, "d", "f");
}
TEST(CompilerVariants, SelfCheckingProgramsToQ) {
  ExpectCompiledVariants("hlo_to_q", "hlo", 5, "g", "q");
}
TEST(CompilerVariants, SelfCheckingProgramsToZ) {
  ExpectCompiledVariants("hlo_to_z", "hlo", 5, "r", "z");
}

// The programs of tests/passes: what each pass makes of the variants, and the compiler.
TEST(CompilerVariants, Passes) {
  if (!IsRecordedLlvm())
    GTEST_SKIP() << "the code is recorded as another version of LLVM prints it";
  std::vector<std::vector<std::string>> sections;
  for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/passes"), ".hlo")) {
    int number = 0;
    const std::string file = ReadWholeFile(path.string());
    for (const absl::string_view example : absl::StrSplit(file, "// ====")) {
      const std::string text(example.substr(0, example.find("// ----")));
      const size_t start = text.find("HloModule");
      if (start == std::string::npos) continue;
      std::vector<std::string> section = {absl::StrCat("== ", path.stem().string(), " ", number++)};
      int count = 0;
      std::string outcomes;
      for (const Variant& variant :
           TextVariants(text.substr(start)).Make([](absl::string_view) { return true; }, false)) {
        const std::string outcome = CompiledOutcome(variant.text);
        if (outcome.empty()) continue;
        ++count;
        const auto module = ParseAndReturnUnverifiedModule(variant.text);
        absl::StrAppend(&outcomes, variant.change, ": ", outcome, AfterEachPass(**module), "\n");
      }
      section.push_back(absl::StrCat(count, " variants: ", Fingerprint(outcomes)));
      sections.push_back(std::move(section));
    }
  }
  ExpectSections("passes_compiled_variants", sections);
}

// The program of a partition, or why there is none.
std::string PartitionOutcome(const std::string& text) {
  const auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok() || !VerifyModule(**module).ok()) return "";
  std::string outcome;
  for (const bool may_choose : {false, true}) {
    const auto copy = (*module)->Clone();
    const auto shardings = pjrt::PartitionModule(copy.get(), {may_choose});
    if (!shardings.ok()) {
      absl::StrAppend(&outcome, shardings.status().message(), "\n");
      continue;
    }
    EXPECT_OK(VerifyModule(*copy)) << text;
    for (const HloSharding& sharding : shardings->parameters)
      absl::StrAppend(&outcome, sharding.ToString(), "\n");
    for (const HloSharding& sharding : shardings->outputs)
      absl::StrAppend(&outcome, sharding.ToString(), "\n");
    absl::StrAppend(&outcome, TextOf(*copy));
  }
  return Fingerprint(outcome);
}

// tests/variants/programs/partitions.txt: programs of one partition each.
TEST(CompilerVariants, Partitions) {
  std::vector<std::string> lines;
  const std::string file = ReadWholeFile(VariantsPath("programs/partitions.txt"));
  for (const absl::string_view program : absl::StrSplit(file, "---\n")) {
    lines.push_back(absl::StrCat("== ", std::string(program.substr(0, program.find(',')))));
    for (const Variant& variant :
         TextVariants(std::string(program)).Make([](absl::string_view) { return true; }, false)) {
      const std::string outcome = PartitionOutcome(variant.text);
      if (!outcome.empty()) lines.push_back(absl::StrCat(OneLine(variant.change), ": ", outcome));
    }
  }
  ExpectLines("partitions_variants", lines);
}

}  // namespace
}  // namespace xla::testing
