// SPDX-License-Identifier: Apache-2.0
// Custom calls of XLA's partitioner that slice, pad or rotate one array several times
// ("_SPMDInternalOp_MultiSlice" and others), which Enzyme emits.
#ifndef XLA_SPMD_SHIFT_CALLS_H_
#define XLA_SPMD_SHIFT_CALLS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::spmd {

struct ShiftCall {
  enum class Kind : uint8_t { kRotate, kMultiRotate, kMultiSlice, kMultiPad, kWrap };
  Kind kind;
  int64_t dimension = 0;
  // Result i begins at row first + i of the operand, below which and beyond which is padding of a
  // kMultiPad; of rotations and kWrap rows follow each other in a circle.
  int64_t first = 0;
  int64_t results = 1;
};

// None if it is another call, or its attributes do not fit its shapes.
std::optional<ShiftCall> ShiftCallOf(const HloInstruction& call);

// The call as slices, pads and concatenations of its operand: of the shape of the call.
HloInstruction* ExpandedShiftCall(const HloInstruction& call, const ShiftCall& shift);

// Replaces all of them but, if `keeps_slices`, those of kinds kMultiSlice and kMultiPad.
absl::Status ExpandShiftCalls(HloModule* module, bool keeps_slices);

}  // namespace xla::spmd

#endif  // XLA_SPMD_SHIFT_CALLS_H_
