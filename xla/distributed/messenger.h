// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of a job, on any transport: who waits for what, what is compared,
// what becomes of it when a process fails.
//
// Messages of a run meet by the run, the pair of processes and a key. Each carries a ticket
// (wire.h) and names what its sender is doing, so that two processes that do different things both
// find out, and can say what. A process that waits asks those that it waits for what they do.
#ifndef XLA_DISTRIBUTED_MESSENGER_H_
#define XLA_DISTRIBUTED_MESSENGER_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla/distributed/program_identity.h"
#include "xla/distributed/transport.h"
#include "xla/distributed/wire.h"
#include "xla/runtime/wait.h"

namespace xla::distributed {

struct MessengerOptions {
  std::vector<std::string> process_names;  // by rank; "process 3" where the list ends
  absl::Duration report_after = absl::Seconds(20);
  absl::Duration ask_after = absl::Seconds(1);
  uint32_t epoch = 0;
  // Told who waits for whom. Null: standard error.
  std::function<void(absl::string_view)> report;
  // Of messages from one process that nobody has asked for yet.
  int64_t max_queued_bytes = int64_t{1} << 30;
};

// Thread-safe.
class Messenger final : public Transport::Receiver {
 public:
  // A run: the hash of its list of devices, and its number among the runs of that list. {0, 0}:
  // messages beside runs.
  struct RunKey {
    uint64_t run = 0, launch = 0;
    auto operator<=>(const RunKey&) const = default;
  };
  struct Operation {
    RunKey run;
    uint32_t instruction = 0;
    uint64_t shape = 0;
    std::string text;
  };
  // What goes to and comes from another process; the parts of both sides have the same sizes.
  struct Peer {
    int process = 0;
    absl::Span<const absl::Span<const char>> outgoing;
    absl::Span<const absl::Span<char>> incoming;
  };

  Messenger(std::unique_ptr<Transport> transport, MessengerOptions options);
  ~Messenger() override;

  absl::Status Start();
  void Close();
  Transport& transport() { return *transport_; }

  // Begins the next run of a list of devices.
  RunKey BeginRun(uint64_t run, const ProgramIdentity& program, std::vector<int> processes);
  // Ends it, once. An error is told to the other processes.
  void EndRun(RunKey run, const absl::Status& status);

  // Sends to and receives from all peers.
  absl::Status Exchange(const Operation& operation, uint64_t key, absl::Span<const Peer> peers,
                        const runtime::WaitLimits& limits);
  // Sends a copy of the parts.
  absl::Status Post(const Operation& operation, uint64_t key, int process,
                    absl::Span<const absl::Span<const char>> parts);
  // Receives what Post has sent, or will send.
  absl::Status Collect(const Operation& operation, uint64_t key, int process,
                       absl::Span<const absl::Span<char>> parts, const runtime::WaitLimits& limits);

  // The process has died, as others say.
  void Fail(int process, const absl::Status& status);

  void OnFrame(int process, absl::Span<const char> bytes) override;
  void OnFailure(int process, const absl::Status& status) override;

  // "process 1 (host a, pid 17)"
  std::string NameOf(int process) const;

