// SPDX-License-Identifier: Apache-2.0
// Meetings and messages of the devices of a run.
#include "xla/runtime/rendezvous.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"

namespace xla::runtime {

std::string DevicesText(absl::Span<const int64_t> devices) {
  constexpr size_t kMost = 12;
  if (devices.size() == 1) return absl::StrCat("device ", devices[0]);
  if (devices.size() > kMost) {
    return absl::StrCat("devices ", absl::StrJoin(devices.subspan(0, kMost), ", "), " and ",
                        devices.size() - kMost, " more");
  }
  if (devices.empty()) return "no device";
  return absl::StrCat("devices ", absl::StrJoin(devices.subspan(0, devices.size() - 1), ", "),
                      " and ", devices.back());
}

namespace {

// A copy that shares nothing: a status's count of references lives in Abseil's library, where
// ThreadSanitizer does not see that it orders threads.
absl::Status OwnCopy(const absl::Status& status) {
  return absl::Status(status.code(), status.message());
}

}  // namespace

Rendezvous::Rendezvous(int64_t num_devices, int64_t running)
    : devices_(static_cast<size_t>(num_devices)), running_(running) {}

// --- What a device waits for

std::vector<int64_t> Rendezvous::Missing(const Meeting& meeting) {
  std::vector<int64_t> devices;
  for (size_t i = 0; i < meeting.participants.size(); ++i) {
    if (!meeting.is_here[i]) devices.push_back(meeting.participants[i]);
  }
  return devices;
}

std::vector<int64_t> Rendezvous::Ended(std::vector<int64_t> devices) const {
  devices.erase(std::remove_if(devices.begin(), devices.end(),
                               [&](int64_t device) { return !At(device).is_finished; }),
                devices.end());
  return devices;
}

std::vector<int64_t> Rendezvous::WaitsFor(const Device& device) const {
  if (device.meeting != nullptr) return Missing(*device.meeting);
  return device.source < 0 ? std::vector<int64_t>() : std::vector<int64_t>{device.source};
}

void Rendezvous::Block(int64_t device, absl::string_view operation, const Meeting* meeting,
                       int64_t source) {
  Device& state = At(device);
  XLA_DCHECK(!state.is_blocked);
  state.is_blocked = true;
  state.operation = operation;
  state.meeting = meeting;
  state.source = source;
  state.doom = absl::OkStatus();
  ++blocked_;
  FindDeadlock();
}

void Rendezvous::Unblock(int64_t device) {
  Device& state = At(device);
  if (!state.is_blocked) return;
  state.is_blocked = false;
  --blocked_;
}

void Rendezvous::WakeAll() {
  for (Device& device : devices_) device.changed.notify_one();
}

void Rendezvous::FindDeadlock() {
  constexpr size_t kMostNamed = 8;
  if (blocked_ == 0 || blocked_ < running_) return;
  std::vector<std::string> waits;
  for (size_t i = 0; i < devices_.size(); ++i) {
    const Device& device = devices_[i];
    if (!device.is_blocked) continue;
    const std::vector<int64_t> waits_for = WaitsFor(device);
    // Such a device will wake up and tell the very reason; all others stop then.
    if (!device.doom.ok() || !Ended(waits_for).empty()) return;
    if (waits.size() < kMostNamed) {
      waits.push_back(absl::StrCat(
          "device ", i, " in ", device.operation, " for ",
          device.source < 0 && device.meeting == nullptr ? "any device" : DevicesText(waits_for)));
    }
  }
  if (static_cast<int64_t>(waits.size()) < blocked_) waits.push_back("and more");
  for (Device& device : devices_) {
    if (!device.is_blocked) continue;
    device.doom = absl::FailedPreconditionError(absl::StrCat(
        "all devices that still run wait for each other: ", absl::StrJoin(waits, "; ")));
  }
  WakeAll();
}

absl::Status Rendezvous::StopStatusLocked() const {
  return absl::CancelledError(
      absl::StrCat("stopped because of an error on device ", first_failed_));
}

absl::Status Rendezvous::StopStatus() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return StopStatusLocked();
}

