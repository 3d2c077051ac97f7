// SPDX-License-Identifier: Apache-2.0
// StableHLO programs become the HLO beside them: programs/NAME.mlir and programs/NAME.hlo.
#include "xla/stablehlo/translate.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

using testing::ReadTestFile;
using testing::SourcePath;

std::vector<std::string> TranslatedPrograms() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourcePath("tests/stablehlo/programs"))) {
    if (entry.path().extension() == ".mlir") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class TranslateProgramTest : public ::testing::TestWithParam<std::string> {};

TEST_P(TranslateProgramTest, IsTheHloBesideIt) {
  const std::string path = SourcePath(absl::StrCat("tests/stablehlo/programs/", GetParam()));
  const std::string text = ReadTestFile(path + ".mlir");
  EXPECT_TRUE(LooksLikeMlir(text));
  ASSERT_OK_AND_ASSIGN(const auto module, ReadStableHlo(text, GetParam() + ".mlir"));
  ASSERT_OK_AND_ASSIGN(const auto expected,
                       ParseAndReturnUnverifiedModule(ReadTestFile(path + ".hlo")));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_OK(VerifyModule(*expected));
  EXPECT_OK(expected->CheckEqual(*module)) << module->ToString();
}

TEST_P(TranslateProgramTest, IsTheSameWhenTheSourceIsKept) {
  const std::string text =
      ReadTestFile(absl::StrCat("tests/stablehlo/programs/", GetParam(), ".mlir"));
  ASSERT_OK_AND_ASSIGN(const auto source, LoadStableHlo(text, "test.mlir"));
  ASSERT_OK_AND_ASSIGN(const auto kept, TranslateToHlo(source.get()));
  ASSERT_OK_AND_ASSIGN(const auto again, TranslateToHlo(source.get()));
  ASSERT_OK_AND_ASSIGN(const auto released, ReadStableHlo(text, "test.mlir"));
  EXPECT_OK(kept->CheckEqual(*again));
  EXPECT_OK(kept->CheckEqual(*released));
}

INSTANTIATE_TEST_SUITE_P(Programs, TranslateProgramTest, ::testing::ValuesIn(TranslatedPrograms()),
                         [](const auto& program) { return program.param; });

TEST(TranslateTest, FunctionsWithoutAnOperationAreThoseOfTheClientLibrary) {
  XlaBuilder builder("test");
  const XlaOp x = Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {3}), "x");
  ASSERT_OK_AND_ASSIGN(const XlaComputation computation, builder.Build(NextAfter(x, Lgamma(x))));
  ASSERT_OK_AND_ASSIGN(const auto expected, computation.module());
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      ReadStableHlo(
          "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
          "  %0 = chlo.lgamma %x : tensor<3xf32> -> tensor<3xf32>\n"
          "  %1 = chlo.next_after %x, %0 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>\n"
          "  return %1 : tensor<3xf32>\n}\n",
          "test.mlir"));
  EXPECT_OK(VerifyModule(*module));
  EXPECT_OK(expected->CheckEqual(*module)) << module->ToString();
}

// More operations than a block of memory holds, a call back and forth, and a loop in between.
TEST(TranslateTest, ReleasesLargeFunctionsWhileItTranslatesThem) {
  std::string text =
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %c = stablehlo.constant dense<2.0> : tensor<4xf32>\n"
      "  %v0 = stablehlo.add %x, %c : tensor<4xf32>\n";
  constexpr int kOperations = 20000;
  for (int i = 1; i < kOperations; ++i) {
    absl::StrAppend(&text, "  %v", i, " = ");
    if (i % 1000 == 0) {
      absl::StrAppend(&text, "func.call @f(%v", i - 1, ") : (tensor<4xf32>) -> tensor<4xf32>\n");
    } else {
      absl::StrAppend(&text, "stablehlo.add %v", i - 1, ", %c : tensor<4xf32>\n");
    }
  }
  absl::StrAppend(&text, "  return %v", kOperations - 1, " : tensor<4xf32>\n}\n",
                  "func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                  "  %0 = stablehlo.constant dense<0.5> : tensor<4xf32>\n"
                  "  %1 = stablehlo.multiply %x, %0 : tensor<4xf32>\n"
                  "  return %1 : tensor<4xf32>\n}\n");
  ASSERT_OK_AND_ASSIGN(const auto source, LoadStableHlo(text, "test.mlir"));
  ASSERT_OK_AND_ASSIGN(const auto kept, TranslateToHlo(source.get()));
  ASSERT_OK_AND_ASSIGN(const auto released, ReadStableHlo(text, "test.mlir"));
  EXPECT_OK(VerifyModule(*released));
  EXPECT_OK(kept->CheckEqual(*released));
}

