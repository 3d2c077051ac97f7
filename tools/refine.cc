// SPDX-License-Identifier: Apache-2.0
// xylem refine gives the arguments of a dynamic StableHLO program their sizes.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/command.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/operation_text.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/translate_from_hlo.h"

namespace xla {
namespace {

// "N=VALUE"
absl::StatusOr<std::pair<int64_t, std::string>> NumberAndValue(const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  int64_t number;
  if (!absl::SimpleAtoi(parts.first, &number) || number < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "': expected the number of an argument, '=' and its value"));
  }
  return std::make_pair(number, parts.second);
}

absl::StatusOr<stablehlo::EntryArguments> ReadArguments(const Arguments& arguments) {
  stablehlo::EntryArguments result;
  for (const std::string& text : arguments.All("--sizes")) {
    XLA_ASSIGN_OR_RETURN(const auto argument, NumberAndValue(text));
    std::vector<int64_t>& sizes = result.sizes[argument.first];
    if (argument.second.empty()) continue;  // of a scalar
    for (const auto part : absl::StrSplit(argument.second, 'x')) {
      sizes.emplace_back();
      if (!absl::SimpleAtoi(part, &sizes.back()) || sizes.back() < 0) {
        return absl::InvalidArgumentError(absl::StrCat("'", text, "': expected sizes as 2x3"));
      }
    }
  }
  for (const std::string& text : arguments.All("--value")) {
    XLA_ASSIGN_OR_RETURN(const auto argument, NumberAndValue(text));
    if (!absl::SimpleAtoi(argument.second, &result.constants[argument.first])) {
      return absl::InvalidArgumentError(absl::StrCat("'", text, "': expected an integer"));
    }
  }
  return result;
}

absl::Status CheckNumbers(const stablehlo::EntryArguments& arguments, int64_t count) {
  int64_t largest = -1;
  for (const auto& [number, sizes] : arguments.sizes) largest = std::max(largest, number);
  for (const auto& [number, value] : arguments.constants) largest = std::max(largest, number);
  if (largest < count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("there is no argument ", largest, "; the program takes ", count));
}

absl::StatusOr<int> Refine(const Arguments& arguments) {
  const std::string& path = arguments.operands()[0];
  const std::string output = arguments.Get("--output", "-");
  const std::string named(FormatOfName(output));
  const std::string to = arguments.Get("--to", named == "hlo" ? named : "stablehlo");
  XLA_RETURN_IF_ERROR(CheckOutputName(output, to));
  XLA_ASSIGN_OR_RETURN(stablehlo::EntryArguments sizes, ReadArguments(arguments));
  sizes.function = arguments.Get("--function");
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  if (!IsStableHlo(bytes)) {
    return AboutFile(path, Explained(bytes, absl::InvalidArgumentError("this is not StableHLO")));
  }
  const auto translate = [&]() -> absl::StatusOr<std::unique_ptr<HloModule>> {
    XLA_ASSIGN_OR_RETURN(const auto source, stablehlo::LoadStableHlo(bytes, DisplayName(path)));
    return stablehlo::TranslateToHlo(source.get(), sizes);
  };
  auto translated = translate();
  if (!translated.ok()) return AboutFile(path, Explained(bytes, translated.status()));
  const std::unique_ptr<HloModule> module = *std::move(translated);
  XLA_RETURN_IF_ERROR(CheckNumbers(sizes, module->entry_computation()->num_parameters()));
  XLA_RETURN_IF_ERROR(VerifyModule(*module));
  std::string out;
  if (to == "hlo") {
    XLA_RETURN_IF_ERROR(PrintModule(*module, HloPrintOptions(), &out));
  } else {
    XLA_ASSIGN_OR_RETURN(const auto refined, stablehlo::TranslateFromHlo(*module));
    XLA_ASSIGN_OR_RETURN(out, CompleteText(stablehlo::PrettyText(
                                  *refined->module, mlir::HasLocations(*refined->module))));
  }
  XLA_RETURN_IF_ERROR(WriteFile(output, out));
  return kExitOk;
}

}  // namespace

Command RefineCommand() {
  return {"refine",
          "FILE",
          "give the arguments of a dynamic StableHLO program their sizes",
          "Sizes of all values follow from those of the arguments; functions whose sizes are open\n"
          "are inlined. Programs that take sizes as arguments need their values.",
          {{"--sizes", "N=SIZES", "sizes of argument N, as 1=2x3; may be repeated"},
           {"--value", "N=VALUE", "value of argument N, an integer; may be repeated"},
           {"--to",
            "FORMAT",
            "stablehlo or hlo; the default is what the name of the output says, else stablehlo",
            {"stablehlo", "hlo"}},
           FunctionOption(),
           {"--output", "FILE", "where to write; the default is standard output"}},
          1,
          1,
          Refine};
}

}  // namespace xla
