// SPDX-License-Identifier: Apache-2.0
// What passes, fusion and buffer assignment make of the examples and reference programs, what they
// are estimated to cost, how sharded programs are divided, and the code that is generated for some
// machines, whatever machine this is.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/compiled_text.h"
#include "tests/variants/expected.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/pjrt/cost.h"
#include "xla/pjrt/partition.h"

namespace xla::testing {
namespace {

std::string CostOf(const HloModule& module) {
  std::string line;
  for (const PJRT_NamedValue& property : pjrt::CostProperties(module)) {
    absl::StrAppendFormat(&line, " %s %g", std::string(property.name, property.name_size),
                          property.float_value);
  }
  return line;
}

void ExpectCompiled(const std::string& name, const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> lines, generated;
  for (const auto& path : paths) {
    const auto module = ParseAndReturnUnverifiedModule(ReadWholeFile(path.string()));
    ASSERT_OK(module);
    const std::string title =
        absl::StrCat("== ", path.parent_path().stem().string(), "/", path.stem().string());
    lines.push_back(absl::StrCat(title, CostOf(**module)));
    generated.push_back(title);
    lines.push_back(absl::StrCat("passes:", AfterEachPass(**module)));
    AddCompiled(**module, &lines, &generated);
  }
  ExpectLines(name + "_compiled", lines);
  if (generated.size() > paths.size() && IsRecordedLlvm())
    ExpectLines(name + "_generated", generated);
}

std::vector<std::filesystem::path> ProgramsIn(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(absl::StrCat(XYLEM_SOURCE_DIR, "/", folder))) {
    if (std::filesystem::exists(entry.path() / "program.hlo"))
      paths.push_back(entry.path() / "program.hlo");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Compiler, Operations) {
  ExpectCompiled("operations",
                 FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/operations"), ".hlo"));
}
TEST(Compiler, SelfCheckingPrograms) {
  ExpectCompiled("self_checking", FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/hlo"), ".hlo"));
}
TEST(Compiler, ReferencePrograms) { ExpectCompiled("programs", ProgramsIn("tests/programs")); }
TEST(Compiler, BenchmarkPrograms) { ExpectCompiled("bench", ProgramsIn("bench/programs")); }

// tests/variants/programs/partitions.txt: programs of one partition each, separated by lines "---".
TEST(Compiler, Partitions) {
  std::vector<std::string> lines;
  for (const absl::string_view text :
       absl::StrSplit(ReadWholeFile(VariantsPath("programs/partitions.txt")), "---\n")) {
    const auto module = ParseAndReturnUnverifiedModule(std::string(text));
    ASSERT_OK(module) << text;
    lines.push_back(absl::StrCat("== ", (*module)->name()));
    for (const bool may_choose : {false, true}) {
      const auto copy = (*module)->Clone();
      const auto shardings = pjrt::PartitionModule(copy.get(), {may_choose});
      if (!shardings.ok()) {
        lines.push_back(OneLine(shardings.status().message()));
        continue;
      }
      for (const HloSharding& sharding : shardings->parameters)
        lines.push_back(absl::StrCat("parameter ", sharding.ToString()));
      for (const HloSharding& sharding : shardings->outputs)
        lines.push_back(absl::StrCat("output ", sharding.ToString()));
      const std::string printed = TextOf(*copy);
      for (const absl::string_view line : absl::StrSplit(printed, '\n')) {
        if (!line.empty()) lines.push_back(std::string(line));
      }
      const absl::Status status = VerifyModule(*copy);
      if (!status.ok()) lines.push_back(OneLine(status.message()));
    }
  }
  ExpectLines("partitions", lines);
}

}  // namespace
}  // namespace xla::testing
