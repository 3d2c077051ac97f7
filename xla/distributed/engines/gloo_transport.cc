// SPDX-License-Identifier: Apache-2.0
// Gloo's TCP pairs and unbound buffers.
//
// Each process has a pair with each other one, and a thread that receives its frames: a buffer with
// a few places for frames is always posted, so that senders never wait. Several places also tell of
// a connection that ends in the middle of one: Gloo does not tell the buffer that it is writing to.
// Nor does it give what has come when a connection ends: frames end in their number, by which those
// that are whole are found.
//
// Gloo's own time limits close all connections of a process when they are over. Waits here have
// none: a watch thread interrupts them.
#include <gloo/transport/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/engine_module.h"

namespace xla::distributed {
namespace {

using ::gloo::transport::UnboundBuffer;

constexpr uint64_t kFrameSlot = 1;
constexpr uint64_t kFirstTransferSlot = uint64_t{1} << 63;
constexpr size_t kPlaces = 4;
constexpr size_t kMostSent = 1024, kMostSentBytes = size_t{4} << 20;
// The length of a frame, the frame, and its number among those of the sender.
constexpr size_t kPlaceBytes = sizeof(uint32_t) + Transport::kMaxFrameBytes + sizeof(uint64_t);

template <typename T>
void AppendNumber(T number, std::vector<char>& memory) {
  const char* const bytes = reinterpret_cast<const char*>(&number);
  memory.insert(memory.end(), bytes, bytes + sizeof(number));
}

// What is in a place; a null span if that is no frame.
absl::Span<const char> FrameIn(const char* place) {
  uint32_t length = 0;
  std::memcpy(&length, place, sizeof(length));
  if (length > Transport::kMaxFrameBytes) return {};
  return {place + sizeof(length), length};
}

uint64_t NumberOf(absl::Span<const char> frame) {
  uint64_t number = 0;
  std::memcpy(&number, frame.data() + frame.size(), sizeof(number));
  return number;
}

// Calls Gloo, which throws.
absl::Status Guarded(absl::FunctionRef<void()> call) {
  try {
    call();
    return absl::OkStatus();
  } catch (const std::exception& error) {
    return absl::UnavailableError(error.what());
  } catch (...) {
    return absl::UnavailableError("Gloo failed");
  }
}

// Long enough for Gloo never to see it end.
constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365);

// Interrupts waits whose time is up, or whose poll says so.
class Watch {
 public:
  struct Entry {
    UnboundBuffer* buffer = nullptr;
    bool is_send = false;
    const runtime::WaitLimits* limits = nullptr;
    absl::FunctionRef<bool()> is_over;
    absl::Time deadline;
    absl::Status reason;
    bool is_interrupted = false;
  };

