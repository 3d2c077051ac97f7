// SPDX-License-Identifier: Apache-2.0
#include "tools/program_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/encoded_files.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/given_arrays.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/mlir/bytecode_reader.h"
#include "xla/mlir/types.h"
#include "xla/stablehlo/translate.h"

namespace xla {
namespace {

bool IsControl(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u < 0x20 && u != '\n' && u != '\t' && u != '\r' && u != '\f' && u != '\v';
}

// HLO text has no control characters; in serialized modules field tags and lengths are some.
bool LooksLikeProto(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 512);
  return !head.empty() && (static_cast<unsigned char>(head[0]) >= 0x80 ||
                           std::any_of(head.begin(), head.end(), IsControl));
}

constexpr absl::string_view kSyntaxError = "Syntax error when trying to parse the text as a ";

// What makes a text unreadable that a user takes for HLO text, in the form of its parser; empty if
// nothing does.
std::string EncodingProblem(std::string_view bytes) {
  const size_t name = bytes.substr(0, 512).find("HloModule ");
  const auto control = std::find_if(bytes.begin(), bytes.end(), IsControl);
  if (name == std::string_view::npos || control == bytes.end()) return "";
  const std::string_view before(bytes.data(), static_cast<size_t>(control - bytes.begin()));
  const size_t line_end = before.rfind('\n');
  return absl::StrCat(
      kSyntaxError, "HloModule:\nwas parsing ", 1 + std::count(before.begin(), before.end(), '\n'),
      ":", line_end == std::string_view::npos ? before.size() : before.size() - line_end,
      ": error: the text holds the control character 0x", absl::Hex(*control, absl::kZeroPad2));
}

absl::Status ExpectOneProgram(std::string_view bytes) {
  const size_t count = StableHloPrograms(bytes).size();
  if (count <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected one program, but lines \"// -----\" separate ", count));
}

// "was parsing LINE:COLUMN: error: MESSAGE", as the parser of HLO text says it for XLA's sake.
struct Place {
  int64_t line = 0, column = 0;
  absl::string_view message;
};

std::optional<Place> ParsePlace(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "was parsing ")) return std::nullopt;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(": error: ", 1));
  const std::pair<absl::string_view, absl::string_view> numbers =
      absl::StrSplit(parts.first, absl::MaxSplits(':', 1));
  Place place;
  if (!absl::SimpleAtoi(numbers.first, &place.line) ||
      !absl::SimpleAtoi(numbers.second, &place.column)) {
    return std::nullopt;
  }
  place.message = parts.second;
  return place;
}

// The parser's errors as "file:LINE:COLUMN: MESSAGE", the line and a mark under the column.
std::string WithPlaces(const std::string& name, absl::string_view message) {
  if (!absl::StartsWith(message, kSyntaxError)) return std::string(message);
  const std::vector<absl::string_view> lines = absl::StrSplit(message, '\n');
  std::vector<std::string> shown;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (absl::StartsWith(lines[i], kSyntaxError)) continue;
    const std::optional<Place> place = ParsePlace(lines[i]);
    if (!place.has_value()) {
      shown.emplace_back(lines[i]);
      continue;
    }
    // XLA counts columns of the first line from 0, and marks the one before.
    const bool is_first = place->line == 1;
    shown.push_back(absl::StrCat(name, ":", place->line, ":", place->column + (is_first ? 1 : 0),
                                 ": ", place->message));
    if (i + 2 >= lines.size()) continue;
    const absl::string_view source = lines[i + 1], mark = lines[i + 2];
    i += 2;
    if (source.empty()) continue;  // at the end of a text there is nothing to show
    shown.emplace_back(source);
    shown.push_back(!is_first ? std::string(mark) : mark.empty() ? "^" : absl::StrCat(" ", mark));
  }
  while (shown.size() > 1 && shown.back().empty()) shown.pop_back();
  return absl::StrJoin(shown, "\n");
}

// What of the sizes that StableHLO leaves open the arrays of --input say.
absl::StatusOr<stablehlo::EntryArguments> SizesOf(const Arguments& arguments) {
  stablehlo::EntryArguments result;
  XLA_ASSIGN_OR_RETURN(const std::vector<InputArray> arrays, ReadInputArrays(arguments));
  for (const InputArray& array : arrays) {
    const absl::Span<const int64_t> sizes = array.shape.dimensions();
    result.sizes[array.position].assign(sizes.begin(), sizes.end());
    // Numbers that sizes may depend on.
    if (array.integer.has_value()) result.constants[array.position] = *array.integer;
  }
  return result;
}

