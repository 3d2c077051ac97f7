// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/product/input_rows.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "xla/kernels/product/patches.h"

namespace xla::kernels {
namespace {

SpatialDim RandomDim(std::minstd_rand& random, int64_t input_stride) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  SpatialDim dim = {.output_size = pick(1, 6),
                    .taps = pick(1, 9),
                    .stride = pick(1, 4),
                    .padding_low = pick(-1, 4),
                    .window_dilation = pick(1, 4),
                    .base_dilation = 1,
                    .input_size = pick(1, 12),
                    .input_stride = input_stride};
  return dim;
}

// The rows that an output row and an earlier one of its image read both are found, and no others.
TEST(InputRowsTest, FindsRowsThatWereReadBefore) {
  std::minstd_rand random(7);
  for (int round = 0; round < 300; ++round) {
    const int64_t rank = 1 + round % 3;
    Patches patches = {};
    patches.batch_size = 2;
    patches.batch_stride = 1'000'000;
    for (int64_t d = 0, stride = 10'000; d < rank; ++d, stride /= 100)
      patches.dims.push_back(RandomDim(random, stride));
    const InputRows rows(patches);
    int64_t images_rows = 1;
    for (int64_t d = 0; d + 1 < rank; ++d) images_rows *= patches.dims[d].output_size;
    const int64_t count = patches.batch_size * images_rows, taps = rows.outer_taps();
    std::vector<int64_t> offsets;
    for (int64_t row = 0; row < count; ++row)
      for (int64_t tap = 0; tap < taps; ++tap) offsets.push_back(rows.OffsetOf(row, tap));
    const int64_t inner = rank < 2 ? 1 : patches.dims[rank - 2].output_size;
    for (int64_t at = 0; at < count * taps; ++at) {
      const int64_t row = at / taps, distance = rows.Distance(row, at % taps);
      if (offsets[at] == InputRows::kZeroRow) continue;
      ASSERT_LE(distance, at);
      // Without rows of other images, and of other places in the dimensions before the last two.
      const int64_t begin = (row - row % inner) * taps;
      const auto found = std::find(offsets.rend() - at, offsets.rend() - begin, offsets[at]);
      if (rank < 2 || found == offsets.rend() - begin) {
        EXPECT_EQ(distance, 0) << round << " " << at;
      } else {
        EXPECT_EQ(distance, found - (offsets.rend() - at) + 1) << round << " " << at;
      }
    }
  }
}

TEST(InputRowsTest, BoundsTheRowsOfTasks) {
  std::minstd_rand random(8);
  for (int round = 0; round < 200; ++round) {
    Patches patches = {};
    patches.batch_size = 3;
    patches.batch_stride = 1'000'000;
    patches.dims = {RandomDim(random, 100), RandomDim(random, 1)};
    const InputRows rows(patches);
    const int64_t count = patches.batch_size * patches.dims[0].output_size;
    for (int64_t first = 0; first < count; ++first) {
      std::set<int64_t> read;
      for (int64_t end = first + 1; end <= count; ++end) {
        for (int64_t tap = 0; tap < rows.outer_taps(); ++tap) {
          const int64_t offset = rows.OffsetOf(end - 1, tap);
          if (offset != InputRows::kZeroRow) read.insert(offset);
        }
        EXPECT_LE(static_cast<int64_t>(read.size()), rows.MostOf(end - first));
      }
    }
  }
}

}  // namespace
}  // namespace xla::kernels
