// SPDX-License-Identifier: Apache-2.0
// Copies between strided arrays (xla/strided_copy.h) on the threads of a run.
#ifndef XLA_INTERPRETER_STRIDED_COPY_H_
#define XLA_INTERPRETER_STRIDED_COPY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/interpreter/evaluator.h"

namespace xla::interpreter {

// dst[sum(i[d] * dst_strides[d])] = src[sum(i[d] * src_strides[d])] for every index i of the box
// `dimensions`. Strides in elements of `element_bytes` (1, 2, 4, 8 or 16); source strides may be 0
// (broadcast) or negative (reverse), destinations of different indices are different. `src` and
// `dst` point at the elements of index 0; the arrays do not overlap. Runs in parallel where large.
absl::Status StridedCopy(EvalContext& ctx, int64_t element_bytes,
                         absl::Span<const int64_t> dimensions, const void* src,
                         absl::Span<const int64_t> src_strides, void* dst,
                         absl::Span<const int64_t> dst_strides);

// The same on the calling thread alone, for use where there is no context or the box is small.
void StridedCopySerial(int64_t element_bytes, absl::Span<const int64_t> dimensions, const void* src,
                       absl::Span<const int64_t> src_strides, void* dst,
                       absl::Span<const int64_t> dst_strides);

// The part of an array that a slice takes (reshape.cc), as a value of this shape.
absl::StatusOr<Value> SliceValue(EvalContext& ctx, const Value& operand,
                                 absl::Span<const SliceDim> slice, const Shape& shape);

// dst[0..count) = the element at `value`.
absl::Status FillElements(EvalContext& ctx, int64_t element_bytes, int64_t count, const void* value,
                          void* dst);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_STRIDED_COPY_H_
