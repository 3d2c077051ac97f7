// SPDX-License-Identifier: Apache-2.0
// send and recv: messages between devices, and between devices and the host.
//
// A send stores its data and returns at once. A recv names a message, by the order of its channel,
// and gives a context (buffer, request number, token); recv-done waits for that message. Private to
// the evaluator's own files.
#ifndef XLA_INTERPRETER_TRANSFER_H_
#define XLA_INTERPRETER_TRANSFER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/runtime/rendezvous.h"

namespace xla::interpreter {

// The pending receives of a device.
struct TransferState {
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
    std::map<int64_t, Value> early;  // received while waiting for a later one
  };
  uint32_t last_request = 0;
  std::map<uint32_t, Request> requests;
  std::map<Source, Inbox> inboxes;
};

// The result of an async operation whose computation has this root, with what its recvs received.
absl::StatusOr<Value> CompleteReceives(EvalContext& ctx, const HloInstruction& root, Value value);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_TRANSFER_H_