// --- Meetings

absl::StatusOr<Rendezvous::Payload> Rendezvous::Meet(
    Place place, absl::Span<const int64_t> participants, int64_t rank, absl::string_view operation,
    Payload payload,
    absl::FunctionRef<absl::StatusOr<std::vector<Payload>>(absl::Span<const Payload>)> combine,
    const WaitLimits& limits) {
  const auto index = static_cast<size_t>(rank);
  const int64_t self = participants[index];
  if (participants.size() == 1) {
    if (stopped()) return StopStatus();
    XLA_ASSIGN_OR_RETURN(std::vector<Payload> out, combine(absl::MakeConstSpan(&payload, 1)));
    XLA_CHECK(out.size() == 1);
    return std::move(out[0]);
  }
  std::vector<int64_t> group(participants.begin(), participants.end());

  std::unique_lock<std::mutex> lock(mutex_);
  if (stopped()) return StopStatusLocked();
  const int64_t visit = At(self).visits[{place, group}]++;
  const MeetingKey key{place, group, visit};
  std::shared_ptr<Meeting>& entry = meetings_[key];
  if (entry == nullptr) {
    entry = std::make_shared<Meeting>();
    entry->participants = group;
    entry->in.resize(group.size());
    entry->is_here.resize(group.size(), false);
    entry->missing = static_cast<int64_t>(group.size());
  }
  const std::shared_ptr<Meeting> meeting = entry;
  XLA_CHECK(!meeting->is_here[index]) << "device " << self << " arrived twice";
  meeting->is_here[index] = true;
  meeting->in[index] = std::move(payload);

  if (--meeting->missing == 0) {
    // No further lookup finds it: the next visit is another meeting.
    meetings_.erase(key);
    for (const int64_t device : group) Unblock(device);
    lock.unlock();
    absl::StatusOr<std::vector<Payload>> out = combine(meeting->in);
    lock.lock();
    meeting->is_done = true;
    meeting->status = OwnCopy(out.status());
    if (out.ok()) {
      XLA_CHECK(out->size() == group.size());
      meeting->out = *std::move(out);
    }
    meeting->in.clear();
    for (const int64_t device : group) At(device).changed.notify_one();
  } else {
    XLA_RETURN_IF_ERROR(AwaitMeeting(lock, *meeting, self, operation, limits));
  }
  if (!meeting->status.ok()) return OwnCopy(meeting->status);
  return std::move(meeting->out[index]);
}

absl::Status Rendezvous::AwaitMeeting(std::unique_lock<std::mutex>& lock, const Meeting& meeting,
                                      int64_t self, absl::string_view operation,
                                      const WaitLimits& limits) {
  Device& state = At(self);
  Block(self, operation, &meeting, -1);
  WaitLimits patience = limits;
  absl::Status status;
  while (true) {
    status = WaitUntil(lock, state.changed, patience, [&] {
      return meeting.is_done || !state.doom.ok() || stopped() || !Ended(Missing(meeting)).empty();
    });
    // Once all have arrived, the wait is for work, not for a device.
    if (!absl::IsDeadlineExceeded(status) || meeting.missing > 0) break;
    patience.timeout = absl::InfiniteDuration();
  }
  Unblock(self);
  if (meeting.is_done) return absl::OkStatus();
  if (stopped()) return StopStatusLocked();
  const std::vector<int64_t> missing = Missing(meeting), ended = Ended(missing);
  const std::string group =
      absl::StrCat(" of the group {", absl::StrJoin(meeting.participants, ","), "}");
  if (!ended.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "device ", self, " waits for ", DevicesText(missing), group, ", but ", DevicesText(ended),
        ended.size() == 1 ? " has" : " have", " ended the program without it"));
  }
  if (absl::IsDeadlineExceeded(status)) {
    return absl::DeadlineExceededError(absl::StrCat("device ", self, " waited ",
                                                    absl::FormatDuration(limits.timeout), " for ",
                                                    DevicesText(missing), group));
  }
  return status.ok() ? OwnCopy(state.doom) : status;
}

