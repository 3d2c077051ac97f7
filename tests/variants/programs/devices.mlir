// Collectives with roots, of several operands, and started before they are done; tuples.
module @devices attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4x6xf32>, %v: tensor<8xf32>, %roots: tensor<2xi32>, %root: tensor<1xi32>) -> tensor<4x6xf32> {
    %0:2 = "stablehlo.collective_broadcast"(%x, %v) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<4x6xf32>, tensor<8xf32>) -> (tensor<4x6xf32>, tensor<8xf32>)
    %1:2 = "stablehlo.collective_broadcast"(%x, %v, %roots) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, has_dynamic_root = true} : (tensor<4x6xf32>, tensor<8xf32>, tensor<2xi32>) -> (tensor<4x6xf32>, tensor<8xf32>)
    %2 = "stablehlo.collective_reduce"(%x, %root) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %12 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %12 : tensor<f32>
    }) {replica_groups = dense<[[0, 1], [3, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids, has_dynamic_root = true} : (tensor<4x6xf32>, tensor<1xi32>) -> tensor<4x6xf32>
    %3:2 = "stablehlo.collective_reduce"(%x, %v) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %12 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %12 : tensor<f32>
    }) {replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>} : (tensor<4x6xf32>, tensor<8xf32>) -> (tensor<4x6xf32>, tensor<8xf32>)
    %4:2 = "stablehlo.all_gather"(%x, %v) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>, tensor<8xf32>) -> (tensor<8x6xf32>, tensor<16xf32>)
    %5:2 = "stablehlo.all_to_all"(%x, %v) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>, tensor<8xf32>) -> (tensor<4x6xf32>, tensor<8xf32>)
    %6 = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<4x6xf32>):
      %12 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
      stablehlo.return %12 : tensor<4x6xf32>
    }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<4x6xf32>>
    %7 = "stablehlo.async_done"(%6) : (!stablehlo.future<tensor<4x6xf32>>) -> tensor<4x6xf32>
    %8 = stablehlo.partition_id : tensor<ui32>
    %9 = stablehlo.replica_id : tensor<ui32>
    %10 = stablehlo.create_token : !stablehlo.token
    %11 = stablehlo.after_all %10, %10 : !stablehlo.token
    %13 = stablehlo.tuple %x, %v : tuple<tensor<4x6xf32>, tensor<8xf32>>
    %14 = stablehlo.get_tuple_element %13[1] : (tuple<tensor<4x6xf32>, tensor<8xf32>>) -> tensor<8xf32>
    %15:3 = "stablehlo.infeed"(%11) {infeed_config = "", layout = [[0, 1], [0]]} : (!stablehlo.token) -> (tensor<4x6xf32>, tensor<8xf32>, !stablehlo.token)
    %16 = "stablehlo.outfeed"(%x, %14, %15#2) {outfeed_config = "o"} : (tensor<4x6xf32>, tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
    %17 = "stablehlo.send"(%x, %16) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>, !stablehlo.token) -> !stablehlo.token
    %18:2 = "stablehlo.recv"(%17) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (!stablehlo.token) -> (tensor<4x6xf32>, !stablehlo.token)
    return %x : tensor<4x6xf32>
  }
}
