// SPDX-License-Identifier: Apache-2.0
// DimensionVector: a list of dimension sizes, dimension numbers or indices.
#ifndef XLA_BASE_DIMENSION_VECTOR_H_
#define XLA_BASE_DIMENSION_VECTOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"

namespace xla {

// How many dimensions a shape holds without a heap allocation. Four covers nearly every array and
// keeps a Shape in two cache lines.
inline constexpr size_t InlineRank() { return 4; }

using DimensionVector = absl::InlinedVector<int64_t, InlineRank()>;

}  // namespace xla

#endif  // XLA_BASE_DIMENSION_VECTOR_H_
