// openxla-39464-argmax-of-f16: an argmax as a reduction of two arrays, from -inf and 0
module {
  func.func @main() {
    %x = stablehlo.constant dense<[1.0, 3.5, -2.0, 3.5]> : tensor<4xf16>
    %ninf = stablehlo.constant dense<0xFC00> : tensor<f16>
    %zero = stablehlo.constant dense<0> : tensor<i64>
    %i = stablehlo.iota dim = 0 : tensor<4xi64>
    %r:2 = stablehlo.reduce(%x init: %ninf), (%i init: %zero) across dimensions = [0] : (tensor<4xf16>, tensor<4xi64>, tensor<f16>, tensor<i64>) -> (tensor<f16>, tensor<i64>)
     reducer(%a: tensor<f16>, %b: tensor<f16>) (%j: tensor<i64>, %k: tensor<i64>) {
      %ge = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %m = stablehlo.select %ge, %a, %b : tensor<i1>, tensor<f16>
      %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %lo = stablehlo.minimum %j, %k : tensor<i64>
      %s = stablehlo.select %ge, %j, %k : tensor<i1>, tensor<i64>
      %t = stablehlo.select %eq, %lo, %s : tensor<i1>, tensor<i64>
      stablehlo.return %m, %t : tensor<f16>, tensor<i64>
    }
    %value = stablehlo.constant dense<3.5> : tensor<f16>
    %place = stablehlo.constant dense<1> : tensor<i64>
    stablehlo.custom_call @check.expect_eq(%r#0, %value) {has_side_effect = true} : (tensor<f16>, tensor<f16>) -> ()
    stablehlo.custom_call @check.expect_eq(%r#1, %place) {has_side_effect = true} : (tensor<i64>, tensor<i64>) -> ()
    return
  }
}
