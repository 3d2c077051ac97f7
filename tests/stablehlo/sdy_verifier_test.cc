// SPDX-License-Identifier: Apache-2.0
// Rules of Shardy's operations and attributes: each program breaks one of them.
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/stablehlo/syntax.h"
#include "xla/stablehlo/verifier.h"

namespace xla::stablehlo {
namespace {

constexpr char kMeshes[] = R"(
sdy.mesh @m = <["x"=4, "y"=2, "z"=4]>
sdy.mesh @reversed = <["x"=4, "y"=2, "z"=4], device_ids=[31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @other = <["x"=4, "y"=2]>
sdy.mesh @copy = <["x"=4, "y"=2, "z"=4]>
sdy.mesh @one = <[], device_ids=[3]>
)";

absl::Status VerifyShardy(const std::string& text) {
  auto source = mlir::ReadText(text, "test.mlir", AllDialects());
  if (!source.ok()) return source.status();
  return VerifyStableHlo(**source);
}

// %a is divided by x and y, %b by z, %c not known to be divided, %d by z, and a maximum over x.
std::string ShardedFunction(const std::string& body) {
  return absl::StrCat(kMeshes, R"(func.func @main(
  %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>},
  %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {?}], unreduced={"y"}>},
  %c: tensor<8x16xf32>, %t: !stablehlo.token,
  %d: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {}], unreduced=max{"x"}>}) {
  )",
                      body, "\n  return\n}\n");
}

struct ShardyCase {
  const char* body;
  const char* message;  // empty: valid
};

void ExpectVerdict(const std::string& text, const char* message) {
  if (*message == '\0') {
    const absl::Status status = VerifyShardy(text);
    EXPECT_TRUE(status.ok()) << status << text;
  } else {
    EXPECT_ERROR(VerifyShardy(text), message) << text;
  }
}

TEST(ShardyVerifierTest, ShardingsOfValues) {
  for (const ShardyCase& c : std::vector<ShardyCase>{
           {R"(@m, [{"x"}, {"y", ?}p1])", ""},
           {R"(@m, [{"x":(1)2}, {"x":(2)2}], replicated={"y"}, unreduced={"z"})", ""},
           {R"(mesh<["q"=3]>, [{"q"}, {}])", ""},
           {R"(@one, [])", ""},
           {R"(@missing, [{}, {}])", "unknown mesh: @missing"},
           {R"(@one, [{}, {}])", "a maximal sharding can only have a sharding with rank 0"},
           {R"(@m, [{}])", "sharding doesn't match tensor rank: 1 != 2"},
           {R"(@m, [{"q"}, {}])", "unknown axis name: \"q\""},
           {R"(@m, [{"x"}, {"x"}])", "duplicate axis ref: \"x\""},
           {R"(@m, [{"x"}, {}], unreduced={"x"})", "duplicate axis ref: \"x\""},
           {R"(@m, [{"x":(1)2, "x":(2)2}, {}])",
            "two consecutive sub-axes can be merged: \"x\":(1)2, \"x\":(2)2"},
           {R"(@m, [{"x":(1)2}, {"x"}])",
            "both sub-axis and full-axis are used for axis name: \"x\""},
           {R"(@m, [{"x":(2)1}, {}])", "sub-axis sizes must be greater than 1: \"x\":(2)1"},
           {R"(@m, [{"x":(2)3}, {}])",
            "sub-axis next pre-size 6 doesn't divide the size of the full axis 4: \"x\":(2)3"},
           {R"(@m, [{"x":(4)4611686018427387904}, {}])", "doesn't divide the size of the full"},
           {R"(@m, [{"x":(1)4}, {}])", "sub-axis size is equal to the full axis size"},
           {R"(mesh<["x"=8]>, [{"x":(1)4}, {"x":(2)4}])",
            "overlapping sub-axes: \"x\":(1)4, \"x\":(2)4"},
           {R"(@m, [{}, {}], replicated={"z", "x"})",
            "replicated axes are not ordered w.r.t. mesh"},
           {R"(@m, [{}p1, {}])", "dim 0 is empty and closed but has a priority"},
       }) {
    const std::string constraint =
        absl::StrCat("%0 = sdy.sharding_constraint %c <", c.body, "> : tensor<8x16xf32>");
    ExpectVerdict(ShardedFunction(constraint), c.message);
    const std::string own =
        absl::StrCat("%0 = stablehlo.negate %c {sdy.sharding = #sdy.sharding_per_value<[<", c.body,
                     ">]>} : tensor<8x16xf32>");
    ExpectVerdict(ShardedFunction(own), c.message);
    if (*c.message != '\0') {
      EXPECT_ERROR(VerifyShardy(ShardedFunction(own)), "stablehlo.negate: result - ");
    }
    const std::string argument =
        absl::StrCat(kMeshes, "func.func private @f(tensor<f32>, tensor<8x16xf32> {sdy.sharding = ",
                     "#sdy.sharding<", c.body, ">})");
    ExpectVerdict(argument, c.message);
    if (*c.message != '\0') {
      EXPECT_ERROR(VerifyShardy(argument), "func.func: arg 1 - ");
    }
  }
}

