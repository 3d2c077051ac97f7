// Elementwise operations of StableHLO and CHLO.
module @elements {
  func.func @main(%x: tensor<3xf32>, %n: tensor<3xi32>, %c: tensor<3xcomplex<f32>>, %u: tensor<3xui8>, %m: tensor<2x3xf32>, %k: tensor<2x3xi32>) -> tensor<3xf32> {
    %0 = stablehlo.abs %x : tensor<3xf32>
    %1 = stablehlo.cbrt %x : tensor<3xf32>
    %2 = stablehlo.ceil %x : tensor<3xf32>
    %3 = stablehlo.cosine %x : tensor<3xf32>
    %4 = stablehlo.exponential %x : tensor<3xf32>
    %5 = stablehlo.exponential_minus_one %x : tensor<3xf32>
    %6 = stablehlo.floor %x : tensor<3xf32>
    %7 = stablehlo.log %x : tensor<3xf32>
    %8 = stablehlo.log_plus_one %x : tensor<3xf32>
    %9 = stablehlo.logistic %x : tensor<3xf32>
    %10 = stablehlo.negate %x : tensor<3xf32>
    %11 = stablehlo.round_nearest_afz %x : tensor<3xf32>
    %12 = stablehlo.round_nearest_even %x : tensor<3xf32>
    %13 = stablehlo.rsqrt %x : tensor<3xf32>
    %14 = stablehlo.sign %x : tensor<3xf32>
    %15 = stablehlo.sine %x : tensor<3xf32>
    %16 = stablehlo.sqrt %x : tensor<3xf32>
    %17 = stablehlo.tan %x : tensor<3xf32>
    %18 = stablehlo.tanh %x : tensor<3xf32>
    %19 = stablehlo.not %n : tensor<3xi32>
    %20 = stablehlo.count_leading_zeros %n : tensor<3xi32>
    %21 = stablehlo.popcnt %n : tensor<3xi32>
    %22 = stablehlo.is_finite %x : (tensor<3xf32>) -> tensor<3xi1>
    %23 = stablehlo.real %c : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %24 = stablehlo.imag %c : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %25 = stablehlo.abs %c : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %26 = stablehlo.complex %x, %x : tensor<3xcomplex<f32>>
    %27 = stablehlo.convert %n : (tensor<3xi32>) -> tensor<3xf64>
    %28 = stablehlo.add %x, %x : tensor<3xf32>
    %29 = stablehlo.atan2 %x, %x : tensor<3xf32>
    %30 = stablehlo.divide %x, %x : tensor<3xf32>
    %31 = stablehlo.maximum %x, %x : tensor<3xf32>
    %32 = stablehlo.minimum %x, %x : tensor<3xf32>
    %33 = stablehlo.multiply %x, %x : tensor<3xf32>
    %34 = stablehlo.power %x, %x : tensor<3xf32>
    %35 = stablehlo.remainder %x, %x : tensor<3xf32>
    %36 = stablehlo.subtract %x, %x : tensor<3xf32>
    %37 = stablehlo.and %n, %n : tensor<3xi32>
    %38 = stablehlo.or %n, %n : tensor<3xi32>
    %39 = stablehlo.xor %n, %n : tensor<3xi32>
    %40 = stablehlo.shift_left %n, %n : tensor<3xi32>
    %41 = stablehlo.shift_right_arithmetic %n, %n : tensor<3xi32>
    %42 = stablehlo.shift_right_logical %n, %n : tensor<3xi32>
    %43 = stablehlo.reduce_precision %x, format = e8m7 : tensor<3xf32>
    %44 = stablehlo.clamp %x, %x, %x : tensor<3xf32>
    %45 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %46 = stablehlo.compare GE, %n, %n, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %47 = stablehlo.compare EQ, %u, %u, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
    %48 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xi32>
    %49 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3x2xi16>
    %50 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:-3>>
    %51 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25:2, 1.0}>>
    %52 = chlo.acos %x : tensor<3xf32> -> tensor<3xf32>
    %53 = chlo.acosh %x : tensor<3xf32> -> tensor<3xf32>
    %54 = chlo.asin %x : tensor<3xf32> -> tensor<3xf32>
    %55 = chlo.asinh %x : tensor<3xf32> -> tensor<3xf32>
    %56 = chlo.atan %x : tensor<3xf32> -> tensor<3xf32>
    %57 = chlo.atanh %x : tensor<3xf32> -> tensor<3xf32>
    %58 = chlo.bessel_i1e %x : tensor<3xf32> -> tensor<3xf32>
    %59 = chlo.cosh %x : tensor<3xf32> -> tensor<3xf32>
    %60 = chlo.digamma %x : tensor<3xf32> -> tensor<3xf32>
    %61 = chlo.erf %x : tensor<3xf32> -> tensor<3xf32>
    %62 = chlo.erf_inv %x : tensor<3xf32> -> tensor<3xf32>
    %63 = chlo.erfc %x : tensor<3xf32> -> tensor<3xf32>
    %64 = chlo.lgamma %x : tensor<3xf32> -> tensor<3xf32>
    %65 = chlo.sinh %x : tensor<3xf32> -> tensor<3xf32>
    %66 = chlo.square %x : tensor<3xf32> -> tensor<3xf32>
    %67 = chlo.tan %x : tensor<3xf32> -> tensor<3xf32>
    %68 = chlo.is_inf %x : tensor<3xf32> -> tensor<3xi1>
    %69 = chlo.is_neg_inf %x : tensor<3xf32> -> tensor<3xi1>
    %70 = chlo.is_pos_inf %x : tensor<3xf32> -> tensor<3xi1>
    %71 = chlo.next_after %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %72 = chlo.polygamma %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %73 = chlo.zeta %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %74 = chlo.broadcast_add %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %75 = chlo.broadcast_atan2 %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %76 = chlo.broadcast_divide %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %77 = chlo.broadcast_maximum %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %78 = chlo.broadcast_minimum %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %79 = chlo.broadcast_multiply %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %80 = chlo.broadcast_next_after %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %81 = chlo.broadcast_polygamma %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %82 = chlo.broadcast_power %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %83 = chlo.broadcast_remainder %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %84 = chlo.broadcast_subtract %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %85 = chlo.broadcast_zeta %m, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %86 = chlo.broadcast_and %k, %n {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    %87 = chlo.broadcast_or %k, %n {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    %88 = chlo.broadcast_xor %k, %n {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    %89 = chlo.broadcast_shift_left %k, %n {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    %90 = chlo.broadcast_shift_right_arithmetic %k, %n {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    %91 = chlo.broadcast_shift_right_logical %k, %n {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    %92 = chlo.constant dense<[1, 2]> : tensor<2xi32>
    return %0 : tensor<3xf32>
  }
}
