// SPDX-License-Identifier: Apache-2.0
// `xylem check` passes what rounding explains and reports what it does not: its limits are within
// 20 times the differences between this implementation and XLA, and it notices results off by more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/test_util.h"
#include "tools/draw.h"
#include "tools/golden.h"
#include "tools/golden_check.h"
#include "tools/tolerance.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/interpreter.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr double kFactor = 20;

// A reference program, its results and what was recorded of them.
struct Program {
  std::string name;
  Golden golden;
  Literal result;
  std::vector<ExpectedError> errors;

  absl::StatusOr<CheckOutcome> Check() const { return CompareWithGolden(result, errors, golden); }
};

absl::StatusOr<Program> RunProgram(const std::string& folder) {
  Program program;
  program.name = std::filesystem::path(folder).filename();
  XLA_ASSIGN_OR_RETURN(program.golden, ParseGolden(testing::ReadTestFile(folder + "/golden.json")));
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(
                                              testing::ReadTestFile(folder + "/program.hlo")));
  XLA_ASSIGN_OR_RETURN(program.errors, ExpectedErrors(*module));
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, DrawArguments(program.golden));
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  XLA_ASSIGN_OR_RETURN(program.result, Interpret(*module, pointers));
  return program;
}

std::vector<std::string> Folders() {
  std::vector<std::string> folders;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::SourcePath("tests/programs"))) {
    const std::string path = entry.path();
    // Minutes under sanitizers; `reference_programs` runs them in plain builds.
    if (absl::StrContains(path, "gpt2s") || absl::StrContains(path, "mandelbrot")) continue;
    if (entry.is_directory()) folders.push_back(path);
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// Perturbs the recorded samples of each output in turn: every second one by +d, the others by -d,
// so that sums stay. Every perturbed output must be reported.
void ExpectPerturbationsAreSeen(Program& program, double observed) {
  for (size_t i = 0; i < program.golden.outputs.size(); ++i) {
    GoldenOutput& output = program.golden.outputs[i];
    const GoldenOutput before = output;
    const double u = UnitRoundoff(output.shape.element_type());
    // A difference that rounding to the type cannot explain, if none was observed.
    const double limit = program.errors[i].OfElements(output.shape.element_type());
    const double difference =
        u == 0 ? 1
               : std::max({kFactor * observed, 1.01 * limit, u}) * std::max(before.linf, 1e-300);
    for (size_t k = 0; k < output.samples.size(); ++k) {
      output.samples[k].value += k % 2 == 0 ? difference : -difference;
      output.samples[k].integer += k % 2 == 0 ? 1 : -1;
    }
    ASSERT_OK_AND_ASSIGN(const CheckOutcome outcome, program.Check());
    EXPECT_FALSE(outcome.passed) << program.name << ", output " << i;
    output = before;
    // A sum that is off by as much as all elements would make it.
    if (u == 0 && program.errors[i].exact()) output.l1 += 1;
    if (u > 0) output.l1 *= 1 + std::max({kFactor * observed, 1.01 * limit, u});
    if (u > 0 || program.errors[i].exact()) {
      ASSERT_OK_AND_ASSIGN(const CheckOutcome sum, program.Check());
      EXPECT_FALSE(sum.passed) << program.name << ", sum of output " << i;
    }
    output = before;
  }
}

TEST(CheckTest, LimitsAreNearObservedErrorsAndPerturbationsAreSeen) {
  int exact = 0;
  for (const std::string& folder : Folders()) {
    ASSERT_OK_AND_ASSIGN(Program program, RunProgram(folder));
    ASSERT_OK_AND_ASSIGN(const CheckOutcome outcome, program.Check());
    EXPECT_TRUE(outcome.passed) << program.name << ": " << outcome.detail;
    if (outcome.worst > 0) {
      EXPECT_LE(outcome.limit, kFactor * outcome.worst) << program.name;
    }
    exact += outcome.limit == 0;
    ExpectPerturbationsAreSeen(program, outcome.worst);
  }
  EXPECT_GE(exact, 8);
}

TEST(CheckTest, NaNsAndInfinitiesDiffer) {
  const std::string folder = testing::SourcePath("tests/programs/dispatch_scalar");
  ASSERT_OK_AND_ASSIGN(Program program, RunProgram(folder));
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    program.golden.outputs[0].samples[0].value = value;
    ASSERT_OK_AND_ASSIGN(const CheckOutcome outcome, program.Check());
    EXPECT_FALSE(outcome.passed);
  }
}

// --- The rules.

