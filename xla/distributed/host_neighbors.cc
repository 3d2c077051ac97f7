// SPDX-License-Identifier: Apache-2.0
#include "xla/distributed/host_neighbors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "xla/base/status_macros.h"

namespace xla::distributed {

void Neighbor::End(const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.ok()) failure_ = absl::UnavailableError(status.message());
  is_over_ = true;
}

absl::Status Neighbor::Check() const {
  if (!is_over_) return absl::OkStatus();
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

absl::Status Neighbor::Send(absl::Span<const absl::Span<const char>> parts) {
  XLA_RETURN_IF_ERROR(Check());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!waiting_.empty() || !outgoing_->frames.Write(parts)) {
      std::string& frame = waiting_.emplace_back();
      for (const absl::Span<const char> part : parts) frame.append(part.data(), part.size());
      waiting_bytes_ += frame.size();
    }
  }
  region_->Ring();
  return absl::OkStatus();
}

bool Neighbor::Flush() {
  bool has_news = false, is_empty = true;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_over_ || (waiting_.empty() && unannounced_.empty())) return true;
    while (!waiting_.empty()) {
      const absl::Span<const char> frame = waiting_.front();
      if (!outgoing_->frames.Write({frame})) {
        // There may be room since.
        outgoing_->frames.WantRoom();
        if (!outgoing_->frames.Write({frame})) break;
      }
      waiting_bytes_ -= frame.size();
      waiting_.pop_front();
      has_news = true;
    }
    while (!unannounced_.empty() && AnnounceLocked(*unannounced_.front())) {
      unannounced_.pop_front();
      has_news = true;
    }
    is_empty = waiting_.empty();
  }
  if (has_news) region_->Ring();
  return is_empty;
}

size_t Neighbor::waiting_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return waiting_bytes_;
}

bool Neighbor::AnnounceLocked(Transfer& transfer) {
  const auto free = std::find(is_offered_.begin(), is_offered_.end(), false);
  if (free == is_offered_.end()) return false;
  *free = true;
  transfer.offer = static_cast<size_t>(free - is_offered_.begin());
  Offer& offer = outgoing_->offers[transfer.offer];
  offer.address.store(reinterpret_cast<uintptr_t>(transfer.data.data()), std::memory_order_relaxed);
  offer.bytes.store(transfer.data.size(), std::memory_order_relaxed);
  offer.id.store(transfer.id, std::memory_order_release);
  return true;
}

void Neighbor::Announce(Transfer* transfer) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!unannounced_.empty() || !AnnounceLocked(*transfer)) {
      unannounced_.push_back(transfer);
      return;
    }
  }
  region_->Ring();
}

bool Neighbor::IsTaken(const Transfer& transfer) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return transfer.offer < Channel::kOffers &&
         outgoing_->offers[transfer.offer].taken.load(std::memory_order_acquire) == transfer.id;
}

void Neighbor::Withdraw(Transfer* transfer) {
  bool has_room = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (transfer->offer == Channel::kOffers) {
      std::erase(unannounced_, transfer);
      return;
    }
    outgoing_->offers[transfer->offer].id.store(0, std::memory_order_seq_cst);
    is_offered_[std::exchange(transfer->offer, Channel::kOffers)] = false;
    has_room = !unannounced_.empty();
  }
  if (has_room) (void)Flush();
}

// --- Meeting them

namespace {

std::string KeyOf(const HostTransportOptions& options, int process, absl::string_view what) {
  return absl::StrCat("memory/", options.epoch, "/", process, "/", what);
}

// Its place in the list.
size_t PositionOf(const HostTransportOptions& options, int process) {
  return static_cast<size_t>(
      std::find(options.processes.begin(), options.processes.end(), process) -
      options.processes.begin());
}

}  // namespace

absl::StatusOr<Neighbors> MeetNeighbors(int rank, KeyValueStore& store,
                                        const HostTransportOptions& options) {
  const absl::Time deadline = absl::Now() + options.timeout;
  const auto ask = [&](int process, absl::string_view what) -> absl::StatusOr<std::string> {
    absl::StatusOr<std::string> value = store.Get(
        KeyOf(options, process, what), std::max(deadline - absl::Now(), absl::ZeroDuration()));
    if (value.ok()) return value;
    return absl::Status(value.status().code(),
                        absl::StrCat("process ", process, " has not told where its memory is: ",
                                     value.status().message()));
  };
  Neighbors result;
  const size_t count = options.processes.size(), self = PositionOf(options, rank);
  absl::StatusOr<std::unique_ptr<Region>> own = Region::Create(count);
  XLA_RETURN_IF_ERROR(
      store.Put(KeyOf(options, rank, "place"), own.ok() ? (*own)->Location() : "none"));
  // A process is a neighbor if each of the two can read the other's memory.
  std::vector<std::shared_ptr<Neighbor>> candidates;
  for (size_t i = 0; i < count; ++i) {
    const int process = options.processes[i];
    if (process == rank) continue;
    XLA_ASSIGN_OR_RETURN(const std::string place, ask(process, "place"));
    if (!own.ok()) continue;
    absl::StatusOr<std::unique_ptr<Region>> region = Region::Open(place, count);
    if (!region.ok()) continue;
    Channel* const outgoing = &(*region)->channel(self);
    candidates.push_back(
        std::make_shared<Neighbor>(process, *std::move(region), outgoing, &(*own)->channel(i)));
  }
  const std::string readable =
      absl::StrJoin(candidates, " ", [](std::string* out, const std::shared_ptr<Neighbor>& other) {
        absl::StrAppend(out, other->process());
      });
  XLA_RETURN_IF_ERROR(store.Put(KeyOf(options, rank, "reads"), readable));
  for (const int process : options.processes) {
    if (process == rank) continue;
    XLA_ASSIGN_OR_RETURN(const std::string reads, ask(process, "reads"));
    const std::vector<absl::string_view> theirs = absl::StrSplit(reads, ' ');
    if (std::find(theirs.begin(), theirs.end(), absl::StrCat(rank)) == theirs.end()) continue;
    for (const auto& candidate : candidates) {
      if (candidate->process() == process) result.others.push_back(candidate);
    }
  }
  if (own.ok()) result.own = *std::move(own);
  return result;
}

}  // namespace xla::distributed
