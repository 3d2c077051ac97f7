// SPDX-License-Identifier: Apache-2.0
// The numbers that indices of elements stand for, from positions that are constants: LLVM computes
// with those at once. What a term says of itself must hold in each lane.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/cpu/index_fixture.h"
#include "xla/cpu/codegen/index.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using Numbers = std::vector<int64_t>;

class IndexValuesTest : public IndexFixture, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override { StartFunction(lanes_); }

  // base + i * step, without bounds; the alignment is that of the base.
  IndexTerm Affine(int64_t base, int64_t step) const {
    return {ir_->Index(base), step, base == 0 ? 0 : base & -base};
  }
  // The same as a vector of which nothing is known.
  IndexTerm Vector(int64_t base, int64_t step) const {
    return math_->FromVector(math_->ToVector(Affine(base, step)));
  }
  Numbers Expected(int64_t base, int64_t step) const {
    Numbers numbers;
    for (int i = 0; i < lanes_; ++i) numbers.push_back(base + i * step);
    return numbers;
  }

  int64_t NumberOf(IrValue value) const {
    int64_t number = -1;
    EXPECT_TRUE(ir_->IsConst(value, &number));
    return number;
  }
  Numbers NumbersOf(const IndexTerm& term) const {
    const IrValue value = math_->ToVector(term);
    Numbers numbers;
    for (int i = 0; i < lanes_; ++i) numbers.push_back(NumberOf(ir_->Extract(value, i)));
    return numbers;
  }

  // Checks the numbers, and what else the term claims.
  void Check(const IndexTerm& term, const Numbers& expected) const {
    ASSERT_EQ(NumbersOf(term), expected);
    if (term.has_bounds()) {
      EXPECT_EQ(std::min(term.low, expected[0]), term.low);
      EXPECT_EQ(std::max(term.high, expected[0]), term.high);
    }
    if (term.lanes == nullptr) {
      const int64_t base = NumberOf(term.base);
      EXPECT_EQ(term.align == 0 ? base : base % term.align, 0) << base << ", " << term.align;
    }
    if (term.nearby) {
      const int64_t base = NumberOf(term.nearby->base);
      for (int i = 0; i < lanes_; ++i) {
        const int64_t offset = NumberOf(ir_->Extract(term.nearby->offsets, i));
        EXPECT_EQ(base + offset, expected[i]);
        EXPECT_GE(offset, 0);
        EXPECT_LE(offset, term.nearby->most);
      }
    }
    if (term.split != nullptr) CheckSplit(*term.split, expected);
  }

  void CheckSplit(const IndexSplit& split, const Numbers& expected) const {
    const Numbers quotients = NumbersOf(split.quotient), remainders = NumbersOf(split.remainder);
    for (int i = 0; i < lanes_; ++i) {
      EXPECT_EQ(split.origin + split.period * quotients[i] + remainders[i], expected[i]);
      EXPECT_GE(remainders[i], 0);
      EXPECT_LT(remainders[i], split.period);
    }
  }

  void CheckDivision(const IndexTerm& term, const Numbers& values, int64_t divisor) const {
    SCOPED_TRACE(::testing::Message() << "from " << values[0] << " to " << values.back() << " by "
                                      << divisor << " in " << lanes_ << " lanes");
    Numbers quotients, remainders;
    for (const int64_t value : values) {
      quotients.push_back(value / divisor);
      remainders.push_back(value % divisor);
    }
    Check(math_->Divide(term, divisor), quotients);
    Check(math_->Modulo(term, divisor), remainders);
  }

  // Checks the index of the lanes' positions in an array of these dimensions.
  void CheckIndex(const IndexVector& index, const Numbers& dimensions, int64_t base) const {
    ASSERT_EQ(index.size(), dimensions.size());
    int64_t stride = 1;
    for (size_t d = dimensions.size(); d-- > 0;) {
      Numbers expected = Expected(base, 1);
      for (int64_t& value : expected) value = value / stride % dimensions[d];
      Check(index[d], expected);
      stride *= dimensions[d];
    }
  }

  void CheckKnownQuotient(const IndexTerm& term, int64_t value, int64_t divisor) const {
    const std::optional<IndexMath::Quotient> known = math_->KnownQuotient(term, divisor);
    if (!known || value < 0) return;
    Check(known->quotient, Expected(FloorOfRatio(value, divisor), 0));
    Check(known->remainder, Expected(value - FloorOfRatio(value, divisor) * divisor, 0));
  }

  const int lanes_ = GetParam();
};

