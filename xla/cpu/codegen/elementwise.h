// SPDX-License-Identifier: Apache-2.0
// Emits elementwise operations.
#ifndef XLA_CPU_CODEGEN_ELEMENTWISE_H_
#define XLA_CPU_CODEGEN_ELEMENTWISE_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/cpu/codegen/element.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether EmitElementwise can emit the operation.
bool IsElementwise(const HloInstruction& instruction);

// Emits the result for operands of equal numbers of lanes. UNIMPLEMENTED for types that the
// operation does not take.
absl::StatusOr<Element> EmitElementwise(ElementOps& ops, const HloInstruction& instruction,
                                        absl::Span<const Element> operands);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_ELEMENTWISE_H_
