// SPDX-License-Identifier: Apache-2.0
// Programs that the reference interpreter runs.
#include "xla/service/interpreter_executable.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/floating_point_mode.h"
#include "xla/base/status_macros.h"
#include "xla/debug_options_flags.h"

namespace xla {

absl::StatusOr<std::unique_ptr<Executable>> InterpreterExecutable::Create(
    std::shared_ptr<const HloModule> module, const BackendOptions& options) {
  std::vector<std::string> missing;
  for (const HloOpcode opcode : UnsupportedOpcodes(*module)) {
    missing.emplace_back(HloOpcodeString(opcode));
  }
  if (!missing.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("program ", module->name(),
                     " has operations that cannot be run: ", absl::StrJoin(missing, ", ")));
  }
  XLA_ASSIGN_OR_RETURN(const InstructionSet bound,
                       MaxInstructionSetOf(module->config().debug_options()));
  XLA_ASSIGN_OR_RETURN(auto program, InterpreterProgram::Create(*module));
  return std::unique_ptr<Executable>(
      new InterpreterExecutable(std::move(module), std::move(program), options, bound));
}

absl::Status InterpreterExecutable::Run(const ExecuteRequest& request) const {
  const ScopedMaxInstructionSet bound(max_instruction_set_);
  const ScopedFloatingPointMode mode(FloatingPointMode::Ieee());  // whatever the caller's is
  const runtime::ExecutionContext& context = request.context;
  InterpreterOptions options;
  options.pool = context.pool;
  options.threads = context.threads;
  options.cancel = context.cancel;
  options.interrupt = context.interrupt;
  options.memory_limit_bytes = memory_limit_bytes_;
  options.custom_call_registry = context.custom_calls;
  options.feeds = context.feeds;
  options.host_channels = context.host_channels;
  options.wait_timeout = context.wait_timeout;
  options.processes = context.processes;
  options.run_id = context.run_id;
  options.device_ordinals = context.device_ordinals;
  return program_->RunOnBuffers(num_replicas(), num_partitions(), request.arguments,
                                request.results, options, request.statistics);
}

}  // namespace xla
