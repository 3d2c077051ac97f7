// SPDX-License-Identifier: Apache-2.0
// Buffers to literals, the interpreter, and back.
#include "xla/service/interpreter_executable.h"

#include <deque>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/interpreter.h"

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
  return std::unique_ptr<Executable>(new InterpreterExecutable(std::move(module), options));
}

absl::StatusOr<std::vector<ScopedShapedBuffer>> InterpreterExecutable::Execute(
    const ExecuteRequest& request) const {
  InterpreterOptions options;
  options.pool = request.context.pool;
  options.num_threads = options_.num_threads;
  options.threads = request.context.threads;
  options.cancel = request.context.cancel;
  options.memory_limit_bytes = options_.memory_limit_bytes;
  options.custom_call_registry = request.context.custom_calls;
  options.host_channels = request.context.host_channels;
  options.feeds = request.context.feeds;
  options.wait_timeout = request.context.wait_timeout;

  std::deque<Literal> literals;  // addresses stay
  std::vector<std::vector<const Literal*>> arguments;
  for (const std::vector<const ShapedBuffer*>& buffers : request.arguments) {
    std::vector<const Literal*>& list = arguments.emplace_back();
    for (const ShapedBuffer* buffer : buffers) {
      XLA_ASSIGN_OR_RETURN(Literal literal, LiteralFromBuffer(*buffer));
      list.push_back(&literals.emplace_back(std::move(literal)));
    }
  }
  std::vector<Literal> results;
  if (arguments.size() == 1) {
    XLA_ASSIGN_OR_RETURN(Literal result, Interpret(module(), arguments[0], options));
    results.push_back(std::move(result));
  } else {
    XLA_ASSIGN_OR_RETURN(results, InterpretReplicated(module(), num_replicas(), num_partitions(),
                                                      arguments, options));
  }
  literals.clear();
  std::vector<ScopedShapedBuffer> buffers;
  for (size_t i = 0; i < results.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(ScopedShapedBuffer buffer,
                         BufferFromLiteral(results[i].shape(), results[i],
                                           request.device_ordinals[i], request.allocator));
    buffers.push_back(std::move(buffer));
    results[i] = Literal();
  }
  return buffers;
}

}  // namespace xla
