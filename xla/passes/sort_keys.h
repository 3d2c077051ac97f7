// SPDX-License-Identifier: Apache-2.0
// Analyzes comparators of sorts.
#ifndef XLA_PASSES_SORT_KEYS_H_
#define XLA_PASSES_SORT_KEYS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Returns the parameter x of select(x != x, NaN, select(x == 0, 0, x)), whose selects may have
// either order: x with one NaN and one zero. Null for other expressions.
const HloInstruction* WithoutCanonicalNumbers(const HloInstruction* instruction);

// For integers all orders are the same. For floating-point numbers, the partial order does not
// order NaN, and the order of numbers considers all NaNs, and both zeros, equal.
enum class KeyOrder { kPartial, kTotal, kNumbers };

// The operand and order of a comparator that is one comparison of two parameters.
struct ComparedOperand {
  int64_t operand;
  bool descending;
  KeyOrder order;
};
// Returns nullopt for other comparators.
std::optional<ComparedOperand> RecognizeComparison(const HloComputation& comparator);

// Returns the dimension along which each element of the array is its index; nullopt for other
// arrays.
std::optional<int64_t> IndexDimension(const HloInstruction& array);

// Turns a sort by several keys into as many stable sorts by one key, the last key first. Keys that
// are expressions of the operands become operands. The remaining comparators compare one operand
// each, for which there are kernels.
absl::StatusOr<bool> SplitSortKeys(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_SORT_KEYS_H_