double LimitOf(const std::string& text) {
  const auto module = ParseAndReturnUnverifiedModule("HloModule m\n" + text);
  EXPECT_OK(module);
  const auto errors = ExpectedErrors(**module);
  EXPECT_OK(errors);
  return (*errors)[0].OfElements(
      (*module)->entry_computation()->root_instruction()->shape().element_type());
}

constexpr double kU = 0x1p-24;

TEST(DrawTest, ValuesHaveArrayShapesOfKnownSize) {
  EXPECT_OK(DrawLiteral(ShapeUtil::MakeShape(F32, {3}), 1, DrawKind::kUniform, 0).status());
  for (const Shape& shape :
       {ShapeUtil::MakeTokenShape(), ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize}, {true})}) {
    EXPECT_ERROR(DrawLiteral(shape, 1, DrawKind::kUniform, 0).status(),
                 "cannot make up a value of shape");
  }
}

TEST(ToleranceTest, ExactOperations) {
  EXPECT_EQ(
      LimitOf("ENTRY e { a = f32[8] parameter(0) ROOT r = f32[8] reverse(a), dimensions={0} }"), 0);
  EXPECT_EQ(LimitOf("ENTRY e { a = u32[8] parameter(0) ROOT r = u32[8] multiply(a, a) }"), 0);
  EXPECT_EQ(LimitOf("ENTRY e { a = f32[8] parameter(0) ROOT r = f32[8] add(a, a) }"), 0);
  EXPECT_EQ(LimitOf("ENTRY e { a = f32[8] parameter(0) ROOT r = bf16[8] convert(a) }"), 0);
}

TEST(ToleranceTest, ProductsMayBeFused) {
  EXPECT_EQ(LimitOf(R"(ENTRY e { a = f32[8] parameter(0) m = f32[8] multiply(a, a)
                       ROOT r = f32[8] add(m, a) })"),
            2 * kU);
  // Not those with a power of two, on either side.
  for (const char* operands : {"a, b", "b, a"}) {
    EXPECT_EQ(LimitOf(absl::StrCat(R"(ENTRY e { a = f32[8] parameter(0) c = f32[] constant(0.25)
                                   b = f32[8] broadcast(c), dimensions={} m = f32[8] multiply()",
                                   operands, ") ROOT r = f32[8] add(m, a) }")),
              0)
        << operands;
  }
}

TEST(ToleranceTest, FunctionsAndSums) {
  EXPECT_DOUBLE_EQ(LimitOf("ENTRY e { a = f32[8] parameter(0) ROOT r = f32[8] exponential(a) }"),
                   std::sqrt(2) * 4 * kU);
  EXPECT_DOUBLE_EQ(LimitOf(R"(ENTRY e { a = f32[8,1024] parameter(0) b = f32[1024] parameter(1)
      ROOT r = f32[8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} })"),
                   std::sqrt(2) * 8 * kU);
  // In bf16 one unit in the last place, whatever the sum.
  EXPECT_EQ(LimitOf(R"(ENTRY e { a = bf16[8,1024] parameter(0) b = bf16[1024] parameter(1)
      ROOT r = bf16[8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} })"),
            0x1p-7);
  EXPECT_EQ(LimitOf(R"(ENTRY e { a = s8[8,1024] parameter(0) b = s8[1024] parameter(1)
      ROOT r = s32[8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} })"),
            0);
}

// Sums and products lose digits in every step, extremes do not.
TEST(ToleranceTest, Reductions) {
  const auto limit = [](const std::string& operation, const std::string& type) {
    return LimitOf(absl::StrReplaceAll(
        "f { x = TYPE[] parameter(0) y = TYPE[] parameter(1) ROOT r = TYPE[] OP(x, y) }\n"
        "ENTRY e { a = TYPE[8,1024] parameter(0) z = TYPE[] constant(1)\n"
        "  ROOT r = TYPE[8] reduce(a, z), dimensions={1}, to_apply=f }",
        {{"OP", operation}, {"TYPE", type}}));
  };
  EXPECT_GT(limit("add", "f32"), 0);
  EXPECT_GT(limit("multiply", "f32"), limit("add", "f32"));
  EXPECT_EQ(limit("maximum", "f32"), 0);
  EXPECT_EQ(limit("minimum", "f32"), 0);
  EXPECT_EQ(limit("add", "s32"), 0);
}

