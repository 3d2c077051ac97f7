// SPDX-License-Identifier: Apache-2.0
// Options of `xylem run` that look at the values of instructions: --check-nans, --values,
// --statistics.
#ifndef XYLEM_TOOLS_OBSERVE_H_
#define XYLEM_TOOLS_OBSERVE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/command.h"
#include "tools/named_outputs.h"
#include "xla/debugging/observed_values.h"
#include "xla/interpreter/interpreter.h"

namespace xla {

std::vector<OptionSpec> ObserveOptions();

// What is looked at during one run on the interpreter.
class RunObserver {
 public:
  // Null if no option asks for it. INVALID_ARGUMENT for options that do not go together.
  static absl::StatusOr<std::unique_ptr<RunObserver>> Create(const Arguments& arguments);

  void Attach(InterpreterOptions& options);
  // Whether the run has ended with `status` since numbers ceased to be finite: prints where, and
  // writes the operands if that was asked for.
  absl::StatusOr<bool> ReportOrigin(const absl::Status& status);
  // After a run: prints statistics, and adds the values to the outputs.
  absl::Status Report(std::vector<NamedLiteral>& outputs);

 private:
  explicit RunObserver(const Arguments& arguments) : arguments_(arguments) {}

  const Arguments& arguments_;
  std::optional<NonFiniteSearch> search_;
  std::optional<ValueRecorder> recorder_;
};

}  // namespace xla

#endif  // XYLEM_TOOLS_OBSERVE_H_
