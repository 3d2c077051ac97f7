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
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

class CustomCallRegistry;  // xla/runtime/custom_call.h

// A host function behind a custom-call target. Results are dense row-major; `result` has the instruction's shape.
using CustomCallHandler =
    std::function<absl::Status(const HloInstruction& call, absl::Span<const LiteralSlice> operands, Literal* result)>;

struct InterpreterOptions {
  // Threads for one operation; results are the same bits for any number. 0: as many as the process may use.
  int num_threads = 0;
  // Called about ten times a second from the running thread: instructions executed so far (loop trips counted) and the one running now.
  std::function<void(int64_t executed, const HloInstruction& current)> progress;
  // Set from any thread to stop: the run ends with CANCELLED.
  const std::atomic<bool>* cancel = nullptr;
  // Custom-call handlers by target; unknown targets are an error that lists the known ones.
  std::vector<std::pair<std::string, CustomCallHandler>> custom_calls;
  // More of them, on bare memory: C++ functions, shared libraries. May be null; must outlive the run.
  const CustomCallRegistry* custom_call_registry = nullptr;
  // 0: no limit. Memory for values beyond this is RESOURCE_EXHAUSTED.
  int64_t memory_limit_bytes = 0;
};

struct RunStatistics {
  int64_t peak_bytes = 0;        // of values, arguments included
  int64_t instructions = 0;
};

// Runs the entry computation. Arguments in parameter order, any layout; shapes must be compatible with the parameters
// (else an error in words). The result has the layout of the entry computation layout.
absl::StatusOr<Literal> Interpret(const HloModule& module, absl::Span<const Literal* const> arguments,
                                  const InterpreterOptions& options = {}, RunStatistics* statistics = nullptr);

// Targets of the checks that conformance programs make: check.expect_eq, check.expect_close, check.expect_almost_eq.
std::vector<std::pair<std::string, CustomCallHandler>> CheckCustomCalls();

// An operation the interpreter does not have yet makes Interpret fail with UNIMPLEMENTED; this tells in advance: the
// opcodes of the module it cannot run.
std::vector<HloOpcode> UnsupportedOpcodes(const HloModule& module);

}  // namespace xla

#endif  // XLA_INTERPRETER_INTERPRETER_H_
