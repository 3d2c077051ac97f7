// SPDX-License-Identifier: Apache-2.0
// Functions of the compiler and the kernels are short, or say why they are not.
#include "tests/structure/function_length.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/structure/source_tree.h"
#include "tests/test_util.h"

namespace xla::testing {
namespace {

using Findings = std::vector<std::string>;

TEST(FunctionLengthTest, FunctionsOfCompilerAndKernelsAreShort) {
  Findings findings;
  size_t functions = 0, files = 0;
  for (const SourceFile& file : ReadSources(SourcePath("."))) {
    if (!absl::StartsWith(file.path, "xla/cpu/") && !absl::StartsWith(file.path, "xla/kernels/"))
      continue;
    const std::string text = ReadTestFile(SourcePath(file.path));
    const Findings own = CheckFunctionLengths(file.path, text);
    findings.insert(findings.end(), own.begin(), own.end());
    functions += FindFunctions(text).size();
    ++files;
  }
  // The scanner finds functions in all of these files.
  EXPECT_GE(files, 200u);
  EXPECT_GE(functions, 7 * files);
  EXPECT_EQ(absl::StrJoin(findings, "\n"), "");
}

std::string Lines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) absl::StrAppend(&lines, "  if (x > ", i, ") { Call(); }\n");
  return lines;
}

TEST(FunctionLengthTest, MeasuresBodies) {
  const std::vector<FunctionDefinition> functions = FindFunctions(
      "#include <a>\n\nnamespace x {\nnamespace {\n\n// Says what.\nint F(int x,\n      "
      "int y) {\n  return x;\n}\n\nclass C : public B {\n public:\n  C() : a_(1) {}\n  "
      "int G() const override {\n    auto h = [] {\n      return 1;\n    };\n    return "
      "h();\n  }\n};\n\n}  // namespace\n}  // namespace x\n");
  ASSERT_EQ(functions.size(), 3u);
  EXPECT_EQ(functions[0].signature, "int F(int x, int y)");
  EXPECT_EQ(functions[0].line, 7);
  EXPECT_EQ(functions[0].body_lines, 1);
  EXPECT_EQ(functions[1].signature, "public: C() : a_(1)");
  EXPECT_EQ(functions[1].body_lines, 0);
  EXPECT_EQ(functions[2].signature, "int G() const override");
  EXPECT_EQ(functions[2].body_lines, 4);
}

TEST(FunctionLengthTest, SeesThroughLiteralsAndTemplates) {
  const std::vector<FunctionDefinition> functions = FindFunctions(
      "const char* const kText = R\"(void F() {)\";\nconst int kList[] = {F(1), {2}};\n"
      "enum class Kind : int { kA, kB };\n#define MACRO(x) \\\n  void x() {\n"
      "template <class T, typename U>\nvoid G(T x) {\n  Call('{', \"{\", 1'000'000);  // {\n"
      "  /* { */\n}\nstruct S* H(class T x) {\n}\n");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].signature, "template <class T, typename U> void G(T x)");
  EXPECT_EQ(functions[0].body_lines, 2);
  EXPECT_EQ(functions[1].signature, "struct S* H(class T x)");
}

TEST(FunctionLengthTest, ReportsLongFunctionsWithoutAReason) {
  EXPECT_EQ(CheckFunctionLengths("a.cc", "void F() {\n" + Lines(60) + "}\n"), Findings{});
  EXPECT_EQ(
      CheckFunctionLengths("a.cc", "\nvoid F() {\n" + Lines(61) + "}\n"),
      (Findings{"a.cc:2: a function of 61 lines; split it, or say \"// Long: <reason>\" above "
                "it: void F()"}));
  EXPECT_EQ(
      CheckFunctionLengths("a.cc", "// Adds.\n// Long: a table.\nvoid F() {\n" + Lines(61) + "}\n"),
      Findings{});
  EXPECT_EQ(CheckFunctionLengths("a.cc", "// Long: a table.\nvoid F() {\n" + Lines(60) + "}\n"),
            (Findings{"a.cc:2: a reason for a length of 60 lines: void F()"}));
}

}  // namespace
}  // namespace xla::testing
