// SPDX-License-Identifier: Apache-2.0
// Channels between devices and the host: what send and recv with is_host_transfer=true use.
//
// Each device has two queues for each channel id, one in each direction. As with feeds, host and
// devices call from different threads, before, during and after a run.
#ifndef XLA_RUNTIME_CHANNELS_H_
#define XLA_RUNTIME_CHANNELS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/literal.h"
#include "xla/runtime/feeds.h"
#include "xla/runtime/wait.h"
#include "xla/shape.h"

namespace xla::runtime {

class HostChannels {
 public:
  // Each queue holds at most about `capacity_bytes`; a push beyond that waits.
  explicit HostChannels(int64_t num_devices, int64_t capacity_bytes = int64_t{1} << 30)
      : num_devices_(num_devices), capacity_bytes_(capacity_bytes) {}

  int64_t num_devices() const { return num_devices_; }

  // --- The host. INVALID_ARGUMENT for a device out of range.
  // Data for the device's recv on the channel.
  absl::Status ToDevice(const LiteralSlice& literal, int64_t device, int64_t channel,
                        const WaitLimits& limits = {});
  // What the device's next send on the channel gave.
  absl::StatusOr<Literal> FromDevice(int64_t device, int64_t channel,
                                     const WaitLimits& limits = {});
  // Channels on which the device has sent data that is still queued, ascending.
  std::vector<int64_t> Sent(int64_t device) const;
  // No more data will come: a recv that finds its queue empty fails at once instead of waiting.
  void Close();

  // --- The devices.
  absl::Status Send(Literal literal, int64_t device, int64_t channel, const WaitLimits& limits);
  // INVALID_ARGUMENT if the next literal does not fit `shape`.
  absl::StatusOr<Literal> Receive(const Shape& shape, int64_t device, int64_t channel,
                                  const WaitLimits& limits);

 private:
  using Queues = std::map<std::pair<int64_t, int64_t>, LiteralQueue>;  // by device and channel
  absl::StatusOr<LiteralQueue*> Find(Queues& queues, int64_t device, int64_t channel);

  const int64_t num_devices_, capacity_bytes_;
  mutable std::mutex mutex_;  // of the maps and closed_; a queue once made stays
  Queues to_device_, from_device_;
  bool closed_ = false;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_CHANNELS_H_
