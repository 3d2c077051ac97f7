// CHLO, composites, and functions that call each other.
module @chlo {
  func.func public @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %m: tensor<5x4xf32>, %r: tensor<3x4x6xf32>, %g: tensor<3xi32>, %p: tensor<3xi1>, %n: tensor<3xi32>) -> (tensor<2x3xf32>, tensor<5x6xf32>) attributes {mhlo.frontend_attributes = {a = "b"}} {
    %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %1 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction GT>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    %2 = chlo.broadcast_select %p, %y, %y : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %3 = chlo.broadcast_complex %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xcomplex<f32>>
    %4:2 = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %5 = "chlo.ragged_dot"(%m, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<5x4xf32>, tensor<3x4x6xf32>, tensor<3xi32>) -> tensor<5x6xf32>
    %6 = chlo.is_inf %x : tensor<2x3xf32> -> tensor<2x3xi1>
    %7 = chlo.is_pos_inf %x : tensor<2x3xf32> -> tensor<2x3xi1>
    %8 = chlo.next_after %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %9 = chlo.zeta %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %10 = chlo.mulhi %n, %n : tensor<3xi32>, tensor<3xi32> -> tensor<3xi32>
    %11 = "chlo.constant_like"(%x) {value = 2.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %12 = chlo.conj %3 : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
    %13 = chlo.lgamma %x : tensor<2x3xf32> -> tensor<2x3xf32>
    %14 = stablehlo.composite "my.op" %0, %11 {composite_attributes = {k = 3 : i64}, decomposition = @decomposition, version = 2 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %15 = func.call @decomposition(%14, %13) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %15, %5 : tensor<2x3xf32>, tensor<5x6xf32>
  }
  func.func private @decomposition(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.maximum %a, %b : tensor<2x3xf32>
    %1 = stablehlo.tan %0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-3, rtol = 0.0, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
}
