// SPDX-License-Identifier: Apache-2.0
// The compiler on many programs, and on those that differ from them in one place (another size,
// type, attribute or operand): passes leave valid programs that do no more than a bounded amount of
// work twice, lowerings agree with each other, and code is generated for any machine. What it looks
// like is for scripts/compare_code.py.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/fingerprints/compiled_text.h"
#include "tests/fingerprints/fingerprint.h"
#include "tests/fingerprints/programs.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/partition.h"

namespace xla::testing {
namespace {

// One of `one_of` programs is compiled, for one of three machines.
class Compiler {
 public:
  explicit Compiler(uint32_t one_of) : one_of_(one_of) {}

  void operator()(const std::string& name, const std::string& text) {
    const uint32_t hash = HashOf(name) / 8;
    if (hash % one_of_ != 0) return;
    const auto module = ParseAndReturnUnverifiedModule(text);
    if (!module.ok() || !VerifyModule(**module).ok()) return;
    const absl::Span<const cpu::Target> targets = Targets();
    const auto compiled = Compile(**module, targets.subspan(hash / one_of_ % targets.size(), 1));
    EXPECT_FALSE(absl::IsInternal(compiled.status())) << name << ": " << compiled.status() << "\n"
                                                      << text;
    (compiled.ok() ? compiled_ : refused_)++;
  }
  int compiled() const { return compiled_; }
  int refused() const { return refused_; }

 private:
  uint32_t one_of_;
  int compiled_ = 0, refused_ = 0;
};

TEST(CompilerVariants, ProgramsAreCompiled) {
  Compiler compiler(1);
  ForEachProgram(std::ref(compiler));
  EXPECT_GT(compiler.compiled(), 3000);
  EXPECT_LT(compiler.refused(), compiler.compiled() / 10);
}

TEST(CompilerVariants, VariantsAreCompiled) {
  Compiler compiler(2);
  ForEachVariant(std::ref(compiler));
  EXPECT_GT(compiler.compiled(), 1000);
  EXPECT_LT(compiler.refused(), compiler.compiled() / 10);
}

// The shardings of a program of one partition, and what is in it.
std::string PartitionOutcome(const HloModule& module, bool may_choose) {
  const auto copy = module.Clone();
  const auto shardings = spmd::PartitionModule(copy.get(), {.may_choose_output = {may_choose}});
  if (!shardings.ok()) return OneLine(shardings.status().message());
  EXPECT_OK(VerifyModule(*copy)) << TextOf(module);
  std::vector<std::string> parts;
  for (const HloSharding& sharding : shardings->parameters) parts.push_back(sharding.ToString());
  for (const HloSharding& sharding : shardings->outputs)
    parts.push_back(absl::StrCat("-> ", sharding.ToString()));
  std::map<std::string, int> counts;
  for (const HloComputation* computation : copy->computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      ++counts[std::string(HloOpcodeString(instruction->opcode()))];
  }
  for (const auto& [opcode, count] : counts) parts.push_back(absl::StrCat(count, " ", opcode));
  return absl::StrCat(absl::StrJoin(parts, ", "), " ", Fingerprint(TextOf(*copy)));
}

// tests/variants/programs/partitions.txt: programs of one partition each, separated by lines "---".
TEST(CompilerVariants, Partitions) {
  std::vector<std::string> lines, variants;
  const std::string file = ReadWholeFile(VariantsPath("programs/partitions.txt"));
  for (const absl::string_view view : absl::StrSplit(file, "---\n")) {
    const std::string text(view);
    const auto module = ParseAndReturnUnverifiedModule(text);
    ASSERT_OK(module) << text;
    for (const bool may_choose : {false, true}) {
      lines.push_back(absl::StrCat((*module)->name(), may_choose ? " (free): " : ": ",
                                   PartitionOutcome(**module, may_choose)));
    }
    for (const Variant& variant :
         TextVariants(text).Make([](absl::string_view) { return true; }, false)) {
      const auto changed = ParseAndReturnUnverifiedModule(variant.text);
      if (!changed.ok() || !VerifyModule(**changed).ok()) continue;
      for (const bool may_choose : {false, true}) {
        variants.push_back(absl::StrCat((*module)->name(), " ", OneLine(variant.change), ": ",
                                        PartitionOutcome(**changed, may_choose)));
      }
    }
  }
  EXPECT_GT(variants.size(), 1000u);
  ExpectLines("partitions", lines);
  WriteOutcomes("partitions_of_variants", variants);
}

}  // namespace
}  // namespace xla::testing
