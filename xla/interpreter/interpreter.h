// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: runs a verified HloModule on Literals. Defines what is right.
#ifndef XLA_INTERPRETER_INTERPRETER_H_
#define XLA_INTERPRETER_INTERPRETER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

class CustomCallRegistry;  // xla/runtime/custom_call.h
class Feeds;               // xla/runtime/feeds.h
class HostChannels;        // xla/runtime/channels.h
namespace runtime {
class ReusableThreads;  // xla/runtime/reusable_threads.h
class ThreadPool;       // xla/runtime/thread_pool.h
}  // namespace runtime

// A host function behind a custom-call target. Results are dense row-major; `result` has the
// instruction's shape.
using CustomCallHandler = std::function<absl::Status(
    const HloInstruction& call, absl::Span<const LiteralSlice> operands, Literal* result)>;

struct InterpreterOptions {
  // Divides the work of operations; results are the same bits for any number of threads. Null: a
  // pool of num_threads threads (0: as many as the process may use) for this run alone.
  runtime::ThreadPool* pool = nullptr;
  int num_threads = 0;
  // Where devices run, if there are several. Null: on threads of this run alone.
  runtime::ReusableThreads* threads = nullptr;
  // Called about ten times a second from the thread of device 0: instructions it executed so far
  // (loop trips counted) and the one running now.
  std::function<void(int64_t executed, const HloInstruction& current)> progress;
  // Set from any thread to stop: the run ends with CANCELLED.
  const std::atomic<bool>* cancel = nullptr;
  // Custom-call handlers by target; unknown targets are an error that lists the known ones. A run
  // of several devices calls them from several threads at once.
  std::vector<std::pair<std::string, CustomCallHandler>> custom_calls;
  // More of them, on bare memory: C++ functions, shared libraries. May be null; must outlive the
  // run.
  const CustomCallRegistry* custom_call_registry = nullptr;
  // 0: no limit. Memory for values beyond this is RESOURCE_EXHAUSTED.
  int64_t memory_limit_bytes = 0;
  // What infeed reads and outfeed writes, with as many devices as the run. Null: these operations
  // are errors.
  Feeds* feeds = nullptr;
  // What send and recv with is_host_transfer=true use. Null: these are errors.
  HostChannels* host_channels = nullptr;
  // How long a device waits for other devices, or for the host, before the run ends with
  // DEADLINE_EXCEEDED.
  absl::Duration wait_timeout = absl::Seconds(60);
};

struct RunStatistics {
  int64_t peak_bytes = 0;    // of values, arguments included; all devices together
  int64_t instructions = 0;  // of all devices
};

// Runs the entry computation. Arguments in parameter order, any layout; shapes must be compatible
// with the parameters (else an error in words). The result has the layout of the entry computation
// layout.
absl::StatusOr<Literal> Interpret(const HloModule& module,
                                  absl::Span<const Literal* const> arguments,
                                  const InterpreterOptions& options = {},
                                  RunStatistics* statistics = nullptr);

// Runs the entry computation on replicas x partitions devices at once, a thread each, in this
// process. Device r * partitions + p is partition p of replica r; arguments[d] and result[d] are
// those of device d. Collectives, send and recv connect the devices; each waits at most
// wait_timeout for others. When one fails, the others stop soon, and its error, with the device in
// front, is the error of the run.
absl::StatusOr<std::vector<Literal>> InterpretReplicated(
    const HloModule& module, int64_t replicas, int64_t partitions,
    absl::Span<const std::vector<const Literal*>> arguments, const InterpreterOptions& options = {},
    RunStatistics* statistics = nullptr);
// Devices of one run at most.
inline constexpr int64_t kMaxDevices = 1024;

// Targets of the checks that conformance programs make: check.expect_eq, check.expect_close,
// check.expect_almost_eq.
std::vector<std::pair<std::string, CustomCallHandler>> CheckCustomCalls();

// An operation the interpreter does not have yet makes Interpret fail with UNIMPLEMENTED; this
// tells in advance: the opcodes of the module it cannot run.
std::vector<HloOpcode> UnsupportedOpcodes(const HloModule& module);

}  // namespace xla

#endif  // XLA_INTERPRETER_INTERPRETER_H_
