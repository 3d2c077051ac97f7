// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/small_dot.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace xla::cpu {

bool IsSmallProduct(const HloInstruction& dot) {
  // Calling a library kernel, or preparing it for another product, takes longer than this many
  // multiplications. Short sums take less time than copying the matrices, whatever their sizes.
  constexpr double kFewMultiplications = 1024, kFewStrided = 256;
  constexpr double kSomeMultiplications = 1 << 22;
  constexpr int64_t kSmall = 16, kShort = 8, kTiny = 4, kPair = 2, kManyProducts = 64,
                    kFewResults = 32;
  if (dot.opcode() != HloOpcode::kDot) return false;
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  const PrimitiveType type = dot.shape().element_type();
  if (type == PRED || lhs.element_type() != rhs.element_type() || !lhs.is_static() ||
      !rhs.is_static() || rhs.rank() == 0) {
    return false;
  }
  const auto& dims = dot.attributes<DotAttributes>();
  const auto is_listed = [](const std::vector<int64_t>& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  int64_t products = 1, depth = 1, rows = 1, columns = 1;
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    const int64_t size = lhs.dimensions(static_cast<int>(d));
    (is_listed(dims.lhs_batch_dims, d)         ? products
     : is_listed(dims.lhs_contracting_dims, d) ? depth
                                               : rows) *= size;
  }
  const auto is_column = [&](int64_t d) {
    return !is_listed(dims.rhs_batch_dims, d) && !is_listed(dims.rhs_contracting_dims, d);
  };
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (is_column(d)) columns *= rhs.dimensions(static_cast<int>(d));
  }
  if (depth == 0) return false;
  const auto multiplications = static_cast<double>(products) * static_cast<double>(rows) *
                               static_cast<double>(columns) * static_cast<double>(depth);
  const bool is_tiny = depth <= kTiny && columns <= kSmall;
  const bool is_small = depth <= kSmall && columns <= kSmall && rows <= kSmall;
  // Vectors of the right-hand side are contiguous, or gathered from single elements.
  if (is_column(rhs.rank() - 1)) {
    return depth <= kShort || multiplications <= kFewMultiplications ||
           (depth <= kSmall && multiplications <= kSomeMultiplications);
  }
  const bool fills_vectors = (columns & (columns - 1)) == 0 && columns < kSmall;
  return depth <= kPair || multiplications <= kFewStrided ||
         (is_tiny &&
          (rows <= kSmall || (fills_vectors && (products == 1 || products >= kManyProducts)))) ||
         (is_small && products >= kManyProducts && rows * columns <= kFewResults);
}

}  // namespace xla::cpu
