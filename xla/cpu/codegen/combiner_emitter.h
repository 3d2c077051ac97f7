// SPDX-License-Identifier: Apache-2.0
// Emits functions that combine arrays of several devices, for the reductions between them.
#ifndef XLA_CPU_CODEGEN_COMBINER_EMITTER_H_
#define XLA_CPU_CODEGEN_COMBINER_EMITTER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/xla_data_enums.h"

namespace xla::cpu {

// Whether the computation takes two scalars of the type and returns one.
bool CombinesScalars(const HloComputation& function, PrimitiveType type);

// Whether EmitCombiner can emit the computation for numbers of the type.
bool CanEmitCombiner(const HloComputation& function, PrimitiveType type);

// Emits void name(char** arrays, int64_t parts, int64_t begin, int64_t end), a CombinerFunction
// (thunk.h): in a balanced binary tree over the parts, so that those of aligned powers of two may
// be combined elsewhere. A computation of one operation is computed in the type of registers (float
// for narrower types) and rounded once; others are computed as they are written.
absl::Status EmitCombiner(Ir& ir, const HloComputation& function, PrimitiveType type,
                          const char* name);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_COMBINER_EMITTER_H_
