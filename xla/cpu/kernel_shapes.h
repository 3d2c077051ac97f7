// SPDX-License-Identifier: Apache-2.0
// Small questions about shapes that planning and emission of kernels share.
#ifndef XLA_CPU_KERNEL_SHAPES_H_
#define XLA_CPU_KERNEL_SHAPES_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla::cpu {

// Elements of an array.
inline int64_t CountOf(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape.dimensions()) count *= size;
  return count;
}

// The shape, or that of the first of several results.
inline const Shape& FirstShape(const HloInstruction& instruction) {
  return instruction.shape().IsTuple() ? instruction.shape().tuple_shapes(0) : instruction.shape();
}

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_SHAPES_H_
