// SPDX-License-Identifier: Apache-2.0
// The pretty forms of StableHLO and its neighbors mean their generic forms.
#include "xla/stablehlo/syntax.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/mlir/ir.h"

namespace xla::stablehlo {
namespace {

absl::StatusOr<std::unique_ptr<mlir::Source>> Read(const std::string& text) {
  return mlir::ReadText(text, "test.mlir", AllDialects());
}

// `body` reads as an operation that prints `generic`; %0 to %3 are tensor<4xf32>, %4 is
// tensor<4xi1>, %5 tensor<i32>.
void ExpectGeneric(const std::string& body, const std::string& generic) {
  const std::string prefix = R"(
    %0, %1, %2, %3 = "t.a"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    %4, %5 = "t.b"() : () -> (tensor<4xi1>, tensor<i32>)
    )";
  auto pretty = Read(prefix + body);
  ASSERT_OK(pretty) << body;
  auto expected = Read(prefix + generic);
  ASSERT_OK(expected) << generic;
  std::string difference;
  EXPECT_TRUE(mlir::Equivalent(*(*pretty)->module, *(*expected)->module, &difference))
      << difference;
  auto again = Read(mlir::ToString(*(*pretty)->module));
  ASSERT_OK(again) << mlir::ToString(*(*pretty)->module);
  EXPECT_TRUE(mlir::Equivalent(*(*pretty)->module, *(*again)->module, &difference)) << difference;
}

TEST(Syntax, MhloIsStableHloWhereItIsTheSame) {
  ExpectGeneric("%6 = mhlo.add %0, %1 {k} : tensor<4xf32>",
                "%6 = \"stablehlo.add\"(%0, %1) {k} : (tensor<4xf32>, tensor<4xf32>) -> "
                "tensor<4xf32>");
  ExpectGeneric("%6 = \"mhlo.add\"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
                "%6 = \"stablehlo.add\"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>");
  ExpectGeneric(
      "%6 = mhlo.compare LT, %0, %1, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
      "%6 = \"stablehlo.compare\"(%0, %1) {comparison_direction = "
      "#stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type "
      "TOTALORDER>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>");
  ExpectGeneric(
      "%6 = \"mhlo.dot\"(%0, %1) {p = [#mhlo<precision HIGH>], d = "
      "#mhlo.dot<lhs_contracting_dimensions = [0]>, c = #mhlo.conv<[b, f]x[i, o]->[b, f]>} : "
      "(tensor<4xf32>, tensor<4xf32>) -> !mhlo.token",
      "%6 = \"stablehlo.dot\"(%0, %1) {p = [#stablehlo<precision HIGH>], d = "
      "#stablehlo.dot<lhs_contracting_dimensions = [0]>, c = #stablehlo.conv<[b, f]x[i, o]->[b, "
      "f]>} "
      ": (tensor<4xf32>, tensor<4xf32>) -> !stablehlo.token");
  ExpectGeneric("%6 = mhlo.erf %0 : tensor<4xf32>",
                "%6 = \"chlo.erf\"(%0) : (tensor<4xf32>) -> tensor<4xf32>");
  ExpectGeneric(
      "%6:2 = mhlo.topk(%0, k = 2, largest = false) : tensor<4xf32> -> (tensor<2xf32>, "
      "tensor<2xi32>)",
      "%6:2 = \"mhlo.topk\"(%0) {k = 2 : i64, largest = false} : (tensor<4xf32>) -> "
      "(tensor<2xf32>, tensor<2xi32>)");
  ExpectGeneric("%6 = mhlo.xla.rng_get_and_update_state {delta = 1 : i64}",
                "%6 = \"mhlo.xla.rng_get_and_update_state\"() {delta = 1 : i64} : () -> "
                "tensor<2xui64>");
  EXPECT_ERROR(Read("%0 = mhlo.unknown"), "'mhlo.unknown' is not known");
  EXPECT_ERROR(Read("%0 = mhlo.fusion"), "mhlo.fusion has only the generic form");
}

TEST(Syntax, DictionariesReplaceWhatTheFormStates) {
  ExpectGeneric("%6 = stablehlo.iota dim = 0 {iota_dimension = 1 : i64} : tensor<2x4xf32>",
                "%6 = \"stablehlo.iota\"() {iota_dimension = 1 : i64} : () -> tensor<2x4xf32>");
  ExpectGeneric(
      "%6 = stablehlo.custom_call @f(%0) {call_target_name = \"g\"} : (tensor<4xf32>) -> "
      "tensor<4xf32>",
      "%6 = \"stablehlo.custom_call\"(%0) {call_target_name = \"g\"} : (tensor<4xf32>) -> "
      "tensor<4xf32>");
  ExpectGeneric(
      "%6 = \"stablehlo.iota\"() <{iota_dimension = 0 : i64}> {iota_dimension = 1 : i64} "
      ": () -> tensor<2x4xf32>",
      "%6 = \"stablehlo.iota\"() {iota_dimension = 0 : i64} : () -> tensor<2x4xf32>");
  EXPECT_ERROR(Read("%0 = stablehlo.constant {value = dense<1> : tensor<i32>} dense<2> : "
                    "tensor<i32>"),
               "attribute 'value' is given twice");
  EXPECT_ERROR(Read("%0 = stablehlo.iota dim = 0 {a, a} : tensor<4xf32>"),
               "attribute 'a' is given twice");
}

TEST(Syntax, Shardy) {
  ExpectGeneric("%6 = sdy.all_reduce max {\"x\"} %0 out_sharding=<@m, [{}]> : tensor<4xf32>",
                "%6 = \"sdy.all_reduce\"(%0) {reduction_op = 1 : i32, reduction_axes "
                "= #sdy<axis_ref_list{\"x\"}>, out_sharding = #sdy.sharding<@m, [{}]>} : "
                "(tensor<4xf32>) -> tensor<4xf32>");
  ExpectGeneric(
      "%6 = sdy.collective_permute %0 out_sharding=<@m, [{\"x\"}]> : tensor<4xf32>",
      "%6 = \"sdy.collective_permute\"(%0) {out_sharding = #sdy.sharding<@m, [{\"x\"}]>} : "
      "(tensor<4xf32>) -> tensor<4xf32>");
  ExpectGeneric("%6 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<4xf32>",
                "%6 = \"sdy.propagation_barrier\"(%0) {allowed_direction = 0 : i32} : "
                "(tensor<4xf32>) -> tensor<4xf32>");
}

TEST(Syntax, Elementwise) {
  ExpectGeneric("%6 = stablehlo.abs %0 : tensor<4xf32>",
                "%6 = \"stablehlo.abs\"(%0) : (tensor<4xf32>) -> tensor<4xf32>");
  ExpectGeneric("%6 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xi8>",
                "%6 = \"stablehlo.convert\"(%0) : (tensor<4xf32>) -> tensor<4xi8>");
  ExpectGeneric("%6 = stablehlo.add %0, %1 {k} : tensor<4xf32>",
                "%6 = \"stablehlo.add\"(%0, %1) {k} : (tensor<4xf32>, tensor<4xf32>) -> "
                "tensor<4xf32>");
  ExpectGeneric(
      "%6 = stablehlo.compare LT, %0, %1, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) "
      "-> tensor<4xi1>",
      "%6 = \"stablehlo.compare\"(%0, %1) {comparison_direction = "
      "#stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type "
      "TOTALORDER>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>");
  ExpectGeneric("%6 = stablehlo.select %4, %0, %1 : tensor<4xi1>, tensor<4xf32>",
                "%6 = \"stablehlo.select\"(%4, %0, %1) : (tensor<4xi1>, tensor<4xf32>, "
                "tensor<4xf32>) -> tensor<4xf32>");
  ExpectGeneric("%6 = stablehlo.complex %0, %1 : tensor<4xcomplex<f32>>",
                "%6 = \"stablehlo.complex\"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> "
                "tensor<4xcomplex<f32>>");
  ExpectGeneric("%6 = stablehlo.reduce_precision %0, format = e5m10 : tensor<4xf32>",
                "%6 = \"stablehlo.reduce_precision\"(%0) {exponent_bits = 5 : i32, mantissa_bits "
                "= 10 : i32} : (tensor<4xf32>) -> tensor<4xf32>");
  ExpectGeneric("%6 = stablehlo.constant dense<[1, 2]> : tensor<2xi8>",
                "%6 = \"stablehlo.constant\"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> "
                "tensor<2xi8>");
  ExpectGeneric(
      "%6 = stablehlo.constant() <{value = dense<1> : tensor<i8>}> : () -> "
      "tensor<!quant.uniform<i8:f32, 1.0>>",
      "%6 = \"stablehlo.constant\"() {value = dense<1> : tensor<i8>} : () -> "
      "tensor<!quant.uniform<i8:f32, 1.0>>");
}

// A name without its version must still be a name.
TEST(Syntax, VhloNamesThatEndInADot) {
  ExpectGeneric("\"x.y\"() {a = #vhlo.boo._v1<false>, b = #vhlo.bool_v1<true>} : () -> ()",
                "\"x.y\"() {a = #vhlo.boo._v1<false>, b = true} : () -> ()");
}

TEST(Syntax, Shapes) {
  ExpectGeneric("%6 = stablehlo.slice %0 [0:4:2] : (tensor<4xf32>) -> tensor<2xf32>",
                "%6 = \"stablehlo.slice\"(%0) {start_indices = array<i64: 0>, limit_indices = "
                "array<i64: 4>, strides = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>");
  ExpectGeneric(
      "%6 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> "
      "tensor<8xf32>",
      "%6 = \"stablehlo.concatenate\"(%0, %1) {dimension = 0 : i64} : (tensor<4xf32>, "
      "tensor<4xf32>) -> tensor<8xf32>");
  ExpectGeneric(
      "%6 = stablehlo.dynamic_slice %0, %5, sizes = [2] : (tensor<4xf32>, tensor<i32>) "
      "-> tensor<2xf32>",
      "%6 = \"stablehlo.dynamic_slice\"(%0, %5) {slice_sizes = array<i64: 2>} : "
      "(tensor<4xf32>, tensor<i32>) -> tensor<2xf32>");
  ExpectGeneric(
      "%6 = stablehlo.tuple %0, %5 : tuple<tensor<4xf32>, tensor<i32>>\n"
      "%7 = stablehlo.get_tuple_element %6[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> "
      "tensor<i32>",
      "%6 = \"stablehlo.tuple\"(%0, %5) : (tensor<4xf32>, tensor<i32>) -> "
      "tuple<tensor<4xf32>, tensor<i32>>\n"
      "%7 = \"stablehlo.get_tuple_element\"(%6) {index = 1 : i32} : "
      "(tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>");
  ExpectGeneric(
      "%6:2 = stablehlo.optimization_barrier %0, %5 : tensor<4xf32>, tensor<i32>\n"
      "stablehlo.optimization_barrier()",
      "%6:2 = \"stablehlo.optimization_barrier\"(%0, %5) : (tensor<4xf32>, tensor<i32>) "
      "-> (tensor<4xf32>, tensor<i32>)\n"
      "\"stablehlo.optimization_barrier\"() : () -> ()");
}

TEST(Syntax, Contractions) {
  ExpectGeneric(
      "%6 = stablehlo.dot_general %0, %1, batching_dims = [] x [], contracting_dims = [0] x [0], "
      "precision = [HIGH, DEFAULT], algorithm = <lhs_precision_type = tf32> : (tensor<4xf32>, "
      "tensor<4xf32>) -> tensor<f32>",
      "%6 = \"stablehlo.dot_general\"(%0, %1) {dot_dimension_numbers = "
      "#stablehlo.dot<lhs_batching_dimensions = array<i64>, rhs_batching_dimensions = array<i64>, "
      "lhs_contracting_dimensions = array<i64: 0>, rhs_contracting_dimensions = array<i64: 0>>, "
      "precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>], algorithm "
      "= #stablehlo.dot_algorithm<lhs_precision_type = tf32>} : (tensor<4xf32>, tensor<4xf32>) -> "
      "tensor<f32>");
  const std::string types = "(tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x8x8x1xf32>";
  const std::string operands =
      "%6, %7 = \"t.c\"() : () -> (tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>)\n";
  ExpectGeneric(
      operands +
          "%8 = stablehlo.convolution(%6, %7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
          "f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], reverse = [0, 1]} "
          "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : " +
          types,
      operands +
          "%8 = \"stablehlo.convolution\"(%6, %7) {dimension_numbers = #stablehlo.conv<[b, 0, 1, "
          "f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, padding = dense<[[1, "
          "1], [1, 1]]> : tensor<2x2xi64>, window_reversal = array<i1: false, true>, "
          "batch_group_count = 1 : i64, feature_group_count = 1 : i64} : " +
          types);
}

TEST(Syntax, Regions) {
  ExpectGeneric(
      "%6 = stablehlo.reduce(%0 init: %5) applies stablehlo.add across dimensions = [0] "
      ": (tensor<4xf32>, tensor<i32>) -> tensor<f32>",
      R"(%6 = "stablehlo.reduce"(%0, %5) ({
                   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                     %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                     "stablehlo.return"(%c) : (tensor<f32>) -> ()
                   }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<i32>) -> tensor<f32>)");
  ExpectGeneric(R"(%6:2 = stablehlo.while(%a = %0, %b = %5) : tensor<4xf32>, tensor<i32>
                     attributes {x} cond { stablehlo.return %4 : tensor<4xi1> }
                     do { stablehlo.return %a, %b : tensor<4xf32>, tensor<i32> })",
                R"(%6:2 = "stablehlo.while"(%0, %5) ({
                   ^bb0(%a: tensor<4xf32>, %b: tensor<i32>):
                     "stablehlo.return"(%4) : (tensor<4xi1>) -> ()
                   }, {
                   ^bb0(%a: tensor<4xf32>, %b: tensor<i32>):
                     "stablehlo.return"(%a, %b) : (tensor<4xf32>, tensor<i32>) -> ()
                   }) {x} : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>))");
}

