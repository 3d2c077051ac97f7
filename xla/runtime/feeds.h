// SPDX-License-Identifier: Apache-2.0
// Infeed and outfeed: two queues of literals for each device, between a running program and the
// host.
//
//   Feeds feeds(/*num_devices=*/1);
//   feeds.TransferToInfeed(LiteralUtil::CreateR1<float>({1, 2}));       // host
//   ... a program runs infeed (f32[2]) and outfeed, with InterpreterOptions::feeds = &feeds ...
//   feeds.TransferFromOutfeed(ShapeUtil::MakeShape(F32, {2}));          // host
//
// One literal is what one instruction reads or writes: a tuple for a tuple. Host and devices may
// call from different threads, before, during and after a run. All calls that wait obey WaitLimits.
#ifndef XLA_RUNTIME_FEEDS_H_
#define XLA_RUNTIME_FEEDS_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/runtime/wait.h"
#include "xla/shape.h"

namespace xla::runtime {

// Whether a literal of shape `actual` can be used where `expected` is required: same arrays,
// where a dimension that is dynamic may be smaller than its bound, or have a size at run time
// within it. Layouts do not matter.
bool LiteralFits(const Shape& expected, const Shape& actual);

// A first-in, first-out queue of literals that holds a bounded number of bytes. Thread-safe.
class LiteralQueue {
 public:
  explicit LiteralQueue(int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  // Waits while the queue holds something and the literal would pass the capacity.
  // FAILED_PRECONDITION once closed; DEADLINE_EXCEEDED when time is up.
  absl::Status Push(Literal literal, const WaitLimits& limits);
  // Waits for a literal and takes it if `accept` agrees with its shape; else the literal stays, and
  // the error is that of `accept`. FAILED_PRECONDITION when the queue is empty and closed;
  // DEADLINE_EXCEEDED when time is up.
  absl::StatusOr<Literal> Pop(absl::FunctionRef<absl::Status(const Shape&)> accept,
                              const WaitLimits& limits);
  // No more literals may be pushed; queued ones can still be taken.
  void Close();
  int64_t size() const;

 private:
  const int64_t capacity_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Literal> literals_;
  int64_t bytes_ = 0;
  bool closed_ = false;
};

class Feeds {
 public:
  // Each queue holds at most about `capacity_bytes`; a push beyond that waits.
  explicit Feeds(int64_t num_devices, int64_t capacity_bytes = int64_t{1} << 30);
  // Some of the devices of `all`, on the same queues: device i here is devices[i] there.
  // Precondition: the devices exist.
  Feeds(const Feeds& all, absl::Span<const int> devices);

  int64_t num_devices() const { return static_cast<int64_t>(devices_.size()); }

  // --- The host. `device` is replica * num_partitions + partition; INVALID_ARGUMENT out of range.
  // Copies the literal to the end of the queue that the device's infeed instructions read.
  absl::Status TransferToInfeed(const LiteralSlice& literal, int64_t device = 0,
                                const WaitLimits& limits = {});
  // What the device's next outfeed instruction wrote. INVALID_ARGUMENT if it has another shape than
  // `shape` (layouts apart); it stays in the queue then.
  absl::StatusOr<Literal> TransferFromOutfeed(const Shape& shape, int64_t device = 0,
                                              const WaitLimits& limits = {});
  // The same, whatever its shape.
  absl::StatusOr<Literal> TransferFromOutfeed(int64_t device = 0, const WaitLimits& limits = {});
  // Literals written and not taken yet.
  int64_t OutfeedSize(int64_t device = 0) const;
  // No more data will come: an infeed that finds its queue empty fails at once instead of waiting.
  void CloseInfeeds();

  // --- The devices.
  // The next literal given to this device. INVALID_ARGUMENT if it does not fit `shape`.
  absl::StatusOr<Literal> ReadInfeed(const Shape& shape, int64_t device, const WaitLimits& limits);
  absl::Status WriteOutfeed(Literal literal, int64_t device, const WaitLimits& limits);

 private:
  struct Queues {
    explicit Queues(int64_t capacity_bytes) : infeed(capacity_bytes), outfeed(capacity_bytes) {}
    LiteralQueue infeed, outfeed;
  };
  absl::StatusOr<Queues*> Find(int64_t device) const;

  std::vector<std::shared_ptr<Queues>> devices_;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_FEEDS_H_
