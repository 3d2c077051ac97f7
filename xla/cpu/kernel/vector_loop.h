// SPDX-License-Identifier: Apache-2.0
// Emits loops over elements by vectors, with their tails.
#ifndef XLA_CPU_KERNEL_VECTOR_LOOP_H_
#define XLA_CPU_KERNEL_VECTOR_LOOP_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "xla/cpu/codegen/index.h"
#include "xla/cpu/codegen/ir.h"

namespace xla::cpu {

// How a vector loop treats the elements at the end of a row that do not fill a vector.
enum class TailPolicy : uint8_t {
  kNone,     // there are no such elements
  kClamped,  // the last vector starts earlier and recomputes some elements
  // Like kClamped, but the last vector is computed before the loop, whose stores may overwrite its
  // inputs.
  kOverlapFirst,
};

// Elements [first, last) of a row of `length`; `first` is a multiple of the lanes.
struct VectorRange {
  int64_t length = 0;  // of the row
  int lanes = 1;
  IrValue first = nullptr, last = nullptr;
  IrValue is_last = nullptr;  // whether the range ends with the row; null: it does
};

// Emits a vector loop followed by a scalar loop. Vectors start at multiples of the lanes in the
// row. A loop without iterations is left out.
void EmitLoopWithScalarTail(Ir& ir, const VectorRange& range,
                            absl::FunctionRef<void(const IndexTerm&)> vector,
                            absl::FunctionRef<void(const IndexTerm&)> scalar);

// Like EmitLoopWithScalarTail for any `first`: vectors start at `first` and every `lanes` elements.
void EmitLoopFromFirst(Ir& ir, int lanes, IrValue first, IrValue last,
                       absl::FunctionRef<void(const IndexTerm&)> vector,
                       absl::FunctionRef<void(const IndexTerm&)> scalar);

// Emits a vector loop with the given policy; with kOverlapFirst, the caller computes the last
// vector. `unrolls`: emits the few vectors of a whole row without a loop.
void EmitVectorLoop(Ir& ir, const VectorRange& range, TailPolicy tail, bool unrolls,
                    absl::FunctionRef<void(const IndexTerm&)> vector);

// Returns the index of the vector that ends with the row.
IndexTerm LastVector(Ir& ir, int64_t length, int lanes);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_VECTOR_LOOP_H_
