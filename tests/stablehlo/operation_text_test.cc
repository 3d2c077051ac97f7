// SPDX-License-Identifier: Apache-2.0
// Programs in the form that MLIR prints: what is read prints again as it was.
#include "xla/stablehlo/operation_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/mlir/source.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

absl::StatusOr<std::string> Reprint(const std::string& text) {
  XLA_ASSIGN_OR_RETURN(const auto source, mlir::ReadText(text, "test.mlir", AllDialects()));
  return PrettyText(*source->module);
}

void ExpectPrintsItself(const std::string& text) {
  ASSERT_OK_AND_ASSIGN(const std::string printed, Reprint(text));
  EXPECT_EQ(printed, text);
}

TEST(OperationTextTest, PrintsStructuredOperations) {
  ExpectPrintsItself(R"(module @m {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<i1>, %arg2: tensor<i32>) -> (tensor<2x3xf32> {jax.result_info = ""}, tensor<2xf32>) attributes {foo.x = 1 : i32} {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<2x3xf32>
    %c_0 = stablehlo.constant dense<true> : tensor<i1>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_4 = %arg2) : tensor<2x3xf32>, tensor<i32> attributes {bar.y = "s"}
    cond {
      %22 = stablehlo.compare LT, %iterArg_4, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %22 : tensor<i1>
    } do {
      %22 = stablehlo.add %iterArg_4, %c : tensor<i32>
      stablehlo.return %iterArg, %22 : tensor<2x3xf32>, tensor<i32>
    }
    %1 = stablehlo.select %arg1, %0#0, %cst : tensor<i1>, tensor<2x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.reduce(%1 init: %cst_2) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%arg3: tensor<f32>, %arg4: tensor<f32>)  {
      %22 = stablehlo.subtract %arg3, %arg4 : tensor<f32>
      stablehlo.return %22 : tensor<f32>
    }
    %4 = "stablehlo.if"(%arg1) ({
      stablehlo.return %2 : tensor<2xf32>
    }, {
      stablehlo.return %3 : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    %5 = stablehlo.dot_general %arg0, %1, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
    %6 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
    %7 = call @f(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %8 = stablehlo.custom_call @foo(%arg0, %7) {api_version = 4 : i32, mhlo.backend_config = {a = 1 : i32, b}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %9 = stablehlo.slice %8 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
    %10 = stablehlo.fft %9, type = RFFT, length = [2] : (tensor<2x2xf32>) -> tensor<2x2xcomplex<f32>>
    %11 = stablehlo.pad %arg0, %cst_2, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x4xf32>
    %12 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2x3xf32>
    %13 = stablehlo.iota dim = 0 : tensor<4xi32>
    %14:2 = "stablehlo.sort"(%13, %13) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
      %22 = stablehlo.compare LT, %arg3, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %22 : tensor<i1>
    }) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
    %15 = stablehlo.dynamic_slice %13, %arg2, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
    %16 = stablehlo.concatenate %13, %15, dim = 0 : (tensor<4xi32>, tensor<2xi32>) -> tensor<6xi32>
    %17 = stablehlo.tuple %13, %15 : tuple<tensor<4xi32>, tensor<2xi32>>
    %18 = stablehlo.get_tuple_element %17[0] : (tuple<tensor<4xi32>, tensor<2xi32>>) -> tensor<4xi32>
    %19:2 = stablehlo.optimization_barrier %13, %15 : tensor<4xi32>, tensor<2xi32>
    %20 = stablehlo.optimization_barrier %15 : tensor<2xi32>
    %21 = stablehlo.after_all  : !stablehlo.token
    %c_3 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %c_3, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xi32>)
    return %1, %2 : tensor<2x3xf32>, tensor<2xf32>
  }
  func.func private @f(%arg0: tensor<2x3xf32> {mhlo.sharding = "{replicated}"}) -> tensor<2x3xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xf64>
    %1 = stablehlo.convert %0 : (tensor<2x3xf64>) -> tensor<2x3xf32>
    %2 = stablehlo.composite "my.c" %arg0 {composite_attributes = {k = 1 : i64}, decomposition = @f, version = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %4 = chlo.erf %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %c = stablehlo.constant dense<1> : tensor<200xi8>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %5:2 = "stablehlo.case"(%c_0) ({
      stablehlo.return %arg0, %arg0 : tensor<2x3xf32>, tensor<2x3xf32>
    }) : (tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    return %1 : tensor<2x3xf32>
  }
}
)");
}

