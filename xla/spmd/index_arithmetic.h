// SPDX-License-Identifier: Apache-2.0
// Instructions that compute with indices of arrays, for operations on shards that take indices of
// the full array.
#ifndef XLA_SPMD_INDEX_ARITHMETIC_H_
#define XLA_SPMD_INDEX_ARITHMETIC_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla::spmd {

// A scalar, as often as the shape has elements.
HloInstruction* Spread(HloInstruction* scalar, const Shape& shape);
// Of two values of one shape.
HloInstruction* Binary(HloOpcode opcode, HloInstruction* a, HloInstruction* b);
// The value itself if it has the type.
HloInstruction* As(HloInstruction* value, PrimitiveType type);
// Integers of any type as s32 in [low, high], which fit.
HloInstruction* Clamped(HloInstruction* index, int64_t low, int64_t high);
// Whether indices of the type can state all positions of a dimension, and s32 as well.
bool Holds(PrimitiveType type, int64_t size);
// Where `row`, an s32 of any shape, is within [0, size).
HloInstruction* Within(HloInstruction* row, int64_t size);
// Zeros before and behind dimension `d`, `rows` each.
HloInstruction* Padded(HloInstruction* value, int64_t d, int64_t rows);
// Rows [start, start + size) of dimension `d`.
HloInstruction* RowsOf(HloInstruction* value, int64_t d, int64_t start, int64_t size);
// The dimension along which the values are 0, 1, .. and the same along all others; -1 if there is
// none.
int64_t IotaDimension(const HloInstruction* value);

// Index vectors of a gather or scatter.
struct IndexVectors {
  HloInstruction* indices;
  int64_t vector_dim;  // the rank of `indices` if each is a vector of one element

  bool IsImplicit() const { return vector_dim == indices->shape().rank(); }
  // The dimensions of `indices` but for that of vectors.
  std::vector<int64_t> BatchDimensions() const;
  // One component of all vectors, an array of their batch.
  HloInstruction* Component(int64_t component) const;
  // The vectors with that component replaced. Precondition: it has their type.
  HloInstruction* WithComponent(int64_t component, HloInstruction* value) const;
  // The dimension of `indices` along which a component is 0, 1, ..; -1 if there is none.
  int64_t ParallelDimension(int64_t component) const;
};

}  // namespace xla::spmd

#endif  // XLA_SPMD_INDEX_ARITHMETIC_H_
