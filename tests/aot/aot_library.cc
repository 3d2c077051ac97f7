// SPDX-License-Identifier: Apache-2.0
#include "tests/aot/aot_library.h"

#include <sys/wait.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/constant_folding.h"
#include "xla/shape_util.h"
#include "xla/tests/test_utils.h"

namespace xla::testing {
namespace {

CpuCompileOptions CompileOptions() {
  CpuCompileOptions options;
  options.constant_folding = &kConstantFolding;
  return options;
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The bytes of each array of a literal, depth first.
void AppendLeaves(const Literal& literal, std::vector<std::string>& leaves) {
  ShapeUtil::ForEachLeafShape(literal.shape(), [&](const Shape& shape, const ShapeIndex& index) {
    if (!shape.IsArray()) return;
    leaves.emplace_back(static_cast<const char*>(literal.untyped_data(index)),
                        static_cast<size_t>(literal.size_bytes(index)));
  });
}

}  // namespace

CommandOutput RunShell(const std::string& command) {
  CommandOutput result;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  while (const size_t size = std::fread(buffer, 1, sizeof(buffer), pipe))
    result.output.append(buffer, size);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

absl::StatusOr<BuiltLibrary> BuiltLibrary::Build(std::string_view hlo, aot::AotOptions options) {
  static int count = 0;
  BuiltLibrary built;
  if (options.name.empty()) options.name = "program";
  built.hlo_ = std::string(hlo);
  built.options_ = options;
  built.folder_ = absl::StrCat(ProcessTempDir(), "/aot", count++);
  std::filesystem::create_directories(built.folder_);
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(hlo));
  XLA_ASSIGN_OR_RETURN(built.library_, aot::CompileAheadOfTime(*module, CompileOptions(), options));
  const std::string stem = absl::StrCat(built.folder_, "/", options.name);
  WriteBytes(stem + ".h", built.library_.header);
  WriteBytes(stem + ".a", aot::WriteArchive(built.library_.members));
  if (!built.library_.weights.empty()) WriteBytes(stem + ".weights", built.library_.weights);
  return built;
}

absl::Status BuiltLibrary::Link(const std::string& sources, const std::string& flags) const {
  const std::string command =
      absl::StrCat(XYLEM_TEST_CC, " -Wall -Wextra -Werror -I", folder_, " -o ", folder_, "/main ",
                   sources, " ", flags, " ", folder_, "/", options_.name, ".a ",
                   XYLEM_RUNTIME_LIBRARY, " -Wl,--gc-sections -lstdc++ -lm -lpthread");
  const CommandOutput result = RunShell(command);
  if (result.exit_code == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(command, ":\n", result.output));
}

absl::StatusOr<std::string> BuiltLibrary::RunList(absl::Span<const Literal> arguments) const {
  std::vector<std::string> leaves;
  for (const Literal& argument : arguments) AppendLeaves(argument, leaves);
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(hlo_));
  std::vector<int64_t> numbers(1);
  for (const std::string& leaf : leaves) {
    numbers.push_back(static_cast<int64_t>(leaf.size()));
    numbers.push_back(0);
  }
  ShapeUtil::ForEachLeafShape(module->entry_computation()->root_instruction()->shape(),
                              [&](const Shape& shape, const ShapeIndex&) {
                                if (!shape.IsArray()) return;
                                numbers.push_back(ShapeUtil::ByteSizeOf(shape));
                                numbers.push_back(1);
                              });
  numbers[0] = static_cast<int64_t>(numbers.size() / 2);
  std::string call(reinterpret_cast<const char*>(numbers.data()), 8 * numbers.size());
  for (const std::string& leaf : leaves) call += leaf;
  WriteBytes(folder_ + "/call", call);
  std::string command = absl::StrCat(folder_, "/main ", folder_, "/call ", folder_, "/output");
  if (!library_.weights.empty()) absl::StrAppend(&command, " ", folder_, "/program.weights");
  const CommandOutput result = RunShell(command);
  if (result.exit_code != 0) {
    return absl::InternalError(
        absl::StrCat(command, " exits with ", result.exit_code, ": ", result.output));
  }
  return ReadWholeFile(folder_ + "/output");
}

absl::StatusOr<std::string> BuiltLibrary::RunHere(absl::Span<const Literal> arguments) const {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(hlo_));
  InstructionSet set;
  XLA_RETURN_IF_ERROR(cpu::TargetNamed(options_.targets[0], &set).status());
  const ScopedMaxInstructionSet bound(set);
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module, CompileOptions()));
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  XLA_ASSIGN_OR_RETURN(const Literal result, program->Run(pointers));
  std::vector<std::string> leaves;
  AppendLeaves(result, leaves);
  std::string joined;
  for (const std::string& leaf : leaves) joined += leaf;
  return joined;
}

absl::Status CheckSameBits(std::string_view hlo, const aot::AotOptions& options) {
  XLA_ASSIGN_OR_RETURN(const BuiltLibrary built, BuiltLibrary::Build(hlo, options));
  XLA_RETURN_IF_ERROR(built.Link(XYLEM_SOURCE_DIR "/tests/aot/run_list.c"));
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(hlo));
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, MakeFakeArguments(module.get()));
  XLA_ASSIGN_OR_RETURN(const std::string expected, built.RunHere(arguments));
  XLA_ASSIGN_OR_RETURN(const std::string actual, built.RunList(arguments));
  if (actual == expected) return absl::OkStatus();
  size_t at = 0;
  while (at < std::min(actual.size(), expected.size()) && actual[at] == expected[at]) ++at;
  return absl::InternalError(absl::StrCat("results of ", actual.size(), " and ", expected.size(),
                                          " bytes differ from byte ", at, " on"));
}

}  // namespace xla::testing
