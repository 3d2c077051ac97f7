// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: runs a verified HloModule on literals or buffers. Defines what is
// right.
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
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/execution_context.h"
#include "xla/shape.h"

namespace xla {

class CustomCallRegistry;  // xla/runtime/custom_call.h
namespace interpreter {
class EvalProgram;  // xla/interpreter/eval_program.h
}  // namespace interpreter

// The host function of a custom-call target. Results are dense row-major; `result` has the
// instruction's shape.
using CustomCallHandler = std::function<absl::Status(
    const HloInstruction& call, absl::Span<const LiteralSlice> operands, Literal* result)>;

// What InterpreterOptions::observe is told: an instruction has been evaluated.
struct Observation {
  const HloInstruction& instruction;  // of a copy of the module with the same names
  int64_t device;
  const Literal& result;
  std::function<absl::StatusOr<std::vector<Literal>>()> operands;  // copies
};

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
  // Asked in the same places; may be null.
  runtime::Interrupt* interrupt = nullptr;
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
  runtime::Feeds* feeds = nullptr;
  // What send and recv with is_host_transfer=true use. Null: these are errors.
  runtime::HostChannels* host_channels = nullptr;
  // The host takes what outfeed and send write only after the run, so that it counts against
  // memory_limit_bytes.
  bool outputs_are_kept = false;
  // How long a device waits for other devices, or for the host, before the run ends with
  // DEADLINE_EXCEEDED.
  absl::Duration wait_timeout = absl::Seconds(60);
  // The processes of a run that has devices in several: arguments and results are those of the
  // devices of this process then. Null: all are here.
  runtime::ProcessGroup* processes = nullptr;
  // 0: no limit. A device that has executed more instructions, loop trips counted, ends the run
  // with RESOURCE_EXHAUSTED, at the end of a computation: for programs that may not terminate.
  int64_t most_instructions = 0;
  // For debugging: called after each instruction that is evaluated as a whole (not by elements, as
  // those of reducers may be), on a thread of the run, one of several at once if there are several
  // devices. An error ends the run. Operands are not overwritten then.
  std::function<absl::Status(const Observation&)> observe;
  // What custom calls are told of the run: its number, and the number of each device at the caller.
  int64_t run_id = 0;
  absl::Span<const int> device_ordinals;
};

using RunStatistics = runtime::RunStatistics;

// A module prepared to run on the interpreter. Thread-safe: it may run several times at once.
class InterpreterProgram {
 public:
  // The module is verified, and outlives the program. UNIMPLEMENTED if the interpreter does not
  // implement an operation.
  static absl::StatusOr<std::unique_ptr<InterpreterProgram>> Create(const HloModule& module);
  ~InterpreterProgram();

  const HloModule& module() const { return module_; }

  // Runs the entry computation. Arguments in parameter order, any layout; INVALID_ARGUMENT for
  // shapes that are not compatible with the parameters. The result has the layout of the entry
  // computation layout.
  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments,
                              const InterpreterOptions& options = {},
                              RunStatistics* statistics = nullptr) const;

  // Runs the entry computation on replicas x partitions devices at once, a thread each, in this
  // process. Device r * partitions + p is partition p of replica r; arguments[d] and result[d] are
  // those of device d. Collectives, send and recv connect the devices; each waits at most
  // wait_timeout for others. When one fails, the others stop soon, and its error, with the device
  // in front, is the error of the run.
  absl::StatusOr<std::vector<Literal>> RunReplicated(
      int64_t replicas, int64_t partitions, absl::Span<const std::vector<const Literal*>> arguments,
      const InterpreterOptions& options = {}, RunStatistics* statistics = nullptr) const;

  // The same on memory: arguments are read in place and results are left where they were computed,
  // where the layouts are row-major. arguments[d] are the leaves (arrays and tokens) of all
  // parameters of device d in order, results[d] those of the result; see runtime/buffer_view.h. A
  // result that input_output_alias binds to a donated argument (must-alias) is in its memory
  // afterwards. If the run fails, results describe nothing.
  absl::Status RunOnBuffers(int64_t replicas, int64_t partitions,
                            absl::Span<const absl::Span<const runtime::ArgumentView>> arguments,
                            absl::Span<const absl::Span<runtime::ResultView>> results,
                            const InterpreterOptions& options = {},
                            RunStatistics* statistics = nullptr) const;

 private:
  // Which leaf of the arguments each leaf of the result must share memory with; -1: none.
  using DonorOfLeaf = std::vector<int32_t>;

  InterpreterProgram(const HloModule& module, std::unique_ptr<interpreter::EvalProgram> program);

  const HloModule& module_;
  const std::unique_ptr<interpreter::EvalProgram> program_;
  Shape result_shape_;  // with the layout of the entry computation layout
  DonorOfLeaf donors_;  // empty: no leaf has a donor
  int64_t argument_leaves_ = 0, result_leaves_ = 0;
};

// InterpreterProgram::Create and Run, for a module that runs once.
absl::StatusOr<Literal> Interpret(const HloModule& module,
                                  absl::Span<const Literal* const> arguments,
                                  const InterpreterOptions& options = {},
                                  RunStatistics* statistics = nullptr);
absl::StatusOr<std::vector<Literal>> InterpretReplicated(
    const HloModule& module, int64_t replicas, int64_t partitions,
    absl::Span<const std::vector<const Literal*>> arguments, const InterpreterOptions& options = {},
    RunStatistics* statistics = nullptr);
// Devices of one run at most.
inline constexpr int64_t kMaxDevices = runtime::kMaxDevices;

// Targets of the checks that conformance programs make: check.expect_eq, check.expect_close,
// check.expect_almost_eq.
std::vector<std::pair<std::string, CustomCallHandler>> CheckCustomCalls();

// The opcodes of the module that the interpreter does not implement.
std::vector<HloOpcode> UnsupportedOpcodes(const HloModule& module);

}  // namespace xla

#endif  // XLA_INTERPRETER_INTERPRETER_H_
