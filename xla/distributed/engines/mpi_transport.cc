// SPDX-License-Identifier: Apache-2.0
// MPI: messages between ranks, by tags, on a communicator of its own.
//
// All calls are non-blocking and made one at a time (MPI_THREAD_SERIALIZED is enough): a thread
// receives frames and completes requests, and threads that wait do so for a while. MPI has no way
// to sleep until something arrives, so the thread looks often while there is traffic, and rarely
// when there was none for a while.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/engine_module.h"

namespace xla::distributed {
namespace {

constexpr int kFrameTag = 0;
// Counts of MPI are int: larger transfers are several messages, which keep their order.
constexpr size_t kMostBytes = size_t{1} << 30;
// How long a thread that waits looks for what comes itself. It does not yield meanwhile, as MPI
// does not: others would come first for milliseconds.
constexpr std::chrono::microseconds kLookFor(500);
constexpr int kLooksBetweenTimes = 16;
using Clock = std::chrono::steady_clock;

absl::Status StatusOf(int code, const char* call) {
  if (code == MPI_SUCCESS) return absl::OkStatus();
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return absl::UnavailableError(
      absl::StrCat(call, ": ", absl::string_view(text, static_cast<size_t>(length))));
}

// The requests of a transfer or of a frame. Guarded by the transport's mutex.
struct Requests {
  std::vector<MPI_Request> requests;
  std::vector<char> memory;  // of a frame
  bool is_done = false;
  absl::Status status;
};

class MpiTransport final : public Transport {
 public:
  ~MpiTransport() override { Stop(); }

