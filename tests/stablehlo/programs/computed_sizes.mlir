// Sizes that other operations compute from constants.
func.func @main() -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %list = stablehlo.constant dense<[12, 5, -7, 3]> : tensor<4xi32>
  %a = stablehlo.slice %list [0:1] : (tensor<4xi32>) -> tensor<1xi32>
  %b = stablehlo.slice %list [1:2] : (tensor<4xi32>) -> tensor<1xi32>
  %c = stablehlo.slice %list [2:4:2] : (tensor<4xi32>) -> tensor<1xi32>
  %ten = stablehlo.constant dense<10> : tensor<1xi32>
  %sum = stablehlo.add %a, %c : tensor<1xi32>
  %difference = stablehlo.subtract %a, %b : tensor<1xi32>
  %product = stablehlo.multiply %a, %b : tensor<1xi32>
  %quotient = stablehlo.divide %a, %b : tensor<1xi32>
  %rest = stablehlo.remainder %a, %b : tensor<1xi32>
  %greatest = stablehlo.maximum %c, %b : tensor<1xi32>
  %negated = stablehlo.negate %c : tensor<1xi32>
  %absolute = stablehlo.abs %c : tensor<1xi32>
  %sign = stablehlo.sign %c : tensor<1xi32>
  %least = stablehlo.minimum %a, %ten : tensor<1xi32>
  %above = stablehlo.add %ten, %sign : tensor<1xi32>
  %and = stablehlo.and %a, %b : tensor<1xi32>
  %or = stablehlo.or %a, %b : tensor<1xi32>
  %xor = stablehlo.xor %a, %b : tensor<1xi32>
  %inverse = stablehlo.not %c : tensor<1xi32>
  %clamped = stablehlo.clamp %c, %ten, %b : tensor<1xi32>
  %eq = stablehlo.compare EQ, %a, %b : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %ne = stablehlo.compare NE, %a, %b : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %lt = stablehlo.compare LT, %a, %b : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %le = stablehlo.compare LE, %b, %b : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %gt = stablehlo.compare GT, %b, %b : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %ge = stablehlo.compare GE, %b, %b : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %not_eq = stablehlo.not %eq : tensor<1xi1>
  %flags = stablehlo.concatenate %ne, %lt, %le, %gt, %ge, %not_eq, dim = 0 : (tensor<1xi1>, tensor<1xi1>, tensor<1xi1>, tensor<1xi1>, tensor<1xi1>, tensor<1xi1>) -> tensor<6xi1>
  %counts = stablehlo.convert %flags : (tensor<6xi1>) -> tensor<6xi32>
  %0 = stablehlo.dynamic_iota %sum, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %1 = stablehlo.dynamic_iota %difference, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %2 = stablehlo.dynamic_iota %product, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %3 = stablehlo.dynamic_iota %quotient, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %4 = stablehlo.dynamic_iota %rest, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %5 = stablehlo.dynamic_iota %greatest, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %6 = stablehlo.dynamic_iota %negated, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %7 = stablehlo.dynamic_iota %absolute, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %8 = stablehlo.dynamic_iota %above, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %9 = stablehlo.dynamic_iota %least, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %10 = stablehlo.dynamic_iota %inverse, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %11 = stablehlo.dynamic_iota %clamped, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %bits = stablehlo.concatenate %and, %or, %xor, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %12 = stablehlo.dynamic_iota %bits, dim = 0 : (tensor<3xi32>) -> tensor<?x?x?xi32>
  %13 = stablehlo.dynamic_iota %counts, dim = 0 : (tensor<6xi32>) -> tensor<?x?x?x?x?x?xi32>
  stablehlo.custom_call @keep(%12, %13) {has_side_effect = true} : (tensor<?x?x?xi32>, tensor<?x?x?x?x?x?xi32>) -> ()
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}
