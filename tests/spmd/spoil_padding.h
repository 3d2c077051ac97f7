// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SPMD_SPOIL_PADDING_H_
#define TESTS_SPMD_SPOIL_PADDING_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/index_util.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd::testing {

// The padding of the shard of a partition holds numbers that no result may show.
inline void SpoilPadding(const Shape& full, const ShardLayout& layout, int64_t partition,
                         Literal& shard) {
  const PrimitiveType type = full.element_type();
  std::vector<int64_t> index(static_cast<size_t>(full.rank()), 0);
  if (ShapeUtil::IsZeroElementArray(shard.shape())) return;
  do {
    bool is_padding = false;
    for (size_t d = 0; d < index.size(); ++d) {
      const auto dimension = static_cast<int>(d);
      const int64_t start = layout.Position(partition, d) * shard.shape().dimensions(dimension);
      is_padding = is_padding || start + index[d] >= full.dimensions(dimension);
    }
    if (is_padding && type == F32) shard.Set<float>(index, std::nanf(""));
    if (is_padding && type == F64) shard.Set<double>(index, std::nan(""));
    if (is_padding && type == S32) shard.Set<int32_t>(index, 123456789);
  } while (IndexUtil::BumpIndices(shard.shape(), absl::MakeSpan(index)));
}

}  // namespace xla::spmd::testing

#endif  // TESTS_SPMD_SPOIL_PADDING_H_
