// SPDX-License-Identifier: Apache-2.0
// Runs of a connected job.
#include "xla/distributed/communicator.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/messenger.h"
#include "xla/distributed/wire.h"

namespace xla::distributed {
namespace {

// What a key is of.
constexpr uint64_t kExchangeSeed = 1, kChannelSeed = 2, kCopySeed = 3, kBarrierSeed = 4;

Messenger::Operation OperationOf(const runtime::ProcessGroup::Operation& operation,
                                 Messenger::RunKey run) {
  Messenger::Operation converted;
  converted.run = run;
  converted.instruction = static_cast<uint32_t>(HashBytes(operation.name));
  converted.shape = HashBytes(operation.shapes);
  converted.text = operation.text;
  return converted;
}

Messenger::Operation OperationBesideRuns(absl::string_view text) {
  Messenger::Operation operation;
  operation.text = std::string(text);
  return operation;
}

}  // namespace

class Communicator::Run final : public runtime::ProcessGroup {
 public:
  Run(std::shared_ptr<Messenger> messenger, const ProgramIdentity& program,
      absl::Span<const int64_t> device_ids, absl::Span<const int32_t> processes)
      : ProcessGroup({processes.begin(), processes.end()}, messenger->transport().rank()),
        messenger_(std::move(messenger)),
        name_(program.name) {
    std::vector<int> others;
    for (const int32_t process : processes) {
      if (process != self() && std::find(others.begin(), others.end(), process) == others.end())
        others.push_back(process);
    }
    is_shared_ = program.communicates && !others.empty() && !local_devices().empty();
    if (is_shared_)
      run_ = messenger_->BeginRun(HashNumbers(device_ids), program, std::move(others));
  }
  ~Run() override { Finish(absl::CancelledError("the program was not run")); }

  absl::Status Exchange(const Operation& operation, absl::Span<const int64_t> devices,
                        absl::Span<const Outgoing> outgoing, absl::Span<const Incoming> incoming,
                        const runtime::WaitLimits& limits) override {
    XLA_RETURN_IF_ERROR(CheckShared(operation));
    int64_t round = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      round = rounds_[{devices.begin(), devices.end()}]++;
    }
    std::vector<Messenger::Peer> peers;
    for (const int32_t process : ProcessesOf(devices)) {
      if (process == self()) continue;
      const auto is_of = [&](const auto& message) { return message.process == process; };
      const auto out = std::find_if(outgoing.begin(), outgoing.end(), is_of);
      const auto in = std::find_if(incoming.begin(), incoming.end(), is_of);
      if (out == outgoing.end() && in == incoming.end()) continue;
      Messenger::Peer& peer = peers.emplace_back();
      peer.process = process;
      if (out != outgoing.end()) peer.outgoing = out->parts;
      if (in != incoming.end()) peer.incoming = in->parts;
    }
    const uint64_t key =
        HashNumbers(devices, HashNumbers({static_cast<int64_t>(kExchangeSeed), round}));
    return messenger_->Exchange(OperationOf(operation, run_), key, peers, limits);
  }

  absl::Status Send(const Operation& operation, const runtime::Rendezvous::Channel& channel,
                    int32_t process, absl::Span<const absl::Span<const char>> parts) override {
    XLA_RETURN_IF_ERROR(CheckShared(operation));
    return messenger_->Post(OperationOf(operation, run_), KeyOf(channel, sent_), process, parts);
  }

  absl::Status Receive(const Operation& operation, const runtime::Rendezvous::Channel& channel,
                       int32_t process, absl::Span<const absl::Span<char>> parts,
                       const runtime::WaitLimits& limits) override {
    XLA_RETURN_IF_ERROR(CheckShared(operation));
    return messenger_->Collect(OperationOf(operation, run_), KeyOf(channel, received_), process,
                               parts, limits);
  }

  void Finish(const absl::Status& status) override {
    if (is_shared_) messenger_->EndRun(run_, status);
  }

 private:
  using Counters = std::map<runtime::Rendezvous::Channel, int64_t>;

  absl::Status CheckShared(const Operation& operation) const {
    if (is_shared_) return absl::OkStatus();
    return absl::InternalError(absl::StrCat(operation.text, " of program ", name_,
                                            " communicates, but was announced as one that does "
                                            "not"));
  }

  uint64_t KeyOf(const runtime::Rendezvous::Channel& channel, Counters& counters) {
    std::lock_guard<std::mutex> lock(mutex_);
    const int64_t numbers[] = {static_cast<int64_t>(kChannelSeed), channel.place.id, channel.source,
                               channel.target, counters[channel]++};
    return HashNumbers(numbers);
  }

  const std::shared_ptr<Messenger> messenger_;
  const std::string name_;
  Messenger::RunKey run_;
  bool is_shared_ = false;  // with other processes
  std::mutex mutex_;
  std::map<std::vector<int64_t>, int64_t> rounds_;  // by the devices of an operation
  Counters sent_, received_;
};

Communicator::Communicator(std::unique_ptr<Transport> transport, CommunicatorOptions options) {
  MessengerOptions messenger;
  messenger.process_names = std::move(options.process_names);
  messenger.report_after = options.report_after;
  messenger.ask_after = std::min(absl::Seconds(1), options.report_after / 4);
  messenger.epoch = options.epoch;
  messenger.report = std::move(options.report);
  messenger_ = std::make_shared<Messenger>(std::move(transport), std::move(messenger));
}

Communicator::~Communicator() { Close(); }

absl::StatusOr<std::unique_ptr<Communicator>> Communicator::Create(
    std::unique_ptr<Transport> transport, CommunicatorOptions options) {
  if (transport == nullptr) return absl::InvalidArgumentError("there is no transport");
  std::unique_ptr<Communicator> communicator(
      new Communicator(std::move(transport), std::move(options)));
  XLA_RETURN_IF_ERROR(communicator->messenger_->Start());
  return communicator;
}

int Communicator::rank() const { return messenger_->transport().rank(); }
int Communicator::size() const { return messenger_->transport().size(); }

std::shared_ptr<runtime::ProcessGroup> Communicator::StartRun(const ProgramIdentity& program,
                                                              absl::Span<const int64_t> device_ids,
                                                              absl::Span<const int32_t> processes) {
  return std::make_shared<Run>(messenger_, program, device_ids, processes);
}

absl::Status Communicator::Send(int process, uint64_t key, absl::Span<const char> data) {
  return messenger_->Post(OperationBesideRuns("a copy between processes"),
                          HashNumbers({static_cast<int64_t>(kCopySeed), static_cast<int64_t>(key)}),
                          process, {data});
}

absl::Status Communicator::Receive(int process, uint64_t key, absl::Span<char> data,
                                   const runtime::WaitLimits& limits) {
  return messenger_->Collect(
      OperationBesideRuns("a copy between processes"),
      HashNumbers({static_cast<int64_t>(kCopySeed), static_cast<int64_t>(key)}), process, {data},
      limits);
}

absl::Status Communicator::Barrier(uint64_t key, const runtime::WaitLimits& limits) {
  std::vector<Messenger::Peer> peers;
  for (int process = 0; process < size(); ++process) {
    if (process != rank()) peers.emplace_back().process = process;
  }
  return messenger_->Exchange(
      OperationBesideRuns("a barrier"),
      HashNumbers({static_cast<int64_t>(kBarrierSeed), static_cast<int64_t>(key)}), peers, limits);
}

void Communicator::ProcessIsGone(int process, const absl::Status& status) {
  messenger_->Fail(process, status);
}

void Communicator::Close() { messenger_->Close(); }

}  // namespace xla::distributed
