sdy.mesh @mesh = <["a"=2, "b"=4, "c"=3]>

// An axis goes to the major factor as far as it divides it.
func.func @split(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<2x8xf32> {
  %0 = stablehlo.reshape %x : (tensor<16xf32>) -> tensor<2x8xf32> loc("reshape")  // [{"b":(1)2}, {"b":(2)2}]
  return %0 : tensor<2x8xf32>
}

func.func @merge(%x: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> tensor<16xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x8xf32>) -> tensor<16xf32> loc("reshape")  // [{"a", "b"}]
  return %0 : tensor<16xf32>
}

// What is not divided in the major dimension would make strided shards.
func.func @minor_only(%x: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> tensor<16xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x8xf32>) -> tensor<16xf32> loc("reshape")  // none
  return %0 : tensor<16xf32>
}

// Axes that do not divide are for padding inside the program, not for its results.
func.func @uneven(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> tensor<8xf32> {
  // arg0: [{}]
  // res0: [{}]
  %0 = stablehlo.negate %x : tensor<8xf32> loc("negate")  // [{"c"}]
  return %0 : tensor<8xf32>
}

// Both want "a" for the result; that of the larger operand wins.
func.func @larger_source(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32> loc("dot")  // [{"a"}, {}]
  return %0 : tensor<8x4xf32>
}

// Axes that are replicated or unreduced are not taken.
func.func @replicated(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"b"}>}) -> tensor<8xf32> {
  // arg1: [{"a"}]
  %0 = stablehlo.add %x, %y : tensor<8xf32> loc("add")  // [{"a", "b"}]
  return %0 : tensor<8xf32>
}

// A rule of the program's own.
func.func @rule(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @mystery(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=8} blocked_propagation={j}, custom>} : (tensor<4x8xf32>) -> tensor<8x4xf32> loc("call")  // [{}, {"a"}]
  return %0 : tensor<8x4xf32>
}

sdy.mesh @mesh_of_6 = <["a"=6]>

// Parts of an axis that cannot be parts of one division of it.
func.func @parts(%x: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh_of_6, [{"a":(1)2}, {}]>}) -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh_of_6, [{}, {"a":(3)2}]>}) {
  %0 = stablehlo.sine %x : tensor<2x2xf32> loc("sine")  // [{}, {"a":(3)2}]
  return %0 : tensor<2x2xf32>
}
