// SPDX-License-Identifier: Apache-2.0
// Programs that violate a rule of StableHLO are rejected, with the rule in the message.
#include "xla/stablehlo/verifier.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/mlir/source.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

absl::Status VerifyText(const std::string& text) {
  auto source = mlir::ReadText(text, "test.mlir", AllDialects());
  if (!source.ok()) return source.status();
  return VerifyStableHlo(**source);
}

// A function of some values, with the operation on line 2.
absl::Status VerifyLine(std::string_view line) {
  return VerifyText(
      absl::StrCat("func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<2xi64>, "
                   "%d: tensor<?x3xf32>, %p: tensor<i1>, %n: tensor<i32>) {\n  ",
                   std::string(line), "\n  return\n}\nfunc.func @f(%x: tensor<i32>) { return }\n"));
}

struct Case {
  const char* line;
  const char* message;  // null: valid
};

class VerifierTest : public ::testing::TestWithParam<Case> {};

TEST_P(VerifierTest, NamesTheRule) {
  const absl::Status status = VerifyLine(GetParam().line);
  if (GetParam().message == nullptr) {
    EXPECT_OK(status);
  } else {
    EXPECT_ERROR(status, GetParam().message);
    EXPECT_ERROR(status, "test.mlir:2:");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lines, VerifierTest,
    ::testing::Values(
        Case{"%0 = stablehlo.add %a, %a : tensor<2x3xf32>", nullptr},
        Case{"%0 = stablehlo.add %a, %d : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>",
             nullptr},
        Case{"%0 = stablehlo.add %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>",
             "requires the same shape for all operands and results"},
        Case{"%0 = stablehlo.add %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf64>",
             "requires compatible element types"},
        Case{"%0 = stablehlo.popcnt %a : tensor<2x3xf32>", "does not accept"},
        Case{"%0 = \"stablehlo.abs\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
             "tensor<2x3xf32>",
             "expected 1 operands, but found 2"},
        Case{"%0 = \"stablehlo.transpose\"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>",
             "requires attribute 'permutation'"},
        Case{"%0 = stablehlo.transpose %a, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
             "must be a permutation of [0, 2)"},
        Case{"%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
             "result #0 must have the shape [3, 2]"},
        Case{"%0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>",
             "doesn't match expected number of elements (6)"},
        Case{"%0 = stablehlo.concatenate %a, %b, dim = 2 : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
             "tensor<5x3xf32>",
             "dimension 2 is out-of-bounds for input rank 2"},
        Case{"%0 = stablehlo.concatenate %a, %a, dim = -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
             "tensor<5x3xf32>",
             "'dimension' must be non-negative"},
        Case{"%0 = stablehlo.slice %a [0:2, 0:4] : (tensor<2x3xf32>) -> tensor<2x4xf32>",
             "limit index 4 is larger than dimension size 3 in dimension 1"},
        // Numbers whose sums and products exceed 64 bits.
        Case{"%0 = stablehlo.slice %a [0:2, 0:3:9223372036854775807] : (tensor<2x3xf32>) -> "
             "tensor<2x1xf32>",
             nullptr},
        Case{"%z = stablehlo.constant dense<0.0> : tensor<f32> "
             "%0 = stablehlo.pad %a, %z, low = [0, 0], high = [0, 0], "
             "interior = [0, 9223372036854775807] : (tensor<2x3xf32>, tensor<f32>) -> "
             "tensor<2x1xf32>",
             "padding overflows the size of dimension 1"},
        Case{"%z = stablehlo.constant dense<0.0> : tensor<f32> "
             "%0 = stablehlo.pad %a, %z, low = [0, 9223372036854775807], "
             "high = [0, -9223372036854775807], interior = [0, 0] : (tensor<2x3xf32>, "
             "tensor<f32>) -> tensor<2x3xf32>",
             nullptr},
        Case{"%0 = \"stablehlo.all_to_all\"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : "
             "i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : "
             "(tensor<2x3xf32>) -> tensor<1x6xf32>",
             nullptr},
        Case{"%0 = stablehlo.broadcast_in_dim %a, dims = [0, 0] : (tensor<2x3xf32>) -> "
             "tensor<2x3xf32>",
             "must not repeat"},
        Case{"%0 = stablehlo.iota dim = 1 : tensor<3xf32>", "cannot go beyond the output rank 1"},
        Case{"%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x3xf32>, "
             "tensor<2x3xf32>) -> tensor<2x3xf32>",
             "contracting dimension sizes must match"},
        Case{"%0 = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<2x3xf32>, tensor<3x4xf32>) -> "
             "tensor<2x3xf32>",
             "requires compatible types for the values"},
        Case{"%0 = stablehlo.bitcast_convert %a : (tensor<2x3xf32>) -> tensor<2x3xf64>",
             "must be 1 more than the rank"},
        Case{"%0 = stablehlo.constant dense<1> : tensor<?xi32>",
             "constants need a tensor or vector of static sizes"},
        Case{"%0 = \"stablehlo.case\"(%n) : (tensor<i32>) -> tensor<i32>",
             "expect at least one branch"},
        Case{"func.call @f(%p) : (tensor<i1>) -> ()", "but the function has type tensor<i32>"},
        Case{"stablehlo.composite \"name\" %n {decomposition = @f} : (tensor<i32>) -> ()",
             "must be a valid namespaced op name"},
        Case{"%0 = stablehlo.custom_call @x(%a) {api_version = 4 : i32, backend_config = \"\"} : "
             "(tensor<2x3xf32>) -> tensor<2x3xf32>",
             "must be a dictionary attribute"},
        Case{"%0 = \"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<[[0, 1], "
             "[0, 2]]> : tensor<2x2xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
             "sources must not repeat"},
        Case{"%0 = stablehlo.fft %a, type = FFT, length = [3] : (tensor<2x3xf32>) -> "
             "tensor<2x3xf32>",
             "take a complex tensor"},
        Case{"%0 = stablehlo.reduce_precision %a, format = e0m5 : tensor<2x3xf32>",
             "'exponent_bits' must be positive"},
        Case{"%0:2 = chlo.top_k(%a, k = 4) : tensor<2x3xf32> -> (tensor<2x4xf32>, "
             "tensor<2x4xi32>)",
             "operand's last dimension must be at least 4"},
        Case{"%0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> !stablehlo.token",
             "result #0 must be a tensor, but is !stablehlo.token"},
        Case{"%0 = mhlo.add %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>",
             "stablehlo.add: "},
        Case{"%0 = mhlo.copy %a : (tensor<2x3xf32>) -> tensor<3x2xf32>",
             "must be compatible with tensor<2x3xf32>"},
        Case{"%0:2 = mhlo.topk(%a, k = 4) : tensor<2x3xf32> -> (tensor<2x4xf32>, tensor<2x4xi32>)",
             "operand's last dimension must be at least 4"},
        Case{"%0:2 = mhlo.topk(%a, k = 1) : tensor<2x3xf32> -> (tensor<2x3xf32>, tensor<2x1xi32>)",
             "result #0 must have the shape [2, 1]"},
        Case{"%0 = mhlo.add_dependency %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
             "tensor<2x3xf32>",
             "operand #1 must be a token"},
        Case{"%0 = \"mhlo.async_start\"(%n) {called_computation = @g, execution_thread = \"main\"} "
             ": "
             "(tensor<i32>) -> !mhlo.async_bundle<tensor<i32>, tuple<>>",
             "'g' does not reference a valid function"},
        Case{"%0 = \"mhlo.async_start\"(%p) {called_computation = @f, execution_thread = \"main\"} "
             ": "
             "(tensor<i1>) -> !mhlo.async_bundle<tensor<i32>, tuple<>>",
             "operand #0 must be tensor<i32>"},
        Case{"\"mhlo.async_done\"(%a) : (tensor<2x3xf32>) -> ()", "the operand must be a bundle"},
        Case{"%0 = \"mhlo.stochastic_convert\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
             "tensor<2x3xi8>",
             "the random numbers must be unsigned"},
        Case{"%0 = \"mhlo.xla.rng_get_and_update_state\"() {delta = 1 : i64} : () -> tensor<2xi64>",
             "the result must be tensor<2xui64>"},
        Case{"%0 = \"mhlo.fusion\"(%a) ({ ^bb0(%x: tensor<3x4xf32>): \"mhlo.return\"(%x) : "
             "(tensor<3x4xf32>) -> () }) {fusion_kind = #mhlo<fusion_kind kLoop>} : "
             "(tensor<2x3xf32>) -> tensor<3x4xf32>",
             "parameter #0 of the region is tensor<3x4xf32>"},
        Case{"%0 = \"mhlo.domain\"(%a) {kind = #mhlo<kind other>, entry_metadata = \"\", "
             "exit_metadata = \"\"} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
             "kind must be sharding"},
        Case{"%0:2 = \"mhlo.all_to_all\"(%a, %b) {replica_groups = dense<[[0, 1]]> : "
             "tensor<1x2xi64>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x3xf32>, "
             "tensor<3x4xf32>)",
             "result #1 must be compatible with tensor<2x3xf32>"},
        Case{"%0 = \"mhlo.all_to_all\"(%a) {split_dimension = 0 : i64, replica_groups = "
             "dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
             "should have all three"},
        Case{"%0 = \"arith.constant\"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>",
             "the value is of another type than tensor<3xi32>"},
        Case{"%0 = \"arith.addi\"(%n, %i) : (tensor<i32>, tensor<2xi64>) -> tensor<i32>",
             "requires the same type for all operands and results"},
        Case{"%0 = \"tensor.dim\"(%a, %n) : (tensor<2x3xf32>, tensor<i32>) -> index",
             "operand #1 must be an index"},
        Case{"%0 = tensor.cast %a : tensor<2x3xf32> to tensor<?x4xf32>", "are cast incompatible"},
        Case{"%0 = \"sdy.all_gather\"(%a) {gathering_axes = 1} : (tensor<2x3xf32>) -> "
             "tensor<2x3xf32>",
             "requires attribute 'out_sharding'"},
        Case{"%0 = \"sdy.reshard\"(%a) {sharding = #sdy.sharding<@m, [{}, {}]>} : "
             "(tensor<2x3xf32>) -> "
             "tensor<3x2xf32>",
             "must be compatible with tensor<2x3xf32>"},
        Case{"%0 = chlo.mulhi %a, %a : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>",
             "does not accept"}));

TEST(VerifierModulesTest, SymbolsAreThoseOfTheInnermostModule) {
  const std::string callee =
      "func.func private @f(%x: tensor<i1>) -> tensor<i1> { return %x : tensor<i1> }\n";
  const std::string caller =
      "func.func @main(%x: tensor<i1>) -> tensor<i1> {\n"
      "  %0 = call @f(%x) : (tensor<i1>) -> tensor<i1>\n  return %0 : tensor<i1>\n}\n";
  EXPECT_OK(VerifyText(absl::StrCat("module { module @inner {\n", caller, callee, "}\n}")));
  EXPECT_OK(VerifyText(absl::StrCat("module {\n", callee, "}\nmodule {\n", caller, callee, "}")));
  EXPECT_ERROR(VerifyText(absl::StrCat("module { module @inner {\n", caller, "}\n", callee, "}")),
               "'f' does not reference a valid function");
  EXPECT_ERROR(VerifyText(absl::StrCat("module {\n", callee, "}\nmodule {\n", caller, "}")),
               "'f' does not reference a valid function");
}

TEST(VerifierModulesTest, BlocksSeeThoseBeforeThem) {
  EXPECT_OK(
      VerifyText("func.func @main(%x: tensor<i32>, %c: i1) -> tensor<i32> {\n"
                 "  %0 = stablehlo.add %x, %x : tensor<i32>\n"
                 "  cf.cond_br %c, ^a(%0 : tensor<i32>), ^b\n"
                 "^a(%y: tensor<i32>):\n  %1 = stablehlo.add %0, %y : tensor<i32>\n  cf.br ^b\n"
                 "^b:\n  return %0 : tensor<i32>\n}\n"));
}

// JAX writes programs whose strides are too many.
TEST(VerifierConvolutionTest, StridesOfDynamicConvolutionsAreNotCounted) {
  const auto program = [](const std::string& strides) {
    return "func.func @main(%x: tensor<1x?x16xf32>, %k: tensor<4x16x16xf32>, %p: tensor<1x2xi32>) "
           "-> tensor<1x?x16xf32> {\n  %0 = \"stablehlo.dynamic_conv\"(%x, %k, %p) "
           "{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, "
           "o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: " +
           strides +
           ">} : (tensor<1x?x16xf32>, tensor<4x16x16xf32>, tensor<1x2xi32>) -> "
           "tensor<1x?x16xf32>\n  return %0 : tensor<1x?x16xf32>\n}\n";
  };
  EXPECT_OK(VerifyText(program("2")));
  EXPECT_OK(VerifyText(program("2, 2")));
  EXPECT_ERROR(VerifyText(program("0")), "'window_strides' must be positive");
}

TEST(VerifierRegionTest, ReductionsHaveTwoScalarsForEachInput) {
  const auto reduce = [](const char* arguments, const char* body) {
    return VerifyText(absl::StrCat(
        "func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<2xf32> {\n"
        "  %0 = \"stablehlo.reduce\"(%a, %z) ({\n  ^bb0(",
        arguments, "):\n    ", body,
        "\n  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}\n"));
  };
  const char* sum = "%1 = stablehlo.add %x, %y : tensor<f32>\n stablehlo.return %1 : tensor<f32>";
  EXPECT_OK(reduce("%x: tensor<f32>, %y: tensor<f32>", sum));
  EXPECT_ERROR(reduce("%x: tensor<f32>, %y: tensor<f32>, %w: tensor<f32>", sum),
               "must take 2 parameters, but takes 3");
  EXPECT_ERROR(reduce("%x: tensor<f32>, %y: tensor<f32>", "stablehlo.return"),
               "must return a value");
  EXPECT_ERROR(reduce("%x: tensor<f32>, %y: tensor<i32>", "stablehlo.return %x : tensor<f32>"),
               "parameter #1 of the reduction is tensor<i32>, but the result is tensor<f32>");
}

TEST(VerifierRegionTest, RegionsUseWhatIsDefinedBeforeThem) {
  EXPECT_ERROR(VerifyText(R"(
func.func @main(%p: tensor<i1>, %x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %0 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %0 : tensor<i32>
})"),
               "operand #0 is used before its definition by stablehlo.if");
  EXPECT_ERROR(VerifyText(R"(
func.func @main(%p: tensor<i1>, %x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.if"(%p) ({
    %2 = stablehlo.negate %1 : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }, {
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  %1 = stablehlo.negate %0 : tensor<i32>
  return %1 : tensor<i32>
})"),
               "operand #0 is used before its definition by stablehlo.negate");
}

TEST(VerifierSymbolTest, NamesAreUniqueWithinTheirModule) {
  EXPECT_ERROR(VerifyText("func.func @f() { return }\nfunc.func @f() { return }"),
               "test.mlir:2:1: func.func: redefinition of symbol named 'f'");
  EXPECT_ERROR(VerifyText("sdy.mesh @f = <[\"x\"=2]>\nfunc.func private @f() { return }"),
               "redefinition of symbol named 'f'");
  EXPECT_OK(
      VerifyText("module @f { func.func @f() { return } }\n"
                 "module @g { func.func @f() { return } }"));
}

TEST(VerifierTypeTest, TypesHaveRulesOfTheirOwn) {
  EXPECT_ERROR(VerifyText("func.func private @f(!stablehlo.future<f32>)"),
               "must be ranked tensors");
  EXPECT_ERROR(VerifyText("func.func private @f(!stablehlo.other)"), "unknown stablehlo type");
  EXPECT_ERROR(VerifyText("func.func private @f(tensor<2x?xf32, #stablehlo.bounds<4>>)"),
               "expected to be equal to rank (2)");
}

}  // namespace
}  // namespace xla::stablehlo
