// SPDX-License-Identifier: Apache-2.0
// Zeros that padding and dilation insert into the input of a convolution are elements like others,
// as the documents have it: times infinity they are NaN. docs/differences.md says what compiled
// code and XLA's do.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

TEST(InsertedZerosTest, AreMultiplied) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  x = f32[1,2,1] constant({{{1},{1}}})
  k = f32[2,1,1] parameter(0)
  padded = f32[1,3,1] convolution(x, k), window={size=2 pad=1_1}, dim_labels=b0f_0io->b0f
  dilated = f32[1,2,1] convolution(x, k), window={size=2 lhs_dilate=2}, dim_labels=b0f_0io->b0f
  spread = f32[1,1,1] convolution(x, k), window={size=2 rhs_dilate=1}, dim_labels=b0f_0io->b0f
  ROOT t = (f32[1,3,1], f32[1,2,1], f32[1,1,1]) tuple(padded, dilated, spread)
})"));
  const float infinity = std::numeric_limits<float>::infinity();
  const Literal kernel = LiteralUtil::CreateR3<float>({{{infinity}}, {{1}}});
  ASSERT_OK_AND_ASSIGN(Literal result, Interpret(*module, {&kernel}));
  const auto parts = result.DecomposeTuple();
  // (0, 1), (1, 1), (1, 0) times (infinity, 1)
  EXPECT_TRUE(std::isnan(parts[0].data<float>()[0]));
  EXPECT_EQ(parts[0].data<float>()[1], infinity);
  EXPECT_EQ(parts[0].data<float>()[2], infinity);
  // (1, 0), (0, 1)
  EXPECT_EQ(parts[1].data<float>()[0], infinity);
  EXPECT_TRUE(std::isnan(parts[1].data<float>()[1]));
  EXPECT_EQ(parts[2].data<float>()[0], infinity);
}

}  // namespace
}  // namespace xla
