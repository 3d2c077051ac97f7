// SPDX-License-Identifier: Apache-2.0
#include "xla/distributed/host_transport.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/host_memory.h"
#include "xla/distributed/host_neighbors.h"

namespace xla::distributed {
namespace {

// How often a thread looks at its bell before it sleeps: a microsecond or so.
constexpr int kLooks = 300;
// The bell is not rung for all that ends a wait.
constexpr std::chrono::milliseconds kSleep(10), kReceiverSleep(1000);
// Of frames for which there was no room.
constexpr size_t kMostWaitingBytes = size_t{4} << 20;
// Between looks whether a transfer should end early.
constexpr size_t kReadBytes = size_t{8} << 20;

class HostTransport final : public Transport, Transport::Receiver {
 public:
  using Receiver = Transport::Receiver;

  HostTransport(std::unique_ptr<Transport> others, Neighbors neighbors)
      : others_(std::move(others)),
        own_(std::move(neighbors.own)),
        neighbors_(std::move(neighbors.others)),
        by_process_(static_cast<size_t>(others_->size())) {
    for (const auto& neighbor : neighbors_)
      by_process_[static_cast<size_t>(neighbor->process())] = neighbor;
  }
  ~HostTransport() override { Stop(); }

  absl::string_view name() const override { return others_->name(); }
  int rank() const override { return others_->rank(); }
  int size() const override { return others_->size(); }

  absl::Status Start(Receiver* receiver) override {
    receiver_ = receiver;
    XLA_RETURN_IF_ERROR(others_->Start(this));
    thread_ = std::thread([this] { Run(); });
    return absl::OkStatus();
  }

