// SPDX-License-Identifier: Apache-2.0
// The reshards that operations need, as the text of StableHLO and as annotations of HLO.
#include "xla/spmd/propagation/explicit_reshards.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/insert_reshards.h"
#include "xla/spmd/propagation/propagation.h"
#include "xla/stablehlo/operation_text.h"
#include "xla/stablehlo/state_reshards.h"
#include "xla/stablehlo/state_shardings.h"
#include "xla/stablehlo/translate.h"

namespace xla::spmd {
namespace {

// The body of the first function after propagation, with its reshards.
absl::StatusOr<std::string> WithReshards(const std::string& text) {
  XLA_ASSIGN_OR_RETURN(const auto source, stablehlo::LoadStableHlo(text, "program"));
  stablehlo::TranslatedValues values;
  std::vector<HloSharding> results;
  stablehlo::EntryArguments entry;
  entry.shardy = stablehlo::ShardyForm::kAxes;
  XLA_ASSIGN_OR_RETURN(const auto module, stablehlo::TranslateToHlo(source.get(), entry, &values));
  XLA_RETURN_IF_ERROR(propagation::PropagateShardings({}, module.get(), &results));
  XLA_RETURN_IF_ERROR(stablehlo::StateShardings(*module, values, results, source.get()));
  stablehlo::FinishPropagation(source.get());
  XLA_ASSIGN_OR_RETURN(const ModuleReshards reshards, propagation::PlanExplicitReshards(*module));
  XLA_RETURN_IF_ERROR(stablehlo::StateReshards(*module, reshards, values, results, source.get()));
  const std::string all = stablehlo::PrettyText(*source->module);
  const size_t begin = all.find("{\n", all.find("func.func"));
  return all.substr(begin + 2, all.find("  }\n", begin) - begin - 2);
}

std::string Program(absl::string_view signature, absl::string_view body) {
  return absl::StrCat("sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\nfunc.func @main", signature, " {\n",
                      body, "}\n");
}

// In the end, results of which nothing is known are closed beside those that have a
// sharding.
TEST(ExplicitReshardsTest, StatesResultsOfConditionals) {
  const std::string program = Program(
      R"((%p: tensor<i32>,
          %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
          %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
          %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
          -> (tensor<8xf32>, tensor<8xf32>))",
      R"(  %0:2 = "stablehlo.case"(%p) ({
    stablehlo.return %a, %a : tensor<8xf32>, tensor<8xf32>
  }, {
    stablehlo.return %b, %c : tensor<8xf32>, tensor<8xf32>
  }) : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
)");
  ASSERT_OK_AND_ASSIGN(const std::string text, WithReshards(program));
  EXPECT_NE(text.find(R"([<@mesh, [{"x"}]>, <@mesh, [{}]>])"), std::string::npos) << text;
}

TEST(ExplicitReshardsTest, ProductOfConflictingOperands) {
  ASSERT_OK_AND_ASSIGN(
      const std::string text,
      WithReshards(Program(
          R"((%a: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
              %b: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
              -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}))",
          R"(  %0 = stablehlo.dot %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
)")));
  EXPECT_EQ(text, R"(    %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<8x32xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{"x"}, {"y"}]> : tensor<32x16xf32>
    %2 = stablehlo.dot %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    %3 = sdy.all_reduce {"x"} %2 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x16xf32>
    %4 = sdy.reshard %3 <@mesh, [{"x"}, {"y"}]> : tensor<8x16xf32>
    return %4 : tensor<8x16xf32>
)");
}

TEST(ExplicitReshardsTest, ReturnedAsStated) {
  ASSERT_OK_AND_ASSIGN(
      const std::string text,
      WithReshards(Program(
          R"((%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
              -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}))",
          R"(  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
)")));
  EXPECT_EQ(text, R"(    %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
)");
}

TEST(ExplicitReshardsTest, FactorsThatNeedReplicationGoToBatches) {
  ASSERT_OK_AND_ASSIGN(
      const std::string text,
      WithReshards(Program(
          R"((%a: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>})
              -> (tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}))",
          R"(  %0 = stablehlo.cholesky %a, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : tensor<8x4x4xf32>
  return %0 : tensor<8x4x4xf32>
)")));
  EXPECT_EQ(text, R"(    %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}, {}]> : tensor<8x4x4xf32>
    %1 = stablehlo.cholesky %0, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : tensor<8x4x4xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}, {"x"}]> : tensor<8x4x4xf32>
    return %2 : tensor<8x4x4xf32>
)");
}

TEST(ExplicitReshardsTest, AnnotationsOfHlo) {
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      stablehlo::ReadStableHlo(
          Program(
              R"((%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
                  -> tensor<8x16xf32>)",
              R"(  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
)"),
          "program", {.shardy = stablehlo::ShardyForm::kAxes}));
  ASSERT_OK_AND_ASSIGN(const bool changed, InsertExplicitReshards(module.get()));
  EXPECT_TRUE(changed);
  ASSERT_OK(VerifyModule(*module));
  const HloInstruction* add = nullptr;
  for (const HloInstruction* instruction : module->entry_computation()->instructions()) {
    if (instruction->opcode() == HloOpcode::kAdd) add = instruction;
  }
  ASSERT_NE(add, nullptr);
  for (const HloInstruction* operand : add->operands()) {
    if (operand->opcode() != HloOpcode::kCustomCall) continue;
    EXPECT_EQ(operand->custom_call_target(), "Sharding");
    EXPECT_TRUE(operand->has_sharding());
  }
  EXPECT_TRUE(add->operand(0)->opcode() == HloOpcode::kCustomCall ||
              add->operand(1)->opcode() == HloOpcode::kCustomCall);
}

}  // namespace
}  // namespace xla::spmd
