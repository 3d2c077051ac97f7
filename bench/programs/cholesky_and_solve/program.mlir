module @jit_cholesky_and_solve attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x256xf32>) -> (tensor<256x256xf32> {jax.result_info = "result[0]"}, tensor<256x256xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %2 = stablehlo.iota dim = 0 : tensor<256x256xi32>
    %3 = stablehlo.iota dim = 1 : tensor<256x256xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<256x256xi32>
    %5 = stablehlo.add %2, %4 : tensor<256x256xi32>
    %6 = stablehlo.compare EQ, %5, %3, SIGNED : (tensor<256x256xi32>, tensor<256x256xi32>) -> tensor<256x256xi1>
    %7 = stablehlo.convert %6 : (tensor<256x256xi1>) -> tensor<256x256xf32>
    %cst = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<256x256xf32>
    %10 = stablehlo.add %1, %9 : tensor<256x256xf32>
    %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %12 = stablehlo.add %10, %11 : tensor<256x256xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %14 = stablehlo.divide %12, %13 : tensor<256x256xf32>
    %15 = stablehlo.cholesky %14, lower = true : tensor<256x256xf32>
    %16 = stablehlo.iota dim = 0 : tensor<256x256xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<256x256xi32>
    %18 = stablehlo.add %16, %17 : tensor<256x256xi32>
    %19 = stablehlo.iota dim = 1 : tensor<256x256xi32>
    %20 = stablehlo.compare GE, %18, %19, SIGNED : (tensor<256x256xi32>, tensor<256x256xi32>) -> tensor<256x256xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %22 = stablehlo.select %20, %15, %21 : tensor<256x256xi1>, tensor<256x256xf32>
    %23 = "stablehlo.triangular_solve"(%22, %arg0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    return %22, %23 : tensor<256x256xf32>, tensor<256x256xf32>
  }
}
