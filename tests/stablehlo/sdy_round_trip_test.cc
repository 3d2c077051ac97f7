// SPDX-License-Identifier: Apache-2.0
// Shardy's operations and attributes through StableHLO alone, and through HLO.
#include "xla/stablehlo/sdy_round_trip.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/operation_text.h"
#include "xla/stablehlo/syntax.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/translate_from_hlo.h"
#include "xla/stablehlo/verifier.h"

namespace xla::stablehlo {
namespace {

absl::StatusOr<std::unique_ptr<mlir::Source>> ReadSharded(const std::string& text) {
  XLA_ASSIGN_OR_RETURN(auto source, mlir::ReadText(text, "test.mlir", AllDialects()));
  XLA_RETURN_IF_ERROR(VerifyStableHlo(*source));
  return source;
}

// Exported and imported again; `exported`: what is between, if it is asked for.
absl::StatusOr<std::string> ThereAndBack(const std::string& text, std::string* exported = nullptr) {
  XLA_ASSIGN_OR_RETURN(const auto source, ReadSharded(text));
  XLA_RETURN_IF_ERROR(ExportShardy(source.get()));
  const std::string middle = PrettyText(*source->module);
  if (exported != nullptr) *exported = middle;
  XLA_ASSIGN_OR_RETURN(const auto again, ReadSharded(middle));
  XLA_RETURN_IF_ERROR(ImportShardy(again.get()));
  XLA_RETURN_IF_ERROR(VerifyStableHlo(*again));
  return PrettyText(*again->module);
}

absl::StatusOr<std::string> ThroughHlo(const std::string& text, const std::string& function = {}) {
  XLA_ASSIGN_OR_RETURN(const auto source, ReadSharded(text));
  EntryArguments arguments;
  arguments.function = function;
  arguments.shardy = ShardyForm::kRoundTrip;
  XLA_ASSIGN_OR_RETURN(const auto module, TranslateToHlo(source.get(), arguments));
  XLA_RETURN_IF_ERROR(VerifyModule(*module));
  const std::string name = function.empty() ? "main" : function;
  XLA_ASSIGN_OR_RETURN(const auto again, TranslateFromHlo(*module, name));
  XLA_RETURN_IF_ERROR(VerifyStableHlo(*again));
  return PrettyText(*again->module);
}

constexpr char kShardedProgram[] =
    R"(module @m attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  sdy.mesh @"other mesh" = <["x"=8]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>}, %arg1: tensor<8x16xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}p2]>}, tensor<8x16xf32>) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}p3, {}]>]>} : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {"y":(1)2, ?}], replicated={"y":(2)2}> : tensor<8x16xf32>
    sdy.sharding_group %1 group_id=3 : tensor<8x16xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<8x16xf32>
    %3:2 = sdy.manual_computation(%2, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<4x16xf32>, %arg3: tensor<8x16xf32>) {
      %8 = stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<4x16xf32>
      sdy.return %8, %arg3 : tensor<4x16xf32>, tensor<8x16xf32>
    } : (tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
    %4 = sdy.named_computation<"f">(%3#0) in_shardings=[<@mesh, [{"x"}, {}]>] (%arg2: tensor<8x16xf32>) {
      %8 = stablehlo.negate %arg2 : tensor<8x16xf32>
      sdy.return %8 : tensor<8x16xf32>
    } {sdy.origin = "n"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %5 = call @g(%4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %6 = call @g(%5) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %cst = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} dense<1.000000e+00> : tensor<8x16xf32>
    %7 = sdy.reshard %6 <@"other mesh", [{"x"}, {}]> : tensor<8x16xf32>
    return %7, %3#1 : tensor<8x16xf32>, tensor<8x16xf32>
  }
  func.func private @g(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}) {
    %0 = stablehlo.custom_call @c(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}, custom>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
)";

TEST(ShardyRoundTripTest, BothDirectionsAreInverse) {
  std::string exported;
  ASSERT_OK_AND_ASSIGN(const std::string again, ThereAndBack(kShardedProgram, &exported));
  EXPECT_EQ(again, kShardedProgram);
  for (const char* part : {
           R"(xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2, \22y\22=4], device_ids=)",
           R"(stablehlo.custom_call @Sharding(%0) {mhlo.frontend_attributes = {xla.sdy.sharding = )"
           R"("#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {\22y\22:(1)2, ?}])",
           R"(@xla.sdy.ShardingGroup(%1) {has_side_effect = true, mhlo.frontend_attributes = )"
           R"({xla.sdy.sharding_group_id = "3 : i64"}})",
           R"(@xla.sdy.PropagationBarrier(%1) {has_side_effect = true, mhlo.frontend_attributes = )"
           R"({xla.sdy.allowed_direction = "2 : i32"}})",
           R"(xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>")",
           R"(func.func private @xla.sdy.manual_computation_body()",
           R"(stablehlo.custom_call @xla.sdy.FuncResultSharding()",
       }) {
    EXPECT_NE(exported.find(part), std::string::npos) << part << "\nin\n" << exported;
  }
  EXPECT_EQ(exported.find("sdy.mesh @"), std::string::npos);
}

TEST(ShardyRoundTripTest, HloKeepsIt) {
  ASSERT_OK_AND_ASSIGN(const std::string again, ThroughHlo(kShardedProgram));
  // HLO has no place for other attributes of operations.
  EXPECT_EQ(again, absl::StrReplaceAll(kShardedProgram, {{" {sdy.origin = \"n\"}", ""}}));
}

// What XLA's passes leave: nothing that misleads, and no crash.
TEST(ShardyRoundTripTest, OtherTextsStay) {
  for (
      const char* operation : {
          R"(%0 = stablehlo.custom_call @Sharding(%a) {mhlo.frontend_attributes = {xla.sdy.sharding = "odd"}} : (tensor<4xf32>) -> tensor<4xf32>)",
          R"(%0 = stablehlo.custom_call @xla.sdy.ShardingGroup(%a) : (tensor<4xf32>) -> tensor<4xf32>)",
          R"(%0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%a) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = ""}} : (tensor<4xf32>) -> tensor<4xf32>)",
          R"(%0 = func.call @xla.sdy.manual_computation_body(%a) : (tensor<4xf32>) -> tensor<4xf32>)",
          R"(%0 = func.call @g(%a) {mhlo.frontend_attributes = {xla.sdy.named_computation = 1 : i32}} : (tensor<4xf32>) -> tensor<4xf32>)",
          R"(%0 = stablehlo.custom_call @sdy.none(%a) : (tensor<4xf32>) -> tensor<4xf32>)",
      }) {
    auto source = mlir::ReadText(
        absl::StrCat("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n", operation,
                     "\nreturn %0 : tensor<4xf32>\n}\n",
                     "func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                     "return %a : tensor<4xf32>\n}\n",
                     "func.func private @xla.sdy.manual_computation_body(%a: tensor<4xf32>) -> "
                     "tensor<4xf32> {\nreturn %a : tensor<4xf32>\n}\n"),
        "test.mlir", AllDialects());
    ASSERT_OK(source) << operation;
    EXPECT_OK(ImportShardy(source->get())) << operation;
    EXPECT_FALSE(PrettyText(*(*source)->module).empty());
  }
}

