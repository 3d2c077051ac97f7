// MHLO: the operations that it shares with StableHLO in the forms that its printer and its users write, and its own.
module @mhlo {
  func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {execution_thread = "main"} {
    %0 = mhlo.add %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @other(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) attributes {execution_thread = "other"} {
    return %x, %n : tensor<4xf32>, tensor<i32>
  }
  func.func @main(%x: tensor<4xf32>, %m: tensor<2x2xf32>, %n: tensor<i32>, %t: !mhlo.token, %r: tensor<4xui32>,
      %p: tuple<tensor<4xf32>, tuple<tensor<i32>>>) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xi32>, tensor<4xi8>, tensor<2xui64>,
      tensor<i1>, tensor<4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<f32>, tensor<2x3xf32>, !mhlo.token) {
    %one = mhlo.constant dense<1.0> : tensor<4xf32>
    %zero = mhlo.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %0 = "mhlo.copy"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = mhlo.copy %0 : tensor<4xf32>
    %2 = mhlo.add %1, %one : tensor<4xf32>
    %3 = mhlo.erf %2 : tensor<4xf32>
    %4 = mhlo.cosh %3 : tensor<4xf32>
    %5 = mhlo.acos %4 : tensor<4xf32>
    %6:2 = mhlo.topk(%5, k = 2, largest = false) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
    %7 = "mhlo.stochastic_convert"(%5, %r) : (tensor<4xf32>, tensor<4xui32>) -> tensor<4xi8>
    %8 = mhlo.xla.rng_get_and_update_state {delta = 4 : i64}
    %9 = mhlo.get_tuple_element %p[1] : (tuple<tensor<4xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
    %10 = mhlo.get_tuple_element %9[0] : (tuple<tensor<i32>>) -> tensor<i32>
    %11 = mhlo.compare  LT, %10, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %12 = "mhlo.fusion"(%x, %5) ({
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %19 = mhlo.multiply %a, %b : tensor<4xf32>
      "mhlo.return"(%19) : (tensor<4xf32>) -> ()
    }) {fusion_kind = #mhlo<fusion_kind kLoop>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %13 = "mhlo.domain"(%12) {kind = #mhlo<kind sharding>, entry_metadata = "", exit_metadata = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
    %14 = mhlo.add_dependency %13, %t : (tensor<4xf32>, !mhlo.token) -> tensor<4xf32>
    mhlo.trace %14, "mark" : tensor<4xf32>
    %15 = "mhlo.async_start"(%14) <{called_computation = @twice, execution_thread = "main"}> : (tensor<4xf32>) -> !mhlo.async_bundle<tensor<4xf32>, tensor<4xf32>>
    %16 = "mhlo.async_update"(%15) : (!mhlo.async_bundle<tensor<4xf32>, tensor<4xf32>>) -> !mhlo.async_bundle<tensor<4xf32>, tensor<4xf32>>
    %17 = "mhlo.async_done"(%16) : (!mhlo.async_bundle<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %18 = "mhlo.async_start"(%17, %n) <{called_computation = @other, execution_thread = "other"}> : (tensor<4xf32>, tensor<i32>) -> !mhlo.async_bundle<tuple<tensor<4xf32>, tensor<i32>>, tuple<tensor<4xf32>, tensor<i32>>, tensor<ui32>>
    %20:2 = "mhlo.async_done"(%18) : (!mhlo.async_bundle<tuple<tensor<4xf32>, tensor<i32>>, tuple<tensor<4xf32>, tensor<i32>>, tensor<ui32>>) -> (tensor<4xf32>, tensor<i32>)
    %21 = mhlo.bitcast %20#0 : (tensor<4xf32>) -> tensor<2x2xf32>
    %22 = "mhlo.dot"(%21, %m) {precision_config = [#mhlo<precision DEFAULT>, #mhlo<precision HIGHEST>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %23 = mhlo.reduce(%22 init: %zero) applies mhlo.maximum across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
    %24 = "mhlo.dot_general"(%22, %m) {dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %25 = "mhlo.pad"(%24, %zero) {edge_padding_high = dense<[0, 1]> : tensor<2xi64>, edge_padding_low = dense<0> : tensor<2xi64>, interior_padding = dense<0> : tensor<2xi64>} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x3xf32>
    %26 = "mhlo.broadcast_in_dim"(%23) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<2x3xf32>
    %27 = mhlo.maximum %25, %26 : tensor<2x3xf32>
    %28 = mhlo.custom_call @target(%14) {api_version = 4 : i32, backend_config = {axis = 1 : i32, name = "z"}, custom_call_schedule = #mhlo<custom_call_schedule LATEST>} : (tensor<4xf32>) -> tensor<4xf32>
    %29 = mhlo.after_all %t : !mhlo.token
    return %28, %6#0, %6#1, %7, %8, %11, %17, %22, %20#1, %23, %27, %29 : tensor<4xf32>, tensor<2xf32>, tensor<2xi32>, tensor<4xi8>, tensor<2xui64>,
      tensor<i1>, tensor<4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<f32>, tensor<2x3xf32>, !mhlo.token
  }
}
