// Reductions, windows and a sort. A constant of outside is copied into the computation that uses it:
// %two stays, unused, where it is written.
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<2x3xf32>, tensor<4x6xf32>) {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x3xf32>
  %two = stablehlo.constant dense<2.000000e+00> : tensor<f32>
  %2 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %twice = stablehlo.multiply %b, %two : tensor<f32>
    %less = stablehlo.compare LT, %a, %twice : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2x3xf32>, tensor<4x6xf32>
}
