module @jit_segment_maximum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<200000xi32>, %arg1: tensor<200000x16xf32>) -> (tensor<1000x16xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1000x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<200000xi32>
    %2 = stablehlo.compare LT, %arg0, %1, SIGNED : (tensor<200000xi32>, tensor<200000xi32>) -> tensor<200000xi1>
    %c_0 = stablehlo.constant dense<1000> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<200000xi32>
    %4 = stablehlo.add %arg0, %3 : tensor<200000xi32>
    %5 = stablehlo.select %2, %4, %arg0 : tensor<200000xi1>, tensor<200000xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<200000xi32>) -> tensor<200000x1xi32>
    %7 = stablehlo.convert %0 : tensor<1000x16xf32>
    %8 = "stablehlo.scatter"(%7, %6, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %10 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<1000x16xf32>, tensor<200000x1xi32>, tensor<200000x16xf32>) -> tensor<1000x16xf32>
    %9 = stablehlo.convert %8 : tensor<1000x16xf32>
    return %9 : tensor<1000x16xf32>
  }
}
