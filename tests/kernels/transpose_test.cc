// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/movement/transpose.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace xla::kernels {
namespace {

template <typename T>
void CheckTranspose(int64_t rows, int64_t columns,
                    void (*transpose)(int64_t, int64_t, const void*, int64_t, void*, int64_t)) {
  const int64_t from_stride = rows + 3, to_stride = columns + 1;
  std::vector<T> from(columns * from_stride), to(rows * to_stride, T(7));
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i + 100);
  transpose(rows, columns, from.data(), from_stride, to.data(), to_stride);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < to_stride; ++j) {
      ASSERT_EQ(to[i * to_stride + j], j < columns ? from[j * from_stride + i] : T(7))
          << rows << " x " << columns << " at " << i << ", " << j;
    }
  }
}

TEST(Transpose, EverySizeAndNothingBeside) {
  for (int64_t rows = 0; rows < 40; ++rows) {
    for (int64_t columns = 0; columns < 40; ++columns) {
      CheckTranspose<uint32_t>(rows, columns, Transpose32);
      CheckTranspose<uint64_t>(rows, columns, Transpose64);
    }
  }
}

}  // namespace
}  // namespace xla::kernels
