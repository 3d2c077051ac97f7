// SPDX-License-Identifier: Apache-2.0
// Finds the pass of a pipeline that first makes a program show a fault.
#ifndef XLA_DEBUGGING_PASS_BISECTION_H_
#define XLA_DEBUGGING_PASS_BISECTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/pipeline.h"

namespace xla {

// The change of a module by a pass with which the fault is there for the first time.
struct GuiltyPass {
  std::string pass;
  int64_t change = 0;   // of the changes that passes make, counted from 1
  int64_t changes = 0;  // of all passes
  std::unique_ptr<HloModule> before, after;
};

// Runs the pipeline again and again, each time up to another change, and tests the module then: as
// many times as the number of changes has binary digits. The pipeline must do the same each time.
// None if the module shows no fault after the last pass. FAILED_PRECONDITION if it shows the fault
// before the first one. Where the fault comes and goes, a change at which it comes.
absl::StatusOr<std::optional<GuiltyPass>> FindGuiltyPass(
    const HloModule& module, const Pipeline& pipeline, const PipelineOptions& options,
    const std::function<absl::StatusOr<bool>(const HloModule&)>& shows_fault,
    const std::function<void(const std::string&)>& progress = nullptr);

}  // namespace xla

#endif  // XLA_DEBUGGING_PASS_BISECTION_H_
