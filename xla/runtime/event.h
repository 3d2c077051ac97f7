// SPDX-License-Identifier: Apache-2.0
// Events: something that happens once, successfully or with an error.
//
//   EventSource source;
//   Event event = source.event();
//   event.OnReady([](const absl::Status& status) { ... });   // on the thread that sets it
//   source.Set(absl::OkStatus());
//   absl::Status status = event.Await(absl::Seconds(1));
#ifndef XLA_RUNTIME_EVENT_H_
#define XLA_RUNTIME_EVENT_H_

#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace xla::runtime {

namespace internal {
class EventState;
}

// A handle, cheap to copy. Thread-safe.
class Event {
 public:
  using Callback = absl::AnyInvocable<void(const absl::Status&)>;

  // Ready from the start, without an error.
  Event() = default;
  // Ready from the start, with this status.
  explicit Event(absl::Status status);

  bool IsReady() const;
  // Ready, and without an error.
  bool IsReadyOk() const;
  // OK or the error. Precondition: IsReady().
  absl::Status status() const;
  // Waits until the event is ready, and returns its status. DEADLINE_EXCEEDED when that takes
  // longer than the timeout; the event itself is not affected.
  absl::Status Await(absl::Duration timeout = absl::InfiniteDuration()) const;
  // Calls the function once: now if the event is ready, else on the thread that makes it ready, in
  // the order in which callbacks were added. It must not block.
  void OnReady(Callback callback) const;

  // Ready when all are; with the error of the first of `events` that has one.
  static Event All(absl::Span<const Event> events);

 private:
  friend class EventSource;
  explicit Event(std::shared_ptr<internal::EventState> state) : state_(std::move(state)) {}

  std::shared_ptr<internal::EventState> state_;  // null: ready, OK
};

// The side that makes an event ready. An event whose source goes away unset becomes an error.
class EventSource {
 public:
  EventSource();
  EventSource(EventSource&&) noexcept = default;
  EventSource& operator=(EventSource&& other) noexcept;
  ~EventSource();

  Event event() const { return Event(state_); }
  // Precondition: not set before. Callbacks run here.
  void Set(const absl::Status& status);

 private:
  std::shared_ptr<internal::EventState> state_;
  bool is_set_ = false;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_EVENT_H_
