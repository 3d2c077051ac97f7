// SPDX-License-Identifier: Apache-2.0
// StableHLO programs that differ from a valid one in one place: what readers and verifier say, what
// is printed, and the HLO that it stands for. Portable artifacts that differ in one byte.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tests/variants/stablehlo_outcome.h"
#include "tests/variants/text_variants.h"
#include "xla/hlo/text/parser.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/portable_artifact.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/translate_from_hlo.h"
#include "xla/stablehlo/vhlo_downgrade.h"

namespace xla::testing {
namespace {

bool IsCode(absl::string_view line) {
  const size_t first = line.find_first_not_of(' ');
  return first != absl::string_view::npos && !absl::StartsWith(line.substr(first), "//");
}

void ExpectVariants(const std::filesystem::path& path, bool characters) {
  const std::string text = ReadWholeFile(path.string());
  characters |= absl::StartsWith(text, "// Every character");
  std::vector<std::string> lines = {absl::StrCat("unchanged: ", StableHloOutcome(text))};
  AddOutcomes(TextVariants(text).Make(IsCode, characters), StableHloOutcome, &lines);
  ExpectKinds(path.stem().string(), lines);
}

TEST(StableHloVariants, GenericForms) {
  for (const auto& path : FilesOf(VariantsPath("programs"), ".mlir")) ExpectVariants(path, false);
}

TEST(StableHloVariants, PrettyForms) {
  for (const auto& path :
       FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/stablehlo/programs"), ".mlir"))
    ExpectVariants(path, true);
}

// Positions of the parts of a list between commas that are not within brackets, from `begin` to the
// parenthesis that closes it.
std::vector<std::pair<size_t, size_t>> PartsOfList(absl::string_view line, size_t begin) {
  std::vector<std::pair<size_t, size_t>> parts;
  int depth = 0;
  size_t first = begin;
  for (size_t i = begin; i < line.size(); ++i) {
    const char c = line[i];
    const bool ends = depth == 0 && (c == ',' || c == ')');
    if (ends && i > first) parts.push_back({first, i - first});
    if (ends && c == ')') return parts;
    if (ends) first = i + 2;
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
  }
  return {};
}

// A token instead of each operand, and instead of each result.
TEST(StableHloVariants, TokensForArrays) {
  constexpr absl::string_view kToken = "!stablehlo.token";
  std::vector<std::string> outcomes;
  for (const auto& path : FilesOf(VariantsPath("programs"), ".mlir")) {
    const std::string text = ReadWholeFile(path.string());
    std::vector<std::string> lines = absl::StrSplit(text, '\n');
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string line = lines[i];
      const size_t name = line.find("\"stablehlo."), types = line.rfind(" : ("),
                   arrow = line.rfind(" -> ");
      if (name == std::string::npos || types == std::string::npos || arrow == std::string::npos)
        continue;
      const size_t open = line.find('(', name);
      const auto operands = PartsOfList(line, open + 1), from = PartsOfList(line, types + 4);
      if (operands.size() != from.size()) continue;
      const auto outcome = [&](const std::string& changed) {
        lines[i] = absl::StrCat("%token_for_array = \"stablehlo.create_token\"() : () -> ",
                                std::string(kToken), "\n", changed);
        outcomes.push_back(absl::StrCat(absl::StrReplaceAll(OneLine(changed, 100), {{": ", ":"}}),
                                        ": ", StableHloOutcome(absl::StrJoin(lines, "\n"))));
        lines[i] = line;
      };
      for (size_t k = 0; k < operands.size(); ++k) {
        std::string changed = line;
        changed.replace(from[k].first, from[k].second, std::string(kToken));
        changed.replace(operands[k].first, operands[k].second, "%token_for_array");
        outcome(changed);
      }
      if (line[arrow + 4] != '(')
        outcome(absl::StrCat(line.substr(0, arrow + 4), std::string(kToken)));
    }
  }
  EXPECT_GT(outcomes.size(), 100u);
  ExpectKinds("tokens_for_arrays", outcomes);
}

// Parameters with open sizes, which the translation refuses, are left out where they are not used.
std::string WithoutOpenParameters(const ProgramOfLine& program) {
  std::string text = program.text;
  for (const auto& [name, parameter] :
       {std::pair("%d", "%d: tensor<?x3xf32>, "), std::pair("%y", ", %y: tensor<*xf32>")}) {
    if (!absl::StrContains(program.line, name)) text = absl::StrReplaceAll(text, {{parameter, ""}});
  }
  return text;
}

// Each rule of the verifier is broken by an operation; so is each rule of translation and syntax.
TEST(StableHloVariants, Rejected) {
  for (const std::string name : {"stablehlo", "translation", "mlir"}) {
    std::vector<std::string> lines;
    for (const ProgramOfLine& program : ReadProgramsOfLines(name)) {
      SCOPED_TRACE(program.line);
      lines.push_back(StableHloOutcome(WithoutOpenParameters(program)));
    }
    ExpectLines("rejected_" + name, lines);
  }
}

// Reductions may compute in a type that holds what they reduce.
TEST(StableHloVariants, PromotingReductions) {
  const char* const types[] = {"i1",
                               "i4",
                               "i8",
                               "i32",
                               "ui8",
                               "ui32",
                               "f8E4M3FN",
                               "bf16",
                               "f16",
                               "f32",
                               "f64",
                               "complex<f32>",
                               "complex<f64>",
                               "!quant.uniform<i8:f32, 0.5:1>",
                               "!quant.uniform<i8:f32, 0.25:1>",
                               "!quant.uniform<i8:f16, 0.5:1>",
                               "!quant.uniform<i16:f32, 0.5:1>",
                               "!quant.uniform<u8:f32, 0.5:1>"};
  std::vector<std::string> lines;
  for (const absl::string_view from : types) {
    for (const absl::string_view to : types) {
      const std::string text = absl::StrCat(
          "func.func @main(%a: tensor<3x", from, ">, %b: tensor<", from, ">) -> tensor<", to,
          "> {\n  %0 = \"stablehlo.reduce\"(%a, %b) <{dimensions = array<i64: 0>}> ({\n  "
          "^bb0(%x: tensor<",
          to, ">, %y: tensor<", to, ">):\n    %1 = stablehlo.add %x, %y : tensor<", to,
          ">\n    stablehlo.return %1 : tensor<", to, ">\n  }) : (tensor<3x", from, ">, tensor<",
          from, ">) -> tensor<", to, ">\n  return %0 : tensor<", to, ">\n}\n");
      lines.push_back(absl::StrCat(from, " in ", to, ": ", StableHloOutcome(text)));
    }
  }
  ExpectKinds("promoting_reductions", lines);
}

// The examples of docs/operations.md as StableHLO, and back.
TEST(StableHloVariants, OperationsFromHlo) {
  std::vector<std::string> lines;
  for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/operations"), ".hlo")) {
    const auto module = ParseAndReturnUnverifiedModule(ReadWholeFile(path.string()));
    ASSERT_OK(module);
    auto source = stablehlo::TranslateFromHlo(**module);
    lines.push_back(absl::StrCat("== ", path.stem().string()));
    if (!source.ok()) {
      lines.push_back(OneLine(source.status().message()));
      continue;
    }
    const std::string text = mlir::ToString(*(*source)->module);
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      if (!absl::StrContains(line, "stablehlo.constant")) lines.push_back(std::string(line));
    }
    lines.push_back(StableHloOutcome(text));
  }
  WriteOutcomes("operations_from_hlo", lines);
}

