// SPDX-License-Identifier: Apache-2.0
// Dynamic programs whose arguments are given sizes.
#include <memory>
#include <string>

#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/stablehlo/constant_values.h"
#include "xla/stablehlo/translate.h"

namespace xla::stablehlo {
namespace {

// x plus a row of ones, widened to as many rows as x has; the sum over them by a loop.
constexpr char kProgram[] = R"(
func.func @main(%n: tensor<i64>, %x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
  %0 = call @widen(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = stablehlo.add %x, %0 : tensor<?x3xf32>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %2 = stablehlo.multiply %n, %three : tensor<i64>
  %3 = stablehlo.reshape %2 : (tensor<i64>) -> tensor<1xi64>
  %4 = stablehlo.dynamic_reshape %1, %3 : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %1, %4 : tensor<?x3xf32>, tensor<?xf32>
}
func.func private @widen(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %0 = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %sizes = stablehlo.concatenate %0, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1 = stablehlo.dynamic_broadcast_in_dim %one, %sizes, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
)";

absl::StatusOr<std::unique_ptr<HloModule>> Refine(const EntryArguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const auto source, LoadStableHlo(kProgram, "test.mlir"));
  return TranslateToHlo(source.get(), arguments);
}

TEST(RefineTest, SizesFollowFromTheArguments) {
  EntryArguments arguments;
  arguments.sizes[1] = {5, 3};
  arguments.constants[0] = 5;
  ASSERT_OK_AND_ASSIGN(const auto module, Refine(arguments));
  EXPECT_OK(VerifyModule(*module));
  ASSERT_OK_AND_ASSIGN(const auto expected, ParseAndReturnUnverifiedModule(R"(
HloModule main
ENTRY main {
  n = s64[] parameter(0)
  x = f32[5,3] parameter(1)
  one = f32[] constant(1)
  ones = f32[3] broadcast(one), dimensions={}
  rows = f32[5,3] broadcast(ones), dimensions={1}
  sum = f32[5,3] add(x, rows)
  flat = f32[15] reshape(sum)
  ROOT r = (f32[5,3], f32[15]) tuple(sum, flat)
})"));
  EXPECT_OK(expected->CheckEqual(*module)) << module->ToString();
}

TEST(RefineTest, WhatIsMissingIsAnError) {
  EntryArguments arguments;
  EXPECT_STATUS(Refine(arguments), absl::StatusCode::kUnimplemented,
                "operand 1 that is not a constant");
  arguments.sizes[1] = {5, 3};
  EXPECT_STATUS(Refine(arguments), absl::StatusCode::kUnimplemented,
                "operand 1 that is not a constant");
  arguments.sizes[1] = {5, 4};
  EXPECT_ERROR(Refine(arguments), "the sizes [5, 4] do not fit the type tensor<?x3xf32>");
}

TEST(RefineTest, EachSizeIsThatOfItsDimension) {
  ASSERT_OK_AND_ASSIGN(const auto source, LoadStableHlo(R"(
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<i32>) {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %0 = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %3 = stablehlo.dynamic_reshape %x, %2 : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %3, %columns : tensor<?x?xf32>, tensor<i32>
}
)",
                                                        "test.mlir"));
  EntryArguments arguments;
  arguments.sizes[0] = {2, 3};
  ASSERT_OK_AND_ASSIGN(const auto module, TranslateToHlo(source.get(), arguments));
  ASSERT_OK_AND_ASSIGN(const auto expected, ParseAndReturnUnverifiedModule(R"(
HloModule main
ENTRY main {
  x = f32[2,3] parameter(0)
  columns = s32[] constant(3)
  y = f32[3,2] reshape(x)
  ROOT r = (f32[3,2], s32[]) tuple(y, columns)
})"));
  EXPECT_OK(expected->CheckEqual(*module)) << module->ToString();
}

TEST(ConstantValuesTest, FollowsIntegersOnly) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  a = s32[2] constant({7, -3})
  b = s32[] constant(2)
  c = s32[2] broadcast(b), dimensions={}
  d = s32[2] divide(a, c)
  i = s32[2] iota(), iota_dimension=0
  g = pred[2] compare(d, i), direction=GT
  ROOT s = s32[2] select(g, d, i)
})"));
  const auto values = ConstantValues(*module->entry_computation()->root_instruction());
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(*values, (std::vector<int64_t>{3, 1}));
  ASSERT_OK_AND_ASSIGN(const auto unknown, ParseAndReturnUnverifiedModule(
                                               "HloModule m\nENTRY e { p = s32[] parameter(0)\n"
                                               "ROOT n = s32[] negate(p) }"));
  EXPECT_FALSE(ConstantValues(*unknown->entry_computation()->root_instruction()).has_value());
  // 0, 0.5 and 1, of which the double is not that of whole numbers.
  ASSERT_OK_AND_ASSIGN(const auto fractions, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  i = f32[3] iota(), iota_dimension=0
  n = s32[] constant(2)
  t = f32[] convert(n)
  two = f32[3] broadcast(t), dimensions={}
  half = f32[3] divide(i, two)
  all = f32[3] multiply(half, two)
  ROOT r = s32[3] convert(all)
})"));
  EXPECT_FALSE(ConstantValues(*fractions->entry_computation()->root_instruction()).has_value());
}

}  // namespace
}  // namespace xla::stablehlo