TEST(ShardyVerifierTest, AttributesOfOperations) {
  for (
      const ShardyCase& c : std::vector<ShardyCase>{
          {R"(%0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding<@m, [{}, {}]>} : tensor<8x16xf32>)",
           "should have a sharding attribute of type TensorShardingPerValueAttr"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[]>} : tensor<8x16xf32>)",
           "result shardings don't match number of values: 0 shardings vs 1 values"},
          {R"(stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8x16xf32>) -> ())",
           ""},
          {R"(stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8x16xf32>) -> ())",
           "1 shardings vs 0 values"},
          {R"(%0 = stablehlo.after_all %t {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : !stablehlo.token)",
           ""},
          {R"(%0 = stablehlo.after_all %t {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : !stablehlo.token)",
           "non-shaped tensors can only have a sharding with rank 0"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}>} : tensor<8x16xf32>)",
           ""},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = "i j"} : tensor<8x16xf32>)",
           "should have a sharding rule attribute of type OpShardingRuleAttr"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i])->([i, j]) {i=8, j=16}>} : tensor<8x16xf32>)",
           "number of operands and mappings must match: 1 != 2"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8x16xf32>)",
           "operand - mapping rank must match: 1 != 2"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=16}>} : tensor<8x16xf32>)",
           "within 0<=...<num_factors; received: 2, num_factors: 2"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i, j]) {i=8, j=16}>} : tensor<8x16xf32>)",
           "cannot reuse factors for the same tensor value"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16, k=2}>} : tensor<8x16xf32>)",
           "has factor k=2 that isn't used"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} reduction={j, i}>} : tensor<8x16xf32>)",
           "indices of special factors must be sorted"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} need_replication={i, i}>} : tensor<8x16xf32>)",
           "indices of special factors must be unique"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={k}>} : tensor<8x16xf32>)",
           "index must be less than 2, got: 2"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} need_replication={i} permutation={i}>} : tensor<8x16xf32>)",
           "a factor can only be in one of"},
          {R"(%0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} reduction={i}>} : tensor<8x16xf32>)",
           "reduction factor cannot be in result mappings"},
          {R"(%0 = stablehlo.negate %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8x16xf32>)",
           ""},
          {R"(%0 = stablehlo.negate %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-1]}]}]>} : tensor<8x16xf32>)",
           "a result index in range [0, 1), got: 1"},
          {R"(%0 = stablehlo.negate %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"q" = operand-0 -> [result-0]}]}]>} : tensor<8x16xf32>)",
           "expected axis ref to be in one of the meshes"},
          {R"(%0 = stablehlo.negate %c {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8x16xf32>)",
           "expected propagation edges attr to reference a sharding"},
          {R"(%0 = stablehlo.negate %c {sdy.result_propagation_edges = [1]} : tensor<8x16xf32>)",
           "ArrayAttr<PropagationEdgesAttr>"},
      }) {
    ExpectVerdict(ShardedFunction(c.body), c.message);
  }
}