TEST(TranslateTest, ModulesMayStateAliases) {
  const auto read = [](const std::string& alias) {
    return ReadStableHlo(absl::StrCat("module attributes {mhlo.input_output_alias = [", alias,
                                      "]} {\nfunc.func @main(%a: tuple<tensor<2xf32>>) -> "
                                      "(tensor<i32>, tensor<2xf32>) {\n"
                                      "  %0 = mhlo.get_tuple_element %a[0] : "
                                      "(tuple<tensor<2xf32>>) -> tensor<2xf32>\n"
                                      "  %1 = mhlo.constant dense<3> : tensor<i32>\n"
                                      "  return %1, %0 : tensor<i32>, tensor<2xf32>\n}\n}\n"),
                         "test.mlir");
  };
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      read("{alias = {kind = 0 : i64, parameter_index = array<i64: 0>, parameter_number = 0 : "
           "i64}, output_index = array<i64: 1>}"));
  EXPECT_OK(VerifyModule(*module));
  ASSERT_EQ(module->config().input_output_alias.size(), 1u);
  const InputOutputAlias& alias = module->config().input_output_alias[0];
  EXPECT_EQ(alias.parameter_number, 0);
  EXPECT_EQ(alias.parameter_index, std::vector<int64_t>{0});
  EXPECT_EQ(alias.output_index, std::vector<int64_t>{1});
  EXPECT_EQ(alias.kind, InputOutputAlias::Kind::kMust);
  EXPECT_ERROR(read("{alias = 1}"), "must hold dictionaries with an alias");
  EXPECT_ERROR(read("{alias = {}}"), "needs a parameter_number");
  EXPECT_ERROR(read("{alias = {parameter_number = 0 : i64, parameter_index = \"x\"}}"),
               "must be a list of integers");
}

TEST(TranslateTest, ModulesMayStateLayouts) {
  const auto read = [](const std::string& parameters, const std::string& results) {
    return ReadStableHlo(
        absl::StrCat("module attributes {mhlo.xla_entry_computation_parameter_layouts = [",
                     parameters, "], mhlo.xla_entry_computation_result_layout = [", results,
                     "]} {\nfunc.func @main(%a: tuple<tensor<2x3xf32>>, %b: tensor<i32>) -> "
                     "(tensor<i32>, tensor<2x3xf32>) {\n"
                     "  %0 = mhlo.get_tuple_element %a[0] : (tuple<tensor<2x3xf32>>) -> "
                     "tensor<2x3xf32>\n  return %b, %0 : tensor<i32>, tensor<2x3xf32>\n}\n}\n"),
        "test.mlir");
  };
  const std::string column = "dense<[0, 1]> : tensor<2xindex>",
                    scalar = "dense<> : tensor<0xindex>";
  ASSERT_OK_AND_ASSIGN(const auto module, read(absl::StrCat("[", column, "], ", scalar),
                                               absl::StrCat(scalar, ", ", column)));
  EXPECT_OK(VerifyModule(*module));
  const std::string text = module->ToString();
  EXPECT_NE(text.find("={((f32[2,3]{0,1}), s32[])->(s32[], f32[2,3]{0,1})}"), std::string::npos)
      << text;
  EXPECT_ERROR(read(column, absl::StrCat(scalar, ", ", column)), "fewer layouts than there are");
  EXPECT_ERROR(read(absl::StrCat(scalar, ", ", scalar), absl::StrCat(scalar, ", ", column)),
               "test.mlir:1:");
}

