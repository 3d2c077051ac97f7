// Every character is left out and doubled once.
// Checks, constants of many types, and attributes that few operations have.
module @checks {
  func.func @main() {
    %0 = stablehlo.constant dense<[1.5, -2.0, 0x7FC00000]> : tensor<3xf32>
    %1 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
    %2 = stablehlo.constant dense<(1.0, -2.5)> : tensor<2xcomplex<f64>>
    %3 = stablehlo.constant dense<"0x0102030405060708"> : tensor<4xui16>
    %4 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %5 = stablehlo.constant dense<> : tensor<0x3xf32>
    check.expect_eq %1, %1 : tensor<2x2xi64>
    check.expect_close %0, %0, max_ulp_difference = 3, min_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    check.expect_almost_eq %0, %0 {tolerance = 0.25 : f32} : tensor<3xf32>
    check.expect_eq_const %4, dense<[true, false]> : tensor<2xi1>
    check.expect_almost_eq_const %2, dense<(1.0, -2.5)> : tensor<2xcomplex<f64>>
    %6 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xi32>
    %7:2 = "stablehlo.sort"(%6, %6) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      %12 = "stablehlo.compare"(%b, %c) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%12) : (tensor<i1>) -> ()
    }) {dimension = 1 : i64, is_stable = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
    %8 = "stablehlo.custom_call"(%6, %7#0) {call_target_name = "f", has_side_effect = true, api_version = 4 : i32, backend_config = {k = [1, 2], s = "t", n = dense<3> : tensor<1xi64>}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], called_computations = [@one], mhlo.frontend_attributes = {x = "y"}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %9 = stablehlo.custom_call @g(%8) {api_version = 2 : i32, backend_config = "text", mhlo.sharding = "{replicated}"} : (tensor<2x3xi32>) -> tuple<tensor<2x3xi32>, tensor<3xf32>>
    %10 = "stablehlo.dot_general"(%1, %1) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGH>]} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2xi64>
    %11 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    return
  }
  func.func private @one(%a: tensor<i32>) -> tensor<i32> {
    return %a : tensor<i32>
  }
}
