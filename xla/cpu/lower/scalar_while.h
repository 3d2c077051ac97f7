// SPDX-License-Identifier: Apache-2.0
// Loops as native functions that keep their state in registers: those on a few scalars, and those
// that do the same to each element of arrays.
#ifndef XLA_CPU_LOWER_SCALAR_WHILE_H_
#define XLA_CPU_LOWER_SCALAR_WHILE_H_

#include <vector>

#include "absl/status/status.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/cpu/plan/schedule.h"

namespace xla::cpu {

// Whether all that the loop computes are single elements, by generated code.
bool IsScalarWhile(const ProgramSchedule& schedule, const ScheduledItem& loop);

// The values whose memory the function takes: its state, then what is read from outside.
struct ScalarWhileArrays {
  std::vector<ValueId> state, inputs;
};
ScalarWhileArrays ArraysOfScalarWhile(const ScheduledItem& loop);

// void name(char** arrays, RunState* state, int64_t, int64_t). Reads the scalars of the state from
// memory, runs the loop, and writes it back. Asks from time to time whether the run is cancelled,
// and then returns early.
absl::Status EmitScalarWhile(Ir& ir, const ProgramSchedule& schedule, const ScheduledItem& loop,
                             const char* name);

// Whether all that the loop computes are scalars from scalars, and elements of arrays of one
// length from elements at the same place and scalars: each element runs through the whole loop by
// itself. Returns that length; 0 for other loops.
int64_t ElementwiseWhileLength(const ProgramSchedule& schedule, const ScheduledItem& loop);

// How the elements are divided: vectors of `lanes`, as many units, of which a thread takes `chunk`
// at a time.
struct ElementwiseWhileUnits {
  int lanes = 1;
  int64_t count = 0, chunk = 1;
  // Whether one call computes all.
  bool finishes_scalars() const { return count <= chunk; }
};
ElementwiseWhileUnits UnitsOfElementwiseWhile(const ProgramSchedule& schedule,
                                              const ScheduledItem& loop, const Target& target);

// A function like those of EmitScalarWhile for the arrays among the state, whose last parameters
// are the range of units. Units may be computed at the same time. Unless units.finishes_scalars(),
// it leaves the scalars as they are: the function of EmitScalarWhile, to be called afterwards with
// the same arrays, makes them what they are after the loop.
absl::Status EmitElementwiseWhile(Ir& ir, const ProgramSchedule& schedule,
                                  const ScheduledItem& loop, const char* name);

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_SCALAR_WHILE_H_
