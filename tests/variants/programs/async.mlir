// Operations that start in one place and end in another.
module @async attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4x6xf32>, %i: tensor<i32>) -> (tensor<8x6xf32>, tensor<4x6xf32>, tensor<2x3xf32>, tensor<2x6xf32>, tensor<4x6xf32>) {
    %0 = "stablehlo.async_start"(%a) ({
    ^bb0(%x: tensor<4x6xf32>):
      %10 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x6xf32>) -> tensor<8x6xf32>
      stablehlo.return %10 : tensor<8x6xf32>
    }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<8x6xf32>>
    %1 = "stablehlo.async_start"(%a) ({
    ^bb0(%x: tensor<4x6xf32>):
      %10 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%y: tensor<f32>, %z: tensor<f32>):
        %11 = stablehlo.add %y, %z : tensor<f32>
        stablehlo.return %11 : tensor<f32>
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      stablehlo.return %10 : tensor<4x6xf32>
    }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<4x6xf32>>
    %2 = "stablehlo.async_start"(%a) ({
    ^bb0(%x: tensor<4x6xf32>):
      %10 = stablehlo.slice %x [0:2, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
      stablehlo.return %10 : tensor<2x3xf32>
    }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<2x3xf32>>
    %3 = "stablehlo.async_start"(%a, %i, %i) ({
    ^bb0(%x: tensor<4x6xf32>, %y: tensor<i32>, %z: tensor<i32>):
      %10 = stablehlo.dynamic_slice %x, %y, %z, sizes = [2, 6] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
      stablehlo.return %10 : tensor<2x6xf32>
    }) : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> !stablehlo.future<tensor<2x6xf32>>
    %4 = "stablehlo.async_start"(%a) ({
    ^bb0(%x: tensor<4x6xf32>):
      %10 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
      stablehlo.return %10 : tensor<4x6xf32>
    }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<4x6xf32>>
    %5 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8x6xf32>>) -> tensor<8x6xf32>
    %6 = "stablehlo.async_done"(%1) : (!stablehlo.future<tensor<4x6xf32>>) -> tensor<4x6xf32>
    %7 = "stablehlo.async_done"(%2) : (!stablehlo.future<tensor<2x3xf32>>) -> tensor<2x3xf32>
    %8 = "stablehlo.async_done"(%3) : (!stablehlo.future<tensor<2x6xf32>>) -> tensor<2x6xf32>
    %9 = "stablehlo.async_done"(%4) : (!stablehlo.future<tensor<4x6xf32>>) -> tensor<4x6xf32>
    return %5, %6, %7, %8, %9 : tensor<8x6xf32>, tensor<4x6xf32>, tensor<2x3xf32>, tensor<2x6xf32>, tensor<4x6xf32>
  }
}
