// Becomes a portable artifact, of which each byte is changed.
module @artifact attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%x: tensor<2x3xf32>, %w: tensor<3x?xbf16, #stablehlo.bounds<?, 5>>, %t: !stablehlo.token) -> (tensor<2x4xf32>, tuple<tensor<i32>, tensor<2xcomplex<f32>>>) attributes {note = "n"} {
    %c = stablehlo.constant dense<[[1.5, -2.0, 0x7FC00000, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0]]> : tensor<3x4xf32>
    %p = stablehlo.constant dense<true> : tensor<i1>
    %n = stablehlo.constant dense<-7> : tensor<i32>
    %0 = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> loc("a.py":3:7)
    %1 = "stablehlo.if"(%p) ({
      stablehlo.return %0 : tensor<2x4xf32>
    }, {
      %3 = stablehlo.negate %0 : tensor<2x4xf32>
      stablehlo.return %3 : tensor<2x4xf32>
    }) : (tensor<i1>) -> tensor<2x4xf32>
    %2 = stablehlo.custom_call @target(%n) {api_version = 4 : i32, backend_config = {k = 3 : i64, l = [true, "s", 2.5 : f32]}, operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>]} : (tensor<i32>) -> tuple<tensor<i32>, tensor<2xcomplex<f32>>>
    return %1, %2 : tensor<2x4xf32>, tuple<tensor<i32>, tensor<2xcomplex<f32>>>
  }
}