TEST_P(IndexValuesTest, Divisions) {
  for (const int64_t base : {0, 1, 5, 8, 24, 96, 255, 698, 1000, 65535, 1 << 20}) {
    for (const int64_t step : {0, 1, 2, 3, 8, 24, 100, 9000}) {
      const int64_t most = (lanes_ - 1) * step;
      std::vector<int64_t> divisors = {1, 2, 3, 7, 8, 16, 24, 48, 255, 256, 257, 1000, 65536};
      // Where the last lane has the quotients 1 and 2.
      for (int64_t divisor = std::max<int64_t>(1, most - 1); divisor <= most + 1; ++divisor)
        divisors.push_back(divisor);
      for (const int64_t divisor : divisors) {
        CheckDivision(Affine(base, step), Expected(base, step), divisor);
        CheckDivision(Affine(base / divisor * divisor + divisor - 1, step),
                      Expected(base / divisor * divisor + divisor - 1, step), divisor);
        CheckDivision(Vector(base, step), Expected(base, step), divisor);
      }
    }
  }
}

TEST_P(IndexValuesTest, DivisionsOfLargeNumbers) {
  constexpr int64_t kLarge = int64_t{1} << 30;
  for (const int64_t base : {int64_t{5}, kLarge - 1, 3 * kLarge + 7, 1000000 * kLarge - 3}) {
    for (const int64_t step : {int64_t{0}, int64_t{1}, kLarge / 16, kLarge / 8 + 1, kLarge}) {
      for (const int64_t divisor : {int64_t{3}, int64_t{1000}, kLarge - 1, kLarge, kLarge + 1})
        CheckDivision(Affine(base, step), Expected(base, step), divisor);
    }
  }
}

// Quotients and remainders of lanes that are near each other, divided, multiplied and added again.
TEST_P(IndexValuesTest, NumbersOfNearbyLanes) {
  for (const int64_t base : {0, 5, 47, 1000}) {
    for (const int64_t divisor : {3, 10, 48, 300}) {
      const IndexTerm position = Affine(base, 2);
      const Numbers values = Expected(base, 2);
      const IndexTerm quotient = math_->Divide(position, divisor);
      const IndexTerm remainder = math_->Modulo(position, divisor);
      Numbers quotients, swapped;
      for (const int64_t value : values) {
        quotients.push_back(value / divisor);
        swapped.push_back(value % divisor * 7 + value / divisor);
      }
      CheckDivision(quotient, quotients, 4);
      Check(math_->Add(math_->Multiply(quotient, divisor), remainder), values);
      Check(math_->Add(math_->Multiply(remainder, 7), quotient), swapped);
      for (int64_t& value : swapped) value = value * -3 + 11;
      const IndexTerm sum = math_->Add(math_->Multiply(remainder, 7), quotient);
      Check(math_->AddConstant(math_->Multiply(sum, -3), 11), swapped);
    }
  }
}

TEST_P(IndexValuesTest, SumsAndProducts) {
  constexpr int64_t kBound = int64_t{1} << 60;
  std::vector<IndexTerm> terms;
  for (const int64_t value : {int64_t{-7}, int64_t{0}, int64_t{1}, int64_t{12}, kBound, -kBound})
    terms.push_back(math_->Constant(value));
  for (const int64_t base : {-3, 0, 8, 1000})
    for (const int64_t step : {-1, 0, 1, 3}) terms.push_back(Affine(base, step));
  terms.push_back(Vector(-4, 9));
  terms.push_back(math_->Modulo(Affine(5, 2), 7));
  terms.push_back(math_->Divide(Affine(5, 2), 7));
  for (const IndexTerm& a : terms) {
    const Numbers x = NumbersOf(a);
    for (const IndexTerm& b : terms) {
      const Numbers y = NumbersOf(b);
      Numbers sums;
      for (int i = 0; i < lanes_; ++i) sums.push_back(x[i] + y[i]);
      Check(math_->Add(a, b), sums);
    }
    for (const int64_t factor : {-4, -1, 0, 1, 3, 4}) {
      Numbers products;
      for (const int64_t value : x) products.push_back(value * factor);
      Check(math_->Multiply(a, factor), products);
    }
  }
}

