// SPDX-License-Identifier: Apache-2.0
// Exchanges: messages out, messages in, and waits for them.
#include "xla/distributed/messenger.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"

namespace xla::distributed {
namespace {

uint64_t TotalBytes(absl::Span<const absl::Span<const char>> parts) {
  uint64_t bytes = 0;
  for (const absl::Span<const char> part : parts) bytes += part.size();
  return bytes;
}

}  // namespace

Messenger::Messenger(std::unique_ptr<Transport> transport, MessengerOptions options)
    : options_(std::move(options)),
      transport_(std::move(transport)),
      peers_(static_cast<size_t>(transport_->size())) {}

Messenger::~Messenger() { Close(); }

absl::Status Messenger::Start() { return transport_->Start(this); }

void Messenger::Close() {
  Frame closing = FrameOf(Frame::Kind::kClosing, RunKey());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_) return;
    is_closed_ = true;
    closing.text = last_failure_;
    WakeAllLocked();
  }
  for (int process = 0; process < transport_->size(); ++process) {
    if (process == transport_->rank() || SendFrame(process, closing).ok()) continue;
    std::lock_guard<std::mutex> lock(mutex_);
    peers_[static_cast<size_t>(process)].has_seen_all = true;
  }
  // What is under way to others is lost if the connection closes while they send something.
  constexpr auto kPatience = std::chrono::seconds(10);
  {
    std::unique_lock<std::mutex> lock(mutex_);
    (void)seen_.wait_for(lock, kPatience, [&] {
      for (int process = 0; process < transport_->size(); ++process) {
        const PeerState& peer = peers_[static_cast<size_t>(process)];
        if (process != transport_->rank() && peer.failure.ok() && !peer.has_seen_all) return false;
      }
      return true;
    });
  }
  transport_->Stop();
  posted_.clear();
}

// --- Words

std::string Messenger::NameOf(int process) const {
  const auto index = static_cast<size_t>(process);
  return index < options_.process_names.size() ? options_.process_names[index]
                                               : absl::StrCat("process ", process);
}

std::string Messenger::ProgramNameLocked(RunKey run) const {
  const auto found = runs_.find(run);
  return found == runs_.end() ? "" : found->second.program.name;
}

std::string Messenger::Where(const Operation& operation) const {
  if (operation.run == RunKey()) return operation.text;
  std::lock_guard<std::mutex> lock(mutex_);
  return absl::StrCat(operation.text, " of program ", ProgramNameLocked(operation.run), ", launch ",
                      operation.run.launch);
}

std::string Messenger::LeftText(const PeerState& peer) {
  if (!peer.is_closing) return " has gone";
  return absl::StrCat(" has closed its client", peer.closing.empty() ? "" : ", after ",
                      peer.closing);
}

void Messenger::Report(absl::string_view text) const {
  if (options_.report != nullptr) {
    options_.report(text);
  } else {
    std::fprintf(stderr, "Xylem: %.*s\n", static_cast<int>(text.size()), text.data());
  }
}

// --- Sending

Frame Messenger::FrameOf(Frame::Kind kind, RunKey run) const {
  Frame frame;
  frame.kind = kind;
  frame.run = run.run;
  frame.ticket.launch = run.launch;
  frame.ticket.epoch = options_.epoch;
  return frame;
}

Frame Messenger::DataFrame(Frame::Kind kind, const Operation& operation, uint64_t key) {
  Frame frame = FrameOf(kind, operation.run);
  frame.key = key;
  frame.text = operation.text;
  std::lock_guard<std::mutex> lock(mutex_);
  frame.ticket = TicketLocked(operation);
  frame.program = ProgramNameLocked(operation.run);
  return frame;
}

Ticket Messenger::TicketLocked(const Operation& operation) const {
  Ticket ticket = FrameOf(Frame::Kind::kData, operation.run).ticket;
  ticket.instruction = operation.instruction;
  ticket.shape = operation.shape;
  const auto found = runs_.find(operation.run);
  if (found != runs_.end()) ticket.program = found->second.program.fingerprint;
  return ticket;
}

