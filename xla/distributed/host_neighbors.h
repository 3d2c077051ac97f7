// SPDX-License-Identifier: Apache-2.0
// The other processes of a host, and the memory that is shared with them.
#ifndef XLA_DISTRIBUTED_HOST_NEIGHBORS_H_
#define XLA_DISTRIBUTED_HOST_NEIGHBORS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/distributed/host_memory.h"
#include "xla/distributed/host_transport.h"
#include "xla/distributed/key_value_store.h"

namespace xla::distributed {

// Another process of this host. Thread-safe, but that one thread at a time takes what comes.
class Neighbor {
 public:
  // Memory that the neighbor is to read.
  struct Transfer {
    uint64_t id = 0;
    absl::Span<const char> data;
    size_t offer = Channel::kOffers;  // where it is announced; kOffers: not yet
  };

  Neighbor(int process, std::unique_ptr<Region> region, Channel* outgoing, Channel* incoming)
      : process_(process), region_(std::move(region)), outgoing_(outgoing), incoming_(incoming) {}

  int process() const { return process_; }
  Region& region() { return *region_; }
  Channel& incoming() { return *incoming_; }

  bool is_over() const { return is_over_; }
  // Nothing is sent to it or taken from it any more.
  void End(const absl::Status& status);
  // UNAVAILABLE if it is over, and why.
  absl::Status Check() const;

  // Sends a frame, or keeps it until there is room.
  absl::Status Send(absl::Span<const absl::Span<const char>> parts);
  // Sends and announces what had no room. Whether no frame is left.
  bool Flush();
  size_t waiting_bytes() const;

  // Announces a transfer, when there is a place for it.
  void Announce(Transfer* transfer);
  bool IsTaken(const Transfer& transfer) const;
  // Who reads the memory at this moment finds out.
  void Withdraw(Transfer* transfer);

 private:
  bool AnnounceLocked(Transfer& transfer);

  const int process_;
  const std::unique_ptr<Region> region_;  // its own
  Channel* const outgoing_;               // in its region
  Channel* const incoming_;               // in that of this process
  std::atomic<bool> is_over_{false};

  mutable std::mutex mutex_;
  absl::Status failure_;             // why it is over
  std::deque<std::string> waiting_;  // frames, in order
  size_t waiting_bytes_ = 0;
  std::array<bool, Channel::kOffers> is_offered_ = {};
  std::deque<Transfer*> unannounced_;
};

struct Neighbors {
  std::unique_ptr<Region> own;
  std::vector<std::shared_ptr<Neighbor>> others;
};

// Called by all processes of a host: those that share memory with this one. DEADLINE_EXCEEDED if
// one does not call it.
absl::StatusOr<Neighbors> MeetNeighbors(int rank, KeyValueStore& store,
                                        const HostTransportOptions& options);

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_HOST_NEIGHBORS_H_
