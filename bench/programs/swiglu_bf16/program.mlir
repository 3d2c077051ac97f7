module @jit_swiglu_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x512xbf16>, %arg1: tensor<512xf32>, %arg2: tensor<512x1024xbf16>, %arg3: tensor<512x1024xbf16>, %arg4: tensor<1024x512xbf16>) -> (tensor<128x512xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<128x512xbf16>) -> tensor<128x512xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<128x512xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<128x512xf32>, tensor<f32>) -> tensor<128xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %cst_0 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<128x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<128x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<128x1xf32>
    %7 = stablehlo.add %5, %6 : tensor<128x1xf32>
    %8 = stablehlo.rsqrt %7 : tensor<128x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x512xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<128x512xf32>
    %11 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<512xf32>) -> tensor<1x512xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x512xf32>) -> tensor<128x512xf32>
    %13 = stablehlo.multiply %10, %12 : tensor<128x512xf32>
    %14 = stablehlo.convert %13 : (tensor<128x512xf32>) -> tensor<128x512xbf16>
    %15 = stablehlo.dot_general %14, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xbf16>, tensor<512x1024xbf16>) -> tensor<128x1024xbf16>
    %16 = call @silu(%15) : (tensor<128x1024xbf16>) -> tensor<128x1024xbf16>
    %17 = stablehlo.dot_general %14, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xbf16>, tensor<512x1024xbf16>) -> tensor<128x1024xbf16>
    %18 = stablehlo.multiply %16, %17 : tensor<128x1024xbf16>
    %19 = stablehlo.dot_general %18, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x1024xbf16>, tensor<1024x512xbf16>) -> tensor<128x512xbf16>
    %20 = stablehlo.add %arg0, %19 : tensor<128x512xbf16>
    return %20 : tensor<128x512xbf16>
  }
  func.func private @silu(%arg0: tensor<128x1024xbf16>) -> tensor<128x1024xbf16> {
    %0 = stablehlo.negate %arg0 : tensor<128x1024xbf16>
    %1 = stablehlo.exponential %0 : tensor<128x1024xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<128x1024xbf16>
    %3 = stablehlo.add %2, %1 : tensor<128x1024xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<128x1024xbf16>
    %5 = stablehlo.divide %4, %3 : tensor<128x1024xbf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<128x1024xbf16>
    return %6 : tensor<128x1024xbf16>
  }
}
