module @jit_cumulative_max_and_product attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<512x4096xf32>) -> (tensor<512x4096xf32> {jax.result_info = "result[0]"}, tensor<512x4096xf32> {jax.result_info = "result[1]"}) {
    %0 = call @cummax(%arg0) : (tensor<512x4096xf32>) -> tensor<512x4096xf32>
    %cst = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<512x4096xf32>
    %2 = stablehlo.divide %arg0, %1 : tensor<512x4096xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<512x4096xf32>
    %4 = stablehlo.add %3, %2 : tensor<512x4096xf32>
    %5 = call @cumprod(%4) : (tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %0, %5 : tensor<512x4096xf32>, tensor<512x4096xf32>
  }
  func.func private @cummax(%arg0: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4095, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 4096>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<512x4096xf32>, tensor<f32>) -> tensor<512x4096xf32>
    return %1 : tensor<512x4096xf32>
  }
  func.func private @cumprod(%arg0: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    %0 = call @cumprod_0(%arg0) : (tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %0 : tensor<512x4096xf32>
  }
  func.func private @cumprod_0(%arg0: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4095, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 4096>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<512x4096xf32>, tensor<f32>) -> tensor<512x4096xf32>
    return %0 : tensor<512x4096xf32>
  }
}
