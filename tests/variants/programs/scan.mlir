// Scans, checks and probes.
module @scan {
  func.func @main(%x: tensor<2x3xf32>, %z: tensor<2xf32>) -> tensor<2x3xf32> {
    %0:2 = chlo.scan (%x) inits (%z) dimension=1 attributes {is_reverse = false} {
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
      %3 = stablehlo.add %a, %b : tensor<2xf32>
      stablehlo.return %3, %3 : tensor<2xf32>, tensor<2xf32>
    } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
    %1 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    check.expect_eq %0#0, %1 : tensor<2x3xf32>
    check.expect_eq_const %1, dense<1.0> : tensor<2x3xf32>
    check.expect_almost_eq %0#0, %1, tolerance = 0.5 : tensor<2x3xf32>
    check.expect_almost_eq_const %1, dense<2.0> : tensor<2x3xf32>
    check.expect_close %0#0, %1, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<2x3xf32>, tensor<2x3xf32>
    interpreter.print %1 : tensor<2x3xf32>
    %2 = interpreter.probe %1, probe_id = "p" : tensor<2x3xf32>
    check.expect_serialized_eq %2, probe_id = "p", iter = 1 : tensor<2x3xf32>
    return %2 : tensor<2x3xf32>
  }
}