// Text is read again as it was printed, and artifacts of each version as they were written.
TEST(StableHloVariants, WrittenAndReadAgain) {
  std::vector<std::string> lines;
  for (const char* folder : {"variants", "stablehlo"}) {
    const std::string programs = absl::StrCat(XYLEM_SOURCE_DIR, "/tests/", folder, "/programs");
    for (const auto& path : FilesOf(programs, ".mlir")) {
      const auto source = stablehlo::LoadStableHlo(ReadWholeFile(path.string()), "");
      ASSERT_OK(source) << path;
      const std::string text = mlir::ToString(*(*source)->module);
      const auto again = stablehlo::LoadStableHlo(text, "");
      ASSERT_OK(again) << path << "\n" << text;
      EXPECT_EQ(mlir::ToString(*(*again)->module), text) << path;
      std::string line = absl::StrCat(folder, "/", path.stem().string(), ":");
      std::string last;
      for (int minor = 0; minor <= stablehlo::kLatestVersion.minor; ++minor) {
        const auto bytes = stablehlo::WritePortableArtifact(source->get(), {1, minor, 0});
        std::string outcome;
        if (bytes.ok()) {
          const auto read = stablehlo::LoadStableHlo(*bytes, "");
          ASSERT_OK(read) << path << " 1." << minor;
          const std::string back = mlir::ToString(*(*read)->module);
          outcome = absl::StrCat(Fingerprint(*bytes), " read as ", Fingerprint(back));
        } else {
          outcome = OneLine(bytes.status().message());
        }
        if (outcome != last) absl::StrAppend(&line, " 1.", minor, " ", outcome);
        last = outcome;
      }
      lines.push_back(line);
    }
  }
  ExpectLines("artifacts", lines);
}

// Each byte of an artifact one larger, and with its highest bit changed; its beginnings.
void ExpectBytes(const std::string& name, const std::string& bytes) {
  std::vector<std::string> lines = {absl::StrCat("unchanged: ", StableHloOutcome(bytes))};
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x80}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(change == 1 ? changed[i] + 1 : changed[i] ^ change);
      lines.push_back(
          absl::StrCat(i, change == 1 ? " + 1: " : " ^ 0x80: ", StableHloOutcome(changed)));
    }
  }
  for (size_t size = 0; size < bytes.size(); size += 7)
    lines.push_back(absl::StrCat("first ", size, ": ", StableHloOutcome(bytes.substr(0, size))));
  ExpectKinds(name + "_bytes", lines);
}

TEST(StableHloVariants, BytesOfArtifacts) {
  for (const std::string name : {"artifact", "calls", "quantized", "resources"}) {
    auto source =
        stablehlo::LoadStableHlo(ReadWholeFile(VariantsPath("programs/" + name + ".mlir")), "");
    ASSERT_OK(source);
    const auto bytes = stablehlo::WritePortableArtifact(source->get(), {1, 9, 0});
    ASSERT_OK(bytes);
    ExpectBytes(name, *bytes);
  }
}

// The operations of Shardy, as JAX writes them in bytecode.
TEST(StableHloVariants, BytesOfShardy) {
  ExpectBytes("sdy", ReadWholeFile(VariantsPath("programs/sdy.mlirbc")));
}

}  // namespace
}  // namespace xla::testing
