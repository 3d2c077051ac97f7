// Groups of devices along the axes of a mesh; composites with regions.
module @mesh_groups attributes {mhlo.num_partitions = 8 : i32, mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\"a\"=2, \"b\"=4]>, other = #sdy.mesh<[\"a\"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>}"}} {
  func.func private @mesh()
  func.func private @other()
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "b">]>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %7 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "a">, #stablehlo.axis_ref<name = "b", sub_axis_info = (2)2>]>, use_global_device_ids}> : (tensor<8x4xf32>) -> tensor<32x4xf32>
    %2 = "stablehlo.reduce_scatter"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @other, axes = [#stablehlo.axis_ref<name = "a", sub_axis_info = (1)4>]>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %7 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<32x4xf32>) -> tensor<8x4xf32>
    %3 = stablehlo.composite "my.op" %2 ({
      %7 = stablehlo.negate %2 : tensor<8x4xf32>
      stablehlo.return %7 : tensor<8x4xf32>
    }, {
    ^bb0(%x: tensor<f32>):
      stablehlo.return %x : tensor<f32>
    }) {decomposition = @decomposition} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }
  func.func private @decomposition(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    return %arg0 : tensor<8x4xf32>
  }
}
