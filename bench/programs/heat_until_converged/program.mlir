module @jit_heat_until_converged attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<512x512xf32>) -> (tensor<512x512xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}, tensor<i32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %cst, %iterArg_1 = %c) : tensor<512x512xf32>, tensor<f32>, tensor<i32>
    cond {
      %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %1 = stablehlo.compare GT, %iterArg_0, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<300> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<false> : tensor<i1>
      %3 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<i1>
      %4 = stablehlo.compare NE, %2, %3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %5 = stablehlo.convert %4 : tensor<i1>
      %6 = stablehlo.and %1, %5 : tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %1 = func.call @_pad(%iterArg, %c_2) : (tensor<512x512xf32>, tensor<i32>) -> tensor<514x514xf32>
      %2 = stablehlo.slice %1 [0:512, 1:513] : (tensor<514x514xf32>) -> tensor<512x512xf32>
      %3 = stablehlo.slice %1 [2:514, 1:513] : (tensor<514x514xf32>) -> tensor<512x512xf32>
      %4 = stablehlo.add %2, %3 : tensor<512x512xf32>
      %5 = stablehlo.slice %1 [1:513, 0:512] : (tensor<514x514xf32>) -> tensor<512x512xf32>
      %6 = stablehlo.add %4, %5 : tensor<512x512xf32>
      %7 = stablehlo.slice %1 [1:513, 2:514] : (tensor<514x514xf32>) -> tensor<512x512xf32>
      %8 = stablehlo.add %6, %7 : tensor<512x512xf32>
      %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
      %10 = stablehlo.divide %8, %9 : tensor<512x512xf32>
      %11 = stablehlo.subtract %10, %iterArg : tensor<512x512xf32>
      %12 = stablehlo.abs %11 : tensor<512x512xf32>
      %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<512x512xf32>, tensor<f32>) -> tensor<f32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.add %iterArg_1, %c_5 : tensor<i32>
      stablehlo.return %10, %13, %14 : tensor<512x512xf32>, tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1, %0#2 : tensor<512x512xf32>, tensor<f32>, tensor<i32>
  }
  func.func private @_pad(%arg0: tensor<512x512xf32>, %arg1: tensor<i32>) -> tensor<514x514xf32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:512] : (tensor<512x512xf32>) -> tensor<1x512xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<1x512xf32>) -> tensor<1x1x512xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x1x512xf32>) -> tensor<1x512xf32>
    %3 = stablehlo.slice %arg0 [511:512, 0:512] : (tensor<512x512xf32>) -> tensor<1x512xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<1x512xf32>) -> tensor<1x1x512xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x1x512xf32>) -> tensor<1x512xf32>
    %6 = stablehlo.concatenate %2, %arg0, %5, dim = 0 : (tensor<1x512xf32>, tensor<512x512xf32>, tensor<1x512xf32>) -> tensor<514x512xf32>
    %7 = stablehlo.slice %6 [0:514, 0:1] : (tensor<514x512xf32>) -> tensor<514x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<514x1xf32>) -> tensor<514x1x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<514x1x1xf32>) -> tensor<514x1xf32>
    %10 = stablehlo.slice %6 [0:514, 511:512] : (tensor<514x512xf32>) -> tensor<514x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<514x1xf32>) -> tensor<514x1x1xf32>
    %12 = stablehlo.reshape %11 : (tensor<514x1x1xf32>) -> tensor<514x1xf32>
    %13 = stablehlo.concatenate %9, %6, %12, dim = 1 : (tensor<514x1xf32>, tensor<514x512xf32>, tensor<514x1xf32>) -> tensor<514x514xf32>
    return %13 : tensor<514x514xf32>
  }
}
