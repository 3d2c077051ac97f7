// SPDX-License-Identifier: Apache-2.0
// Runs, from their launch to their end, and what arrives from other processes.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/distributed/messenger.h"

namespace xla::distributed {
namespace {

// Ended runs of a list of devices that are remembered, for processes that ask late.
constexpr uint64_t kRemembered = 8;
// Of the last failure, told when the client is closed.
constexpr size_t kMostSaid = 1024;
// Failed runs of other processes that have not begun here.
constexpr size_t kMostEndedElsewhere = 4096;

absl::StatusCode CodeOf(int32_t code) {
  const auto known = static_cast<absl::StatusCode>(code);
  switch (known) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDataLoss:
      return known;
    default:
      // CANCELLED on another process is no cancellation of this one.
      return absl::StatusCode::kAborted;
  }
}

}  // namespace

Messenger::RunKey Messenger::BeginRun(uint64_t run, const ProgramIdentity& program,
                                      std::vector<int> processes) {
  std::lock_guard<std::mutex> lock(mutex_);
  const RunKey key = {run, ++launched_[run]};
  RunRecord& record = runs_[key];
  record.program = program;
  record.processes = std::move(processes);
  for (const int process : record.processes) {
    const PeerState& peer = peers_[static_cast<size_t>(process)];
    // One that has died says more than one that closes, perhaps for that reason.
    if (peer.failure.ok() || (!record.failure.ok() && peer.is_closing)) continue;
    record.failure = absl::UnavailableError(
        absl::StrCat(NameOf(process), LeftText(peer), ": launch ", key.launch, " of program ",
                     program.name, " has devices there (", peer.failure.message(), ")"));
  }
  const auto ended = ended_elsewhere_.find(key);
  if (ended != ended_elsewhere_.end()) {
    record.failure = ended->second;
    record.is_theirs = true;
    ended_elsewhere_.erase(ended);
  }
  return key;
}

std::vector<std::pair<int, Frame>> Messenger::DropInboxLocked(RunKey run) {
  std::vector<std::pair<int, Frame>> dropped;
  auto it = inbox_.lower_bound({run, -1, 0});
  while (it != inbox_.end() && std::get<RunKey>(it->first) == run) {
    const int process = std::get<int>(it->first);
    const Arrived& arrived = it->second;
    peers_[static_cast<size_t>(process)].queued_bytes -= arrived.bytes();
    if (arrived.frame.transfer != 0 && arrived.frame.kind == Frame::Kind::kPosted) {
      Frame& frame = dropped.emplace_back(process, FrameOf(Frame::Kind::kReleased, run)).second;
      frame.transfer = arrived.frame.transfer;
    }
    it = inbox_.erase(it);
  }
  return dropped;
}

void Messenger::EndRun(RunKey run, const absl::Status& status) {
  std::vector<std::pair<int, Frame>> frames;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = runs_.find(run);
    if (found == runs_.end() || found->second.has_ended) return;
    RunRecord& record = found->second;
    record.has_ended = true;
    record.end = absl::Status(status.code(), status.message());
    last_failure_.clear();
    if (!status.ok()) {
      last_failure_ = absl::StrCat("launch ", run.launch, " of program ", record.program.name,
                                   " failed there: ", status.message().substr(0, kMostSaid));
    }
    frames = DropInboxLocked(run);
    // Also what another process has said: its connection to the third ones may be what failed.
    if (!status.ok() && !is_closed_) {
      Frame ended = FrameOf(Frame::Kind::kEnded, run);
      ended.code = static_cast<int32_t>(status.code());
      ended.program = record.program.name;
      ended.text = std::string(status.message());
      for (const int process : record.processes) {
        if (process != transport_->rank()) frames.emplace_back(process, ended);
      }
    }
    if (run.launch > kRemembered) {
      const auto first = runs_.lower_bound({run.run, 0});
      auto last = first;
      while (last != runs_.end() && last->first.run == run.run &&
             last->first.launch <= run.launch - kRemembered && last->second.has_ended) {
        ++last;
      }
      runs_.erase(first, last);
    }
  }
  for (const auto& [process, frame] : frames) (void)SendFrame(process, frame);
}

void Messenger::Fail(int process, const absl::Status& status) { OnFailure(process, status); }