  Watch() : thread_([this] { Run(); }) {}
  ~Watch() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      is_stopped_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  // Waits for one operation of a buffer.
  absl::Status Wait(UnboundBuffer& buffer, bool is_send, const runtime::WaitLimits& limits,
                    absl::FunctionRef<bool()> is_over) {
    Entry entry = {.buffer = &buffer,
                   .is_send = is_send,
                   .limits = &limits,
                   .is_over = is_over,
                   .deadline = absl::Now() + limits.timeout,
                   .reason = absl::OkStatus()};
    {
      std::lock_guard<std::mutex> lock(mutex_);
      entries_.push_back(&entry);
      if (std::exchange(is_idle_, false)) changed_.notify_all();
    }
    bool is_done = false;
    absl::Status status;
    do {
      status = Guarded([&] {
        is_done = is_send ? buffer.waitSend(nullptr, kForever) : buffer.waitRecv(nullptr, kForever);
      });
      // Without a reason, it was an interruption of an earlier wait.
    } while (status.ok() && !is_done && !IsInterrupted(entry));
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return polled_ != &entry; });
    entries_.remove(&entry);
    if (!status.ok() || is_done) return status;
    return entry.reason;
  }

 private:
  bool IsInterrupted(const Entry& entry) {
    std::lock_guard<std::mutex> lock(mutex_);
    return entry.is_interrupted;
  }

  void Run() {
    constexpr auto kInterval = std::chrono::milliseconds(10);
    constexpr int kIdleIntervals = 50;
    int idle = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    while (!is_stopped_) {
      if (entries_.empty() && ++idle > kIdleIntervals) {
        is_idle_ = true;
        changed_.wait(lock, [&] { return is_stopped_ || !is_idle_; });
        idle = 0;
      }
      changed_.wait_for(lock, kInterval);
      for (auto it = entries_.begin(); it != entries_.end(); ++it) Look(**it, lock);
      if (!entries_.empty()) idle = 0;
    }
  }

  // The lock is released for a moment, in which the entry stays.
  void Look(Entry& entry, std::unique_lock<std::mutex>& lock) {
    if (entry.is_interrupted) return;
    if (entry.is_over()) {
      entry.reason = absl::UnavailableError("the connection is closed");
    } else if (absl::Now() >= entry.deadline) {
      entry.reason = absl::DeadlineExceededError("");
    } else if (entry.limits->poll != nullptr) {
      polled_ = &entry;
      lock.unlock();
      absl::Status reason = entry.limits->poll();
      lock.lock();
      polled_ = nullptr;
      changed_.notify_all();
      entry.reason = std::move(reason);
    }
    if (entry.reason.ok()) return;
    entry.is_interrupted = true;
    entry.is_send ? entry.buffer->abortWaitSend() : entry.buffer->abortWaitRecv();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry*> entries_;
  const Entry* polled_ = nullptr;  // whose poll is being called
  bool is_stopped_ = false, is_idle_ = false;
  std::thread thread_;
};

// The connection to one process.
struct Connection {
  std::vector<char> memory;  // places for frames
  std::unique_ptr<UnboundBuffer> received;
  std::thread thread;
  std::atomic<bool> is_over{false};

  std::mutex mutex;
  absl::Status failure;  // why it is over
  // Frames that Gloo may still read, in order.
  struct Sent {
    std::vector<char> memory;
    std::unique_ptr<UnboundBuffer> buffer;
  };
  std::deque<Sent> sent;
  size_t sent_bytes = 0;
  uint64_t sent_frames = 0;

  std::mutex blocked_mutex;
  UnboundBuffer* blocked = nullptr;  // that a sender waits for, with the other mutex held

  // Makes all who use it give up. Takes no mutex that a sender holds while it waits.
  void End() {
    is_over = true;
    if (received != nullptr) received->abortWaitRecv();
    std::lock_guard<std::mutex> lock(blocked_mutex);
    if (blocked != nullptr) blocked->abortWaitSend();
  }
};

class GlooTransfer final : public Transport::Transfer {
 public:
  GlooTransfer(Watch& watch, std::shared_ptr<Connection> connection,
               std::unique_ptr<UnboundBuffer> buffer, bool is_send)
      : watch_(watch),
        connection_(std::move(connection)),
        buffer_(std::move(buffer)),
        is_send_(is_send) {}
  absl::Status Wait(const runtime::WaitLimits& limits) override {
    if (is_done_) return absl::OkStatus();
    const absl::Status status =
        watch_.Wait(*buffer_, is_send_, limits, [&] { return connection_->is_over.load(); });
    is_done_ = status.ok();
    return status;
  }

 private:
  Watch& watch_;
  const std::shared_ptr<Connection> connection_;
  const std::unique_ptr<UnboundBuffer> buffer_;
  const bool is_send_;
  bool is_done_ = false;
};

class GlooTransport final : public Transport {
 public:
  GlooTransport(const GlooOptions& options, std::shared_ptr<KeyValueStore> store)
      : rank_(options.rank), size_(options.size), options_(options), store_(std::move(store)) {}
  ~GlooTransport() override { Stop(); }