absl::Status Messenger::SendFrame(int process, const Frame& frame) {
  const std::string header = EncodeFrame(frame);
  const absl::Span<const char> part = header;
  return transport_->SendFrame(process, absl::MakeConstSpan(&part, 1));
}

absl::Status Messenger::SendParts(int process, Frame& frame,
                                  absl::Span<const absl::Span<const char>> parts,
                                  Transfers& transfers) {
  frame.bytes = TotalBytes(parts);
  // The texts of a large frame give way to the payload.
  constexpr size_t kTextBytes = 1024;
  if (frame.text.size() > kTextBytes) frame.text.resize(kTextBytes);
  if (frame.program.size() > kTextBytes) frame.program.resize(kTextBytes);
  FrameParts division;
  std::vector<absl::Span<const char>> sent(1);
  std::vector<absl::Span<const char>> large;
  for (const absl::Span<const char> part : parts) {
    if (part.empty()) continue;
    (division.Add(part.size()) ? sent : large).push_back(part);
  }
  if (!large.empty()) frame.transfer = next_transfer_.fetch_add(large.size());
  const std::string header = EncodeFrame(frame);
  sent[0] = header;
  XLA_RETURN_IF_ERROR(transport_->SendFrame(process, sent));
  for (size_t i = 0; i < large.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(std::unique_ptr<Transport::Transfer> transfer,
                         transport_->StartSend(process, frame.transfer + i, large[i]));
    transfers.push_back(std::move(transfer));
  }
  return absl::OkStatus();
}

// --- Receiving

absl::Status Messenger::Mismatch(int process, const Operation& operation, const Frame& theirs) {
  return absl::FailedPreconditionError(
      absl::StrCat(NameOf(process), " is in ", theirs.text, " of program ", theirs.program,
                   ", launch ", theirs.ticket.launch, ", but this process in ", Where(operation),
                   ": all processes must launch the same programs in the same order"));
}

absl::Status Messenger::TakeParts(int process, const Operation& operation, const Arrived& arrived,
                                  absl::Span<const absl::Span<char>> parts, Transfers& transfers) {
  const Frame& frame = arrived.frame;
  Ticket expected;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    expected = TicketLocked(operation);
  }
  if (frame.ticket != expected) return Mismatch(process, operation, frame);
  FrameParts division;
  uint64_t bytes = 0;
  for (const absl::Span<char> part : parts) {
    bytes += part.size();
    if (!part.empty()) division.Add(part.size());
  }
  if (frame.bytes != bytes || arrived.payload.size() != division.inline_bytes()) {
    return absl::FailedPreconditionError(absl::StrCat(NameOf(process), " sent ", frame.bytes,
                                                      " bytes for ", Where(operation),
                                                      ", which is to receive ", bytes));
  }
  division = FrameParts();
  const char* from = arrived.payload.data();
  uint64_t transfer = frame.transfer;
  for (const absl::Span<char> part : parts) {
    if (part.empty()) continue;
    if (division.Add(part.size())) {
      std::memcpy(part.data(), from, part.size());
      from += part.size();
      continue;
    }
    absl::StatusOr<std::unique_ptr<Transport::Transfer>> started =
        transport_->StartReceive(process, transfer++, part);
    if (!started.ok()) return Gone(process, operation, started.status());
    transfers.push_back(*std::move(started));
  }
  return absl::OkStatus();
}

Messenger::Inbox::iterator Messenger::OldestLocked(const InboxKey& key) {
  const auto oldest = inbox_.lower_bound(key);
  return oldest != inbox_.end() && oldest->first == key ? oldest : inbox_.end();
}

Messenger::Arrived Messenger::TakeLocked(Inbox::iterator message) {
  Arrived arrived = std::move(message->second);
  peers_[static_cast<size_t>(std::get<int>(message->first))].queued_bytes -= arrived.bytes();
  inbox_.erase(message);
  return arrived;
}

// --- Waiting

