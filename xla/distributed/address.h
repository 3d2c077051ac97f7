// SPDX-License-Identifier: Apache-2.0
// By which of its addresses a process is reached by others.
#ifndef XLA_DISTRIBUTED_ADDRESS_H_
#define XLA_DISTRIBUTED_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla::distributed {

// The address of this machine from which packets go to `peer` ("host", "host:port", "[v6]:port"):
// the routing table's answer; nothing is sent. Names that resolve to this machine itself give
// loopback only if there is nothing else.
absl::StatusOr<std::string> AddressTowards(absl::string_view peer);

// The first address of this machine that is not loopback, "127.0.0.1" where there is none.
std::string AnyAddress();

// The address of a network interface ("eth0"), or the address itself, or that of a name.
absl::StatusOr<std::string> ResolveAddress(absl::string_view address);

bool IsLoopback(absl::string_view address);

// FAILED_PRECONDITION, naming the processes and the option, if processes of several hosts (by
// boot_ids) are to be reached at loopback addresses.
absl::Status CheckReachable(absl::Span<const std::string> addresses,
                            absl::Span<const std::string> boot_ids,
                            absl::Span<const std::string> names);

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_ADDRESS_H_
