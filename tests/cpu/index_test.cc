// SPDX-License-Identifier: Apache-2.0
// Indices of elements: positions that are divided and put together again.
#include "xla/cpu/codegen/index.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tests/cpu/index_fixture.h"

namespace xla::cpu {
namespace {

class IndexTest : public IndexFixture {
 protected:
  void SetUp() override {
    StartFunction(/*lanes=*/8);
    position_ = {ir_->Parameter(0), 2, 1};
  }

  IndexTerm position_;  // of every second element
};

TEST_F(IndexTest, ADividedPositionIsNotComputedAgain) {
  const IndexVector index = math_->Delinearize(position_, {16000, 3});
  EXPECT_EQ(math_->Linearize(index, {16000, 3}), position_);
  // Outer dimensions are added.
  const IndexVector outer = {math_->Constant(1), index[0], index[1]};
  const IndexTerm linear = math_->Linearize(outer, {2, 16000, 3});
  EXPECT_EQ(linear.lanes, nullptr);
  EXPECT_EQ(linear.step, 2);
  // Other dimensions, or another order: the lanes are where they are.
  EXPECT_NE(math_->Linearize(index, {16000, 4}).lanes, nullptr);
  EXPECT_NE(math_->Linearize({index[1], index[0]}, {3, 16000}).lanes, nullptr);
}

// Arrays of the leading dimensions are at a quotient of the position.
TEST_F(IndexTest, LeadingDimensionsAreAtTheQuotient) {
  const IndexVector index = math_->Delinearize(position_, {500, 7, 6});
  const IndexTerm rows = math_->Linearize({index[0], index[1]}, {500, 7});
  // Indices that are put together again would be up to 13 apart.
  ASSERT_TRUE(rows.nearby.has_value());
  EXPECT_EQ(rows.nearby->most, 3);
}

// Lanes stay near each other, so that no vector of 64-bit numbers is divided or multiplied.
TEST_F(IndexTest, QuotientsOfNearbyLanesAreNearby) {
  const IndexVector index = math_->Delinearize(position_, {100, 9000, 48, 3});
  for (const IndexTerm& term : index) EXPECT_TRUE(term.nearby.has_value());
  EXPECT_EQ(index[3].nearby->most, 2);
  EXPECT_EQ(index[2].nearby->most, 47);
  EXPECT_EQ(index[1].nearby->most, 8999);
  EXPECT_EQ(index[0].nearby->most, 1);
  const IndexTerm sum = math_->Add(math_->Multiply(index[2], 5), index[3]);
  ASSERT_TRUE(sum.nearby.has_value());
  EXPECT_EQ(sum.nearby->most, 47 * 5 + 2);
  // With what is the same in all lanes.
  EXPECT_TRUE(math_->Add(sum, {ir_->Parameter(0)}).nearby.has_value());
  // Too far apart for 32 bits.
  EXPECT_FALSE(math_->Multiply(index[1], int64_t{1} << 30).nearby.has_value());
}

TEST_F(IndexTest, AReshapeOfOneDimensionIsADivision) {
  const IndexVector index = math_->Reshape({position_}, {48000}, {16000, 3});
  EXPECT_EQ(math_->Linearize(index, {16000, 3}), position_);
}

// Pairs of groups of four: the group is the same for all lanes, so that no lane is divided.
TEST_F(IndexTest, QuotientsByMultiplesOfAPeriodAreThoseOfTheQuotient) {
  const IndexTerm group = {ir_->Parameter(0)};
  const IndexTerm rest = math_->Modulo({ir_->Index(0), 1, 0}, 4);
  const IndexTerm element =
      math_->WithSplit(math_->Add(math_->Multiply(group, 4), rest), {4, 0, group, rest});
  EXPECT_EQ(math_->Divide(element, 4), group);
  EXPECT_TRUE(math_->Divide(element, 8).is_uniform());
  EXPECT_FALSE(math_->Divide(element, 6).is_uniform());
}

// The index of a single element may be computed where it is not used, as behind a padding.
TEST_F(IndexTest, SingleElementsAreAtZero) {
  const IndexVector index = math_->Delinearize(position_, {1, 1});
  const IndexTerm linear = math_->Linearize(index, {1, 1});
  int64_t constant = -1;
  EXPECT_TRUE(math_->IsConstant(linear, &constant));
  EXPECT_EQ(constant, 0);
}

TEST_F(IndexTest, BoundsOfSumsAndProducts) {
  constexpr int64_t kBound = int64_t{1} << 60;
  const auto bounded = [&](int64_t low, int64_t high) {
    return IndexTerm{ir_->Parameter(0), 1, 1, nullptr, low, high};
  };
  const auto expect = [](const IndexTerm& term, int64_t low, int64_t high) {
    EXPECT_EQ(term.low, low);
    EXPECT_EQ(term.high, high);
  };
  expect(math_->Add(bounded(2, 9), bounded(-1, 5)), 1, 14);
  expect(math_->AddConstant(bounded(2, 9), -3), -1, 6);
  expect(math_->Multiply(bounded(2, 9), 3), 6, 27);
  expect(math_->Multiply(bounded(2, 9), -3), -27, -6);
  expect(math_->Multiply(bounded(-9, 2), 5), -45, 10);
  // Larger bounds are none.
  expect(math_->Constant(kBound), kBound, kBound);
  EXPECT_FALSE(math_->Constant(kBound + 1).has_bounds());
  expect(math_->Constant(-kBound), -kBound, -kBound);
  EXPECT_FALSE(math_->Constant(-kBound - 1).has_bounds());
  EXPECT_FALSE(math_->Multiply(bounded(2, kBound / 2), 3).has_bounds());
  EXPECT_FALSE(math_->Multiply(bounded(-kBound / 2, 2), -3).has_bounds());
  EXPECT_TRUE(math_->Multiply(bounded(2, kBound / 2), 2).has_bounds());
  EXPECT_FALSE(math_->Multiply(bounded(-kBound, 2), 1 << 10).has_bounds());
}

// What is known to be less than the divisor is not divided.
TEST_F(IndexTest, SmallIndicesAreTheirRemainders) {
  const IndexTerm small = {ir_->Parameter(0), 1, 1, nullptr, 0, 6};
  int64_t constant = -1;
  EXPECT_EQ(math_->Modulo(small, 7), small);
  EXPECT_TRUE(math_->IsConstant(math_->Divide(small, 7), &constant));
  EXPECT_EQ(constant, 0);
  EXPECT_NE(math_->Modulo(small, 6), small);
  EXPECT_FALSE(math_->IsConstant(math_->Divide(small, 6), &constant));
  EXPECT_EQ(math_->Add(position_, math_->Constant(0)), position_);
  EXPECT_EQ(math_->Add(math_->Constant(0), position_), position_);
}

// Lanes that begin at a multiple of their span are all in one row.
TEST_F(IndexTest, AlignedLanesStayTogether) {
  const IndexTerm aligned = {ir_->Parameter(0), 1, 8};
  EXPECT_TRUE(math_->Divide(aligned, 16).is_uniform());
  EXPECT_EQ(math_->Modulo(aligned, 16).step, 1);
  EXPECT_EQ(math_->Modulo(aligned, 16).lanes, nullptr);
  EXPECT_EQ(math_->Modulo(aligned, 24).align, 8);
  EXPECT_FALSE(math_->Divide(aligned, 12).is_uniform());
  EXPECT_FALSE(math_->Divide({ir_->Parameter(0), 1, 4}, 16).is_uniform());
  EXPECT_FALSE(math_->Divide({ir_->Parameter(0), 2, 8}, 16).is_uniform());
  EXPECT_TRUE(math_->Divide({ir_->Parameter(0), 2, 16}, 16).is_uniform());
  // Steps of whole divisors stay steps, and alignment is divided.
  const IndexTerm steps = math_->Divide({ir_->Parameter(0), 12, 24}, 4);
  EXPECT_EQ(steps.lanes, nullptr);
  EXPECT_EQ(steps.step, 3);
  EXPECT_EQ(steps.align, 6);
  EXPECT_NE(math_->Divide({ir_->Parameter(0), 12, 2}, 4).lanes, nullptr);
  EXPECT_EQ(math_->Divide({ir_->Parameter(0), 0, 24}, 4).align, 6);
  EXPECT_EQ(math_->Divide({ir_->Parameter(0), 0, 6}, 4).align, 1);
  EXPECT_EQ(math_->Multiply({ir_->Parameter(0), 0, 8}, 4).align, 32);
  // An alignment that would overflow is none.
  EXPECT_EQ(math_->Multiply({ir_->Parameter(0), 0, int64_t{1} << 40}, 1 << 30).align, 1);
}

TEST_F(IndexTest, NearbyLanesFit32Bits) {
  constexpr int64_t kLarge = int64_t{1} << 30;
  const IndexTerm quotient = math_->Divide(position_, 7);
  ASSERT_TRUE(quotient.nearby.has_value());
  EXPECT_EQ(quotient.nearby->most, 2);  // 6 + 7 * 2, divided
  const IndexTerm remainder = math_->Modulo(position_, 5);
  EXPECT_TRUE(math_->Multiply(remainder, kLarge / 4).nearby.has_value());
  EXPECT_FALSE(math_->Multiply(remainder, kLarge / 4 + 1).nearby.has_value());
  EXPECT_FALSE(math_->Multiply(remainder, -1).nearby.has_value());
  const IndexTerm half = math_->Multiply(remainder, kLarge / 8);
  EXPECT_TRUE(math_->Add(half, half).nearby.has_value());
  EXPECT_FALSE(math_->Add(half, math_->Add(half, remainder)).nearby.has_value());
  EXPECT_TRUE(math_->Add(position_, remainder).nearby.has_value());
  EXPECT_TRUE(math_->Add(remainder, position_).nearby.has_value());
  EXPECT_FALSE(math_->Add(remainder, {ir_->Parameter(0), -1, 1}).nearby.has_value());
  EXPECT_TRUE(math_->Divide(position_, kLarge).nearby.has_value());
  EXPECT_FALSE(math_->Divide(position_, kLarge + 1).nearby.has_value());
  const IndexMath one(*ir_, 1);
  EXPECT_FALSE(one.Divide(position_, 7).nearby.has_value());
}

TEST_F(IndexTest, SplitsGiveQuotients) {
  const IndexTerm rest = math_->Modulo({ir_->Index(0), 1, 0}, 4);
  const IndexTerm lanes = math_->Modulo(position_, 100);  // not uniform
  const auto with = [&](int64_t origin, const IndexTerm& quotient, const IndexTerm& remainder) {
    return math_->WithSplit(position_, {4, origin, quotient, remainder});
  };
  const auto known = math_->KnownQuotient(with(0, lanes, rest), 4);
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->quotient, lanes);
  EXPECT_EQ(known->remainder, rest);
  // Multiples of the period, of groups that are the same in all lanes; parts of it, if the
  // remainder is known.
  EXPECT_FALSE(math_->KnownQuotient(with(0, lanes, rest), 8).has_value());
  EXPECT_TRUE(math_->KnownQuotient(with(0, {ir_->Parameter(0)}, rest), 8).has_value());
  EXPECT_FALSE(math_->KnownQuotient(with(0, {ir_->Parameter(0)}, rest), 6).has_value());
  EXPECT_FALSE(math_->KnownQuotient(with(0, lanes, rest), 2).has_value());
  EXPECT_TRUE(math_->KnownQuotient(with(0, lanes, math_->Constant(3)), 2).has_value());
  EXPECT_FALSE(math_->KnownQuotient(with(0, lanes, math_->Constant(3)), 3).has_value());
  // An origin moves the quotient by whole periods.
  EXPECT_TRUE(math_->KnownQuotient(with(8, lanes, rest), 4).has_value());
  EXPECT_FALSE(math_->KnownQuotient(with(7, lanes, rest), 4).has_value());
  EXPECT_TRUE(math_->KnownQuotient(with(7, lanes, math_->Constant(1)), 4).has_value());
  const IndexTerm product = math_->Multiply(with(0, lanes, math_->Constant(3)), 5);
  ASSERT_NE(product.split, nullptr);
  EXPECT_EQ(product.split->period, 20);
  EXPECT_EQ(math_->Multiply(with(0, lanes, math_->Constant(3)), -5).split, nullptr);
  EXPECT_EQ(math_->Multiply(with(0, lanes, rest), 5).split, nullptr);
}

// Dimensions that whole ones and parts of them make up are put together from those.
TEST_F(IndexTest, ReshapesDivideAsLittleAsPossible) {
  const IndexTerm outer = {ir_->Parameter(0)};
  const IndexTerm inner = {ir_->Index(0), 1, 0};
  const IndexVector index = math_->Reshape({outer, inner}, {4, 6}, {8, 3});
  ASSERT_EQ(index.size(), 2u);
  EXPECT_TRUE(ir_->IsConstant(math_->ToVector(index[1])));
  EXPECT_FALSE(ir_->IsConstant(math_->ToVector(index[0])));
  const IndexVector joined = math_->Reshape({outer, outer, inner}, {5, 3, 8}, {15, 8});
  EXPECT_EQ(joined[1], inner);
  EXPECT_TRUE(joined[0].is_uniform());
  // Those before and after dimensions that have nothing in common stay.
  const IndexVector apart =
      math_->Reshape({outer, position_, outer, inner}, {7, 4, 6, 5}, {7, 3, 8, 5});
  ASSERT_EQ(apart.size(), 4u);
  EXPECT_EQ(apart[0], outer);
  EXPECT_EQ(apart[3], inner);
  EXPECT_EQ(math_->Reshape({outer, inner}, {0, 3}, {0}).size(), 1u);
  EXPECT_EQ(math_->Reshape({inner}, {0}, {3, 0, 2}).size(), 3u);
}

}  // namespace
}  // namespace xla::cpu
