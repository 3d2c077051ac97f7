// SPDX-License-Identifier: Apache-2.0
// What a device of a run keeps between steps: its position, its random numbers, communication.
#ifndef XLA_CPU_DEVICE_STATE_H_
#define XLA_CPU_DEVICE_STATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/passes/collective_group.h"
#include "xla/runtime/rendezvous.h"
#include "xla/shape.h"

namespace xla::cpu {

// Arrays of a message between devices, each dense and row-major, with their dynamic sizes.
struct Message {
  Shape shape;  // as the program was written
  std::vector<std::vector<char>> leaves;
};

// The pending receives of a device.
struct PendingReceives {
  // Where data comes from: a channel between devices, or one of the host.
  struct Source {
    bool is_host = false;
    runtime::Rendezvous::Channel channel;
    bool operator<(const Source& o) const {
      return is_host != o.is_host ? is_host < o.is_host : channel < o.channel;
    }
  };
  struct Request {
    const HloInstruction* recv = nullptr;
    std::optional<Source> source;  // nullopt if no device sends to this one, which gets zeros
    int64_t number = 0;            // of the message, in its channel
  };
  struct Inbox {
    int64_t requested = 0, received = 0;
    std::map<int64_t, std::shared_ptr<const Message>> early;  // received while waiting for another
  };
  uint32_t last_request = 0;
  std::map<uint32_t, Request> requests;
  std::map<Source, Inbox> inboxes;
};

struct DeviceState {
  DevicePosition position;
  runtime::Rendezvous* rendezvous = nullptr;  // a single device makes its own when it needs one
  std::unique_ptr<runtime::Rendezvous> own_rendezvous;
  uint64_t random_counter = 0;
  absl::node_hash_map<const HloInstruction*, DeviceGroup> groups;  // of collectives run before
  PendingReceives receives;

  runtime::Rendezvous& Meeting() {
    if (rendezvous == nullptr) {
      own_rendezvous = std::make_unique<runtime::Rendezvous>(1);
      rendezvous = own_rendezvous.get();
    }
    return *rendezvous;
  }
};

}  // namespace xla::cpu

#endif  // XLA_CPU_DEVICE_STATE_H_
