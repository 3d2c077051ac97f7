// SPDX-License-Identifier: Apache-2.0
// Words that order as numbers do, and the buckets that they belong to: vectors and what is left.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "hwy/targets.h"
#include "xla/kernels/sort/key_encoding.h"
#include "xla/kernels/sort/key_encoding_lanes.h"

namespace xla::kernels {
namespace {

template <typename Word>
class OrderedWordsTest : public ::testing::Test {
 protected:
  // Each test runs with each instruction set of the machine that kernels are compiled for.
  void ForEachTarget(const std::function<void()>& test) {
    constexpr int64_t kCompiled = HWY_SCALAR | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON;
    int64_t targets = (hwy::SupportedTargets() & kCompiled) | HWY_SCALAR;
    for (; targets != 0; targets &= targets - 1) {
      SCOPED_TRACE(targets);
      hwy::GetChosenTarget().Update(targets & ~(targets - 1));
      test();
    }
    hwy::GetChosenTarget().DeInit();
  }

  using Float = std::conditional_t<sizeof(Word) == 4, float, double>;

  static Word Bits(Float x) { return std::bit_cast<Word>(x); }
  // Ascending, in the total order.
  static std::vector<Word> Ordered() {
    using Limits = std::numeric_limits<Float>;
    const Word sign = Word{1} << (8 * sizeof(Word) - 1), infinity = Bits(Limits::infinity());
    return {~Word{0},
            sign | (infinity + 1),
            Bits(-Limits::infinity()),
            Bits(-2.5),
            Bits(-Limits::denorm_min()),
            Bits(Float{-0.0}),
            Bits(Float{0.0}),
            Bits(Limits::denorm_min()),
            Bits(1),
            Bits(Limits::max()),
            infinity,
            infinity + 1,
            static_cast<Word>(~sign)};
  }
};

using Words = ::testing::Types<uint32_t, uint64_t>;
TYPED_TEST_SUITE(OrderedWordsTest, Words);

TYPED_TEST(OrderedWordsTest, OrderIsTotalAndReversible) {
  this->ForEachTarget([&] {
    const std::vector<TypeParam> bits = this->Ordered();
    for (const TypeParam flip : {TypeParam{0}, static_cast<TypeParam>(~TypeParam{0})}) {
      for (size_t count = 0; count <= 40; ++count) {
        std::vector<TypeParam> words;
        for (size_t i = 0; i < count; ++i) words.push_back(bits[i % bits.size()]);
        const std::vector<TypeParam> original = words;
        words.push_back(7);  // behind the end
        OrderFloats(false, flip, words.data(), static_cast<int64_t>(count), words.data());
        for (size_t i = 1; i < std::min(count, bits.size()); ++i)
          EXPECT_EQ(words[i - 1] < words[i], flip == 0) << i;
        EXPECT_EQ(words.back(), 7u);
        RestoreFloats(flip, static_cast<int64_t>(count), words.data());
        EXPECT_EQ(words.back(), 7u);
        words.pop_back();
        EXPECT_EQ(words, original);
      }
    }
  });
}

TYPED_TEST(OrderedWordsTest, ElementsMayBeApart) {
  constexpr PrimitiveType kType = sizeof(TypeParam) == 4 ? F32 : F64;
  this->ForEachTarget([&] {
    const std::vector<TypeParam> bits = this->Ordered();
    std::vector<TypeParam> apart(3 * bits.size());
    for (size_t i = 0; i < bits.size(); ++i) apart[3 * i] = bits[i];
    const auto count = static_cast<int64_t>(bits.size());
    for (const SortOrder order : {SortOrder::kTotal, SortOrder::kNumbers}) {
      for (const bool descending : {false, true}) {
        std::vector<TypeParam> words(bits.size() + 1, 7), expected = words;  // 7 is behind the end
        OrderedWords(kType, order, descending, apart.data(), 3, count, words.data());
        OrderedWords(kType, order, descending, bits.data(), 1, count, expected.data());
        EXPECT_EQ(words, expected);
        EXPECT_EQ(words.back(), 7u);
      }
    }
  });
}

TYPED_TEST(OrderedWordsTest, NumbersHaveOneZeroAndOneNan) {
  this->ForEachTarget([&] {
    const std::vector<TypeParam> bits = this->Ordered();
    std::vector<TypeParam> words(bits.size());
    OrderFloats(true, TypeParam{0}, bits.data(), static_cast<int64_t>(bits.size()), words.data());
    // The first two are NaNs with a sign: greatest.
    EXPECT_EQ(words[0], words.back());
    EXPECT_EQ(words[1], words.back());
    EXPECT_EQ(words[11], words.back());
    EXPECT_EQ(words[5], words[6]);
    for (size_t i = 3; i < 12; ++i) {
      if (i != 6) {
        EXPECT_LT(words[i - 1], words[i]) << i;
      }
    }
  });
}

TYPED_TEST(OrderedWordsTest, BucketsAreBetweenSplitters) {
  this->ForEachTarget([&] {
    const TypeParam top = static_cast<TypeParam>(~TypeParam{0}), half = top / 2;
    const std::vector<TypeParam> splitters = {0, 5, 5, half, half + 1, top};
    const std::vector<TypeParam> samples = {0, 1, 4, 5, 6, half - 1, half, half + 1, half + 2, top};
    for (size_t count = 0; count <= 40; ++count) {
      std::vector<TypeParam> words;
      for (size_t i = 0; i < count; ++i) words.push_back(samples[i % samples.size()]);
      std::vector<uint8_t> buckets(count + 1, 99);
      FindBuckets(words.data(), static_cast<int64_t>(count), splitters.data(),
                  static_cast<int64_t>(splitters.size()), buckets.data());
      for (size_t i = 0; i < count; ++i) {
        EXPECT_EQ(buckets[i], std::upper_bound(splitters.begin(), splitters.end(), words[i]) -
                                  splitters.begin());
      }
      EXPECT_EQ(buckets.back(), 99);
    }
  });
}

}  // namespace
}  // namespace xla::kernels
