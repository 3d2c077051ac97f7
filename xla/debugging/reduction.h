// SPDX-License-Identifier: Apache-2.0
// Makes a program that shows a fault smaller while it still shows it: delta debugging (Zeller and
// Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002) on the graph.
#ifndef XLA_DEBUGGING_REDUCTION_H_
#define XLA_DEBUGGING_REDUCTION_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"

namespace xla {

// A program with its arguments. Without arguments, the test of the program brings its own.
struct ReducibleProgram {
  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
  bool has_arguments = false;
  // What a run may execute, from a run of the program that is reduced: an edit may make a loop that
  // does not end. 0: not known.
  int64_t most_instructions = 0;

  ReducibleProgram Clone() const;
};

// Runs a program with arguments on one thread of the interpreter, within its limit.
absl::StatusOr<Literal> InterpretProgram(const ReducibleProgram& program,
                                         InterpreterOptions options = {});

// Whether a program shows the fault that is looked for. Called from several threads at once.
// Errors end the reduction; a program that cannot be tried does not show the fault.
using FaultTest = std::function<absl::StatusOr<bool>(const ReducibleProgram& program)>;

struct ReductionProgress {
  std::string_view step;  // "cut", "shrink dimensions", ...
  int64_t tests = 0;
  int64_t instructions = 0;
};

struct ReductionOptions {
  // Tests that run at once. The result is the same for any number.
  int jobs = 1;
  // Set from any thread to stop: the reduction ends with the smallest program so far.
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const ReductionProgress&)> progress;
  // Called with each program that is smaller than those before and shows the fault.
  std::function<absl::Status(const ReducibleProgram&)> on_smaller;
};

struct ReductionStatistics {
  int64_t tests = 0;         // programs tried
  int64_t successes = 0;     // of them smaller programs with the fault
  bool is_complete = false;  // no edit makes the program smaller still; false after a cancellation
};

// The size that a reduction makes smaller: instructions count most, those that only bring data
// least; then elements, then attributes and constants that are not plain.
struct ProgramSize {
  int64_t instructions = 0, elements = 0, details = 0;
  auto operator<=>(const ProgramSize&) const = default;
};
ProgramSize SizeOf(const HloModule& module);

// Edits the program until none of the edits keeps the fault: takes results away, makes inner values
// the result, replaces instructions by parameters (with the values that they had, if the program
// has arguments), zeros or operands, inlines calls, loops and branches, shrinks dimensions, and
// removes attributes. Deterministic. The module is verified, and so is every program that is tried.
// FAILED_PRECONDITION if the program does not show the fault to begin with.
absl::StatusOr<ReducibleProgram> ReduceProgram(const ReducibleProgram& program,
                                               const FaultTest& test,
                                               const ReductionOptions& options = {},
                                               ReductionStatistics* statistics = nullptr);

}  // namespace xla

#endif  // XLA_DEBUGGING_REDUCTION_H_
