// openxla-stablehlo-2440-sort-along-first-dimension: a sort along the first of two dimensions
module {
  func.func @main() {
    %c = stablehlo.constant dense<[[0, 1, -3], [4, -1, 0], [1, 0, 2], [-3, -4, 3], [0, 5, -2]]> : tensor<5x3xi64>
    %0 = "stablehlo.sort"(%c) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %lt = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
    }) : (tensor<5x3xi64>) -> tensor<5x3xi64>
    %e = stablehlo.constant dense<[[-3, -4, -3], [0, -1, -2], [0, 0, 0], [1, 1, 2], [4, 5, 3]]> : tensor<5x3xi64>
    stablehlo.custom_call @check.expect_eq(%0, %e) {has_side_effect = true} : (tensor<5x3xi64>, tensor<5x3xi64>) -> ()
    return
  }
}
