module @jit_depth_to_space attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x64x64x64xf32>) -> (tensor<16x256x256x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<16x64x64x64xf32>) -> tensor<16x64x64x4x4x4xf32>
    %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2, 4, 5] : (tensor<16x64x64x4x4x4xf32>) -> tensor<16x64x4x64x4x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<16x64x4x64x4x4xf32>) -> tensor<16x256x256x4xf32>
    return %2 : tensor<16x256x256x4xf32>
  }
}
