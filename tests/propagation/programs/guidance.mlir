sdy.mesh @mesh = <["a"=2, "b"=4]>

// Dimensions of priority 1 wait; their axes are not taken by others in the meantime.
func.func @priorities(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p1, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}p0, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32> loc("add")  // [{"b"}, {}]
  return %0 : tensor<8x8xf32>
}

// A constraint holds for the value as well, if nothing else is said of it.
func.func @constraint(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // arg0: [{"b"}, {}]
  %0 = stablehlo.negate %x : tensor<8x8xf32> loc("before")  // [{"b"}, {}]
  %1 = sdy.sharding_constraint %0 <@mesh, [{"b"}, {}]> : tensor<8x8xf32> loc("constraint")  // [{"b"}, {}]
  %2 = stablehlo.negate %1 : tensor<8x8xf32> loc("after")  // [{"b"}, {}]
  return %2 : tensor<8x8xf32>
}

// Two that differ leave it open.
func.func @two_constraints(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32> loc("first")  // [{"a"}]
  %1 = sdy.sharding_constraint %x <@mesh, [{"b"}]> : tensor<8xf32> loc("second")  // [{"b"}]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

func.func @barriers(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  // arg1: [{"b"}]
  %0 = "sdy.propagation_barrier"(%x) <{allowed_direction = 2 : i32}> : (tensor<8xf32>) -> tensor<8xf32> loc("backward")  // none
  %1 = "sdy.propagation_barrier"(%y) <{allowed_direction = 2 : i32}> : (tensor<8xf32>) -> tensor<8xf32> loc("from_result")  // [{"b"}]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

func.func @group(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // arg1: [{"a"}]
  "sdy.sharding_group"(%x) <{group_id = 4 : i64}> : (tensor<8xf32>) -> ()
  "sdy.sharding_group"(%y) <{group_id = 4 : i64}> : (tensor<8xf32>) -> ()
  %0 = stablehlo.negate %x : tensor<8xf32> loc("of_x")  // [{"a"}]
  %1 = stablehlo.negate %y : tensor<8xf32> loc("of_y")  // [{"a"}]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Readers of a constant do not decide for each other.
func.func @constants(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.iota dim = 0 : tensor<8xf32> loc("iota")
  %0 = stablehlo.add %x, %c : tensor<8xf32> loc("of_x")  // [{"a"}]
  %1 = stablehlo.add %y, %c : tensor<8xf32> loc("of_y")  // [{"b"}]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// What a barrier gives stays open; axes that are not summed do not propagate, and are its own.
func.func @unreduced_of_barrier(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %x : tensor<8xf32> loc("barrier")  // [{}], unreduced={"a"}
  %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced={"a"}> : tensor<8xf32> loc("constraint")  // [{}], unreduced={"a"}
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
