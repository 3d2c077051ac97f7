// Numbers of 6 bits: of constants, of parameters, and computed with.
func.func @main(%arg0: tensor<4xf6E3M2FN>) -> (tensor<4xf6E2M3FN>, tensor<2xf6E3M2FN>, tensor<4xf32>, tensor<4xf6E3M2FN>) {
  %0 = stablehlo.constant dense<[1.0, 7.5, -0.125, 0.0]> : tensor<4xf6E2M3FN>
  %1 = stablehlo.constant dense<28.0> : tensor<2xf6E3M2FN>
  %2 = stablehlo.convert %arg0 : (tensor<4xf6E3M2FN>) -> tensor<4xf32>
  %3 = stablehlo.convert %0 : (tensor<4xf6E2M3FN>) -> tensor<4xf6E3M2FN>
  return %0, %1, %2, %3 : tensor<4xf6E2M3FN>, tensor<2xf6E3M2FN>, tensor<4xf32>, tensor<4xf6E3M2FN>
}
