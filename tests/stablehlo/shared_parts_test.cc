// SPDX-License-Identifier: Apache-2.0
// Programs whose functions, computations, types and locations refer to each other twice at each of
// many levels: without sharing they would be exponentially larger. They end in time, within bounded
// memory.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/parser.h"
#include "xla/mlir/ir.h"
#include "xla/stablehlo/translate.h"
#include "xla/stablehlo/translate_from_hlo.h"

namespace xla::stablehlo {
namespace {

constexpr int kLevels = 60;

// `line` for each level; $ stands for its number, ^ for that of the level below.
std::string Levels(int first, int end, const std::string& line) {
  std::string text;
  for (int i = first; i < end; ++i) {
    absl::StrAppend(&text,
                    absl::StrReplaceAll(line, {{"$", absl::StrCat(i)}, {"^", absl::StrCat(i - 1)}}),
                    "\n");
  }
  return text;
}

absl::StatusOr<std::unique_ptr<HloModule>> Translate(const std::string& text,
                                                     const EntryArguments& arguments = {}) {
  XLA_ASSIGN_OR_RETURN(const auto source, LoadStableHlo(text, "test.mlir"));
  return TranslateToHlo(source.get(), arguments);
}

// Functions that call the one below twice, in `body`.
std::string Functions(const std::string& type, const std::string& body) {
  return absl::StrReplaceAll(
      absl::StrCat("func.func private @f0(%a: T) -> T { return %a : T }\n",
                   Levels(1, kLevels, "func.func private @f$(%a: T) -> T {\n" + body + "\n}"),
                   "func.func public @main(%a: T) -> T {\n %0 = call @f", kLevels - 1,
                   "(%a) : (T) -> T\n return %0 : T\n}\n"),
      {{"T", type}});
}

constexpr char kCalls[] =
    " %0 = call @f^(%a) : (T) -> T\n %1 = call @f^(%0) : (T) -> T\n return %1 : T";
constexpr char kBranches[] =
    " %c = stablehlo.constant dense<true> : tensor<i1>\n"
    " %0 = \"stablehlo.if\"(%c) ({\n"
    "  %1 = func.call @f^(%a) : (T) -> T\n  stablehlo.return %1 : T\n"
    " }, {\n"
    "  %1 = func.call @f^(%a) : (T) -> T\n  stablehlo.return %1 : T\n"
    " }) : (tensor<i1>) -> T\n"
    " return %0 : T";

TEST(SharedPartsTest, FunctionsStayShared) {
  for (const char* body : {kCalls, kBranches}) {
    ASSERT_OK_AND_ASSIGN(const auto module, Translate(Functions("tensor<f32>", body)));
    EXPECT_LT(module->instruction_count(), 10 * kLevels);
  }
}

// They are inlined for each call.
TEST(SharedPartsTest, FunctionsOfOpenSizesAreBounded) {
  for (const char* body : {kCalls, kBranches}) {
    EXPECT_ERROR(
        Translate(Functions("tensor<?xf32>", body), {.sizes = {{0, {3}}}, .constants = {}}),
        "would be inlined as more than 1048576 operations");
  }
}

TEST(SharedPartsTest, ComputationsThatBecomeRegionsAreBounded) {
  const auto program = [](int levels) {
    return absl::StrCat(
        "HloModule m\nk0 { ROOT p = f32[] parameter(0) }\n",
        Levels(1, levels,
               "k$ { p = f32[] parameter(0)\n i = s32[] constant(1)\n"
               "ROOT r = f32[] conditional(i, p, p), branch_computations={k^, k^} }"),
        "ENTRY e { p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=k", levels - 1, " }");
  };
  ASSERT_OK_AND_ASSIGN(const auto few, ParseAndReturnUnverifiedModule(program(8)));
  EXPECT_OK(TranslateFromHlo(*few).status());
  ASSERT_OK_AND_ASSIGN(const auto many, ParseAndReturnUnverifiedModule(program(kLevels)));
  EXPECT_STATUS(TranslateFromHlo(*many), absl::StatusCode::kResourceExhausted,
                "the regions of the program would hold more than");
}

TEST(SharedPartsTest, LocationsAreSearchedForAFileWithinBounds) {
  const std::string program =
      "func.func public @main(%a: tensor<f32>) -> tensor<f32> {\n"
      " %0 = stablehlo.negate %a : tensor<f32> loc(#l59)\n return %0 : tensor<f32>\n}\n";
  const std::string fused = Levels(1, kLevels, "#l$ = loc(fused[#l^, #l^])");
  ASSERT_OK_AND_ASSIGN(const auto nameless,
                       Translate(absl::StrCat("#l0 = loc(unknown)\n", fused, program)));
  EXPECT_EQ(nameless->entry_computation()->root_instruction()->metadata().source_file(), "");
  ASSERT_OK_AND_ASSIGN(const auto named,
                       Translate(absl::StrCat("#l0 = loc(\"a.py\":7:1)\n", fused, program)));
  EXPECT_EQ(named->entry_computation()->root_instruction()->metadata().source_file(), "a.py");
}

// A type may have a million parts; each value of it has its own shape.
TEST(SharedPartsTest, ShapesOfTuplesAreBounded) {
  const auto program = [](int levels, int values) {
    const std::string type = absl::StrCat("!t", levels - 1);
    return absl::StrReplaceAll(
        absl::StrCat("!t0 = tensor<f32>\n", Levels(1, levels, "!t$ = tuple<!t^, !t^>"),
                     "func.func public @main(%0: T) -> T {\n",
                     Levels(1, values, " %$ = stablehlo.optimization_barrier %^ : T"), " return %",
                     values - 1, " : T\n}\n"),
        {{"T", type}});
  };
  EXPECT_OK(Translate(program(5, 1000)).status());
  EXPECT_ERROR(Translate(program(16, 1000)), "the shapes of all tuples have more than 10");
}

// Each operation has its own copy.
TEST(SharedPartsTest, TextOfAttributesIsBounded) {
  const std::string tree = absl::StrCat("#a0 = [1, 2]\n", Levels(1, 17, "#a$ = [#a^, #a^]"));
  const std::string text = absl::StrCat("#a16 = \"", std::string(1'000'000, 'x'), "\"\n");
  const std::string name = absl::StrCat("#l = loc(\"", std::string(1'000'000, 'x'), "\")\n");
  struct Case {
    std::string aliases, attributes, location;
  };
  for (const Case& part :
       std::vector<Case>{{tree, "mhlo.frontend_attributes = {a = #a16}", ""},
                         {text, "mhlo.frontend_attributes = {a = #a16}", ""},
                         {tree, "api_version = 4 : i32, backend_config = {a = #a16}", ""},
                         {text, "backend_config = #a16", ""},
                         {name, "", "loc(#l)"}}) {
    const auto program = [&](int values) {
      return absl::StrCat(
          part.aliases, "func.func public @main(%0: tensor<f32>) -> tensor<f32> {\n",
          Levels(1, values,
                 absl::StrCat(" %$ = stablehlo.custom_call @f(%^) {", part.attributes,
                              "} : (tensor<f32>) -> tensor<f32> ", part.location)),
          " return %", values - 1, " : tensor<f32>\n}\n");
    };
    EXPECT_OK(Translate(program(3)).status()) << part.attributes << part.location;
    EXPECT_ERROR(Translate(program(100)), "the attributes and locations of all operations have");
  }
}

}  // namespace
}  // namespace xla::stablehlo
