// SPDX-License-Identifier: Apache-2.0
// Programs that the CPU compiler made machine code of.
#ifndef XLA_SERVICE_COMPILED_EXECUTABLE_H_
#define XLA_SERVICE_COMPILED_EXECUTABLE_H_

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "xla/cpu/program.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/executable.h"

namespace xla {

class CompiledExecutable : public Executable {
 public:
  // UNAVAILABLE without LLVM. `pool` compiles kernels in parallel. `memory_limit_bytes`: of a run;
  // 0: none.
  static absl::StatusOr<std::unique_ptr<Executable>> Create(std::shared_ptr<const HloModule> module,
                                                            runtime::ThreadPool* pool,
                                                            int64_t memory_limit_bytes,
                                                            const ExecutableOptions& options);

  const HloModule& optimized_module() const override { return program_->optimized_module(); }
  int64_t SizeOfGeneratedCodeInBytes() const override { return program_->GeneratedBytes(); }
  int64_t TemporaryBytes() const override { return program_->ScratchBytes(threads_); }
  absl::StatusOr<std::string> Save(std::string_view key) const override;

 protected:
  absl::Status Run(const ExecuteRequest& request) const override;

 private:
  CompiledExecutable(std::shared_ptr<const HloModule> module, std::unique_ptr<CpuProgram> program,
                     int threads, int64_t memory_limit_bytes)
      : Executable(std::move(module)),
        program_(std::move(program)),
        threads_(threads),
        memory_limit_bytes_(memory_limit_bytes) {}

  const std::unique_ptr<CpuProgram> program_;
  const int threads_;  // of the pool that runs it
  const int64_t memory_limit_bytes_;
};

}  // namespace xla

#endif  // XLA_SERVICE_COMPILED_EXECUTABLE_H_