TEST(ShardyVerifierTest, EdgesBarriersAndGroups) {
  for (const ShardyCase& c : std::vector<ShardyCase>{
           {"%0 = sdy.data_flow_edge %c : tensor<8x16xf32>", ""},
           {"%0 = sdy.data_flow_edge %c : tensor<8x16xf32>\n"
            "%1 = stablehlo.negate %c : tensor<8x16xf32>",
            "expected input of sdy.data_flow_edge to have a single user"},
           {"%0 = sdy.reshard %c <@m, [{}, {}]> : tensor<8x16xf32>\n"
            "%1 = sdy.data_flow_edge %0 : tensor<8x16xf32>",
            "to not be defined by an SdyDialect op"},
           {"%0 = sdy.data_flow_edge %c sharding=<@m, [{}]> : tensor<8x16xf32>",
            "sharding doesn't match tensor rank"},
           {"%0 = sdy.func_data_flow_edge %c : tensor<8x16xf32>", ""},
           {"%0 = stablehlo.negate %c : tensor<8x16xf32>\n"
            "%1 = sdy.func_data_flow_edge %0 : tensor<8x16xf32>",
            "to be a result of call op"},
           {"%0 = sdy.propagation_barrier %c allowed_direction=FORWARD : tensor<8x16xf32>", ""},
           {"%0 = sdy.propagation_barrier %c allowed_direction=BOTH : tensor<8x16xf32>",
            "cannot specify `BOTH` as the direction"},
           {"%0 = \"sdy.propagation_barrier\"(%c) {allowed_direction = 4 : i32} : "
            "(tensor<8x16xf32>) -> tensor<8x16xf32>",
            "must be NONE, FORWARD or BACKWARD"},
           {"sdy.sharding_group %c group_id=0 : tensor<8x16xf32>", ""},
           {"sdy.sharding_group %t group_id=0 : !stablehlo.token", "must be a ranked tensor"},
       }) {
    ExpectVerdict(ShardedFunction(c.body), c.message);
  }
}

