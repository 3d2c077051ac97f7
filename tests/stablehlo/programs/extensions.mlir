// Operations of CHLO as XLA writes them for others: custom calls with mhlo.attributes, composites of version 1. What only looks so stays.
func.func private @decomposition(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @top_k(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = chlo.top_k(%x, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
func.func @main(%x: tensor<4xf32>, %lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %groups: tensor<3xi64>) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<11x7xf32>, tensor<2xf32>) {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "chlo.erf" %0 {decomposition = @decomposition, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @mhlo.tan(%1) {backend_config = "", mhlo.attributes = {}} : (tensor<4xf32>) -> tensor<4xf32>
  %3:2 = stablehlo.custom_call @mhlo.topk(%2) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  %4:2 = stablehlo.composite "chlo.top_k" %2 {composite_attributes = {k = 2 : i64}, decomposition = @top_k, version = 1 : i32} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  %5 = stablehlo.custom_call @chlo.ragged_dot(%lhs, %rhs, %groups) {mhlo.attributes = {precision_config = ["HIGH", "DEFAULT"], ragged_dot_dimension_numbers = [dense<> : tensor<0xi64>, dense<> : tensor<0xi64>, dense<1> : tensor<1xi64>, dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>, dense<0> : tensor<1xi64>]}, mhlo.version = 1 : i64} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  %6 = stablehlo.custom_call @mhlo.erf(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = stablehlo.custom_call @mhlo.copy(%6) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %8 = stablehlo.composite "chlo.erf" %7 {decomposition = @decomposition, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %9:2 = stablehlo.custom_call @mhlo.topk(%8) {mhlo.attributes = {k = 2 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %8, %3#0, %4#0, %5, %9#0 : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<11x7xf32>, tensor<2xf32>
}
