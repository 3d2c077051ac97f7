module @jit_black_scholes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2000000xf32>, %arg1: tensor<2000000xf32>, %arg2: tensor<2000000xf32>) -> (tensor<2000000xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<2000000xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %3 = stablehlo.add %2, %1 : tensor<2000000xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %5 = stablehlo.multiply %4, %arg1 : tensor<2000000xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+02> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %7 = stablehlo.add %6, %5 : tensor<2000000xf32>
    %cst_3 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %9 = stablehlo.add %8, %arg2 : tensor<2000000xf32>
    %10 = stablehlo.sqrt %9 : tensor<2000000xf32>
    %cst_4 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<2000000xf32>
    %13 = stablehlo.divide %3, %7 : tensor<2000000xf32>
    %14 = stablehlo.log %13 : tensor<2000000xf32>
    %cst_5 = stablehlo.constant dense<5.500000e-02> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %16 = stablehlo.multiply %15, %9 : tensor<2000000xf32>
    %17 = stablehlo.add %14, %16 : tensor<2000000xf32>
    %18 = stablehlo.divide %17, %12 : tensor<2000000xf32>
    %cst_6 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %20 = stablehlo.divide %18, %19 : tensor<2000000xf32>
    %21 = chlo.erf %20 : tensor<2000000xf32> -> tensor<2000000xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %23 = stablehlo.add %22, %21 : tensor<2000000xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<2000000xf32>
    %26 = stablehlo.multiply %3, %25 : tensor<2000000xf32>
    %cst_9 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %28 = stablehlo.multiply %27, %9 : tensor<2000000xf32>
    %29 = stablehlo.exponential %28 : tensor<2000000xf32>
    %30 = stablehlo.multiply %7, %29 : tensor<2000000xf32>
    %31 = stablehlo.subtract %18, %12 : tensor<2000000xf32>
    %cst_10 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %33 = stablehlo.divide %31, %32 : tensor<2000000xf32>
    %34 = chlo.erf %33 : tensor<2000000xf32> -> tensor<2000000xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %36 = stablehlo.add %35, %34 : tensor<2000000xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2000000xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<2000000xf32>
    %39 = stablehlo.multiply %30, %38 : tensor<2000000xf32>
    %40 = stablehlo.subtract %26, %39 : tensor<2000000xf32>
    return %40 : tensor<2000000xf32>
  }
}
