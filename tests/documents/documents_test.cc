// SPDX-License-Identifier: Apache-2.0
// Worked examples of the operation semantics document that are calls of the builder, shapes or
// errors; and the check that README.md lists every example and nothing else.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/builder/builder_test_util.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"
#include "xla/runtime/feeds.h"

namespace xla {
namespace {

using testing::Body;
using testing::BuildVerified;
using testing::ReadTestFile;
using testing::RunProgram;
using testing::SourcePath;

Shape F32Shape(std::vector<int64_t> dimensions) { return ShapeUtil::MakeShape(F32, dimensions); }

// The shape of the program's result, or its error.
std::string ResultShape(XlaBuilder* b) {
  const auto module = BuildVerified(b);
  if (!module.ok()) return absl::StrCat("error: ", std::string(module.status().message()));
  return ShapeUtil::HumanString((*module)->entry_computation()->root_instruction()->shape());
}

Literal Cuboid() {
  return LiteralUtil::CreateR3<float>({{{10, 11, 12}, {15, 16, 17}},
                                       {{20, 21, 22}, {25, 26, 27}},
                                       {{30, 31, 32}, {35, 36, 37}},
                                       {{40, 41, 42}, {45, 46, 47}}});
}

Literal Collapsed(std::vector<int64_t> dimensions) {
  XlaBuilder b("collapse");
  Collapse(ConstantLiteral(&b, Cuboid()), dimensions);
  absl::StatusOr<Literal> result = RunProgram(&b);
  EXPECT_OK(result);
  return result.ok() ? *std::move(result) : Literal();
}

// [Collapse 1]
TEST(Documents, CollapseToOneDimension) {
  EXPECT_EQ(Collapsed({0, 1, 2}),
            LiteralUtil::CreateR1<float>({10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27,
                                          30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47}));
}

// [Collapse 2]
TEST(Documents, CollapseTheTwoLowerDimensions) {
  EXPECT_EQ(Collapsed({0, 1}), LiteralUtil::CreateR2<float>({{10, 11, 12},
                                                             {15, 16, 17},
                                                             {20, 21, 22},
                                                             {25, 26, 27},
                                                             {30, 31, 32},
                                                             {35, 36, 37},
                                                             {40, 41, 42},
                                                             {45, 46, 47}}));
}

// [Collapse 3]
TEST(Documents, CollapseTheTwoHigherDimensions) {
  EXPECT_EQ(Collapsed({1, 2}), LiteralUtil::CreateR2<float>({{10, 11, 12, 15, 16, 17},
                                                             {20, 21, 22, 25, 26, 27},
                                                             {30, 31, 32, 35, 36, 37},
                                                             {40, 41, 42, 45, 46, 47}}));
}

// [Collapse 4] {0, 1, 2}, {0, 1} and {1, 2} are sets of dimensions that can be collapsed, {1, 0}
// and {0, 2} are not.
TEST(Documents, CollapseTakesConsecutiveDimensionsInOrder) {
  const auto shape = [](std::vector<int64_t> dimensions) {
    XlaBuilder b("collapse");
    Collapse(Parameter(&b, 0, F32Shape({4, 2, 3}), "v"), dimensions);
    return ResultShape(&b);
  };
  EXPECT_EQ(shape({0, 1, 2}), "f32[24]");
  EXPECT_EQ(shape({0, 1}), "f32[8,3]");
  EXPECT_EQ(shape({1, 2}), "f32[4,6]");
  EXPECT_TRUE(absl::StartsWith(shape({1, 0}), "error: Collapse: ")) << shape({1, 0});
  EXPECT_TRUE(absl::StartsWith(shape({0, 2}), "error: Collapse: ")) << shape({0, 2});
}

// [Concatenate 3] Values without dimensions cannot be concatenated.
TEST(Documents, ScalarsCannotBeConcatenated) {
  XlaBuilder b("concatenate");
  ConcatInDim(&b, {ConstantR0<float>(&b, 1), ConstantR0<float>(&b, 2)}, 0);
  const std::string error = ResultShape(&b);
  EXPECT_TRUE(absl::StartsWith(error, "error: ConcatInDim: ")) << error;
}

// [Broadcast 3] Sizes {a0, .., aN} and {b0, .., bM} give {a0, .., aN, b0, .., bM}.
TEST(Documents, BroadcastPutsNewDimensionsInFront) {
  XlaBuilder b("broadcast");
  Broadcast(Parameter(&b, 0, F32Shape({4, 5}), "x"), {2, 3});
  EXPECT_EQ(ResultShape(&b), "f32[2,3,4,5]");
}

// [AllToAll 1] Example 1: four cores; each part is f32[4,4], the result f32[16,4].
TEST(Documents, AllToAllOfFourCores) {
  XlaBuilder b("alltoall");
  const XlaOp x = Parameter(&b, 0, F32Shape({4, 16}), "x");
  AllToAll(x, /*split_dimension=*/1, /*concat_dimension=*/0, /*split_count=*/4);
  EXPECT_EQ(ResultShape(&b), "f32[16,4]");
}

// [AllToAll 2] Example 2: two replicas of f32[2,4]; each result is f32[4,2].
TEST(Documents, AllToAllOfTwoReplicas) {
  XlaBuilder b("alltoall");
  AllToAll(Parameter(&b, 0, F32Shape({2, 4}), "x"), /*split_dimension=*/1, /*concat_dimension=*/0,
           /*split_count=*/2);
  EXPECT_EQ(ResultShape(&b), "f32[4,2]");
}

XlaComputation Maximum() {
  XlaBuilder builder("max");
  const XlaOp y = Parameter(&builder, 0, F32Shape({}), "y");
  const XlaOp x = Parameter(&builder, 1, F32Shape({}), "x");
  Max(y, x);
  return builder.Build().value();
}

// [ReduceScatter 1] Example 1: two replicas of f32[2,4], scattered along dimension 1: f32[2,2].
TEST(Documents, ReduceScatterOfTwoReplicas) {
  XlaBuilder b("reduce_scatter");
  const XlaComputation add = testing::ScalarAdd(F32);
  ReduceScatter(Parameter(&b, 0, F32Shape({2, 4}), "x"), add, /*scatter_dimension=*/1,
                /*shard_count=*/2);
  EXPECT_EQ(ResultShape(&b), "f32[2,2]");
}

// [CompositeCall 2] The text of the example.
TEST(Documents, CompositeCallAsText) {
  XlaBuilder decomposition("computation");
  const XlaOp x = Parameter(&decomposition, 0, F32Shape({}), "x");
  Add(x, x);
  const XlaComputation computation = decomposition.Build().value();
  XlaBuilder b("composite");
  CompositeCall(&b, computation, {Parameter(&b, 0, F32Shape({}), "cst")}, "foo.bar",
                "{n = 1 : i32, tensor = dense<1> : tensor<i32>}", 1);
  const std::string body = Body(&b);
  EXPECT_TRUE(absl::StrContains(body, "f32[] call(cst), to_apply=computation, is_composite=true"))
      << body;
  EXPECT_TRUE(absl::StrContains(body, "composite.name=\"foo.bar\"")) << body;
  EXPECT_TRUE(absl::StrContains(
      body, "composite.attributes={n = 1 : i32, tensor = dense<1> : tensor<i32>}"))
      << body;
  EXPECT_TRUE(absl::StrContains(body, "composite.version=\"1\"")) << body;
}

// [Fft 1] RFFT of lengths 16 and 17 have the same shape, so that IRFFT needs fft_length.
TEST(Documents, RealTransformsOfLengths16And17) {
  const auto shape = [](const Shape& operand, FftType type, int64_t length) {
    XlaBuilder b("fft");
    Fft(Parameter(&b, 0, operand, "x"), type, {length});
    return ResultShape(&b);
  };
  EXPECT_EQ(shape(F32Shape({16}), FftType::RFFT, 16), "c64[9]");
  EXPECT_EQ(shape(F32Shape({17}), FftType::RFFT, 17), "c64[9]");
  const Shape spectrum = ShapeUtil::MakeShape(C64, {9});
  EXPECT_EQ(shape(spectrum, FftType::IRFFT, 16), "f32[16]");
  EXPECT_EQ(shape(spectrum, FftType::IRFFT, 17), "f32[17]");
}

// [GetTupleElement 2] The inferred shape is that of the element.
TEST(Documents, ShapeOfATupleElement) {
  XlaBuilder b("tuple");
  const XlaOp t = Tuple(&b, {Parameter(&b, 0, F32Shape({10}), "v"), ConstantR0<int32_t>(&b, 5)});
  GetTupleElement(t, 1);
  EXPECT_EQ(ResultShape(&b), "s32[]");
}

// [ReduceWindow 6] The program of example 1.
TEST(Documents, ReduceWindowProgram) {
  const XlaComputation max = Maximum();
  XlaBuilder builder("reduce_window_2x3");
  const Shape shape = F32Shape({4, 6});
  const XlaOp input = Parameter(&builder, 0, shape, "input");
  ReduceWindow(input,
               /*init_value=*/ConstantLiteral(&builder, LiteralUtil::MinValue(F32)), max,
               /*window_dimensions=*/{2, 3},
               /*window_strides=*/{2, 3}, Padding::kValid);
  const Literal numbers = LiteralUtil::CreateR2<float>({{1, 2, 3, 4, 5, 6},
                                                        {7, 18, 9, 10, 11, 12},
                                                        {13, 14, 15, 16, 17, 8},
                                                        {19, 20, 21, 22, 23, 24}});
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(&builder, {&numbers}));
  EXPECT_EQ(result, LiteralUtil::CreateR2<float>({{18, 12}, {21, 24}}));
}

// [ReduceWindow 7] [ReduceWindow 8] kValid and kSame.
TEST(Documents, ReduceWindowPadding) {
  XlaBuilder minimum("min");
  Min(Parameter(&minimum, 0, F32Shape({}), "x"), Parameter(&minimum, 1, F32Shape({}), "y"));
  const XlaComputation min = minimum.Build().value();
  const auto reduced = [&](Padding padding) {
    XlaBuilder b("reduce_window");
    ReduceWindow(ConstantR1<float>(&b, {10000, 1000, 100, 10, 1}),
                 ConstantLiteral(&b, LiteralUtil::MaxValue(F32)), min, {3}, {2}, padding);
    return RunProgram(&b).value();
  };
  EXPECT_EQ(reduced(Padding::kValid), LiteralUtil::CreateR1<float>({100, 1}));
  EXPECT_EQ(reduced(Padding::kSame), LiteralUtil::CreateR1<float>({1000, 10, 1}));
}

// [Reshape 5] [Reshape 6] One element to a scalar and back, as calls.
TEST(Documents, ReshapeOfOneElement) {
  XlaBuilder b("reshape");
  Reshape(ConstantR2<float>(&b, {{5}}), {});
  EXPECT_EQ(RunProgram(&b).value(), LiteralUtil::CreateR0<float>(5));
  XlaBuilder back("reshape");
  Reshape(ConstantR0<float>(&back, 5), {1, 1});
  EXPECT_EQ(RunProgram(&back).value(), LiteralUtil::CreateR2<float>({{5}}));
}

// [Select 3] Between tuples, with a scalar predicate.
TEST(Documents, SelectBetweenTuples) {
  for (const bool predicate : {false, true}) {
    XlaBuilder b("select");
    const XlaOp on_true = Tuple(&b, {ConstantR0<int32_t>(&b, 1), ConstantR0<float>(&b, 2)});
    const XlaOp on_false = Tuple(&b, {ConstantR0<int32_t>(&b, 3), ConstantR0<float>(&b, 4)});
    Select(ConstantR0<bool>(&b, predicate), on_true, on_false);
    std::vector<Literal> parts = RunProgram(&b).value().DecomposeTuple();
    EXPECT_EQ(parts[0], LiteralUtil::CreateR0<int32_t>(predicate ? 1 : 3));
    EXPECT_EQ(parts[1], LiteralUtil::CreateR0<float>(predicate ? 2 : 4));
  }
}

// [SetDimensionSize 4] The upper bound of the shape stays.
TEST(Documents, SetDimensionSizeKeepsTheBound) {
  XlaBuilder b("sizes");
  SetDimensionSize(Parameter(&b, 0, F32Shape({10}), "v"),
                   Parameter(&b, 1, ShapeUtil::MakeShape(S32, {}), "size"), 0);
  EXPECT_EQ(ResultShape(&b), "f32[<=10]");
}

// [Infeed 1] Two loops with an infeed each: the second begins with the result of the first, which
// orders them.
TEST(Documents, InfeedsOfTwoLoopsAreOrdered) {
  std::string text = "HloModule m\n";
  for (const int loop : {1, 2}) {
    absl::StrAppend(
        &text, absl::StrReplaceAll(R"(
body$n {
  b$n = (s32[], s32[], token[]) parameter(0)
  n$n = s32[] get-tuple-element(b$n), index=0
  digits$n = s32[] get-tuple-element(b$n), index=1
  t$n = token[] get-tuple-element(b$n), index=2
  in$n = (s32[], token[]) infeed(t$n)
  digit$n = s32[] get-tuple-element(in$n), index=0
  out$n = token[] get-tuple-element(in$n), index=1
  one$n = s32[] constant(1)
  next$n = s32[] add(n$n, one$n)
  ten$n = s32[] constant(10)
  shifted$n = s32[] multiply(digits$n, ten$n)
  more$n = s32[] add(shifted$n, digit$n)
  ROOT r$n = (s32[], s32[], token[]) tuple(next$n, more$n, out$n)
}
condition$n {
  c$n = (s32[], s32[], token[]) parameter(0)
  i$n = s32[] get-tuple-element(c$n), index=0
  limit$n = s32[] constant($l)
  ROOT less$n = pred[] compare(i$n, limit$n), direction=LT
}
)",
                                   {{"$n", absl::StrCat(loop)}, {"$l", absl::StrCat(2 * loop)}}));
  }
  text += R"(
ENTRY e {
  zero = s32[] constant(0)
  t = token[] after-all()
  init = (s32[], s32[], token[]) tuple(zero, zero, t)
  result1 = (s32[], s32[], token[]) while(init), condition=condition1, body=body1
  result2 = (s32[], s32[], token[]) while(result1), condition=condition2, body=body2
  ROOT digits = s32[] get-tuple-element(result2), index=1
})";
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  ASSERT_OK(VerifyModule(*module));
  runtime::Feeds feeds(1);
  for (const int32_t digit : {1, 2, 3, 4})
    ASSERT_OK(feeds.TransferToInfeed(LiteralUtil::CreateR0<int32_t>(digit)));
  InterpreterOptions options;
  options.feeds = &feeds;
  ASSERT_OK_AND_ASSIGN(const Literal result, Interpret(*module, {}, options));
  EXPECT_EQ(result, LiteralUtil::CreateR0<int32_t>(1234));
}

