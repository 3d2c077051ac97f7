module @jit_causal_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x256x8x64xf32>, %arg1: tensor<2x256x8x64xf32>, %arg2: tensor<2x256x8x64xf32>) -> (tensor<2x256x8x64xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<256xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<256xi32>) -> tensor<256x1xi32>
    %2 = stablehlo.iota dim = 0 : tensor<32xi32>
    %3 = stablehlo.negate %2 : tensor<32xi32>
    %4 = stablehlo.convert %3 : (tensor<32xi32>) -> tensor<32xf32>
    %cst = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %6 = stablehlo.divide %4, %5 : tensor<32xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.power %7, %6 : tensor<32xf32>
    %9 = stablehlo.convert %1 : (tensor<256x1xi32>) -> tensor<256x1xf32>
    %10 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<256x1xf32>) -> tensor<256x32xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<256x32xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<256x32xf32>
    %14 = stablehlo.cosine %13 : tensor<256x32xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 2] : (tensor<256x32xf32>) -> tensor<256x1x32xf32>
    %16 = stablehlo.sine %13 : tensor<256x32xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 2] : (tensor<256x32xf32>) -> tensor<256x1x32xf32>
    %18 = stablehlo.slice %arg0 [0:2, 0:256, 0:8, 0:32] : (tensor<2x256x8x64xf32>) -> tensor<2x256x8x32xf32>
    %19 = stablehlo.slice %arg0 [0:2, 0:256, 0:8, 32:64] : (tensor<2x256x8x64xf32>) -> tensor<2x256x8x32xf32>
    %20 = stablehlo.broadcast_in_dim %15, dims = [1, 2, 3] : (tensor<256x1x32xf32>) -> tensor<1x256x1x32xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<1x256x1x32xf32>) -> tensor<2x256x8x32xf32>
    %22 = stablehlo.multiply %18, %21 : tensor<2x256x8x32xf32>
    %23 = stablehlo.broadcast_in_dim %17, dims = [1, 2, 3] : (tensor<256x1x32xf32>) -> tensor<1x256x1x32xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<1x256x1x32xf32>) -> tensor<2x256x8x32xf32>
    %25 = stablehlo.multiply %19, %24 : tensor<2x256x8x32xf32>
    %26 = stablehlo.subtract %22, %25 : tensor<2x256x8x32xf32>
    %27 = stablehlo.broadcast_in_dim %17, dims = [1, 2, 3] : (tensor<256x1x32xf32>) -> tensor<1x256x1x32xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<1x256x1x32xf32>) -> tensor<2x256x8x32xf32>
    %29 = stablehlo.multiply %18, %28 : tensor<2x256x8x32xf32>
    %30 = stablehlo.broadcast_in_dim %15, dims = [1, 2, 3] : (tensor<256x1x32xf32>) -> tensor<1x256x1x32xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x256x1x32xf32>) -> tensor<2x256x8x32xf32>
    %32 = stablehlo.multiply %19, %31 : tensor<2x256x8x32xf32>
    %33 = stablehlo.add %29, %32 : tensor<2x256x8x32xf32>
    %34 = stablehlo.concatenate %26, %33, dim = 3 : (tensor<2x256x8x32xf32>, tensor<2x256x8x32xf32>) -> tensor<2x256x8x64xf32>
    %35 = stablehlo.iota dim = 0 : tensor<256xi32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0] : (tensor<256xi32>) -> tensor<256x1xi32>
    %37 = stablehlo.iota dim = 0 : tensor<32xi32>
    %38 = stablehlo.negate %37 : tensor<32xi32>
    %39 = stablehlo.convert %38 : (tensor<32xi32>) -> tensor<32xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %41 = stablehlo.divide %39, %40 : tensor<32xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %43 = stablehlo.power %42, %41 : tensor<32xf32>
    %44 = stablehlo.convert %36 : (tensor<256x1xi32>) -> tensor<256x1xf32>
    %45 = stablehlo.broadcast_in_dim %43, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %46 = stablehlo.broadcast_in_dim %44, dims = [0, 1] : (tensor<256x1xf32>) -> tensor<256x32xf32>
    %47 = stablehlo.broadcast_in_dim %45, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<256x32xf32>
    %48 = stablehlo.multiply %46, %47 : tensor<256x32xf32>
    %49 = stablehlo.cosine %48 : tensor<256x32xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 2] : (tensor<256x32xf32>) -> tensor<256x1x32xf32>
    %51 = stablehlo.sine %48 : tensor<256x32xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 2] : (tensor<256x32xf32>) -> tensor<256x1x32xf32>
    %53 = stablehlo.slice %arg1 [0:2, 0:256, 0:8, 0:32] : (tensor<2x256x8x64xf32>) -> tensor<2x256x8x32xf32>
    %54 = stablehlo.slice %arg1 [0:2, 0:256, 0:8, 32:64] : (tensor<2x256x8x64xf32>) -> tensor<2x256x8x32xf32>
    %55 = stablehlo.broadcast_in_dim %50, dims = [1, 2, 3] : (tensor<256x1x32xf32>) -> tensor<1x256x1x32xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<1x256x1x32xf32>) -> tensor<2x256x8x32xf32>
    %57 = stablehlo.multiply %53, %56 : tensor<2x256x8x32xf32>
    %58 = stablehlo.broadcast_in_dim %52, dims = [1, 2, 3] : (tensor<256x1x32xf32>) -> tensor<1x256x1x32xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<1x256x1x32xf32>) -> tensor<2x256x8x32xf32>
    %60 = stablehlo.multiply %54, %59 : tensor<2x256x8x32xf32>
    %61 = stablehlo.subtract %57, %60 : tensor<2x256x8x32xf32>
    %62 = stablehlo.broadcast_in_dim %52, dims = [1, 2, 3] : (tensor<256x1x32xf32>) -> tensor<1x256x1x32xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2, 3] : (tensor<1x256x1x32xf32>) -> tensor<2x256x8x32xf32>
    %64 = stablehlo.multiply %53, %63 : tensor<2x256x8x32xf32>
    %65 = stablehlo.broadcast_in_dim %50, dims = [1, 2, 3] : (tensor<256x1x32xf32>) -> tensor<1x256x1x32xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2, 3] : (tensor<1x256x1x32xf32>) -> tensor<2x256x8x32xf32>
    %67 = stablehlo.multiply %54, %66 : tensor<2x256x8x32xf32>
    %68 = stablehlo.add %64, %67 : tensor<2x256x8x32xf32>
    %69 = stablehlo.concatenate %61, %68, dim = 3 : (tensor<2x256x8x32xf32>, tensor<2x256x8x32xf32>) -> tensor<2x256x8x64xf32>
    %70 = stablehlo.dot_general %34, %69, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x256x8x64xf32>, tensor<2x256x8x64xf32>) -> tensor<2x8x256x256xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x8x256x256xf32>
    %72 = stablehlo.divide %70, %71 : tensor<2x8x256x256xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %73 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<256x256xi1>
    %74 = call @tril(%73) : (tensor<256x256xi1>) -> tensor<256x256xi1>
    %cst_4 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %75 = call @_where(%74, %72, %cst_4) : (tensor<256x256xi1>, tensor<2x8x256x256xf32>, tensor<f32>) -> tensor<2x8x256x256xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_5) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x256x256xf32>, tensor<f32>) -> tensor<2x8x256xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x8x256xf32>
    %78 = stablehlo.maximum %77, %76 : tensor<2x8x256xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<2x8x256xf32>) -> tensor<2x8x256x1xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2, 3] : (tensor<2x8x256x1xf32>) -> tensor<2x8x256x256xf32>
    %81 = stablehlo.subtract %75, %80 : tensor<2x8x256x256xf32>
    %82 = stablehlo.exponential %81 : tensor<2x8x256x256xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_7) applies stablehlo.add across dimensions = [3] : (tensor<2x8x256x256xf32>, tensor<f32>) -> tensor<2x8x256xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<2x8x256xf32>) -> tensor<2x8x256x1xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2, 3] : (tensor<2x8x256x1xf32>) -> tensor<2x8x256x256xf32>
    %86 = stablehlo.divide %82, %85 : tensor<2x8x256x256xf32>
    %87 = stablehlo.dot_general %arg2, %86, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x256x8x64xf32>, tensor<2x8x256x256xf32>) -> tensor<2x8x64x256xf32>
    %88 = stablehlo.transpose %87, dims = [0, 3, 1, 2] : (tensor<2x8x64x256xf32>) -> tensor<2x256x8x64xf32>
    return %88 : tensor<2x256x8x64xf32>
  }
  func.func private @tril(%arg0: tensor<256x256xi1>) -> tensor<256x256xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<256x256xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<256x256xi32>
    %2 = stablehlo.add %0, %1 : tensor<256x256xi32>
    %3 = stablehlo.iota dim = 1 : tensor<256x256xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<256x256xi32>, tensor<256x256xi32>) -> tensor<256x256xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<256x256xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<256x256xi1>, tensor<256x256xi1>
    return %6 : tensor<256x256xi1>
  }
  func.func private @_where(%arg0: tensor<256x256xi1>, %arg1: tensor<2x8x256x256xf32>, %arg2: tensor<f32>) -> tensor<2x8x256x256xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<256x256xi1>) -> tensor<2x8x256x256xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x8x256x256xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x8x256x256xi1>, tensor<2x8x256x256xf32>
    return %3 : tensor<2x8x256x256xf32>
  }
}