  void Stop() override {
    if (is_stopped_.exchange(true)) return;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    for (const auto& neighbor : neighbors_) {
      while (!neighbor->Flush() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    own_->Ring();
    if (thread_.joinable()) thread_.join();
    for (const auto& neighbor : neighbors_) End(*neighbor, absl::CancelledError("it is closed"));
    others_->Stop();
  }

  absl::Status SendFrame(int process, absl::Span<const absl::Span<const char>> parts) override {
    const std::shared_ptr<Neighbor>& neighbor = by_process_[static_cast<size_t>(process)];
    if (neighbor == nullptr) return others_->SendFrame(process, parts);
    size_t bytes = 0;
    for (const absl::Span<const char> part : parts) bytes += part.size();
    if (bytes > kMaxFrameBytes)
      return absl::InternalError(absl::StrCat("a frame of ", bytes, " bytes"));
    XLA_RETURN_IF_ERROR(neighbor->Send(parts));
    while (!neighbor->Flush() && neighbor->waiting_bytes() > kMostWaitingBytes) {
      // The thread that takes what comes must go on.
      if (poller_ == std::this_thread::get_id() || is_stopped_) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Transfer>> StartSend(int process, uint64_t id,
                                                      absl::Span<const char> data) override;
  absl::StatusOr<std::unique_ptr<Transfer>> StartReceive(int process, uint64_t id,
                                                         absl::Span<char> data) override;
  absl::StatusOr<bool> ReceiveUntil(const runtime::WaitLimits& limits,
                                    absl::FunctionRef<bool()> done) override;

  void Disconnect(int process, const absl::Status& status) override {
    const std::shared_ptr<Neighbor>& neighbor = by_process_[static_cast<size_t>(process)];
    if (neighbor != nullptr) End(*neighbor, status);
    others_->Disconnect(process, status);
  }

  // Until ready(), or the neighbor is over.
  absl::Status WaitFor(Neighbor& neighbor, const runtime::WaitLimits& limits,
                       absl::FunctionRef<bool()> ready) {
    const auto done = [&] { return ready() || neighbor.is_over() || is_stopped_; };
    if (!done()) XLA_RETURN_IF_ERROR(ReceiveUntil(limits, done).status());
    return ready() ? absl::OkStatus() : neighbor.Check();
  }

 private:
  // Of the other transport.
  void OnFrame(int process, absl::Span<const char> frame) override {
    receiver_->OnFrame(process, frame);
  }
  void OnFailure(int process, const absl::Status& status) override {
    const std::shared_ptr<Neighbor>& neighbor = by_process_[static_cast<size_t>(process)];
    if (neighbor != nullptr) {
      // What it sent before comes before.
      std::lock_guard<std::mutex> lock(poll_mutex_);
      poller_ = std::this_thread::get_id();
      (void)TakeFrames(*neighbor);
      poller_ = std::thread::id();
      End(*neighbor, status);
    }
    receiver_->OnFailure(process, status);
  }

  void End(Neighbor& neighbor, const absl::Status& status) {
    neighbor.End(status);
    own_->Wake(kWaiters);
  }

  enum class Taken { kNothing, kFrames, kByAnother };
  bool TakeFrames(Neighbor& neighbor);
  Taken Take();
  bool HasCome() const {
    return std::any_of(neighbors_.begin(), neighbors_.end(), [](const auto& neighbor) {
      return !neighbor->is_over() && !neighbor->incoming().frames.IsEmpty();
    });
  }
  void Run();

  const std::unique_ptr<Transport> others_;
  const std::unique_ptr<Region> own_;
  const std::vector<std::shared_ptr<Neighbor>> neighbors_;
  std::vector<std::shared_ptr<Neighbor>> by_process_;  // null: not a neighbor
  Receiver* receiver_ = nullptr;
  std::thread thread_;
  std::atomic<bool> is_stopped_{false};

  std::mutex poll_mutex_;  // of who takes what comes
  std::atomic<std::thread::id> poller_{};
  std::vector<char> frame_;
  std::atomic<int> waiters_{0};  // threads in ReceiveUntil
};

// --- What comes

// With poll_mutex_. Whether there were any.
bool HostTransport::TakeFrames(Neighbor& neighbor) {
  bool has_come = false;
  FrameRing& frames = neighbor.incoming().frames;
  while (!neighbor.is_over()) {
    const absl::StatusOr<bool> read = frames.Read(frame_);
    if (!read.ok()) {
      Disconnect(neighbor.process(), absl::UnavailableError(read.status().message()));
      break;
    }
    if (!*read) break;
    has_come = true;
    if (frames.TakeWish()) neighbor.region().Ring();
    receiver_->OnFrame(neighbor.process(), frame_);
  }
  return has_come;
}

// Takes what has come, unless another thread does.
HostTransport::Taken HostTransport::Take() {
  bool has_come = false;
  {
    std::unique_lock<std::mutex> lock(poll_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return Taken::kByAnother;
    poller_ = std::this_thread::get_id();
    for (const auto& neighbor : neighbors_) {
      has_come = TakeFrames(*neighbor) || has_come;
      (void)neighbor->Flush();
    }
    poller_ = std::thread::id();
  }
  return has_come ? Taken::kFrames : Taken::kNothing;
}

// The thread that takes what comes while nobody waits.
void HostTransport::Run() {
  RegionHeader& header = own_->header();
  while (!is_stopped_) {
    const uint32_t bell = header.bell;
    // It may be what somebody waits for since.
    if (Take() == Taken::kFrames && waiters_ > 0) own_->Wake(kWaiters);
    if (waiters_ == 0) header.asleep.fetch_or(kReceiver);
    if (HasCome() && waiters_ == 0) continue;
    if (!is_stopped_) own_->WaitForBell(kReceiver, bell, kReceiverSleep);
  }
}

absl::StatusOr<bool> HostTransport::ReceiveUntil(const runtime::WaitLimits& limits,
                                                 absl::FunctionRef<bool()> done) {
  RegionHeader& header = own_->header();
  const absl::Time begin = absl::Now();
  absl::Time looked = begin;
  absl::Status status;
  uint32_t bell = 0;
  ++waiters_;
  header.asleep.fetch_and(~uint32_t{kReceiver});
  while (true) {
    bell = header.bell;
    const Taken taken = Take();
    if (taken == Taken::kFrames && waiters_ > 1) own_->Wake(kWaiters);
    if (done() || is_stopped_) break;
    if (taken == Taken::kFrames) continue;
    int looks = 0;
    while (header.bell == bell && looks < kLooks) ++looks;
    if (looks < kLooks) continue;
    const absl::Time now = absl::Now();
    if (now - begin >= limits.timeout) {
      status = absl::DeadlineExceededError("");
    } else if (limits.poll != nullptr && now - looked >= absl::FromChrono(kSleep)) {
      status = limits.poll();
      looked = now;
    }
    if (!status.ok()) break;
    header.asleep.fetch_or(kWaiters);
    if (taken == Taken::kByAnother || !HasCome()) own_->WaitForBell(kWaiters, bell, kSleep);
  }
  if (--waiters_ == 0) {
    header.asleep.fetch_or(kReceiver);
    // What has come since is the other thread's.
    if (header.bell != bell || HasCome()) own_->Wake(kReceiver);
  }
  XLA_RETURN_IF_ERROR(status);
  return done();
}

// --- Transfers

class HostSend final : public Transport::Transfer {
 public:
  HostSend(HostTransport& transport, std::shared_ptr<Neighbor> neighbor, uint64_t id,
           absl::Span<const char> data)
      : transport_(transport), neighbor_(std::move(neighbor)), transfer_{id, data} {
    neighbor_->Announce(&transfer_);
  }
  ~HostSend() override { neighbor_->Withdraw(&transfer_); }

  absl::Status Wait(const runtime::WaitLimits& limits) override {
    return transport_.WaitFor(*neighbor_, limits, [&] { return neighbor_->IsTaken(transfer_); });
  }

 private:
  HostTransport& transport_;
  const std::shared_ptr<Neighbor> neighbor_;
  Neighbor::Transfer transfer_;
};

class HostReceive final : public Transport::Transfer {
 public:
  HostReceive(HostTransport& transport, std::shared_ptr<Neighbor> neighbor, uint64_t id,
              absl::Span<char> data)
      : transport_(transport), neighbor_(std::move(neighbor)), id_(id), data_(data) {}

  absl::Status Wait(const runtime::WaitLimits& limits) override {
    if (is_done_) return absl::OkStatus();
    Offer* offer = nullptr;
    XLA_RETURN_IF_ERROR(
        transport_.WaitFor(*neighbor_, limits, [&] { return (offer = Find()) != nullptr; }));
    const uint64_t bytes = offer->bytes, address = offer->address;
    if (bytes != data_.size()) {
      return absl::UnavailableError(absl::StrCat("it sends ", bytes, " bytes, not ", data_.size()));
    }
    for (size_t at = 0; at < data_.size(); at += kReadBytes) {
      if (at > 0 && limits.poll != nullptr) XLA_RETURN_IF_ERROR(limits.poll());
      XLA_RETURN_IF_ERROR(
          neighbor_->region().ReadFrom(address + at, data_.subspan(at, kReadBytes)));
    }
    // Memory that was withdrawn meanwhile may have been used for something else. A write comes
    // after what was read before it, as a load alone does not.
    if (offer->id.fetch_add(0, std::memory_order_acq_rel) != id_)
      return absl::UnavailableError("a message was given up in the middle");
    offer->taken.store(id_, std::memory_order_release);
    neighbor_->region().Ring();
    is_done_ = true;
    return absl::OkStatus();
  }

 private:
  Offer* Find() const {
    for (Offer& offer : neighbor_->incoming().offers) {
      if (offer.id.load(std::memory_order_acquire) == id_) return &offer;
    }
    return nullptr;
  }

  HostTransport& transport_;
  const std::shared_ptr<Neighbor> neighbor_;
  const uint64_t id_;
  const absl::Span<char> data_;
  bool is_done_ = false;
};

absl::StatusOr<std::unique_ptr<Transport::Transfer>> HostTransport::StartSend(
    int process, uint64_t id, absl::Span<const char> data) {
  const std::shared_ptr<Neighbor>& neighbor = by_process_[static_cast<size_t>(process)];
  if (neighbor == nullptr) return others_->StartSend(process, id, data);
  XLA_RETURN_IF_ERROR(neighbor->Check());
  return std::unique_ptr<Transfer>(std::make_unique<HostSend>(*this, neighbor, id, data));
}

absl::StatusOr<std::unique_ptr<Transport::Transfer>> HostTransport::StartReceive(
    int process, uint64_t id, absl::Span<char> data) {
  const std::shared_ptr<Neighbor>& neighbor = by_process_[static_cast<size_t>(process)];
  if (neighbor == nullptr) return others_->StartReceive(process, id, data);
  XLA_RETURN_IF_ERROR(neighbor->Check());
  return std::unique_ptr<Transfer>(std::make_unique<HostReceive>(*this, neighbor, id, data));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> ShareHostMemory(std::unique_ptr<Transport> transport,
                                                           KeyValueStore& store,
                                                           const HostTransportOptions& options) {
  if (options.processes.size() < 2) return transport;
  XLA_ASSIGN_OR_RETURN(Neighbors neighbors, MeetNeighbors(transport->rank(), store, options));
  if (neighbors.others.empty()) return transport;
  return std::unique_ptr<Transport>(
      std::make_unique<HostTransport>(std::move(transport), std::move(neighbors)));
}

}  // namespace xla::distributed
