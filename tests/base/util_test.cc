// SPDX-License-Identifier: Apache-2.0
// Rounding, overflow-checked arithmetic, permutations.
#include "xla/util.h"

#include <gtest/gtest.h>

#include "tests/base/base_test_util.h"
#include "tests/test_util.h"
#include "xla/overflow_util.h"
#include "xla/permutation_util.h"

namespace xla {
namespace {

using testing::kMax;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(Rounding, UpAndDown) {
  EXPECT_EQ(CeilOfRatio<int64_t>(7, 3), 3);
  EXPECT_EQ(CeilOfRatio<int64_t>(6, 3), 2);
  EXPECT_EQ(CeilOfRatio<int64_t>(kMax, 2), kMax / 2 + 1);
  EXPECT_EQ(RoundUpTo<int64_t>(7, 4), 8);
  EXPECT_EQ(RoundDownTo<int64_t>(7, 4), 4);
}

TEST(Overflow, IsTold) {
  EXPECT_EQ(MultiplyWithoutOverflow(3, 4), 12);
  EXPECT_LT(MultiplyWithoutOverflow(int64_t{1} << 32, int64_t{1} << 31), 0);
  EXPECT_EQ(MultiplyWithoutOverflow(int64_t{1} << 31, int64_t{1} << 31), int64_t{1} << 62);
  EXPECT_EQ(OverflowSafeAdd<int64_t>(kMax, 1), std::nullopt);
  EXPECT_EQ(OverflowSafeAdd<int64_t>(kMin, -1), std::nullopt);
  EXPECT_EQ(OverflowSafeAdd<int64_t>(kMax, kMin), -1);
  EXPECT_EQ(OverflowSafeSub<int64_t>(kMin, 1), std::nullopt);
  EXPECT_TRUE(OverflowSafeMultiply<int64_t>(kMax, 2).second);
  EXPECT_FALSE(OverflowSafeMultiply<int64_t>(kMax, 1).second);
}

TEST(Overflow, ProductsSaturate) {
  EXPECT_EQ(SaturatingProduct({}), 1);
  EXPECT_EQ(SaturatingProduct({2, 3, 4}), 24);
  EXPECT_EQ(SaturatingProduct({kMax, 2}), kMax);
  EXPECT_EQ(SaturatingProduct({kMax, 2, 0}), 0);
  EXPECT_EQ(SaturatingProduct({2, -1}), kMax);
}

TEST(Overflow, RangesOfIntegerTypes) {
  EXPECT_TRUE(FitsInIntegralType(-1, S1));
  EXPECT_FALSE(FitsInIntegralType(1, S1));
  EXPECT_TRUE(FitsInIntegralType(15, U4));
  EXPECT_FALSE(FitsInIntegralType(16, U4));
  EXPECT_TRUE(FitsInIntegralType(-8, S4));
  EXPECT_FALSE(FitsInIntegralType(-9, S4));
  EXPECT_TRUE(FitsInIntegralType((int64_t{1} << 32) - 1, U32));
  EXPECT_FALSE(FitsInIntegralType(int64_t{1} << 32, U32));
  EXPECT_TRUE(FitsInIntegralType(kMin, S64));
  EXPECT_FALSE(FitsInIntegralType(-1, U64));
  EXPECT_FALSE(FitsInIntegralType(0, F32));
}

TEST(Permutations, AreRecognized) {
  EXPECT_TRUE(IsPermutation({}));
  EXPECT_TRUE(IsPermutation({2, 0, 1}));
  EXPECT_FALSE(IsPermutation({0, 0}));
  EXPECT_FALSE(IsPermutation({0, 2}));
  EXPECT_FALSE(IsPermutation({-1, 0}));
  EXPECT_TRUE(IsIdentityPermutation({0, 1, 2}));
  EXPECT_FALSE(IsIdentityPermutation({0, 2, 1}));
}

TEST(Permutations, InverseAndComposition) {
  const std::vector<int64_t> p = {2, 0, 3, 1};
  const std::vector<char> letters = {'a', 'b', 'c', 'd'};
  EXPECT_EQ(Permute(letters, p), (std::vector<char>{'c', 'a', 'd', 'b'}));
  EXPECT_EQ(PermuteInverse(Permute(letters, p), p), letters);
  EXPECT_TRUE(IsIdentityPermutation(ComposePermutations(p, InversePermutation(p))));
  const std::vector<int64_t> q = {1, 2, 3, 0};
  EXPECT_EQ(Permute(letters, ComposePermutations(p, q)), Permute(Permute(letters, p), q));
}

TEST(Statuses, CarryCodeAndText) {
  EXPECT_STATUS(InvalidArgument("rank %d of %s", 3, "x"), absl::StatusCode::kInvalidArgument,
                "rank 3 of x");
  EXPECT_STATUS(UnimplementedStrCat("op ", 7), absl::StatusCode::kUnimplemented, "op 7");
  EXPECT_STATUS(AddContext(NotFound("y"), "while looking"), absl::StatusCode::kNotFound,
                "while looking: y");
  EXPECT_OK(AddContext(absl::OkStatus(), "nothing"));
}

TEST(Rates, AreReadable) {
  EXPECT_EQ(HumanReadableNumFlops(1.5e12, 1e9), "1.50TFLOP/s");
  EXPECT_EQ(HumanReadableNumFlops(999, 1e9), "999.00FLOP/s");
  EXPECT_EQ(HumanReadableNumFlops(1000, 1e9), "1.00kFLOP/s");
  EXPECT_EQ(HumanReadableNumTranscendentalOps(3, 1), "3.00GTROP/s");
  EXPECT_EQ(HumanReadableNumFlops(1, 0), "NaN FLOP/s");
}

}  // namespace
}  // namespace xla
