// Equal constants are one; operations that return their operand are left out.
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<i32>, tensor<2xi32>) {
  %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %again = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %scalar = stablehlo.constant dense<7> : tensor<i32>
  %wide = stablehlo.broadcast_in_dim %scalar, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %wide_again = stablehlo.broadcast_in_dim %scalar, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.convert %x : tensor<2x3xf32>
  %b = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = stablehlo.transpose %b, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = stablehlo.slice %c [0:2, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = stablehlo.pad %d, %zero, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %f = stablehlo.broadcast_in_dim %e, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %g = stablehlo.concatenate %f, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %h = stablehlo.add %g, %one : tensor<2x3xf32>
  %i = stablehlo.multiply %h, %again : tensor<2x3xf32>
  // One element is no broadcast.
  %single = stablehlo.constant dense<2.0> : tensor<1xf32>
  %sum = stablehlo.add %wide, %wide_again : tensor<2xi32>
  return %i, %single, %scalar, %sum : tensor<2x3xf32>, tensor<1xf32>, tensor<i32>, tensor<2xi32>
}
