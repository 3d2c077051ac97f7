// SPDX-License-Identifier: Apache-2.0
// Programs that the CPU compiler made machine code of.
#ifndef XLA_SERVICE_COMPILED_EXECUTABLE_H_
#define XLA_SERVICE_COMPILED_EXECUTABLE_H_

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "xla/cpu/program.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/executable.h"

namespace xla {

class CompiledExecutable : public Executable {
 public:
  // UNIMPLEMENTED for what the compiler lacks, for programs of several devices and for those with
  // custom calls; UNAVAILABLE without LLVM. `pool` compiles kernels in parallel.
  static absl::StatusOr<std::unique_ptr<Executable>> Create(std::shared_ptr<const HloModule> module,
                                                            runtime::ThreadPool* pool);

 protected:
  absl::Status Run(const ExecuteRequest& request) const override;

 private:
  CompiledExecutable(std::shared_ptr<const HloModule> module, std::unique_ptr<CpuProgram> program)
      : Executable(std::move(module)), program_(std::move(program)) {}

  const std::unique_ptr<CpuProgram> program_;
};

}  // namespace xla

#endif  // XLA_SERVICE_COMPILED_EXECUTABLE_H_
