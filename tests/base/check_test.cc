// SPDX-License-Identifier: Apache-2.0
// Checks abort with their message; the status macros return early and move values.
#include "xla/base/check.h"

#include <gtest/gtest.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

TEST(CheckTest, PassesSilentlyAndEvaluatesOnce) {
  int evaluated = 0;
  XLA_CHECK(++evaluated == 1) << "not printed";
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, AbortsWithConditionAndMessage) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const int rank = -3;
  EXPECT_DEATH(XLA_CHECK(rank >= 0) << "rank is " << rank, "rank >= 0.*rank is -3");
  EXPECT_DEATH(XLA_CHECK_OK(absl::InvalidArgumentError("bad dimension")), "bad dimension");
}

TEST(CheckTest, DcheckDoesNotEvaluateInRelease) {
  int evaluated = 0;
  XLA_DCHECK(++evaluated > 0);
#ifdef NDEBUG
  EXPECT_EQ(evaluated, 0);
#else
  EXPECT_EQ(evaluated, 1);
#endif
}

absl::StatusOr<std::unique_ptr<int>> Make(int value) {
  if (value < 0) return absl::OutOfRangeError("negative value");
  return std::make_unique<int>(value);
}

absl::StatusOr<int> Sum(int a, int b) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<int> left, Make(a));
  std::unique_ptr<int> right;
  XLA_ASSIGN_OR_RETURN(right, Make(b));
  return *left + *right;
}

absl::Status Check(int a) {
  XLA_RETURN_IF_ERROR(Sum(a, 0).status());
  return absl::OkStatus();
}

TEST(StatusMacrosTest, AssignMovesTheValueOrReturnsTheError) {
  ASSERT_OK_AND_ASSIGN(int sum, Sum(2, 3));
  EXPECT_EQ(sum, 5);
  EXPECT_STATUS(Sum(2, -3), absl::StatusCode::kOutOfRange, "negative value");
}

TEST(StatusMacrosTest, ReturnIfErrorReturnsTheError) {
  EXPECT_OK(Check(1));
  EXPECT_ERROR(Check(-1), "negative");
}

TEST(TestUtilTest, IsStatusTellsCodesAndMessagesApart) {
  const absl::Status status = absl::NotFoundError("no such file");
  EXPECT_FALSE(testing::IsStatus("", "", "", status, absl::StatusCode::kInternal, ""));
  EXPECT_FALSE(testing::IsStatus("", "", "", status, absl::StatusCode::kNotFound, "folder"));
  EXPECT_TRUE(testing::IsStatus("", "", "", status, absl::StatusCode::kNotFound, "such"));
  EXPECT_FALSE(testing::IsError("", "", absl::OkStatus(), ""));
}

}  // namespace
}  // namespace xla