// StableHLO as HLO, of the function that the options choose.
absl::StatusOr<std::unique_ptr<HloModule>> Translate(const std::string& name,
                                                     std::string_view bytes,
                                                     const std::string& function,
                                                     stablehlo::ShardyForm shardy,
                                                     const Arguments* arguments) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<mlir::Source> source,
                       stablehlo::LoadStableHlo(std::string(bytes), name));
  stablehlo::EntryArguments entry;
  const int64_t open = stablehlo::CountOpenArguments(*source, function);
  if (open > 0 && arguments != nullptr && GivesArguments(*arguments)) {
    XLA_ASSIGN_OR_RETURN(entry, SizesOf(*arguments));
    // Too many arrays are an error later, which lists what the program takes.
    std::erase_if(entry.sizes, [&](const auto& size) { return size.first >= open; });
    std::erase_if(entry.constants, [&](const auto& constant) { return constant.first >= open; });
  }
  entry.function = function;
  entry.shardy = shardy;
  if (arguments != nullptr) {
    XLA_ASSIGN_OR_RETURN(entry.mesh_axes, MeshAxesOf(*arguments));
  }
  auto module = stablehlo::TranslateToHlo(source.get(), entry, /*releases=*/true);
  if (module.ok() || open == 0 || !entry.sizes.empty()) return module;
  return absl::Status(
      module.status().code(),
      absl::StrCat(module.status().message(), "\nThe sizes of the arguments are open: ",
                   arguments != nullptr ? "arrays given with --input say them, or" : "",
                   arguments != nullptr ? " " : "", "`xylem refine --sizes` sets them"));
}

absl::StatusOr<ProgramFile> Read(const std::string& name, std::string_view bytes, bool verify,
                                 const std::string& function, stablehlo::ShardyForm shardy,
                                 const Arguments* arguments) {
  const bool with_values = arguments != nullptr;
  ProgramFile file;
  if (IsStableHlo(bytes)) {
    XLA_RETURN_IF_ERROR(ExpectOneProgram(bytes));
    auto read = Translate(name, bytes, function, shardy, arguments);
    if (!read.ok()) return Explained(bytes, read.status());
    file.module = *std::move(read);
  } else if (LooksLikeProto(bytes)) {
    if (with_values) {
      auto read = ParseSnapshotFromProtoBytes(bytes);
      if (!read.ok()) return Explained(bytes, read.status());
      file = {std::move(read->module), std::move(read->arguments), std::move(read->result)};
    } else {
      auto read = ParseModuleFromProtoBytes(bytes);
      if (!read.ok()) return Explained(bytes, read.status());
      file.module = *std::move(read);
    }
  } else {
    auto read = ParseAndReturnUnverifiedModule(bytes);
    if (!read.ok()) return Explained(bytes, read.status());
    file.module = *std::move(read);
  }
  if (verify) XLA_RETURN_IF_ERROR(VerifyModule(*file.module));
  return file;
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadFrom(const std::string& path, std::string_view bytes,
                                                    bool verify, const std::string& function,
                                                    stablehlo::ShardyForm shardy) {
  ProgressLine line;
  line.Show(absl::StrCat("reading ", DisplayName(path)));
  absl::StatusOr<ProgramFile> file =
      Read(DisplayName(path), bytes, verify, function, shardy, nullptr);
  if (!file.ok()) return AboutFile(path, file.status());
  return std::move(file->module);
}

}  // namespace

absl::Status Explained(std::string_view bytes, const absl::Status& status) {
  for (const std::string& why :
       {DescribeForeignFile(bytes), DescribeArrayFile(bytes), EncodingProblem(bytes)}) {
    if (!why.empty()) return absl::InvalidArgumentError(why);
  }
  return status;
}

std::string AboutFile(const std::string& path, const std::string& message) {
  const std::string name = DisplayName(path);
  std::string placed = WithPlaces(name, message);
  return absl::StartsWith(placed, absl::StrCat(name, ":")) ? placed
                                                           : absl::StrCat(name, ": ", placed);
}

absl::Status AboutFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), AboutFile(path, std::string(status.message())));
}

