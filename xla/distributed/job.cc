// SPDX-License-Identifier: Apache-2.0
#include "xla/distributed/job.h"

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/address.h"
#include "xla/distributed/engines.h"
#include "xla/distributed/host_transport.h"
#include "xla/runtime/cpu_count.h"

namespace xla::distributed {
namespace {

absl::StatusOr<std::string> AddressOf(const JobOptions& options) {
  if (!options.address.empty()) return ResolveAddress(options.address);
  if (!options.coordinator.empty()) return AddressTowards(options.coordinator);
  return AnyAddress();
}

std::vector<std::string> NamesOf(const Topology& topology) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < topology.num_processes(); ++i) names.push_back(topology.ProcessText(i));
  return names;
}

// Those that have the kernel of this one.
std::vector<int> ProcessesOfHost(const Topology& topology, int64_t self) {
  const std::string& boot_id = topology.process(self).description.boot_id;
  std::vector<int> processes;
  for (int64_t i = 0; i < topology.num_processes(); ++i) {
    if (i == self || (!boot_id.empty() && topology.process(i).description.boot_id == boot_id))
      processes.push_back(static_cast<int>(i));
  }
  return processes;
}

absl::Status CheckAddresses(const Topology& topology) {
  std::vector<std::string> addresses, boot_ids;
  for (int64_t i = 0; i < topology.num_processes(); ++i) {
    addresses.push_back(topology.process(i).description.address);
    boot_ids.push_back(topology.process(i).description.boot_id);
  }
  return CheckReachable(addresses, boot_ids, NamesOf(topology));
}

absl::Status CheckRank(const Transport& transport, const JobOptions& options) {
  if (transport.rank() == options.process && transport.size() == options.num_processes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "this is process ", options.process, " of ", options.num_processes, ", but rank ",
      transport.rank(), " of ", transport.size(),
      " of MPI: the job must be started by mpirun, with its processes in the order of the ranks"));
}

// A message of unknown size: its size, then its bytes.
absl::Status SendText(Communicator& communicator, int process, const std::string& text) {
  const uint64_t size = text.size();
  XLA_RETURN_IF_ERROR(communicator.Send(
      process, 0, absl::MakeConstSpan(reinterpret_cast<const char*>(&size), sizeof(size))));
  return communicator.Send(process, 0, absl::MakeConstSpan(text.data(), text.size()));
}

absl::StatusOr<std::string> ReceiveText(Communicator& communicator, int process,
                                        const runtime::WaitLimits& limits) {
  constexpr uint64_t kMost = uint64_t{4096} * kMaxProcesses;
  uint64_t size = 0;
  XLA_RETURN_IF_ERROR(communicator.Receive(
      process, 0, absl::MakeSpan(reinterpret_cast<char*>(&size), sizeof(size)), limits));
  if (size == 0 || size > kMost) {
    return absl::InvalidArgumentError(
        absl::StrCat("process ", process, " announces a description of ", size, " bytes"));
  }
  std::string text(size, '\0');
  XLA_RETURN_IF_ERROR(communicator.Receive(process, 0, absl::MakeSpan(text.data(), size), limits));
  return text;
}

// What ExchangeTopology does, by messages.
absl::StatusOr<Topology> TellEachOther(Communicator& communicator, const ProcessDescription& self,
                                       const JobOptions& options) {
  runtime::WaitLimits limits;
  limits.timeout = options.timeout;
  std::vector<ProcessDescription> processes;
  for (int process = 0; process < static_cast<int>(options.num_processes); ++process) {
    if (process != options.process) {
      XLA_RETURN_IF_ERROR(SendText(communicator, process, SerializeProcess(self)));
    }
  }
  for (int process = 0; process < static_cast<int>(options.num_processes); ++process) {
    if (process == options.process) {
      processes.push_back(self);
      continue;
    }
    XLA_ASSIGN_OR_RETURN(const std::string text, ReceiveText(communicator, process, limits));
    XLA_ASSIGN_OR_RETURN(ProcessDescription description, ParseProcess(text));
    processes.push_back(std::move(description));
  }
  return Topology::Create(std::move(processes));
}

}  // namespace

absl::Status CheckEngine(absl::string_view engine) {
  if (engine == "gloo" || engine == "tcp" || engine == "mpi") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("processes cannot be connected by \"", engine,
                                                 "\"; the engines are gloo, tcp and mpi"));
}

absl::StatusOr<std::unique_ptr<Job>> Job::Join(const JobOptions& options, ProcessDescription self,
                                               std::shared_ptr<KeyValueStore> store) {
  XLA_RETURN_IF_ERROR(CheckEngine(options.engine));
  const ProcessDescription here = DescribeThisProcess();
  self.boot_id = here.boot_id;
  self.host = here.host;
  self.pid = here.pid;
  if (store == nullptr) {
    if (options.engine == "mpi") return JoinWithoutStore(options, self);
    return absl::InvalidArgumentError("processes need a store of keys to find each other");
  }
  if (options.engine != "mpi") {
    XLA_ASSIGN_OR_RETURN(self.address, AddressOf(options));
  }
  XLA_ASSIGN_OR_RETURN(Topology topology, ExchangeTopology(*store, self,
                                                           {.process = options.process,
                                                            .num_processes = options.num_processes,
                                                            .timeout = options.timeout}));
  if (options.engine != "mpi") XLA_RETURN_IF_ERROR(CheckAddresses(topology));
  std::unique_ptr<Job> job(new Job(options, std::move(topology), std::move(store)));
  XLA_RETURN_IF_ERROR(job->Connect());
  return job;
}

