// SPDX-License-Identifier: Apache-2.0
// HLO modules become StableHLO programs that stand for the same modules.
#include "xla/stablehlo/translate_from_hlo.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/verifier.h"

namespace xla::stablehlo {
namespace {

using testing::ReadTestFile;
using testing::SourcePath;

absl::StatusOr<std::string> ToStableHlo(const HloModule& module) {
  XLA_ASSIGN_OR_RETURN(const auto source, TranslateFromHlo(module));
  XLA_RETURN_IF_ERROR(VerifyStableHlo(*source));
  return mlir::ToString(*source->module);
}

absl::StatusOr<std::string> TextToStableHlo(std::string_view hlo) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(hlo));
  return ToStableHlo(*module);
}

std::vector<std::string> HloFiles() {
  std::vector<std::string> files;
  for (const char* folder : {"tests/stablehlo/programs", "tests/operations"}) {
    for (const auto& entry : std::filesystem::directory_iterator(SourcePath(folder))) {
      if (entry.path().extension() == ".hlo") {
        files.push_back(absl::StrCat(folder, "/", entry.path().filename().string()));
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(TranslateFromHloTest, ProgramsKeepTheirMeaning) {
  int translated = 0;
  for (const std::string& file : HloFiles()) {
    // The shape of stablehlo.rng is an operand, which is left behind as a constant.
    if (file == "tests/operations/rng.hlo") continue;
    // Transfers with the host that use one channel in both directions.
    if (file == "tests/operations/send.hlo") continue;
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(ReadTestFile(file)));
    const auto text = ToStableHlo(*module);
    if (absl::IsUnimplemented(text.status())) continue;
    EXPECT_TRUE(text.ok()) << file << ": " << text.status();
    if (!text.ok()) continue;
    const auto again = ReadStableHlo(*text, file);
    if (absl::IsUnimplemented(again.status())) continue;
    EXPECT_TRUE(again.ok()) << file << ": " << again.status() << "\n" << *text;
    if (!again.ok()) continue;
    EXPECT_OK(VerifyModule(**again)) << file;
    // The way there and back changes nothing but how values are grouped in tuples, and that once.
    ASSERT_OK_AND_ASSIGN(const std::string second, ToStableHlo(**again));
    ASSERT_OK_AND_ASSIGN(const auto third, ReadStableHlo(second, file));
    EXPECT_OK((*again)->CheckEqual(*third)) << file;
    ++translated;
  }
  EXPECT_GT(translated, 80);
}

TEST(TranslateFromHloTest, TuplesAreTakenApart) {
  ASSERT_OK_AND_ASSIGN(const std::string text, TextToStableHlo(R"(
HloModule m
ENTRY e {
  p = (f32[2], s32[]) parameter(0)
  x = f32[2] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT t = (s32[], (f32[2])) tuple(n, (f32[2]) tuple(f32[2] negate(x)))
})"));
  EXPECT_EQ(text, R"("builtin.module"() ({
  "func.func"() ({
  ^bb1(%0: tensor<2xf32>, %1: tensor<i32>):
    %2 = "stablehlo.negate"(%0) : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%1, %2) : (tensor<i32>, tensor<2xf32>) -> ()
  }) {sym_name = "main", function_type = (tensor<2xf32>, tensor<i32>) -> (tensor<i32>, tensor<2xf32>), sym_visibility = "public"} : () -> ()
}) {sym_name = "m", mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
)");
}

TEST(TranslateFromHloTest, OnlyResultsOfTheFunctionAreAliased) {
  const auto attributes_of = [](const std::string& alias, const std::string& root) {
    const auto text = TextToStableHlo("HloModule m, input_output_alias={ " + alias +
                                      ": (0, {}, may-alias) }\nENTRY e { p = f32[2] parameter(0)\n"
                                      "q = f32[2] parameter(1)\nROOT t = " +
                                      root + " }");
    EXPECT_OK(text.status());
    return text.ok() && absl::StrContains(*text, "tf.aliasing_output = 1 : i32");
  };
  EXPECT_TRUE(attributes_of("{1}", "(f32[2], f32[2]) tuple(q, p)"));
  EXPECT_FALSE(attributes_of("{0}", "(f32[2], f32[2]) tuple(p, q)"));
  EXPECT_FALSE(attributes_of("{1,0}", "(f32[2], (f32[2])) tuple(q, (f32[2]) tuple(p))"));
}

TEST(TranslateFromHloTest, WhatStableHloLacksIsAnError) {
  EXPECT_STATUS(TextToStableHlo("HloModule m\nENTRY e { p = f32[2] parameter(0)\n"
                                "t = token[] parameter(1)\n"
                                "ROOT d = f32[2] add-dependency(p, t) }"),
                absl::StatusCode::kUnimplemented, "add-dependency has no StableHLO");
  EXPECT_STATUS(TextToStableHlo("HloModule m\nENTRY e { ROOT p = u1[2] parameter(0) }"),
                absl::StatusCode::kUnimplemented, "the shape u1[2] has no StableHLO");
}

}  // namespace
}  // namespace xla::stablehlo
