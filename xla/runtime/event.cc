// SPDX-License-Identifier: Apache-2.0
// Events and their callbacks.
#include "xla/runtime/event.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/runtime/status_copy.h"

namespace xla::runtime {
namespace internal {

class EventState {
 public:
  bool IsReady() const { return is_ready_.load(std::memory_order_acquire); }
  bool IsReadyOk() const { return IsReady() && status_.ok(); }

  absl::Status status() const {
    XLA_CHECK(IsReady()) << "the status of an event that is not ready";
    return UnsharedCopy(status_);
  }

  void Set(const absl::Status& status) {
    std::vector<Event::Callback> callbacks;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      XLA_CHECK(!IsReady()) << "an event becomes ready once";
      status_ = UnsharedCopy(status);
      is_ready_.store(true, std::memory_order_release);
      callbacks.swap(callbacks_);
      changed_.notify_all();
    }
    for (Event::Callback& callback : callbacks) callback(status_);
  }

  absl::Status Await(absl::Duration timeout) const {
    if (!IsReady()) {
      // Durations beyond a year do not fit all clocks.
      const auto limit = std::chrono::steady_clock::now() +
                         absl::ToChronoNanoseconds(std::min(timeout, absl::Hours(24 * 365)));
      std::unique_lock<std::mutex> lock(mutex_);
      while (!IsReady()) {
        if (timeout == absl::InfiniteDuration()) {
          changed_.wait(lock);
        } else if (changed_.wait_until(lock, limit) == std::cv_status::timeout && !IsReady()) {
          return absl::DeadlineExceededError(
              absl::StrCat("the event was not ready within ", absl::FormatDuration(timeout)));
        }
      }
    }
    return status();
  }

  void OnReady(Event::Callback callback) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!IsReady()) {
        callbacks_.push_back(std::move(callback));
        return;
      }
    }
    callback(status_);
  }

 private:
  std::atomic<bool> is_ready_{false};
  absl::Status status_;  // does not change once is_ready_
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Event::Callback> callbacks_;
};

}  // namespace internal

Event::Event(absl::Status status) {
  if (status.ok()) return;
  state_ = std::make_shared<internal::EventState>();
  state_->Set(status);
}

bool Event::IsReady() const { return state_ == nullptr || state_->IsReady(); }

bool Event::IsReadyOk() const { return state_ == nullptr || state_->IsReadyOk(); }

absl::Status Event::status() const {
  return state_ == nullptr ? absl::OkStatus() : state_->status();
}

absl::Status Event::Await(absl::Duration timeout) const {
  return state_ == nullptr ? absl::OkStatus() : state_->Await(timeout);
}

void Event::OnReady(Callback callback) const {
  if (state_ == nullptr) {
    callback(absl::OkStatus());
  } else {
    state_->OnReady(std::move(callback));
  }
}

Event Event::All(absl::Span<const Event> events) {
  struct Join {
    explicit Join(absl::Span<const Event> events) : events(events.begin(), events.end()) {}
    const std::vector<Event> events;
    std::atomic<size_t> missing{0};
    EventSource source;

    void Arrive() {
      if (missing.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      absl::Status status;
      for (const Event& event : events) {
        status = event.status();
        if (!status.ok()) break;
      }
      source.Set(status);
    }
  };
  std::vector<Event> open;
  for (const Event& event : events) {
    if (!event.IsReadyOk()) open.push_back(event);
  }
  if (open.empty()) return Event();
  if (open.size() == 1) return open[0];
  const auto join = std::make_shared<Join>(open);
  join->missing.store(open.size(), std::memory_order_relaxed);
  const Event all = join->source.event();
  for (const Event& event : open) {
    event.OnReady([join](const absl::Status&) { join->Arrive(); });
  }
  return all;
}

EventSource::EventSource() : state_(std::make_shared<internal::EventState>()) {}

EventSource& EventSource::operator=(EventSource&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(is_set_, other.is_set_);
  return *this;
}

EventSource::~EventSource() {
  if (state_ != nullptr && !is_set_) {
    Set(absl::CancelledError("the event's source was destroyed before it was set"));
  }
}

void EventSource::Set(const absl::Status& status) {
  is_set_ = true;
  state_->Set(status);
}

}  // namespace xla::runtime
