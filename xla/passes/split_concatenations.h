// SPDX-License-Identifier: Apache-2.0
// Splits concatenations of many operands into several of few.
#ifndef XLA_PASSES_SPLIT_CONCATENATIONS_H_
#define XLA_PASSES_SPLIT_CONCATENATIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Turns a concatenation of more than 64 operands into one of concatenations of 64: code has a loop
// for each operand, and the time to compile it grows with the square of their number.
absl::StatusOr<bool> SplitConcatenations(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_SPLIT_CONCATENATIONS_H_
