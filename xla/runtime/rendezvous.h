// SPDX-License-Identifier: Apache-2.0
// Where the devices of one run meet: collectives, and messages from device to device.
//
// One object serves one run of devices 0..n-1, each of which calls from a thread of its own and
// says when it has ended. No wait is endless: it ends with an error as soon as it cannot
// succeed (a device that is waited for has ended, or all devices wait for each other), when its
// time is up, or when some device has failed. Errors name the operations and the devices.
#ifndef XLA_RUNTIME_RENDEZVOUS_H_
#define XLA_RUNTIME_RENDEZVOUS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/runtime/wait.h"

namespace xla::runtime {

class Rendezvous {
 public:
  // Data that devices exchange; the users of a run agree on its type.
  using Payload = std::shared_ptr<void>;

  // What meets what: all that have a channel meet by its id, others by the operation's own id.
  struct Place {
    bool is_channel = false;
    int64_t id = 0;
    bool operator<(const Place& o) const {
      return std::tie(is_channel, id) < std::tie(o.is_channel, o.id);
    }
  };
  // From one device to another, or, where both are -1, from any sender to any receiver: then
  // only one device may do either.
  struct Channel {
    Place place;
    int64_t source = -1, target = -1;
    bool operator<(const Channel& o) const {
      return std::tie(place, source, target) < std::tie(o.place, o.source, o.target);
    }
  };

  explicit Rendezvous(int64_t num_devices) : Rendezvous(num_devices, num_devices) {}
  // Only `running` of the devices are in this process and will call Finish; the others never do.
  Rendezvous(int64_t num_devices, int64_t running);

  int64_t num_devices() const { return static_cast<int64_t>(devices_.size()); }

  // Waits until all `participants` (devices, each once; participants[rank] is the caller) have come
  // to `place` as often as the caller has. The last to arrive calls `combine` with all payloads, in
  // the order of participants; it returns what each gets, in that order. `operation` names the
  // caller's operation in errors; it lives as long as the run.
  absl::StatusOr<Payload> Meet(
      Place place, absl::Span<const int64_t> participants, int64_t rank,
      absl::string_view operation, Payload payload,
      absl::FunctionRef<absl::StatusOr<std::vector<Payload>>(absl::Span<const Payload>)> combine,
      const WaitLimits& limits);

  // Leaves a message; never waits. Messages of one channel are received in order.
  absl::Status Send(const Channel& channel, int64_t device, Payload payload);
  // Waits for the channel's next message.
  absl::StatusOr<Payload> Receive(const Channel& channel, int64_t device,
                                  absl::string_view operation, const WaitLimits& limits);

  // The device has ended: with an error, all others are to stop.
  void Finish(int64_t device, const absl::Status& status);
  // A device has failed. Cheap.
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // The error of a device that stops because of another one: CANCELLED.
  absl::Status StopStatus() const;
  // The error the run ends with, once all devices have ended: that of the lowest device that did
  // not merely stop. OK when there is none.
  absl::Status RootError() const;
  // The device of RootError; -1 when there is none.
  int64_t RootDevice() const;

 private:
  struct Meeting {
    std::vector<int64_t> participants;
    std::vector<Payload> in, out;
    std::vector<bool> is_here;
    int64_t missing = 0;
    bool is_done = false;
    absl::Status status;
  };
  struct Mailbox {
    std::deque<Payload> messages;
    int64_t sender = -1, receiver = -1;
    int64_t waiting = -1;  // the receiver, while it waits
  };
  struct Device {
    std::condition_variable changed;  // something that it waits for
    bool is_finished = false;
    absl::Status status;
    std::map<std::pair<Place, std::vector<int64_t>>, int64_t> visits;
    // While it waits for other devices: in a meeting, or else for `source` (-1: any) to send.
    bool is_blocked = false;
    absl::string_view operation;
    const Meeting* meeting = nullptr;
    int64_t source = -1;
    absl::Status doom;  // why the wait cannot succeed
  };
  using MeetingKey = std::tuple<Place, std::vector<int64_t>, int64_t>;

  Device& At(int64_t device) { return devices_[static_cast<size_t>(device)]; }
  const Device& At(int64_t device) const { return devices_[static_cast<size_t>(device)]; }
  static std::vector<int64_t> Missing(const Meeting& meeting);
  // Those of `devices` that have ended.
  std::vector<int64_t> Ended(std::vector<int64_t> devices) const;
  std::vector<int64_t> WaitsFor(const Device& device) const;
  void Block(int64_t device, absl::string_view operation, const Meeting* meeting, int64_t source);
  void Unblock(int64_t device);
  void WakeAll();
  absl::Status AwaitMeeting(std::unique_lock<std::mutex>& lock, const Meeting& meeting,
                            int64_t self, absl::string_view operation, const WaitLimits& limits);
  // Dooms waits that cannot succeed: all devices that have not ended wait for each other.
  void FindDeadlock();
  absl::Status StopStatusLocked() const;

  mutable std::mutex mutex_;
  std::vector<Device> devices_;
  int64_t running_, blocked_ = 0;
  std::map<MeetingKey, std::shared_ptr<Meeting>> meetings_;
  std::map<Channel, Mailbox> mailboxes_;
  int64_t first_failed_ = -1;
  std::atomic<bool> stopped_{false};
};

// "devices 1, 2 and 3", "device 1", at most a dozen ids.
std::string DevicesText(absl::Span<const int64_t> devices);

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_RENDEZVOUS_H_
