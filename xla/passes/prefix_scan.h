// SPDX-License-Identifier: Apache-2.0
// Recognizes reduce-windows that are prefix scans, and simple reducers.
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
struct PrefixWindow {
  int64_t dimension;
  bool reverse;
  int64_t length;  // of the dimension
};

// Windows of shorter arrays are computed one by one.
inline constexpr int64_t kLeastScanLength = 16;

// Recognizes prefix windows with any reducer and any number of operands; nullopt for other
// instructions.
std::optional<PrefixWindow> RecognizePrefixWindow(const HloInstruction& instruction);

struct PrefixScan : PrefixWindow {
  HloOpcode operation;  // add, multiply, maximum or minimum
};

// Returns the operation of a reducer that is one operation on its two parameters, in either order;
// otherwise nullopt.
std::optional<HloOpcode> OperationOfReducer(const HloComputation& reducer);

// Recognizes prefix scans of one operand. nullopt for other instructions, and for reducers that are
// not one operation on both parameters.
std::optional<PrefixScan> RecognizePrefixScan(const HloInstruction& instruction);

// Whether the prefix scan is of a type, operation and length for which there is a kernel
// (xla/kernels/scan/scan_kernel.h).
bool HasScanKernel(const HloInstruction& instruction);

}  // namespace xla

#endif  // XLA_PASSES_PREFIX_SCAN_H_
