// SPDX-License-Identifier: Apache-2.0
// Sorts against the standard library's, around block sizes and with the numbers that compare oddly.
#include "xla/kernels/sort/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/kernels/kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/kernels/sort/total_order.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// Around the sizes where the method changes: few words, blocks, pairs of blocks.
constexpr int64_t kSizes[] = {
    0,      1, 2, 31, 32, 33, 100, 1000, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, (1 << 19) + 12345,
    3 << 18};

template <typename Word>
void ExpectSortsWords() {
  for (const int64_t size : kSizes) {
    TestRandom random(static_cast<uint64_t>(size));
    std::vector<Word> words(size);
    for (Word& word : words) word = static_cast<Word>(random.Bits() >> random.In(0, 40));
    std::vector<Word> expected = words;
    std::sort(expected.begin(), expected.end());
    for (const int threads : {1, 2, 5}) {
      std::vector<Word> sorted = words;
      TestContext context(threads);
      ASSERT_OK(SortWords<Word>(context, absl::MakeSpan(sorted)));
      ASSERT_EQ(sorted, expected) << size << " words, " << threads << " threads";
    }
  }
}

TEST(SortTest, WordsOfEveryWidth) {
  ExpectSortsWords<uint16_t>();
  ExpectSortsWords<uint32_t>();
  ExpectSortsWords<uint64_t>();
}

// -NaN, -inf, numbers, -0, 0, numbers, inf, NaN; NaNs by payload.
TEST(SortTest, ValuesInTotalOrder) {
  std::vector<uint32_t> expected = {0xFFFFFFFF, 0xFFC00000, 0xFF800001, 0xFF800000, 0xBF800000,
                                    0x80000001, 0x80000000, 0x00000000, 0x00000001, 0x3F800000,
                                    0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF};
  std::vector<uint32_t> bits = expected;
  TestContext context;
  for (int round = 0; round < 20; ++round) {
    std::rotate(bits.begin(), bits.begin() + round % 5 + 1, bits.end());
    std::swap(bits[round % 13], bits[round % 7 + 3]);
    ASSERT_OK(SortValues(context, F32, /*descending=*/false, 14, bits.data()));
    EXPECT_EQ(bits, expected);
    ASSERT_OK(SortValues(context, F32, /*descending=*/true, 14, bits.data()));
    EXPECT_TRUE(std::equal(bits.rbegin(), bits.rend(), expected.begin()));
  }
}

TEST(SortTest, ValuesOfEveryTypeAgreeWithTheirKeys) {
  for (const PrimitiveType type : {S16, U16, S32, U32, S64, U64, F16, BF16, F32, F64}) {
    ASSERT_TRUE(CanSortValues(type));
    for (const bool descending : {false, true}) {
      TestRandom random(type);
      constexpr int64_t kCount = 5000;
      std::vector<uint64_t> values(kCount);
      for (uint64_t& value : values) value = random.Bits();
      TestContext context;
      ASSERT_OK(SortValues(context, type, descending, kCount, values.data()));
      std::vector<int64_t> keys(kCount);
      TotalOrderKeys(type, descending, kCount, values.data(), keys.data());
      EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end())) << PrimitiveType_Name(type);
    }
  }
  EXPECT_FALSE(CanSortValues(C64));
  EXPECT_FALSE(CanSortValues(S4));
  EXPECT_FALSE(CanSortValues(PRED));
}

TEST(SortTest, StableOrderOfKeys) {
  for (const int64_t size : kSizes) {
    // Ranges of a few keys (many ties), within 32 bits, and of all 64 bits.
    for (const int shift : {61, 33, 0}) {
      TestRandom random(static_cast<uint64_t>(size + shift));
      std::vector<int64_t> keys(size), expected(size);
      for (int64_t& key : keys) key = static_cast<int64_t>(random.Bits()) >> shift;
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(),
                       [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
      for (const int threads : {1, 2, 5}) {
        TestContext context(threads);
        std::vector<int64_t> order(size, -1);
        ASSERT_OK(StableOrder(context, keys, absl::MakeSpan(order)));
        ASSERT_EQ(order, expected) << size << " keys, shift " << shift;
      }
      // The first places alone.
      for (const int64_t places : {int64_t{0}, int64_t{1}, size / 1000, size / 8, size / 2}) {
        if (places > size) continue;
        TestContext context;
        std::vector<int64_t> order(places, -1);
        ASSERT_OK(StableOrder(context, keys, absl::MakeSpan(order)));
        ASSERT_TRUE(std::equal(order.begin(), order.end(), expected.begin()))
            << places << " of " << size << " keys, shift " << shift;
      }
    }
  }
}

TEST(SortTest, StableOrderByAnyComparator) {
  for (const int64_t size : {0, 1, 7, 8, 9, 16, 17, 1000, 4097}) {
    TestRandom random(static_cast<uint64_t>(size));
    std::vector<int64_t> values(size), expected(size);
    for (int64_t& value : values) value = random.In(0, size / 4);
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](int64_t a, int64_t b) { return values[a] > values[b]; });
    TestContext context;
    std::vector<int64_t> order(size);
    ASSERT_OK(StableOrderBy(context, absl::MakeSpan(order),
                            [&](int64_t a, int64_t b) { return values[a] > values[b]; }));
    EXPECT_EQ(order, expected);
    // No strict order: still a permutation.
    ASSERT_OK(StableOrderBy(context, absl::MakeSpan(order), [](int64_t, int64_t) { return true; }));
    std::sort(order.begin(), order.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(order, expected);
  }
  TestContext context;
  std::vector<int64_t> order(100);
  EXPECT_EQ(StableOrderBy(context, absl::MakeSpan(order),
                          [](int64_t, int64_t) { return absl::InternalError("no"); })
                .code(),
            absl::StatusCode::kInternal);
}

