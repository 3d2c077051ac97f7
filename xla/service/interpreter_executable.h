// SPDX-License-Identifier: Apache-2.0
// Programs that the reference interpreter runs.
#ifndef XLA_SERVICE_INTERPRETER_EXECUTABLE_H_
#define XLA_SERVICE_INTERPRETER_EXECUTABLE_H_

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "xla/interpreter/interpreter.h"
#include "xla/service/backend.h"
#include "xla/service/executable.h"

namespace xla {

class InterpreterExecutable : public Executable {
 public:
  // UNIMPLEMENTED if the interpreter does not implement an operation.
  static absl::StatusOr<std::unique_ptr<Executable>> Create(std::shared_ptr<const HloModule> module,
                                                            const BackendOptions& options);

 protected:
  absl::Status Run(const ExecuteRequest& request) const override;

 private:
  InterpreterExecutable(std::shared_ptr<const HloModule> module,
                        std::unique_ptr<InterpreterProgram> program, const BackendOptions& options,
                        InstructionSet max_instruction_set)
      : Executable(std::move(module)),
        program_(std::move(program)),
        max_instruction_set_(max_instruction_set),
        memory_limit_bytes_(options.memory_limit_bytes) {}

  const std::unique_ptr<InterpreterProgram> program_;
  const InstructionSet max_instruction_set_;
  const int64_t memory_limit_bytes_;
};

}  // namespace xla

#endif  // XLA_SERVICE_INTERPRETER_EXECUTABLE_H_
