// SPDX-License-Identifier: Apache-2.0
// Processes of one host talk by memory, and by another transport with the rest.
//
// Frames go through rings in shared memory; what is larger is read from the memory of the sender
// (process_vm_readv): one copy. The other transport stays connected to all: a process that dies is
// known by its connection.
#ifndef XLA_DISTRIBUTED_HOST_TRANSPORT_H_
#define XLA_DISTRIBUTED_HOST_TRANSPORT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla/distributed/key_value_store.h"
#include "xla/distributed/transport.h"

namespace xla::distributed {

struct HostTransportOptions {
  // The processes of this host, in order, this one among them.
  std::vector<int> processes;
  uint32_t epoch = 0;  // as in GlooOptions
  absl::Duration timeout = absl::Minutes(5);
};

// Called by all processes of a host. Two of them that may not read each other's memory go on with
// `transport`; where that are all, it is returned as it is.
absl::StatusOr<std::unique_ptr<Transport>> ShareHostMemory(std::unique_ptr<Transport> transport,
                                                           KeyValueStore& store,
                                                           const HostTransportOptions& options);

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_HOST_TRANSPORT_H_
