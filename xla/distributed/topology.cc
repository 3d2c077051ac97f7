// SPDX-License-Identifier: Apache-2.0
#include "xla/distributed/topology.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "xla/base/status_macros.h"

namespace xla::distributed {
namespace {

constexpr absl::string_view kProcessHeader = "xylem-process\n";
constexpr absl::string_view kTopologyHeader = "xylem-topology ";
constexpr absl::string_view kErrorHeader = "xylem-topology-error\n";
// Of one field, and of one process.
constexpr size_t kMaxFieldBytes = 512, kMaxProcessBytes = 4096;

// Names and values are on one line each.
std::string OneLine(absl::string_view value) {
  std::string line(value.substr(0, kMaxFieldBytes));
  for (char& c : line) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  return line;
}

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the description of a process: ", what));
}

absl::Status ParseCount(absl::string_view name, absl::string_view value, int64_t most,
                        int64_t& count) {
  if (absl::SimpleAtoi(value, &count) && count >= 0 && count <= most) return absl::OkStatus();
  return Malformed(absl::StrCat(name, " is \"", OneLine(value), "\", and may be 0 to ", most));
}

std::string ShortText(int64_t index, const ProcessDescription& process) {
  return absl::StrCat("process ", index, " (host ", process.host, ", pid ", process.pid, ")");
}

absl::Status CheckSame(absl::string_view what, absl::string_view first, absl::string_view other,
                       const std::vector<ProcessDescription>& processes, size_t index) {
  if (first == other) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the processes of a job need the same ", what, ": ", ShortText(0, processes[0]), " has \"",
      first, "\", ", ShortText(static_cast<int64_t>(index), processes[index]), " has \"", other,
      "\""));
}

std::string LocalKey(int64_t process) { return absl::StrCat("topology/", process); }
constexpr absl::string_view kGlobalKey = "topology/all";

// At most a dozen of the processes.
std::string ListText(const std::vector<int64_t>& processes) {
  constexpr size_t kMost = 12;
  const size_t shown = std::min(processes.size(), kMost);
  std::string text =
      absl::StrCat(processes.size() == 1 ? "process " : "processes ",
                   absl::StrJoin(processes.begin(),
                                 processes.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < processes.size()) absl::StrAppend(&text, ", ... (", processes.size(), ")");
  return text;
}

// Process 0: waits for the descriptions of all others.
absl::StatusOr<Topology> Collect(KeyValueStore& store, const ProcessDescription& self,
                                 const ExchangeOptions& options) {
  constexpr absl::Duration kReport = absl::Seconds(20);
  const absl::Time begin = absl::Now();
  absl::Time report = begin + kReport;
  std::vector<ProcessDescription> processes = {self};
  for (int64_t process = 1; process < options.num_processes; ++process) {
    absl::StatusOr<std::string> text;
    while (true) {
      const absl::Time now = absl::Now();
      const absl::Duration left = begin + options.timeout - now;
      text = store.Get(LocalKey(process),
                       std::max(std::min(left, report - now), absl::Milliseconds(1)));
      if (text.ok() || !absl::IsDeadlineExceeded(text.status())) break;
      if (absl::Now() < report && left > absl::ZeroDuration()) continue;
      std::vector<int64_t> missing;
      for (int64_t i = process; i < options.num_processes; ++i) {
        if (!store.TryGet(LocalKey(i)).ok()) missing.push_back(i);
      }
      if (missing.empty()) continue;
      const std::string state =
          absl::StrCat(options.num_processes - static_cast<int64_t>(missing.size()), " of ",
                       options.num_processes, " processes have registered after ",
                       absl::FormatDuration(absl::Floor(absl::Now() - begin, absl::Seconds(1))),
                       "; ", ListText(missing), missing.size() == 1 ? " has not" : " have not");
      if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError(state);
      std::fprintf(stderr, "Xylem: %s\n", state.c_str());
      report = absl::Now() + kReport;
    }
    XLA_RETURN_IF_ERROR(text.status());
    absl::StatusOr<ProcessDescription> description = ParseProcess(*text);
    if (!description.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("process ", process, ": ", description.status().message()));
    }
    processes.push_back(*std::move(description));
  }
  return Topology::Create(std::move(processes));
}

