// SPDX-License-Identifier: Apache-2.0
// xylem compile: what the CPU compiler makes of a program.
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

absl::StatusOr<int> Compile(const Arguments& arguments) {
  const std::string emit = arguments.Get("--emit", arguments.Has("--report") ? "none" : "hlo");
  XLA_ASSIGN_OR_RETURN(const auto module, LoadModule(arguments.operands()[0]));
  XLA_RETURN_IF_ERROR(LoadCpuCompiler());
  runtime::ThreadPool pool;
  CpuCompileOptions options;
  options.pool = &pool;
  options.keep_llvm = emit == "llvm";
  options.keep_assembly = emit == "asm";
  const double start = Seconds();
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module, options));
  const double seconds = Seconds() - start;
  if (emit == "hlo") std::fputs(program->optimized_module().ToString().c_str(), stdout);
  if (emit == "llvm") std::fputs(program->llvm_text().c_str(), stdout);
  if (emit == "asm") std::fputs(program->assembly_text().c_str(), stdout);
  if (arguments.Has("--report")) {
    std::printf("%-32s %6s %6s %14s %14s\n", "kernel", "uses", "lanes", "bytes", "operations");
    for (const CpuProgram::KernelReport& kernel : program->kernels()) {
      std::printf("%-32s %6lld %6lld %14.0f %14.0f\n", kernel.name.c_str(),
                  static_cast<long long>(kernel.uses), static_cast<long long>(kernel.lanes),
                  kernel.bytes, kernel.operations);
    }
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
            "generated (llvm), or assembly (asm)",
            {"hlo", "llvm", "asm"}},
           {"--report", "", "print bytes, operations and vector lanes of each kernel"}},
          1,
          1,
          Compile};
}

}  // namespace xla
