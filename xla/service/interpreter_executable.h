// SPDX-License-Identifier: Apache-2.0
// Programs that the reference interpreter runs.
#ifndef XLA_SERVICE_INTERPRETER_EXECUTABLE_H_
#define XLA_SERVICE_INTERPRETER_EXECUTABLE_H_

#include <memory>
#include <utility>
#include <vector>

#include "xla/service/backend.h"
#include "xla/service/executable.h"

namespace xla {

class InterpreterExecutable : public Executable {
 public:
  // Unimplemented if the interpreter lacks an operation.
  static absl::StatusOr<std::unique_ptr<Executable>> Create(std::shared_ptr<const HloModule> module,
                                                            const BackendOptions& options);

  absl::StatusOr<std::vector<ScopedShapedBuffer>> Execute(
      const ExecuteRequest& request) const override;

 private:
  InterpreterExecutable(std::shared_ptr<const HloModule> module, const BackendOptions& options)
      : Executable(std::move(module)), options_(options) {}

  BackendOptions options_;
};

}  // namespace xla

#endif  // XLA_SERVICE_INTERPRETER_EXECUTABLE_H_
