// SPDX-License-Identifier: Apache-2.0
// The processes of a job and their devices, as all of them see it.
//
// A device has two numbers: its global id, by which programs and all processes name it, and its
// local ordinal in its own process. Global ids are dense: hosts in order, the processes of each
// host in order, the devices of each process in order.
#ifndef XLA_DISTRIBUTED_TOPOLOGY_H_
#define XLA_DISTRIBUTED_TOPOLOGY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "xla/distributed/key_value_store.h"

namespace xla::distributed {

// Changes with everything that processes send each other.
inline constexpr int64_t kProtocol = 1;
inline constexpr int64_t kMaxProcesses = int64_t{1} << 16;
inline constexpr int64_t kMaxJobDevices = int64_t{1} << 20;

// What a process tells the others of itself.
struct ProcessDescription {
  int64_t protocol = kProtocol;
  std::string version;   // of the library and its compiler; equal in a job
  std::string platform;  // equal in a job
  int64_t num_devices = 1;
  // The kernel's boot id: processes with the same one share a host.
  std::string boot_id;
  std::string host;  // its name, for messages
  int64_t pid = 0;
  std::string address;  // where others reach it, if the process was told or found out
  // Given by the caller instead of what boot ids say; a job gives it for all processes or for none.
  std::optional<int64_t> partition_index;

  bool operator==(const ProcessDescription&) const = default;
};

// Fills in boot id, host and pid of this process.
ProcessDescription DescribeThisProcess();

// One line for each field.
std::string SerializeProcess(const ProcessDescription& process);
// INVALID_ARGUMENT for other text: it may come from anyone.
absl::StatusOr<ProcessDescription> ParseProcess(absl::string_view text);

class Topology {
 public:
  struct Process {
    ProcessDescription description;
    int64_t host = 0;          // the partition index of its devices
    int64_t first_device = 0;  // the global id of its device 0
  };
  struct Device {
    int64_t process = 0;
    int64_t local = 0;
  };

  // INVALID_ARGUMENT, naming both processes, if their versions, protocols or platforms differ, or
  // only one of them states a partition index.
  static absl::StatusOr<Topology> Create(std::vector<ProcessDescription> processes);

  int64_t num_processes() const { return static_cast<int64_t>(processes_.size()); }
  int64_t num_devices() const { return num_devices_; }
  int64_t num_hosts() const { return num_hosts_; }
  const Process& process(int64_t index) const { return processes_[static_cast<size_t>(index)]; }
  // In the order of their devices' ids.
  const std::vector<int64_t>& processes_by_id() const { return by_first_device_; }
  int64_t GlobalId(int64_t process, int64_t local) const {
    return this->process(process).first_device + local;
  }
  // Nothing if there is no such device.
  std::optional<Device> Find(int64_t global_id) const;
  // "process 1 (host a, pid 17)"
  std::string ProcessText(int64_t index) const;

  std::string Serialize() const;
  static absl::StatusOr<Topology> Parse(absl::string_view text);

 private:
  std::vector<Process> processes_;
  std::vector<int64_t> by_first_device_;  // processes, by their first devices
  int64_t num_devices_ = 0, num_hosts_ = 0;
};

struct ExchangeOptions {
  int64_t process = 0, num_processes = 1;
  // How long processes wait for all to come.
  absl::Duration timeout = absl::Minutes(5);
};

// Tells all processes of a job about each other; each calls it once for a store, or again with the
// same description. Process 0 collects the descriptions and gives out the topology, or the reason
// why there is none, so that all processes have the same. DEADLINE_EXCEEDED with the processes that
// have not come.
absl::StatusOr<Topology> ExchangeTopology(KeyValueStore& store, const ProcessDescription& self,
                                          const ExchangeOptions& options);

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_TOPOLOGY_H_