// Puts the description of this process. One that was there before is that of an earlier client, or
// of a process that this one replaces: it may differ in what nothing depends on.
absl::Status Register(KeyValueStore& store, const ProcessDescription& self, int64_t process) {
  const absl::Status put = store.Put(LocalKey(process), SerializeProcess(self));
  if (!absl::IsAlreadyExists(put)) return put;
  XLA_ASSIGN_OR_RETURN(const std::string text, store.TryGet(LocalKey(process)));
  XLA_ASSIGN_OR_RETURN(ProcessDescription earlier, ParseProcess(text));
  ProcessDescription now = self;
  earlier.pid = now.pid = 0;
  earlier.address = now.address = "";
  if (earlier == now) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(
      "process ", process, " of this job has registered before, as \"",
      absl::StrReplaceAll(SerializeProcess(earlier), {{"\n", "; "}}), "\" and now as \"",
      absl::StrReplaceAll(SerializeProcess(now), {{"\n", "; "}}), "\""));
}

}  // namespace

ProcessDescription DescribeThisProcess() {
  ProcessDescription process;
  std::ifstream boot_id("/proc/sys/kernel/random/boot_id");
  std::getline(boot_id, process.boot_id);
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) == 0) process.host = name;
  // Hosts without the file are told apart by their names.
  if (process.boot_id.empty()) process.boot_id = process.host;
  process.pid = getpid();
  return process;
}

std::string SerializeProcess(const ProcessDescription& process) {
  std::string text = absl::StrCat(
      kProcessHeader, "protocol ", process.protocol, "\nversion ", OneLine(process.version),
      "\nplatform ", OneLine(process.platform), "\ndevices ", process.num_devices, "\nboot_id ",
      OneLine(process.boot_id), "\nhost ", OneLine(process.host), "\npid ", process.pid,
      "\naddress ", OneLine(process.address), "\n");
  if (process.partition_index.has_value()) {
    absl::StrAppend(&text, "partition_index ", *process.partition_index, "\n");
  }
  return text;
}

absl::StatusOr<ProcessDescription> ParseProcess(absl::string_view text) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (text.size() > kMaxProcessBytes) return Malformed(absl::StrCat(text.size(), " bytes"));
  if (!absl::ConsumePrefix(&text, kProcessHeader)) return Malformed("it begins otherwise");
  ProcessDescription process;
  std::vector<absl::string_view> seen;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == absl::string_view::npos) return Malformed("its last line has no end");
    const std::pair<absl::string_view, absl::string_view> field =
        absl::StrSplit(text.substr(0, end), absl::MaxSplits(' ', 1));
    text.remove_prefix(end + 1);
    const auto& [name, value] = field;
    if (value.size() > kMaxFieldBytes) return Malformed("a field is too long");
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return Malformed(absl::StrCat(OneLine(name), " is given twice"));
    }
    seen.push_back(name);
    if (name == "protocol") {
      XLA_RETURN_IF_ERROR(ParseCount(name, value, kMost, process.protocol));
    } else if (name == "version") {
      process.version = OneLine(value);
    } else if (name == "platform") {
      process.platform = OneLine(value);
    } else if (name == "devices") {
      XLA_RETURN_IF_ERROR(ParseCount(name, value, kMaxJobDevices, process.num_devices));
    } else if (name == "boot_id") {
      process.boot_id = OneLine(value);
    } else if (name == "host") {
      process.host = OneLine(value);
    } else if (name == "pid") {
      XLA_RETURN_IF_ERROR(ParseCount(name, value, kMost, process.pid));
    } else if (name == "address") {
      process.address = OneLine(value);
    } else if (name == "partition_index") {
      int64_t index = 0;
      XLA_RETURN_IF_ERROR(ParseCount(name, value, kMost, index));
      process.partition_index = index;
    } else if (process.protocol == kProtocol) {
      return Malformed(absl::StrCat("there is no field ", OneLine(name)));
    }
  }
  for (const absl::string_view name : {"protocol", "version", "platform", "devices", "host"}) {
    if (std::find(seen.begin(), seen.end(), name) == seen.end()) {
      return Malformed(absl::StrCat(name, " is missing"));
    }
  }
  return process;
}

