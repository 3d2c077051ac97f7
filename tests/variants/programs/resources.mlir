// Data beside the program; attributes of several types.
module @resources {
  func.func @main() -> (tensor<3xf32>, tensor<2xi8>) {
    %0 = stablehlo.constant dense_resource<floats> : tensor<3xf32>
    %1 = stablehlo.constant dense_resource<bytes> : tensor<2xi8>
    %2 = stablehlo.custom_call @t(%0) {api_version = 4 : i32, backend_config = {s = "text" : i32, l = 7 : ui64, f = 1.5 : bf16}} : (tensor<3xf32>) -> tensor<3xf32>
    return %2, %1 : tensor<3xf32>, tensor<2xi8>
  }
}
{-# dialect_resources: { builtin: { floats: "0x040000000000803F0000004000004040", bytes: "0x0100000007F9" } } #-}