  absl::string_view name() const override { return "mpi"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  absl::Status Connect() {
    int is_initialized = 0, provided = 0, is_finalized = 0;
    MPI_Finalized(&is_finalized);
    if (is_finalized != 0) return absl::FailedPreconditionError("MPI has been finalized");
    MPI_Initialized(&is_initialized);
    if (is_initialized == 0) {
      XLA_RETURN_IF_ERROR(StatusOf(
          MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread"));
      is_own_ = true;
    } else {
      MPI_Query_thread(&provided);
    }
    if (provided < MPI_THREAD_SERIALIZED) {
      return absl::FailedPreconditionError(
          "MPI was initialized for calls from one thread; MPI_THREAD_SERIALIZED is needed");
    }
    // Members only, and apart from the messages of others.
    MPI_Group group = MPI_GROUP_NULL;
    XLA_RETURN_IF_ERROR(StatusOf(MPI_Comm_group(MPI_COMM_WORLD, &group), "MPI_Comm_group"));
    constexpr int kCreationTag = 0x584c;
    const int made = MPI_Comm_create_group(MPI_COMM_WORLD, group, kCreationTag, &communicator_);
    MPI_Group_free(&group);
    XLA_RETURN_IF_ERROR(StatusOf(made, "MPI_Comm_create_group"));
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
    void* value = nullptr;
    int is_set = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &is_set);
    if (is_set != 0) most_tags_ = static_cast<uint64_t>(*static_cast<int*>(value)) - 1;
    is_over_ = std::vector<std::atomic<bool>>(static_cast<size_t>(size_));
    return absl::OkStatus();
  }

  absl::Status Start(Receiver* receiver) override {
    receiver_ = receiver;
    thread_ = std::thread([this] { Pump(); });
    return absl::OkStatus();
  }

  void Stop() override {
    if (is_stopped_.exchange(true)) return;
    if (thread_.joinable()) thread_.join();
    if (communicator_ == MPI_COMM_NULL) return;
    std::lock_guard<std::mutex> lock(mutex_);
    // What is still on its way goes with MPI, if it can go.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (!pending_.empty() && std::chrono::steady_clock::now() < deadline) {
      CompleteLocked();
      std::this_thread::yield();
    }
    const bool is_clean = pending_.empty();
    communicator_ = MPI_COMM_NULL;
    if (is_own_ && is_clean) MPI_Finalize();
  }

  absl::Status SendFrame(int process, absl::Span<const absl::Span<const char>> parts) override {
    size_t bytes = 0;
    for (const absl::Span<const char> part : parts) bytes += part.size();
    if (bytes > kMaxFrameBytes)
      return absl::InternalError(absl::StrCat("a frame of ", bytes, " bytes"));
    XLA_RETURN_IF_ERROR(CheckConnected(process));
    std::lock_guard<std::mutex> lock(mutex_);
    outgoing_.clear();
    for (const absl::Span<const char> part : parts)
      outgoing_.insert(outgoing_.end(), part.begin(), part.end());
    MPI_Request request = MPI_REQUEST_NULL;
    XLA_RETURN_IF_ERROR(StatusOf(MPI_Isend(outgoing_.data(), static_cast<int>(bytes), MPI_BYTE,
                                           process, kFrameTag, communicator_, &request),
                                 "MPI_Isend"));
    is_busy_ = true;
    // A short frame has been copied already.
    int is_done = 0;
    XLA_RETURN_IF_ERROR(StatusOf(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test"));
    if (is_done != 0) return absl::OkStatus();
    auto requests = std::make_shared<Requests>();
    requests->memory = std::exchange(outgoing_, {});
    requests->requests.push_back(request);
    pending_.push_back(std::move(requests));
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Transfer>> StartSend(int process, uint64_t id,
                                                      absl::Span<const char> data) override {
    return Begin(process, data.size(), [&](size_t at, int bytes, MPI_Request* request) {
      return MPI_Isend(data.data() + at, bytes, MPI_BYTE, process, TagOf(id), communicator_,
                       request);
    });
  }
  absl::StatusOr<std::unique_ptr<Transfer>> StartReceive(int process, uint64_t id,
                                                         absl::Span<char> data) override {
    return Begin(process, data.size(), [&](size_t at, int bytes, MPI_Request* request) {
      return MPI_Irecv(data.data() + at, bytes, MPI_BYTE, process, TagOf(id), communicator_,
                       request);
    });
  }

  absl::StatusOr<bool> ReceiveUntil(const runtime::WaitLimits& /*limits*/,
                                    absl::FunctionRef<bool()> done) override {
    ++lookers_;
    const auto end = Clock::now() + kLookFor;
    // Only what comes can change it.
    uint64_t seen = events_;
    bool is_done = done();
    for (int looks = 1; !is_done && !is_stopped_; ++looks) {
      Advance();
      if (const uint64_t events = events_; events != seen) {
        seen = events;
        is_done = done();
      } else if (looks % kLooksBetweenTimes == 0 && Clock::now() >= end) {
        is_done = done();
        break;
      }
    }
    --lookers_;
    return is_done;
  }

  void Disconnect(int process, const absl::Status& status) override {
    if (is_over_[static_cast<size_t>(process)].exchange(true)) return;
    std::lock_guard<std::mutex> lock(failures_mutex_);
    failures_.emplace_back(process, status);
    has_failures_ = true;
  }

 private:
  class MpiTransfer final : public Transfer {
   public:
    MpiTransfer(MpiTransport& transport, std::shared_ptr<Requests> requests, int process)
        : transport_(transport), requests_(std::move(requests)), process_(process) {}
    ~MpiTransfer() override {
      std::lock_guard<std::mutex> lock(transport_.mutex_);
      if (requests_->is_done) return;
      for (MPI_Request& request : requests_->requests) {
        if (request == MPI_REQUEST_NULL) continue;
        MPI_Cancel(&request);
        MPI_Request_free(&request);
      }
      transport_.pending_.remove(requests_);
    }
    absl::Status Wait(const runtime::WaitLimits& limits) override {
      const auto& is_over = transport_.is_over_[static_cast<size_t>(process_)];
      const auto done = [&] { return requests_->is_done || is_over; };
      XLA_RETURN_IF_ERROR(transport_
                              .ReceiveUntil(limits,
                                            [&] {
                                              std::lock_guard<std::mutex> lock(transport_.mutex_);
                                              return done();
                                            })
                              .status());
      std::unique_lock<std::mutex> lock(transport_.mutex_);
      XLA_RETURN_IF_ERROR(runtime::WaitUntil(lock, transport_.changed_, limits, done));
      return requests_->is_done ? requests_->status
                                : absl::UnavailableError("the connection is closed");
    }

   private:
    MpiTransport& transport_;
    const std::shared_ptr<Requests> requests_;
    const int process_;
  };

  absl::Status CheckConnected(int process) const {
    return is_over_[static_cast<size_t>(process)]
               ? absl::UnavailableError("the connection is closed")
               : absl::OkStatus();
  }

  int TagOf(uint64_t id) const { return static_cast<int>(1 + id % most_tags_); }

  template <typename Call>
  absl::StatusOr<std::unique_ptr<Transfer>> Begin(int process, size_t bytes, Call call) {
    XLA_RETURN_IF_ERROR(CheckConnected(process));
    auto requests = std::make_shared<Requests>();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (size_t at = 0; at < bytes; at += kMostBytes) {
        XLA_RETURN_IF_ERROR(StatusOf(call(at, static_cast<int>(std::min(bytes - at, kMostBytes)),
                                          &requests->requests.emplace_back()),
                                     "MPI_Isend or MPI_Irecv"));
      }
      pending_.push_back(requests);
      is_busy_ = true;
    }
    return std::unique_ptr<Transfer>(
        std::make_unique<MpiTransfer>(*this, std::move(requests), process));
  }

  // Whether anything has completed.
  bool CompleteLocked() {
    bool has_completed = false;
    pending_.remove_if([&](const std::shared_ptr<Requests>& requests) {
      int is_done = 0;
      const int code = MPI_Testall(static_cast<int>(requests->requests.size()),
                                   requests->requests.data(), &is_done, MPI_STATUSES_IGNORE);
      if (code != MPI_SUCCESS) {
        requests->status = StatusOf(code, "MPI_Testall");
        is_done = 1;
      }
      if (is_done == 0) return false;
      requests->is_done = true;
      return has_completed = true;
    });
    if (has_completed) changed_.notify_all();
    return has_completed;
  }

  // Receives a frame, if there is one.
  bool ReceiveFrameLocked(std::vector<char>& frame, int& from, absl::Status& status) {
    int has_come = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status envelope;
    status = StatusOf(
        MPI_Improbe(MPI_ANY_SOURCE, kFrameTag, communicator_, &has_come, &message, &envelope),
        "MPI_Improbe");
    if (!status.ok() || has_come == 0) return false;
    int bytes = 0;
    MPI_Get_count(&envelope, MPI_BYTE, &bytes);
    from = envelope.MPI_SOURCE;
    if (bytes < 0 || static_cast<size_t>(bytes) > kMaxFrameBytes) return false;
    frame.resize(static_cast<size_t>(bytes));
    status = StatusOf(MPI_Mrecv(frame.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE),
                      "MPI_Mrecv");
    return status.ok();
  }

  // Takes what has come, and completes requests, unless another thread does. Whether there was
  // something.
  bool Advance() {
    const std::unique_lock<std::mutex> lock(advance_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    int from = 0;
    absl::Status status;
    bool has_frame = false, is_active = false;
    {
      std::lock_guard<std::mutex> mpi_lock(mutex_);
      has_frame = ReceiveFrameLocked(frame_, from, status);
      is_active = CompleteLocked() || std::exchange(is_busy_, false);
    }
    if (has_frame && !is_over_[static_cast<size_t>(from)]) receiver_->OnFrame(from, frame_);
    if (has_failures_) TellFailures();
    if (!has_frame && !is_active) return false;
    ++events_;
    return true;
  }

  void Pump() {
    Clock::time_point last = Clock::now();
    while (!is_stopped_) {
      const Clock::time_point now = Clock::now();
      if (lookers_ > 0) {
        // They take what comes.
        last = now;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        continue;
      }
      if (Advance()) {
        last = now;
        continue;
      }
      const auto idle = now - last;
      if (idle < std::chrono::microseconds(100)) {
        std::this_thread::yield();
      } else if (idle < std::chrono::milliseconds(20)) {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      } else {
        std::this_thread::sleep_for(idle < std::chrono::seconds(1) ? std::chrono::microseconds(100)
                                                                   : std::chrono::milliseconds(1));
      }
    }
  }

  void TellFailures() {
    std::vector<std::pair<int, absl::Status>> failures;
    {
      std::lock_guard<std::mutex> lock(failures_mutex_);
      failures.swap(failures_);
      has_failures_ = false;
    }
    for (const auto& [process, status] : failures) receiver_->OnFailure(process, status);
    ++events_;
    std::lock_guard<std::mutex> lock(mutex_);
    changed_.notify_all();
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  uint64_t most_tags_ = 32766;
  bool is_own_ = false;  // this transport has initialized MPI
  Receiver* receiver_ = nullptr;
  std::thread thread_;
  std::atomic<bool> is_stopped_{false};
  std::mutex advance_mutex_;  // of who takes what comes
  std::vector<char> frame_;
  std::atomic<int> lookers_{0};             // threads in ReceiveUntil
  std::atomic<uint64_t> events_{0};         // frames, completions and failures so far
  std::vector<std::atomic<bool>> is_over_;  // by process

  std::mutex mutex_;  // of MPI
  std::condition_variable changed_;
  std::vector<char> outgoing_;  // a frame that is being sent
  std::list<std::shared_ptr<Requests>> pending_;
  bool is_busy_ = false;  // something was started

  std::atomic<bool> has_failures_{false};
  std::mutex failures_mutex_;
  std::vector<std::pair<int, absl::Status>> failures_;  // that the receiver is not told of yet
};

}  // namespace

extern "C" __attribute__((visibility("default"))) uint64_t XylemConnectEngine(
    EngineRequest* request) {
  if (request->size != sizeof(EngineRequest)) return sizeof(EngineRequest);
  auto transport = std::make_unique<MpiTransport>();
  request->status = transport->Connect();
  if (request->status.ok()) request->transport = std::move(transport);
  return sizeof(EngineRequest);
}

}  // namespace xla::distributed
