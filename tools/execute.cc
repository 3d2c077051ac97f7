// SPDX-License-Identifier: Apache-2.0
#include "tools/execute.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "tools/job.h"
#include "tools/process.h"
#include "tools/sharded.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/custom_call_check.h"
#include "xla/service/dump.h"
#include "xla/service/program_cache.h"
#include "xla/spmd/partition.h"

namespace xla {
namespace {

absl::Status CheckTargets(const HloModule& module, const InterpreterOptions& options) {
  static const CustomCallRegistry none;
  return CheckCustomCalls(
      module, options.custom_call_registry == nullptr ? none : *options.custom_call_registry,
      [&](absl::string_view target) {
        return std::any_of(options.custom_calls.begin(), options.custom_calls.end(),
                           [&](const auto& handler) { return handler.first == target; });
      });
}

}  // namespace

OptionSpec BackendOption() {
  return {"--backend",
          "NAME",
          "what runs programs: cpu (compiled, the default) or interpreter",
          {"cpu", "interpreter"}};
}

absl::Status LoadCompiler() {
  const AbortsAreLackOfMemory guard;
  return LoadCpuCompiler();
}

absl::StatusOr<bool> UsesCompiler(const Arguments& arguments) {
  const std::string backend = arguments.Get("--backend");
  if (backend == "interpreter") return false;
  const auto load = [] {
    const AbortsAreLackOfMemory guard;
    return CheckCpuCompiler();
  };
  const absl::Status loaded = load();
  if (loaded.ok()) return true;
  if (backend == "cpu" || absl::IsResourceExhausted(loaded)) return loaded;
  std::fprintf(stderr, "interpreting, as nothing can be compiled: %s\n",
               std::string(loaded.message()).c_str());
  return false;
}

OptionSpec FlushSubnormalsOption() {
  return {"--flush-subnormals", "",
          "compiled code takes subnormal numbers as zeros, as XLA's does"};
}

CpuCompileOptions CompileOptionsOf(const Arguments& arguments) {
  CpuCompileOptions options = DefaultCpuCompileOptions();
  options.flush_subnormals |= arguments.Has("--flush-subnormals");
  return options;
}

OptionSpec CacheOption() {
  return {"--cache", "DIR", "keep machine code in this folder, and take it from there"};
}

absl::StatusOr<std::string> CacheOf(const Arguments& arguments) {
  if (!arguments.Has("--cache")) return std::string();
  const std::string folder = arguments.Get("--cache");
  // The compiler does without a cache that it cannot use; the user would not know.
  const int error = ::mkdir(folder.c_str(), 0700) == 0 ? 0 : errno;
  std::error_code ignored;
  if (error == 0 || (error == EEXIST && std::filesystem::is_directory(folder, ignored)))
    return folder;
  const int reason = error == EEXIST ? ENOTDIR : error;
  return absl::UnavailableError(
      absl::StrCat("cannot create the cache '", folder, "': ", std::strerror(reason)));
}

absl::Status CheckCustomCallTargets(const HloModule& module, const CustomCallRegistry& registry) {
  InterpreterOptions options;
  options.custom_calls = CheckCustomCalls();
  options.custom_call_registry = &registry;
  return CheckTargets(module, options);
}

namespace {

absl::StatusOr<std::vector<Literal>> ExecuteOnDevices(
    bool compiled, const HloModule& module, int64_t replicas, int64_t partitions,
    absl::Span<const std::vector<const Literal*>> arguments, const InterpreterOptions& options,
    RunStatistics* statistics, const CompileChoices& choices) {
  HloDumper dumper(DebugOptionsFromEnv(), module);
  dumper.Dump(module, "before_optimizations");
  if (!compiled) {
    XLA_RETURN_IF_ERROR(CheckTargets(module, options));
    return InterpretReplicated(module, replicas, partitions, arguments, options, statistics);
  }
  std::unique_ptr<runtime::ThreadPool> own_pool;
  runtime::ExecutionContext context;
  context.pool = options.pool;
  if (context.pool == nullptr) {
    own_pool = std::make_unique<runtime::ThreadPool>(options.num_threads);
    context.pool = own_pool.get();
  }
  context.threads = options.threads;
  context.cancel = options.cancel;
  context.custom_calls = options.custom_call_registry;
  context.feeds = options.feeds;
  context.host_channels = options.host_channels;
  context.wait_timeout = options.wait_timeout;
  context.processes = options.processes;
  CpuCompileOptions compile_options = DefaultCpuCompileOptions();
  compile_options.pool = context.pool;
  compile_options.cancel = options.cancel;
  compile_options.custom_calls = options.custom_call_registry;
  compile_options.pipeline.disabled = choices.disabled_passes;
  compile_options.flush_subnormals |= choices.flush_subnormals;
  if (PassInstrumentation* between = dumper.between_passes())
    compile_options.pipeline.instrumentations.push_back(between);
  CpuRunOptions run_options;
  run_options.custom_calls = &options.custom_calls;
  run_options.memory_limit_bytes = options.memory_limit_bytes;
  XLA_ASSIGN_OR_RETURN(const auto program,
                       CompileWithCache(module, compile_options, choices.cache_directory));
  dumper.Dump(program->optimized_module(), "cpu_after_optimizations");
  XLA_RETURN_IF_ERROR(CheckTargets(program->optimized_module(), options));
  return program->RunReplicated(replicas, partitions, arguments, context, statistics, run_options);
}

}  // namespace

absl::StatusOr<std::vector<Literal>> ExecuteReplicated(
    bool compiled, const HloModule& module, int64_t replicas, int64_t partitions,
    absl::Span<const std::vector<const Literal*>> arguments, const InterpreterOptions& options,
    RunStatistics* statistics, const CompileChoices& choices) {
  const auto execute = [&](const HloModule& program,
                           absl::Span<const std::vector<const Literal*>> shards) {
    const auto run = [&](absl::Span<const std::vector<const Literal*>> own,
                         runtime::ProcessGroup* processes) {
      InterpreterOptions with_processes = options;
      with_processes.processes = processes;
      return ExecuteOnDevices(compiled, program, replicas, partitions, own, with_processes,
                              statistics, choices);
    };
    return choices.job == nullptr
               ? run(shards, nullptr)
               : RunInJob(*choices.job, program, replicas * partitions, shards, run);
  };
  if (IsSharded(module, partitions)) {
    return ExecuteSharded(module, replicas, partitions, arguments, execute);
  }
  if (!spmd::HasShardings(module)) return execute(module, arguments);
  const std::unique_ptr<HloModule> plain = module.Clone();
  XLA_RETURN_IF_ERROR(spmd::RemoveAnnotations(plain.get()));
  return execute(*plain, arguments);
}

}  // namespace xla