TEST(SortTest, GatherOfEveryWidthAndStride) {
  const std::vector<int64_t> order = {3, 0, 2, 2};
  for (const int64_t bytes : {1, 2, 4, 8, 16}) {
    std::vector<uint8_t> src(8 * bytes), dst(12 * bytes, 99);
    std::iota(src.begin(), src.end(), 0);
    TestContext context;
    ASSERT_OK(Gather(context, bytes, order, src.data(), 2, dst.data(), 3));
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t b = 0; b < bytes; ++b) {
        EXPECT_EQ(dst[3 * i * bytes + b], src[2 * order[i] * bytes + b]);
        EXPECT_EQ(dst[(3 * i + 1) * bytes + b], 99);
      }
    }
  }
}

TEST(TopKTest, NaNsZerosAndTies) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const float values[2][6] = {{1, kNaN, -0.0f, 0.0f, 1, -kNaN}, {5, 4, 3, 2, 1, 0}};
  float top[2][4];
  int32_t indices[2][4];
  TestContext context;
  TopKProblem problem = {F32, /*largest=*/true, 2, 6, 6, 4, values, top, &indices[0][0]};
  ASSERT_OK(TopK(context, problem));
  EXPECT_EQ(std::vector<int32_t>(indices[0], indices[0] + 4), (std::vector<int32_t>{1, 0, 4, 3}));
  EXPECT_EQ(std::vector<int32_t>(indices[1], indices[1] + 4), (std::vector<int32_t>{0, 1, 2, 3}));
  problem.largest = false;
  ASSERT_OK(TopK(context, problem));
  EXPECT_EQ(std::vector<int32_t>(indices[0], indices[0] + 4), (std::vector<int32_t>{5, 2, 3, 0}));
  EXPECT_TRUE(std::signbit(top[0][1]) && top[0][1] == 0);
  // Only the first two elements of each row exist.
  problem.valid = 2;
  ASSERT_OK(TopK(context, problem));
  EXPECT_EQ(indices[1][0], 1);
  EXPECT_EQ(indices[1][1], 0);
}

TEST(TopKTest, SameForAnyNumberOfThreads) {
  constexpr int64_t kRows = 37, kLength = 20000, kPlaces = 50;
  std::vector<float> values(kRows * kLength);
  TestRandom random(5);
  for (float& value : values) value = static_cast<float>(random.In(-1000, 1000));
  std::vector<int32_t> expected;
  for (const int threads : {1, 2, 5}) {
    TestContext context(threads);
    std::vector<float> top(kRows * kPlaces);
    std::vector<int32_t> indices(kRows * kPlaces);
    ASSERT_OK(TopK(context, {F32, true, kRows, kLength, kLength, kPlaces, values.data(), top.data(),
                             indices.data()}));
    if (expected.empty()) expected = indices;
    EXPECT_EQ(indices, expected);
    for (int64_t row = 0; row < kRows; ++row) {
      std::vector<float> sorted(values.begin() + row * kLength,
                                values.begin() + (row + 1) * kLength);
      std::sort(sorted.begin(), sorted.end(), std::greater<float>());
      for (int64_t i = 0; i < kPlaces; ++i) ASSERT_EQ(top[row * kPlaces + i], sorted[i]);
    }
  }
}

TEST(SortTest, StopsSoonAndCountsMemory) {
  std::vector<int64_t> keys(int64_t{1} << 23);
  TestRandom random(1);
  for (int64_t& key : keys) key = static_cast<int64_t>(random.Bits());
  std::vector<int64_t> order(keys.size());
  ExpectStopsSoon(
      [&](Context& context) { return StableOrder(context, keys, absl::MakeSpan(order)); });
  ExpectStopsSoon([&](Context& context) {
    return StableOrderBy(context, absl::MakeSpan(order),
                         [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  });
  ExpectStopsSoon(
      [&](Context& context) {
        return StableOrder(context, keys, absl::MakeSpan(order).subspan(0, 1000));
      },
      /*cancel_after=*/2);
  const auto words = absl::MakeSpan(reinterpret_cast<uint64_t*>(keys.data()), 1 << 20);
  ExpectCountsMemory(8 << 20, [&](Context& context) { return SortWords(context, words); });
  ExpectCountsMemory(32 << 20, [&](Context& context) {
    return StableOrder(context, absl::MakeSpan(keys).subspan(0, 1 << 20),
                       absl::MakeSpan(order).subspan(0, 1 << 20));
  });
}

}  // namespace
}  // namespace xla::kernels
