// The sharding of a loop states what the loop carries; what its regions see of the values around it is divided as they are.
func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]0,1}"}, %n: tensor<i32>, %b: tensor<8xf32> {mhlo.sharding = "{devices=[2]0,1}"}) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %c = stablehlo.add %b, %b : tensor<8xf32>
  %d = stablehlo.multiply %b, %b {mhlo.sharding = "{devices=[2]1,0}"} : tensor<8xf32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<8xf32> attributes {mhlo.sharding = "{{replicated}, {devices=[2]0,1}}"}
  cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %x, %b : tensor<8xf32>
    %3 = stablehlo.add %2, %c : tensor<8xf32>
    %4 = stablehlo.add %3, %d : tensor<8xf32>
    stablehlo.return %1, %4 : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