TEST(OperationTextTest, PrintsAttributesAndWindows) {
  ExpectPrintsItself(R"(module @m {
  func.func @main(%arg0: tensor<3x4x2xf32>, %arg1: tensor<2x3x1xi64>, %arg2: tensor<?x4xf32, #stablehlo.bounds<3, ?>>, %arg3: tensor<1x8x8x3xf32>, %arg4: tensor<3x3x3x4xf32>) -> tensor<?x4xf32, #stablehlo.bounds<3, ?>> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4, 2>}> : (tensor<3x4x2xf32>, tensor<2x3x1xi64>) -> tensor<2x3x4x2xf32>
    %1 = stablehlo.convolution(%arg3, %arg4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x3x4xf32>
    %2 = stablehlo.convolution(%arg3, %arg4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
    %3 = stablehlo.convolution(%arg3, %arg4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0], [0, 0]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
    %4 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %10 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
    %5 = stablehlo.custom_call @foo(%arg0) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
    %c = stablehlo.constant dense<[255, 1, 0, 255, 1, 0, 255, 1, 0, 255, 1, 0, 255, 1, 0, 255, 1, 0, 255]> : tensor<19xui8>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<3x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg3, %cst, %cst) <{epsilon = 9.99999974E-6 : f32, feature_index = 3 : i64}> : (tensor<1x8x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x8x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %6 = "stablehlo.triangular_solve"(%cst_0, %cst_0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %c_2 = stablehlo.constant dense<[-1, 2]> : tensor<2xi4>
    %7 = stablehlo.cholesky %cst_0, lower = true : tensor<3x3xf32>
    %8 = stablehlo.dot_general %cst_0, %cst_0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %9 = "stablehlo.reduce_window"(%cst_0, %cst_1) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %10 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<3x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %arg2 : tensor<?x4xf32, #stablehlo.bounds<3, ?>>
  }
}
)");
}

// As jaxlib prints it.
TEST(OperationTextTest, PrintsMeshesCompositesAndQuotes) {
  ExpectPrintsItself(R"(module @m attributes {a.b = "q\22u\\o\0At"} {
  func.func private @mesh()
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 {a = #stablehlo.axis_ref<name = "b", sub_axis_info = (2)2>, b = #stablehlo.mesh<axes=[<name = "a", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>, c = #stablehlo.mesh<axes=[<name = "x\22", size = 1>, <name = "y", size = 4>]>, d = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "a">, #stablehlo.axis_ref<name = "b", sub_axis_info = (2)2>]>} : tensor<4xf32>
    %1 = stablehlo.composite "my.op" %0 ({
      %4 = stablehlo.negate %arg0 : tensor<4xf32>
      stablehlo.return %4 : tensor<4xf32>
    }, {
    ^bb0(%arg1: tensor<f32>):
      stablehlo.return %arg1 : tensor<f32>
    }) {decomposition = @d} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.composite "my.op"  ({
    ^bb0(%arg1: tensor<f32>):
      stablehlo.return %arg1 : tensor<f32>
    }) {decomposition = @e} : () -> tensor<4xf32>
    %3 = stablehlo.composite "my.op"  {decomposition = @e} : () -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @d(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func private @e() -> tensor<4xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
    return %cst : tensor<4xf32>
  }
}
)");
}

TEST(OperationTextTest, FallsBackToTheGenericForm) {
  // The compact form of a reduction needs a region of one block.
  ExpectPrintsItself(R"(module {
  func.func private @f() -> i32
  "other.operation"() : () -> ()
}
)");
}

// Bytes of all types but bits, and of numbers narrower than a byte in one each.
TEST(OperationTextTest, ReadsTheHexadecimalConstantsThatItWrites) {
  for (const auto& [type, bytes] : {std::pair<std::string, size_t>("f32", 4),
                                    {"f64", 8},
                                    {"bf16", 2},
                                    {"f16", 2},
                                    {"f8E4M3FN", 1},
                                    {"i8", 1},
                                    {"ui8", 1},
                                    {"i16", 2},
                                    {"i64", 8},
                                    {"i4", 1},
                                    {"ui2", 1},
                                    {"complex<f32>", 8}}) {
    const bool is_narrow = type == "i4" || type == "ui2";
    std::string digits;
    for (size_t i = 0; i < 101 * bytes; ++i)
      digits += absl::StrFormat("%02X", is_narrow ? i % 4 : (i * 7 + 1) % 127);
    ExpectPrintsItself(absl::StrCat("module {\n  func.func @f() {\n    %",
                                    type[0] == 'i' || type[0] == 'u' ? "c" : "cst",
                                    " = stablehlo.constant dense<\"0x", digits, "\"> : tensor<101x",
                                    type, ">\n    return\n  }\n}\n"));
  }
}

TEST(OperationTextTest, WritesLongConstantsInHexadecimal) {
  ASSERT_OK_AND_ASSIGN(const std::string printed,
                       Reprint("func.func @f() {\n %0 = stablehlo.constant dense<\"0x" +
                               std::string(2 * 100, '1') + "22\"> : tensor<101xi8>\n return\n}\n"));
  EXPECT_NE(printed.find("dense<\"0x1111"), std::string::npos) << printed;
}

TEST(OperationTextTest, WritesEqualElementsOnce) {
  ASSERT_OK_AND_ASSIGN(const std::string printed, Reprint(R"(func.func @f() {
  %0 = stablehlo.constant {a = dense<[[1, 1]]> : tensor<1x2xi64>} dense<[true, true]> : tensor<2xi1>
  return
})"));
  EXPECT_NE(printed.find("{a = dense<1> : tensor<1x2xi64>} dense<true> : tensor<2xi1>"),
            std::string::npos)
      << printed;
}

TEST(OperationTextTest, PrintsShardy) {
  ExpectPrintsItself(R"(module {
  sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.add %arg0, %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}p1, {}]>]>} : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {"y":(1)2}], replicated={"y":(2)2}> : tensor<8x16xf32>
    %2 = sdy.reshard %1 <mesh<["a"=2]>, [{"a"}, {}]> {k} : tensor<8x16xf32>
    %3:2 = sdy.manual_computation(%1, %2) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] manual_axes={"x"} (%arg1: tensor<4x16xf32>, %arg2: tensor<8x16xf32>) {
      sdy.return %arg1, %arg2 : tensor<4x16xf32>, tensor<8x16xf32>
    } : (tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    %4 = sdy.named_computation<"f\0A">(%3#0) in_shardings=[<@mesh, [{"x"}, {}]>] (%arg1: tensor<8x16xf32>) {
      sdy.return %arg1 : tensor<8x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    sdy.sharding_group %4 group_id=3 : tensor<8x16xf32>
    %5 = sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
    %6 = sdy.data_flow_edge %5 : tensor<8x16xf32>
    %7 = sdy.data_flow_edge %6 sharding=<@mesh, [{}, {?}]> : tensor<8x16xf32>
    %8 = sdy.func_data_flow_edge %7 : tensor<8x16xf32>
    %9 = sdy.propagation_barrier %8 allowed_direction=BACKWARD : tensor<8x16xf32>
    %10 = sdy.all_slice [{"x"}, {}] %9 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    %11 = sdy.all_to_all [{"x"}: 0->1] %10 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x16xf32>
    %12 = sdy.collective_permute %11 out_sharding=<@mesh, [{}, {"y":(1)2}]> : tensor<8x16xf32>
    %13 = sdy.all_gather [{}, {"y":(1)2}] %12 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %14 = sdy.all_reduce {"x"} %13 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %15 = sdy.all_reduce max {"x", "y"} %14 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %16 = sdy.reduce_scatter [{"x"}, {}] %15 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    %17 = sdy.sharded_to_unreduced [{"x"}, {}] %16 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x16xf32>
    %18 = sdy.replicated_to_unreduced {"y"} %17 out_sharding=<@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<8x16xf32>
    return %18 : tensor<8x16xf32>
  }
}
)");
  // Aliases, and names of attributes where their text alone would do.
  ASSERT_OK_AND_ASSIGN(const std::string printed, Reprint(R"(#m = #sdy.mesh<["x"=2]>
#s = #sdy.sharding<@mesh, [{"x"}]>
sdy.mesh @mesh = #m
func.func @f(%a: tensor<4xf32> {sdy.sharding = #s}) -> tensor<4xf32> {
  %0 = sdy.reshard %a #s : tensor<4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[#s]>} : tensor<4xf32>
  return %1 : tensor<4xf32>
})"));
  EXPECT_EQ(printed, R"(module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @f(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<4xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
)");
}

}  // namespace
}  // namespace xla::stablehlo