TEST(TranslateTest, ProcessesMayReceiveWhatOthersSendToTheHost) {
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      ReadStableHlo(
          "func.func @send(%x: tensor<2xi64>, %t: !stablehlo.token) -> !stablehlo.token {\n"
          "  %0 = \"stablehlo.send\"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = "
          "1, type = 2>, is_host_transfer = true} : (tensor<2xi64>, !stablehlo.token) -> "
          "!stablehlo.token\n  return %0 : !stablehlo.token\n}\n"
          "func.func @recv(%t: !stablehlo.token) -> (tensor<2xi64>, !stablehlo.token) {\n"
          "  %0:2 = \"stablehlo.recv\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, "
          "type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xi64>, "
          "!stablehlo.token)\n  return %0#0, %0#1 : tensor<2xi64>, !stablehlo.token\n}\n"
          "func.func @main() {\n  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
          "  %1 = stablehlo.after_all : !stablehlo.token\n"
          "  %2:3 = \"interpreter.run_parallel\"(%0, %1, %1) {programs = [[@send], [@recv]]} : "
          "(tensor<2xi64>, !stablehlo.token, !stablehlo.token) -> (!stablehlo.token, "
          "tensor<2xi64>, !stablehlo.token)\n  return\n}\n",
          "test.mlir"));
  EXPECT_OK(VerifyModule(*module));
}

// The program of one operation on line 2.
absl::Status TranslateLine(std::string_view operation) {
  return ReadStableHlo(
             absl::StrCat(
                 "func.func @main(%x: tensor<2x3xf32>, %n: tensor<2xi64>, %z: tensor<f32>) {\n  ",
                 std::string(operation), "\n  return\n}\n"),
             "test.mlir")
      .status();
}

TEST(TranslateErrorTest, UnsupportedOperationsAreNamedWithTheirPlace) {
  const char* line = "%0 = chlo._asin_acos_kernel %x : tensor<2x3xf32> -> tensor<2x3xf32>";
  EXPECT_STATUS(TranslateLine(line), absl::StatusCode::kUnimplemented, "test.mlir:2:");
  EXPECT_ERROR(TranslateLine(line),
               "chlo._asin_acos_kernel: the translation to HLO is not implemented");
}

TEST(TranslateErrorTest, SizesMustBeKnown) {
  EXPECT_STATUS(TranslateLine("%0 = stablehlo.dynamic_reshape %x, %n : (tensor<2x3xf32>, "
                              "tensor<2xi64>) -> tensor<?x?xf32>"),
                absl::StatusCode::kUnimplemented, "operand 1 that is not a constant");
  EXPECT_STATUS(TranslateLine("%0 = stablehlo.dynamic_pad %x, %z, %n, %n, %n : (tensor<2x3xf32>, "
                              "tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> "
                              "tensor<2x3xf32>"),
                absl::StatusCode::kUnimplemented, "operand 2 that is not a constant");
}

TEST(TranslateErrorTest, InvalidProgramsAreErrors) {
  EXPECT_STATUS(ReadStableHlo("module {}", "test.mlir"), absl::StatusCode::kInvalidArgument,
                "there is no function");
  EXPECT_ERROR(TranslateLine("func.call @missing() : () -> ()"),
               "'missing' does not reference a valid function");
  EXPECT_ERROR(
      TranslateLine(
          "func.call @main(%x, %n, %z) : (tensor<2x3xf32>, tensor<2xi64>, tensor<f32>) -> ()"),
      "@main calls itself");
  EXPECT_ERROR(TranslateLine("%0 = \"stablehlo.compare\"(%x, %x) : (tensor<2x3xf32>, "
                             "tensor<2x3xf32>) -> tensor<2x3xi1>"),
               "requires attribute 'comparison_direction'");
}

TEST(TranslateErrorTest, RegionsMustHaveABlockEvenIfNothingWasVerified) {
  for (const char* operation :
       {R"(%0 = "stablehlo.while"(%x) ({}, {}) : (tensor<i32>) -> tensor<i32>)",
        R"(%0 = "stablehlo.case"(%x) ({}) : (tensor<i32>) -> tensor<i32>)"}) {
    ASSERT_OK_AND_ASSIGN(
        const auto source,
        LoadStableHlo(absl::StrCat("func.func @main(%x: tensor<i32>) -> tensor<i32> {\n  ",
                                   operation, "\n  return %0 : tensor<i32>\n}\n"),
                      "test.mlir", /*verify=*/false));
    EXPECT_STATUS(TranslateToHlo(source.get()), absl::StatusCode::kInvalidArgument,
                  "needs regions of one block");
  }
}

