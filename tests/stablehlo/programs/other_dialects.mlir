// Constants of arith and of Shardy, numbers and shapes of which sizes are computed, and what is left out as nothing uses it; attributes
// before operands, and in dictionaries that repeat what the form states; what else producers write on operations.
module @other_dialects attributes {torch.debug_module_name = "m", jax.uses_shape_polymorphism = false} {
  module @nested {
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      return %x : tensor<2xf32>
    }
  }
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<2x6xf32> {jax.arg_info = "x", tf._user_specified_name = "x"}, %y: tensor<f32>) -> (tensor<2x6xf32>, tensor<3x4xf32>, tensor<2xf32>, tensor<2x6xf32>, tensor<2xf32>) attributes {_XlaMustCompile = true, llvm.emit_c_interface} {
    %c = arith.constant dense<3.0> : tensor<2x6xf32>
    %s = sdy.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %unused = shape.shape_of %x : tensor<2x6xf32> -> tensor<2xindex>
    %d0 = tensor.dim %x, %i0 : tensor<2x6xf32>
    %d1 = tensor.dim %x, %i1 : tensor<2x6xf32>
    %two = arith.constant 2 : index
    %rows = arith.addi %d0, %i1 : index
    %half = arith.divui %d1, %two : index
    %columns = arith.addi %half, %i1 : index
    %r32 = arith.index_cast %rows : index to i32
    %c32 = arith.index_cast %columns : index to i32
    %sizes = tensor.from_elements %r32, %c32 : tensor<2xi32>
    %0 = stablehlo.add %x, %c {jax.x = 1 : i32, tf._XlaHasReferenceVars = false, _XlaSharding = "", onnx.node = "n", xla_shape = "f32[2,6]{1,0}"} : tensor<2x6xf32>
    %1 = stablehlo.dynamic_broadcast_in_dim %y, %sizes, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x4xf32>
    %2 = tensor.cast %0 : tensor<2x6xf32> to tensor<?x6xf32>
    %3 = tensor.cast %2 : tensor<?x6xf32> to tensor<2x6xf32>
    %4 = stablehlo.reduce(%3 init: %y) across dimensions = [1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%a: tensor<f32>, %b: tensor<f32>)  {
      stablehlo.return %y : tensor<f32>
    }
    %5 = stablehlo.custom_call @first(%4) {call_target_name = "second", api_version = 2 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    %6 = stablehlo.slice %s [0:1, 0:1] {start_indices = array<i64: 1, 0>, limit_indices = array<i64: 2, 1>} : (tensor<2x1xf32>) -> tensor<1x1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<2x6xf32>
    %8 = sdy.all_slice [{"x"}, {}] %7 out_sharding=<@mesh, [{"x"}, {}]> : tensor<2x6xf32>
    %9 = sdy.all_gather [{"x"}, {}] %8 out_sharding=<@mesh, [{}, {}]> : tensor<2x6xf32>
    %10 = sdy.all_reduce {"x"} %9 out_sharding=<@mesh, [{}, {}]> : tensor<2x6xf32>
    %11 = sdy.propagation_barrier %10 allowed_direction=FORWARD : tensor<2x6xf32>
    %16 = stablehlo.abs %11 : tensor<2x6xf32>
    %12 = sdy.data_flow_edge %16 sharding=<@mesh, [{}, {}]> : tensor<2x6xf32>
    %17 = stablehlo.sign %12 : tensor<2x6xf32>
    %13 = sdy.named_computation<"f">(%17) (%arg: tensor<2x6xf32>) {
      %15 = stablehlo.negate %arg : tensor<2x6xf32>
      sdy.return %15 : tensor<2x6xf32>
    } : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %14 = stablehlo.reshape %5 : (tensor<2xf32>) -> tensor<2xf32>
    return {id = "x"} %0, %1, %5, %13, %14 : tensor<2x6xf32>, tensor<3x4xf32>, tensor<2xf32>, tensor<2x6xf32>, tensor<2xf32>
  }
}
