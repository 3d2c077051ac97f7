// SPDX-License-Identifier: Apache-2.0
// The state of a device that is kept between thunks: its position, its random numbers,
// communication.
#ifndef XLA_CPU_RUN_DEVICE_STATE_H_
#define XLA_CPU_RUN_DEVICE_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/passes/collective_group.h"
#include "xla/runtime/pending_receives.h"
#include "xla/runtime/rendezvous.h"
#include "xla/shape.h"

namespace xla::cpu {

// The arrays of a message between devices, each dense and row-major, with their dynamic sizes.
struct Message {
  Shape shape;  // as the program was written
  std::vector<std::vector<char>> leaves;
};

using PendingReceives = runtime::PendingReceives<HloInstruction, std::shared_ptr<const Message>>;

struct DeviceState {
  DevicePosition position;
  runtime::Rendezvous* rendezvous = nullptr;  // a single device makes its own when it needs one
  std::unique_ptr<runtime::Rendezvous> own_rendezvous;
  std::atomic<uint64_t> random_counter{0};
  absl::node_hash_map<const HloInstruction*, DeviceGroup> groups;  // of the collectives that ran
  PendingReceives receives;

  runtime::Rendezvous& Meeting() {
    if (rendezvous == nullptr) {
      own_rendezvous = std::make_unique<runtime::Rendezvous>(
          position.replicas * position.partitions, /*running=*/1);
      rendezvous = own_rendezvous.get();
    }
    return *rendezvous;
  }
};

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_DEVICE_STATE_H_
