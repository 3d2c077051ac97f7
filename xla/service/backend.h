// SPDX-License-Identifier: Apache-2.0
// The devices of a client, their memory, threads and queues. The one place that chooses what
// executes programs: interpreter or compiler.
#ifndef XLA_SERVICE_BACKEND_H_
#define XLA_SERVICE_BACKEND_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/runtime/launch_queues.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/compiler.h"
#include "xla/service/executable.h"
#include "xla/service/pending_memory.h"
#include "xla/service/stream_pool.h"
#include "xla/stream_executor/device_memory_allocator.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream_executor.h"

namespace Eigen {
struct ThreadPoolDevice;
}

namespace xla {

class CustomCallRegistry;
class PassInstrumentation;
class TransferManager;

struct BackendOptions {
  se::Platform* platform = nullptr;  // null: the default
  // Devices share the CPUs of this process: there may be any number, up to 1024.
  int device_count = 1;
  // Threads for an operation, shared by the devices; 0: as many as the process may use.
  int num_threads = 0;
  // Of values while a program runs; 0: no limit.
  int64_t memory_limit_bytes = 0;
  // Programs are compiled to machine code. Otherwise, and on machines without LLVM, the interpreter
  // runs them.
  bool use_compiler = true;
};

class Backend {
 public:
  // InvalidArgument for numbers out of range. Check fills in the platform.
  static absl::Status Check(BackendOptions* options);
  static absl::StatusOr<std::unique_ptr<Backend>> Create(const BackendOptions& options);

  const BackendOptions& options() const { return options_; }
  se::Platform* platform() const { return options_.platform; }
  int device_count() const { return options_.device_count; }
  int default_device_ordinal() const { return 0; }
  bool device_ordinal_supported(int device_ordinal) const {
    return device_ordinal >= 0 && device_ordinal < device_count();
  }
  // InvalidArgument, which names the devices that exist, for another ordinal.
  absl::Status CheckDeviceOrdinal(int device_ordinal) const;
  // "Host:0"
  std::string device_name(int device_ordinal) const;
  bool devices_equivalent(int, int) const { return true; }

  const Compiler* compiler() const { return &compiler_; }

  // Names of XLA's for what needs no stream here.
  TransferManager* transfer_manager() const;
  absl::StatusOr<StreamPool::Ptr> BorrowStream(int device_ordinal) const;
  absl::StatusOr<StreamPool::Ptr> BorrowStream(se::StreamExecutor* executor) const;

  se::DeviceMemoryAllocator* memory_allocator() const { return allocator_.get(); }
  // The threads of all runs: they are started when they are first needed, and kept.
  runtime::ThreadPool& thread_pool() const { return *thread_pool_; }
  runtime::ReusableThreads& threads() const { return *threads_; }
  // Asynchronous runs, in order on each device. Their end is waited for by the destructor.
  runtime::LaunchQueues& launches() const { return *launches_; }
  void AwaitLaunches() const;
  PendingMemory& pending_memory() const { return *pending_memory_; }
  // Null: operations use thread_pool().
  const Eigen::ThreadPoolDevice* eigen_intra_op_thread_pool_device() const { return nullptr; }

  // Makes a verified module ready. Unimplemented names the operations that cannot be run.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(std::shared_ptr<const HloModule> module,
                                                      const ExecutableOptions& options = {}) const;

 private:
  explicit Backend(const BackendOptions& options);

  BackendOptions options_;
  Compiler compiler_;
  // In the reverse order of what uses what: launches end first.
  std::unique_ptr<PendingMemory> pending_memory_;
  std::unique_ptr<se::DeviceMemoryAllocator> allocator_;
  std::unique_ptr<runtime::ThreadPool> thread_pool_;
  std::unique_ptr<runtime::ReusableThreads> threads_;
  std::unique_ptr<runtime::LaunchQueues> launches_;
};

}  // namespace xla

#endif  // XLA_SERVICE_BACKEND_H_
