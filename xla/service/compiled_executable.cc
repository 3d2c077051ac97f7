// SPDX-License-Identifier: Apache-2.0
// Programs that the CPU compiler made machine code of.
#include "xla/service/compiled_executable.h"

#include "xla/base/status_macros.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/saved_program.h"

namespace xla {

absl::StatusOr<std::unique_ptr<Executable>> CompiledExecutable::Create(
    std::shared_ptr<const HloModule> module, runtime::ThreadPool* pool, int64_t memory_limit_bytes,
    const ExecutableOptions& given) {
  CpuCompileOptions options = DefaultCpuCompileOptions();
  options.custom_calls = given.custom_calls;
  options.pool = pool;
  options.cancel = given.cancel;
  options.flush_subnormals = given.flush_subnormals.value_or(options.flush_subnormals);
  options.keep_objects = given.may_be_saved;
  if (given.between_passes != nullptr)
    options.pipeline.instrumentations.push_back(given.between_passes);
  std::unique_ptr<CpuProgram> program;
  // Whoever looks at the passes wants them to run.
  if (!given.saved.empty() && given.between_passes == nullptr) {
    // Of another kind of machine, or damaged, it is compiled again.
    if (auto loaded = LoadProgram(*module, given.saved, given.key, options); loaded.ok())
      program = *std::move(loaded);
  }
  if (program == nullptr) {
    XLA_ASSIGN_OR_RETURN(program, CpuProgram::Compile(*module, options));
  }
  const int threads = pool == nullptr ? 1 : pool->num_threads();
  return std::unique_ptr<Executable>(
      new CompiledExecutable(std::move(module), std::move(program), threads, memory_limit_bytes));
}

absl::StatusOr<std::string> CompiledExecutable::Save(std::string_view key) const {
  return SaveProgram(*program_, key);
}

absl::Status CompiledExecutable::Run(const ExecuteRequest& request) const {
  CpuRunOptions options;
  options.memory_limit_bytes = memory_limit_bytes_;
  return program_->RunOnDevices(num_replicas(), num_partitions(), request.arguments,
                                request.results, request.context, request.statistics, options);
}

}  // namespace xla