absl::StatusOr<Topology> Topology::Create(std::vector<ProcessDescription> processes) {
  if (processes.empty() || processes.size() > kMaxProcesses) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a job of ", processes.size(), " processes; there may be 1 to ", kMaxProcesses));
  }
  Topology topology;
  const ProcessDescription& first = processes.front();
  std::map<std::string, int64_t> hosts;
  for (size_t i = 0; i < processes.size(); ++i) {
    const ProcessDescription& process = processes[i];
    XLA_RETURN_IF_ERROR(CheckSame("protocol", absl::StrCat(first.protocol),
                                  absl::StrCat(process.protocol), processes, i));
    XLA_RETURN_IF_ERROR(
        CheckSame("version of the library", first.version, process.version, processes, i));
    XLA_RETURN_IF_ERROR(CheckSame("platform", first.platform, process.platform, processes, i));
    if (first.partition_index.has_value() != process.partition_index.has_value()) {
      const bool is_first = first.partition_index.has_value();
      const auto index = static_cast<int64_t>(i);
      return absl::InvalidArgumentError(
          absl::StrCat(ShortText(is_first ? 0 : index, is_first ? first : process),
                       " states a partition index and ",
                       ShortText(is_first ? index : 0, is_first ? process : first),
                       " does not: all processes of a job must, or none"));
    }
    if (process.num_devices < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(ShortText(static_cast<int64_t>(i), process), " has no device"));
    }
    topology.num_devices_ += process.num_devices;
    if (topology.num_devices_ > kMaxJobDevices) {
      return absl::InvalidArgumentError(
          absl::StrCat("the job has more than ", kMaxJobDevices, " devices"));
    }
    const int64_t host =
        process.partition_index.has_value()
            ? *process.partition_index
            : hosts.try_emplace(process.boot_id, static_cast<int64_t>(hosts.size())).first->second;
    topology.processes_.push_back({process, host, 0});
    topology.by_first_device_.push_back(static_cast<int64_t>(i));
  }
  std::stable_sort(
      topology.by_first_device_.begin(), topology.by_first_device_.end(),
      [&](int64_t a, int64_t b) { return topology.process(a).host < topology.process(b).host; });
  int64_t next = 0, last_host = -1;
  for (const int64_t index : topology.by_first_device_) {
    Process& process = topology.processes_[static_cast<size_t>(index)];
    process.first_device = next;
    next += process.description.num_devices;
    if (process.host != last_host) ++topology.num_hosts_;
    last_host = process.host;
  }
  return topology;
}

std::optional<Topology::Device> Topology::Find(int64_t global_id) const {
  if (global_id < 0 || global_id >= num_devices_) return std::nullopt;
  const auto after =
      std::upper_bound(by_first_device_.begin(), by_first_device_.end(), global_id,
                       [&](int64_t id, int64_t index) { return id < process(index).first_device; });
  const int64_t index = *(after - 1);
  return Device{index, global_id - process(index).first_device};
}

std::string Topology::ProcessText(int64_t index) const {
  if (index < 0 || index >= num_processes()) return absl::StrCat("process ", index);
  return ShortText(index, process(index).description);
}

std::string Topology::Serialize() const {
  std::string text = absl::StrCat(kTopologyHeader, processes_.size(), "\n");
  for (const Process& process : processes_) {
    const std::string part = SerializeProcess(process.description);
    absl::StrAppend(&text, part.size(), "\n", part);
  }
  return text;
}

