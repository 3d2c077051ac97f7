module @jit_fft_of_1000 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x1000xf32>) -> (tensor<256x501xf32> {jax.result_info = "result[0]"}, tensor<256x1000xf32> {jax.result_info = "result[1]"}) {
    %0 = call @fft(%arg0) : (tensor<256x1000xf32>) -> tensor<256x501xcomplex<f32>>
    %1 = stablehlo.abs %0 : (tensor<256x501xcomplex<f32>>) -> tensor<256x501xf32>
    %2 = stablehlo.real %0 : (tensor<256x501xcomplex<f32>>) -> tensor<256x501xf32>
    %3 = stablehlo.imag %0 : (tensor<256x501xcomplex<f32>>) -> tensor<256x501xf32>
    %4 = stablehlo.negate %3 : tensor<256x501xf32>
    %5 = stablehlo.complex %2, %4 : tensor<256x501xcomplex<f32>>
    %6 = stablehlo.multiply %0, %5 : tensor<256x501xcomplex<f32>>
    %7 = call @fft_0(%6) : (tensor<256x501xcomplex<f32>>) -> tensor<256x1000xf32>
    return %1, %7 : tensor<256x501xf32>, tensor<256x1000xf32>
  }
  func.func private @fft(%arg0: tensor<256x1000xf32>) -> tensor<256x501xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [1000] : (tensor<256x1000xf32>) -> tensor<256x501xcomplex<f32>>
    return %0 : tensor<256x501xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<256x501xcomplex<f32>>) -> tensor<256x1000xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [1000] : (tensor<256x501xcomplex<f32>>) -> tensor<256x1000xf32>
    return %0 : tensor<256x1000xf32>
  }
}
