// SPDX-License-Identifier: Apache-2.0
// What a client, its executables and its global data share. Private to xla/client.
#ifndef XLA_CLIENT_CLIENT_CORE_H_
#define XLA_CLIENT_CLIENT_CORE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/client/executable_build_options.h"
#include "xla/ffi/handlers.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/feeds.h"
#include "xla/service/backend.h"
#include "xla/service/executable.h"
#include "xla/service/shaped_buffer.h"

namespace xla {

namespace distributed {
class Job;  // xla/distributed/job.h
}  // namespace distributed

// Executables hold on to the core, so the core must not hold on to them. Thread-safe.
class ClientCore {
 public:
  // `job`: of a client that is one of several processes; null otherwise.
  ClientCore(std::unique_ptr<Backend> backend, CustomCallRegistry custom_calls,
             std::shared_ptr<distributed::Job> job = nullptr)
      : backend_(std::move(backend)),
        job_(std::move(job)),
        custom_calls_(std::move(custom_calls)),
        feeds_(backend_->device_count()) {}

  // Waits for asynchronous runs, which use the feeds and the job.
  ~ClientCore() { backend_->AwaitLaunches(); }

  distributed::Job* job() const { return job_.get(); }
  // Of all processes; the ids of those of this one follow each other.
  int64_t global_device_count() const;
  int64_t first_device() const;

  const Backend& backend() const { return *backend_; }
  Backend* mutable_backend() { return backend_.get(); }
  runtime::Feeds& feeds() { return feeds_; }

  // The client's custom calls and those registered for the whole process; where both have a target,
  // the client's. The context is what typed handlers of the process get.
  CustomCallRegistry CustomCalls(const ffi::CallContext& context) const;

  // Compiles a program. `argument_layouts` are those of the parameters, or none at all to take
  // the program's own where `may_omit_layouts`. InvalidArgument for counts, shapes and options that
  // do not fit the program.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(
      const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
      bool may_omit_layouts, const ExecutableBuildOptions& options) const;

  // --- Values by handle. A value may be part of another, which then lives as long.
  using Value = std::shared_ptr<const ShapedBuffer>;
  int64_t AddValue(Value value);
  absl::StatusOr<Value> FindValue(int64_t handle) const;  // see NoSuchValue
  absl::Status RemoveValue(int64_t handle);               // NotFound

  // A number not given before.
  int64_t NextHandle();

 private:
  // InvalidArgument for a handle that was deallocated, NotFound for one that never was.
  absl::Status NoSuchValue(int64_t handle) const;

  std::unique_ptr<Backend> backend_;
  const std::shared_ptr<distributed::Job> job_;
  CustomCallRegistry custom_calls_;
  runtime::Feeds feeds_;

  mutable std::mutex mutex_;
  int64_t next_handle_ = 1;
  absl::flat_hash_map<int64_t, Value> values_;
};

}  // namespace xla

#endif  // XLA_CLIENT_CLIENT_CORE_H_
