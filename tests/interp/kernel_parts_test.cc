// SPDX-License-Identifier: Apache-2.0
// The parts that kernels are made of: strided dimensions, wide operations, transforms, random bits,
// sort keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/fft_plan.h"
#include "xla/interpreter/random_bits.h"
#include "xla/interpreter/sort_key.h"
#include "xla/interpreter/strided.h"
#include "xla/interpreter/wide.h"
#include "xla/interpreter/wide_ops.h"
#include "xla/types.h"

namespace xla::interpreter {
namespace {

TEST(StridedDimsTest, RunsCoverPositionsInOrder) {
  // [3, 2, 4] with the last two merged, moved backwards in the first.
  const StridedDims dims({3, 2, 4}, {-100, 8, 2});
  EXPECT_EQ(dims.count(), 24);
  EXPECT_EQ(dims.run_length(), 8);
  EXPECT_EQ(dims.run_stride(), 2);
  for (int64_t begin = 0; begin < 24; ++begin) {
    for (int64_t count = 0; begin + count <= 24; ++count) {
      int64_t covered = 0;
      dims.ForEachRun(begin, count, [&](int64_t first, int64_t offset, int64_t length) {
        EXPECT_EQ(first, covered);
        for (int64_t i = 0; i < length; ++i) {
          const int64_t position = begin + first + i;
          EXPECT_EQ(offset + i * 2, position / 8 * -100 + position % 8 * 2);
          EXPECT_EQ(dims.Offset(position), offset + i * 2);
        }
        covered += length;
      });
      EXPECT_EQ(covered, count);
    }
  }
}

TEST(StridedDimsTest, NoDimensionsAreOnePositionAndEmptyOnesNone) {
  EXPECT_EQ(StridedDims().count(), 1);
  EXPECT_EQ(StridedDims().Offset(0), 0);
  EXPECT_EQ(StridedDims({1, 1}, {7, 9}).count(), 1);
  EXPECT_EQ(StridedDims({3, 0}, {0, 1}).count(), 0);
}

TEST(WideOpsTest, FoldAndCombineAgreeWithTheDefinition) {
  for (const HloOpcode opcode :
       {HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kMaximum, HloOpcode::kMinimum,
        HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor}) {
    const WideOps<int32_t>* ops = GetWideOps<int32_t>(opcode);
    ASSERT_NE(ops, nullptr);
    std::vector<int32_t> x(200);
    uint32_t state = 1;
    for (int32_t& v : x) v = static_cast<int32_t>(state = state * 1664525u + 1013904223u);
    int32_t expected = x[0];
    PairwiseAccumulator<int32_t> pairwise(ops->apply);
    for (int64_t n = 1; n <= 200; ++n) {
      if (n > 1) expected = ops->apply(expected, x[n - 1]);
      pairwise.Add(x[n - 1]);
      EXPECT_EQ(ops->fold(x.data(), n), expected) << n;
      EXPECT_EQ(pairwise.Total(), expected) << n;
    }
    std::vector<int32_t> acc(x.rbegin(), x.rend()), combined = acc;
    ops->combine(combined.data(), x.data(), 199);
    for (int64_t i = 0; i < 199; ++i) EXPECT_EQ(combined[i], ops->apply(acc[i], x[i]));
    EXPECT_EQ(combined[199], acc[199]);
  }
}

TEST(WideOpsTest, MaximumAndMinimumGiveNaNWhereverItIs) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const HloOpcode opcode : {HloOpcode::kMaximum, HloOpcode::kMinimum}) {
    for (int64_t at = 0; at < 100; ++at) {
      std::vector<float> x(100, 1.0f);
      x[at] = nan;
      EXPECT_TRUE(std::isnan(GetWideOps<float>(opcode)->fold(x.data(), 100))) << at;
    }
  }
  EXPECT_EQ(GetWideOps<float>(HloOpcode::kAnd), nullptr);
  EXPECT_EQ(GetWideOps<complex64>(HloOpcode::kMaximum), nullptr);
}

TEST(WideTest, NarrowingRoundsWrapsAndSaturates) {
  const float floats[4] = {1.00390625f, 300, -1e10f, std::numeric_limits<float>::quiet_NaN()};
  bfloat16 halves[8];
  GetWideStore<float>(BF16)(floats, 4, halves, 2);
  EXPECT_EQ(static_cast<float>(halves[0]), 1.0f);
  EXPECT_EQ(static_cast<float>(halves[2]), 300.0f);
  int8_t bytes[4];
  GetWideStore<float>(S8)(floats, 4, bytes, 1);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[1], 127);
  EXPECT_EQ(bytes[2], -128);
  EXPECT_EQ(bytes[3], 0);
  const uint32_t words[2] = {0x1ff, 0x180};
  GetWideStore<uint32_t>(S8)(words, 2, bytes, 1);
  EXPECT_EQ(bytes[0], -1);
  EXPECT_EQ(bytes[1], -128);
  uint64_t wide[2];
  GetWideLoad<uint64_t>(S8)(bytes, 1, 2, wide);
  EXPECT_EQ(static_cast<int64_t>(wide[0]), -1);
  EXPECT_EQ(GetWideLoad<float>(C64), nullptr);
  EXPECT_EQ(GetWideLoad<uint32_t>(F32), nullptr);
}

