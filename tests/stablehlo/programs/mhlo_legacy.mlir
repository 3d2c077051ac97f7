// Forms that MHLO has and StableHLO lacks: an all_to_all of several operands, dimensions of ragged_dot within others, padding in a row,
// dynamic sizes with bounds.
module @mhlo_legacy attributes {mhlo.cross_program_prefetches = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %lhs: tensor<2x11x5xf32>, %rhs: tensor<2x5x7xf32>, %sizes: tensor<3xi64>,
      %image: tensor<1x8x8x1xf32>, %kernel: tensor<3x3x1x4xf32>, %n: tensor<i32>)
      -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<3x2x11x7xf32>, tensor<1x8x8x4xf32>, tensor<?x4xf32, #mhlo.type_extensions<bounds = [8, ?]>>, tensor<4x4xf32>) {
    %0:2 = "mhlo.all_to_all"(%a, %b) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
    %1 = "mhlo.ragged_dot"(%lhs, %rhs, %sizes) {
      ragged_dot_dimension_numbers = #mhlo.ragged_dot<
        dot_dimension_numbers = #mhlo.dot<
          lhs_batching_dimensions = [0],
          rhs_batching_dimensions = [0],
          lhs_contracting_dimensions = [2],
          rhs_contracting_dimensions = [1]
        >,
        lhs_ragged_dimensions = [2],
        rhs_group_dimensions = []
      >,
      precision_config = [#mhlo<precision DEFAULT>, #mhlo<precision DEFAULT>]
    } : (tensor<2x11x5xf32>, tensor<2x5x7xf32>, tensor<3xi64>) -> tensor<3x2x11x7xf32>
    %padding = mhlo.constant dense<1> : tensor<4xi32>
    %2 = "mhlo.dynamic_conv"(%image, %kernel, %padding) {batch_group_count = 1 : i64, dimension_numbers = #mhlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<1x8x8x1xf32>, tensor<3x3x1x4xf32>, tensor<4xi32>) -> tensor<1x8x8x4xf32>
    %3 = "mhlo.set_dimension_size"(%a, %n) {dimension = 0 : i64} : (tensor<8x4xf32>, tensor<i32>) -> tensor<?x4xf32, #mhlo.type_extensions<bounds = [8, ?]>>
    %4 = "mhlo.all_to_all"(%a) {concat_dimension = 0 : i64, split_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %5 = "mhlo.slice"(%4) {start_indices = dense<0> : tensor<2xi64>, limit_indices = dense<4> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} : (tensor<8x4xf32>) -> tensor<4x4xf32>
    return %0#0, %0#1, %1, %2, %3, %5 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<3x2x11x7xf32>, tensor<1x8x8x4xf32>, tensor<?x4xf32, #mhlo.type_extensions<bounds = [8, ?]>>, tensor<4x4xf32>
  }
}
