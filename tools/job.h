// SPDX-License-Identifier: Apache-2.0
// Commands that run as several processes: how these are started, how each finds the others, and how
// programs run on the devices of all of them.
#ifndef XYLEM_TOOLS_JOB_H_
#define XYLEM_TOOLS_JOB_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/command.h"
#include "xla/distributed/job.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/runtime/process_group.h"

namespace xla {

// Adds --processes, --process, --job and --address.
std::vector<OptionSpec> WithProcessOptions(std::vector<OptionSpec> options);

// What this process is to do, as those options or the launcher's environment say.
struct JobRole {
  enum Kind {
    kAlone,    // run the command
    kStarts,   // start the processes that run it, on this machine
    kMember,   // run it together with others that find each other in a folder
    kMpiRank,  // run it together with others that mpirun has started
  };
  Kind kind = kAlone;
  int64_t process = 0, processes = 1;
  std::string folder, address;
  bool uses_tcp = false;  // also between processes of one machine
};
absl::StatusOr<JobRole> JobRoleOf(const Arguments& arguments);

// Starts the processes with the command line of this one, waits for them and returns the exit code
// of the first that failed. Shows what process 0 writes, and the errors of all. Ctrl-C ends all.
absl::StatusOr<int> StartProcesses(const JobRole& role);

// Joins the job of a member; null if the process is alone. Process 0 speaks for all: the others
// write nothing to stdout from here on.
absl::StatusOr<std::unique_ptr<distributed::Job>> JoinJob(const JobRole& role);

// --threads, or else as many as this process has CPUs, also among those of a job (may be null).
int ThreadsOf(const Arguments& arguments, const distributed::Job* job);

// Runs a program on as many devices, of which each process of a job has one. `run` gets what
// connects them: null without a job (which may be null), where all devices are of this process.
absl::Status RunOnDeviceOfEach(distributed::Job* job, const distributed::ProgramIdentity& program,
                               int64_t devices,
                               absl::FunctionRef<absl::Status(runtime::ProcessGroup*)> run);

// Runs a program on replicas x partitions devices that are divided among the processes in order.
// `arguments`: of all devices. `run` runs those of this process: it gets their arguments and
// returns their results. Returns the results of all devices, in every process; the error of any.
using RunDevices = std::function<absl::StatusOr<std::vector<Literal>>(
    absl::Span<const std::vector<const Literal*>> arguments, runtime::ProcessGroup* processes)>;
absl::StatusOr<std::vector<Literal>> RunInJob(
    distributed::Job& job, const HloModule& module, int64_t num_devices,
    absl::Span<const std::vector<const Literal*>> arguments, const RunDevices& run);

}  // namespace xla

#endif  // XYLEM_TOOLS_JOB_H_
