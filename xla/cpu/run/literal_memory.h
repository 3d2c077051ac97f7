// SPDX-License-Identifier: Apache-2.0
// Literals from the memory of a program's arrays, and back.
//
// Leaves are those of the static form of a shape (xla/passes/dynamic_shapes.h): an array, dense and
// row-major, and after it the sizes of its dynamic dimensions; null for tokens.
#ifndef XLA_CPU_RUN_LITERAL_MEMORY_H_
#define XLA_CPU_RUN_LITERAL_MEMORY_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla::cpu {

// A literal of the shape; its layout is kept. Takes the leaves off the front.
absl::StatusOr<Literal> LiteralFromLeaves(const Shape& shape, absl::Span<char* const>& leaves);
// The contents of a literal that fits the shape (runtime::LiteralFits), to its leaves.
void LiteralToLeaves(const LiteralSlice& literal, const Shape& shape,
                     absl::Span<char* const>& leaves);

// The leaves of the static form.
struct LeafArray {
  const Shape* shape;  // of the array as the program was written; tokens too
  char* data;
  absl::Span<char* const> sizes;  // of dynamic dimensions, s32 each
  DimensionVector existing() const;
  void SetSizes(absl::Span<const int64_t> sizes) const;
};
// The arrays of a shape, which must outlive them. Takes the leaves off the front.
void CollectLeafArrays(const Shape& shape, absl::Span<char* const>& leaves,
                       std::vector<LeafArray>& arrays);

// Bytes of a dense array, at its bounds.
int64_t DenseArrayBytes(const Shape& shape);

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_LITERAL_MEMORY_H_
