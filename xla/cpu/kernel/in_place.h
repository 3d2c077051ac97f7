// SPDX-License-Identifier: Apache-2.0
// Which operands of a kernel may be in the memory of its result.
#ifndef XLA_CPU_KERNEL_IN_PLACE_H_
#define XLA_CPU_KERNEL_IN_PLACE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Operands (by number of the parameter) that are updated in place: result r is where the operand
// [r] was. Of dynamic-update-slice and scatter; empty for others.
std::vector<int64_t> UpdatedOperands(const HloInstruction& fusion);

// Whether a kernel of the fusion may write its result to the memory of an operand: each element
// depends on that operand's element at the same place only, and on what is reduced from its row. Of
// an update, the operand that is updated may be, and others of which nothing is read but what is
// replaced.
bool MayShareMemory(const HloInstruction& fusion, int64_t operand, int result);

// Whether elements of the fusion's root read operands in the memory of the result, where those of
// `known` and what is reduced need not be computed.
bool ReadsWhatIsWritten(const HloInstruction& fusion, const std::vector<bool>& is_written,
                        const HloInstruction* known);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_IN_PLACE_H_
