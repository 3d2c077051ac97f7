// SPDX-License-Identifier: Apache-2.0
// Loops over elements by vectors, with what is left at the end.
#ifndef XLA_CPU_KERNEL_VECTOR_LOOP_H_
#define XLA_CPU_KERNEL_VECTOR_LOOP_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "xla/cpu/codegen/index.h"
#include "xla/cpu/codegen/ir.h"

namespace xla::cpu {

// What computes the elements at the end of a row that are too few for a vector, where vectors do.
enum class TailPolicy : uint8_t {
  kNone,     // there are none
  kClamped,  // the last vector starts earlier, and computes some elements again
  // The same, but what it computes is known before the other vectors are written, which may be
  // where it reads.
  kOverlapFirst,
};

// Elements [first, last) of a row of so many; `first` is a multiple of the lanes.
struct VectorRange {
  int64_t length = 0;  // of the row
  int lanes = 1;
  IrValue first = nullptr, last = nullptr;
  IrValue is_last = nullptr;  // whether the range ends where the row does; null: it does
};

// A vector loop, then a scalar one: vectors start at multiples of the lanes in the row. A loop that
// would have nothing to do is left out.
void EmitLoopWithScalarTail(Ir& ir, const VectorRange& range,
                            absl::FunctionRef<void(const IndexTerm&)> vector,
                            absl::FunctionRef<void(const IndexTerm&)> scalar);

// The same of elements that start anywhere: vectors start at `first` and every so many lanes.
void EmitLoopFromFirst(Ir& ir, int lanes, IrValue first, IrValue last,
                       absl::FunctionRef<void(const IndexTerm&)> vector,
                       absl::FunctionRef<void(const IndexTerm&)> scalar);

// A vector loop with the policy kNone, kClamped, or kOverlapFirst, of which the caller computes the
// last vector. `unrolls`: without a loop, for few vectors of a whole row.
void EmitVectorLoop(Ir& ir, const VectorRange& range, TailPolicy tail, bool unrolls,
                    absl::FunctionRef<void(const IndexTerm&)> vector);

// The vector that ends where a row does.
IndexTerm LastVector(Ir& ir, int64_t length, int lanes);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_VECTOR_LOOP_H_
