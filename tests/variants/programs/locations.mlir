// Every character is left out and doubled once.
// Where operations come from, bits and words, functions with several results, and calls within calls.
#file = loc("model.py":12:3)
#named = loc("jit(f)/add"(#file))
#called = loc(callsite(#named at "main.py":40:1))
#fused = loc(fused<"both">["a.py":1:2, "name"("b.py":3:4)])
module @locations attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 1 : i32, mhlo.use_auto_spmd_partitioning = false} {
  func.func public @main(%x: tensor<2x8xi1> {mhlo.sharding = "{replicated}", jax.buffer_donor = true, mhlo.layout_mode = "default"}, %b: tensor<2xui8> {tf.aliasing_output = 1 : i32, jax.global_constant = "c"}, %w: tensor<3xi32> {mhlo.memory_kind = "device"}, %h: tensor<3x32xi1>) -> (tensor<2xui8> {jax.result_info = "result[0]", mhlo.sharding = "{replicated}"}, tensor<2xui8> {jax.result_info = ""}) {
    %0 = stablehlo.bitcast_convert %x : (tensor<2x8xi1>) -> tensor<2xui8> loc(#named)
    %1 = stablehlo.bitcast_convert %b : (tensor<2xui8>) -> tensor<2x8xi1> loc(#called)
    %2 = stablehlo.bitcast_convert %1 : (tensor<2x8xi1>) -> tensor<2xi8> loc(#fused)
    %3 = stablehlo.bitcast_convert %w : (tensor<3xi32>) -> tensor<3x32xi1> loc(unknown)
    %4 = stablehlo.bitcast_convert %h : (tensor<3x32xi1>) -> tensor<3xf32> loc("plain")
    %5 = stablehlo.bitcast_convert %w : (tensor<3xi32>) -> tensor<3x8xi4> loc("x.py":5:6 to 7:8)
    %6:2 = func.call @pair(%0, %b) : (tensor<2xui8>, tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>) loc(callsite("inner"("i.py":9:9) at #fused))
    %7:2 = call @twice(%6#1, %6#0) : (tensor<2xui8>, tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>)
    return %7#0, %7#1 : tensor<2xui8>, tensor<2xui8>
  }
  func.func private @pair(%a: tensor<2xui8>, %b: tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>) {
    %0 = stablehlo.add %a, %b : tensor<2xui8>
    %1 = stablehlo.subtract %a, %b : tensor<2xui8>
    return %1, %0 : tensor<2xui8>, tensor<2xui8>
  }
  func.func private @twice(%a: tensor<2xui8>, %b: tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>) {
    %0:2 = call @pair(%b, %a) : (tensor<2xui8>, tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>)
    %1:2 = call @pair(%0#0, %0#1) : (tensor<2xui8>, tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>)
    return %1#0, %1#1 : tensor<2xui8>, tensor<2xui8>
  }
} loc("locations.mlir":0:0)
