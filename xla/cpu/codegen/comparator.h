// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_CODEGEN_COMPARATOR_H_
#define XLA_CPU_CODEGEN_COMPARATOR_H_

#include "absl/status/status.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// Emits bool name(void* const* buffers, const void* const* elements), the comparator of
// kernels/sort/sort_kernel.h.
absl::Status EmitComparator(Ir& ir, const HloComputation& comparator, const char* name);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_COMPARATOR_H_
