// SPDX-License-Identifier: Apache-2.0
// Emits loops over rows.
#ifndef XLA_CPU_KERNEL_ROW_LOOPS_EMITTER_H_
#define XLA_CPU_KERNEL_ROW_LOOPS_EMITTER_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/row_loops.h"

namespace xla::cpu {

// The callbacks that emit the code of a kernel's rows.
struct RowLoopsBody {
  // Computes an element of each result, or a vector of as many as the emitter has lanes, at an
  // index with the dimensions of the loops.
  absl::FunctionRef<ResultElements(ElementEmitter& emitter, IndexVector index)> compute;
  // Called at the start of each row with its index, which lacks the last dimension, and the
  // emitters that compute its elements.
  absl::FunctionRef<void(const IndexVector& row, ElementEmitter& vectors, ElementEmitter& scalars)>
      begin_row;
  absl::FunctionRef<void()> end_row;
  bool is_linear = false;
  // Whether results are written to memory that the kernel still reads.
  bool overwrites_operands = false;
};

// Emits the units [begin, end) of the loops.
void EmitRowLoops(KernelCode& code, const KernelPlan& plan, const RowLoops& loops,
                  const RowLoopsBody& body, IrValue begin, IrValue end);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_ROW_LOOPS_EMITTER_H_
