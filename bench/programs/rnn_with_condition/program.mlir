module @jit_rnn_with_condition attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x256xf32>, %arg1: tensor<256x256xf32>, %arg2: tensor<256x256xf32>) -> (tensor<256xf32> {jax.result_info = "result[0]"}, tensor<200xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %1 = stablehlo.iota dim = 0 : tensor<200xi32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<200xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3:7 = stablehlo.while(%iterArg = %1, %iterArg_1 = %arg1, %iterArg_2 = %arg0, %iterArg_3 = %arg2, %iterArg_4 = %c, %iterArg_5 = %0, %iterArg_6 = %2) : tensor<200xi32>, tensor<256x256xf32>, tensor<32x256xf32>, tensor<256x256xf32>, tensor<i32>, tensor<256xf32>, tensor<200xf32>
    cond {
      %c_7 = stablehlo.constant dense<200> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<200xi32>, tensor<i32>) -> tensor<i32>
      %5:2 = func.call @closed_call(%iterArg_1, %iterArg_2, %iterArg_3, %iterArg_5, %4) : (tensor<256x256xf32>, tensor<32x256xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<i32>) -> (tensor<256xf32>, tensor<f32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_6, %5#1, %iterArg_4) : (tensor<200xf32>, tensor<f32>, tensor<i32>) -> tensor<200xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg_4, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_1, %iterArg_2, %iterArg_3, %7, %5#0, %6 : tensor<200xi32>, tensor<256x256xf32>, tensor<32x256xf32>, tensor<256x256xf32>, tensor<i32>, tensor<256xf32>, tensor<200xf32>
    }
    return %3#5, %3#6 : tensor<256xf32>, tensor<200xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<200xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<200xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<256x256xf32>, %arg1: tensor<32x256xf32>, %arg2: tensor<256x256xf32>, %arg3: tensor<256xf32>, %arg4: tensor<i32>) -> (tensor<256xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256xf32>, tensor<256x256xf32>) -> tensor<256xf32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %2 = stablehlo.divide %0, %1 : tensor<256xf32>
    %c = stablehlo.constant dense<32> : tensor<i32>
    %3 = call @remainder(%arg4, %c) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %4 = call @dynamic_index_in_dim_0(%arg1, %3) : (tensor<32x256xf32>, tensor<i32>) -> tensor<256xf32>
    %5 = stablehlo.dot_general %4, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256xf32>, tensor<256x256xf32>) -> tensor<256xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %7 = stablehlo.divide %5, %6 : tensor<256xf32>
    %8 = stablehlo.add %2, %7 : tensor<256xf32>
    %9 = stablehlo.tanh %8 : tensor<256xf32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %10 = call @remainder(%arg4, %c_1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.compare EQ, %10, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %12 = stablehlo.convert %11 : (tensor<i1>) -> tensor<i32>
    %13 = "stablehlo.case"(%12) ({
      %15 = func.call @_flip(%9) : (tensor<256xf32>) -> tensor<256xf32>
      stablehlo.return %15 : tensor<256xf32>
    }, {
      %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<256xf32>
      %16 = stablehlo.multiply %9, %15 : tensor<256xf32>
      stablehlo.return %16 : tensor<256xf32>
    }) : (tensor<i32>) -> tensor<256xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%9 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
    return %13, %14 : tensor<256xf32>, tensor<f32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i32>
    return %10 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<32x256xf32>, %arg1: tensor<i32>) -> tensor<256xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.dynamic_slice %arg0, %2, %c_1, sizes = [1, 256] : (tensor<32x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x256xf32>) -> tensor<256xf32>
    return %4 : tensor<256xf32>
  }
  func.func private @_flip(%arg0: tensor<256xf32>) -> tensor<256xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<256xf32>
    return %0 : tensor<256xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<200xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<200xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<200xf32>, tensor<1xf32>, tensor<i32>) -> tensor<200xf32>
    return %1 : tensor<200xf32>
  }
}
