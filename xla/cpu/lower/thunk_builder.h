// SPDX-License-Identifier: Apache-2.0
// Builds the thunks of a scheduled program, with the addresses of its generated functions.
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
  // Adds prepared kernels to `prepared`, and the instructions whose kernels were chosen from
  // several forms to `chosen`.
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

  // Builds the thunks of all items, and copies of results to their final memory.
  absl::StatusOr<ThunkSequence> Build();

 private:
  absl::Status BuildItems(const std::vector<ScheduledItem>& items, ThunkSequence& thunks);
  absl::Status BuildItem(const ScheduledItem& item, ThunkSequence& thunks);
  absl::Status BuildWhile(const ScheduledItem& loop, ThunkSequence& thunks);
  void BuildLoopFunctions(const ScheduledItem& loop, const LoopPlan& plan, ThunkSequence& thunks);
  absl::Status BuildCompiledWhile(const ScheduledItem& loop, const CompiledWhilePlan& plan,
                                  ThunkSequence& thunks);
  absl::Status BuildPhases(const ScheduledItem& loop, ThunkSequence& thunks);
  absl::Status BuildConditional(const ScheduledItem& item, ThunkSequence& thunks);
  absl::Status BuildInstruction(const ScheduledItem& item, ThunkSequence& thunks);
  void BuildKernel(const ScheduledItem& item, ThunkSequence& thunks);
  absl::Status BuildContraction(const ScheduledItem& item, ThunkSequence& thunks);
  // Returns whether there is a prepared kernel for the instruction.
  absl::StatusOr<bool> BuildPrepared(const ScheduledItem& item, ThunkSequence& thunks);
  absl::Status BuildLibraryCall(const ScheduledItem& item, ThunkSequence& thunks);

  void AddCopy(const BufferSlice& from, const BufferSlice& to, int64_t bytes,
               ThunkSequence& thunks) const;
  void AddCopy(ValueId from, ValueId to, ThunkSequence& thunks) const;
  Slot SlotAt(const BufferSlice& slice) const;
  std::vector<Slot> SlotsOf(const std::vector<ValueId>& values) const;
  std::vector<std::optional<Slot>> PresentSlots(const std::vector<ValueId>& values) const;

  const ProgramSchedule& schedule_;
  const MemoryNumbers& memories_;
  const CpuCompileOptions& options_;
  const GeneratedFunctions& functions_;
  std::vector<const kernels::Kernel*>& prepared_;
  std::vector<LoweredProgram::ChosenKernel>& chosen_;
  std::vector<PingPongPair> pairs_;  // while thunks of the second phase are built
};

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_THUNK_BUILDER_H_
