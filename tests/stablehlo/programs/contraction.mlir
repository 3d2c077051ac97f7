// Products, convolutions, linear algebra and random bits.
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>, %image: tensor<1x8x8x3xf32>, %kernel: tensor<3x3x3x4xf32>, %m: tensor<3x3xf32>, %state: tensor<2xui64>) -> (tensor<2x3x5xf32>, tensor<1x4x4x4xf32>, tensor<3x3xf32>, tensor<2xui64>, tensor<4xui32>) {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
  %2 = stablehlo.cholesky %m, lower = true : tensor<3x3xf32>
  %3 = "stablehlo.triangular_solve"(%2, %m) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %4, %5 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return %0, %1, %3, %4, %5 : tensor<2x3x5xf32>, tensor<1x4x4x4xf32>, tensor<3x3xf32>, tensor<2xui64>, tensor<4xui32>
}