absl::StatusOr<Topology> Topology::Parse(absl::string_view text) {
  const auto take_number = [&](size_t most, size_t& number) {
    const size_t end = text.substr(0, 20).find('\n');
    if (end == absl::string_view::npos || !absl::SimpleAtoi(text.substr(0, end), &number) ||
        number > most) {
      return false;
    }
    text.remove_prefix(end + 1);
    return true;
  };
  const absl::Status malformed = absl::InvalidArgumentError("this is no topology of a job");
  size_t count = 0;
  if (!absl::ConsumePrefix(&text, kTopologyHeader) || !take_number(kMaxProcesses, count)) {
    return malformed;
  }
  std::vector<ProcessDescription> processes;
  for (size_t i = 0; i < count; ++i) {
    size_t size = 0;
    if (!take_number(kMaxProcessBytes, size) || size > text.size()) return malformed;
    XLA_ASSIGN_OR_RETURN(ProcessDescription process, ParseProcess(text.substr(0, size)));
    processes.push_back(std::move(process));
    text.remove_prefix(size);
  }
  if (!text.empty()) return malformed;
  return Create(std::move(processes));
}

absl::StatusOr<Topology> ExchangeTopology(KeyValueStore& store, const ProcessDescription& self,
                                          const ExchangeOptions& options) {
  if (options.num_processes < 1 || options.num_processes > kMaxProcesses || options.process < 0 ||
      options.process >= options.num_processes) {
    return absl::InvalidArgumentError(
        absl::StrCat("process ", options.process, " of ", options.num_processes));
  }
  XLA_RETURN_IF_ERROR(Register(store, self, options.process));
  if (options.process == 0) {
    // A client that was made again finds the topology.
    absl::StatusOr<std::string> earlier = store.TryGet(kGlobalKey);
    if (!earlier.ok()) {
      const absl::StatusOr<Topology> topology = Collect(store, self, options);
      const std::string text =
          topology.ok() ? topology->Serialize()
                        : absl::StrCat(kErrorHeader, static_cast<int>(topology.status().code()),
                                       "\n", topology.status().message());
      const absl::Status put = store.Put(kGlobalKey, text);
      XLA_RETURN_IF_ERROR(topology.status());
      if (!absl::IsAlreadyExists(put)) XLA_RETURN_IF_ERROR(put);
    }
  }
  // Process 0 ends its wait first, and says for whom.
  absl::StatusOr<std::string> text =
      store.Get(kGlobalKey, options.timeout + absl::Seconds(options.process == 0 ? 0 : 5));
  if (absl::IsDeadlineExceeded(text.status())) {
    return absl::DeadlineExceededError(absl::StrCat(
        "process ", options.process, " of ", options.num_processes, ": process 0, which collects ",
        "the devices of all processes, has not given them out after ",
        absl::FormatDuration(options.timeout)));
  }
  XLA_RETURN_IF_ERROR(text.status());
  absl::string_view rest = *text;
  if (absl::ConsumePrefix(&rest, kErrorHeader)) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(rest, absl::MaxSplits('\n', 1));
    int code = 0;
    if (!absl::SimpleAtoi(parts.first, &code) || code <= 0 || code > 16) {
      code = static_cast<int>(absl::StatusCode::kInternal);
    }
    return absl::Status(static_cast<absl::StatusCode>(code), parts.second);
  }
  XLA_ASSIGN_OR_RETURN(Topology topology, Topology::Parse(*text));
  if (topology.num_processes() != options.num_processes) {
    return absl::InvalidArgumentError(
        absl::StrCat("process ", options.process, " was told of ", options.num_processes,
                     " processes, process 0 of ", topology.num_processes()));
  }
  const ProcessDescription& listed = topology.process(options.process).description;
  if (listed.num_devices != self.num_devices) {
    return absl::InvalidArgumentError(
        absl::StrCat("process ", options.process, " has ", self.num_devices,
                     " devices, and was registered with ", listed.num_devices));
  }
  return topology;
}

}  // namespace xla::distributed