TEST(Syntax, Functions) {
  ExpectGeneric(R"(func.func private @f(%a: tensor<i32> {x.y = 1 : i8}, %b: i1) ->
                       (tensor<i32> {x.z}, i1) attributes {k} { return %a, %b : tensor<i32>, i1 })",
                R"("func.func"() ({
                   ^bb0(%a: tensor<i32>, %b: i1):
                     "func.return"(%a, %b) : (tensor<i32>, i1) -> ()
                   }) {sym_visibility = "private", sym_name = "f", function_type = (tensor<i32>,
                       i1) -> (tensor<i32>, i1), arg_attrs = [{x.y = 1 : i8}, {}], res_attrs =
                       [{x.z}, {}], k} : () -> ())");
  ExpectGeneric("func.func private @f(tensor<i32>, i1 {x}) -> i1",
                "\"func.func\"() ({}) {sym_visibility = \"private\", sym_name = \"f\", "
                "function_type = (tensor<i32>, i1) -> i1, arg_attrs = [{}, {x}]} : () -> ()");
  ExpectGeneric(
      "%6 = stablehlo.custom_call @\"a b\"(%0) {has_side_effect = true} : "
      "(tensor<4xf32>) -> i1",
      "%6 = \"stablehlo.custom_call\"(%0) {call_target_name = \"a b\", has_side_effect "
      "= true} : (tensor<4xf32>) -> i1");
}

