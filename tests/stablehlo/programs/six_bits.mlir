// HLO has no numbers of 6 bits: f32 holds those of constants.
func.func @main() -> (tensor<4xf6E2M3FN>, tensor<2xf6E3M2FN>) {
  %0 = stablehlo.constant dense<[1.0, 7.5, -0.125, 0.0]> : tensor<4xf6E2M3FN>
  %1 = stablehlo.constant dense<28.0> : tensor<2xf6E3M2FN>
  return %0, %1 : tensor<4xf6E2M3FN>, tensor<2xf6E3M2FN>
}
