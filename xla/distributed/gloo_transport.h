// SPDX-License-Identifier: Apache-2.0
// Gloo: TCP connections between all processes, made through the job's store of keys.
#ifndef XLA_DISTRIBUTED_GLOO_TRANSPORT_H_
#define XLA_DISTRIBUTED_GLOO_TRANSPORT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla/distributed/key_value_store.h"
#include "xla/distributed/transport.h"

namespace xla::distributed {

struct GlooOptions {
  int rank = 0, size = 1;
  // The address of this process, by which the others reach it: a number or a name, or the name of a
  // network interface (see ChooseAddress).
  std::string address;
  // Part of the keys: the store cannot change a value, so each connection needs keys of its own.
  uint32_t epoch = 0;
  absl::Duration timeout = absl::Minutes(5);
};

// Whether this build has Gloo. Without, ConnectGloo is UNIMPLEMENTED and says what to install.
bool HasGloo();

// Connects to all processes of the job, each of which calls it. DEADLINE_EXCEEDED or UNAVAILABLE
// names the process that cannot be reached, with its address.
absl::StatusOr<std::unique_ptr<Transport>> ConnectGloo(const GlooOptions& options,
                                                       std::shared_ptr<KeyValueStore> store);

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_GLOO_TRANSPORT_H_
