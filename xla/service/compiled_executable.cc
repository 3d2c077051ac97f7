// SPDX-License-Identifier: Apache-2.0
// Programs that the CPU compiler made machine code of.
#include "xla/service/compiled_executable.h"

#include "xla/base/status_macros.h"
#include "xla/service/cpu_compile_options.h"

namespace xla {

absl::StatusOr<std::unique_ptr<Executable>> CompiledExecutable::Create(
    std::shared_ptr<const HloModule> module, runtime::ThreadPool* pool, int64_t memory_limit_bytes,
    const CustomCallRegistry* custom_calls, const std::atomic<bool>* cancel,
    PassInstrumentation* between_passes, std::optional<bool> flush_subnormals) {
  CpuCompileOptions options = DefaultCpuCompileOptions();
  options.custom_calls = custom_calls;
  options.pool = pool;
  options.cancel = cancel;
  options.flush_subnormals = flush_subnormals.value_or(options.flush_subnormals);
  if (between_passes != nullptr) options.pipeline.instrumentations.push_back(between_passes);
  XLA_ASSIGN_OR_RETURN(auto program, CpuProgram::Compile(*module, options));
  const int threads = pool == nullptr ? 1 : pool->num_threads();
  return std::unique_ptr<Executable>(
      new CompiledExecutable(std::move(module), std::move(program), threads, memory_limit_bytes));
}

absl::Status CompiledExecutable::Run(const ExecuteRequest& request) const {
  CpuRunOptions options;
  options.memory_limit_bytes = memory_limit_bytes_;
  return program_->RunOnDevices(num_replicas(), num_partitions(), request.arguments,
                                request.results, request.context, request.statistics, options);
}

}  // namespace xla
