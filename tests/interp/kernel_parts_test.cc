// SPDX-License-Identifier: Apache-2.0
// The parts that operations are made of: wide operations, sort keys.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/sort_key.h"
#include "xla/interpreter/wide_ops.h"
#include "xla/types.h"

namespace xla::interpreter {
namespace {

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