absl::Status Messenger::FailureLocked(const Operation& operation,
                                      absl::Span<const int> missing) const {
  if (is_closed_) return absl::CancelledError("the client is being closed");
  const auto run = runs_.find(operation.run);
  // A process that closes its client may do so since another one has died: what it said of the run
  // before that names the cause.
  const auto lost = [&](bool is_closing) -> absl::Status {
    for (const int process : missing) {
      const PeerState& peer = peers_[static_cast<size_t>(process)];
      if (peer.failure.ok() || peer.is_closing != is_closing) continue;
      return absl::UnavailableError(
          absl::StrCat(NameOf(process), LeftText(peer), ": ", operation.text,
                       run == runs_.end() ? ""
                                          : absl::StrCat(" of program ", run->second.program.name,
                                                         ", launch ", operation.run.launch),
                       ", waited for it (", peer.failure.message(), ")"));
    }
    return absl::OkStatus();
  };
  XLA_RETURN_IF_ERROR(lost(/*is_closing=*/false));
  // A copy that shares nothing, as in rendezvous.cc.
  if (run != runs_.end() && !run->second.failure.ok()) {
    const RunRecord& record = run->second;
    return absl::Status(
        record.failure.code(),
        absl::StrCat(record.failure.message(),
                     record.is_theirs ? absl::StrCat(", here in ", operation.text) : ""));
  }
  return lost(/*is_closing=*/true);
}

absl::Status Messenger::Gone(int process, const Operation& operation, const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  XLA_RETURN_IF_ERROR(FailureLocked(operation, {process}));
  if (!absl::IsUnavailable(status)) return status;
  // The transport will say so as well.
  peers_[static_cast<size_t>(process)].failure = status;
  return FailureLocked(operation, {process});
}

absl::Status Messenger::TooLong(const Operation& operation, absl::Span<const int> missing,
                                absl::Duration limit) {
  const std::string where = Where(operation);
  std::vector<std::string> waits;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const int process : missing) {
    const std::string& answer = peers_[static_cast<size_t>(process)].answer;
    waits.push_back(absl::StrCat(NameOf(process),
                                 answer.empty() ? ", which does not answer" : ", which ", answer));
  }
  return absl::UnavailableError(absl::StrCat(where, " waited ", absl::FormatDuration(limit),
                                             " for ", absl::StrJoin(waits, "; for ")));
}

absl::Status Messenger::PollWait(const Operation& operation, absl::Time since,
                                 absl::Span<const int> missing, const runtime::WaitLimits& limits,
                                 absl::Time& next_question, absl::Time& next_report) {
  if (limits.poll != nullptr) XLA_RETURN_IF_ERROR(limits.poll());
  const absl::Time now = absl::Now();
  if (now < next_question) return absl::OkStatus();
  const bool reports = now >= next_report;
  if (reports) {
    std::vector<std::string> waits;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const int process : missing) {
        const std::string& answer = peers_[static_cast<size_t>(process)].answer;
        waits.push_back(absl::StrCat(
            NameOf(process), answer.empty() ? ", which does not answer" : ", which ", answer));
      }
    }
    Report(absl::StrCat(NameOf(transport_->rank()), ": ", Where(operation), " has waited ",
                        absl::FormatDuration(absl::Trunc(now - since, absl::Seconds(1))), " for ",
                        absl::StrJoin(waits, "; for ")));
    next_report = now + options_.report_after;
  }
  // One question at a time, so that frames do not pile up for a process that was stopped.
  std::vector<int> asked;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const int process : missing) {
      PeerState& peer = peers_[static_cast<size_t>(process)];
      peer.answer.clear();
      if (!std::exchange(peer.is_asked, true)) asked.push_back(process);
    }
  }
  Frame question = FrameOf(Frame::Kind::kQuestion, operation.run);
  question.text = operation.text;
  for (const int process : asked) (void)SendFrame(process, question);
  // The next answers are there for the next report.
  next_question = std::max(now + options_.ask_after, std::min(now + 10 * options_.ask_after,
                                                              next_report - options_.ask_after));
  return absl::OkStatus();
}

