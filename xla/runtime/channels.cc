// SPDX-License-Identifier: Apache-2.0
// Queues of literals between devices and the host, by channel.
#include "xla/runtime/channels.h"

#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "xla/base/status_macros.h"

namespace xla::runtime {

absl::StatusOr<LiteralQueue*> HostChannels::Find(Queues& queues, int64_t device, int64_t channel) {
  if (device < 0 || device >= num_devices_) {
    return absl::InvalidArgumentError(absl::StrCat("there are no channels of device ", device,
                                                   ": there are ", num_devices_, " devices"));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [it, is_new] =
      queues.emplace(std::piecewise_construct, std::forward_as_tuple(device, channel),
                     std::forward_as_tuple(capacity_bytes_));
  if (is_new && closed_ && &queues == &to_device_) it->second.Close();
  return &it->second;
}

absl::Status HostChannels::ToDevice(const LiteralSlice& literal, int64_t device, int64_t channel,
                                    const WaitLimits& limits) {
  XLA_ASSIGN_OR_RETURN(LiteralQueue* const queue, Find(to_device_, device, channel));
  absl::Status status = queue->Push(literal.Clone(), limits);
  if (!absl::IsDeadlineExceeded(status)) return status;
  return absl::DeadlineExceededError(absl::StrCat("device ", device, " took nothing from the full ",
                                                  "channel ", channel, " in ",
                                                  absl::FormatDuration(limits.timeout)));
}

absl::StatusOr<Literal> HostChannels::FromDevice(int64_t device, int64_t channel,
                                                 const WaitLimits& limits) {
  XLA_ASSIGN_OR_RETURN(LiteralQueue* const queue, Find(from_device_, device, channel));
  auto literal = queue->Pop([](const Shape&) { return absl::OkStatus(); }, limits);
  if (!absl::IsDeadlineExceeded(literal.status())) return literal;
  return absl::DeadlineExceededError(absl::StrCat("device ", device, " sent nothing on channel ",
                                                  channel, " in ",
                                                  absl::FormatDuration(limits.timeout)));
}

std::vector<int64_t> HostChannels::Sent(int64_t device) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<int64_t> channels;
  for (const auto& [key, queue] : from_device_) {
    if (key.first == device && queue.size() > 0) channels.push_back(key.second);
  }
  return channels;
}

void HostChannels::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  for (auto& [key, queue] : to_device_) queue.Close();
}

absl::Status HostChannels::Send(Literal literal, int64_t device, int64_t channel,
                                const WaitLimits& limits) {
  XLA_ASSIGN_OR_RETURN(LiteralQueue* const queue, Find(from_device_, device, channel));
  absl::Status status = queue->Push(std::move(literal), limits);
  if (!absl::IsDeadlineExceeded(status)) return status;
  return absl::DeadlineExceededError(absl::StrCat("the host took nothing from the full channel ",
                                                  channel, " of device ", device, " in ",
                                                  absl::FormatDuration(limits.timeout)));
}

absl::StatusOr<Literal> HostChannels::Receive(const Shape& shape, int64_t device, int64_t channel,
                                              const WaitLimits& limits) {
  XLA_ASSIGN_OR_RETURN(LiteralQueue* const queue, Find(to_device_, device, channel));
  auto literal = queue->Pop(
      [&](const Shape& actual) -> absl::Status {
        if (LiteralFits(shape, actual)) return absl::OkStatus();
        return absl::InvalidArgumentError(
            absl::StrCat("the program receives ", shape.ToString(), ", but the host gave ",
                         actual.ToString(), " on channel ", channel, " of device ", device));
      },
      limits);
  if (literal.ok()) return literal;
  if (absl::IsFailedPrecondition(literal.status())) {
    return absl::FailedPreconditionError(absl::StrCat("the host gave nothing on channel ", channel,
                                                      " of device ", device,
                                                      ", and will give nothing more"));
  }
  if (absl::IsDeadlineExceeded(literal.status())) {
    return absl::DeadlineExceededError(absl::StrCat("the host gave nothing on channel ", channel,
                                                    " of device ", device, " in ",
                                                    absl::FormatDuration(limits.timeout)));
  }
  return literal;
}

}  // namespace xla::runtime