 private:
  using Transfers = std::vector<std::unique_ptr<Transport::Transfer>>;
  struct Arrived {
    Frame frame;
    std::vector<char> payload;
    // Of memory, about.
    int64_t bytes() const {
      return static_cast<int64_t>(payload.size() + frame.program.size() + frame.text.size() +
                                  2 * sizeof(Arrived));
    }
  };
  // A thread that waits for processes.
  struct Waiter {
    const Operation* operation = nullptr;
    uint64_t key = 0;
    absl::Time since;
    std::vector<int> missing;
    std::condition_variable changed;
  };
  struct RunRecord {
    ProgramIdentity program;
    std::vector<int> processes;
    absl::Status failure;  // why waits of the run cannot succeed
    // The failure is what another process did: it may be known before this process comes to the
    // operation that fails for it, which the error then names.
    bool is_theirs = false;
    bool has_ended = false;
    absl::Status end;
  };
  struct PeerState {
    absl::Status failure;
    bool is_closing = false;
    std::string closing;        // what it said of that: its last run, if that failed
    bool has_seen_all = false;  // of what this process sent, which now closes
    int64_t queued_bytes = 0;
    std::string answer;     // to the latest question
    bool is_asked = false;  // and has not answered
  };
  struct Posted {
    int process = 0;
    uint64_t transfer = 0;
    std::vector<std::vector<char>> memory;
    Transfers transfers;
  };
  using InboxKey = std::tuple<RunKey, int, uint64_t>;
  using Inbox = std::multimap<InboxKey, Arrived>;
  // The oldest message of a key; the end if there is none.
  Inbox::iterator OldestLocked(const InboxKey& key);
  Arrived TakeLocked(Inbox::iterator message);
  Frame FrameOf(Frame::Kind kind, RunKey run) const;
  Frame DataFrame(Frame::Kind kind, const Operation& operation, uint64_t key);
  Ticket TicketLocked(const Operation& operation) const;
  absl::Status SendFrame(int process, const Frame& frame);
  // Sends the frame of a message, and starts the transfers of its large parts.
  absl::Status SendParts(int process, Frame& frame, absl::Span<const absl::Span<const char>> parts,
                         Transfers& transfers);
  // Compares a message with the operation that receives it, and copies or starts to receive its
  // parts.
  absl::Status TakeParts(int process, const Operation& operation, const Arrived& arrived,
                         absl::Span<const absl::Span<char>> parts, Transfers& transfers);
  absl::Status Mismatch(int process, const Operation& operation, const Frame& theirs);
  // The error of a run, or of a process.
  absl::Status FailureLocked(const Operation& operation, absl::Span<const int> missing) const;
  // The error of an operation whose process has turned out to be gone.
  absl::Status Gone(int process, const Operation& operation, const absl::Status& status);
  std::string Where(const Operation& operation) const;
  std::string ProgramNameLocked(RunKey run) const;
  // Waits until ready(), under the lock, or for what stops the wait.
  absl::Status Await(std::unique_lock<std::mutex>& lock, Waiter& waiter,
                     const runtime::WaitLimits& limits, absl::FunctionRef<bool()> ready);
  absl::Status AwaitTransfers(Transfers& transfers, int process, const Operation& operation,
                              const runtime::WaitLimits& limits, absl::Time since);
  // Asks the missing processes what they do, and reports after a while.
  absl::Status PollWait(const Operation& operation, absl::Time since, absl::Span<const int> missing,
                        const runtime::WaitLimits& limits, absl::Time& next_question,
                        absl::Time& next_report);
  absl::Status TooLong(const Operation& operation, absl::Span<const int> missing,
                       absl::Duration limit);
  void HandleData(int process, DecodedFrame decoded);
  void HandleEnded(int process, const Frame& frame);
  void HandleQuestion(int process, const Frame& frame);
  void HandleReleased(int process, const Frame& frame);
  // " has gone", or " has closed its client" and why, if it said so.
  static std::string LeftText(const PeerState& peer);
  void WakeLocked(RunKey run);
  void WakeAllLocked();
  // Forgets the messages of a run; returns what is to be told to their senders.
  std::vector<std::pair<int, Frame>> DropInboxLocked(RunKey run);
  void Report(absl::string_view text) const;

  const MessengerOptions options_;
  std::unique_ptr<Transport> transport_;
  std::atomic<uint64_t> next_transfer_{1};

  mutable std::mutex mutex_;
  Inbox inbox_;  // those of one key in the order in which they came
  std::map<RunKey, RunRecord> runs_;
  std::map<uint64_t, uint64_t> launched_;           // the latest launch of each list of devices
  std::map<RunKey, absl::Status> ended_elsewhere_;  // runs that have not begun here
  std::vector<PeerState> peers_;
  std::set<Waiter*> waiters_;
  std::list<Posted> posted_;
  std::set<std::pair<int, uint64_t>> released_;  // before they were in posted_
  std::string last_failure_;  // of the run that ended last; empty if it ended well
  bool is_closed_ = false;
  std::condition_variable seen_;
};

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_MESSENGER_H_