// The functions of a program that have a body.
std::vector<std::string> FunctionsOf(const mlir::Source& source) {
  std::vector<std::string> names;
  for (const mlir::Operation& operation : *source.module->regions[0].first) {
    if (!operation.Is("func.func") || operation.regions.empty() || operation.regions[0].empty()) {
      continue;
    }
    names.emplace_back(operation.Find("sym_name")->As<mlir::StringAttribute>()->value);
  }
  return names;
}

// Counts words that begin with "sdy.", "@" and "<@" in a text: what a program says of shardings.
std::map<std::string, int> ShardyWords(const std::string& text) {
  std::map<std::string, int> words;
  std::stringstream stream(text);
  std::string word;
  while (stream >> word) {
    if (word.substr(0, 4) == "sdy." || word.substr(0, 2) == "<@" || word[0] == '#') ++words[word];
  }
  return words;
}

// XYLEM_SHARDY_PROGRAMS: a folder of programs. Each must come back from StableHLO alone; each
// function is also sent through HLO.
TEST(ShardyRoundTripTest, ShardysOwnPrograms) {
  const char* folder = std::getenv("XYLEM_SHARDY_PROGRAMS");
  if (folder == nullptr) GTEST_SKIP() << "set XYLEM_SHARDY_PROGRAMS to a folder of programs";
  int programs = 0, equal = 0, functions = 0, through_hlo = 0, kept = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".mlir") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const auto source = ReadSharded(text.str());
    if (!source.ok()) continue;
    ++programs;
    const std::string before = PrettyText(*(*source)->module);
    const auto again = ThereAndBack(text.str());
    equal += again.ok() && *again == before ? 1 : 0;
    if (!again.ok() || *again != before) {
      std::cout << entry.path() << ": " << (again.ok() ? *again : again.status().ToString())
                << "\n";
    }
    for (const std::string& name : FunctionsOf(**source)) {
      ++functions;
      const auto back = ThroughHlo(text.str(), name);
      through_hlo += back.ok() ? 1 : 0;
      if (!back.ok()) {
        std::cout << entry.path() << " @" << name << ": " << back.status() << "\n";
        continue;
      }
      if (FunctionsOf(**source).size() > 1) continue;
      kept += ShardyWords(*back) == ShardyWords(before) ? 1 : 0;
      if (ShardyWords(*back) != ShardyWords(before)) {
        std::cout << entry.path() << " @" << name << ": through HLO\n" << before << *back << "\n";
      }
    }
  }
  std::cout << programs << " programs, " << equal << " equal; " << functions << " functions, "
            << through_hlo << " through HLO, " << kept << " programs of one keep what they say\n";
}

}  // namespace
}  // namespace xla::stablehlo
