// SPDX-License-Identifier: Apache-2.0
// Custom calls that the caller of a run implements on literals.
#ifndef XLA_CPU_CUSTOM_CALLS_H_
#define XLA_CPU_CUSTOM_CALLS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"

namespace xla {

// A function that reads the operands and writes the result, which has the instruction's shape. By
// target.
using CpuCustomCall = std::function<absl::Status(
    const HloInstruction& call, absl::Span<const LiteralSlice> operands, Literal* result)>;
using CpuCustomCalls = std::vector<std::pair<std::string, CpuCustomCall>>;

}  // namespace xla

#endif  // XLA_CPU_CUSTOM_CALLS_H_
