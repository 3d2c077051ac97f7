// SPDX-License-Identifier: Apache-2.0
// Programs that differ from a valid one in one place are equal to it, and have its hash, exactly if
// they mean the same.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "tests/variants/values.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla::testing {
namespace {

absl::StatusOr<std::unique_ptr<HloModule>> ReadValid(const std::string& text) {
  HloParserOptions options;
  options.max_elided_bytes = 1 << 16;
  auto module = ParseAndReturnUnverifiedModule(text, options);
  if (!module.ok()) return module.status();
  const absl::Status status = VerifyModule(**module);
  if (!status.ok()) return status;
  return module;
}

std::string PrintedWithoutNames(const HloModule& module) {
  HloPrintOptions options = HloPrintOptions::Fingerprint();
  options.print_large_constants = true;
  return ModuleToString(module, options);
}

// Whether the entry's instruction of this line has another hash in the other program.
bool HasOtherHash(const HloModule& a, const HloModule& b, const std::string& text, size_t line) {
  const ProgramLines program(text);
  if (!program.IsInstruction(line - 1)) return false;
  std::string name = program.NameAt(line - 1);
  if (absl::StartsWith(name, "%")) name = name.substr(1);
  const HloInstruction* x = a.entry_computation()->GetInstructionWithName(name);
  const HloInstruction* y = b.entry_computation()->GetInstructionWithName(name);
  return x != nullptr && y != nullptr && x->Hash() != y->Hash();
}

TEST(EqualityVariants, Programs) {
  std::vector<std::string> lines;
  for (const char* name : {"attributes", "dynamic", "forms", "syntax", "equality"}) {
    const std::string text = ReadWholeFile(VariantsPath(absl::StrCat("programs/", name, ".hlo")));
    ASSERT_OK_AND_ASSIGN(const auto original, ReadValid(text));
    ASSERT_OK_AND_ASSIGN(const auto again, ReadValid(text));
    EXPECT_OK(original->CheckEqual(*again));
    EXPECT_EQ(original->Hash(), again->Hash());
    lines.push_back(absl::StrCat("== ", name));
    const auto is_code = [](absl::string_view line) { return !absl::StartsWith(line, "//"); };
    for (const Variant& variant : TextVariants(text).Make(is_code, false)) {
      const auto changed = ReadValid(variant.text);
      if (!changed.ok()) continue;
      const absl::Status equal = original->CheckEqual(**changed);
      EXPECT_EQ(equal.ok(), (*changed)->CheckEqual(*original).ok()) << variant.change;
      if (equal.ok()) {
        EXPECT_EQ(original->Hash(), (*changed)->Hash()) << variant.change;
      }
      lines.push_back(absl::StrCat(
          OneLine(variant.change), ": ", equal.ok() ? "equal" : OneLine(equal.message(), 120),
          original->CheckEqual(**changed, /*layout_sensitive=*/false).ok() ? "" : ", any layout",
          original->Hash() == (*changed)->Hash() ? "" : ", other hash",
          PrintedWithoutNames(*original) == PrintedWithoutNames(**changed) ? "" : ", other text",
          HasOtherHash(*original, **changed, text, variant.line) ? ", other instruction" : ""));
    }
  }
  ExpectKinds("comparisons", lines);
}

// The layout of what is sent is part of an outfeed.
TEST(EqualityVariants, ShapesOfOutfeeds) {
  const auto read = [](const std::string& attributes) {
    return ParseAndReturnUnverifiedModule(
               "HloModule m\nENTRY e { x = f32[4,6] parameter(0) t = token[] after-all() ROOT o = "
               "token[] outfeed(x, t)" +
               attributes + " }")
        .value();
  };
  const auto plain = read(""), rows = read(", outfeed_shape=f32[4,6]{1,0}"),
             columns = read(", outfeed_shape=f32[4,6]{0,1}"),
             configured = read(", outfeed_shape=f32[4,6]{0,1}, outfeed_config=\"c\"");
  const HloModule* const modules[] = {rows.get(), columns.get(), configured.get()};
  for (const HloModule* a : modules) {
    for (const HloModule* b : modules) EXPECT_EQ(a->CheckEqual(*b).ok(), a == b);
    EXPECT_OK(a->CheckEqual(*a->Clone()));
  }
  EXPECT_FALSE(plain->CheckEqual(*columns).ok());
}

}  // namespace
}  // namespace xla::testing
