// SPDX-License-Identifier: Apache-2.0
// Compiles loops to one function which keeps its state in registers: loops over a few scalars, and
// loops that treat each element of arrays alike.
#ifndef XLA_CPU_LOWER_SCALAR_WHILE_H_
#define XLA_CPU_LOWER_SCALAR_WHILE_H_

#include <vector>

#include "absl/status/status.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/cpu/plan/schedule.h"

namespace xla::cpu {

// Whether generated code computes everything in the loop, and all values are single elements.
bool IsScalarWhile(const ProgramSchedule& schedule, const ScheduledItem& loop);

// The values whose addresses the function takes: the state, then the values that the loop reads.
struct ScalarWhileArrays {
  std::vector<ValueId> state, inputs;
};
ScalarWhileArrays ArraysOfScalarWhile(const ScheduledItem& loop);

// Emits void name(char** arrays, RunState* state, int64_t, int64_t). It reads the scalars of the
// state from memory, runs the loop, and writes them back. It polls for cancellation, and returns
// early if cancelled.
absl::Status EmitScalarWhile(Ir& ir, const ProgramSchedule& schedule, const ScheduledItem& loop,
                             const char* name);

// Whether the loop computes scalars from scalars, and elements of arrays of one length from scalars
// and elements at the same index: each element runs through the whole loop by itself. Returns that
// length; 0 for other loops.
int64_t ElementwiseWhileLength(const ProgramSchedule& schedule, const ScheduledItem& loop);

// How the elements are divided: into `count` units of one vector of `lanes` elements; a thread
// takes `chunk` units at a time.
struct ElementwiseWhileUnits {
  int64_t length = 0;  // of the arrays; 0 for other loops
  int lanes = 1;
  int64_t count = 0, chunk = 1;
  // Whether one call computes all units, and so can compute the scalars as well.
  bool finishes_scalars() const { return count <= chunk; }
};
ElementwiseWhileUnits UnitsOfElementwiseWhile(const ProgramSchedule& schedule,
                                              const ScheduledItem& loop, const Target& target);

// Emits a function like those of EmitScalarWhile that computes the arrays of the state; its last
// parameters are a range of units, and units may be computed in parallel. Unless
// units.finishes_scalars(), it does not change the scalars of the state: the function of
// EmitScalarWhile, called afterwards with the same arrays, computes those.
absl::Status EmitElementwiseWhile(Ir& ir, const ProgramSchedule& schedule,
                                  const ScheduledItem& loop, const ElementwiseWhileUnits& units,
                                  const char* name);

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_SCALAR_WHILE_H_