TEST(GoldenTest, InvalidFilesAreErrors) {
  EXPECT_ERROR(ParseGolden("{"), "golden.json:1:2: ");
  EXPECT_ERROR(ParseGolden("{\n  x"), "golden.json:2:3: ");
  EXPECT_ERROR(ParseGolden("[]"), "expected an object with args and outputs");
  EXPECT_ERROR(ParseGolden(R"({"outputs": 3})"), "outputs must be a list");
  EXPECT_OK(ParseGolden("{}").status());  // arguments alone, to run a program with
  EXPECT_ERROR(ParseGolden(R"({"outputs": [{}]})"), "no dtype");
  EXPECT_ERROR(ParseGolden(R"({"outputs": [{"dtype": "float31", "shape": []}]})"),
               "unknown dtype \"float31\"");
  EXPECT_ERROR(ParseGolden(R"({"outputs": [{"dtype": "float32", "shape": [-1]}]})"), "");
  EXPECT_ERROR(ParseGolden(R"({"outputs": [{"dtype": "float32", "shape": [2], "l1": 0, "linf": 0,
                                            "samples": [[2, 0]]}]})"),
               "sample index 2 is outside the array");
  EXPECT_ERROR(ParseGolden(R"({"outputs": [{"dtype": "float32", "shape": [2], "l1": 0, "linf": 0,
                                            "samples": [[1]]}]})"),
               "a sample must be a pair");
  EXPECT_ERROR(
      ParseGolden(R"({"outputs": [{"dtype": "float32", "shape": [2], "l1": 0, "linf": 0}]})"),
      "golden.json: an output has no samples");
}

// The library of JSON throws at numbers beyond double, and recurses where it prints.
TEST(GoldenTest, NumbersAndNestingWithoutLimit) {
  const auto output = [](const std::string& l1) {
    return ParseGolden(R"({"outputs": [{"dtype": "float32", "shape": [1], "l1": )" + l1 +
                       R"(, "linf": 0, "samples": [[0, 0]]}]})");
  };
  EXPECT_OK(output("1e300"));
  EXPECT_ERROR(output("1e400"), "golden.json: ");
  EXPECT_ERROR(output("-1e400"), "golden.json: ");
  EXPECT_ERROR(output("{}"), "expected a number, got object");
  const size_t depth = 1'000'000;
  EXPECT_ERROR(output(std::string(depth, '[') + std::string(depth, ']')),
               "expected a number, got array");
  EXPECT_ERROR(output("\"" + std::string(depth, 'x') + "\""), "expected a number, got \"xxx");
  EXPECT_ERROR(ParseGolden(R"({"args": [{"dtype": "float32", "shape": [1], "seed": 1e400,
                                         "kind": "uniform"}], "outputs": []})"),
               "golden.json: ");
}

TEST(GoldenTest, OnlyAnArrayWithoutElementsMayHaveNoSamples) {
  ASSERT_OK_AND_ASSIGN(
      const Golden golden,
      ParseGolden(
          R"({"outputs": [{"dtype": "float32", "shape": [0], "l1": 0, "linf": 0, "samples": []}]})"));
  EXPECT_TRUE(golden.outputs[0].samples.empty());
  EXPECT_EQ(golden.outputs[0].shape.ToString(), "f32[0]");
}

TEST(GoldenTest, SpecialValues) {
  ASSERT_OK_AND_ASSIGN(const Golden golden, ParseGolden(R"({"args": [], "outputs": [
      {"dtype": "float32", "shape": [3], "l1": "Infinity", "linf": "Infinity",
       "samples": [[0, "NaN"], [1, "-Infinity"], [2, 1.5]]},
      {"dtype": "complex64", "shape": [], "l1": 5, "linf": 5, "samples": [[0, [3, 4]]]},
      {"dtype": "uint64", "shape": [1], "l1": 0, "linf": 0,
       "samples": [[0, 18446744073709551615]]}]})"));
  EXPECT_TRUE(std::isnan(golden.outputs[0].samples[0].value.real()));
  EXPECT_EQ(golden.outputs[0].samples[1].value.real(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(golden.outputs[1].samples[0].value, complex128(3, 4));
  EXPECT_EQ(golden.outputs[2].samples[0].integer, -1);
}

// Booleans are recorded as such or as 0 and 1.
TEST(GoldenTest, SamplesOfBooleans) {
  ASSERT_OK_AND_ASSIGN(const Golden golden, ParseGolden(R"({"args": [], "outputs": [
      {"dtype": "bool", "shape": [4], "l1": 2, "linf": 1,
       "samples": [[0, true], [1, false], [2, 1], [3, 0]]}]})"));
  for (const size_t i : {0, 2}) {
    EXPECT_EQ(golden.outputs[0].samples[i].integer, 1) << i;
    EXPECT_EQ(golden.outputs[0].samples[i + 1].integer, 0) << i;
  }
  EXPECT_ERROR(ParseGolden(R"({"args": [], "outputs": [{"dtype": "bool", "shape": [1], "l1": 1,
      "linf": 1, "samples": [[0, 0.5]]}]})"),
               "a sample of integers must be an integer");
}

}  // namespace
}  // namespace xla
