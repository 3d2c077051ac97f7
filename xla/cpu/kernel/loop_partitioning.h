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

// Positions [begin, end) of a row, and as many after them for each further repeat. With a period,
// the row joins rows of `period` elements, starting at `origin`, as reshapes do: the part is within
// one of these, or consists of whole ones.
struct LoopPartition {
  int64_t begin = 0, end = 0;
  int64_t period = 0, origin = 0;
  int64_t repeats = 1;
  int64_t all_end() const { return begin + repeats * (end - begin); }
  bool operator==(const LoopPartition&) const = default;
};

// Returns the difference between the minor index at which an instruction reads its operand and the
// minor index of its result; nullopt if it is not constant.
std::optional<int64_t> MinorOffset(const HloInstruction& instruction, int64_t operand);

// Returns the length of the operand's rows if a reshape joins several of them in each row of its
// result; 0 if rows stay whole or are divided.
int64_t JoinedRowLength(const HloInstruction& reshape);

// Returns the positions in the minor dimension at which a concatenation or pad starts to read
// another operand or its padding.
std::vector<int64_t> MinorBoundaries(const HloInstruction& instruction);

// Returns the parts between these positions of a row of `length` elements that are long enough for
// vectors of `lanes`. Empty if they are too many, or leave too much of the row to scalar code.
std::vector<LoopPartition> PartitionBetween(std::vector<int64_t> boundaries, int64_t length,
                                            int lanes);

// Returns the parts for an instruction of a fusion that is computed row by row. Empty if there are
// no boundaries, or no suitable parts.
std::vector<LoopPartition> PartitionRows(const HloInstruction& root, int64_t length, int lanes);

// Returns how many neighbors in a row are best computed by separate vectors, so that each vector
// knows where interior padding is: the product of the distances between elements of nested pads. 1
// without interior padding, and for other computations.
int64_t PhasesOfRows(const HloComputation& computation);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_LOOP_PARTITIONING_H_
