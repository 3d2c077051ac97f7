// SPDX-License-Identifier: Apache-2.0
// xylem aot: a library of a program, to be called from C and C++.
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "tools/child.h"
#include "tools/command.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "xla/aot/compile.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/service/cpu_compile_options.h"

namespace xla {
namespace {

constexpr char kRuntime[] = "libxylem_runtime.a";

// The archive that is installed with this command, or built beside it.
absl::StatusOr<std::string> FindRuntime(const Arguments& arguments) {
  if (arguments.Has("--runtime")) return arguments.Get("--runtime");
  const std::filesystem::path folder = std::filesystem::path(OwnExecutable()).parent_path();
  for (const char* place :
       {".", "../lib", "../lib64", "../lib/x86_64-linux-gnu", "../lib/aarch64-linux-gnu"}) {
    const std::filesystem::path path = folder / place / kRuntime;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path.lexically_normal().string();
  }
  return absl::NotFoundError(absl::StrCat("there is no ", kRuntime, " near ", folder.string(),
                                          "; --runtime names the file"));
}

// Links the objects to a shared library, which exports the program's functions only.
absl::Status LinkShared(const Arguments& arguments, const aot::AotLibrary& library,
                        const std::string& path) {
  XLA_ASSIGN_OR_RETURN(const std::string runtime, FindRuntime(arguments));
  XLA_ASSIGN_OR_RETURN(const std::string folder, MakeTemporaryFolder("aot"));
  const absl::Cleanup remove = [&] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  };
  std::vector<std::string> words = {arguments.Get("--linker", "c++"), "-shared", "-o", path};
  for (const aot::ArchiveMember& member : library.members) {
    words.push_back(absl::StrCat(folder, "/", member.name));
    XLA_RETURN_IF_ERROR(WriteFile(words.back(), member.object));
  }
  for (const char* word : {"-Wl,--gc-sections", "-Wl,--exclude-libs,ALL", "-static-libgcc",
                           "-static-libstdc++", "-Wl,-z,defs", "-Wl,-z,relro,-z,now"})
    words.emplace_back(word);
  words.push_back(runtime);
  words.insert(words.end(), {"-lm", "-lpthread"});
  XLA_ASSIGN_OR_RETURN(const ChildResult linked,
                       RunChild(words, absl::Minutes(10), &Interrupted()));
  if (linked.exit_code == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(words[0], " cannot link ", path, ": ", linked.errors));
}

aot::AotOptions OptionsOf(const Arguments& arguments, const std::string& output) {
  aot::AotOptions options;
  options.name = arguments.Get("--name", std::filesystem::path(output).filename().string());
  if (arguments.Has("--target")) options.targets.clear();
  for (const std::string& list : arguments.All("--target")) {
    for (const absl::string_view target : absl::StrSplit(list, ','))
      options.targets.emplace_back(target);
  }
  options.weights_in_file = arguments.Has("--weights-file");
  return options;
}

absl::StatusOr<int> Aot(const Arguments& arguments) {
  const std::string output = arguments.Get("--output", "program");
  const aot::AotOptions aot_options = OptionsOf(arguments, output);
  XLA_ASSIGN_OR_RETURN(const auto module,
                       LoadModule(arguments.operands()[0], true, arguments.Get("--function")));
  XLA_RETURN_IF_ERROR(CheckSizesAreKnown(*module));
  XLA_RETURN_IF_ERROR(LoadCompiler());
  CpuCompileOptions options = DefaultCpuCompileOptions();
  XLA_ASSIGN_OR_RETURN(options.cache_directory, CacheOf(arguments));
  options.cancel = &Interrupted();
  options.flush_subnormals |= arguments.Has("--flush-subnormals");
  XLA_ASSIGN_OR_RETURN(const aot::AotLibrary library,
                       aot::CompileAheadOfTime(*module, options, aot_options));
  XLA_RETURN_IF_ERROR(WriteFile(output + ".h", library.header));
  if (arguments.Has("--shared")) {
    XLA_RETURN_IF_ERROR(LinkShared(arguments, library, output + ".so"));
  }
  if (arguments.Has("--static") || !arguments.Has("--shared"))
    XLA_RETURN_IF_ERROR(WriteFile(output + ".a", aot::WriteArchive(library.members)));
  if (!library.weights.empty())
    XLA_RETURN_IF_ERROR(WriteFile(output + ".weights", library.weights));
  return kExitOk;
}

}  // namespace

Command AotCommand() {
  return {
      "aot",
      "FILE",
      "compile a program to a library for C and C++",
      "Writes NAME.h, which declares the functions NAME_create, NAME_run and NAME_destroy, and\n"
      "NAME.a, to be linked with libxylem_runtime.a.",
      {{"--output", "NAME", "where to write; the default is program", {}, std::nullopt, "-o"},
       {"--name", "IDENTIFIER",
        "what the names of the functions start with; the default is the last part of NAME"},
       {"--target", "MACHINES",
        "machines, separated by commas: x86-64-v2, x86-64-v3, x86-64-v4, aarch64, or native,\n"
        "this one (the default). A library of several uses the best one of them"},
       {"--static", "", "write NAME.a, the default"},
       {"--shared", "", "write NAME.so, which needs nothing but the C library"},
       {"--linker", "COMMAND", "what links NAME.so; the default is c++"},
       {"--runtime", "FILE", "the libxylem_runtime.a that NAME.so is linked with"},
       {"--weights-file", "",
        "write large constants to NAME.weights, which programs map into memory"},
       {"--flush-subnormals", "", "take subnormal numbers as zeros"},
       FunctionOption(),
       CacheOption()},
      1,
      1,
      Aot};
}

}  // namespace xla