// --- README.md

struct Row {
  std::string section;
  int number = 0;
  std::string file, test;
};

// "Clamp 1" -> ("Clamp", 1).
Row ParseName(absl::string_view name) {
  Row row;
  const size_t space = name.rfind(' ');
  EXPECT_NE(space, absl::string_view::npos) << name;
  row.section = std::string(name.substr(0, space));
  EXPECT_TRUE(absl::SimpleAtoi(name.substr(space + 1), &row.number)) << name;
  return row;
}

// The rows "| section n | what | `file` | `test` |".
std::vector<Row> ReadRows(const std::string& text) {
  std::vector<Row> rows;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() != 6 || !absl::StartsWith(absl::StripAsciiWhitespace(cells[3]), "`")) continue;
    Row row = ParseName(absl::StripAsciiWhitespace(cells[1]));
    const auto code = [](absl::string_view cell) {
      cell = absl::StripAsciiWhitespace(cell);
      EXPECT_TRUE(absl::ConsumePrefix(&cell, "`") && absl::ConsumeSuffix(&cell, "`")) << cell;
      return std::string(cell);
    };
    row.file = code(cells[3]);
    row.test = code(cells[4]);
    rows.push_back(row);
  }
  return rows;
}

TEST(DocumentsIndex, EveryExampleHasItsTest) {
  const std::string readme = ReadTestFile(SourcePath("tests/documents/README.md"));
  const std::vector<Row> rows = ReadRows(readme);
  EXPECT_TRUE(absl::StrContains(readme, absl::StrCat("**", rows.size(), " worked examples**")))
      << rows.size() << " rows";
  std::map<std::string, std::string> files;
  std::map<std::string, int> last;
  for (const Row& row : rows) {
    EXPECT_EQ(row.number, ++last[row.section]) << row.section << " is not numbered from 1";
    if (files.count(row.file) == 0) files[row.file] = ReadTestFile(SourcePath(row.file));
    EXPECT_TRUE(absl::StrContains(files[row.file], row.test))
        << row.section << " " << row.number << ": " << row.file << " has no " << row.test;
  }
}

TEST(DocumentsIndex, EveryMarkedTestIsListed) {
  std::set<std::string> listed;
  std::set<std::string> files;
  for (const Row& row : ReadRows(ReadTestFile(SourcePath("tests/documents/README.md")))) {
    listed.insert(row.test);
    if (absl::StartsWith(row.file, "tests/documents/")) files.insert(row.file);
  }
  for (const std::string& file : files) {
    const std::string text = ReadTestFile(SourcePath(file));
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      absl::string_view rest = absl::StripLeadingAsciiWhitespace(line);
      if (!absl::ConsumePrefix(&rest, "// ")) continue;
      while (rest.size() > 1 && rest[0] == '[' && absl::ascii_isupper(rest[1])) {
        const size_t end = rest.find(']');
        if (end == absl::string_view::npos) break;
        const std::string marker(rest.substr(0, end + 1));
        EXPECT_EQ(listed.count(marker), 1u) << file << " has " << marker << ", README.md has not";
        rest = absl::StripLeadingAsciiWhitespace(rest.substr(end + 1));
      }
    }
  }
}

}  // namespace
}  // namespace xla
