// SPDX-License-Identifier: Apache-2.0
// xylem compile: what the CPU compiler makes of a program.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/execute.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/json.h"
#include "tools/pass_options.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/program_report_text.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/program_cache.h"

namespace xla {
namespace {

// Those that changed the program, then what the others took.
void PrintPasses(const PipelineStatistics& statistics) {
  std::printf("%-32s %6s %7s %14s %12s\n", "pass", "runs", "changed", "instructions", "ms");
  int64_t runs = 0;
  double seconds = 0;
  for (const PassStatistics& pass : statistics.passes) {
    if (pass.changes == 0) {
      runs += pass.runs;
      seconds += pass.seconds;
      continue;
    }
    std::printf("%-32s %6lld %7lld %+14lld %12.2f\n", pass.name.c_str(),
                static_cast<long long>(pass.runs), static_cast<long long>(pass.changes),
                static_cast<long long>(-pass.instructions_removed), pass.seconds * 1e3);
  }
  std::printf("%-32s %6lld %7d %+14d %12.2f\n\n", "(others)", static_cast<long long>(runs), 0, 0,
              seconds * 1e3);
}

void PrintReport(const CpuProgram& program, double seconds, int64_t scratch_bytes) {
  std::printf("%-32s %6s %6s %14s %14s %12s\n", "kernel", "uses", "lanes", "bytes", "operations",
              "compiled ms");
  for (const CpuProgram::KernelReport& kernel : program.kernels()) {
    std::printf("%-32s %6lld %6lld %14.0f %14.0f %12.2f%s\n", kernel.name.c_str(),
                static_cast<long long>(kernel.uses), static_cast<long long>(kernel.lanes),
                kernel.bytes, kernel.operations, kernel.compile_seconds * 1e3,
                kernel.is_cached ? " (cached)" : "");
  }
  const std::vector<CpuProgram::LibraryReport> calls = program.library_calls();
  if (!calls.empty()) std::printf("\n%-32s %s\n", "library call", "forms and estimated cycles");
  for (const CpuProgram::LibraryReport& call : calls)
    std::printf("%-32s %s\n", call.instruction.c_str(), call.forms.c_str());
  std::printf("\n");
  PrintPasses(program.pass_statistics());
  std::printf("compiled in %.1f ms, scratch memory %s\n", seconds * 1e3,
              ReadableBytes(scratch_bytes).c_str());
}

void PrintReportAsJson(const CpuProgram& program, double seconds, int64_t scratch_bytes) {
  std::vector<JsonObject> kernels;
  for (const CpuProgram::KernelReport& kernel : program.kernels()) {
    kernels.emplace_back()
        .String("name", kernel.name)
        .Integer("uses", kernel.uses)
        .Integer("lanes", kernel.lanes)
        .Number("bytes", kernel.bytes)
        .Number("operations", kernel.operations)
        .Number("compile_ms", kernel.compile_seconds * 1e3)
        .Bool("cached", kernel.is_cached);
  }
  std::vector<JsonObject> calls;
  for (const CpuProgram::LibraryReport& call : program.library_calls())
    calls.emplace_back().String("instruction", call.instruction).String("forms", call.forms);
  JsonObject json;
  json.Number("compile_ms", seconds * 1e3)
      .Integer("scratch_bytes", scratch_bytes)
      .Objects("kernels", kernels)
      .Objects("library_calls", calls)
      .Objects("passes", PassesAsJson(program.pass_statistics()));
  std::puts(json.ToString().c_str());
}

absl::StatusOr<int> Compile(const Arguments& arguments) {
  const std::string emit = arguments.Get("--emit", arguments.Has("--report") ? "none" : "hlo");
  const std::string output_path = arguments.Get("--output", "-");
  if (emit != "none") XLA_RETURN_IF_ERROR(CheckOutputName(output_path, emit));
  XLA_ASSIGN_OR_RETURN(const auto module,
                       LoadModule(arguments.operands()[0], true, arguments.Get("--function")));
  XLA_RETURN_IF_ERROR(CheckSizesAreKnown(*module));
  XLA_RETURN_IF_ERROR(LoadCompiler());
  XLA_ASSIGN_OR_RETURN(const std::string cache, CacheOf(arguments));
  XLA_ASSIGN_OR_RETURN(const CustomCallRegistry custom_calls, LoadCustomCalls(arguments));
  // One object: of one thread.
  const bool emits_object = emit == "object";
  if (emits_object)
    XLA_RETURN_IF_ERROR(CheckBinaryTarget(output_path, "an object file", arguments));
  runtime::ThreadPool pool;
  CpuCompileOptions options = DefaultCpuCompileOptions();
  options.pool = emits_object ? nullptr : &pool;
  ChangePrinter printer;
  XLA_ASSIGN_OR_RETURN(options.pipeline, PassOptionsOf(arguments, &printer));
  options.pipeline.verify = arguments.Has("--verify-passes");
  options.cancel = &Interrupted();
  options.custom_calls = &custom_calls;
  options.keep_llvm = emit == "llvm";
  options.keep_assembly = emit == "asm";
  options.keep_objects = emits_object;
  options.check_work = arguments.Has("--check-work");
  ProgressLine line;
  line.Show(absl::StrCat("compiling ", module->name()));
  const double start = Seconds();
  XLA_ASSIGN_OR_RETURN(const auto program,
                       CompileWithCache(*module, options, options.pipeline.verify ? "" : cache));
  const double seconds = Seconds() - start;
  line.Clear();
  XLA_RETURN_IF_ERROR(CheckCustomCallTargets(program->optimized_module(), custom_calls));
  std::string output;
  if (emit == "hlo") output = program->optimized_module().ToString();
  if (emit == "llvm") output = program->llvm_text();
  if (emit == "asm") output = program->assembly_text();
  const bool json = arguments.Has("--json");
  if (emit == "plan" || emit == "schedule" || emit == "buffers") {
    XLA_ASSIGN_OR_RETURN(const ProgramReport report, program->Report());
    if (emit == "plan") output = PlanReportText(report, json);
    if (emit == "schedule") output = ScheduleReportText(report, json);
    if (emit == "buffers") output = BuffersReportText(report, json);
  }
  if (emits_object && !program->objects().empty()) {
    const std::vector<char>& object = program->objects()[0];
    output.assign(object.begin(), object.end());
  }
  if (emit != "none") XLA_RETURN_IF_ERROR(WriteFile(output_path, output));
  if (arguments.Has("--report")) {
    const int64_t scratch = program->ScratchBytes(pool.num_threads());
    if (arguments.Has("--json")) {
      PrintReportAsJson(*program, seconds, scratch);
    } else {
      PrintReport(*program, seconds, scratch);
    }
  }
  return kExitOk;
}

}  // namespace

Command CompileCommand() {
  std::vector<OptionSpec> options = {
      {"--emit",
       "FORM",
       "what to print: the HLO after all passes (hlo, the default), the code that is\n"
       "generated (llvm), assembly (asm), an ELF object with all kernels (object); how each\n"
       "instruction is computed (plan), what runs when (schedule), or where arrays are and\n"
       "when they are needed (buffers)",
       {"hlo", "llvm", "asm", "object", "plan", "schedule", "buffers"}},
      {"--output", "FILE", "where to write; the default is standard output"},
      ForceOption(),
      FunctionOption(),
      CacheOption(),
      CustomCallsOption(),
      {"--report", "",
       "print bytes, operations, vector lanes and compile time of each kernel, what library\n"
       "calls were chosen from, and what passes did"},
      {"--json", "", "print the report, the plan, the schedule or the buffers as JSON"},
      {"--check-work", "", "fail if fusions compute much more than the program asks for"},
      {"--verify-passes", "", "verify the program after each pass"}};
  for (const OptionSpec& option : PassOptions()) options.push_back(option);
  return {
      "compile", "FILE", "compile a program and print what it became", "", std::move(options), 1,
      1,         Compile};
}

}  // namespace xla
