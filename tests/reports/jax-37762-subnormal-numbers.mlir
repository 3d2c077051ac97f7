// jax-37762-subnormal-numbers: subnormal numbers are not zero; jax#4042, #16200, #26658, #19689, #24280
// Written by scripts/make_reports.py.
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %cst = stablehlo.constant dense<[1.401300e-45, 1.729900e-41, 5.87747175E-39, 1.17549421E-38, 1.17549435E-38, 1.401300e-45]> : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<[-103.278931, -93.8579254, -88.0296936, -87.3365478, -87.3365478, -103.278931]> : tensor<6xf32>
    %cst_1 = stablehlo.constant dense<[-1.490000e+02, -135.408356, -1.270000e+02, -1.260000e+02, -1.260000e+02, -1.490000e+02]> : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<[3.74339207E-23, 4.15921033E-21, 7.66646695E-20, 1.08420211E-19, 1.08420217E-19, 3.74339207E-23]> : tensor<6xf32>
    %cst_3 = stablehlo.constant dense<[2.67137384E+22, 2.4043026E+20, 1.30438176E+19, 9.22337313E+18, 9.22337203E+18, 2.67137384E+22]> : tensor<6xf32>
    %cst_4 = stablehlo.constant dense<[1.401300e-45, 1.729900e-41, 5.87747175E-39, 1.17549421E-38, 1.17549435E-38, 1.401300e-45]> : tensor<6xf32>
    %cst_5 = stablehlo.constant dense<[1.11903471E-15, 2.58627026E-14, 1.80466604E-13, 2.27373662E-13, 2.27373675E-13, 1.11903471E-15]> : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<[1.401300e-45, 1.729900e-41, 5.87747175E-39, 1.17549421E-38, 1.17549435E-38, 1.401300e-45]> : tensor<6xf32>
    %cst_7 = stablehlo.constant dense<[1.401300e-45, 1.729900e-41, 5.87747175E-39, 1.17549421E-38, 1.17549435E-38, 1.401300e-45]> : tensor<6xf32>
    %cst_8 = stablehlo.constant dense<[1.401300e-45, 1.729900e-41, 5.87747175E-39, 1.17549421E-38, 1.17549435E-38, 1.401300e-45]> : tensor<6xf32>
    %cst_9 = stablehlo.constant dense<[1.401300e-45, 1.729900e-41, 5.87747175E-39, 1.17549421E-38, 1.17549435E-38, 1.401300e-45]> : tensor<6xf32>
    %cst_10 = stablehlo.constant dense<[1.401300e-45, 1.729900e-41, 5.87747175E-39, 1.17549421E-38, 1.17549435E-38, 1.401300e-45]> : tensor<6xf32>
    %cst_11 = stablehlo.constant dense<[1.401300e-45, 1.952010e-41, 6.63201632E-39, 1.32640313E-38, 1.32640341E-38, 1.401300e-45]> : tensor<6xf32>
    %cst_12 = stablehlo.constant dense<[103.278931, 93.8579254, 88.0296936, 87.3365478, 87.3365478, 103.278931]> : tensor<6xf32>
    %cst_13 = stablehlo.constant dense<[1.401300e-45, 1.729900e-41, 5.87747175E-39, 1.17549421E-38, 1.17549435E-38, -1.401300e-45]> : tensor<6xf32>
    %c = stablehlo.constant dense<false> : tensor<6xi1>
    %c_14 = stablehlo.constant dense<[true, true, true, true, true, false]> : tensor<6xi1>
    %cst_15 = stablehlo.constant dense<[1.401300e-45, 1.729900e-41, 5.87747175E-39, 1.17549421E-38, 1.17549435E-38, -1.401300e-45]> : tensor<6xf32>
    %cst_16 = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000]> : tensor<6xf32>
    %cst_17 = stablehlo.constant dense<[2.802600e-45, 3.459810e-41, 1.17549435E-38, 2.35098842E-38, 2.3509887E-38, -2.802600e-45]> : tensor<6xf32>
    %cst_18 = stablehlo.constant dense<[0.000000e+00, 8.648810e-42, 2.93873588E-39, 5.87747175E-39, 5.87747175E-39, -0.000000e+00]> : tensor<6xf32>
    %c_19 = stablehlo.constant dense<[-148, -135, -126, -126, -125, -148]> : tensor<6xi32>
    %cst_20 = stablehlo.constant dense<[1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, -0.000000e+00]> : tensor<6xf32>
    %cst_21 = stablehlo.constant dense<[-0.000000e+00, 1.401300e-45, 1.100000e+00, -0.000000e+00, 0.000000e+00, -1.401300e-45]> : tensor<6xf32>
    %c_22 = stablehlo.constant dense<[5, 0, 3, 4, 1, 2]> : tensor<6xi64>
    %cst_23 = stablehlo.constant dense<[0.000000e+00, 1.401300e-45, -1.000000e+00]> : tensor<3xf32>
    %cst_24 = stablehlo.constant dense<[4.940660e-324, 6.099240e-320, 1.1125369292536007E-308, 2.2250738585072009E-308, 2.2250738585072014E-308, 4.940660e-324]> : tensor<6xf64>
    %cst_25 = stablehlo.constant dense<[-744.44007192138122, -735.01906551960201, -709.08956571282408, -708.39641853226408, -708.39641853226408, -744.44007192138122]> : tensor<6xf64>
    %cst_26 = stablehlo.constant dense<[-1.074000e+03, -1060.4083607839698, -1.023000e+03, -1.022000e+03, -1.022000e+03, -1.074000e+03]> : tensor<6xf64>
    %cst_27 = stablehlo.constant dense<[2.2227587494850775E-162, 2.4696640253099586E-160, 1.0547686614863E-154, 1.4916681462400412E-154, 1.4916681462400413E-154, 2.2227587494850775E-162]> : tensor<6xf64>
    %cst_28 = stablehlo.constant dense<[4.4989137945431964E+161, 4.0491337677986118E+159, 9.4807519081091774E+153, 6.7039039649712985E+153, 6.7039039649712985E+153, 4.4989137945431964E+161]> : tensor<6xf64>
    %cst_29 = stablehlo.constant dense<[4.940660e-324, 6.099240e-320, 1.1125369292536007E-308, 2.2250738585072009E-308, 2.2250738585072014E-308, 4.940660e-324]> : tensor<6xf64>
    %cst_30 = stablehlo.constant dense<[1.7031839360032603E-108, 3.9363337789703491E-107, 2.2323972485981933E-103, 2.8126442852362615E-103, 2.812644285236262E-103, 1.7031839360032603E-108]> : tensor<6xf64>
    %cst_31 = stablehlo.constant dense<[4.940660e-324, 6.099240e-320, 1.1125369292536007E-308, 2.2250738585072009E-308, 2.2250738585072014E-308, 4.940660e-324]> : tensor<6xf64>
    %cst_32 = stablehlo.constant dense<[4.940660e-324, 6.099240e-320, 1.1125369292536007E-308, 2.2250738585072009E-308, 2.2250738585072014E-308, 4.940660e-324]> : tensor<6xf64>
    %cst_33 = stablehlo.constant dense<[4.940660e-324, 6.099240e-320, 1.1125369292536007E-308, 2.2250738585072009E-308, 2.2250738585072014E-308, 4.940660e-324]> : tensor<6xf64>
    %cst_34 = stablehlo.constant dense<[4.940660e-324, 6.099240e-320, 1.1125369292536007E-308, 2.2250738585072009E-308, 2.2250738585072014E-308, 4.940660e-324]> : tensor<6xf64>
    %cst_35 = stablehlo.constant dense<[4.940660e-324, 6.099240e-320, 1.1125369292536007E-308, 2.2250738585072009E-308, 2.2250738585072014E-308, 4.940660e-324]> : tensor<6xf64>
    %cst_36 = stablehlo.constant dense<[4.940660e-324, 6.882330e-320, 1.2553634935941774E-308, 2.5107269871883538E-308, 2.5107269871883543E-308, 4.940660e-324]> : tensor<6xf64>
    %cst_37 = stablehlo.constant dense<[744.44007192138122, 735.01906551960201, 709.08956571282408, 708.39641853226408, 708.39641853226408, 744.44007192138122]> : tensor<6xf64>
    %cst_38 = stablehlo.constant dense<[4.940660e-324, 6.099240e-320, 1.1125369292536007E-308, 2.2250738585072009E-308, 2.2250738585072014E-308, -4.940660e-324]> : tensor<6xf64>
    %c_39 = stablehlo.constant dense<false> : tensor<6xi1>
    %c_40 = stablehlo.constant dense<[true, true, true, true, true, false]> : tensor<6xi1>
    %cst_41 = stablehlo.constant dense<[4.940660e-324, 6.099240e-320, 1.1125369292536007E-308, 2.2250738585072009E-308, 2.2250738585072014E-308, -4.940660e-324]> : tensor<6xf64>
    %cst_42 = stablehlo.constant dense<[0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<6xf64>
    %cst_43 = stablehlo.constant dense<[9.881310e-324, 1.219850e-319, 2.2250738585072014E-308, 4.4501477170144018E-308, 4.4501477170144028E-308, -9.881310e-324]> : tensor<6xf64>
    %cst_44 = stablehlo.constant dense<[0.000000e+00, 3.049370e-320, 5.5626846462680035E-309, 1.1125369292536007E-308, 1.1125369292536007E-308, -0.000000e+00]> : tensor<6xf64>
    %c_45 = stablehlo.constant dense<[-1073, -1060, -1022, -1022, -1021, -1073]> : tensor<6xi32>
    %cst_46 = stablehlo.constant dense<[1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, -0.000000e+00]> : tensor<6xf64>
    %cst_47 = stablehlo.constant dense<[-0.000000e+00, 4.940660e-324, 1.100000e+00, -0.000000e+00, 0.000000e+00, -4.940660e-324]> : tensor<6xf64>
    %c_48 = stablehlo.constant dense<[5, 0, 3, 4, 1, 2]> : tensor<6xi64>
    %cst_49 = stablehlo.constant dense<[0.000000e+00, 4.940660e-324, -1.000000e+00]> : tensor<3xf64>
    %0 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %1 = stablehlo.log %0 : tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%1, %cst_0) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %2 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %3 = stablehlo.log %2 : tensor<6xf32>
    %cst_50 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.log %cst_50 : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.divide %3, %5 : tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%6, %cst_1) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %7 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %8 = stablehlo.sqrt %7 : tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%8, %cst_2) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %9 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %10 = stablehlo.rsqrt %9 : tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%10, %cst_3) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %11 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %12 = stablehlo.log_plus_one %11 : tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%12, %cst_4) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %13 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %14 = stablehlo.cbrt %13 : tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%14, %cst_5) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %15 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %16 = stablehlo.exponential_minus_one %15 : tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%16, %cst_6) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %17 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %18 = stablehlo.sine %17 : tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%18, %cst_7) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %19 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %20 = stablehlo.tanh %19 : tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%20, %cst_8) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %21 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %22 = chlo.atan %21 : tensor<6xf32> -> tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%22, %cst_9) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %23 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %24 = chlo.sinh %23 : tensor<6xf32> -> tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%24, %cst_10) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %25 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %26 = chlo.erf %25 : tensor<6xf32> -> tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%26, %cst_11) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %27 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %28 = chlo.lgamma %27 : tensor<6xf32> -> tensor<6xf32>
    stablehlo.custom_call @check.expect_close(%28, %cst_12) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %29 = stablehlo.optimization_barrier %cst_13 : tensor<6xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %31 = stablehlo.compare EQ, %29, %30, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    stablehlo.custom_call @check.expect_eq(%31, %c) {has_side_effect = true} : (tensor<6xi1>, tensor<6xi1>) -> ()
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %33 = stablehlo.compare GT, %29, %32, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    stablehlo.custom_call @check.expect_eq(%33, %c_14) {has_side_effect = true} : (tensor<6xi1>, tensor<6xi1>) -> ()
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %35 = stablehlo.add %29, %34 : tensor<6xf32>
    stablehlo.custom_call @check.expect_eq(%35, %cst_15) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %cst_54 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %37 = stablehlo.multiply %29, %36 : tensor<6xf32>
    stablehlo.custom_call @check.expect_eq(%37, %cst_16) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %cst_55 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %39 = stablehlo.multiply %29, %38 : tensor<6xf32>
    stablehlo.custom_call @check.expect_eq(%39, %cst_17) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %cst_56 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %41 = stablehlo.divide %29, %40 : tensor<6xf32>
    stablehlo.custom_call @check.expect_eq(%41, %cst_18) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %42 = stablehlo.optimization_barrier %cst : tensor<6xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_57) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_58 = stablehlo.constant dense<2.94046564E-38> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%43, %cst_58) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    %44 = call @frexp(%29) : (tensor<6xf32>) -> tensor<6xi32>
    stablehlo.custom_call @check.expect_eq(%44, %c_19) {has_side_effect = true} : (tensor<6xi32>, tensor<6xi32>) -> ()
    %45 = stablehlo.ceil %29 : tensor<6xf32>
    stablehlo.custom_call @check.expect_eq(%45, %cst_20) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %46 = stablehlo.optimization_barrier %cst_21 : tensor<6xf32>
    %47 = call @argsort(%46) : (tensor<6xf32>) -> tensor<6xi64>
    stablehlo.custom_call @check.expect_eq(%47, %c_22) {has_side_effect = true} : (tensor<6xi64>, tensor<6xi64>) -> ()
    %48 = stablehlo.optimization_barrier %cst_23 : tensor<3xf32>
    %cst_59 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_59) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_60 = stablehlo.constant dense<1.401300e-45> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%49, %cst_60) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    %50 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %51 = stablehlo.log %50 : tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%51, %cst_25) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %52 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %53 = stablehlo.log %52 : tensor<6xf64>
    %cst_61 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %54 = stablehlo.log %cst_61 : tensor<f64>
    %55 = stablehlo.broadcast_in_dim %54, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %56 = stablehlo.divide %53, %55 : tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%56, %cst_26) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %57 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %58 = stablehlo.sqrt %57 : tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%58, %cst_27) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %59 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %60 = stablehlo.rsqrt %59 : tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%60, %cst_28) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %61 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %62 = stablehlo.log_plus_one %61 : tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%62, %cst_29) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %63 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %64 = stablehlo.cbrt %63 : tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%64, %cst_30) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %65 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %66 = stablehlo.exponential_minus_one %65 : tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%66, %cst_31) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %67 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %68 = stablehlo.sine %67 : tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%68, %cst_32) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %69 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %70 = stablehlo.tanh %69 : tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%70, %cst_33) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %71 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %72 = chlo.atan %71 : tensor<6xf64> -> tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%72, %cst_34) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %73 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %74 = chlo.sinh %73 : tensor<6xf64> -> tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%74, %cst_35) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %75 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %76 = chlo.erf %75 : tensor<6xf64> -> tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%76, %cst_36) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %77 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %78 = chlo.lgamma %77 : tensor<6xf64> -> tensor<6xf64>
    stablehlo.custom_call @check.expect_close(%78, %cst_37) {has_side_effect = true, mhlo.frontend_attributes = {max_ulp_difference = "2"}} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %79 = stablehlo.optimization_barrier %cst_38 : tensor<6xf64>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %80 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %81 = stablehlo.compare EQ, %79, %80, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    stablehlo.custom_call @check.expect_eq(%81, %c_39) {has_side_effect = true} : (tensor<6xi1>, tensor<6xi1>) -> ()
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %82 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %83 = stablehlo.compare GT, %79, %82, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    stablehlo.custom_call @check.expect_eq(%83, %c_40) {has_side_effect = true} : (tensor<6xi1>, tensor<6xi1>) -> ()
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %84 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %85 = stablehlo.add %79, %84 : tensor<6xf64>
    stablehlo.custom_call @check.expect_eq(%85, %cst_41) {has_side_effect = true} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %cst_65 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %86 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %87 = stablehlo.multiply %79, %86 : tensor<6xf64>
    stablehlo.custom_call @check.expect_eq(%87, %cst_42) {has_side_effect = true} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %cst_66 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %88 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %89 = stablehlo.multiply %79, %88 : tensor<6xf64>
    stablehlo.custom_call @check.expect_eq(%89, %cst_43) {has_side_effect = true} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %cst_67 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %90 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %91 = stablehlo.divide %79, %90 : tensor<6xf64>
    stablehlo.custom_call @check.expect_eq(%91, %cst_44) {has_side_effect = true} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %92 = stablehlo.optimization_barrier %cst_24 : tensor<6xf64>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %93 = stablehlo.reduce(%92 init: %cst_68) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    %cst_69 = stablehlo.constant dense<5.5626846462741022E-308> : tensor<f64>
    stablehlo.custom_call @check.expect_eq(%93, %cst_69) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
    %94 = call @frexp_2(%79) : (tensor<6xf64>) -> tensor<6xi32>
    stablehlo.custom_call @check.expect_eq(%94, %c_45) {has_side_effect = true} : (tensor<6xi32>, tensor<6xi32>) -> ()
    %95 = stablehlo.ceil %79 : tensor<6xf64>
    stablehlo.custom_call @check.expect_eq(%95, %cst_46) {has_side_effect = true} : (tensor<6xf64>, tensor<6xf64>) -> ()
    %96 = stablehlo.optimization_barrier %cst_47 : tensor<6xf64>
    %97 = call @argsort_7(%96) : (tensor<6xf64>) -> tensor<6xi64>
    stablehlo.custom_call @check.expect_eq(%97, %c_48) {has_side_effect = true} : (tensor<6xi64>, tensor<6xi64>) -> ()
    %98 = stablehlo.optimization_barrier %cst_49 : tensor<3xf64>
    %cst_70 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %99 = stablehlo.reduce(%98 init: %cst_70) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %cst_71 = stablehlo.constant dense<4.940660e-324> : tensor<f64>
    stablehlo.custom_call @check.expect_eq(%99, %cst_71) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
    return
  }
  func.func private @frexp(%arg0: tensor<6xf32>) -> tensor<6xi32> {
    %0 = stablehlo.abs %arg0 : tensor<6xf32>
    %cst = stablehlo.constant dense<1.17549435E-38> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_0 = stablehlo.constant dense<0x4B000000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<6xf32>
    %5 = call @_where(%2, %4, %arg0) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %c = stablehlo.constant dense<-23> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6 = call @_where_0(%2, %c, %c_1) : (tensor<6xi1>, tensor<i32>, tensor<i32>) -> tensor<6xi32>
    %7 = stablehlo.bitcast_convert %5 : (tensor<6xf32>) -> tensor<6xi32>
    %c_2 = stablehlo.constant dense<23> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %9 = stablehlo.shift_right_arithmetic %7, %8 : tensor<6xi32>
    %c_3 = stablehlo.constant dense<255> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %11 = stablehlo.and %9, %10 : tensor<6xi32>
    %c_4 = stablehlo.constant dense<127> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %13 = stablehlo.subtract %11, %12 : tensor<6xi32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %15 = stablehlo.add %13, %14 : tensor<6xi32>
    %16 = stablehlo.add %6, %15 : tensor<6xi32>
    %17 = call @isinf(%arg0) : (tensor<6xf32>) -> tensor<6xi1>
    %18 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %19 = stablehlo.or %17, %18 : tensor<6xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %21 = stablehlo.compare EQ, %arg0, %20, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %22 = stablehlo.or %19, %21 : tensor<6xi1>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %24 = call @_where_1(%22, %23, %16) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    return %24 : tensor<6xi32>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @_where_0(%arg0: tensor<6xi1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<6xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<6xi1>, tensor<6xi32>
    return %2 : tensor<6xi32>
  }
  func.func private @isinf(%arg0: tensor<6xf32>) -> tensor<6xi1> {
    %0 = stablehlo.abs %arg0 : tensor<6xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    return %2 : tensor<6xi1>
  }
  func.func private @_where_1(%arg0: tensor<6xi1>, %arg1: tensor<6xi32>, %arg2: tensor<6xi32>) -> tensor<6xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xi32>
    return %0 : tensor<6xi32>
  }
  func.func private @argsort(%arg0: tensor<6xf32>) -> tensor<6xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<6xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<6xf32>, tensor<6xi64>) -> (tensor<6xf32>, tensor<6xi64>)
    return %1#1 : tensor<6xi64>
  }
  func.func private @frexp_2(%arg0: tensor<6xf64>) -> tensor<6xi32> {
    %0 = stablehlo.abs %arg0 : tensor<6xf64>
    %cst = stablehlo.constant dense<2.2250738585072014E-308> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %cst_0 = stablehlo.constant dense<0x4330000000000000> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %4 = stablehlo.multiply %arg0, %3 : tensor<6xf64>
    %5 = call @_where_3(%2, %4, %arg0) : (tensor<6xi1>, tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
    %c = stablehlo.constant dense<-52> : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %6 = call @_where_4(%2, %c, %c_1) : (tensor<6xi1>, tensor<i64>, tensor<i64>) -> tensor<6xi64>
    %7 = stablehlo.bitcast_convert %5 : (tensor<6xf64>) -> tensor<6xi64>
    %c_2 = stablehlo.constant dense<52> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %9 = stablehlo.shift_right_arithmetic %7, %8 : tensor<6xi64>
    %c_3 = stablehlo.constant dense<2047> : tensor<i64>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %11 = stablehlo.and %9, %10 : tensor<6xi64>
    %c_4 = stablehlo.constant dense<1023> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %13 = stablehlo.subtract %11, %12 : tensor<6xi64>
    %c_5 = stablehlo.constant dense<1> : tensor<i64>
    %14 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %15 = stablehlo.add %13, %14 : tensor<6xi64>
    %16 = stablehlo.add %6, %15 : tensor<6xi64>
    %17 = call @isinf_5(%arg0) : (tensor<6xf64>) -> tensor<6xi1>
    %18 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %19 = stablehlo.or %17, %18 : tensor<6xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %21 = stablehlo.compare EQ, %arg0, %20, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %22 = stablehlo.or %19, %21 : tensor<6xi1>
    %c_7 = stablehlo.constant dense<0> : tensor<i64>
    %23 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %24 = call @_where_6(%22, %23, %16) : (tensor<6xi1>, tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
    %25 = stablehlo.convert %24 : (tensor<6xi64>) -> tensor<6xi32>
    return %25 : tensor<6xi32>
  }
  func.func private @_where_3(%arg0: tensor<6xi1>, %arg1: tensor<6xf64>, %arg2: tensor<6xf64>) -> tensor<6xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xf64>
    return %0 : tensor<6xf64>
  }
  func.func private @_where_4(%arg0: tensor<6xi1>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<6xi64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<6xi1>, tensor<6xi64>
    return %2 : tensor<6xi64>
  }
  func.func private @isinf_5(%arg0: tensor<6xf64>) -> tensor<6xi1> {
    %0 = stablehlo.abs %arg0 : tensor<6xf64>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    return %2 : tensor<6xi1>
  }
  func.func private @_where_6(%arg0: tensor<6xi1>, %arg1: tensor<6xi64>, %arg2: tensor<6xi64>) -> tensor<6xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xi64>
    return %0 : tensor<6xi64>
  }
  func.func private @argsort_7(%arg0: tensor<6xf64>) -> tensor<6xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<6xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f64>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f64>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f64>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f64>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<6xf64>, tensor<6xi64>) -> (tensor<6xf64>, tensor<6xi64>)
    return %1#1 : tensor<6xi64>
  }
}
