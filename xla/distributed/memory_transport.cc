// SPDX-License-Identifier: Apache-2.0
// Frames in queues, which a thread of each rank delivers; transfers by the later of the two sides.
#include "xla/distributed/memory_transport.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace xla::distributed {
namespace {

// What both sides of a transfer know of it.
struct Half {
  std::mutex mutex;  // of data, while it is copied
  std::condition_variable changed;
  const char* from = nullptr;
  char* to = nullptr;
  size_t from_bytes = 0, to_bytes = 0;
  bool is_done = false;
  absl::Status failure;
};

class Hub {
 public:
  Hub(int size, MemoryFaults faults)
      : faults_(std::move(faults)), ranks_(static_cast<size_t>(size)) {}

  struct Event {
    int from = 0;
    std::chrono::steady_clock::time_point due;
    std::vector<char> frame;
    bool is_failure = false;
    absl::Status status;
  };
  struct Rank {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Event> events;
    std::vector<int64_t> frames_from;
    bool is_stopped = false;
  };

  int size() const { return static_cast<int>(ranks_.size()); }
  Rank& rank(int i) { return ranks_[static_cast<size_t>(i)]; }
  const MemoryFaults& faults() const { return faults_; }

  bool IsCut(int a, int b) {
    std::lock_guard<std::mutex> lock(mutex_);
    return cut_.count(std::minmax(a, b)) > 0;
  }
  void Cut(int a, int b, const absl::Status& status) {
    std::vector<std::shared_ptr<Half>> halves;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!cut_.emplace(std::minmax(a, b), true).second) return;
      for (const auto& [key, half] : halves_) {
        if (std::minmax(std::get<0>(key), std::get<1>(key)) == std::minmax(a, b))
          halves.push_back(half);
      }
    }
    for (const auto& half : halves) {
      std::lock_guard<std::mutex> lock(half->mutex);
      if (!half->is_done) half->failure = absl::UnavailableError("the connection was cut");
      half->changed.notify_all();
    }
    // Copies that share nothing, as in rendezvous.cc.
    for (const auto& [to, from] : {std::pair(a, b), std::pair(b, a)}) {
      Event event;
      event.from = from;
      event.is_failure = true;
      event.status = absl::Status(status.code(), status.message());
      Post(to, std::move(event));
    }
  }
  void Post(int to, Event event) {
    Rank& target = rank(to);
    std::lock_guard<std::mutex> lock(target.mutex);
    target.events.push_back(std::move(event));
    target.changed.notify_one();
  }
  std::shared_ptr<Half> HalfOf(int from, int to, uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Half>& half = halves_[{from, to, id}];
    if (half == nullptr) {
      half = std::make_shared<Half>();
      return half;
    }
    // The second side; ids are used once.
    return std::move(halves_.extract({from, to, id}).mapped());
  }

 private:
  const MemoryFaults faults_;
  std::vector<Rank> ranks_;
  std::mutex mutex_;
  std::map<std::pair<int, int>, bool> cut_;
  std::map<std::tuple<int, int, uint64_t>, std::shared_ptr<Half>> halves_;
};

class MemoryTransfer final : public Transport::Transfer {
 public:
  MemoryTransfer(std::shared_ptr<Half> half, bool is_sender)
      : half_(std::move(half)), is_sender_(is_sender) {}
  ~MemoryTransfer() override {
    std::lock_guard<std::mutex> lock(half_->mutex);
    if (is_sender_) {
      half_->from = nullptr;
    } else {
      half_->to = nullptr;
    }
  }
  absl::Status Wait(const runtime::WaitLimits& limits) override {
    std::unique_lock<std::mutex> lock(half_->mutex);
    const absl::Status status = runtime::WaitUntil(
        lock, half_->changed, limits, [&] { return half_->is_done || !half_->failure.ok(); });
    if (half_->is_done || !status.ok()) return half_->is_done ? absl::OkStatus() : status;
    return half_->failure;
  }

 private:
  const std::shared_ptr<Half> half_;
  const bool is_sender_;
};

class MemoryTransport final : public Transport {
 public:
  MemoryTransport(std::shared_ptr<Hub> hub, int rank) : hub_(std::move(hub)), rank_(rank) {}
  ~MemoryTransport() override { Stop(); }

  absl::string_view name() const override { return "memory"; }
  int rank() const override { return rank_; }
  int size() const override { return hub_->size(); }

  absl::Status Start(Receiver* receiver) override {
    thread_ = std::thread([this, receiver] { Deliver(receiver); });
    return absl::OkStatus();
  }

