// SPDX-License-Identifier: Apache-2.0
// What runs programs: machine code that the CPU compiler makes (the default), or the interpreter.
#ifndef XYLEM_TOOLS_EXECUTE_H_
#define XYLEM_TOOLS_EXECUTE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/command.h"
#include "xla/cpu/program.h"
#include "xla/distributed/job.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"

namespace xla {

// --backend cpu|interpreter.
OptionSpec BackendOption();
// LoadCpuCompiler, for commands: lack of memory meanwhile ends the process with a message.
absl::Status LoadCompiler();
// Whether the option asks for compiled code. Without the option: if LLVM can be loaded; a note on
// stderr says so if it cannot.
absl::StatusOr<bool> UsesCompiler(const Arguments& arguments);

// --cache DIR: where compiled code is kept. The folder, made if need be; empty without the option.
OptionSpec CacheOption();
absl::StatusOr<std::string> CacheOf(const Arguments& arguments);

// --flush-subnormals: CpuCompileOptions::flush_subnormals.
OptionSpec FlushSubnormalsOption();
// What the commands compile with: the defaults of clients, and what that option says.
CpuCompileOptions CompileOptionsOf(const Arguments& arguments);

// How ExecuteReplicated compiles, besides the defaults of clients.
struct CompileChoices {
  std::string cache_directory;               // of CacheOf
  std::vector<std::string> disabled_passes;  // see PipelineOptions
  bool flush_subnormals = false;             // as well as where the defaults say so
  distributed::Job* job = nullptr;           // divides the devices among its processes
};

// InterpretReplicated, or the same on compiled code; `options.progress` and
// `options.outputs_are_kept` are for the interpreter alone. A program with shardings is partitioned
// first (ExecuteSharded): arguments are full, and there is one full result for each replica.
absl::StatusOr<std::vector<Literal>> ExecuteReplicated(
    bool compiled, const HloModule& module, int64_t replicas, int64_t partitions,
    absl::Span<const std::vector<const Literal*>> arguments, const InterpreterOptions& options,
    RunStatistics* statistics = nullptr, const CompileChoices& choices = {});

// NOT_FOUND if an instruction calls a target that neither the registry nor check.expect_* and
// their like (CheckCustomCalls) answer.
absl::Status CheckCustomCallTargets(const HloModule& module, const CustomCallRegistry& registry);

}  // namespace xla

#endif  // XYLEM_TOOLS_EXECUTE_H_
