// SPDX-License-Identifier: Apache-2.0
// What moves bytes between the processes of a job: an engine such as Gloo or MPI, or memory, for
// tests.
//
// There is one rank for each process. An engine carries two things: frames, which are short, arrive
// in order and need no one who waits for them, and transfers, of any size, from memory to memory,
// which the two sides know by a number. What they mean is the messenger's affair (messenger.h).
#ifndef XLA_DISTRIBUTED_TRANSPORT_H_
#define XLA_DISTRIBUTED_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/runtime/wait.h"

namespace xla::distributed {

// Thread-safe, but for Start and Stop.
class Transport {
 public:
  // The largest frame.
  static constexpr size_t kMaxFrameBytes = size_t{64} << 10;

  // Told of what arrives, on threads of the transport; returns soon, and may send frames.
  class Receiver {
   public:
    virtual ~Receiver() = default;
    // The frames of a process come one after the other.
    virtual void OnFrame(int process, absl::Span<const char> frame) = 0;
    // Nothing more will come from the process, or go there.
    virtual void OnFailure(int process, const absl::Status& status) = 0;
  };

  // One way of a message. Destroying a transfer that is not done leaves the connection unusable if
  // the other side has started it: Disconnect then.
  class Transfer {
   public:
    virtual ~Transfer() = default;
    // Waits until the memory has been written (or read, by a sender). UNAVAILABLE when the other
    // process has gone; DEADLINE_EXCEEDED without a message, or the error of `poll`, as the limits
    // say. May be called again after those.
    virtual absl::Status Wait(const runtime::WaitLimits& limits) = 0;
  };

  virtual ~Transport() = default;

  // "gloo", "mpi", "memory"
  virtual absl::string_view name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Begins to receive. Frames that came before are not lost.
  virtual absl::Status Start(Receiver* receiver) = 0;
  // Ends all connections; the receiver is not called any more. Called by the destructor.
  virtual void Stop() = 0;

  // Sends the parts as one frame; does not wait for the receiver, unless some megabytes of frames
  // are under way to a process that takes none. UNAVAILABLE when the process has gone.
  virtual absl::Status SendFrame(int process, absl::Span<const absl::Span<const char>> parts) = 0;

  // Transfers meet by the pair of processes, the direction and `id`, which is used once; both sides
  // give the same number of bytes, more than 0. The memory must live until the transfer is done or
  // destroyed.
  virtual absl::StatusOr<std::unique_ptr<Transfer>> StartSend(int process, uint64_t id,
                                                              absl::Span<const char> data) = 0;
  virtual absl::StatusOr<std::unique_ptr<Transfer>> StartReceive(int process, uint64_t id,
                                                                 absl::Span<char> data) = 0;

  // A thread that waits may receive itself: it would else be woken by a thread of the transport's
  // that was woken first. Receives on the calling thread until done(), and returns true; false: it
  // has looked for long enough, and should wait as told by its own means. DEADLINE_EXCEEDED
  // without a message, or the error of `poll`, as the limits say. The caller holds no lock that
  // done() or the receiver take; done() is also looked at every few milliseconds.
  virtual absl::StatusOr<bool> ReceiveUntil(const runtime::WaitLimits& /*limits*/,
                                            absl::FunctionRef<bool()> done) {
    return done();
  }

  // Ends the connection to a process, for which OnFailure will be called with this status, unless
  // it was before.
  virtual void Disconnect(int process, const absl::Status& status) = 0;
};

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_TRANSPORT_H_