TEST_P(IndexValuesTest, Ranges) {
  for (const auto& [low, high] : {std::pair<int64_t, int64_t>{0, 5}, {-3, 2}, {4, 5}, {3, 3}}) {
    for (int64_t base = -6; base <= 8; ++base) {
      for (const IndexTerm& term : {Affine(base, 1), Affine(base, 0), Vector(base, 1)}) {
        const Numbers values = NumbersOf(term);
        const IrValue in_range = math_->InRange(term, low, high);
        const bool is_affine = !term.is_uniform() && term.lanes == nullptr && lanes_ > 1;
        Numbers clamped;
        for (int i = 0; i < lanes_; ++i) {
          const IrValue bit = ir_->Lanes(in_range) == 1 ? in_range : ir_->Extract(in_range, i);
          EXPECT_EQ(NumberOf(bit) != 0, values[i] >= low && values[i] < high) << values[i];
          clamped.push_back(
              is_affine ? values[i] : std::min(std::max(values[i], low), std::max(low, high - 1)));
        }
        // Calls of intrinsic functions are no constants.
        const IndexTerm limited = math_->ClampUnlessAffine(term, low, high);
        if (is_affine) Check(limited, clamped);
        EXPECT_EQ(limited == term, is_affine);
      }
    }
  }
}

// Every reshape of 48 elements, by way of positions and of dimensions alone.
TEST_P(IndexValuesTest, Reshapes) {
  const std::vector<Numbers> shapes = {{48},      {6, 8},     {2, 3, 8},  {4, 12}, {1, 48},
                                       {16, 3},   {3, 1, 16}, {48, 1},    {8, 6},  {2, 24},
                                       {2, 4, 6}, {3, 4, 4},  {12, 2, 2}, {24, 2}};
  for (const int64_t base : {0, 8, 32, 5}) {
    for (const Numbers& from : shapes) {
      const IndexVector index = math_->Delinearize(Affine(base, 1), from);
      CheckIndex(index, from, base);
      Check(math_->Linearize(index, from), Expected(base, 1));
      for (const Numbers& to : shapes) CheckIndex(math_->Reshape(index, from, to), to, base);
    }
  }
}

// Quotients that are known from a split, of indices that may be negative: rounded down.
TEST_P(IndexValuesTest, KnownQuotients) {
  for (const int64_t period : {1, 4, 6}) {
    for (int64_t quotient = -2; quotient <= 3; ++quotient) {
      for (int64_t remainder = 0; remainder < period; ++remainder) {
        for (const int64_t origin : {-13, -12, -1, 0, 5, 12}) {
          const int64_t value = quotient * period + remainder;
          const IndexTerm split =
              math_->WithSplit(Affine(value + origin, 0),
                               {period, origin, Affine(quotient, 0), math_->Constant(remainder)});
          Check(split, Expected(value + origin, 0));
          Check(math_->AddConstant(split, -7), Expected(value + origin - 7, 0));
          const IndexTerm product = math_->Multiply(split, 6);
          Check(product, Expected((value + origin) * 6, 0));
          for (const int64_t divisor : {1, 2, 3, 4, 5, 6, 12, 24}) {
            CheckKnownQuotient(split, value + origin, divisor);
            CheckKnownQuotient(product, (value + origin) * 6, divisor);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, IndexValuesTest, ::testing::Values(1, 2, 8, 16));

}  // namespace
}  // namespace xla::cpu
