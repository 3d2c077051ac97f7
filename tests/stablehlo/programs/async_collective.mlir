// Collectives that start and end with custom calls, as JAX 0.12 writes them.
module @async_collective attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<2x6xf32>, tensor<8x6xf32>, tensor<4x6xf32>, tensor<2x12xf32>) {
    %0 = stablehlo.custom_call @"all-reduce-start"(%x) {backend_config = "", called_computations = [@add], mhlo.frontend_attributes = {async_collective_config = "{\22replica_groups\22: [[0, 1]], \22use_global_device_ids\22: true, \22channel_id\22: 1}"}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.custom_call @"reduce-scatter-start"(%x) {backend_config = "", called_computations = [@add], mhlo.frontend_attributes = {async_collective_config = "{\22scatter_dimension\22: 0, \22replica_groups\22: [[0, 1]], \22tiled\22: true, \22use_global_device_ids\22: true, \22channel_id\22: 1}"}} : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %2 = stablehlo.custom_call @"all-gather-start"(%x) {backend_config = "", mhlo.frontend_attributes = {async_collective_config = "{\22all_gather_dimension\22: 0, \22replica_groups\22: [[0, 1]], \22use_global_device_ids\22: true, \22channel_id\22: 1}"}} : (tensor<4x6xf32>) -> tensor<8x6xf32>
    %3 = stablehlo.custom_call @"collective-permute-start"(%x) {backend_config = "", mhlo.frontend_attributes = {async_collective_config = "{\22permutation\22: [[0, 1], [1, 0]], \22channel_id\22: 1}"}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %4 = stablehlo.custom_call @"all-to-all-start"(%x) {backend_config = "", mhlo.frontend_attributes = {async_collective_config = "{\22split_dimension\22: 0, \22concat_dimension\22: 1, \22split_count\22: 2, \22replica_groups\22: [[0, 1]], \22channel_id\22: 1}"}} : (tensor<4x6xf32>) -> tensor<2x12xf32>
    %5 = stablehlo.custom_call @"all-reduce-done"(%0) {backend_config = ""} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %6 = stablehlo.custom_call @"reduce-scatter-done"(%1) {backend_config = ""} : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %7 = stablehlo.custom_call @"all-gather-done"(%2) {backend_config = ""} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %8 = stablehlo.custom_call @"collective-permute-done"(%3) {backend_config = ""} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %9 = stablehlo.custom_call @"all-to-all-done"(%4) {backend_config = ""} : (tensor<2x12xf32>) -> tensor<2x12xf32>
    return %5, %6, %7, %8, %9 : tensor<4x6xf32>, tensor<2x6xf32>, tensor<8x6xf32>, tensor<4x6xf32>, tensor<2x12xf32>
  }
  func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32>
    return %0 : tensor<f32>
  }
}
