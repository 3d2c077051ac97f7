// SPDX-License-Identifier: Apache-2.0
// The receives of a device that have been requested and not completed.
//
// A recv requests a message: the next of its channel that no earlier recv has requested. A
// recv-done completes the request, in any order: messages that arrive before the one that is waited
// for are kept. Used by the device's thread only.
#ifndef XLA_RUNTIME_PENDING_RECEIVES_H_
#define XLA_RUNTIME_PENDING_RECEIVES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/runtime/rendezvous.h"

namespace xla::runtime {

// `Recv` is what requests, an instruction; `Message` is what it receives.
template <typename Recv, typename Message>
class PendingReceives {
 public:
  // Where data comes from: a channel between devices, or one of the host.
  struct Source {
    bool is_host = false;
    Rendezvous::Channel channel;
    bool operator<(const Source& o) const {
      return std::tie(is_host, channel) < std::tie(o.is_host, o.channel);
    }
  };
  struct Request {
    const Recv* recv = nullptr;
    std::optional<Source> source;  // nullopt if no device sends to this one, which gets zeros
    int64_t number = 0;            // of the message, in its channel
  };
  // Waits for the next message of a source.
  using Await = absl::FunctionRef<absl::StatusOr<Message>(const Source& source, const Recv& recv)>;

  // Requests a message; returns the request's number. RESOURCE_EXHAUSTED after 2^32 requests.
  absl::StatusOr<uint32_t> Add(const Recv* recv, std::optional<Source> source) {
    Request request = {recv, source, 0};
    if (source.has_value()) request.number = inboxes_[*source].requested++;
    const uint32_t number = ++last_request_;
    if (requests_.emplace(number, std::move(request)).second) return number;
    return absl::ResourceExhaustedError("too many receives are pending");
  }

  // Removes a request. INVALID_ARGUMENT if there is none of this number.
  absl::StatusOr<Request> Take(std::optional<uint32_t> number) {
    const auto found = number.has_value() ? requests_.find(*number) : requests_.end();
    if (found == requests_.end())
      return absl::InvalidArgumentError("its operand is not the result of a pending recv");
    Request request = std::move(found->second);
    requests_.erase(found);
    return request;
  }

  // The message of a request that has a source; `await` is called until it is there.
  absl::StatusOr<Message> Receive(const Request& request, Await await) {
    Inbox& inbox = inboxes_[*request.source];
    while (inbox.received <= request.number) {
      absl::StatusOr<Message> message = await(*request.source, *request.recv);
      if (!message.ok()) return message.status();
      inbox.early.emplace(inbox.received++, *std::move(message));
    }
    return std::move(inbox.early.extract(request.number).mapped());
  }

 private:
  struct Inbox {
    int64_t requested = 0, received = 0;
    std::map<int64_t, Message> early;  // received while waiting for another
  };
  uint32_t last_request_ = 0;
  std::map<uint32_t, Request> requests_;
  std::map<Source, Inbox> inboxes_;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_PENDING_RECEIVES_H_
