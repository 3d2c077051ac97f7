// SPDX-License-Identifier: Apache-2.0
// A transport between threads of one process, which loses and delays what it is told to: for tests.
#ifndef XLA_DISTRIBUTED_MEMORY_TRANSPORT_H_
#define XLA_DISTRIBUTED_MEMORY_TRANSPORT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "xla/distributed/transport.h"

namespace xla::distributed {

struct MemoryFaults {
  // Of the frame from one process to another with this number, counted from 0: how long it is
  // under way; an infinite time loses it.
  std::function<absl::Duration(int from, int to, int64_t number)> delay;
  // Whether the connection is cut instead of making this transfer.
  std::function<bool(int from, int to, uint64_t id)> cuts_at;
};

// The transports of all ranks of a job.
std::vector<std::unique_ptr<Transport>> MakeMemoryTransports(int size, MemoryFaults faults = {});

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_MEMORY_TRANSPORT_H_
