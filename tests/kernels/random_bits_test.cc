// SPDX-License-Identifier: Apache-2.0
// Random bits: known answers, and vectorized runs against one counter after the other.
#include "xla/kernels/random/random_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tests/kernels/kernel_test_util.h"
#include "tests/test_util.h"

namespace xla::kernels {
namespace {

// Known answers of the authors' library (Random123, kat_vectors).
TEST(RandomBitsTest, KnownAnswers) {
  EXPECT_EQ(Threefry2x32(0, 0), (std::array<uint32_t, 2>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(Threefry2x32(~uint64_t{0}, ~uint64_t{0}),
            (std::array<uint32_t, 2>{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(Threefry2x32(0x0370734413198a2e, 0x85a308d3243f6a88),
            (std::array<uint32_t, 2>{0xc4923a9c, 0x483df7a0}));
  EXPECT_EQ(Philox4x32(0, 0, 0),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// With lengths around those of vectors, and counters whose low words wrap on the way.
TEST(RandomBitsTest, RunsAgreeWithOneCounterAfterTheOther) {
  constexpr uint64_t kKey = 0x123456789ABCDEF0;
  for (const uint64_t start : {uint64_t{0}, uint64_t{0xFFFFFFF0}, ~uint64_t{0} - 20}) {
    for (const int64_t count : {0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100}) {
      std::vector<uint32_t> pairs(2 * count), first(count), second(count), words(4 * count);
      ThreefryBlocks(kKey, start, count, pairs.data());
      ThreefryBlocks(kKey, start, count, first.data(), second.data());
      PhiloxBlocks(kKey, {start, ~uint64_t{0}}, count, words.data());
      for (int64_t i = 0; i < count; ++i) {
        const std::array<uint32_t, 2> pair = Threefry2x32(kKey, start + static_cast<uint64_t>(i));
        ASSERT_EQ(pairs[2 * i], pair[0]);
        ASSERT_EQ(pairs[2 * i + 1], pair[1]);
        ASSERT_EQ(first[i], pair[0]);
        ASSERT_EQ(second[i], pair[1]);
        const Counter128 at = Counter128{start, ~uint64_t{0}}.Plus(static_cast<uint64_t>(i));
        const std::array<uint32_t, 4> block = Philox4x32(kKey, at.low, at.high);
        ASSERT_TRUE(std::equal(block.begin(), block.end(), words.begin() + 4 * i)) << i;
      }
    }
  }
}

// The definition of FillThreefry, an element at a time.
std::vector<uint32_t> ThreefryModel(uint64_t key, uint64_t counter,
                                    const std::vector<int64_t>& dims) {
  int64_t elements = 1;
  for (const int64_t d : dims) elements *= d;
  size_t split = 0;
  while (split < dims.size() && dims[split] % 2 != 0) ++split;
  if (split == dims.size()) split = std::max_element(dims.begin(), dims.end()) - dims.begin();
  const int64_t size = dims.empty() ? 1 : dims[split], half = (size + 1) / 2;
  int64_t inner = 1;
  for (size_t d = split + 1; d < dims.size(); ++d) inner *= dims[d];
  std::vector<uint32_t> result(elements);
  for (int64_t e = 0; e < elements; ++e) {
    const int64_t i = e / inner % size;
    const int64_t block = (e / inner / size * half + i / 2) * inner + e % inner;
    result[e] = Threefry2x32(key, counter + static_cast<uint64_t>(block))[i % 2];
  }
  return result;
}

TEST(RandomBitsTest, ThreefryFillsArraysOfAnyShape) {
  const std::vector<std::vector<int64_t>> shapes = {
      {},           {1},    {2},      {7},           {1000}, {1001},    {3, 5},
      {3, 4},       {4, 3}, {5, 700}, {700, 5},      {3, 1}, {1, 3, 1}, {3, 5, 7},
      {9, 2, 1201}, {0},    {3, 0},   {5, 40001, 3}, {1, 1}};
  for (const std::vector<int64_t>& dims : shapes) {
    const std::vector<uint32_t> expected = ThreefryModel(42, 0xFFFFFFF5, dims);
    for (const int threads : {1, 5}) {
      TestContext context(threads);
      std::vector<uint32_t> words(expected.size() + 1, 77);
      ASSERT_OK(FillThreefry(context, 42, 0xFFFFFFF5, F32, dims, words.data()));
      EXPECT_EQ(words.back(), 77);
      words.pop_back();
      ASSERT_EQ(words, expected);
      std::vector<uint8_t> bytes(expected.size());
      ASSERT_OK(FillThreefry(context, 42, 0xFFFFFFF5, S8, dims, bytes.data()));
      for (size_t i = 0; i < bytes.size(); ++i)
        ASSERT_EQ(bytes[i], static_cast<uint8_t>(expected[i]));
    }
  }
}

TEST(RandomBitsTest, WideElementsTakeWordsInOrder) {
  for (const int64_t elements : {0, 1, 2, 3, 1000, 100001}) {
    for (const int threads : {1, 5}) {
      TestContext context(threads);
      std::vector<uint64_t> threefry(elements), philox(elements);
      std::vector<uint16_t> narrow(elements);
      ASSERT_OK_AND_ASSIGN(const int64_t used,
                           FillThreefry(context, 1, 2, F64, {elements}, threefry.data()));
      EXPECT_EQ(used, elements);
      ASSERT_OK_AND_ASSIGN(const int64_t pairs,
                           FillPhilox(context, 1, {2, 3}, S64, elements, philox.data()));
      EXPECT_EQ(pairs, (elements + 1) / 2);
      ASSERT_OK_AND_ASSIGN(const int64_t fours,
                           FillPhilox(context, 1, {2, 3}, BF16, elements, narrow.data()));
      EXPECT_EQ(fours, (elements + 3) / 4);
      for (int64_t i = 0; i < elements; ++i) {
        const auto pair = Threefry2x32(1, 2 + static_cast<uint64_t>(i));
        ASSERT_EQ(threefry[i], pair[0] | uint64_t{pair[1]} << 32);
        const auto block = Philox4x32(1, 2 + static_cast<uint64_t>(i / 2), 3);
        ASSERT_EQ(philox[i], block[2 * (i % 2)] | uint64_t{block[2 * (i % 2) + 1]} << 32);
        const auto words = Philox4x32(1, 2 + static_cast<uint64_t>(i / 4), 3);
        ASSERT_EQ(narrow[i], static_cast<uint16_t>(words[i % 4]));
      }
    }
  }
  EXPECT_TRUE(HasRandomBits(F8E5M2));
  EXPECT_FALSE(HasRandomBits(PRED));
  EXPECT_FALSE(HasRandomBits(C64));
}

}  // namespace
}  // namespace xla::kernels
