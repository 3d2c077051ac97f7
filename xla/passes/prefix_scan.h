// SPDX-License-Identifier: Apache-2.0
// Recognition of prefix scans and of simple reducers.
#ifndef XLA_PASSES_PREFIX_SCAN_H_
#define XLA_PASSES_PREFIX_SCAN_H_

#include <cstdint>
#include <optional>

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// A reduce-window whose windows start (or, if `reverse`, end) at the border of the array along one
// dimension and grow by an element from one result to the next: result i combines the elements
// [0, i], or [i, size) if `reverse`.
struct PrefixScan {
  int64_t dimension;
  bool reverse;
  HloOpcode operation;  // add, multiply, maximum or minimum
};

// The operation of a reducer that is one operation on its two parameters, in either order; else
// unset.
std::optional<HloOpcode> OperationOfReducer(const HloComputation& reducer);

// Unset for other instructions, and for reducers that are not one operation on both parameters.
std::optional<PrefixScan> RecognizePrefixScan(const HloInstruction& instruction);

}  // namespace xla

#endif  // XLA_PASSES_PREFIX_SCAN_H_
