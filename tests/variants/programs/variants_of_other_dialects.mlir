// Every character is left out and doubled once.
// Operations of other dialects beside StableHLO, and indirect calls.
module @other_dialects {
  func.func @main(%x: tensor<2x3xf32>, %d: tensor<?x3xf32>, %n: index, %i: i32, %m: i32) -> tensor<2x3xf32> {
    %0 = arith.constant 3 : index
    %1 = arith.addi %n, %0 : index
    %2 = arith.cmpi slt, %n, %1 : index
    %3 = arith.select %2, %n, %1 : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.extsi %i : i32 to i64
    %6 = arith.trunci %5 : i64 to i32
    %7 = tensor.dim %d, %0 : tensor<?x3xf32>
    %8 = tensor.from_elements %7, %0 : tensor<2xindex>
    %9 = tensor.extract %8[%0] : tensor<2xindex>
    %10 = tensor.insert %9 into %8[%0] : tensor<2xindex>
    %11 = tensor.cast %x : tensor<2x3xf32> to tensor<?x3xf32>
    %12 = tensor.empty() : tensor<2x3xf32>
    %13 = shape.shape_of %d : tensor<?x3xf32> -> tensor<2xindex>
    %14 = shape.broadcast %13, %8 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
    %15 = shape.num_elements %14 : tensor<2xindex> -> index
    %16 = shape.to_extent_tensor %14 : tensor<2xindex> -> tensor<2xindex>
    %17 = scf.for %k = %0 to %n step %1 iter_args(%s = %i) -> (i32) : index {
      %20 = arith.addi %s, %m : i32
      scf.yield %20 : i32
    }
    return %x : tensor<2x3xf32>
  }
  func.func private @other(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {a = -5 : i128, b = 18446744073709551617 : i128, c = -170141183460469231731687303715884105728 : i128} {
    return %x : tensor<2x3xf32>
  }
}
