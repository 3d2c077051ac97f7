// openxla-47366-reducers-with-control-flow: reducers, windows and scatter functions that hold conditionals, loops, arrays; openxla/xla#47370, #48160
// Written by scripts/make_reports.py.
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %cst = stablehlo.constant dense<[3.000000e+00, -1.000000e+00, 4.000000e+00, 1.000000e+00, -5.000000e+00, 9.000000e+00, 2.000000e+00, 6.000000e+00]> : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<[3.000000e+00, 1.000000e+00, 4.000000e+00, 1.000000e+00, 5.000000e+00, 9.000000e+00, 2.000000e+00, 6.000000e+00]> : tensor<8xf32>
    %c = stablehlo.constant dense<[12, 18, 30, 42]> : tensor<4xi64>
    %cst_1 = stablehlo.constant dense<[4.000000e+00, 4.000000e+00, 4.000000e+00, 9.000000e+00, 9.000000e+00, 9.000000e+00]> : tensor<6xf32>
    %c_2 = stablehlo.constant dense<[1, 4, 5]> : tensor<3xi64>
    %c_3 = stablehlo.constant dense<false> : tensor<3xi1>
    %cst_4 = stablehlo.constant dense<[3.000000e+00, 1.000000e+00, 4.000000e+00, 1.000000e+00, 5.000000e+00, 3.000000e+00, 2.000000e+00, 6.000000e+00]> : tensor<8xf32>
    %c_5 = stablehlo.constant dense<false> : tensor<3xi1>
    %cst_6 = stablehlo.constant dense<[3.000000e+00, -1.000000e+00, 4.000000e+00, 1.000000e+00, -6.250000e-01, 5.625000e-01, 2.000000e+00, 6.000000e+00]> : tensor<8xf32>
    %c_7 = stablehlo.constant dense<false> : tensor<3xi1>
    %cst_8 = stablehlo.constant dense<[3.000000e+00, -5.000000e-01, 4.000000e+00, 1.000000e+00, -2.500000e+00, 4.500000e+00, 2.000000e+00, 6.000000e+00]> : tensor<8xf32>
    %0 = stablehlo.optimization_barrier %cst : tensor<8xf32>
    %1 = stablehlo.optimization_barrier %cst_0 : tensor<8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_9) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg0: tensor<f32>, %arg1: tensor<f32>)  {
      %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %32 = stablehlo.compare LT, %arg1, %cst_29, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %33 = stablehlo.convert %32 : (tensor<i1>) -> tensor<i32>
      %34 = "stablehlo.case"(%33) ({
        %35 = stablehlo.add %arg0, %arg1 : tensor<f32>
        stablehlo.return %35 : tensor<f32>
      }, {
        %35 = stablehlo.subtract %arg0, %arg1 : tensor<f32>
        stablehlo.return %35 : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      stablehlo.return %34 : tensor<f32>
    }
    %cst_10 = stablehlo.constant dense<3.100000e+01> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%2, %cst_10) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%0 init: %cst_11) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg0: tensor<f32>, %arg1: tensor<f32>)  {
      %c_29 = stablehlo.constant dense<0> : tensor<i64>
      %c_30 = stablehlo.constant dense<0> : tensor<i64>
      %32:4 = stablehlo.while(%iterArg = %arg1, %iterArg_31 = %c_30, %iterArg_32 = %c_29, %iterArg_33 = %arg0) : tensor<f32>, tensor<i64>, tensor<i64>, tensor<f32>
      cond {
        %c_34 = stablehlo.constant dense<2> : tensor<i64>
        %33 = stablehlo.compare LT, %iterArg_31, %c_34, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %33 : tensor<i1>
      } do {
        %33:2 = func.call @closed_call(%iterArg, %iterArg_32, %iterArg_33) : (tensor<f32>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>)
        %c_34 = stablehlo.constant dense<1> : tensor<i64>
        %34 = stablehlo.add %iterArg_31, %c_34 : tensor<i64>
        stablehlo.return %iterArg, %34, %33#0, %33#1 : tensor<f32>, tensor<i64>, tensor<i64>, tensor<f32>
      }
      stablehlo.return %32#3 : tensor<f32>
    }
    %cst_12 = stablehlo.constant dense<1.900000e+01> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%3, %cst_12) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%1 init: %cst_13) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg0: tensor<f32>, %arg1: tensor<f32>)  {
      %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %32 = stablehlo.compare GT, %arg1, %cst_29, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %33 = stablehlo.convert %32 : (tensor<i1>) -> tensor<i64>
      %34 = stablehlo.convert %33 : (tensor<i64>) -> tensor<i32>
      %c_30 = stablehlo.constant dense<0> : tensor<i32>
      %c_31 = stablehlo.constant dense<1> : tensor<i32>
      %35 = stablehlo.clamp %c_30, %34, %c_31 : tensor<i32>
      %36 = "stablehlo.case"(%35) ({
        %37 = stablehlo.subtract %arg0, %arg1 : tensor<f32>
        stablehlo.return %37 : tensor<f32>
      }, {
        %37 = stablehlo.add %arg0, %arg1 : tensor<f32>
        stablehlo.return %37 : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      stablehlo.return %36 : tensor<f32>
    }
    %cst_14 = stablehlo.constant dense<3.100000e+01> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%4, %cst_14) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%0 init: %cst_15) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg0: tensor<f32>, %arg1: tensor<f32>)  {
      %32 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %33 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %34 = stablehlo.concatenate %32, %33, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
      %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %35 = stablehlo.reduce(%34 init: %cst_29) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      %cst_30 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %36 = stablehlo.divide %35, %cst_30 : tensor<f32>
      %37 = stablehlo.add %arg0, %36 : tensor<f32>
      stablehlo.return %37 : tensor<f32>
    }
    %cst_16 = stablehlo.constant dense<1.900000e+01> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%5, %cst_16) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    %6 = stablehlo.optimization_barrier %c : tensor<4xi64>
    %c_17 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.reduce(%6 init: %c_17) across dimensions = [0] : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
     reducer(%arg0: tensor<i64>, %arg1: tensor<i64>)  {
      %32 = func.call @gcd(%arg0, %arg1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      stablehlo.return %32 : tensor<i64>
    }
    %c_18 = stablehlo.constant dense<6> : tensor<i64>
    stablehlo.custom_call @check.expect_eq(%7, %c_18) {has_side_effect = true} : (tensor<i64>, tensor<i64>) -> ()
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = "stablehlo.reduce_window"(%0, %cst_19) <{base_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %32 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %33 = stablehlo.convert %32 : (tensor<i1>) -> tensor<i32>
      %34 = "stablehlo.case"(%33) ({
        stablehlo.return %arg1 : tensor<f32>
      }, {
        stablehlo.return %arg0 : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      stablehlo.return %34 : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<6xf32>
    stablehlo.custom_call @check.expect_eq(%8, %cst_1) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    %c_20 = stablehlo.constant dense<8> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %10 = stablehlo.add %c_2, %9 : tensor<3xi64>
    %11 = stablehlo.select %c_3, %10, %c_2 : tensor<3xi1>, tensor<3xi64>
    %12 = stablehlo.convert %11 : (tensor<3xi64>) -> tensor<3xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %15 = "stablehlo.scatter"(%0, %13, %14) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %32 = stablehlo.compare GT, %arg0, %cst_29, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %33 = stablehlo.convert %32 : (tensor<i1>) -> tensor<i32>
      %34 = "stablehlo.case"(%33) ({
        %35 = stablehlo.negate %arg0 : tensor<f32>
        stablehlo.return %35 : tensor<f32>
      }, {
        %35 = stablehlo.sqrt %arg0 : tensor<f32>
        stablehlo.return %35 : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      stablehlo.return %34 : tensor<f32>
    }) : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>
    stablehlo.custom_call @check.expect_eq(%15, %cst_4) {has_side_effect = true} : (tensor<8xf32>, tensor<8xf32>) -> ()
    %c_22 = stablehlo.constant dense<8> : tensor<i64>
    %16 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %17 = stablehlo.add %c_2, %16 : tensor<3xi64>
    %18 = stablehlo.select %c_5, %17, %c_2 : tensor<3xi1>, tensor<3xi64>
    %19 = stablehlo.convert %18 : (tensor<3xi64>) -> tensor<3xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %22 = "stablehlo.scatter"(%0, %20, %21) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %32 = stablehlo.while(%iterArg = %arg0) : tensor<f32>
      cond {
        %33 = stablehlo.abs %iterArg : tensor<f32>
        %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %34 = stablehlo.compare GT, %33, %cst_29, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %34 : tensor<i1>
      } do {
        %cst_29 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %33 = stablehlo.divide %iterArg, %cst_29 : tensor<f32>
        stablehlo.return %33 : tensor<f32>
      }
      stablehlo.return %32 : tensor<f32>
    }) : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>
    stablehlo.custom_call @check.expect_eq(%22, %cst_6) {has_side_effect = true} : (tensor<8xf32>, tensor<8xf32>) -> ()
    %c_24 = stablehlo.constant dense<8> : tensor<i64>
    %23 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %24 = stablehlo.add %c_2, %23 : tensor<3xi64>
    %25 = stablehlo.select %c_7, %24, %c_2 : tensor<3xi1>, tensor<3xi64>
    %26 = stablehlo.convert %25 : (tensor<3xi64>) -> tensor<3xi32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %29 = "stablehlo.scatter"(%0, %27, %28) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %cst_29 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %32 = stablehlo.multiply %cst_29, %arg0 : tensor<f32>
      %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %33 = stablehlo.multiply %arg0, %cst_30 : tensor<f32>
      %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %34 = stablehlo.add %33, %cst_31 : tensor<f32>
      %35 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %36 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %37 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %38 = stablehlo.concatenate %35, %36, %37, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
      %39 = func.call @sort(%38) : (tensor<3xf32>) -> tensor<3xf32>
      %40 = stablehlo.slice %39 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
      %41 = stablehlo.reshape %40 : (tensor<1xf32>) -> tensor<f32>
      stablehlo.return %41 : tensor<f32>
    }) : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>
    stablehlo.custom_call @check.expect_eq(%29, %cst_8) {has_side_effect = true} : (tensor<8xf32>, tensor<8xf32>) -> ()
    %30 = stablehlo.iota dim = 0 : tensor<8xi32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c_27 = stablehlo.constant dense<-1> : tensor<i32>
    %31:2 = stablehlo.reduce(%0 init: %cst_26), (%30 init: %c_27) across dimensions = [0] : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
      %32 = stablehlo.compare GE, %arg0, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %33 = stablehlo.convert %32 : (tensor<i1>) -> tensor<i32>
      %34:2 = "stablehlo.case"(%33) ({
        stablehlo.return %arg2, %arg3 : tensor<f32>, tensor<i32>
      }, {
        stablehlo.return %arg0, %arg1 : tensor<f32>, tensor<i32>
      }) : (tensor<i32>) -> (tensor<f32>, tensor<i32>)
      stablehlo.return %34#0, %34#1 : tensor<f32>, tensor<i32>
    }
    %c_28 = stablehlo.constant dense<5> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%31#1, %c_28) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
  func.func private @closed_call(%arg0: tensor<f32>, %arg1: tensor<i64>, %arg2: tensor<f32>) -> (tensor<i64>, tensor<f32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.divide %arg0, %cst : tensor<f32>
    %2 = stablehlo.add %arg2, %1 : tensor<f32>
    return %0, %2 : tensor<i64>, tensor<f32>
  }
  func.func private @gcd(%arg0: tensor<i64>, %arg1: tensor<i64>) -> tensor<i64> {
    %0 = stablehlo.abs %arg0 : tensor<i64>
    %1 = stablehlo.abs %arg1 : tensor<i64>
    %2:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %1) : tensor<i64>, tensor<i64>
    cond {
      %c = stablehlo.constant dense<0> : tensor<i64>
      %3 = stablehlo.compare NE, %iterArg_0, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_1 = stablehlo.constant dense<false> : tensor<i1>
      %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<i1>
      %5 = stablehlo.compare NE, %3, %4, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.convert %5 : tensor<i1>
      %c_2 = stablehlo.constant dense<false> : tensor<i1>
      %7 = stablehlo.reduce(%6 init: %c_2) applies stablehlo.or across dimensions = [] : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<0> : tensor<i64>
      %3 = stablehlo.compare NE, %iterArg_0, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %4 = func.call @_where(%3, %iterArg_0, %iterArg) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %5 = stablehlo.compare NE, %iterArg_0, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %6 = stablehlo.remainder %iterArg, %iterArg_0 : tensor<i64>
      %c_2 = stablehlo.constant dense<0> : tensor<i64>
      %7 = func.call @_where(%5, %6, %c_2) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %9 = func.call @_where(%8, %7, %4) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      %10 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %11 = func.call @_where(%10, %4, %7) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      stablehlo.return %9, %11 : tensor<i64>, tensor<i64>
    }
    return %2#0 : tensor<i64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<i64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i64>
    return %0 : tensor<i64>
  }
  func.func private @sort(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
