// Comments after operations state the shardings after propagation and export.
sdy.mesh @mesh = <["a"=2, "b"=4]>

func.func @forward(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %w: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> tensor<8x12xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32> loc("dot")  // [{"a"}, {"b"}]
  %1 = stablehlo.tanh %0 : tensor<8x12xf32> loc("tanh")  // [{"a"}, {"b"}]
  return %1 : tensor<8x12xf32>
}

func.func @backward(%x: tensor<8x16xf32>, %w: tensor<16x12xf32>) -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  // arg0: [{"a"}, {}]
  // arg1: [{}, {"b"}]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32> loc("dot")  // [{"a"}, {"b"}]
  return %0 : tensor<8x12xf32>
}

// Elementwise operations go before contractions.
func.func @elementwise_first(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("dot")  // [{"b"}, {}]
  %1 = stablehlo.add %0, %y : tensor<8x8xf32> loc("add")  // [{"b"}, {}]
  return %1 : tensor<8x8xf32>
}

// Broadcasts forward are last; a closed dimension stays as it is.
func.func @broadcast(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) {
  // arg0: [{"a"}]
  // res0: [{"a"}, {"b"}]
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32> loc("broadcast")  // [{"a"}, {"b"}]
  return %0 : tensor<8x4xf32>
}

// What needs the whole dimension is divided nevertheless, unless propagation is blocked.
func.func @sort_and_slice(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %i: tensor<i32>) -> (tensor<8x16xf32>, tensor<8x4xf32>) {
  %0 = "stablehlo.sort"(%x) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<8x16xf32>) -> tensor<8x16xf32> loc("sort")  // [{"a"}, {"b"}]
  %1 = stablehlo.dynamic_slice %x, %i, %i, sizes = [8, 4] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32> loc("slice")  // [{"a"}, {}]
  return %0, %1 : tensor<8x16xf32>, tensor<8x4xf32>
}
