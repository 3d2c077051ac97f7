// SPDX-License-Identifier: Apache-2.0
// The job that this process is part of: who else is, which devices they have, and the connection to
// them.
#ifndef XLA_DISTRIBUTED_JOB_H_
#define XLA_DISTRIBUTED_JOB_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla/distributed/communicator.h"
#include "xla/distributed/key_value_store.h"
#include "xla/distributed/program_identity.h"
#include "xla/distributed/topology.h"
#include "xla/runtime/process_group.h"

namespace xla::distributed {

struct JobOptions {
  int64_t process = 0, num_processes = 1;
  // What moves the data: "gloo" (Gloo, and shared memory between processes of one host), "tcp"
  // (Gloo alone) or "mpi".
  std::string engine = "gloo";
  // Where the others reach this process: an address, a name or a network interface. Empty: the
  // address from which packets go to the coordinator, or any that is not loopback.
  std::string address;
  std::string coordinator;
  // How long processes wait for all to come, and to be connected.
  absl::Duration timeout = absl::Minutes(5);
};

// INVALID_ARGUMENT, with the names that there are, for another engine.
absl::Status CheckEngine(absl::string_view engine);

// Thread-safe.
class Job {
 public:
  // Registers this process, waits for all others and connects to them. `self`: version, platform,
  // devices and partition index; the rest is filled in. `store` may be null for the engine "mpi",
  // whose launcher has connected the processes: they tell each other of themselves directly.
  static absl::StatusOr<std::unique_ptr<Job>> Join(const JobOptions& options,
                                                   ProcessDescription self,
                                                   std::shared_ptr<KeyValueStore> store);

  int64_t self() const { return options_.process; }
  const Topology& topology() const { return topology_; }
  // How many threads this process should compute with, since those of its host share the CPUs.
  int UsableCpus() const;

  // The process of each device, by its global id. INVALID_ARGUMENT for ids that nobody has.
  absl::StatusOr<std::vector<int32_t>> ProcessesOf(absl::Span<const int64_t> device_ids) const;

  // See Communicator::StartRun. Connects again first if a process that had gone is back.
  absl::StatusOr<std::shared_ptr<runtime::ProcessGroup>> StartRun(
      const ProgramIdentity& program, absl::Span<const int64_t> device_ids,
      absl::Span<const int32_t> processes);

  // The connection, for messages beside runs.
  absl::StatusOr<std::shared_ptr<Communicator>> Connection();

  // What others say of a process. One that is back is another incarnation: it has to be connected
  // to, which all processes do when they next start a run.
  void ProcessIsGone(int64_t process, const absl::Status& status);
  void ProcessIsBack(int64_t process);

  // Ends the connection: waits for other processes end with CANCELLED.
  void Leave();

 private:
  Job(JobOptions options, Topology topology, std::shared_ptr<KeyValueStore> store)
      : options_(std::move(options)), topology_(std::move(topology)), store_(std::move(store)) {}

  static absl::StatusOr<std::unique_ptr<Job>> JoinWithoutStore(const JobOptions& options,
                                                               const ProcessDescription& self);
  absl::Status Connect();  // with the mutex held, but by Join
  absl::StatusOr<std::unique_ptr<Transport>> ConnectTransport();

  const JobOptions options_;
  const Topology topology_;
  const std::shared_ptr<KeyValueStore> store_;
  std::mutex mutex_;
  std::shared_ptr<Communicator> communicator_;
  std::vector<std::shared_ptr<Communicator>> former_;  // closed; runs may still refer to them
  uint32_t next_epoch_ = 0;
  bool must_connect_ = false, has_left_ = false;
};

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_JOB_H_
