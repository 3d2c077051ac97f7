module @jit_n_body attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024x3xf32>, %arg1: tensor<1024x3xf32>) -> (tensor<1024x3xf32> {jax.result_info = "result[0]"}, tensor<1024x3xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<1024x3xf32>, tensor<1024x3xf32>
    cond {
      %c_2 = stablehlo.constant dense<10> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_0, %iterArg_1) : (tensor<1024x3xf32>, tensor<1024x3xf32>) -> (tensor<1024x3xf32>, tensor<1024x3xf32>)
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %2, %1#0, %1#1 : tensor<i32>, tensor<1024x3xf32>, tensor<1024x3xf32>
    }
    return %0#1, %0#2 : tensor<1024x3xf32>, tensor<1024x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<1024x3xf32>, %arg1: tensor<1024x3xf32>) -> (tensor<1024x3xf32>, tensor<1024x3xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<1024x3xf32>) -> tensor<1x1024x3xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<1024x3xf32>) -> tensor<1024x1x3xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x1024x3xf32>) -> tensor<1024x1024x3xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1024x1x3xf32>) -> tensor<1024x1024x3xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<1024x1024x3xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<1024x1024x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<1024x1024x3xf32>, tensor<f32>) -> tensor<1024x1024xf32>
    %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %8 = stablehlo.add %6, %7 : tensor<1024x1024xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1024x1024xf32>) -> tensor<1024x1024x1xf32>
    %cst_1 = stablehlo.constant dense<-1.500000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1024x1024x1xf32>
    %11 = stablehlo.power %9, %10 : tensor<1024x1024x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1024x1024x1xf32>) -> tensor<1024x1024x3xf32>
    %13 = stablehlo.multiply %4, %12 : tensor<1024x1024x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<1024x1024x3xf32>, tensor<f32>) -> tensor<1024x3xf32>
    %cst_3 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1024x3xf32>
    %16 = stablehlo.divide %14, %15 : tensor<1024x3xf32>
    %cst_4 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1024x3xf32>
    %18 = stablehlo.multiply %17, %16 : tensor<1024x3xf32>
    %19 = stablehlo.add %arg1, %18 : tensor<1024x3xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1024x3xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<1024x3xf32>
    %22 = stablehlo.add %arg0, %21 : tensor<1024x3xf32>
    return %22, %19 : tensor<1024x3xf32>, tensor<1024x3xf32>
  }
}
