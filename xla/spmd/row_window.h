// SPDX-License-Identifier: Apache-2.0
// How rows of results follow from rows of operands that are divided along a dimension.
#ifndef XLA_SPMD_ROW_WINDOW_H_
#define XLA_SPMD_ROW_WINDOW_H_

#include <cstdint>

#include "xla/hlo/ir/attributes.h"
#include "xla/shape.h"
#include "xla/spmd/row_range.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

// How the rows of a result follow from those of an operand, along one dimension of both: row r
// needs rows from first + r * stride on, `size` of them.
struct RowWindow {
  int64_t dimension = 0;  // of the operand
  int64_t result_dimension = 0;
  int64_t first = 0, stride = 1, size = 1;
};

// The rows of the operand that each shard of the result needs.
RowRange RangeOf(const RowWindow& window, const Shape& operand, const Shape& result,
                 const ShardLayout& layout);
// Whether the slice takes all of a dimension of that size.
bool IsFull(const SliceDim& slice, int64_t size);
// The size of the largest of `count` shards along a dimension.
int64_t ShardSize(const Shape& full, int64_t dimension, int64_t count);
// The shape of a shard of a result of which dimensions are divided as `layout` says.
Shape ResultShardShape(const Shape& result, const ShardLayout& layout);

}  // namespace xla::spmd

#endif  // XLA_SPMD_ROW_WINDOW_H_