  absl::string_view name() const override { return "gloo"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  absl::Status Connect() {
    const std::string& address = options_.address;
    XLA_RETURN_IF_ERROR(Guarded([&] {
      ::gloo::transport::tcp::attr attributes;
      attributes.hostname = address;
      device_ = ::gloo::transport::tcp::CreateDevice(attributes);
      context_ = device_->createContext(rank_, size_);
    }));
    context_->setTimeout(std::chrono::milliseconds(
        std::min<int64_t>(absl::ToInt64Milliseconds(options_.timeout), 1 << 30)));
    for (int other = 0; other < size_; ++other) {
      connections_.push_back(std::make_shared<Connection>());
      if (other == rank_) continue;
      std::string bytes;
      XLA_RETURN_IF_ERROR(Guarded([&] {
        const std::vector<char> pair = context_->createPair(other)->address().bytes();
        bytes.assign(pair.begin(), pair.end());
      }));
      XLA_RETURN_IF_ERROR(store_->Put(KeyOf(rank_, other), absl::StrCat(address, "\n", bytes)));
    }
    const absl::Time deadline = absl::Now() + options_.timeout;
    for (int other = 0; other < size_; ++other) {
      if (other != rank_) XLA_RETURN_IF_ERROR(ConnectTo(other, deadline));
    }
    return absl::OkStatus();
  }

  absl::Status Start(Receiver* receiver) override {
    for (int other = 0; other < size_; ++other) {
      if (other == rank_) continue;
      Connection& connection = *connections_[static_cast<size_t>(other)];
      connection.thread = std::thread(
          [this, receiver, other, &connection] { Receive(other, connection, receiver); });
    }
    return absl::OkStatus();
  }

  void Stop() override {
    if (is_stopped_.exchange(true)) return;
    FlushFrames();
    for (const auto& connection : connections_) {
      connection->End();
    }
    for (const auto& connection : connections_) {
      if (connection->thread.joinable()) connection->thread.join();
    }
    if (context_ == nullptr) return;
    for (int other = 0; other < size_; ++other) ClosePair(other);
  }

  absl::Status SendFrame(int process, absl::Span<const absl::Span<const char>> parts) override {
    Connection& connection = *connections_[static_cast<size_t>(process)];
    Connection::Sent frame;
    size_t bytes = 0;
    for (const absl::Span<const char> part : parts) bytes += part.size();
    if (bytes > kMaxFrameBytes)
      return absl::InternalError(absl::StrCat("a frame of ", bytes, " bytes"));
    frame.memory.reserve(sizeof(uint32_t) + bytes + sizeof(uint64_t));
    AppendNumber(static_cast<uint32_t>(bytes), frame.memory);
    for (const absl::Span<const char> part : parts)
      frame.memory.insert(frame.memory.end(), part.begin(), part.end());
    std::lock_guard<std::mutex> lock(connection.mutex);
    if (connection.is_over) return OverLocked(connection);
    AppendNumber(++connection.sent_frames, frame.memory);
    connection.sent_bytes += frame.memory.size();
    while (connection.sent.size() > kMostSent || connection.sent_bytes > kMostSentBytes) {
      // Done long ago, as a rule: there is no way to ask.
      if (connection.sent.empty()) break;
      Connection::Sent& oldest = connection.sent.front();
      const auto block = [&](UnboundBuffer* buffer) {
        std::lock_guard<std::mutex> blocked_lock(connection.blocked_mutex);
        connection.blocked = buffer;
      };
      block(oldest.buffer.get());
      bool is_sent = false;
      const absl::Status status = Guarded(
          [&] { is_sent = !connection.is_over && oldest.buffer->waitSend(nullptr, kForever); });
      block(nullptr);
      XLA_RETURN_IF_ERROR(status);
      if (!is_sent) return OverLocked(connection);
      connection.sent_bytes -= oldest.memory.size();
      connection.sent.pop_front();
    }
    XLA_RETURN_IF_ERROR(Guarded([&] {
      frame.buffer = context_->createUnboundBuffer(frame.memory.data(), frame.memory.size());
      frame.buffer->send(process, kFrameSlot, 0, frame.memory.size());
    }));
    connection.sent.push_back(std::move(frame));
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Transfer>> StartSend(int process, uint64_t id,
                                                      absl::Span<const char> data) override {
    return Begin(process, id, const_cast<char*>(data.data()), data.size(), /*is_send=*/true);
  }
  absl::StatusOr<std::unique_ptr<Transfer>> StartReceive(int process, uint64_t id,
                                                         absl::Span<char> data) override {
    return Begin(process, id, data.data(), data.size(), /*is_send=*/false);
  }

  void Disconnect(int process, const absl::Status& status) override {
    Connection& connection = *connections_[static_cast<size_t>(process)];
    // Before the lock, which a sender may hold until the connection is over.
    if (connection.is_over.exchange(true)) return;
    {
      std::lock_guard<std::mutex> lock(connection.mutex);
      connection.failure = status;
    }
    // Its thread tells the receiver, and closes it.
    connection.End();
  }

 private:
  std::string KeyOf(int from, int to) const {
    return absl::StrCat("gloo/", options_.epoch, "/", from, "/", to);
  }

  absl::Status ConnectTo(int other, absl::Time deadline) {
    absl::StatusOr<std::string> value =
        store_->Get(KeyOf(other, rank_), std::max(deadline - absl::Now(), absl::ZeroDuration()));
    if (!value.ok()) {
      return absl::Status(value.status().code(),
                          absl::StrCat("process ", other, " has not told its address for Gloo: ",
                                       value.status().message()));
    }
    const size_t line = value->find('\n');
    if (line == std::string::npos || value->size() > 4096) {
      return absl::InvalidArgumentError(
          absl::StrCat("the address of process ", other, " for Gloo is malformed"));
    }
    const std::string address = value->substr(0, line);
    const absl::Status status = Guarded([&] {
      context_->getPair(other)->connect(
          {value->begin() + static_cast<std::ptrdiff_t>(line) + 1, value->end()});
    });
    if (!status.ok()) {
      return absl::UnavailableError(absl::StrCat("process ", rank_, " at ", options_.address,
                                                 " cannot connect to process ", other, " at ",
                                                 address, " by Gloo: ", status.message()));
    }
    Connection& connection = *connections_[static_cast<size_t>(other)];
    return Guarded([&] {
      connection.memory.resize(kPlaces * kPlaceBytes);
      connection.received =
          context_->createUnboundBuffer(connection.memory.data(), connection.memory.size());
      for (size_t place = 0; place < kPlaces; ++place)
        connection.received->recv(other, kFrameSlot, place * kPlaceBytes, kPlaceBytes);
    });
  }

  void Receive(int other, Connection& connection, Receiver* receiver) {
    absl::Status status;
    uint64_t taken = 0;
    size_t place = 0;
    while (true) {
      bool has_come = false;
      status = Guarded([&] { has_come = connection.received->waitRecv(nullptr, kForever); });
      if (!status.ok() || !has_come || connection.is_over) break;
      const absl::Span<const char> frame = FrameIn(connection.memory.data() + place * kPlaceBytes);
      if (frame.data() == nullptr || NumberOf(frame) != taken + 1) {
        status = absl::UnavailableError("it sent what is no frame");
        break;
      }
      ++taken;
      receiver->OnFrame(other, frame);
      status = Guarded(
          [&] { connection.received->recv(other, kFrameSlot, place * kPlaceBytes, kPlaceBytes); });
      place = (place + 1) % kPlaces;
      if (!status.ok()) break;
    }
    if (!status.ok() && !connection.is_over)
      TakeLastFrames(other, connection, receiver, place, taken);
    connection.End();
    {
      std::lock_guard<std::mutex> lock(connection.mutex);
      if (!connection.failure.ok()) status = connection.failure;
      if (status.ok()) status = absl::UnavailableError("the connection is closed");
      connection.failure = status;
    }
    ClosePair(other);
    if (!is_stopped_) receiver->OnFailure(other, status);
  }

  // Those that came whole before the connection ended.
  static void TakeLastFrames(int other, const Connection& connection, Receiver* receiver,
                             size_t place, uint64_t taken) {
    for (size_t i = 0; i < kPlaces; ++i, place = (place + 1) % kPlaces) {
      const absl::Span<const char> frame = FrameIn(connection.memory.data() + place * kPlaceBytes);
      if (frame.data() == nullptr || NumberOf(frame) != ++taken) return;
      receiver->OnFrame(other, frame);
    }
  }

  void ClosePair(int other) {
    if (other != rank_) (void)Guarded([&] { context_->getPair(other)->close(); });
  }

  // Frames that say good-bye should leave.
  void FlushFrames() {
    const absl::Time deadline = absl::Now() + absl::Seconds(1);
    for (const auto& connection : connections_) {
      std::lock_guard<std::mutex> lock(connection->mutex);
      for (const Connection::Sent& sent : connection->sent) {
        if (connection->is_over) break;
        (void)watch_.Wait(*sent.buffer, /*is_send=*/true, {deadline - absl::Now(), nullptr},
                          [&] { return connection->is_over.load(); });
      }
    }
  }

  static absl::Status OverLocked(const Connection& connection) {
    return absl::UnavailableError(connection.failure.ok() ? "the connection is closed"
                                                          : connection.failure.message());
  }

  absl::StatusOr<std::unique_ptr<Transfer>> Begin(int process, uint64_t id, char* data,
                                                  size_t bytes, bool is_send) {
    const std::shared_ptr<Connection>& connection = connections_[static_cast<size_t>(process)];
    if (connection->is_over) {
      std::lock_guard<std::mutex> lock(connection->mutex);
      return OverLocked(*connection);
    }
    std::unique_ptr<UnboundBuffer> buffer;
    XLA_RETURN_IF_ERROR(Guarded([&] {
      buffer = context_->createUnboundBuffer(data, bytes);
      const uint64_t slot = kFirstTransferSlot | id;
      is_send ? buffer->send(process, slot, 0, bytes) : buffer->recv(process, slot, 0, bytes);
    }));
    return std::unique_ptr<Transfer>(
        std::make_unique<GlooTransfer>(watch_, connection, std::move(buffer), is_send));
  }

  const int rank_, size_;
  const GlooOptions options_;
  const std::shared_ptr<KeyValueStore> store_;
  // The context has pairs that point to the device, and buffers point to the context.
  std::shared_ptr<::gloo::transport::Device> device_;
  std::shared_ptr<::gloo::transport::Context> context_;
  Watch watch_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::atomic<bool> is_stopped_{false};
};

// Gloo writes to sockets that the other side may have closed.
void IgnoreBrokenPipes() {
  struct sigaction action = {};
  if (sigaction(SIGPIPE, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = SIG_IGN;
  (void)sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) uint64_t XylemConnectEngine(
    EngineRequest* request) {
  if (request->size != sizeof(EngineRequest)) return sizeof(EngineRequest);
  const GlooOptions& options = *request->gloo;
  if (options.size < 1 || options.rank < 0 || options.rank >= options.size) {
    request->status = absl::InvalidArgumentError(
        absl::StrCat("there is no process ", options.rank, " of ", options.size));
    return sizeof(EngineRequest);
  }
  IgnoreBrokenPipes();
  auto transport = std::make_unique<GlooTransport>(options, request->store);
  request->status = transport->Connect();
  if (request->status.ok()) request->transport = std::move(transport);
  return sizeof(EngineRequest);
}

}  // namespace xla::distributed