// --- Messages

namespace {

// Makes the device the channel's one sender, or receiver.
absl::Status TakeEnd(int64_t& end, int64_t device, absl::string_view verb,
                     const Rendezvous::Channel& channel) {
  if (end >= 0 && end != device) {
    return absl::InvalidArgumentError(
        absl::StrCat("devices ", end, " and ", device, " both ", verb, " on channel ",
                     channel.place.id, ", which has no source-target pairs to tell who gets what"));
  }
  end = device;
  return absl::OkStatus();
}

}  // namespace

absl::Status Rendezvous::Send(const Channel& channel, int64_t device, Payload payload) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (stopped()) return StopStatusLocked();
  Mailbox& mailbox = mailboxes_[channel];
  XLA_RETURN_IF_ERROR(TakeEnd(mailbox.sender, device, "send", channel));
  mailbox.messages.push_back(std::move(payload));
  if (mailbox.waiting >= 0) {
    Unblock(mailbox.waiting);
    At(mailbox.waiting).changed.notify_one();
  }
  return absl::OkStatus();
}

absl::StatusOr<Rendezvous::Payload> Rendezvous::Receive(const Channel& channel, int64_t device,
                                                        absl::string_view operation,
                                                        const WaitLimits& limits) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (stopped()) return StopStatusLocked();
  Mailbox& mailbox = mailboxes_[channel];
  XLA_RETURN_IF_ERROR(TakeEnd(mailbox.receiver, device, "receive", channel));
  const auto has_ended = [&] { return channel.source >= 0 && At(channel.source).is_finished; };
  if (mailbox.messages.empty()) {
    Device& state = At(device);
    mailbox.waiting = device;
    Block(device, operation, nullptr, channel.source);
    absl::Status status = WaitUntil(lock, state.changed, limits, [&] {
      return !mailbox.messages.empty() || !state.doom.ok() || stopped() || has_ended();
    });
    mailbox.waiting = -1;
    Unblock(device);
    if (mailbox.messages.empty()) {
      if (stopped()) return StopStatusLocked();
      if (has_ended()) {
        return absl::FailedPreconditionError(absl::StrCat(
            "device ", device, " waits for device ", channel.source, " to send on channel ",
            channel.place.id, ", but that has ended the program"));
      }
      if (absl::IsDeadlineExceeded(status)) {
        return absl::DeadlineExceededError(absl::StrCat(
            "device ", device, " waited ", absl::FormatDuration(limits.timeout), " for ",
            channel.source >= 0 ? absl::StrCat("device ", channel.source) : "any device",
            " to send on channel ", channel.place.id));
      }
      return status.ok() ? OwnCopy(state.doom) : status;
    }
  }
  Payload payload = std::move(mailbox.messages.front());
  mailbox.messages.pop_front();
  return payload;
}

// --- Ends

void Rendezvous::Finish(int64_t device, const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  Device& state = At(device);
  XLA_CHECK(!state.is_finished) << "device " << device << " ends twice";
  state.is_finished = true;
  state.status = OwnCopy(status);
  --running_;
  if (!status.ok() && first_failed_ < 0) {
    first_failed_ = device;
    stopped_.store(true, std::memory_order_relaxed);
  }
  FindDeadlock();
  WakeAll();
}

int64_t Rendezvous::RootDevice() const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; i < devices_.size(); ++i) {
    const absl::Status& status = devices_[i].status;
    if (!status.ok() && !absl::IsCancelled(status)) return static_cast<int64_t>(i);
  }
  return first_failed_;
}

absl::Status Rendezvous::RootError() const {
  const int64_t device = RootDevice();
  std::lock_guard<std::mutex> lock(mutex_);
  return device < 0 ? absl::OkStatus() : OwnCopy(At(device).status);
}

}  // namespace xla::runtime