TEST(Syntax, VhloTypesAreTheBuiltinOnes) {
  ExpectGeneric(R"(%6 = "vhlo.constant_v1"() {value = #vhlo.tensor_v1<dense<1> : tensor<2xi8>>,
                       e = #vhlo<comparison_direction_v1 EQ>, b = #vhlo.bool_v1<true>,
                       s = #vhlo.string_v1<"x">, i = #vhlo.integer_v1<2 : i64>,
                       d = #vhlo.dict_v1<{#vhlo.string_v1<"k"> = #vhlo.array_v1<[]>}>}
                       : () -> !vhlo.tensor_v1<2x?x!vhlo.ui8_v1, #vhlo.type_extensions_v1<bounds =
                       [2, 3]>>)",
                R"(%6 = "vhlo.constant_v1"() {value = dense<1> : tensor<2xi8>,
                       e = #stablehlo<comparison_direction EQ>, b = true, s = "x", i = 2 : i64,
                       d = {k = []}} : () -> tensor<2x?xui8, #stablehlo.type_extensions<bounds =
                       [2, 3]>>)");
}

TEST(Syntax, Errors) {
  EXPECT_ERROR(Read("%0 = stablehlo.iota dim = x : tensor<2xi8>"), "expected a number");
  EXPECT_ERROR(Read("%0 = stablehlo.compare , %1"), "a keyword of stablehlo.comparison_direction");
  EXPECT_ERROR(Read("stablehlo.sort"), "only the generic form");
  EXPECT_ERROR(Read("%0 = stablehlo.reduce(%1 init: %2) applies stablehlo.subtract across"),
               "commutative");
  EXPECT_ERROR(Read("#a = #stablehlo.conv<[b, 0]x[0, i, o]->[b, 0, f]>"), "expected 'b' and 'f'");
  EXPECT_ERROR(Read("#a = #stablehlo.conv<[b, 1, f]x[0, i, o]->[b, 0, f]>"), "is missing");
  EXPECT_ERROR(Read("#a = #stablehlo.dot<lhs_batching_dimensions = [0], lhs_batching_dimensions = "
                    "[0]>"),
               "given twice");
  EXPECT_ERROR(Read("%0 = stablehlo.dot_general %1, %1, contracting_dims = [0] x [0], algorithm = "
                    "<lhs_component_count = 1, lhs_component_count = 2>"),
               "'lhs_component_count' is given twice");
  // In the dimensions within, and beside them.
  EXPECT_ERROR(
      Read("\"t.x\"() {d = #mhlo.ragged_dot<rhs_batching_dimensions = [0], "
           "dot_dimension_numbers = #mhlo.dot<rhs_batching_dimensions = [0]>>} : () -> ()"),
      "'rhs_batching_dimensions' is given twice");
  EXPECT_ERROR(Read("#a = !vhlo.quant_v1<!vhlo.i8_v1:!vhlo.f32_v1, 5.0e-01:-3, -128:217, 1>"),
               "the range of the storage must be within -128:127");
  EXPECT_ERROR(Read("#a = !vhlo.quant_v1<!vhlo.i8_v1:!vhlo.i32_v1, 5.0e-01:-3, -128:127, 1>"),
               "the expressed type must be a float");
}