void Messenger::OnFailure(int process, const absl::Status& status) {
  std::list<Posted> dropped;  // freed without the lock
  std::unique_lock<std::mutex> lock(mutex_);
  if (process < 0 || static_cast<size_t>(process) >= peers_.size()) return;
  for (auto it = posted_.begin(); it != posted_.end();) {
    const auto next = std::next(it);
    if (it->process == process) dropped.splice(dropped.end(), posted_, it);
    it = next;
  }
  PeerState& peer = peers_[static_cast<size_t>(process)];
  if (peer.failure.ok()) {
    peer.failure = absl::UnavailableError(status.message());
    for (auto& [key, record] : runs_) {
      if (record.has_ended || !record.failure.ok() ||
          std::find(record.processes.begin(), record.processes.end(), process) ==
              record.processes.end()) {
        continue;
      }
      record.failure = absl::UnavailableError(
          absl::StrCat(NameOf(process), LeftText(peer), " during launch ", key.launch,
                       " of program ", record.program.name, " (", status.message(), ")"));
    }
  }
  WakeAllLocked();
  seen_.notify_all();
  lock.unlock();
  dropped.clear();
}

void Messenger::WakeAllLocked() {
  for (Waiter* const waiter : waiters_) waiter->changed.notify_one();
}

void Messenger::WakeLocked(RunKey run) {
  for (Waiter* const waiter : waiters_) {
    if (waiter->operation->run == run) waiter->changed.notify_one();
  }
}

// --- Frames

void Messenger::OnFrame(int process, absl::Span<const char> bytes) {
  if (process < 0 || static_cast<size_t>(process) >= peers_.size()) return;
  absl::StatusOr<DecodedFrame> decoded = DecodeFrame(bytes);
  if (!decoded.ok() || decoded->frame.ticket.epoch != options_.epoch) {
    transport_->Disconnect(process, absl::UnavailableError(absl::StrCat(
                                        "it sent what this version does not understand: ",
                                        decoded.ok() ? absl::StrCat("a message of connection ",
                                                                    decoded->frame.ticket.epoch,
                                                                    ", not of ", options_.epoch)
                                                     : std::string(decoded.status().message()))));
    return;
  }
  switch (decoded->frame.kind) {
    case Frame::Kind::kData:
    case Frame::Kind::kPosted:
      return HandleData(process, *std::move(decoded));
    case Frame::Kind::kReleased:
      return HandleReleased(process, decoded->frame);
    case Frame::Kind::kEnded:
      return HandleEnded(process, decoded->frame);
    case Frame::Kind::kQuestion:
      return HandleQuestion(process, decoded->frame);
    case Frame::Kind::kAnswer: {
      std::lock_guard<std::mutex> lock(mutex_);
      PeerState& peer = peers_[static_cast<size_t>(process)];
      peer.answer = decoded->frame.text;
      peer.is_asked = false;
      return;
    }
    case Frame::Kind::kClosing: {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        PeerState& peer = peers_[static_cast<size_t>(process)];
        peer.is_closing = true;
        peer.closing = decoded->frame.text;
      }
      (void)SendFrame(process, FrameOf(Frame::Kind::kSeen, RunKey()));
      return;
    }
    case Frame::Kind::kSeen: {
      std::lock_guard<std::mutex> lock(mutex_);
      peers_[static_cast<size_t>(process)].has_seen_all = true;
      seen_.notify_all();
      return;
    }
  }
}

void Messenger::HandleData(int process, DecodedFrame decoded) {
  const Frame& frame = decoded.frame;
  const RunKey run = {frame.run, frame.ticket.launch};
  Frame reply;
  bool has_reply = false, is_flood = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto record = runs_.find(run);
    const auto launched = launched_.find(frame.run);
    const bool is_over =
        run != RunKey() &&
        (record != runs_.end() ? record->second.has_ended
                               : launched != launched_.end() && run.launch <= launched->second);
    if (is_over) {
      // The sender waits for an operation in which this process does not take part.
      has_reply = true;
      if (frame.kind == Frame::Kind::kPosted) {
        has_reply = frame.transfer != 0;
        reply = FrameOf(Frame::Kind::kReleased, run);
        reply.transfer = frame.transfer;
      } else {
        reply = FrameOf(Frame::Kind::kEnded, run);
        const absl::Status end = record == runs_.end() ? absl::OkStatus() : record->second.end;
        reply.code = static_cast<int32_t>(end.code());
        reply.program = ProgramNameLocked(run);
        reply.text = std::string(end.message());
      }
    } else {
      if (record != runs_.end() && record->second.failure.ok() &&
          frame.ticket.program != record->second.program.fingerprint) {
        record->second.failure = absl::FailedPreconditionError(absl::StrCat(
            NameOf(process), " is in ", frame.text, " of program ", frame.program, ", launch ",
            run.launch, ", but this process runs program ", record->second.program.name,
            ": all processes must launch the same programs in the same order"));
        record->second.is_theirs = true;
      }
      PeerState& peer = peers_[static_cast<size_t>(process)];
      const uint64_t key = frame.key;
      Arrived arrived = {std::move(decoded.frame),
                         {decoded.payload.begin(), decoded.payload.end()}};
      is_flood = peer.queued_bytes + arrived.bytes() > options_.max_queued_bytes;
      if (!is_flood) {
        peer.queued_bytes += arrived.bytes();
        inbox_.emplace(InboxKey(run, process, key), std::move(arrived));
      }
      WakeLocked(run);
    }
  }
  if (has_reply) (void)SendFrame(process, reply);
  if (is_flood) {
    transport_->Disconnect(process, absl::UnavailableError(absl::StrCat(
                                        "it sent ", options_.max_queued_bytes,
                                        " bytes that this process has not asked for")));
  }
}

