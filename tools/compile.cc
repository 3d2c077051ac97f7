// SPDX-License-Identifier: Apache-2.0
// xylem compile: what the CPU compiler makes of a program.
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/interpreter/constant_folding.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

// The compiler does without a cache that it cannot use; the user would not know.
absl::Status MakeCache(const std::string& folder) {
  const int error = ::mkdir(folder.c_str(), 0700) == 0 ? 0 : errno;
  std::error_code ignored;
  if (error == 0 || (error == EEXIST && std::filesystem::is_directory(folder, ignored))) {
    return absl::OkStatus();
  }
  const int reason = error == EEXIST ? ENOTDIR : error;
  return absl::UnavailableError(
      absl::StrCat("cannot create the cache '", folder, "': ", std::strerror(reason)));
}

absl::StatusOr<int> Compile(const Arguments& arguments) {
  const std::string emit = arguments.Get("--emit", arguments.Has("--report") ? "none" : "hlo");
  XLA_ASSIGN_OR_RETURN(const auto module, LoadModule(arguments.operands()[0]));
  XLA_RETURN_IF_ERROR(LoadCompiler());
  if (arguments.Has("--cache")) XLA_RETURN_IF_ERROR(MakeCache(arguments.Get("--cache")));
  // One object: of one thread.
  const bool emits_object = emit == "object";
  runtime::ThreadPool pool;
  CpuCompileOptions options;
  options.pool = emits_object ? nullptr : &pool;
  options.constant_folding = &kConstantFolding;
  options.cancel = &Interrupted();
  options.cache_directory = arguments.Get("--cache");
  options.keep_llvm = emit == "llvm";
  options.keep_assembly = emit == "asm";
  options.keep_objects = emits_object;
  options.check_work = arguments.Has("--check-work");
  const double start = Seconds();
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module, options));
  const double seconds = Seconds() - start;
  std::string output;
  if (emit == "hlo") output = program->optimized_module().ToString();
  if (emit == "llvm") output = program->llvm_text();
  if (emit == "asm") output = program->assembly_text();
  if (emits_object && !program->objects().empty()) {
    const std::vector<char>& object = program->objects()[0];
    output.assign(object.begin(), object.end());
  }
  if (emit != "none") XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--output", "-"), output));
  if (arguments.Has("--report")) {
    std::printf("%-32s %6s %6s %14s %14s %12s\n", "kernel", "uses", "lanes", "bytes", "operations",
                "compiled ms");
    for (const CpuProgram::KernelReport& kernel : program->kernels()) {
      std::printf("%-32s %6lld %6lld %14.0f %14.0f %12.2f%s\n", kernel.name.c_str(),
                  static_cast<long long>(kernel.uses), static_cast<long long>(kernel.lanes),
                  kernel.bytes, kernel.operations, kernel.compile_seconds * 1e3,
                  kernel.is_cached ? " (cached)" : "");
    }
    const std::vector<CpuProgram::LibraryReport> calls = program->library_calls();
    if (!calls.empty()) std::printf("\n%-32s %s\n", "library call", "forms and estimated cycles");
    for (const CpuProgram::LibraryReport& call : calls)
      std::printf("%-32s %s\n", call.instruction.c_str(), call.forms.c_str());
    if (!calls.empty()) std::printf("\n");
    std::printf("compiled in %.1f ms, scratch memory %.1f KB\n", seconds * 1e3,
                static_cast<double>(program->ScratchBytes(pool.num_threads())) / 1024);
  }
  return kExitOk;
}

}  // namespace

Command CompileCommand() {
  return {"compile",
          "FILE",
          "compile a program and print what it became",
          "",
          {{"--emit",
            "FORM",
            "what to print: the HLO after all passes (hlo, the default), the code that is\n"
            "generated (llvm), assembly (asm), or an ELF object with all kernels (object)",
            {"hlo", "llvm", "asm", "object"}},
           {"--output", "FILE", "where to write; the default is standard output"},
           {"--cache", "DIR", "keep machine code in this folder, and take it from there"},
           {"--report", "",
            "print bytes, operations, vector lanes and compile time of each kernel, and what\n"
            "library calls were chosen from"},
           {"--check-work", "", "fail if fusions compute much more than the program asks for"}},
          1,
          1,
          Compile};
}

}  // namespace xla
