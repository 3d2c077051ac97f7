// What regions use of outside becomes part of what they are given: %step in both.
func.func @main(%n: tensor<i32>, %step: tensor<i32>, %p: tensor<i1>) -> (tensor<i32>, tensor<i32>) {
  %0 = stablehlo.while(%i = %n) : tensor<i32> cond {
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %less = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  %1 = "stablehlo.if"(%p) ({
    %negated = stablehlo.negate %step : tensor<i32>
    stablehlo.return %negated : tensor<i32>
  }, {
    stablehlo.return %step : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  %2 = call @twice(%1) : (tensor<i32>) -> tensor<i32>
  return %0, %2 : tensor<i32>, tensor<i32>
}
func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %x, %x : tensor<i32>
  return %0 : tensor<i32>
}
