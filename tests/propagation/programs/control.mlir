sdy.mesh @mesh = <["a"=2, "b"=4]>

// What a loop carries has one sharding outside, in the body and in the condition.
func.func @loop(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<8x8xf32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.negate %a : tensor<8x8xf32> loc("body")  // [{"a"}, {}]
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %j : tensor<8x8xf32>, tensor<i32>
  } loc("loop")  // [{"a"}, {}]
  return %0#0 : tensor<8x8xf32>
}

func.func @conditional(%p: tensor<i32>, %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%p) ({
    %1 = stablehlo.negate %x : tensor<8xf32> loc("first")  // [{"b"}]
    stablehlo.return %1 : tensor<8xf32>
  }, {
    %2 = stablehlo.abs %x : tensor<8xf32> loc("second")  // [{"b"}]
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32> loc("case")  // [{"b"}]
  return %0 : tensor<8xf32>
}

// Each call has its own shardings.
func.func @calls(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = func.call @negated(%x) : (tensor<8xf32>) -> tensor<8xf32> loc("first")  // [{"a"}]
  %1 = func.call @negated(%y) : (tensor<8xf32>) -> tensor<8xf32> loc("second")  // [{"b"}]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @negated(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What a manual computation returns keeps its sharding within; its result, as those of the program, is
// divided evenly.
func.func @manual_uneven(%x: tensor<8x3xf32>) -> tensor<8x3xf32> {
  // res0: [{"a"}, {}]
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}, {?}]>] out_shardings=[<@mesh, [{"a"}, {?}]>] manual_axes={"a"} (%local: tensor<4x3xf32>) {
    %1 = sdy.sharding_constraint %local <@mesh, [{}, {"b"}]> : tensor<4x3xf32> loc("returned")  // [{}, {"b"}]
    sdy.return %1 : tensor<4x3xf32>
  } : (tensor<8x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// Inside, the manual axes are gone; the others pass.
func.func @manual(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> tensor<8x8xf32> {
  // res0: [{"a"}, {"b"}]
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%local: tensor<4x8xf32>) {
    %1 = stablehlo.negate %local : tensor<4x8xf32> loc("inside")  // [{}, {"b"}]
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// What a constraint says of a constant is not said of what a computation returns, computed from that constant.
func.func @returned_constant(%x: tensor<3x16x16xf32>) -> tensor<3x16x16xf32> {
  // res0: [{}, {}, {"b"}]
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{?}, {?}, {"b"}]>] out_shardings=[<@mesh, [{?}, {}, {"b", ?}]>] manual_axes={"b"} (%local: tensor<3x16x4xf32>) {
    %1 = stablehlo.constant dense<2.0> : tensor<3x16x4xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {?}, {"a", ?}]> : tensor<3x16x4xf32> loc("constrained")  // [{}, {}, {"a"}]
    %3 = stablehlo.maximum %1, %1 : tensor<3x16x4xf32> loc("computed")
    sdy.return %3 : tensor<3x16x4xf32>
  } : (tensor<3x16x16xf32>) -> tensor<3x16x16xf32>
  return %0 : tensor<3x16x16xf32>
}
