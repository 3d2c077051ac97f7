// Tokens, feeds, custom calls; the first argument is donated to the result.
module @effect {
  func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %t: !stablehlo.token) -> tensor<3xf32> {
    %0 = "stablehlo.outfeed"(%x, %t) <{outfeed_config = "config"}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    %1:2 = "stablehlo.infeed"(%0) : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
    %2 = stablehlo.after_all %0, %1#1 : !stablehlo.token
    %3 = stablehlo.custom_call @target(%1#0) {api_version = 2 : i32, backend_config = "settings", has_side_effect = true} : (tensor<3xf32>) -> tensor<3xf32>
    return %3 : tensor<3xf32>
  }
}