TEST(ShardyVerifierTest, Computations) {
  const auto manual = [](const std::string& in, const std::string& axes, const std::string& type,
                         const std::string& body = "%1 = stablehlo.negate %p : TYPE") {
    std::string text =
        absl::StrCat("%0 = sdy.manual_computation(%c) in_shardings=[", in, "] out_shardings=[", in,
                     "] manual_axes={", axes, "} (%p: ", type, ") {\n", body,
                     "\nsdy.return %1 : ", type, "\n} : (tensor<8x16xf32>) -> tensor<8x16xf32>");
    const size_t at = text.find("TYPE");
    return ShardedFunction(at == std::string::npos ? text : text.replace(at, 4, type));
  };
  const std::string xy = R"(<@m, [{"x"}, {"y"}]>)";
  EXPECT_OK(VerifyShardy(manual(xy, R"("x", "y")", "tensor<2x8xf32>")));
  EXPECT_OK(VerifyShardy(manual(xy, R"("x")", "tensor<2x16xf32>")));
  EXPECT_ERROR(VerifyShardy(manual(xy, R"("x")", "tensor<2x8xf32>")),
               "operand shape, corresponding sharding, and region operand shape at index 0 must "
               "match. Expected local shape 'tensor<2x16xf32>', actual local shape "
               "'tensor<2x8xf32>'");
  EXPECT_ERROR(VerifyShardy(manual(xy, R"("x", "q")", "tensor<2x16xf32>")),
               "unknown manual axis: \"q\"");
  EXPECT_ERROR(VerifyShardy(manual(xy + ", " + xy, R"("x")", "tensor<2x16xf32>")),
               "operand shardings don't match number of values: 2 shardings vs 1 values");
  EXPECT_ERROR(VerifyShardy(manual(R"(<@m, [{"x", "y"}, {}]>)", R"("y")", "tensor<4x16xf32>")),
               "must have all manual axes come before free axes in its dimension sharding at index "
               "0. Saw manual axis \"y\" after free axis \"x\"");
  EXPECT_ERROR(
      VerifyShardy(manual(R"(<mesh<["x"=3]>, [{"x"}, {}]>)", R"("x")", "tensor<2x16xf32>")),
      "dimension size 8 is not divisible by the manual axes size 3");
  EXPECT_ERROR(VerifyShardy(manual(xy, R"("x")", "tensor<2x16xf32>",
                                   R"(%1 = sdy.sharding_constraint %p <@m, [{"x"}, {}]> : TYPE)")),
               "operates on axis \"x\" which is already bound by a parent sdy.manual_computation");
  EXPECT_ERROR(VerifyShardy(manual(xy, R"("x")", "tensor<2x16xf32>",
                                   "%2 = stablehlo.negate %c : tensor<8x16xf32>\n"
                                   "%1 = stablehlo.negate %p : TYPE")),
               "stablehlo.negate: using value defined outside the region");
  const auto named = [](const char* head, const char* type) {
    return ShardedFunction(absl::StrCat("%0 = sdy.named_computation<\"f\">(%c) ", head,
                                        " (%p: ", type, ") {\nsdy.return %p : ", type,
                                        "\n} : (tensor<8x16xf32>) -> tensor<8x16xf32>"));
  };
  EXPECT_OK(VerifyShardy(named("", "tensor<8x16xf32>")));
  EXPECT_OK(VerifyShardy(named(R"(in_shardings=[<@m, [{"x"}, {}]>])", "tensor<8x16xf32>")));
  EXPECT_ERROR(VerifyShardy(named(R"(out_shardings=[<@m, [{"x"}]>])", "tensor<8x16xf32>")),
               "out_shardings - sharding doesn't match tensor rank: 1 != 2");
  EXPECT_ERROR(VerifyShardy(named("", "tensor<8x4xf32>")),
               "expected the type of the 0'th block argument to match");
}

