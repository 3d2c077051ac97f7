// SPDX-License-Identifier: Apache-2.0
// Static analysis of while loops.
#ifndef XLA_PASSES_LOOP_ANALYSIS_H_
#define XLA_PASSES_LOOP_ANALYSIS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// A counted loop: element `counter` of its state starts at `start`, grows by `step` in each
// iteration, and ends the loop after `trips` iterations.
struct CountedLoop {
  int64_t counter;
  int64_t start, step, trips;
  int64_t bound;  // compared with the counter by the condition
};

// Returns nullopt unless the condition compares an integer element of the state with a constant, or
// with an element that is constant and never changes; the body adds a constant to the former; and
// its initial value is constant. The counter does not wrap.
std::optional<CountedLoop> AnalyzeCountedLoop(const HloInstruction& loop);

// Returns for each element of a loop's tuple state whether the body passes it through.
std::vector<bool> InvariantElements(const HloInstruction& loop);

// Returns the initial value of an element of the state; null if the initial state is not a tuple
// operation.
HloInstruction* InitialElement(const HloInstruction& loop, int64_t element);

}  // namespace xla

#endif  // XLA_PASSES_LOOP_ANALYSIS_H_
