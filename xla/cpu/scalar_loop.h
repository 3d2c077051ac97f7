// SPDX-License-Identifier: Apache-2.0
// Loops whose state is a few scalars as one native function that keeps the state in registers.
#ifndef XLA_CPU_SCALAR_LOOP_H_
#define XLA_CPU_SCALAR_LOOP_H_

#include <vector>

#include "absl/status/status.h"
#include "xla/cpu/ir.h"
#include "xla/cpu/schedule.h"

namespace xla::cpu {

// Whether all that the loop computes are single elements, by generated code.
bool IsScalarLoop(const ProgramSchedule& schedule, const ScheduledItem& loop);

// The values whose memory the function takes: its state, then what is read from outside.
struct ScalarLoopArrays {
  std::vector<ValueId> state, inputs;
};
ScalarLoopArrays ArraysOfScalarLoop(const ScheduledItem& loop);

// void name(char** arrays, RunState* state, int64_t unused). Reads the state from memory, runs the
// loop, and writes it back. Asks from time to time whether the run is cancelled, and then returns
// early.
absl::Status EmitScalarLoop(Ir& ir, const ProgramSchedule& schedule, const ScheduledItem& loop,
                            const char* name);

}  // namespace xla::cpu

#endif  // XLA_CPU_SCALAR_LOOP_H_
