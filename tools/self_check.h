// SPDX-License-Identifier: Apache-2.0
// Runs a program that checks itself: on as many devices as its header says, with a host that sends
// back what it is sent.
#ifndef XYLEM_TOOLS_SELF_CHECK_H_
#define XYLEM_TOOLS_SELF_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "xla/distributed/job.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"

namespace xla {

// The program takes no arguments. It runs on replica_count x num_partitions devices. What a device
// writes to its outfeed comes back in its infeed, and what it sends to the host on a channel comes
// back on that channel. OK: it ran to its end. `options` says which custom calls there are; feeds
// and host_channels are replaced. `compiled`: by machine code rather than the interpreter.
// `job`: on the devices of all its processes; may be null. `cache`: see CompileChoices.
absl::Status RunSelfChecking(const HloModule& module, InterpreterOptions options,
                             bool compiled = false, distributed::Job* job = nullptr,
                             const std::string& cache = {});

}  // namespace xla

#endif  // XYLEM_TOOLS_SELF_CHECK_H_