absl::StatusOr<std::unique_ptr<Job>> Job::JoinWithoutStore(const JobOptions& options,
                                                           const ProcessDescription& self) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport, ConnectMpi());
  XLA_RETURN_IF_ERROR(CheckRank(*transport, options));
  std::vector<std::string> names;
  for (int64_t i = 0; i < options.num_processes; ++i) names.push_back(absl::StrCat("process ", i));
  XLA_ASSIGN_OR_RETURN(std::shared_ptr<Communicator> communicator,
                       Communicator::Create(std::move(transport), {.process_names = names}));
  XLA_ASSIGN_OR_RETURN(Topology topology, TellEachOther(*communicator, self, options));
  std::unique_ptr<Job> job(new Job(options, std::move(topology), nullptr));
  job->communicator_ = std::move(communicator);
  return job;
}

absl::StatusOr<std::unique_ptr<Transport>> Job::ConnectTransport() {
  if (options_.engine != "mpi") {
    GlooOptions gloo;
    gloo.rank = static_cast<int>(options_.process);
    gloo.size = static_cast<int>(options_.num_processes);
    // Of this incarnation: the topology may have that of an earlier one.
    XLA_ASSIGN_OR_RETURN(gloo.address, AddressOf(options_));
    gloo.epoch = next_epoch_;
    gloo.timeout = options_.timeout;
    XLA_ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport, ConnectGloo(gloo, store_));
    if (options_.engine == "tcp") return transport;
    HostTransportOptions host;
    host.processes = ProcessesOfHost(topology_, options_.process);
    host.epoch = next_epoch_;
    host.timeout = options_.timeout;
    return ShareHostMemory(std::move(transport), *store_, host);
  }
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport, ConnectMpi());
  XLA_RETURN_IF_ERROR(CheckRank(*transport, options_));
  return transport;
}

absl::Status Job::Connect() {
  if (communicator_ != nullptr) {
    communicator_->Close();
    former_.push_back(std::move(communicator_));
  }
  // An epoch that an earlier incarnation of this process took part in cannot be used again.
  while (true) {
    const absl::Status put =
        store_->Put(absl::StrCat("epoch/", next_epoch_, "/", options_.process), "");
    if (put.ok()) break;
    if (!absl::IsAlreadyExists(put)) return put;
    ++next_epoch_;
  }
  must_connect_ = true;
  absl::StatusOr<std::unique_ptr<Transport>> transport = ConnectTransport();
  const uint32_t epoch = next_epoch_++;
  XLA_RETURN_IF_ERROR(transport.status());
  XLA_ASSIGN_OR_RETURN(communicator_,
                       Communicator::Create(*std::move(transport),
                                            {.process_names = NamesOf(topology_), .epoch = epoch}));
  must_connect_ = false;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Communicator>> Job::Connection() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (has_left_) return absl::CancelledError("this process has left its job");
  if (must_connect_ && store_ == nullptr) {
    return absl::UnavailableError("processes that have gone cannot be connected to again by MPI");
  }
  if (must_connect_) XLA_RETURN_IF_ERROR(Connect());
  return communicator_;
}

int Job::UsableCpus() const {
  const std::string& host = topology_.process(self()).description.boot_id;
  int64_t here = 0;
  for (int64_t process = 0; process < topology_.num_processes(); ++process)
    here += topology_.process(process).description.boot_id == host ? 1 : 0;
  return runtime::UsableCpusOfOne(here);
}

absl::StatusOr<std::vector<int32_t>> Job::ProcessesOf(absl::Span<const int64_t> device_ids) const {
  std::vector<int32_t> processes;
  processes.reserve(device_ids.size());
  for (const int64_t id : device_ids) {
    const std::optional<Topology::Device> device = topology_.Find(id);
    if (!device.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no device ", id, "; the job has ", topology_.num_devices()));
    }
    processes.push_back(static_cast<int32_t>(device->process));
  }
  return processes;
}

absl::StatusOr<std::shared_ptr<runtime::ProcessGroup>> Job::StartRun(
    const ProgramIdentity& program, absl::Span<const int64_t> device_ids,
    absl::Span<const int32_t> processes) {
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<Communicator> communicator, Connection());
  return communicator->StartRun(program, device_ids, processes);
}

void Job::ProcessIsGone(int64_t process, const absl::Status& status) {
  if (process < 0 || process >= topology_.num_processes() || process == self()) return;
  std::shared_ptr<Communicator> communicator;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    communicator = communicator_;
  }
  if (communicator != nullptr) communicator->ProcessIsGone(static_cast<int>(process), status);
}

void Job::ProcessIsBack(int64_t process) {
  if (process < 0 || process >= topology_.num_processes() || process == self()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  must_connect_ = true;
}

void Job::Leave() {
  std::shared_ptr<Communicator> communicator;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    has_left_ = true;
    communicator = communicator_;
  }
  if (communicator != nullptr) communicator->Close();
}

}  // namespace xla::distributed
