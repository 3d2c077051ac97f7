// SPDX-License-Identifier: Apache-2.0
// Indices of elements: positions that are divided and put together again.
#include "xla/cpu/codegen/index.h"

#include <cstdint>
#include <memory>

#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/codegen/llvm_api.h"

namespace xla::cpu {
namespace {

class IndexTest : public ::testing::Test {
 protected:
  static constexpr int kLanes = 8;

  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const LlvmApi* llvm, LlvmApi::Get());
    ASSERT_OK_AND_ASSIGN(const Target* target, HostTarget());
    ir_ = std::make_unique<Ir>(*llvm, *target, "index");
    const IrType parameters[] = {ir_->I64()};
    ir_->StartFunction("f", parameters);
    math_ = std::make_unique<IndexMath>(*ir_, kLanes);
    position_ = {ir_->Parameter(0), 2, 1};
  }

  std::unique_ptr<Ir> ir_;
  std::unique_ptr<IndexMath> math_;
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

}  // namespace
}  // namespace xla::cpu
