// SPDX-License-Identifier: Apache-2.0
// xylem print converts programs between formats; xylem verify checks that they are well formed.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/printer.h"
#include "xla/mlir/ir.h"
#include "xla/passes/expand.h"
#include "xla/stablehlo/operation_text.h"
#include "xla/stablehlo/portable_artifact.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/translate_from_hlo.h"

namespace xla {
namespace {

absl::StatusOr<std::string> AsHlo(const HloModule& module, const Arguments& arguments) {
  const std::string set = arguments.Get("--options", "long");
  HloPrintOptions options;
  if (set == "short") {
    options = HloPrintOptions::ShortParsable();
  } else if (set == "canonical") {
    options = HloPrintOptions::Canonical();
  } else if (set == "fingerprint") {
    options = HloPrintOptions::Fingerprint();
  }
  if (arguments.Has("--operand-shapes")) options.print_operand_shape = true;
  if (arguments.Has("--large-constants")) options.print_large_constants = true;
  if (arguments.Has("--no-metadata")) options.print_metadata = false;
  std::string out;
  XLA_RETURN_IF_ERROR(PrintModule(module, options, &out));
  return out;
}

absl::StatusOr<std::string> AsProto(const HloModule& module) {
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(module));
  const HloModuleConfig& config = module.config();
  if (config.replica_count() != 1 || config.num_partitions() != 1) {
    std::fprintf(stderr,
                 "xylem: HloModuleProto has no field for replica_count=%lld, "
                 "num_partitions=%lld: they are left out\n",
                 static_cast<long long>(config.replica_count()),
                 static_cast<long long>(config.num_partitions()));
  }
  std::string out;
  if (!proto.SerializeToString(&out))
    return absl::ResourceExhaustedError("the module is too large for a proto");
  return out;
}

// Operations of MHLO that StableHLO lacks.
bool HasMhlo(const mlir::Source& source) {
  return std::any_of(source.names.begin(), source.names.end(), [](const auto& entry) {
    return absl::StartsWith(View(entry.first), "mhlo.");
  });
}

// StableHLO is kept as it is, without a way through HLO, but for such operations.
absl::StatusOr<std::string> AsStableHlo(const std::string& path, std::string_view bytes,
                                        bool as_bytecode, const Arguments& arguments) {
  std::unique_ptr<mlir::Source> source;
  if (IsStableHlo(bytes)) {
    XLA_ASSIGN_OR_RETURN(
        source, stablehlo::LoadStableHlo(std::string(bytes), path, !arguments.Has("--no-verify")));
  }
  if (source == nullptr || HasMhlo(*source)) {
    XLA_ASSIGN_OR_RETURN(const auto module,
                         LoadModuleFrom(path, bytes, !arguments.Has("--no-verify")));
    // Operations that start and end later become what they start.
    XLA_RETURN_IF_ERROR(ExpandAsync(module.get()).status());
    XLA_ASSIGN_OR_RETURN(source, stablehlo::TranslateFromHlo(*module));
  }
  if (!as_bytecode) {
    return CompleteText(arguments.Has("--generic") ? mlir::ToString(*source->module)
                                                   : stablehlo::PrettyText(*source->module));
  }
  XLA_ASSIGN_OR_RETURN(const stablehlo::Version version,
                       stablehlo::ParseVersion(arguments.Get("--stablehlo-version", "current")));
  return stablehlo::WritePortableArtifact(source.get(), version);
}

absl::StatusOr<std::string> Converted(const std::string& path, std::string_view bytes,
                                      const std::string& to, const Arguments& arguments) {
  if (to == "stablehlo" || to == "mlirbc")
    return AsStableHlo(path, bytes, to == "mlirbc", arguments);
  XLA_ASSIGN_OR_RETURN(const auto module,
                       LoadModuleFrom(path, bytes, !arguments.Has("--no-verify")));
  return to == "hlo" ? AsHlo(*module, arguments) : AsProto(*module);
}

// Several programs of one text are printed as such a text; the binary formats hold one.
absl::StatusOr<int> Print(const Arguments& arguments) {
  const std::string& path = arguments.operands()[0];
  const std::string to = arguments.Get("--to", arguments.Has("--proto") ? "hlo-proto" : "hlo");
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  std::vector<std::string_view> programs = {bytes};
  if (IsStableHlo(bytes)) {
    const std::vector<std::string_view> parts = StableHloPrograms(bytes);
    if (parts.size() > 1) programs = parts;
  }
  if (programs.size() > 1 && (to == "hlo-proto" || to == "mlirbc")) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": ", to, " holds one program, but lines \"// -----\" separate ", programs.size()));
  }
  std::string out;
  for (const std::string_view program : programs) {
    XLA_ASSIGN_OR_RETURN(const std::string text, Converted(path, program, to, arguments));
    absl::StrAppend(&out, out.empty() ? "" : "// -----\n", text);
  }
  XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--output", "-"), out));
  return kExitOk;
}