TEST(FftPlanTest, AgreesWithTheDefinitionForEveryLength) {
  std::vector<int64_t> lengths(70);
  std::iota(lengths.begin(), lengths.end(), 1);
  for (const int64_t n : {97, 101, 128, 169, 210, 211, 243, 343, 509, 512, 961, 1000})
    lengths.push_back(n);
  for (const int64_t n : lengths) {
    const FftPlan plan(n);
    std::vector<FftComplex> x(n), work;
    for (int64_t i = 0; i < n; ++i) x[i] = {std::sin(1.3 * i + 1), std::cos(0.7 * i * i)};
    std::vector<FftComplex> y = x;
    plan.Transform(/*inverse=*/false, y.data(), work);
    for (int64_t j = 0; j < n; ++j) {
      std::complex<long double> sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        const long double angle = -2 * 3.14159265358979323846264338L * (j * k % n) / n;
        sum += std::complex<long double>(x[k].re, x[k].im) *
               std::complex<long double>(std::cos(angle), std::sin(angle));
      }
      EXPECT_NEAR(y[j].re, sum.real(), 2e-14 * std::sqrt(n)) << n << " " << j;
      EXPECT_NEAR(y[j].im, sum.imag(), 2e-14 * std::sqrt(n)) << n << " " << j;
    }
    plan.Transform(/*inverse=*/true, y.data(), work);
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_NEAR(y[i].re, x[i].re, 1e-14) << n;
      EXPECT_NEAR(y[i].im, x[i].im, 1e-14) << n;
    }
  }
}

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

std::optional<SortKey> KeyOf(const std::string& body) {
  absl::StatusOr<std::unique_ptr<HloModule>> module =
      ParseAndReturnUnverifiedModule(absl::StrCat("HloModule m\nENTRY e {\n", body, "\n}\n"));
  EXPECT_OK(module);
  if (!module.ok()) return std::nullopt;
  return SortKey::FromComparator(*(*module)->entry_computation());
}

TEST(SortKeyTest, OrdersAsTheComparatorDoes) {
  const std::optional<SortKey> key = KeyOf(R"(
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  zero = f32[] constant(0)
  one_nan = f32[] constant(nan)
  a_is_nan = pred[] compare(a, a), direction=NE
  b_is_nan = pred[] compare(b, b), direction=NE
  a_is_zero = pred[] compare(a, zero), direction=EQ
  b_is_zero = pred[] compare(b, zero), direction=EQ
  a0 = f32[] select(a_is_zero, zero, a)
  b0 = f32[] select(b_is_zero, zero, b)
  a1 = f32[] select(a_is_nan, one_nan, a0)
  b1 = f32[] select(b_is_nan, one_nan, b0)
  ROOT less = pred[] compare(a1, b1), direction=LT, type=TOTALORDER)");
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->operand(), 0);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  const float x[8] = {-inf, -1, -0.0f, 0.0f, 1e-40f, inf, nan, -nan};
  int64_t keys[8];
  ASSERT_TRUE(key->Compute(8, x, keys));
  EXPECT_LT(keys[0], keys[1]);
  EXPECT_LT(keys[1], keys[2]);
  EXPECT_EQ(keys[2], keys[3]);
  EXPECT_LT(keys[3], keys[4]);
  EXPECT_LT(keys[4], keys[5]);
  EXPECT_LT(keys[5], keys[6]);
  EXPECT_EQ(keys[6], keys[7]);
}

TEST(SortKeyTest, DescendingSecondOperandAndUnsigned) {
  const std::optional<SortKey> key = KeyOf(R"(
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = u64[] parameter(2)
  d = u64[] parameter(3)
  ROOT less = pred[] compare(d, c), direction=LT)");
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->operand(), 1);
  const uint64_t x[3] = {0, uint64_t{1} << 63, 5};
  int64_t keys[3];
  ASSERT_TRUE(key->Compute(3, x, keys));
  EXPECT_LT(keys[1], keys[2]);
  EXPECT_LT(keys[2], keys[0]);
}

TEST(SortKeyTest, PartialOrderHasNoPlaceForNaN) {
  const std::optional<SortKey> key = KeyOf(R"(
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT less = pred[] compare(a, b), direction=GT)");
  ASSERT_TRUE(key.has_value());
  const float x[2] = {1, std::numeric_limits<float>::quiet_NaN()};
  int64_t keys[2];
  EXPECT_TRUE(key->Compute(1, x, keys));
  EXPECT_FALSE(key->Compute(2, x, keys));
}

TEST(SortKeyTest, OtherComparatorsHaveNoKey) {
  // Different expressions of the two sides, parameters of different operands, more than one
  // comparison, no order.
  EXPECT_FALSE(KeyOf(R"(
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  n = f32[] negate(b)
  ROOT less = pred[] compare(a, n), direction=LT)")
                   .has_value());
  EXPECT_FALSE(KeyOf(R"(
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT less = pred[] compare(a, d), direction=LT)")
                   .has_value());
  EXPECT_FALSE(KeyOf(R"(
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  x = f32[] add(a, b)
  y = f32[] add(b, a)
  ROOT less = pred[] compare(x, y), direction=LT)")
                   .has_value());
  EXPECT_FALSE(KeyOf(R"(
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  l = pred[] compare(a, b), direction=LT
  ROOT n = pred[] not(l))")
                   .has_value());
  EXPECT_FALSE(KeyOf(R"(
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT less = pred[] compare(a, b), direction=LE)")
                   .has_value());
}

}  // namespace
}  // namespace xla::interpreter
