// SPDX-License-Identifier: Apache-2.0
// Programs that the CPU compiler made machine code of.
#include "xla/service/compiled_executable.h"

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

absl::StatusOr<std::unique_ptr<Executable>> CompiledExecutable::Create(
    std::shared_ptr<const HloModule> module, runtime::ThreadPool* pool) {
  const int64_t devices = module->config().replica_count * module->config().num_partitions;
  if (devices != 1) {
    return absl::UnimplementedError(
        absl::StrCat("program ", module->name(), ": compiled code for ", devices, " devices"));
  }
  // Compiled programs call handlers on literals, not those of a registry.
  for (const HloComputation* computation : module->computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kCustomCall) {
        return absl::UnimplementedError(
            absl::StrCat("custom-call ", instruction->name(), ": compiled code for custom calls"));
      }
    }
  }
  CpuCompileOptions options;
  options.pool = pool;
  XLA_ASSIGN_OR_RETURN(auto program, CpuProgram::Compile(*module, options));
  return std::unique_ptr<Executable>(new CompiledExecutable(std::move(module), std::move(program)));
}

absl::Status CompiledExecutable::Run(const ExecuteRequest& request) const {
  if (request.arguments.size() != 1 || request.results.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "program ", module().name(), " runs on one device, not on ", request.arguments.size()));
  }
  return program_->RunOnBuffers(request.arguments[0], request.results[0], request.context,
                                request.statistics);
}

}  // namespace xla
