// SPDX-License-Identifier: Apache-2.0
// Kernels that scatter updates to an array in place.
#ifndef XLA_CPU_SCATTER_EMITTER_H_
#define XLA_CPU_SCATTER_EMITTER_H_

#include "absl/types/span.h"
#include "xla/cpu/element_emitter.h"
#include "xla/cpu/ir.h"
#include "xla/cpu/kernel_emitter.h"

namespace xla::cpu {

// Every unit is a range of the minor window dimension, for all updates in order: the order of
// updates of an element does not depend on threads.
void EmitScatter(const KernelPlan& plan, ElementOps& ops, ElementEmitter& vectors,
                 ElementEmitter& scalars, absl::Span<const IrValue> results, IrValue begin,
                 IrValue end);

}  // namespace xla::cpu

#endif  // XLA_CPU_SCATTER_EMITTER_H_
