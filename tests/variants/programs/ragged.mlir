// Ragged dots in their three modes, with batch dimensions.
module @ragged {
  func.func @main(%m: tensor<2x5x4xf32>, %r: tensor<2x3x4x6xf32>, %k: tensor<2x4x6xf32>, %w: tensor<5x4xf32>, %v: tensor<4x6xf32>, %g: tensor<2x3xi32>, %h: tensor<3xi64>, %b: tensor<5x4x6xf32>) -> tensor<2x5x6xf32> {
    %0 = "chlo.ragged_dot"(%m, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>, precision_config = [#chlo<precision HIGH>, #chlo<precision DEFAULT>]} : (tensor<2x5x4xf32>, tensor<2x3x4x6xf32>, tensor<2x3xi32>) -> tensor<2x5x6xf32>
    %1 = "chlo.ragged_dot"(%m, %k, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = []>} : (tensor<2x5x4xf32>, tensor<2x4x6xf32>, tensor<2x3xi32>) -> tensor<3x2x5x6xf32>
    %2 = "chlo.ragged_dot"(%w, %v, %h) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>} : (tensor<5x4xf32>, tensor<4x6xf32>, tensor<3xi64>) -> tensor<3x5x6xf32>
    %3 = "chlo.ragged_dot"(%w, %b, %h) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>} : (tensor<5x4xf32>, tensor<5x4x6xf32>, tensor<3xi64>) -> tensor<5x6xf32>
    return %0 : tensor<2x5x6xf32>
  }
}
