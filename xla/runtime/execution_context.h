// SPDX-License-Identifier: Apache-2.0
// The environment of a run, for any executable: threads, cancellation, feeds,
// channels, custom calls.
#ifndef XLA_RUNTIME_EXECUTION_CONTEXT_H_
#define XLA_RUNTIME_EXECUTION_CONTEXT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace xla {
class CustomCallRegistry;  // custom_call.h
}  // namespace xla

namespace xla::runtime {

class Feeds;            // feeds.h
class HostChannels;     // channels.h
class Interrupt;        // interrupt.h
class ProcessGroup;     // process_group.h
class ReusableThreads;  // reusable_threads.h
class StepObserver;     // step_observer.h
class ThreadPool;       // thread_pool.h

// The number at the client of device `device` of a run; its own number where the list ends.
inline int OrdinalOf(absl::Span<const int> device_ordinals, int64_t device) {
  return device < static_cast<int64_t>(device_ordinals.size())
             ? device_ordinals[static_cast<size_t>(device)]
             : static_cast<int>(device);
}

// All pointers may be null, and must outlive the run otherwise.
struct ExecutionContext {
  // Divides the work of operations. Null: a pool of the run's own.
  ThreadPool* pool = nullptr;
  // Where the devices of a run with several run. Null: threads of the run's own.
  ReusableThreads* threads = nullptr;
  // Set from any thread to stop: the run ends with CANCELLED. Looked at between the chunks of loops
  // and every few instructions.
  const std::atomic<bool>* cancel = nullptr;
  // Asked in the same places. Null: nothing else ends the run.
  Interrupt* interrupt = nullptr;
  // Null: calls of registered targets are errors.
  const CustomCallRegistry* custom_calls = nullptr;
  // What infeed reads and outfeed writes, with as many devices as the run. Null: these operations
  // are errors.
  Feeds* feeds = nullptr;
  // What send and recv with is_host_transfer=true use. Null: these are errors.
  HostChannels* host_channels = nullptr;
  // How long a device waits for other devices, or for the host, before the run ends with
  // DEADLINE_EXCEEDED.
  absl::Duration wait_timeout = absl::Seconds(60);
  // The processes of a run that has devices in several. Arguments, results and ordinals are those
  // of the devices of this process then, in order. Null: all devices are here.
  ProcessGroup* processes = nullptr;
  // Names the run to the outside, as in messages; runs that belong together share it.
  int64_t run_id = 0;
  // The client's devices that run the program, by device of the run; see OrdinalOf. Where the run
  // has several processes, the entries of the others' devices are -1.
  absl::Span<const int> device_ordinals;
  // Compiled programs tell it of their steps, which are timed only then.
  StepObserver* step_observer = nullptr;
};

// What a run did.
struct RunStatistics {
  int64_t peak_bytes = 0;    // of values, arguments included; all devices together
  int64_t instructions = 0;  // of all devices
  // Arrays, and their bytes, that were copied between the memory of the caller and that of the run:
  // none where layouts agree.
  int64_t copies = 0;
  int64_t copied_bytes = 0;
};

// Devices of a run at most: replicas x partitions.
inline constexpr int64_t kMaxDevices = 1024;

// INVALID_ARGUMENT unless a run may have so many replicas and partitions, and arguments of `given`
// devices are those of all; or of all of this process, where there are several.
absl::Status CheckDeviceCount(int64_t replicas, int64_t partitions, size_t given,
                              const ProcessGroup* processes = nullptr);

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_EXECUTION_CONTEXT_H_
