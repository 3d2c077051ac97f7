// SPDX-License-Identifier: Apache-2.0
// Functions that are generated for operations which are not fusions: reductions between devices,
// and select-and-scatter.
#ifndef XLA_CPU_CODEGEN_COMBINER_EMITTER_H_
#define XLA_CPU_CODEGEN_COMBINER_EMITTER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/xla_data_enums.h"

namespace xla::cpu {

// Whether the computation combines two numbers of the type into one; see EmitFold.
bool CanEmitFold(const HloComputation& function, PrimitiveType type);

// void name(char** arrays, int64_t parts, int64_t begin, int64_t end), as thunk.h's
// CombinerFunction has it. A computation of one operation is computed in the type of registers
// (float for narrower types) and rounded once, others as they are written.
absl::Status EmitFold(Ir& ir, const HloComputation& function, PrimitiveType type, const char* name);

// Whether the instruction is a select-and-scatter, or the custom call of one with dynamic sizes.
bool IsSelectAndScatter(const HloInstruction& instruction);

// How a select-and-scatter is divided: units share no element of the result.
struct SelectAndScatterPlan {
  int64_t units = 0, chunk = 1;
};
SelectAndScatterPlan PlanSelectAndScatter(const HloInstruction& instruction,
                                          const Machine& machine);

// void name(char** arrays, int64_t begin, int64_t end): arrays are operand, source, initial value
// and result. Each window selects its first element that no later one replaces, padding apart;
// sources are combined in row-major order.
absl::Status EmitSelectAndScatter(Ir& ir, const HloInstruction& instruction, const char* name);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_COMBINER_EMITTER_H_
