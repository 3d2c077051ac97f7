// SPDX-License-Identifier: Apache-2.0
// Code of loops over rows.
#ifndef XLA_CPU_KERNEL_ROW_LOOPS_EMITTER_H_
#define XLA_CPU_KERNEL_ROW_LOOPS_EMITTER_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/row_loops.h"

namespace xla::cpu {

// What a kernel that goes row by row computes.
struct RowLoopsBody {
  // The elements of all results at the index, which has the dimensions of the loops, or as many as
  // the emitter has lanes.
  absl::FunctionRef<ResultElements(ElementEmitter& emitter, IndexVector index)> compute;
  // Called in each row, whose index lacks the last dimension, before its elements are computed with
  // these emitters.
  absl::FunctionRef<void(const IndexVector& row, ElementEmitter& vectors, ElementEmitter& scalars)>
      begin_row;
  absl::FunctionRef<void()> end_row;
  bool is_linear = false;
  // Results are written where the kernel still reads.
  bool overwrites_operands = false;
};

// Emits the units [begin, end) of the loops.
void EmitRowLoops(KernelCode& code, const KernelPlan& plan, const RowLoops& loops,
                  const RowLoopsBody& body, IrValue begin, IrValue end);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_ROW_LOOPS_EMITTER_H_
