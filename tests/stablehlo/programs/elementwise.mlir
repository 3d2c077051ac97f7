// Elementwise operations, comparisons, constants and conversions.
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %n: tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xui8>) {
  %half = stablehlo.constant dense<5.000000e-01> : tensor<2x3xf32>
  %low = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
  %high = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %0 = stablehlo.multiply %x, %half : tensor<2x3xf32>
  %1 = stablehlo.clamp %low, %0, %high : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = chlo.erf %1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = stablehlo.compare LT, %2, %y, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %4 = stablehlo.convert %n : (tensor<2x3xi32>) -> tensor<2x3xf32>
  %5 = stablehlo.select %3, %2, %4 : tensor<2x3xi1>, tensor<2x3xf32>
  %6 = stablehlo.reduce_precision %5, format = e5m10 : tensor<2x3xf32>
  %7 = stablehlo.convert %n : (tensor<2x3xi32>) -> tensor<2x3xui8>
  return %6, %7 : tensor<2x3xf32>, tensor<2x3xui8>
}