void Messenger::HandleReleased(int process, const Frame& frame) {
  std::list<Posted> dropped;  // freed without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = posted_.begin(); it != posted_.end(); ++it) {
    if (it->process != process || it->transfer != frame.transfer) continue;
    dropped.splice(dropped.end(), posted_, it);
    return;
  }
  constexpr size_t kMostReleased = 1024;
  if (released_.size() < kMostReleased) released_.insert({process, frame.transfer});
}

void Messenger::HandleEnded(int process, const Frame& frame) {
  std::lock_guard<std::mutex> lock(mutex_);
  const RunKey run = {frame.run, frame.ticket.launch};
  const absl::StatusCode code =
      frame.code == 0 ? absl::StatusCode::kFailedPrecondition : CodeOf(frame.code);
  const absl::Status failure(
      code, absl::StrCat(NameOf(process), frame.code == 0 ? " has ended" : " failed in", " launch ",
                         run.launch, " of program ", frame.program,
                         frame.code == 0 ? " without the operation that this process is in"
                                         : absl::StrCat(": ", frame.text)));
  peers_[static_cast<size_t>(process)].is_asked = false;
  const auto record = runs_.find(run);
  if (record != runs_.end()) {
    if (record->second.has_ended || !record->second.failure.ok()) return;
    // A process that has ended well has sent all that it had to: what still comes are transfers.
    // The thread that waits may not have taken what has come.
    const auto waits = [&](const Waiter* waiter) {
      return waiter->operation->run == run &&
             std::find(waiter->missing.begin(), waiter->missing.end(), process) !=
                 waiter->missing.end() &&
             OldestLocked({run, process, waiter->key}) == inbox_.end();
    };
    if (frame.code == 0 && std::none_of(waiters_.begin(), waiters_.end(), waits)) return;
    record->second.failure = failure;
    record->second.is_theirs = true;
    WakeLocked(run);
    return;
  }
  const auto launched = launched_.find(frame.run);
  if (frame.code == 0 || (launched != launched_.end() && run.launch <= launched->second)) return;
  ended_elsewhere_.emplace(run, failure);
  if (ended_elsewhere_.size() > kMostEndedElsewhere)
    ended_elsewhere_.erase(ended_elsewhere_.begin());
}

void Messenger::HandleQuestion(int process, const Frame& frame) {
  const RunKey run = {frame.run, frame.ticket.launch};
  Frame reply = FrameOf(Frame::Kind::kAnswer, run);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto record = runs_.find(run);
    const auto launched = launched_.find(frame.run);
    const Waiter* waiter = nullptr;
    for (const Waiter* const one : waiters_) {
      if (one->operation->run == run) waiter = one;
    }
    if (waiter != nullptr && !waiter->missing.empty()) {
      std::vector<std::string> names;
      for (const int missing : waiter->missing) names.push_back(NameOf(missing));
      reply.text = absl::StrCat("is in ", waiter->operation->text, " and waits for ",
                                absl::StrJoin(names, ", "));
    } else if (record != runs_.end() && !record->second.has_ended) {
      reply.text = absl::StrCat("runs program ", record->second.program.name, ", launch ",
                                run.launch, ", and has not come to it yet");
    } else if (run == RunKey()) {
      reply.text = "has not come to it yet";
    } else if (launched == launched_.end() || launched->second < run.launch) {
      reply.text = absl::StrCat("has not launched it yet (",
                                launched == launched_.end() ? 0 : launched->second,
                                " launches on these devices)");
    } else {
      const absl::Status end = record == runs_.end() ? absl::OkStatus() : record->second.end;
      reply.kind = Frame::Kind::kEnded;
      reply.code = static_cast<int32_t>(end.code());
      reply.program = ProgramNameLocked(run);
      reply.text = std::string(end.message());
    }
  }
  (void)SendFrame(process, reply);
}

}  // namespace xla::distributed