absl::Status Messenger::Await(std::unique_lock<std::mutex>& lock, Waiter& waiter,
                              const runtime::WaitLimits& limits, absl::FunctionRef<bool()> ready) {
  absl::Status failure;
  const auto done = [&] {
    failure = FailureLocked(*waiter.operation, waiter.missing);
    return ready() || !failure.ok();
  };
  if (done()) return ready() ? absl::OkStatus() : failure;
  absl::Time next_question = waiter.since + options_.ask_after;
  absl::Time next_report = waiter.since + options_.report_after;
  const std::vector<int> missing = waiter.missing;
  runtime::WaitLimits own;
  own.timeout = limits.timeout == absl::InfiniteDuration()
                    ? limits.timeout
                    : std::max(limits.timeout - (absl::Now() - waiter.since), absl::ZeroDuration());
  own.poll = [&] {
    return PollWait(*waiter.operation, waiter.since, missing, limits, next_question, next_report);
  };
  lock.unlock();
  const absl::StatusOr<bool> received = transport_->ReceiveUntil(own, [&] {
    const std::lock_guard<std::mutex> done_lock(mutex_);
    return done();
  });
  lock.lock();
  const absl::Status status =
      received.ok() ? runtime::WaitUntil(lock, waiter.changed, own, done) : received.status();
  if (status.ok()) return ready() ? absl::OkStatus() : failure;
  if (!absl::IsDeadlineExceeded(status)) return status;
  lock.unlock();
  absl::Status error = TooLong(*waiter.operation, missing, limits.timeout);
  lock.lock();
  return error;
}

absl::Status Messenger::AwaitTransfers(Transfers& transfers, int process,
                                       const Operation& operation,
                                       const runtime::WaitLimits& limits, absl::Time since) {
  absl::Time next_question = since + options_.ask_after;
  absl::Time next_report = since + options_.report_after;
  while (!transfers.empty()) {
    runtime::WaitLimits own;
    own.timeout = limits.timeout == absl::InfiniteDuration()
                      ? limits.timeout
                      : std::max(limits.timeout - (absl::Now() - since), absl::ZeroDuration());
    own.poll = [&]() -> absl::Status {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        XLA_RETURN_IF_ERROR(FailureLocked(operation, {process}));
      }
      return PollWait(operation, since, {process}, limits, next_question, next_report);
    };
    const absl::Status status = transfers.back()->Wait(own);
    if (absl::IsDeadlineExceeded(status)) return TooLong(operation, {process}, limits.timeout);
    // The poll's errors say more already.
    if (absl::IsUnavailable(status)) return Gone(process, operation, status);
    XLA_RETURN_IF_ERROR(status);
    transfers.pop_back();
  }
  return absl::OkStatus();
}

absl::Status Messenger::Exchange(const Operation& operation, uint64_t key,
                                 absl::Span<const Peer> peers, const runtime::WaitLimits& limits) {
  struct Side {
    bool has_arrived = false, is_matched = false;
    Transfers sends, receives;
  };
  std::vector<Side> sides(peers.size());
  Waiter waiter;
  waiter.operation = &operation;
  waiter.key = key;
  waiter.since = absl::Now();
  for (const Peer& peer : peers) waiter.missing.push_back(peer.process);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    XLA_RETURN_IF_ERROR(FailureLocked(operation, waiter.missing));
  }

  const absl::Status status = [&]() -> absl::Status {
    Frame frame = DataFrame(Frame::Kind::kData, operation, key);
    for (size_t i = 0; i < peers.size(); ++i) {
      frame.transfer = 0;
      const absl::Status sent =
          SendParts(peers[i].process, frame, peers[i].outgoing, sides[i].sends);
      if (!sent.ok()) return Gone(peers[i].process, operation, sent);
    }
    // Each message is taken when it comes, so that its transfers start.
    std::unique_lock<std::mutex> lock(mutex_);
    waiters_.insert(&waiter);
    const absl::Status waited = [&]() -> absl::Status {
      while (!waiter.missing.empty()) {
        auto found = inbox_.end();
        XLA_RETURN_IF_ERROR(Await(lock, waiter, limits, [&] {
          for (const int process : waiter.missing) {
            found = OldestLocked({operation.run, process, key});
            if (found != inbox_.end()) return true;
          }
          return false;
        }));
        const int process = std::get<int>(found->first);
        const Arrived arrived = TakeLocked(found);
        waiter.missing.erase(std::find(waiter.missing.begin(), waiter.missing.end(), process));
        lock.unlock();
        size_t i = 0;
        while (peers[i].process != process) ++i;
        const absl::Status taken =
            TakeParts(process, operation, arrived, peers[i].incoming, sides[i].receives);
        sides[i].has_arrived = true;
        sides[i].is_matched = taken.ok();
        lock.lock();
        XLA_RETURN_IF_ERROR(taken);
      }
      return absl::OkStatus();
    }();
    waiters_.erase(&waiter);
    lock.unlock();
    XLA_RETURN_IF_ERROR(waited);
    for (size_t i = 0; i < peers.size(); ++i) {
      XLA_RETURN_IF_ERROR(
          AwaitTransfers(sides[i].receives, peers[i].process, operation, limits, waiter.since));
      XLA_RETURN_IF_ERROR(
          AwaitTransfers(sides[i].sends, peers[i].process, operation, limits, waiter.since));
    }
    return absl::OkStatus();
  }();
  if (status.ok()) return status;

  // Transfers under way with processes that live still use the memory: they end first, or the
  // connection does.
  constexpr absl::Duration kPatience = absl::Seconds(5);
  for (size_t i = 0; i < peers.size(); ++i) {
    Side& side = sides[i];
    if (!side.is_matched) continue;
    const runtime::WaitLimits patience = {kPatience, nullptr};
    bool is_done = true;
    for (Transfers* transfers : {&side.receives, &side.sends}) {
      for (const auto& transfer : *transfers) is_done = is_done && transfer->Wait(patience).ok();
    }
    if (!is_done) {
      transport_->Disconnect(peers[i].process,
                             absl::UnavailableError("a message was given up in the middle"));
    }
  }
  return status;
}

