// SPDX-License-Identifier: Apache-2.0
// What comparators of sorts compare.
#ifndef XLA_PASSES_SORT_KEYS_H_
#define XLA_PASSES_SORT_KEYS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// The parameter x of select(x != x, NaN, select(x == 0, 0, x)), whose selects may come in either
// order: x with one NaN and one zero. Null for other expressions.
const HloInstruction* WithoutCanonicalNumbers(const HloInstruction* instruction);

// A sort by several keys, one after another where those before are equal, becomes as many stable
// sorts by one key, the last key first. Keys that are expressions of the operands become operands.
// What remains are comparators of one operand each, for which there are kernels.
absl::StatusOr<bool> SplitSortKeys(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_SORT_KEYS_H_
