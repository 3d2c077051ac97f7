// Elements moved and cut. The dimension of size 1 that broadcast_in_dim stretches is dropped first.
func.func @main(%x: tensor<1x3xf32>, %y: tensor<4x6xf32>) -> (tensor<2x3xf32>, tensor<6x2xf32>, tensor<5x3xf32>, tensor<4xi32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.slice %y [0:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x6xf32>) -> tensor<6x2xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<6x2xf32>
  %4 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %5 = stablehlo.pad %4, %zero, low = [2, 0], high = [0, 0], interior = [0, 0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  %6 = stablehlo.iota dim = 0 : tensor<2x2xi32>
  %7 = stablehlo.reshape %6 : (tensor<2x2xi32>) -> tensor<4xi32>
  return %0, %3, %5, %7 : tensor<2x3xf32>, tensor<6x2xf32>, tensor<5x3xf32>, tensor<4xi32>
}
