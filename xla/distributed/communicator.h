// SPDX-License-Identifier: Apache-2.0
// The processes of a job, connected: what a client has one of.
//
//   XLA_ASSIGN_OR_RETURN(auto transport, ConnectGloo(options, store));
//   XLA_ASSIGN_OR_RETURN(auto communicator,
//                        Communicator::Create(std::move(transport), topology, {}));
//   request.context.processes = communicator->StartRun(program, device_ids, processes).get();
#ifndef XLA_DISTRIBUTED_COMMUNICATOR_H_
#define XLA_DISTRIBUTED_COMMUNICATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla/distributed/program_identity.h"
#include "xla/distributed/transport.h"
#include "xla/runtime/process_group.h"
#include "xla/runtime/wait.h"

namespace xla::distributed {

class Messenger;  // messenger.h

struct CommunicatorOptions {
  // The name of each process in messages, by rank: "process 1 (host a, pid 17)".
  std::vector<std::string> process_names;
  // A process that waits for others longer than this says so, whom it waits for and in what, on
  // standard error.
  absl::Duration report_after = absl::Seconds(20);
  // Counts up with each connection of the job: messages of an earlier one are refused.
  uint32_t epoch = 0;
  // Told instead of standard error.
  std::function<void(absl::string_view)> report;
};

// Thread-safe.
class Communicator {
 public:
  static absl::StatusOr<std::unique_ptr<Communicator>> Create(std::unique_ptr<Transport> transport,
                                                              CommunicatorOptions options);
  // Waits of runs end with CANCELLED. No run must be left.
  ~Communicator();

  int rank() const;
  int size() const;

  // Announces a run of a program on devices: their global ids, and the process of each, in the
  // order of the run (replica * partitions + partition). Called once for each run, in the same
  // order on all processes that have some of the devices, when the program is launched; Finish must
  // be called, and is with CANCELLED where the group is destroyed without. Programs that do not
  // communicate (program.communicates) are not numbered, and may be launched in any order.
  std::shared_ptr<runtime::ProcessGroup> StartRun(const ProgramIdentity& program,
                                                  absl::Span<const int64_t> device_ids,
                                                  absl::Span<const int32_t> processes);

  // Messages beside runs, as of buffers that are copied to another process: they meet by sender,
  // receiver and key, in order. Send copies the data and does not wait.
  absl::Status Send(int process, uint64_t key, absl::Span<const char> data);
  absl::Status Receive(int process, uint64_t key, absl::Span<char> data,
                       const runtime::WaitLimits& limits);

  // Waits for all processes.
  absl::Status Barrier(uint64_t key, const runtime::WaitLimits& limits);

  // A process has died, as others say: waits for it end with UNAVAILABLE, and runs with it fail.
  void ProcessIsGone(int process, const absl::Status& status);

  // Waits end with CANCELLED, connections are closed. Called by the destructor.
  void Close();

 private:
  class Run;
  Communicator(std::unique_ptr<Transport> transport, CommunicatorOptions options);

  std::shared_ptr<Messenger> messenger_;
};

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_COMMUNICATOR_H_
