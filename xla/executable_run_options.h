// SPDX-License-Identifier: Apache-2.0
// Options of one run of a LocalExecutable: device, memory, threads, custom calls.
#ifndef XLA_EXECUTABLE_RUN_OPTIONS_H_
#define XLA_EXECUTABLE_RUN_OPTIONS_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "xla/stream_executor/device_memory_allocator.h"

namespace Eigen {
struct ThreadPoolDevice;
}

namespace xla {

class CustomCallRegistry;
class DeviceAssignment;
class ExecutionProfile;
namespace ffi {
class ExecutionContext;  // xla/ffi/execution_context.h
}  // namespace ffi
namespace runtime {
class Event;           // xla/runtime/event.h
struct RunStatistics;  // xla/runtime/execution_context.h
}  // namespace runtime

// Identifies the runs of an executable's replicas and partitions that belong together.
class RunId {
 public:
  // Different on each call.
  static RunId CreateUniqueId();
  explicit RunId(int64_t value) : value_(value) {}
  friend bool operator==(const RunId& a, const RunId& b) { return a.value_ == b.value_; }
  int64_t ToInt() const { return value_; }
  std::string ToString() const { return "RunId: " + std::to_string(value_); }
  template <typename H>
  friend H AbslHashValue(H h, const RunId& id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  int64_t value_;
};

// Setters return *this, so that they can be chained. Pointers must outlive the run.
class ExecutableRunOptions {
 public:
  // Where results are allocated; the backend's allocator if null.
  ExecutableRunOptions& set_allocator(stream_executor::DeviceMemoryAllocator* value) {
    allocator_ = value;
    return *this;
  }
  stream_executor::DeviceMemoryAllocator* allocator() const { return allocator_; }

  // The device to run on, less than LocalClient::device_count(). -1 selects the device of the build
  // options, or the default device.
  ExecutableRunOptions& set_device_ordinal(int value) {
    device_ordinal_ = value;
    return *this;
  }
  int device_ordinal() const { return device_ordinal_; }

  // There are no streams; see completion().
  ExecutableRunOptions& set_stream(stream_executor::Stream* value) {
    stream_ = value;
    return *this;
  }
  stream_executor::Stream* stream() const { return stream_; }

  // Not used: the client owns the threads (LocalClientOptions).
  ExecutableRunOptions& set_intra_op_thread_pool(const Eigen::ThreadPoolDevice* value) {
    intra_op_thread_pool_ = value;
    return *this;
  }
  const Eigen::ThreadPoolDevice* intra_op_thread_pool() const { return intra_op_thread_pool_; }

  // compute_time_ns and compute_and_transfer_time_ns are written to it.
  ExecutableRunOptions& set_execution_profile(ExecutionProfile* value) {
    execution_profile_ = value;
    return *this;
  }
  ExecutionProfile* execution_profile() const { return execution_profile_; }

  // Which device runs which replica and partition; replica * partitions + partition if null.
  ExecutableRunOptions& set_device_assignment(const DeviceAssignment* value) {
    device_assignment_ = value;
    return *this;
  }
  const DeviceAssignment* device_assignment() const { return device_assignment_; }

  // Not used: rng instructions draw the same numbers in every run.
  ExecutableRunOptions& set_rng_seed(int value) {
    rng_seed_ = value;
    return *this;
  }
  int rng_seed() const { return rng_seed_; }

  // Not used.
  ExecutableRunOptions& set_launch_id(int32_t value) {
    launch_id_ = value;
    return *this;
  }
  int32_t launch_id() const { return launch_id_; }

  // What typed handlers of custom calls (xla/ffi) get by the type of the data.
  ExecutableRunOptions& set_ffi_execution_context(const ffi::ExecutionContext* value) {
    ffi_execution_context_ = value;
    return *this;
  }
  const ffi::ExecutionContext* ffi_execution_context() const { return ffi_execution_context_; }

  // Which runs of an executable of several replicas or partitions belong together:
  // LocalExecutable::Run.
  ExecutableRunOptions& set_run_id(RunId id) {
    run_id_ = id;
    return *this;
  }
  RunId run_id() const { return run_id_; }

  // --- Not in XLA
  // Custom calls for this run, instead of those of the client.
  ExecutableRunOptions& set_custom_calls(const CustomCallRegistry* value) {
    custom_calls_ = value;
    return *this;
  }
  const CustomCallRegistry* custom_calls() const { return custom_calls_; }
  // RunAsync puts an event here that is ready when the run has ended, with its error.
  ExecutableRunOptions& set_completion(runtime::Event* value) {
    completion_ = value;
    return *this;
  }
  runtime::Event* completion() const { return completion_; }
  // Set from any thread to stop the run, which then ends with CANCELLED.
  ExecutableRunOptions& set_cancel(const std::atomic<bool>* value) {
    cancel_ = value;
    return *this;
  }
  const std::atomic<bool>* cancel() const { return cancel_; }
  // What the run did, copies of arguments and results among it, is written to it when it has ended.
  ExecutableRunOptions& set_run_statistics(runtime::RunStatistics* value) {
    run_statistics_ = value;
    return *this;
  }
  runtime::RunStatistics* run_statistics() const { return run_statistics_; }
  // How long a device waits for the others, or for an infeed, before the run fails.
  ExecutableRunOptions& set_wait_timeout(absl::Duration value) {
    wait_timeout_ = value;
    return *this;
  }
  absl::Duration wait_timeout() const { return wait_timeout_; }

 private:
  stream_executor::DeviceMemoryAllocator* allocator_ = nullptr;
  int device_ordinal_ = -1;
  stream_executor::Stream* stream_ = nullptr;
  const Eigen::ThreadPoolDevice* intra_op_thread_pool_ = nullptr;
  ExecutionProfile* execution_profile_ = nullptr;
  const DeviceAssignment* device_assignment_ = nullptr;
  int rng_seed_ = 0;
  int32_t launch_id_ = 0;
  const ffi::ExecutionContext* ffi_execution_context_ = nullptr;
  RunId run_id_{0};
  const CustomCallRegistry* custom_calls_ = nullptr;
  runtime::Event* completion_ = nullptr;
  const std::atomic<bool>* cancel_ = nullptr;
  runtime::RunStatistics* run_statistics_ = nullptr;
  absl::Duration wait_timeout_ = absl::Seconds(60);
};

}  // namespace xla

#endif  // XLA_EXECUTABLE_RUN_OPTIONS_H_