TEST(ShardyVerifierTest, Collectives) {
  for (
      const ShardyCase& c : std::vector<ShardyCase>{
          {R"(sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{}, {"y"}]>)", ""},
          {R"(sdy.all_gather [{"x":(2)2}, {"y"}] %a out_sharding=<@m, [{"x":(1)2}, {}]>)", ""},
          {R"(sdy.all_gather [{"x"}, {}] %c out_sharding=<@m, [{}, {}]>)",
           "collective on operand without sharding"},
          {R"(sdy.all_gather [{"y"}, {}] %a out_sharding=<@m, [{}, {"y"}]>)",
           "can't apply gathering axis \"y\" to operand sharding on dimension 0"},
          {R"(sdy.all_gather [{"x"}, {}] %a out_sharding=<@m, [{"z"}, {"y"}]>)",
           "result sharding doesn't match expected sharding [] on dimension 0"},
          {R"(sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}, {"y"}]>)",
           "result sharding has rank 2 but collective axes has rank 1"},
          {R"(sdy.all_gather [{"x"}, {}] %a out_sharding=<@other, [{}, {"y"}]>)",
           "result mesh does not match operand mesh"},
          {R"(sdy.all_slice [{"z"}, {}] %a out_sharding=<@m, [{"x", "z"}, {"y"}]>)", ""},
          {R"(sdy.all_slice [{"x"}, {}] %c out_sharding=<@m, [{"x"}, {}]>)", ""},
          {R"(sdy.all_slice [{"z"}, {}] %a out_sharding=<@m, [{"z"}, {"y"}]>)",
           "expected sharding [\"x\", \"z\"] on dimension 0"},
          {R"(sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@m, [{}, {"y", "x"}]>)", ""},
          {R"(sdy.all_to_all [] %a out_sharding=<@m, [{}, {"y", "x"}]>)",
           "parameter list is empty"},
          {R"(sdy.all_to_all [{"x"}: 0->2] %a out_sharding=<@m, [{}, {"y", "x"}]>)",
           "target dimension 2 is out of range [0, 2)"},
          {R"(sdy.all_to_all [{"x"}: 0->0] %a out_sharding=<@m, [{}, {"y", "x"}]>)",
           "overlapping source/target dimensions in all-to-all params: 0"},
          {R"(sdy.collective_permute %a out_sharding=<@m, [{"z"}, {"y"}]>)", ""},
          {R"(sdy.collective_permute %a out_sharding=<@reversed, [{"x"}, {"y"}]>)", ""},
          {R"(sdy.collective_permute %a out_sharding=<@copy, [{"x"}, {"y"}]>)",
           "result mesh name is different but same device ids as operand"},
          {R"(sdy.collective_permute %a out_sharding=<@other, [{"x"}, {"y"}]>)",
           "result mesh has different axes than operand mesh"},
          {R"(sdy.collective_permute %a out_sharding=<@m, [{"y"}, {"x"}]>)",
           "on dimension 0: 2 != 4"},
          {R"(sdy.all_reduce {"z"} %a out_sharding=<@m, [{"x"}, {"y"}]>)", ""},
          {R"(sdy.all_reduce {"y"} %b out_sharding=<@m, [{"z"}, {}]>)", ""},
          {R"(sdy.all_reduce {"x"} %a out_sharding=<@m, [{"x"}, {"y"}]>)",
           "reduction axis \"x\" overlaps with operand dimension sharding or replicated axes"},
          {R"(sdy.all_reduce {"y"} %b out_sharding=<@m, [{"z"}, {}], unreduced={"y"}>)",
           "reduction axis \"y\" overlaps with result unreduced axes"},
          {R"(sdy.all_reduce {"z"} %a out_sharding=<@m, [{"x"}, {}]>)",
           "operand and result shardings are not equivalent"},
          {R"(sdy.reduce_scatter [{}, {"z"}] %a out_sharding=<@m, [{"x"}, {"y", "z"}]>)", ""},
          {R"(sdy.sharded_to_unreduced [{"z"}, {}] %b out_sharding=<@m, [{}, {}], unreduced={"y", "z"}>)",
           ""},
          {R"(sdy.sharded_to_unreduced [{"z"}, {}] %b out_sharding=<@m, [{}, {}], unreduced={"z"}>)",
           "out_unreduced_axes should be in_unreduced_axes + sharded_to_unreduced_axes"},
          {R"(sdy.replicated_to_unreduced {"z"} %a out_sharding=<@m, [{"x"}, {"y"}], unreduced={"z"}>)",
           ""},
          {R"(sdy.replicated_to_unreduced {"x"} %a out_sharding=<@m, [{"x"}, {"y"}], unreduced={"z"}>)",
           "r2u axis \"x\" overlaps with operand dimension sharding"},
          {R"(sdy.replicated_to_unreduced {} %a out_sharding=<@m, [{"x"}, {"y"}]>)",
           "r2u axes must not be empty"},
          {R"(sdy.all_reduce max {"x"} %d out_sharding=<@m, [{"z"}, {}]>)", ""},
          {R"(sdy.all_reduce {"x"} %d out_sharding=<@m, [{"z"}, {}]>)",
           "cannot reduce 'max' unreduced axes. Expected 'sum'."},
          {R"(sdy.all_reduce {"y"} %d out_sharding=<@m, [{"z"}, {}], unreduced=max{"x"}>)", ""},
          {R"(sdy.reduce_scatter min [{}, {"x"}] %d out_sharding=<@m, [{"z"}, {"x"}]>)",
           "cannot reduce 'max' unreduced axes. Expected 'min'."},
          {R"(sdy.reduce_scatter max [{}, {"x"}] %d out_sharding=<@m, [{"z"}, {"x"}]>)", ""},
          {R"(sdy.reduce_scatter [{}, {"y"}] %d out_sharding=<@m, [{"z"}, {"y"}]>)",
           "cannot reduce 'max' unreduced axes. Expected 'sum'."},
          {R"(sdy.replicated_to_unreduced {"z"} %a out_sharding=<@m, [{"x"}, {"y"}], unreduced=min{"z"}>)",
           "out_sharding reduction_op must be SUM"},
          {R"(sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@m, [{}, {"y"}], unreduced=max{"x"}>)",
           "out_sharding reduction_op must be SUM"},
          {R"(sdy.reshard %d <@m, [{"z"}, {}], unreduced=max{"x"}>)", ""},
          {R"(sdy.reshard %d <@m, [{}, {}]>)", ""},
          {R"(sdy.reshard %d <@m, [{}, {}], unreduced={"x"}>)",
           "cannot change the reduction operator of kept unreduced axes from max to sum."},
          {R"(sdy.reshard %d <@m, [{}, {}], unreduced=min{"x", "y"}>)",
           "cannot change the reduction operator of kept unreduced axes from max to min."},
          {R"(sdy.reshard %d <@m, [{}, {}], unreduced={"y"}>)", ""},
          {R"(sdy.reshard %d <@m, [{}, {}], unreduced=max{"y"}>)",
           "cannot introduce 'max' unreduced axes. Expected 'sum'."},
          {R"(sdy.sharding_constraint %a <@m, [{"x"}, {"y"}], unreduced=min{"z"}>)",
           "cannot introduce 'min' unreduced axes. Expected 'sum'."},
          {R"(sdy.sharding_constraint %c <@m, [{"x"}, {"y"}], unreduced=min{"z"}>)", ""},
      }) {
    ExpectVerdict(ShardedFunction(absl::StrCat("%0 = ", c.body, " : tensor<8x16xf32>")), c.message);
  }
}

