// Every character is left out and doubled once.
// Shardy's operations and attributes.
module @meshes attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @other = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  sdy.mesh @single = <[], device_ids=[2]>
  func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], replicated={"x"}>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}) {
    %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {"y", ?}p1]> : tensor<8x16xf32>
    %1 = sdy.reshard %0 <@other, [{"y"}, {"x"}]> : tensor<8x16xf32>
    %2 = stablehlo.dot %1, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x", "y"} (%c: tensor<2x4xf32>) {
      %6 = stablehlo.negate %c : tensor<2x4xf32>
      sdy.return %6 : tensor<2x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %4 = "sdy.propagation_barrier"(%3) {allowed_direction = 1 : i32} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %5 = stablehlo.custom_call @Sharding(%4) {mhlo.sharding = "{devices=[4,1]<=[2,2]T(1,0)}", backend_config = "unspecified_dims=[1]"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %5 : tensor<8x4xf32>
  }
}
