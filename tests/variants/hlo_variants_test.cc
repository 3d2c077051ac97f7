// SPDX-License-Identifier: Apache-2.0
// HLO programs that differ from a valid one in one place: what the parser, shape inference and the
// verifier say, what is printed and written as a proto, and what the interpreter computes.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "gtest/gtest.h"
#include "tests/interp/bounded_run.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/service/hlo.pb.h"

namespace xla::testing {
namespace {

std::string SameBytes(const HloModuleProto& proto) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  proto.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

// A run without arguments on the module's devices, stopped after a while if it does not end.
std::string RunOf(const HloModule& module) {
  const int64_t replicas = module.config().replica_count();
  const int64_t partitions = module.config().num_partitions();
  if (module.entry_computation()->num_parameters() != 0 || replicas > 4 || partitions > 4)
    return "not run";
  BoundedOptions bounded(/*most_reports=*/10);
  InterpreterOptions& options = bounded.options;
  options.wait_timeout = absl::Seconds(20);
  options.custom_calls = CheckCustomCalls();
  const std::vector<std::vector<const Literal*>> arguments(
      static_cast<size_t>(replicas * partitions));
  const auto results = InterpretReplicated(module, replicas, partitions, arguments, options);
  // Which device fails first is chance.
  if (!results.ok() && replicas * partitions > 1) return "runs: a device fails";
  return results.ok() ? "runs"
                      : absl::StrCat("runs: ", OneLine(RoundedNumbers(results.status().message())));
}

// The errors without the lines of the text that they show.
std::string ParseErrors(absl::string_view message) {
  std::string errors;
  for (const absl::string_view line : absl::StrSplit(message, '\n')) {
    if (absl::StrContains(line, "error: "))
      absl::StrAppend(&errors, errors.empty() ? "" : "; ", absl::StripPrefix(line, "was parsing "));
  }
  return OneLine(errors.empty() ? message : errors);
}

std::string HloOutcome(const std::string& text) {
  HloParserOptions options;
  options.max_elided_bytes = 1 << 16;
  const auto module = ParseAndReturnUnverifiedModule(text, options);
  if (!module.ok()) return absl::StrCat("not read: ", ParseErrors(module.status().message()));
  if (const absl::Status status = VerifyModule(**module); !status.ok())
    return absl::StrCat("not valid: ", OneLine(status.message()));
  const auto proto = ModuleToProto(**module);
  return absl::StrCat("text ", Fingerprint(ModuleToString(**module, HloPrintOptions())), ", proto ",
                      proto.ok() ? Fingerprint(SameBytes(*proto)) : proto.status().ToString(), ", ",
                      RunOf(**module));
}

std::vector<std::string> OutcomesOf(const std::string& text,
                                    const std::function<bool(absl::string_view)>& selected,
                                    bool characters) {
  std::vector<std::string> lines = {absl::StrCat("unchanged: ", HloOutcome(text))};
  AddOutcomes(TextVariants(text).Make(selected, characters), HloOutcome, &lines);
  return lines;
}

// The examples of docs/operations.md, where they use the operation itself.
TEST(HloVariants, Operations) {
  std::vector<std::string> lines;
  for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/operations"), ".hlo")) {
    const std::string call = absl::StrCat(" ", path.stem().string(), "(");
    lines.push_back(absl::StrCat("== ", path.stem().string()));
    for (std::string& line : OutcomesOf(
             ReadWholeFile(path.string()),
             [&](absl::string_view text) { return absl::StrContains(text, call); }, false)) {
      lines.push_back(std::move(line));
    }
  }
  ExpectLines("operations", lines);
}

// Larger programs that check their results: one of sixteen variants of each, chosen by what
// changes.
TEST(HloVariants, SelfCheckingPrograms) {
  std::vector<std::vector<std::string>> sections;
  for (const std::string folder : {"hlo", "documents"}) {
    for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/", folder), ".hlo")) {
      constexpr size_t kMostBytes = 14'000;
      const std::string text = ReadWholeFile(path.string());
      if (text.size() > kMostBytes) continue;
      std::vector<Variant> variants = TextVariants(text).Make(
          [](absl::string_view line) { return !absl::StrContains(line, "//"); }, false);
      std::erase_if(variants, [](const Variant& variant) {
        return Fingerprint(variant.change).back() != '7';
      });
      std::vector<std::string> lines = {
          absl::StrCat("== ", folder, "/", path.stem().string(), " ", Fingerprint(text))};
      AddOutcomes(variants, HloOutcome, &lines);
      sections.push_back(std::move(lines));
    }
  }
  ExpectSections("self_checking", sections);
}

// Each rule of parser, shape inference and verifier is broken by an instruction.
TEST(HloVariants, Rejected) {
  std::vector<std::string> lines;
  for (const ProgramOfLine& program : ReadProgramsOfLines("hlo")) {
    lines.push_back(program.line);
    lines.push_back(absl::StrCat("  ", HloOutcome(program.text)));
  }
  ExpectLines("rejected_hlo", lines);
}

TEST(HloVariants, Programs) {
  for (const auto& path : FilesOf(VariantsPath("programs"), ".hlo")) {
    const std::string text = ReadWholeFile(path.string());
    ExpectLines(path.stem().string(),
                OutcomesOf(
                    text, [](absl::string_view line) { return !absl::StartsWith(line, "//"); },
                    absl::StartsWith(text, "// Every character")));
  }
}

}  // namespace
}  // namespace xla::testing
