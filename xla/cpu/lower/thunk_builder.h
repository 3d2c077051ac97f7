// SPDX-License-Identifier: Apache-2.0
// The thunks of a scheduled program, with the addresses of its generated functions.
#ifndef XLA_CPU_LOWER_THUNK_BUILDER_H_
#define XLA_CPU_LOWER_THUNK_BUILDER_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/cpu/lower/generated_functions.h"
#include "xla/cpu/lower/lower_program.h"
#include "xla/cpu/plan/ping_pong_state.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/cpu/run/thunk.h"

namespace xla::cpu {

class ThunkBuilder {
 public:
  // Adds prepared kernels to `prepared`, and to `chosen` what those were made for that were chosen
  // from several forms.
  ThunkBuilder(const ProgramSchedule& schedule, const MemoryNumbers& memories,
               const CpuCompileOptions& options, const GeneratedFunctions& functions,
               std::vector<const kernels::Kernel*>& prepared,
               std::vector<LoweredProgram::ChosenKernel>& chosen)
      : schedule_(schedule),
        memories_(memories),
        options_(options),
        functions_(functions),
        prepared_(prepared),
        chosen_(chosen) {}

  // The thunks of all items, and copies of results to where they belong.
  absl::StatusOr<Steps> Build();

 private:
  absl::Status BuildItems(const std::vector<ScheduledItem>& items, Steps& steps);
  absl::Status BuildItem(const ScheduledItem& item, Steps& steps);
  absl::Status BuildWhile(const ScheduledItem& loop, Steps& steps);
  void BuildLoopFunctions(const ScheduledItem& loop, const LoopPlan& plan, Steps& steps);
  absl::Status BuildCompiledWhile(const ScheduledItem& loop, const CompiledWhilePlan& plan,
                                  Steps& steps);
  absl::Status BuildPhases(const ScheduledItem& loop, Steps& steps);
  absl::Status BuildConditional(const ScheduledItem& item, Steps& steps);
  absl::Status BuildInstruction(const ScheduledItem& item, Steps& steps);
  void BuildKernel(const ScheduledItem& item, Steps& steps);
  absl::Status BuildContraction(const ScheduledItem& item, Steps& steps);
  // Returns whether there is a prepared kernel for the instruction.
  absl::StatusOr<bool> BuildPrepared(const ScheduledItem& item, Steps& steps);
  absl::Status BuildLibraryCall(const ScheduledItem& item, Steps& steps);

  void AddCopy(const Place& from, const Place& to, int64_t bytes, Steps& steps) const;
  void AddCopy(ValueId from, ValueId to, Steps& steps) const;
  Slot SlotAt(const Place& place) const;
  std::vector<Slot> SlotsOf(const std::vector<ValueId>& values) const;
  std::vector<std::optional<Slot>> PresentSlots(const std::vector<ValueId>& values) const;

  const ProgramSchedule& schedule_;
  const MemoryNumbers& memories_;
  const CpuCompileOptions& options_;
  const GeneratedFunctions& functions_;
  std::vector<const kernels::Kernel*>& prepared_;
  std::vector<LoweredProgram::ChosenKernel>& chosen_;
  std::vector<Exchange> exchanges_;  // in the thunks that are built: those of the second phase
};

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_THUNK_BUILDER_H_