// Every program of the conformance sets that is not there to be rejected reads, and reads back
// from its generic form.
TEST(Syntax, ConformanceSets) {
  const char* folder = std::getenv("XYLEM_STABLEHLO_CONFORMANCE_DIR");
  if (folder == nullptr) {
    GTEST_SKIP() << "set XYLEM_STABLEHLO_CONFORMANCE_DIR to the folder of testdata, interpret..";
  }
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  ASSERT_GT(files.size(), 1000u);
  for (const std::string& file : files) {
    std::ifstream stream(file);
    std::stringstream content;
    content << stream.rdbuf();
    const std::string text = content.str();
    for (const std::string_view part : mlir::SplitInput(text)) {
      if (part.find("expected-error") != std::string_view::npos) continue;
      auto source = mlir::ReadText(std::string(part), file, AllDialects());
      EXPECT_OK(source);
      if (!source.ok() || part.size() > 100000) continue;
      const std::string printed = mlir::ToString(*(*source)->module);
      auto again = mlir::ReadText(printed, file + " (generic)", AllDialects());
      EXPECT_OK(again);
      std::string difference;
      EXPECT_TRUE(again.ok() &&
                  mlir::Equivalent(*(*source)->module, *(*again)->module, &difference))
          << file << "\n"
          << difference;
    }
  }
}

}  // namespace
}  // namespace xla::stablehlo
