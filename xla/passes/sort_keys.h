// SPDX-License-Identifier: Apache-2.0
// What comparators of sorts compare.
#ifndef XLA_PASSES_SORT_KEYS_H_
#define XLA_PASSES_SORT_KEYS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// The parameter x of select(x != x, NaN, select(x == 0, 0, x)), whose selects may come in either
// order: x with one NaN and one zero. Null for other expressions.
const HloInstruction* WithoutCanonicalNumbers(const HloInstruction* instruction);

// Of integers all orders are the same; of floating-point numbers, the partial one has no place for
// NaN, and that of numbers takes all NaNs, and both zeros, for equal.
enum class KeyOrder { kPartial, kTotal, kNumbers };

// What a comparator of one comparison of two parameters sorts by.
struct ComparedOperand {
  int64_t operand;
  bool descending;
  KeyOrder order;
};
// Unset for other comparators.
std::optional<ComparedOperand> RecognizeComparison(const HloComputation& comparator);

// The dimension along which each element of the array is its index; unset for other arrays.
std::optional<int64_t> IndexDimension(const HloInstruction& array);

// A sort by several keys, one after another where those before are equal, becomes as many stable
// sorts by one key, the last key first. Keys that are expressions of the operands become operands.
// What remains are comparators of one operand each, for which there are kernels.
absl::StatusOr<bool> SplitSortKeys(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_SORT_KEYS_H_