void CountOperations(const mlir::Operation& operation, int64_t* functions, int64_t* operations) {
  if (operation.Is("func.func")) ++*functions;
  ++*operations;
  for (const mlir::Region& region : operation.regions) {
    for (const mlir::Block* block = region.first; block != nullptr; block = block->next) {
      for (const mlir::Operation& inner : *block) CountOperations(inner, functions, operations);
    }
  }
}

// What a valid file holds.
absl::StatusOr<std::string> Describe(const std::string& path) {
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  if (!IsStableHlo(bytes)) {
    XLA_ASSIGN_OR_RETURN(const auto module, LoadModuleFrom(path, bytes));
    return absl::StrCat(module->computation_count(), " computations, ", module->instruction_count(),
                        " instructions");
  }
  const std::vector<std::string_view> programs = StableHloPrograms(bytes);
  int64_t functions = 0, operations = 0;
  for (const std::string_view program : programs) {
    XLA_ASSIGN_OR_RETURN(const auto source, stablehlo::LoadStableHlo(std::string(program), path));
    CountOperations(*source->module, &functions, &operations);
    --operations;  // the module
  }
  return absl::StrCat(programs.size() > 1 ? absl::StrCat(programs.size(), " programs, ") : "",
                      functions, " functions, ", operations - functions, " operations");
}

absl::StatusOr<int> Verify(const Arguments& arguments) {
  int code = kExitOk;
  for (const std::string& path : arguments.operands()) {
    if (Interrupted()) return absl::CancelledError("interrupted");
    const absl::StatusOr<std::string> description = Describe(path);
    if (absl::IsCancelled(description.status())) return description.status();
    if (description.ok()) {
      std::printf("%s: ok, %s\n", path.c_str(), description->c_str());
    } else {
      std::fprintf(stderr, "xylem: %s\n", std::string(description.status().message()).c_str());
      code = kExitFailed;
    }
  }
  return code;
}

}  // namespace

Command PrintCommand() {
  return {"print",
          "FILE",
          "print a program as HLO text, or write it in another format",
          "",
          {{"--to",
            "FORMAT",
            "hlo (the default), hlo-proto, stablehlo (text) or mlirbc (a portable artifact)",
            {"hlo", "hlo-proto", "stablehlo", "mlirbc"}},
           {"--stablehlo-version", "VERSION",
            "of a portable artifact: 1.0.0 and later, minimum or current (the default)"},
           {"--options",
            "SET",
            "long (the default), short, canonical or fingerprint",
            {"long", "short", "canonical", "fingerprint"}},
           {"--generic", "", "print StableHLO in the generic form of MLIR"},
           {"--operand-shapes", "", "print the shapes of operands"},
           {"--large-constants", "", "print constants of more than 10 elements in full"},
           {"--no-metadata", "", "leave out metadata"},
           {"--no-verify", "", "do not verify the program"},
           {"--proto", "", "the same as --to=hlo-proto"},
           {"--output", "FILE", "where to write; the default is standard output"}},
          1,
          1,
          Print};
}

Command VerifyCommand() {
  return {
      "verify",
      "FILE...",
      "parse and verify programs",
      "Reports for each file whether it is well formed. Errors name the position, the operation\n"
      "and the violated rule.",
      {},
      1,
      INT64_MAX,
      Verify};
}

}  // namespace xla
