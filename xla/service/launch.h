// SPDX-License-Identifier: Apache-2.0
// Asynchronous runs on buffers: dispatched in order on each device, without blocking the caller.
//
//   LaunchRequest request;
//   request.arguments = {{x, y}};           // of one device
//   request.donate = {true, false};
//   request.device_ordinals = {0};
//   XLA_ASSIGN_OR_RETURN(Launched run, Launch(backend, executable, request));
//   run.done.OnReady([](const absl::Status& status) { ... });
//   std::shared_ptr<runtime::DeviceBuffer> sum = run.results[0][0];   // may be used at once
#ifndef XLA_SERVICE_LAUNCH_H_
#define XLA_SERVICE_LAUNCH_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "xla/runtime/device_buffer.h"
#include "xla/runtime/event.h"
#include "xla/runtime/execution_context.h"
#include "xla/runtime/process_group.h"
#include "xla/service/backend.h"
#include "xla/service/executable.h"
#include "xla/service/run_length.h"

namespace xla {

struct LaunchRequest {
  using Buffer = std::shared_ptr<runtime::DeviceBuffer>;
  using Buffers = absl::InlinedVector<Buffer, 4>;
  // For each device a buffer for each leaf of its arguments (Executable::argument_leaves). Null for
  // tokens.
  absl::InlinedVector<Buffers, 1> arguments;
  // For each leaf whether its buffers are donated, on all devices; empty: none is.
  std::vector<bool> donate;
  // The processes of a run that has devices in several; null: all devices are here. Arguments and
  // ordinals, and the results, are those of this process's devices, in order. Its Finish is called
  // when the run has ended.
  std::shared_ptr<runtime::ProcessGroup> processes;
  // For each device of the run its ordinal.
  absl::InlinedVector<int, 1> device_ordinals;
  // The run ends before Launch returns, on the calling thread, and does not wait for earlier
  // launches on its devices: for runs that code called by another run starts, which would wait for
  // themselves.
  bool run_here = false;
  // The same if the arguments are ready, so that the caller never waits: for runs that are too
  // short to be worth another thread.
  bool run_here_if_ready = false;
  // Buffers are as those of the PJRT interface: elements of less than a byte are packed
  // (packed_elements.h), and an argument of another type or other dimensions than the parameter's
  // fits if it has as many bytes, which then are the parameter's in its own layout.
  bool has_device_forms = false;
  // Told how long the run took; may be null.
  std::shared_ptr<RunLength> length;
  // Null threads are those of the backend; `cancel` is not used: see Launched. `interrupt` is asked
  // by runs on the calling thread only, also while they wait for their arguments. What the others
  // point to must live until the run is done.
  runtime::ExecutionContext context;
};

// How a run is going. Thread-safe.
struct RunControl {
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> cancel{false};
  std::atomic<Clock::time_point> began{Clock::time_point::max()};
};

struct Launched {
  // For each device the leaves of the result. They are ready when the run has ended; its error is
  // the error of their events.
  absl::InlinedVector<LaunchRequest::Buffers, 1> results;
  runtime::Event done;

  // The run ends with CANCELLED, soon, or at once when it starts.
  void Cancel() const { control->cancel.store(true, std::memory_order_relaxed); }
  std::shared_ptr<RunControl> control;
};

// Starts a run, which begins when all earlier launches on its devices have ended and the arguments
// are ready. An argument with an error makes the run end with that error. INVALID_ARGUMENT, at
// once, for counts, shapes and devices that do not fit, and for buffers that were deleted or
// donated, or that are donated here and given twice.
//
// Donated buffers cannot be used any more from here on, whatever becomes of the run. The run waits
// for uses of them that were acquired before. Their memory becomes that of results where the
// program updates it in place or input_output_alias asks for it; else it is freed.
//
// The backend must outlive the buffers.
absl::StatusOr<Launched> Launch(const Backend& backend,
                                std::shared_ptr<const Executable> executable,
                                LaunchRequest request);

}  // namespace xla

#endif  // XLA_SERVICE_LAUNCH_H_
