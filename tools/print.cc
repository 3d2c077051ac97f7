// SPDX-License-Identifier: Apache-2.0
// xylem print converts programs between formats; xylem verify checks that they are well formed.
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/color.h"
#include "tools/command.h"
#include "tools/convert.h"
#include "tools/encoded_files.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/folder_outputs.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/view/dot.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/translate.h"

namespace xla {
namespace {

HloTextStyle TextStyleOf(const Arguments& arguments) {
  return {.set = arguments.Get("--options", "long"),
          .operand_shapes = arguments.Has("--operand-shapes"),
          .large_constants = arguments.Has("--large-constants"),
          .metadata = !arguments.Has("--no-metadata")};
}

absl::StatusOr<std::string> AsProto(const HloModule& module, const std::string& to) {
  const HloModuleConfig& config = module.config();
  if (config.replica_count() != 1 || config.num_partitions() != 1) {
    std::fprintf(stderr,
                 "xylem: HloModuleProto has no field for replica_count=%lld, "
                 "num_partitions=%lld: they are left out\n",
                 static_cast<long long>(config.replica_count()),
                 static_cast<long long>(config.num_partitions()));
  }
  if (to == "hlo-proto") return HloProtoBytes(module);
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(module));
  return ProtoAsText(proto, to == "json");
}

absl::StatusOr<std::unique_ptr<mlir::Source>> LoadSource(const std::string& path,
                                                         std::string_view bytes, bool verify) {
  auto source = stablehlo::LoadStableHlo(std::string(bytes), DisplayName(path), verify);
  if (!source.ok()) return AboutFile(path, Explained(bytes, source.status()));
  return source;
}

absl::StatusOr<std::string> AsStableHlo(const std::string& path, std::string_view bytes,
                                        bool as_bytecode, const Arguments& arguments) {
  const bool verify = !arguments.Has("--no-verify");
  std::unique_ptr<mlir::Source> source;
  if (IsStableHlo(bytes)) {
    XLA_ASSIGN_OR_RETURN(source, LoadSource(path, bytes, verify));
  }
  return StableHloOf(
      std::move(source),
      [&] { return LoadModuleFrom(path, bytes, verify, arguments.Get("--function")); },
      {.bytecode = as_bytecode,
       .generic = arguments.Has("--generic"),
       .locations = !arguments.Has("--no-metadata"),
       .version = arguments.Get("--stablehlo-version", "current")});
}

absl::StatusOr<std::string> Converted(const std::string& path, std::string_view bytes,
                                      const std::string& to, const Arguments& arguments) {
  if (to == "stablehlo" || to == "mlirbc")
    return AsStableHlo(path, bytes, to == "mlirbc", arguments);
  XLA_ASSIGN_OR_RETURN(const auto module, LoadModuleFrom(path, bytes, !arguments.Has("--no-verify"),
                                                         arguments.Get("--function")));
  if (to == "dot") return ModuleToDot(*module);
  return to == "hlo" ? HloText(*module, TextStyleOf(arguments)) : AsProto(*module, to);
}

// Formats by their names in --to, with the endings of files.
constexpr std::pair<std::string_view, std::string_view> kTargets[] = {
    {"hlo", ".hlo"},        {"hlo-proto", ".pb"},  {"pbtxt", ".pbtxt"}, {"json", ".json"},
    {"stablehlo", ".mlir"}, {"mlirbc", ".mlirbc"}, {"dot", ".dot"}};

std::string EndingOf(const std::string& to) {
  for (const auto& [name, ending] : kTargets) {
    if (name == to) return std::string(ending);
  }
  return "";
}

// --to, or what the name of the output says.
absl::StatusOr<std::string> TargetFormat(const std::string& output, const Arguments& arguments) {
  std::string to = arguments.Get("--to", arguments.Has("--proto") ? "hlo-proto" : "");
  const std::string named(FormatOfName(output));
  if (to.empty()) to = EndingOf(named).empty() ? "hlo" : named;
  XLA_RETURN_IF_ERROR(CheckOutputName(output, to));
  return to;
}

// Several programs of one text are printed as such a text; the other formats hold one.
absl::Status PrintOne(const std::string& path, const std::string& output, const std::string& to,
                      const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  std::vector<std::string_view> programs = {bytes};
  if (IsStableHlo(bytes)) {
    const std::vector<std::string_view> parts = StableHloPrograms(bytes);
    if (parts.size() > 1) programs = parts;
  }
  if (programs.size() > 1 && to != "hlo" && to != "stablehlo") {
    return absl::InvalidArgumentError(
        absl::StrCat(DisplayName(path), ": ", to,
                     " holds one program, but lines \"// -----\" separate ", programs.size()));
  }
  std::string out;
  for (const std::string_view program : programs) {
    XLA_ASSIGN_OR_RETURN(const std::string text,
                         programs.size() == 1
                             ? Converted(path, program, to, arguments)
                             : Converted(path, AtItsLine(bytes, program), to, arguments));
    absl::StrAppend(&out, out.empty() ? "" : "// -----\n", text);
  }
  return WriteFile(output, out);
}

absl::StatusOr<int> Print(const Arguments& arguments) {
  const std::vector<std::string>& paths = arguments.operands();
  if (paths.size() > 1) {
    if (!arguments.Has("--output"))
      return absl::InvalidArgumentError("of several programs --output names a folder");
    XLA_ASSIGN_OR_RETURN(const std::string to, TargetFormat("", arguments));
    XLA_ASSIGN_OR_RETURN(const std::vector<std::string> outputs,
                         OutputsInFolder(arguments, EndingOf(to)));
    int code = kExitOk;
    for (size_t i = 0; i < paths.size(); ++i) {
      const absl::Status status = PrintOne(paths[i], outputs[i], to, arguments);
      if (absl::IsCancelled(status)) return status;
      if (status.ok()) continue;
      PrintDiagnosticAbout(arguments, paths[i], status);
      code = kExitFailed;
    }
    return code;
  }
  const std::string output = arguments.Get("--output", "-");
  XLA_ASSIGN_OR_RETURN(const std::string to, TargetFormat(output, arguments));
  if (to == "hlo-proto" || to == "mlirbc")
    XLA_RETURN_IF_ERROR(CheckBinaryTarget(output, to, arguments));
  XLA_RETURN_IF_ERROR(PrintOne(paths[0], output, to, arguments));
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

// What a valid file holds, in the order in which it is printed.
using Contents = std::vector<std::pair<std::string, int64_t>>;

absl::StatusOr<Contents> Describe(const std::string& path) {
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  if (!IsStableHlo(bytes)) {
    XLA_ASSIGN_OR_RETURN(const auto module, LoadModuleFrom(path, bytes));
    return Contents{{"computation", module->computation_count()},
                    {"instruction", module->instruction_count()}};
  }
  const std::vector<std::string_view> programs = StableHloPrograms(bytes);
  int64_t functions = 0, operations = 0;
  for (const std::string_view program : programs) {
    XLA_ASSIGN_OR_RETURN(
        const auto source,
        LoadSource(path, programs.size() == 1 ? std::string(program) : AtItsLine(bytes, program),
                   true));
    CountOperations(*source->module, &functions, &operations);
    --operations;  // the module
  }
  Contents contents;
  if (programs.size() > 1) contents.emplace_back("program", static_cast<int64_t>(programs.size()));
  contents.emplace_back("function", functions);
  contents.emplace_back("operation", operations - functions);
  return contents;
}

absl::StatusOr<int> Verify(const Arguments& arguments) {
  const bool json = arguments.Has("--json");
  int code = kExitOk;
  for (const std::string& path : arguments.operands()) {
    if (Interrupted()) return absl::CancelledError("interrupted");
    const absl::StatusOr<Contents> contents = Describe(path);
    if (absl::IsCancelled(contents.status())) return contents.status();
    if (!contents.ok()) code = kExitFailed;
    if (json) {
      JsonObject line;
      line.String("file", path).Bool("ok", contents.ok());
      if (!contents.ok()) line.String("error", std::string(contents.status().message()));
      for (const auto& [noun, count] : contents.ok() ? *contents : Contents())
        line.Integer(noun + "s", count);
      std::puts(line.ToString().c_str());
    } else if (!contents.ok()) {
      PrintDiagnostic(arguments, std::string(contents.status().message()));
    } else {
      const std::string list =
          absl::StrJoin(*contents, ", ", [](std::string* out, const auto& entry) {
            absl::StrAppend(out, Counted(entry.second, entry.first));
          });
      std::printf("%s: ok, %s\n", DisplayName(path).c_str(), list.c_str());
    }
  }
  return code;
}

}  // namespace

Command PrintCommand() {
  return {
      "print",
      "FILE...",
      "print a program as HLO text, or write it in another format",
      "Several programs are written to files in the folder that --output names.",
      {{"--to",
        "FORMAT",
        "hlo, hlo-proto, pbtxt or json (the proto as text), stablehlo (text), mlirbc (a portable\n"
        "artifact) or dot (a graph for Graphviz); the default is what the name of the output\n"
        "says (.hlo, .pb, .pbtxt, .json, .mlir, .mlirbc, .dot), else hlo",
        {"hlo", "hlo-proto", "pbtxt", "json", "stablehlo", "mlirbc", "dot"}},
       {"--stablehlo-version", "VERSION",
        "of a portable artifact: 1.0.0 and later, minimum or current (the default)"},
       {"--options",
        "SET",
        "long (the default), short, canonical or fingerprint",
        {"long", "short", "canonical", "fingerprint"}},
       {"--generic", "", "print StableHLO in the generic form of MLIR"},
       {"--operand-shapes", "", "print the shapes of operands"},
       {"--large-constants", "", "print constants of more than 10 elements in full"},
       {"--no-metadata", "", "leave out metadata (locations of StableHLO)"},
       FunctionOption(),
       {"--no-verify", "", "do not verify the program"},
       {"--proto", "", "the same as --to=hlo-proto"},
       {.name = "--output",
        .value = "FILE",
        .help = "where to write; the default is standard output",
        .short_name = "-o"},
       ForceOption()},
      1,
      INT64_MAX,
      Print};
}

Command VerifyCommand() {
  return {
      "verify",
      "FILE...",
      "parse and verify programs",
      "Reports for each file whether it is well formed. Errors name the position, the operation\n"
      "and the violated rule.",
      {{"--json", "", "print a line of JSON for each file"}},
      1,
      INT64_MAX,
      Verify};
}

}  // namespace xla
