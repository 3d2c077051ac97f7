// SPDX-License-Identifier: Apache-2.0
// Sorts of many short rows at once: which ones are, and arrays in any order in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/kernels/sort/short_rows.h"
#include "xla/kernels/sort/sort_kernel.h"

namespace xla::kernels {
namespace {

// Which sorts the network takes: rows of 2 to 64 elements, of which there are at least 8.
TEST(ShortRowSort, RowsThatAreSortedAtOnce) {
  const auto is_taken = [](std::vector<int64_t> dimensions, std::vector<PrimitiveType> types,
                           SortOrder order = SortOrder::kTotal, int64_t key = 0) {
    SortSpec spec;
    spec.dimensions.assign(dimensions.begin(), dimensions.end());
    spec.strides = {dimensions[1] * dimensions[2], dimensions[2], 1};
    spec.dimension = 1;
    spec.types.assign(types.begin(), types.end());
    spec.key = key;
    spec.order = order;
    return MakeShortRowSort(spec) != nullptr;
  };
  EXPECT_TRUE(is_taken({8, 2, 1}, {F32}));
  EXPECT_TRUE(is_taken({1, 64, 8}, {F32}));
  EXPECT_TRUE(is_taken({2, 64, 4}, {F32}));
  EXPECT_FALSE(is_taken({8, 1, 1}, {F32}));
  EXPECT_FALSE(is_taken({8, 65, 1}, {F32}));
  EXPECT_FALSE(is_taken({7, 64, 1}, {F32}));
  // Words of the values alone, or words of keys of 32 bits at most and of indices.
  EXPECT_TRUE(is_taken({8, 8, 1}, {F64}, SortOrder::kNumbers));
  EXPECT_TRUE(is_taken({8, 8, 1}, {BF16}, SortOrder::kNumbers));
  EXPECT_TRUE(is_taken({8, 8, 1}, {S8}));
  EXPECT_TRUE(is_taken({8, 8, 1}, {U32, S32}));
  EXPECT_TRUE(is_taken({8, 8, 1}, {F64, S32}, SortOrder::kTotal, 1));
  EXPECT_FALSE(is_taken({8, 8, 1}, {F64, S32}));
  EXPECT_FALSE(is_taken({8, 8, 1}, {F64, S32}, SortOrder::kNumbers));
}

// Sorts keys, and positions of 64 bits with them, along one dimension of an array.
template <typename Key>
void CheckArray(TestRandom& random, const std::vector<int64_t>& dimensions, int64_t dimension,
                bool with_positions, bool descending) {
  const PrimitiveType type = primitive_util::NativeToPrimitiveType<Key>();
  const ArraySpec array = RandomArray(random, type, dimensions, /*row_major=*/false);
  const int64_t count =
      std::accumulate(dimensions.begin(), dimensions.end(), int64_t{1}, std::multiplies<int64_t>());
  std::vector<Key> keys(count), sorted(count);
  for (Key& key : keys) key = static_cast<Key>(random.In(0, 20));
  std::vector<int64_t> positions(count), sorted_positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  SortSpec spec;
  spec.dimensions = array.dimensions;
  spec.strides = array.strides;
  spec.dimension = dimension;
  spec.types = {type};
  spec.descending = descending;
  std::vector<void*> buffers = {keys.data(), sorted.data()};
  if (with_positions) {
    spec.types.push_back(S64);
    buffers = {keys.data(), positions.data(), sorted.data(), sorted_positions.data()};
  }
  const std::unique_ptr<const Kernel> kernel = MakeShortRowSort(spec);
  ASSERT_NE(kernel, nullptr);
  ASSERT_OK(RunPrepared(*kernel, buffers, 2));
  std::vector<int64_t> rows = dimensions;
  rows[dimension] = 1;
  ForEachIndex(rows, [&](absl::Span<const int64_t> row) {
    const int64_t start = OffsetOf(array, row);
    std::vector<int64_t> expected(dimensions[dimension]);
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = start + static_cast<int64_t>(i) * array.strides[dimension];
    const std::vector<int64_t> places = expected;
    std::stable_sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
      return descending ? keys[a] > keys[b] : keys[a] < keys[b];
    });
    for (size_t i = 0; i < places.size(); ++i) {
      ASSERT_EQ(sorted[places[i]], keys[expected[i]]);
      if (with_positions) {
        ASSERT_EQ(sorted_positions[places[i]], expected[i]);
      }
    }
  });
}

TEST(ShortRowSort, ArraysInAnyOrderOfMemory) {
  TestRandom random(3);
  for (const std::vector<int64_t>& dimensions : {std::vector<int64_t>{8, 3},
                                                 {5, 4, 3},
                                                 {4, 1, 40, 2},
                                                 {3, 2, 1, 5, 4},
                                                 {33, 6, 1},
                                                 {9, 64, 2}}) {
    for (int round = 0; round < 12; ++round) {
      const bool descending = round % 2 == 0, with_positions = round % 3 == 0;
      for (size_t d = 0; d < dimensions.size(); ++d) {
        const int64_t count = std::accumulate(dimensions.begin(), dimensions.end(), int64_t{1},
                                              std::multiplies<int64_t>());
        if (dimensions[d] < 2 || count / dimensions[d] < 8) continue;
        const auto dimension = static_cast<int64_t>(d);
        CheckArray<uint16_t>(random, dimensions, dimension, with_positions, descending);
        CheckArray<float>(random, dimensions, dimension, with_positions, descending);
        if (!with_positions) CheckArray<double>(random, dimensions, dimension, false, descending);
      }
    }
  }
}

}  // namespace
}  // namespace xla::kernels
