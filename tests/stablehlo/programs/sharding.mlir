// Shardings of GSPMD and Shardy; a computation that handles one axis of its mesh itself.
module @sharding attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, mhlo.frontend_attributes = {key = "value"}} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  sdy.mesh @one = <[], device_ids=[3]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, jax.buffer_donor = true},
                         %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dim_replicate}", mhlo.frontend_attributes = {a = "b"}})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<2x8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"y", "x":(1)2, ?}p1, {}], replicated={"x":(2)2}> : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@one, []> : tensor<8x8xf32>
    %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{replicated}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x"} (%arg2: tensor<2x8xf32>) {
      %4 = sdy.sharding_constraint %arg2 <@mesh, [{}, {"y"}]> : tensor<2x8xf32>
      sdy.return %4 : tensor<2x8xf32>
    } : (tensor<8x8xf32>) -> tensor<2x8xf32>
    return %2, %3 : tensor<8x8xf32>, tensor<2x8xf32>
  }
}
