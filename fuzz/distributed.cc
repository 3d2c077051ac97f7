// SPDX-License-Identifier: Apache-2.0
// What processes send each other: frames, descriptions of processes, topologies. No crash, and no
// memory beyond what was sent.
#include <cstddef>
#include <cstdint>

#include "tests/distributed/hostile_frames.h"
#include "xla/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::Status status =
      xla::distributed::ReadHostileBytes({reinterpret_cast<const char*>(data), size});
  XLA_CHECK(status.ok()) << status;
  return 0;
}