// An asynchronous collective of f32[2,3], with its config, translated and verified.
absl::Status ReadStart(std::string_view kind, std::string_view config) {
  const auto module = ReadStableHlo(
      absl::StrCat("func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                   "  %0 = stablehlo.custom_call @\"",
                   std::string(kind),
                   "-start\"(%x) {mhlo.frontend_attributes = {async_collective_config = \"",
                   std::string(config),
                   "\"}} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
                   "  return %0 : tensor<2x3xf32>\n}\n"),
      "test.mlir");
  return module.ok() ? VerifyModule(**module) : module.status();
}

TEST(TranslateErrorTest, AsynchronousCollectivesNeedAValidConfig) {
  EXPECT_OK(
      ReadStart("all-gather", R"({\22all_gather_dimension\22: 0, \22replica_groups\22: [[0]]})"));
  EXPECT_OK(ReadStart("collective-permute", R"({\22permutation\22:[],\22channel_id\22:0})"));
  EXPECT_ERROR(TranslateLine("%0 = stablehlo.custom_call @\"all-gather-start\"(%x) : "
                             "(tensor<2x3xf32>) -> tensor<2x3xf32>"),
               "needs the frontend attribute async_collective_config");
  EXPECT_ERROR(TranslateLine("%0 = stablehlo.custom_call @\"all-gather-done\"() : () -> "
                             "tensor<2x3xf32>"),
               "needs what started it");
  const struct {
    const char *kind, *config, *error;
  } cases[] = {
      {"all-gather", "", "expected '{'"},
      {"all-gather", "[]", "expected '{'"},
      {"all-gather", "{}", "needs 'all_gather_dimension' in its config"},
      {"all-gather", R"({\22all_gather_dimension\22: 0} x)", "expected the end of the config"},
      {"all-gather", R"({\22all_gather_dimension\22: -9223372036854775808})", "dimension"},
      {"all-gather", R"({\22all_gather_dimension\22: 9, \22replica_groups\22: [[0]]})",
       "dimension"},
      {"all-gather", R"({\22all_gather_dimension\22: 0, \22replica_groups\22: [[0, 1]]})",
       "do not fit its groups"},
      {"all-gather", R"({\22all_gather_dimension\22: 99999999999999999999})", "64 bits"},
      {"all-gather", R"({\22all_gather_dimension\22: 0, \22replica_groups\22: [0]})",
       "expected '['"},
      {"all-gather", R"({\22gather\22: 0})", "'gather' of a collective is not known"},
      {"all-reduce", R"({\22replica_groups\22: [[0]]})", "needs a function that combines"},
      {"reduce-scatter", R"({\22replica_groups\22: [[0]]})", "needs 'scatter_dimension'"},
      {"collective-permute", R"({\22permutation\22: [[0, 1, 2]]})", "a permutation is of pairs"},
      {"all-to-all", R"({\22split_dimension\22: 0, \22concat_dimension\22: 1})",
       "needs 'split_count' in its config"},
      {"all-to-all",
       R"({\22split_dimension\22: 1, \22concat_dimension\22: 0, \22split_count\22: 2})",
       "cannot split the operand in that many pieces"},
  };
  for (const auto& [kind, config, error] : cases) {
    EXPECT_ERROR(ReadStart(kind, config), error) << kind << " " << config;
  }
}

TEST(LooksLikeMlirTest, TellsItFromHlo) {
  EXPECT_TRUE(LooksLikeMlir("// a comment\n#loc = loc(unknown)\nmodule {}"));
  EXPECT_TRUE(LooksLikeMlir("\"builtin.module\"() ({}) : () -> ()"));
  EXPECT_TRUE(LooksLikeMlir("func.func @main() { return }"));
  EXPECT_FALSE(LooksLikeMlir("HloModule module"));
  EXPECT_FALSE(LooksLikeMlir("// module {}\nENTRY main { ROOT x = f32[] parameter(0) }"));
  EXPECT_FALSE(LooksLikeMlir(""));
}

}  // namespace
}  // namespace xla::stablehlo
