// SPDX-License-Identifier: Apache-2.0
// Decides which operands of a kernel may share the memory of its result.
#ifndef XLA_CPU_KERNEL_IN_PLACE_H_
#define XLA_CPU_KERNEL_IN_PLACE_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Returns the operands (by number of the parameter) that a dynamic-update-slice or scatter updates
// in place: result r takes the memory of operand [r]. Empty for other fusions.
std::vector<int64_t> UpdatedOperands(const HloInstruction& fusion);

// Whether a kernel of the fusion may write its result to the memory of an operand: each element
// depends only on that operand's element at the same index, and on reductions of its row. For an
// update, these are the updated operand and operands of which it reads only what it replaces, or
// what is apart from it along a dimension in which it replaces one element.
// `reduces_rows_first`: of the kernel's strategy; other kernels would read rows of which they have
// overwritten a part.
bool MayShareMemory(const HloInstruction& fusion, int64_t operand, int result,
                    bool reduces_rows_first);

// Whether a kernel of a dynamic-update-slice that computes the slice of the same array, through the
// `fused` users of the slice, may update the array in its memory (MayShareMemory).
bool ReadsWhereItWrites(const HloInstruction& slice, const HloInstruction& update,
                        const absl::flat_hash_set<const HloInstruction*>& fused);

// Whether elements of the fusion's root read operands in the memory of the result, if `known`
// instructions and reductions need not be computed.
bool ReadsWhatIsWritten(const HloInstruction& fusion, const std::vector<bool>& is_written,
                        const HloInstruction* known);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_IN_PLACE_H_