// Whoever gives the operand its sharding: operations, computations, loops and edges.
TEST(ShardyVerifierTest, OperandsHaveTheShardingOfTheirDefinition) {
  const char* gather =
      R"(sdy.all_gather [{"x"}, {}] %0 out_sharding=<@m, [{}, {}]> : tensor<8x16xf32>)";
  const char* missing = "collective on operand without sharding";
  for (
      const ShardyCase& c : std::vector<ShardyCase>{
          {R"(%0 = stablehlo.negate %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8x16xf32>)",
           ""},
          {"%0 = stablehlo.negate %c : tensor<8x16xf32>", missing},
          {R"(%0 = sdy.reshard %c <@m, [{"x"}, {}]> : tensor<8x16xf32>)", ""},
          {R"(%0 = sdy.all_slice [{"x"}, {}] %c out_sharding=<@m, [{"x"}, {}]> : tensor<8x16xf32>)",
           ""},
          {R"(%0 = sdy.manual_computation(%c) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={} (%p: tensor<8x16xf32>) {
             sdy.return %p : tensor<8x16xf32>
           } : (tensor<8x16xf32>) -> tensor<8x16xf32>)",
           ""},
          {R"(%1 = "stablehlo.optimization_barrier"(%c) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
           %0 = sdy.data_flow_edge %1 sharding=<@m, [{"x"}, {}]> : tensor<8x16xf32>)",
           ""},
      }) {
    ExpectVerdict(ShardedFunction(absl::StrCat(c.body, "\n  %9 = ", gather)), c.message);
  }
}

}  // namespace
}  // namespace xla::stablehlo
