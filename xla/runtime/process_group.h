// SPDX-License-Identifier: Apache-2.0
// The processes of one run, for collectives and messages between devices of different ones.
//
// A run has devices in several processes. Those of this process meet at its rendezvous; the last of
// a group to arrive calls Exchange for all of them. xla/distributed implements it.
#ifndef XLA_RUNTIME_PROCESS_GROUP_H_
#define XLA_RUNTIME_PROCESS_GROUP_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/runtime/rendezvous.h"
#include "xla/runtime/wait.h"

namespace xla::runtime {

// Thread-safe.
class ProcessGroup {
 public:
  // An operation, as all processes must see it.
  struct Operation {
    absl::string_view name;  // of the instruction
    std::string shapes;      // of operands and result
    std::string text;        // for messages: with its source line
  };
  // The parts of a message, in the order in which the receiver names them; bytes agree.
  struct Outgoing {
    int32_t process = 0;
    std::vector<absl::Span<const char>> parts;
  };
  struct Incoming {
    int32_t process = 0;
    std::vector<absl::Span<char>> parts;
  };

  // `processes`: which one runs each device of the run.
  ProcessGroup(std::vector<int32_t> processes, int32_t self);
  virtual ~ProcessGroup() = default;

  int32_t self() const { return self_; }
  int64_t num_devices() const { return static_cast<int64_t>(processes_.size()); }
  int32_t ProcessOf(int64_t device) const { return processes_[static_cast<size_t>(device)]; }
  bool IsLocal(int64_t device) const { return ProcessOf(device) == self_; }
  // The devices of this process, in order.
  absl::Span<const int64_t> local_devices() const { return local_devices_; }
  bool AreLocal(absl::Span<const int64_t> devices) const;
  // The processes of some devices, in order of the first device of each.
  std::vector<int32_t> ProcessesOf(absl::Span<const int64_t> devices) const;

  // One round of an operation of these devices, which all processes that have some of them call:
  // sends and receives messages, to and from each other one of these processes at most one. Two
  // processes that name each other check that both are in the same operation, also by messages
  // without parts; those that do not, as in a permutation, have nothing to do with each other.
  // Returns when all messages have arrived. `devices` distinguishes rounds that are under way at
  // the same time.
  virtual absl::Status Exchange(const Operation& operation, absl::Span<const int64_t> devices,
                                absl::Span<const Outgoing> outgoing,
                                absl::Span<const Incoming> incoming, const WaitLimits& limits) = 0;

  // A message from device to device; messages of one channel arrive in order. Send copies them, and
  // never waits; Receive waits for one, which the description of the sender precedes.
  virtual absl::Status Send(const Operation& operation, const Rendezvous::Channel& channel,
                            int32_t process, absl::Span<const absl::Span<const char>> parts) = 0;
  virtual absl::Status Receive(const Operation& operation, const Rendezvous::Channel& channel,
                               int32_t process, absl::Span<const absl::Span<char>> parts,
                               const WaitLimits& limits) = 0;

  // The run has ended on this process: with an error, it ends with an error on the others.
  virtual void Finish(const absl::Status& status) = 0;

 private:
  const std::vector<int32_t> processes_;
  const int32_t self_;
  std::vector<int64_t> local_devices_;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_PROCESS_GROUP_H_
