// Operations whose sizes are operands, all of them constant.
func.func @main(%x: tensor<2x3xf32>, %k: tensor<2x2x1x1xf32>, %img: tensor<1x4x4x1xf32>, %i: tensor<2x1xi32>) -> tensor<3x2xf32> {
  %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %limit = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %wide = stablehlo.constant dense<[4, 2, 3]> : tensor<3xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  %1 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<3x2xf32>
  %2 = stablehlo.dynamic_broadcast_in_dim %x, %wide, dims = [1, 2] : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<4x2x3xf32>
  %3 = stablehlo.real_dynamic_slice %x, %zero, %limit, %one : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf32>
  %4 = stablehlo.dynamic_pad %x, %z, %one, %zero, %one : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x6xf32>
  %sizes = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %5 = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x3xf32>
  %padding = stablehlo.constant dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>
  %6 = "stablehlo.dynamic_conv"(%img, %k, %padding) <{window_strides = array<i64: 1, 2>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>, tensor<2x2xi64>) -> tensor<1x5x2x1xf32>
  %7 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %8 = stablehlo.add %0, %1 : tensor<3x2xf32>
  return %8 : tensor<3x2xf32>
}
