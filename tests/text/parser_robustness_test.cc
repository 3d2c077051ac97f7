// SPDX-License-Identifier: Apache-2.0
// Bad input of every kind gives an error, soon and without much memory: cut off, damaged, deep,
// huge.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

using testing::ReadTestFile;
using testing::SourcePath;

constexpr const char* kPrograms[] = {
    "ew_exp",      "softmax",     "argsort_rows", "conv3x3_nhwc",      "layernorm",
    "scatter_add", "kmeans_step", "fft2",         "while_scalar_100k", "rng_uniform"};

TEST(ParserRobustnessTest, ATextCutOffAnywhereIsReadOrRejected) {
  for (const char* name : kPrograms) {
    const std::string text =
        ReadTestFile(SourcePath(absl::StrCat("tests/programs/", name, "/program.hlo")));
    ASSERT_OK(ParseAndReturnUnverifiedModule(text));
    for (size_t length = 0; length < text.size(); ++length) {
      const auto module = ParseAndReturnUnverifiedModule(std::string_view(text).substr(0, length));
      if (module.ok()) continue;
      ASSERT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
    }
  }
}

TEST(ParserRobustnessTest, TenThousandDamagedTextsAreReadOrRejected) {
  uint64_t state = 1;
  const auto draw = [&state] {  // splitmix64
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  };
  for (const char* name : kPrograms) {
    const std::string text =
        ReadTestFile(SourcePath(absl::StrCat("tests/programs/", name, "/program.hlo")));
    for (int i = 0; i < 1000; ++i) {
      std::string damaged = text;
      for (uint64_t flips = 1 + draw() % 3; flips > 0; --flips) {
        damaged[draw() % damaged.size()] ^= static_cast<char>(1u << (draw() % 8));
      }
      const auto module = ParseAndReturnUnverifiedModule(damaged);
      if (module.ok()) continue;
      ASSERT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
    }
  }
}

std::string Repeat(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(ParserRobustnessTest, DeepNestingIsAnError) {
  constexpr int kDeep = 100000;
  const auto in_entry = [](const std::string& body) {
    return "HloModule m\nENTRY e { a = f32[2] parameter(0)\n" + body;
  };
  const std::string texts[] = {
      in_entry("b = " + Repeat("(", kDeep) + "f32[]" + Repeat(")", kDeep) + " parameter(1) }"),
      in_entry("b = " + Repeat("b(", kDeep)),
      in_entry("b = " + Repeat("f32[1]{0:P(", kDeep)),
      in_entry("b = " + Repeat("negate(", kDeep) + "a" + Repeat(")", kDeep) + " }"),
      in_entry("b = " + Repeat("f32[2] negate(", kDeep)),
      in_entry("b = call(a), to_apply=" +
               Repeat("{ x = f32[2] parameter(0)\n y = call(x), to_apply=", kDeep)),
      in_entry("b = f32[2] constant(" + Repeat("{", kDeep)),
      in_entry("b = f32[] custom-call(), literal=" + Repeat("(", kDeep)),
      in_entry("b = negate(a), origin={" + Repeat("(", kDeep)),
      in_entry("b = negate(a), sharding=" + Repeat("{", kDeep)),
      in_entry("b = negate(a), backend_config=" + Repeat("{", kDeep)),
  };
  for (const std::string& text : texts) {
    EXPECT_ERROR(ParseAndReturnUnverifiedModule(text), "was parsing") << text.substr(0, 100);
  }
}

TEST(ParserRobustnessTest, NestingUpToTheLimitIsRead) {
  ASSERT_OK(ParseAndReturnUnverifiedModule(
      "HloModule m\nENTRY e { a = f32[2] parameter(0)\nROOT b = " + Repeat("negate(", 400) + "a" +
      Repeat(")", 400) + " }"));
  HloParserOptions options;
  options.max_nesting_depth = 10;
  EXPECT_ERROR(
      ParseAndReturnUnverifiedModule("HloModule m\nENTRY e { a = f32[2] parameter(0)\nROOT b = " +
                                         Repeat("negate(", 20) + "a" + Repeat(")", 20) + " }",
                                     options),
      "maximum recursion depth exceeded");
}

// Of what nests beside instructions.
TEST(ParserRobustnessTest, EachKindOfNestingHasTheLimit) {
  HloParserOptions options;
  options.max_nesting_depth = 10;
  const auto parse = [&](const std::string& shape, const std::string& attributes) {
    return ParseAndReturnUnverifiedModule(
        "HloModule m\nENTRY e { ROOT a = " + shape + " parameter(0)" + attributes + " }", options);
  };
  for (const size_t depth : {size_t{5}, size_t{20}}) {
    const std::string message = depth > 10 ? "maximum recursion depth exceeded" : "";
    const std::string origin =
        ", origin={" + Repeat("(", depth) + "{\"x\"}" + Repeat(")", depth) + "}";
    for (const auto& module :
         {parse(Repeat("(", depth) + "f32[]" + Repeat(")", depth), ""), parse("f32[]", origin)}) {
      if (message.empty()) {
        EXPECT_OK(module);
      } else {
        EXPECT_ERROR(module, message);
      }
    }
  }
}

TEST(ParserRobustnessTest, SizesThatOverflowAreErrors) {
  const auto in_entry = [](const std::string& body) {
    return "HloModule m\nENTRY e { " + body + " }";
  };
  for (const char* body : {
           "a = f32[99999999999999999999] parameter(0)",
           "a = f32[9223372036854775807,9223372036854775807] constant({...})",
           "a = f32[0,9223372036854775807,9223372036854775807] constant({})",
           "a = f32[2]{0:W(1000000000000)} constant({1,2})",
           "a = f32[2]{0:T(9223372036854775807,9223372036854775807)} constant({1,2})",
           "a = f32[] parameter(9223372036854775807)",
           "a = f32[4] parameter(0), sharding={mesh['x'=1000000000000,'y'=1000000000000], [{'x'}]}",
           "a = f32[4] parameter(0), sharding={mesh['x'=4], device_ids=([1000000,1000000]T(1,0)), "
           "[{'x'}]}",
           "a = (f32[], f32[]) parameter(0), sharding={devices=[9223372036854775807]0,1}",
       }) {
    EXPECT_ERROR(ParseAndReturnUnverifiedModule(in_entry(body)), "was parsing") << body;
  }
}

// Each of a million elements is at the wrong depth: the report stays short.
TEST(ParserRobustnessTest, ManyErrorsGiveAShortReport) {
  const auto module = ParseAndReturnUnverifiedModule(
      "HloModule m\nENTRY e { a = f32[2,1000] constant({" + Repeat("1,", 1000000) + "}) }");
  ASSERT_FALSE(module.ok());
  EXPECT_LT(module.status().message().size(), 1u << 20);
}

// Quadratic time would take minutes here.
TEST(ParserRobustnessTest, TimeIsLinearInTheNumberOfInstructions) {
  std::string text = "HloModule m\nENTRY e {\n a0 = f32[2]{0} parameter(0)\n";
  constexpr int kInstructions = 100000;
  for (int i = 1; i < kInstructions; ++i) {
    absl::StrAppend(&text, " a", i, " = f32[2]{0} add(a", i - 1, ", a0), control-predecessors={a",
                    i / 2, "}\n");
  }
  text += "}\n";
  const auto start = std::chrono::steady_clock::now();
  ASSERT_OK_AND_ASSIGN(auto module, ParseAndReturnUnverifiedModule(text));
  EXPECT_EQ(module->instruction_count(), kInstructions);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace xla
