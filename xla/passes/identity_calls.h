// SPDX-License-Identifier: Apache-2.0
// Custom calls of XLA that return their operand where a program is not partitioned: annotations of
// shardings and layouts, and the borders of buffers that are updated in place.
#ifndef XLA_PASSES_IDENTITY_CALLS_H_
#define XLA_PASSES_IDENTITY_CALLS_H_

#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// Why such a call cannot return its operand; empty if it can. The verifier does not check custom
// calls.
absl::string_view FaultOfAnnotation(const HloInstruction& call);        // Sharding, SPMD...Shape
absl::string_view FaultOfLayoutConstraint(const HloInstruction& call);  // LayoutConstraint
absl::string_view FaultOfPin(const HloInstruction& call);               // Pin, Unpin

}  // namespace xla

#endif  // XLA_PASSES_IDENTITY_CALLS_H_
