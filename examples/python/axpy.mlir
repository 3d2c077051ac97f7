module @axpy {
  func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %two = stablehlo.constant dense<2.0> : tensor<3xf32>
    %scaled = stablehlo.multiply %two, %x : tensor<3xf32>
    %sum = stablehlo.add %scaled, %y : tensor<3xf32>
    return %sum : tensor<3xf32>
  }
}
