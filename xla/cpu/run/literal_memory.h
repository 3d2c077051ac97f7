// SPDX-License-Identifier: Apache-2.0
// Copies literals from and to the memory of a program's arrays.
//
// Leaves are those of the static form of a shape (xla/passes/dynamic_shapes.h): an array, dense and
// row-major, followed by the sizes of its dynamic dimensions; null for tokens.
#ifndef XLA_CPU_RUN_LITERAL_MEMORY_H_
#define XLA_CPU_RUN_LITERAL_MEMORY_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla::cpu {

// Makes a literal of the shape, with its layout. Removes its leaves from the front.
absl::StatusOr<Literal> LiteralFromLeaves(const Shape& shape, absl::Span<char* const>& leaves);
// Copies the contents of a literal that fits the shape (runtime::LiteralFits) to its leaves.
void LiteralToLeaves(const LiteralSlice& literal, const Shape& shape,
                     absl::Span<char* const>& leaves);

// The leaves of an array in the static form.
struct LeafArray {
  const Shape* shape;  // of the array as the program was written; tokens too
  char* data;
  absl::Span<char* const> sizes;  // of dynamic dimensions, s32 each
  DimensionVector existing() const;
  void SetSizes(absl::Span<const int64_t> sizes) const;
};
// Appends the arrays of a shape, which must outlive them. Removes its leaves from the front.
void CollectLeafArrays(const Shape& shape, absl::Span<char* const>& leaves,
                       std::vector<LeafArray>& arrays);

// Returns the bytes of a dense array at its bounds.
int64_t DenseArrayBytes(const Shape& shape);

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_LITERAL_MEMORY_H_
