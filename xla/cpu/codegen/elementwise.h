// SPDX-License-Identifier: Apache-2.0
// Elementwise operations as generated code.
#ifndef XLA_CPU_CODEGEN_ELEMENTWISE_H_
#define XLA_CPU_CODEGEN_ELEMENTWISE_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/cpu/codegen/element.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether EmitElementwise takes the operation.
bool IsElementwise(const HloInstruction& instruction);

// The result for operands of as many lanes each. UNIMPLEMENTED for types that the operation does
// not take.
absl::StatusOr<Element> EmitElementwise(ElementOps& ops, const HloInstruction& instruction,
                                        absl::Span<const Element> operands);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_ELEMENTWISE_H_
