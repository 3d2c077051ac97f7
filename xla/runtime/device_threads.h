// SPDX-License-Identifier: Apache-2.0
// A thread for each device of a run.
#ifndef XLA_RUNTIME_DEVICE_THREADS_H_
#define XLA_RUNTIME_DEVICE_THREADS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace xla {

// Calls body(0) on the calling thread and body(1) .. body(count - 1) on threads of their own, all
// at the same time, and waits for all. Their stacks are large enough for deeply nested calls.
// RESOURCE_EXHAUSTED, and no call at all, if the system does not give that many threads.
absl::Status RunOnDeviceThreads(int64_t count, absl::FunctionRef<void(int64_t device)> body);

}  // namespace xla

#endif  // XLA_RUNTIME_DEVICE_THREADS_H_
