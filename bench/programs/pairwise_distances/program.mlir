module @jit_pairwise_distances attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1000x64xf32>, %arg1: tensor<2000x64xf32>) -> (tensor<1000x2000xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<1000x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<1000x64xf32>, tensor<f32>) -> tensor<1000xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1000xf32>) -> tensor<1000x1xf32>
    %3 = stablehlo.multiply %arg1, %arg1 : tensor<2000x64xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<2000x64xf32>, tensor<f32>) -> tensor<2000xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<2000xf32>) -> tensor<1x2000xf32>
    %6 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1000x1xf32>) -> tensor<1000x2000xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x2000xf32>) -> tensor<1000x2000xf32>
    %8 = stablehlo.add %6, %7 : tensor<1000x2000xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1000x64xf32>
    %10 = stablehlo.multiply %9, %arg0 : tensor<1000x64xf32>
    %11 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<2000x64xf32>) -> tensor<64x2000xf32>
    %12 = stablehlo.dot_general %10, %11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1000x64xf32>, tensor<64x2000xf32>) -> tensor<1000x2000xf32>
    %13 = stablehlo.subtract %8, %12 : tensor<1000x2000xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1000x2000xf32>
    %15 = stablehlo.maximum %13, %14 : tensor<1000x2000xf32>
    %16 = stablehlo.sqrt %15 : tensor<1000x2000xf32>
    return %16 : tensor<1000x2000xf32>
  }
}