  void Stop() override {
    if (!thread_.joinable()) return;
    {
      Hub::Rank& self = hub_->rank(rank_);
      std::lock_guard<std::mutex> lock(self.mutex);
      self.is_stopped = true;
      self.changed.notify_one();
    }
    thread_.join();
    for (int other = 0; other < size(); ++other) {
      if (other != rank_) hub_->Cut(rank_, other, absl::UnavailableError("connection closed"));
    }
  }

  absl::Status SendFrame(int process, absl::Span<const absl::Span<const char>> parts) override {
    if (hub_->IsCut(rank_, process)) return absl::UnavailableError("connection closed");
    Hub::Event event;
    event.from = rank_;
    for (const absl::Span<const char> part : parts)
      event.frame.insert(event.frame.end(), part.begin(), part.end());
    if (event.frame.size() > kMaxFrameBytes)
      return absl::InternalError(absl::StrCat("a frame of ", event.frame.size(), " bytes"));
    Hub::Rank& target = hub_->rank(process);
    std::lock_guard<std::mutex> lock(target.mutex);
    target.frames_from.resize(static_cast<size_t>(size()));
    const int64_t number = target.frames_from[static_cast<size_t>(rank_)]++;
    if (hub_->faults().delay != nullptr) {
      const absl::Duration delay = hub_->faults().delay(rank_, process, number);
      if (delay == absl::InfiniteDuration()) return absl::OkStatus();
      event.due = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(delay);
    }
    target.events.push_back(std::move(event));
    target.changed.notify_one();
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Transfer>> StartSend(int process, uint64_t id,
                                                      absl::Span<const char> data) override {
    return Begin(rank_, process, id, [&](Half& half) {
      half.from = data.data();
      half.from_bytes = data.size();
    });
  }
  absl::StatusOr<std::unique_ptr<Transfer>> StartReceive(int process, uint64_t id,
                                                         absl::Span<char> data) override {
    return Begin(process, rank_, id, [&](Half& half) {
      half.to = data.data();
      half.to_bytes = data.size();
    });
  }

  void Disconnect(int process, const absl::Status& status) override {
    hub_->Cut(rank_, process, status);
  }

 private:
  template <typename SetSide>
  absl::StatusOr<std::unique_ptr<Transfer>> Begin(int from, int to, uint64_t id, SetSide set_side) {
    const int other = from == rank_ ? to : from;
    if (hub_->IsCut(rank_, other)) return absl::UnavailableError("connection closed");
    const std::shared_ptr<Half> half = hub_->HalfOf(from, to, id);
    bool is_cut = false;
    {
      std::lock_guard<std::mutex> lock(half->mutex);
      set_side(*half);
      if (half->from != nullptr && half->to != nullptr) {
        is_cut = hub_->faults().cuts_at != nullptr && hub_->faults().cuts_at(from, to, id);
        if (is_cut || half->from_bytes != half->to_bytes) {
          half->failure = absl::UnavailableError("the connection was cut");
        } else {
          std::memcpy(half->to, half->from, half->to_bytes);
          half->is_done = true;
        }
        half->changed.notify_all();
      }
    }
    if (is_cut) hub_->Cut(from, to, absl::UnavailableError("the connection was cut"));
    return std::unique_ptr<Transfer>(
        std::make_unique<MemoryTransfer>(half, /*is_sender=*/from == rank_));
  }

  void Deliver(Receiver* receiver) {
    Hub::Rank& self = hub_->rank(rank_);
    std::unique_lock<std::mutex> lock(self.mutex);
    while (!self.is_stopped) {
      if (self.events.empty()) {
        self.changed.wait(lock);
        continue;
      }
      const auto due = self.events.front().due;
      if (due > std::chrono::steady_clock::now()) {
        self.changed.wait_until(lock, due);
        continue;
      }
      const Hub::Event event = std::move(self.events.front());
      self.events.pop_front();
      lock.unlock();
      if (event.is_failure) {
        receiver->OnFailure(event.from, event.status);
      } else {
        receiver->OnFrame(event.from, event.frame);
      }
      lock.lock();
    }
  }

  const std::shared_ptr<Hub> hub_;
  const int rank_;
  std::thread thread_;
};

}  // namespace

std::vector<std::unique_ptr<Transport>> MakeMemoryTransports(int size, MemoryFaults faults) {
  const auto hub = std::make_shared<Hub>(size, std::move(faults));
  std::vector<std::unique_ptr<Transport>> transports;
  for (int rank = 0; rank < size; ++rank)
    transports.push_back(std::make_unique<MemoryTransport>(hub, rank));
  return transports;
}

}  // namespace xla::distributed
