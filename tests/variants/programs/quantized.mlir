// Quantized types, of one scale and of one for each slice.
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:-3>>
  %1 = stablehlo.uniform_quantize %w : (tensor<3x4xf32>) -> tensor<3x4x!quant.uniform<i8<-127:127>:f32, 0.25>>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:-3>>, tensor<3x4x!quant.uniform<i8<-127:127>:f32, 0.25>>) -> tensor<2x4x!quant.uniform<i32:f32, 0.125>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<2x4x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x4xf32>
  %4 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<u8:f32:1, {0.1:1, 0.2:2, 0.3}>>
  %5 = stablehlo.uniform_dequantize %4 : (tensor<2x3x!quant.uniform<u8:f32:1, {0.1:1, 0.2:2, 0.3}>>) -> tensor<2x3xf32>
  %6 = stablehlo.add %0, %0 : tensor<2x3x!quant.uniform<i8:f32, 0.5:-3>>
  %7 = stablehlo.uniform_quantize %6 : (tensor<2x3x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<2x3x!quant.uniform<i8:f32, 1.0>>
  %8 = stablehlo.uniform_dequantize %7 : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x3xf32>
  return %3, %5, %8 : tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
