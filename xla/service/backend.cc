// SPDX-License-Identifier: Apache-2.0
// The backend: devices that share the CPUs of this process; compiler and interpreter.
#include "xla/service/backend.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/interpreter.h"
#include "xla/service/compiled_executable.h"
#include "xla/service/interpreter_executable.h"
#include "xla/service/platform_util.h"
#include "xla/service/transfer_manager.h"

namespace xla {

Backend::Backend(const BackendOptions& options)
    : options_(options),
      pending_memory_(std::make_unique<PendingMemory>()),
      allocator_(std::make_unique<LaunchOrderedAllocator>(options.platform, pending_memory_.get())),
      thread_pool_(std::make_unique<runtime::ThreadPool>(options.num_threads)),
      threads_(std::make_unique<runtime::ReusableThreads>()),
      launches_(std::make_unique<runtime::LaunchQueues>(options.device_count, threads_.get())) {}

absl::Status Backend::Check(BackendOptions* options) {
  if (options->platform == nullptr) {
    XLA_ASSIGN_OR_RETURN(options->platform, PlatformUtil::GetDefaultPlatform());
  }
  if (options->device_count < 1 || options->device_count > kMaxDevices) {
    return absl::InvalidArgumentError(absl::StrCat("a client of ", options->device_count,
                                                   " devices; there may be 1 to ", kMaxDevices));
  }
  if (options->num_threads < 0 || options->memory_limit_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat(options->num_threads, " threads and ",
                                                   options->memory_limit_bytes,
                                                   " bytes: neither may be negative"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Backend>> Backend::Create(const BackendOptions& options) {
  BackendOptions checked = options;
  XLA_RETURN_IF_ERROR(Check(&checked));
  return std::unique_ptr<Backend>(new Backend(checked));
}

absl::Status Backend::CheckDeviceOrdinal(int device_ordinal) const {
  if (device_ordinal_supported(device_ordinal)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("Invalid device ordinal value (", device_ordinal,
                                                 "). Valid range: [0, ", device_count() - 1, "]."));
}

TransferManager* Backend::transfer_manager() const {
  return *TransferManager::GetForPlatform(platform());
}

absl::StatusOr<StreamPool::Ptr> Backend::BorrowStream(se::StreamExecutor* executor) const {
  return executor->CreateStream();
}
absl::StatusOr<StreamPool::Ptr> Backend::BorrowStream(int device_ordinal) const {
  XLA_RETURN_IF_ERROR(CheckDeviceOrdinal(device_ordinal));
  XLA_ASSIGN_OR_RETURN(const auto executors, PlatformUtil::GetStreamExecutors(platform()));
  return executors[0]->CreateStream();
}

void Backend::AwaitLaunches() const {
  for (int device = 0; device < device_count(); ++device) (void)launches_->Idle(device).Await();
}

std::string Backend::device_name(int device_ordinal) const {
  return absl::StrCat(platform()->Name(), ":", device_ordinal);
}

absl::StatusOr<std::unique_ptr<Executable>> Backend::Compile(
    std::shared_ptr<const HloModule> module, const ExecutableOptions& options) const {
  if (options_.use_compiler) {
    auto compiled = CompiledExecutable::Create(module, thread_pool_.get(),
                                               options_.memory_limit_bytes, options);
    // Without LLVM nothing can be compiled; all else can.
    if (!absl::IsUnavailable(compiled.status())) return compiled;
  }
  return InterpreterExecutable::Create(std::move(module), options_);
}

}  // namespace xla