absl::Status Messenger::Post(const Operation& operation, uint64_t key, int process,
                             absl::Span<const absl::Span<const char>> parts) {
  Posted posted;
  posted.process = process;
  FrameParts division;
  std::vector<absl::Span<const char>> copies;
  for (const absl::Span<const char> part : parts) {
    if (part.empty() || division.Add(part.size())) {
      copies.push_back(part);
      continue;
    }
    posted.memory.emplace_back(part.begin(), part.end());
    copies.push_back(posted.memory.back());
  }
  Frame frame = DataFrame(Frame::Kind::kPosted, operation, key);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    XLA_RETURN_IF_ERROR(FailureLocked(operation, {process}));
  }
  const absl::Status sent = SendParts(process, frame, copies, posted.transfers);
  if (!sent.ok()) return Gone(process, operation, sent);
  std::lock_guard<std::mutex> lock(mutex_);
  if (posted.transfers.empty()) return absl::OkStatus();
  posted.transfer = frame.transfer;
  // The receiver may have been faster.
  if (released_.erase({process, posted.transfer}) == 0) posted_.push_back(std::move(posted));
  return absl::OkStatus();
}

absl::Status Messenger::Collect(const Operation& operation, uint64_t key, int process,
                                absl::Span<const absl::Span<char>> parts,
                                const runtime::WaitLimits& limits) {
  Waiter waiter;
  waiter.operation = &operation;
  waiter.key = key;
  waiter.since = absl::Now();
  waiter.missing = {process};
  Arrived arrived;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    waiters_.insert(&waiter);
    auto found = inbox_.end();
    const absl::Status waited = Await(lock, waiter, limits, [&] {
      found = OldestLocked({operation.run, process, key});
      return found != inbox_.end();
    });
    waiters_.erase(&waiter);
    XLA_RETURN_IF_ERROR(waited);
    arrived = TakeLocked(found);
  }
  Transfers transfers;
  XLA_RETURN_IF_ERROR(TakeParts(process, operation, arrived, parts, transfers));
  const absl::Status status = AwaitTransfers(transfers, process, operation, limits, waiter.since);
  if (!status.ok()) {
    transport_->Disconnect(process, absl::UnavailableError("a message was given up in the middle"));
  } else if (arrived.frame.transfer != 0) {
    Frame released = FrameOf(Frame::Kind::kReleased, operation.run);
    released.transfer = arrived.frame.transfer;
    (void)SendFrame(process, released);
  }
  return status;
}

}  // namespace xla::distributed
