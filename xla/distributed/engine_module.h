// SPDX-License-Identifier: Apache-2.0
// What a module of an engine exports. It is built with the library that loads it: both have the
// same types.
#ifndef XLA_DISTRIBUTED_ENGINE_MODULE_H_
#define XLA_DISTRIBUTED_ENGINE_MODULE_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "xla/distributed/engines.h"
#include "xla/distributed/transport.h"

namespace xla::distributed {

struct EngineRequest {
  // Of this structure: a module of another build is refused.
  uint64_t size = sizeof(EngineRequest);
  const GlooOptions* gloo = nullptr;  // null: MPI
  std::shared_ptr<KeyValueStore> store;
  // Filled in.
  absl::Status status;
  std::unique_ptr<Transport> transport;
};

// The name and type of the function: it returns its own sizeof(EngineRequest), and does nothing
// else where the request has another one.
inline constexpr char kEngineFunction[] = "XylemConnectEngine";
using EngineFunction = uint64_t(EngineRequest* request);

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_ENGINE_MODULE_H_
