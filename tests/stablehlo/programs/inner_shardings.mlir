// Shardings of results that are no tuple in HLO, of branches and bodies, which state others than
// what they are returned as, and places of constants that regions use.
module @inner_shardings attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<2x4xi64>, %arg1: tensor<2x4xi64>, %arg2: tensor<8xf32>, %index: tensor<i32>)
      -> (tensor<2x4xi64>, tensor<2x4xi64>, tensor<8xf32>, tensor<8xf32>) {
    %c = stablehlo.constant dense<2.0> : tensor<8xf32> loc("two")
    %limit = stablehlo.constant dense<3.0> : tensor<f32>
    %0:2 = "stablehlo.all_to_all"(%arg0, %arg1) {
      split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>, <@mesh, [{}, {"y"}]>]>
    } : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>)
    %1 = "stablehlo.case"(%index) ({
      %4 = stablehlo.abs %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
      stablehlo.return %4 : tensor<8xf32>
    }, {
      %4 = stablehlo.add %arg2, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
      stablehlo.return %4 : tensor<8xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<i32>) -> tensor<8xf32> loc("case")
    %2 = stablehlo.while(%iter = %1) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
    cond {
      %4 = stablehlo.slice %iter [0:1] : (tensor<8xf32>) -> tensor<1xf32>
      %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
      %6 = stablehlo.compare LT, %5, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %4 = stablehlo.add %iter, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
      stablehlo.return %4 : tensor<8xf32>
    }
    return %0#0, %0#1, %1, %2 : tensor<2x4xi64>, tensor<2x4xi64>, tensor<8xf32>, tensor<8xf32>
  }
}
