// SPDX-License-Identifier: Apache-2.0
// Loop partitioning: divides the rows of a kernel into segments. A vector that crosses from one
// operand of a concatenation to the next, or from a padded array to its padding, would need the
// elements of both. Within a segment every vector reads one operand, known at compile time.
#ifndef XLA_CPU_KERNEL_LOOP_PARTITIONING_H_
#define XLA_CPU_KERNEL_LOOP_PARTITIONING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Positions [begin, end) of a row, and as many behind them for each repeat but the first. With a
// period, rows of so many elements that follow each other from the position `origin` on are one
// row, as reshapes make them: the part is within one of these, or all of it and the next ones.
struct LoopPartition {
  int64_t begin = 0, end = 0;
  int64_t period = 0, origin = 0;
  int64_t repeats = 1;
  int64_t all_end() const { return begin + repeats * (end - begin); }
  bool operator==(const LoopPartition&) const = default;
};

// What is added to the index of the minor dimension where an instruction reads its operand: nullopt
// where that index is not the same but for a constant.
std::optional<int64_t> MinorOffset(const HloInstruction& instruction, int64_t operand);

// Rows of the operand of a reshape that become one row of the result: their length, 0 if rows stay
// whole or are divided.
int64_t JoinedRowLength(const HloInstruction& reshape);

// Positions of the minor dimension where a concatenation or pad reads something else than before.
std::vector<int64_t> MinorBoundaries(const HloInstruction& instruction);

// The parts between these positions of a row of `length` elements that are long enough for vectors
// of so many lanes: empty if they are too many, or leave too much of the row to scalar code.
std::vector<LoopPartition> PartitionBetween(std::vector<int64_t> boundaries, int64_t length,
                                            int lanes);

// The parts for an instruction of a fusion that is computed row by row: empty if there are no cuts,
// or no good parts.
std::vector<LoopPartition> PartitionRows(const HloInstruction& root, int64_t length, int lanes);

// How many neighbors of a row are best computed by vectors of their own, so that each vector knows
// what interior padding puts between elements: the product of the distances of elements of pads
// that read pads; 1 without any, and for computations of other kinds.
int64_t PhasesOfRows(const HloComputation& computation);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_LOOP_PARTITIONING_H_
