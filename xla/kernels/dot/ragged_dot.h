// SPDX-License-Identifier: Apache-2.0
// ragged-dot: a dot whose left operand is cut into groups of given sizes along one dimension.
//
//   mode (what the ragged dimension is)   right operand          result
//   free: each group has its own          [.. group .. k .. n]   [batch.., m.., n..]; rows beyond
//         right operand                                          the groups are 0
//   contracting: one product per group     [.. k .. n]            [group, batch.., m.., n..]
//   batch: the groups have no effect      as in dot              as in dot
//
// group_sizes is [groups], or [prefix.., groups] where the prefix is the dimensions of the left
// operand that come before the ragged one: the batch dimensions, then the free (or contracting)
// ones. Source: the specification of chlo.ragged_dot.
#ifndef XLA_KERNELS_DOT_RAGGED_DOT_H_
#define XLA_KERNELS_DOT_RAGGED_DOT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/kernels/context.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// Arrays are dense and row-major.
struct RaggedDotSpec {
  PrimitiveType lhs_type, rhs_type, result_type;
  std::vector<int64_t> lhs_dimensions, rhs_dimensions, group_dimensions, result_dimensions;
  std::vector<int64_t> lhs_batch_dims, lhs_contracting_dims, rhs_batch_dims, rhs_contracting_dims;
  int64_t lhs_ragged_dimension = 0;
  int64_t rhs_group_dimension = -1;
};

// Returns INVALID_ARGUMENT if the dimensions of the group sizes do not fit.
absl::Status CheckRaggedDot(const RaggedDotSpec& spec);

// `group_sizes` are in row-major order of spec.group_dimensions; sizes beyond the ragged dimension
// are limited to it. UNIMPLEMENTED for complex operands and a real result.
absl::Status RaggedDot(Context& context, const RaggedDotSpec& spec, const void* lhs,
                       const void* rhs, absl::Span<const int64_t> group_sizes, void* result);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_DOT_RAGGED_DOT_H_