absl::StatusOr<std::map<std::string, int64_t>> MeshAxesOf(const Arguments& arguments) {
  std::map<std::string, int64_t> axes;
  for (const std::string& list : arguments.All("--mesh")) {
    for (const absl::string_view item : absl::StrSplit(list, ',')) {
      const std::pair<absl::string_view, absl::string_view> axis =
          absl::StrSplit(item, absl::MaxSplits('=', 1));
      int64_t size;
      if (axis.first.empty() || !absl::SimpleAtoi(axis.second, &size) || size < 1 ||
          !axes.emplace(std::string(axis.first), size).second) {
        return absl::InvalidArgumentError(absl::StrCat(
            "--mesh ", list, ": it lists each axis once, with a size: data=4,model=2"));
      }
    }
  }
  return axes;
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFromBytes(std::string_view bytes,
                                                               bool verify) {
  XLA_ASSIGN_OR_RETURN(ProgramFile file, Read(mlir::IsBytecode(bytes) ? "bytecode" : "", bytes,
                                              verify, "", stablehlo::ShardyForm::kTiles, nullptr));
  return std::move(file.module);
}

absl::StatusOr<std::string> ReadProgram(const std::string& path) {
  const int64_t most = std::min(kMaxProgramBytes, UsableMemoryBytes() / 4);
  XLA_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, most));
  auto decoded = DecodeProgram(std::move(bytes), most);
  if (decoded.ok()) return decoded;
  // Errors in text protos begin with their place.
  const absl::string_view message = decoded.status().message();
  const bool is_placed = !message.empty() && message[0] >= '0' && message[0] <= '9';
  return absl::Status(decoded.status().code(),
                      absl::StrCat(DisplayName(path), is_placed ? ":" : ": ", message));
}

OptionSpec MeshOption() {
  return {"--mesh", "AXIS=N,...", "sizes of axes of StableHLO's meshes: data=4,model=2"};
}

OptionSpec FunctionOption() {
  return {"--function", "NAME",
          "the function of StableHLO that is the program; the default is main, else the only one"};
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, bool verify,
                                                      const std::string& function) {
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  return LoadFrom(path, bytes, verify, function, stablehlo::ShardyForm::kAxes);
}

absl::StatusOr<ProgramFile> LoadProgram(const std::string& path, const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  ProgressLine line;
  line.Show(absl::StrCat("reading ", DisplayName(path)));
  absl::StatusOr<ProgramFile> file =
      Read(DisplayName(path), bytes, true, arguments.Get("--function"),
           stablehlo::ShardyForm::kAxes, &arguments);
  if (!file.ok()) return AboutFile(path, file.status());
  return file;
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFrom(const std::string& path,
                                                          std::string_view bytes, bool verify,
                                                          const std::string& function) {
  return LoadFrom(path, bytes, verify, function, stablehlo::ShardyForm::kTiles);
}

bool IsStableHlo(std::string_view bytes) {
  if (mlir::IsBytecode(bytes)) return true;
  // A proto starts with a line feed and may go on as MLIR text does.
  if (LooksLikeProto(bytes) || bytes.substr(0, 9) == "HloModule") return false;
  if (stablehlo::LooksLikeMlir(bytes)) return true;
  for (const std::string_view part : mlir::SplitInput(bytes)) {
    if (stablehlo::LooksLikeMlir(part)) return true;
  }
  return false;
}

std::vector<std::string_view> StableHloPrograms(std::string_view bytes) {
  if (mlir::IsBytecode(bytes)) return {bytes};
  std::vector<std::string_view> parts = mlir::SplitInput(bytes);
  std::erase_if(parts, [](std::string_view part) { return stablehlo::IsComment(part); });
  return parts;
}

std::string AtItsLine(std::string_view text, std::string_view part) {
  const std::string_view before = text.substr(0, static_cast<size_t>(part.data() - text.data()));
  const auto lines = static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  return absl::StrCat(std::string(lines, '\n'), View(part));
}

absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> LoadModules(const std::string& path,
                                                                    bool verify) {
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  std::vector<std::string_view> parts = {bytes};
  if (IsStableHlo(bytes) || stablehlo::IsComment(bytes)) parts = StableHloPrograms(bytes);
  // Comments alone are no program, a file without anything is a mistake.
  if (parts.empty() && bytes.find_first_not_of(" \t\r\n") == std::string::npos) parts = {bytes};
  std::vector<std::unique_ptr<HloModule>> modules;
  for (const std::string_view part : parts) {
    const std::string text = parts.size() == 1 ? std::string(part) : AtItsLine(bytes, part);
    XLA_ASSIGN_OR_RETURN(auto module,
                         LoadFrom(path, text, verify, "", stablehlo::ShardyForm::kAxes));
    modules.push_back(std::move(module));
  }
  return modules;
}

absl::Status CheckSizesAreKnown(const HloModule& module) {
  const ProgramShape& shape = module.entry_computation_layout();
  for (int i = 0; i < shape.parameters_size(); ++i) {
    if (shape.parameters(i).is_unbounded_dynamic()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " is ", shape.parameters(i).ToString(),
          ": its sizes are open; `xylem refine --sizes` sets them, and where a program is run, an "
          "array given with --input"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> CompleteText(std::string text) {
  if (text.size() <= mlir::kMaxTextBytes) return text;
  return absl::ResourceExhaustedError(
      absl::StrCat("the text of the program has more than ", mlir::kMaxTextBytes, " bytes"));
}

}  // namespace xla
