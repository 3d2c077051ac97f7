// JAXtronomy-spexial-29-gammaln-at-one-and-two: lgamma(1) and lgamma(2) are exactly 0
// Written by scripts/make_reports.py.
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %cst = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %cst_1 = stablehlo.constant dense<[3.000000e+00, 5.000000e-01, 1.025000e+01, 1.000000e+02, 1.000000e-30]> : tensor<5xf32>
    %cst_2 = stablehlo.constant dense<[0.693147182, 0.572364926, 13.3680239, 359.134216, 69.0775528]> : tensor<5xf32>
    %cst_3 = stablehlo.constant dense<[1.00000095, 0.999999046]> : tensor<2xf32>
    %cst_4 = stablehlo.constant dense<[-5.504750e-07, 5.504765E-7]> : tensor<2xf32>
    %cst_5 = stablehlo.constant dense<[2.00000095, 1.99999905]> : tensor<2xf32>
    %cst_6 = stablehlo.constant dense<[4.03198868E-7, -4.03198271E-7]> : tensor<2xf32>
    %cst_7 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
    %cst_9 = stablehlo.constant dense<[3.000000e+00, 5.000000e-01, 1.025000e+01, 1.000000e+02, 1.000000e-30]> : tensor<5xf64>
    %cst_10 = stablehlo.constant dense<[0.69314718055994495, 0.57236494292470042, 13.368023671476049, 359.1342053695754, 69.077552789821368]> : tensor<5xf64>
    %cst_11 = stablehlo.constant dense<[1.0000009536743164, 0.99999904632568359]> : tensor<2xf64>
    %cst_12 = stablehlo.constant dense<[-5.5047500661488666E-7, 5.5047650267370518E-7]> : tensor<2xf64>
    %cst_13 = stablehlo.constant dense<[2.0000009536743164, 1.9999990463256836]> : tensor<2xf64>
    %cst_14 = stablehlo.constant dense<[4.031988550443015E-7, -4.0319826848018475E-7]> : tensor<2xf64>
    %0 = stablehlo.optimization_barrier %cst : tensor<2xf32>
    %1 = chlo.lgamma %0 : tensor<2xf32> -> tensor<2xf32>
    stablehlo.custom_call @check.expect_eq(%1, %cst_0) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.optimization_barrier %cst_15 : tensor<f32>
    %3 = chlo.lgamma %2 : tensor<f32> -> tensor<f32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%3, %cst_16) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.optimization_barrier %cst_17 : tensor<f32>
    %5 = chlo.lgamma %4 : tensor<f32> -> tensor<f32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%5, %cst_18) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    %6 = stablehlo.optimization_barrier %cst_1 : tensor<5xf32>
    %7 = chlo.lgamma %6 : tensor<5xf32> -> tensor<5xf32>
    stablehlo.custom_call @check.expect_close(%7, %cst_2) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "3"}} : (tensor<5xf32>, tensor<5xf32>) -> ()
    %8 = stablehlo.optimization_barrier %cst_3 : tensor<2xf32>
    %9 = chlo.lgamma %8 : tensor<2xf32> -> tensor<2xf32>
    stablehlo.custom_call @check.expect_close(%9, %cst_4) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "3"}} : (tensor<2xf32>, tensor<2xf32>) -> ()
    %10 = stablehlo.optimization_barrier %cst_5 : tensor<2xf32>
    %11 = chlo.lgamma %10 : tensor<2xf32> -> tensor<2xf32>
    stablehlo.custom_call @check.expect_close(%11, %cst_6) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "3"}} : (tensor<2xf32>, tensor<2xf32>) -> ()
    %12 = stablehlo.optimization_barrier %cst_7 : tensor<2xf64>
    %13 = chlo.lgamma %12 : tensor<2xf64> -> tensor<2xf64>
    stablehlo.custom_call @check.expect_eq(%13, %cst_8) {has_side_effect = true} : (tensor<2xf64>, tensor<2xf64>) -> ()
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %14 = stablehlo.optimization_barrier %cst_19 : tensor<f64>
    %15 = chlo.lgamma %14 : tensor<f64> -> tensor<f64>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    stablehlo.custom_call @check.expect_eq(%15, %cst_20) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
    %cst_21 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %16 = stablehlo.optimization_barrier %cst_21 : tensor<f64>
    %17 = chlo.lgamma %16 : tensor<f64> -> tensor<f64>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    stablehlo.custom_call @check.expect_eq(%17, %cst_22) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
    %18 = stablehlo.optimization_barrier %cst_9 : tensor<5xf64>
    %19 = chlo.lgamma %18 : tensor<5xf64> -> tensor<5xf64>
    stablehlo.custom_call @check.expect_close(%19, %cst_10) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "10"}} : (tensor<5xf64>, tensor<5xf64>) -> ()
    %20 = stablehlo.optimization_barrier %cst_11 : tensor<2xf64>
    %21 = chlo.lgamma %20 : tensor<2xf64> -> tensor<2xf64>
    stablehlo.custom_call @check.expect_close(%21, %cst_12) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "3"}} : (tensor<2xf64>, tensor<2xf64>) -> ()
    %22 = stablehlo.optimization_barrier %cst_13 : tensor<2xf64>
    %23 = chlo.lgamma %22 : tensor<2xf64> -> tensor<2xf64>
    stablehlo.custom_call @check.expect_close(%23, %cst_14) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "3"}} : (tensor<2xf64>, tensor<2xf64>) -> ()
    return
  }
}
