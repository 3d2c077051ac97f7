// SPDX-License-Identifier: Apache-2.0
// The data of the page of `xylem view`, graphs for Graphviz, and colors.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/test_util.h"
#include "tools/color.h"
#include "tools/view/dot.h"
#include "tools/view/graph_json.h"
#include "tools/view/page.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

constexpr char kLoop[] = R"(
HloModule m
body { b = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(b, one) }
cond { c = s32[] parameter(0) ten = s32[] constant(10) ROOT l = pred[] compare(c, ten), direction=LT }
ENTRY e {
  x = s32[] parameter(0), metadata={op_name="jit(f)/x" source_file="f.py" source_line=3}
  ROOT w = s32[] while(x), condition=cond, body=body
})";

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST(GraphJsonTest, InstructionsOperandsAndCalledComputations) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kLoop));
  const std::string json = GraphToJson(*module, "program").ToString();
  EXPECT_NE(json.find(R"("name":"program","entry":2)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("n":"w","o":"while","s":"s32[]","a":[0],"c":[)"), std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("p":"jit(f)/x","f":"f.py","l":3)"), std::string::npos) << json;
  EXPECT_EQ(Count(json, "\"n\":"), 8u);
  EXPECT_EQ(Count(json, "\"r\":true"), 3u);
}

TEST(GraphJsonTest, DifferencesMarkInstructions) {
  ASSERT_OK_AND_ASSIGN(const auto first, ParseAndReturnUnverifiedModule(
                                             "HloModule m\nENTRY e { x = f32[] parameter(0) a = "
                                             "f32[] sine(x) ROOT r = f32[] negate(a) }"));
  ASSERT_OK_AND_ASSIGN(const auto second, ParseAndReturnUnverifiedModule(
                                              "HloModule m\nENTRY e { x = f32[] parameter(0) a = "
                                              "f32[] cosine(x) ROOT r = f32[] negate(a) }"));
  const ProgramDiff diff = DiffPrograms(*first, *second);
  const std::string before = GraphToJson(*first, "a", MarksOf(diff)).ToString();
  EXPECT_NE(before.find("\"g\":\""), std::string::npos) << before;
  JsonObject pass;
  AddChanges(diff, pass);
  EXPECT_NE(pass.ToString().find("cosine"), std::string::npos) << pass.ToString();
}

TEST(PageTest, NothingInAProgramEndsTheScriptOrTheTitle) {
  JsonObject data;
  data.String("title", "</script><script>alert(1)</script>");
  const std::string page = MakePage("<b>&\"", data);
  EXPECT_EQ(page.find("</script><script>alert"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;b&gt;&amp;&quot;</title>"), std::string::npos);
  EXPECT_EQ(page.find('@' + std::string("DATA@")), std::string::npos);
}

// A page needs no network: no address of another file.
TEST(PageTest, NoOtherFileIsNeeded) {
  const std::string page = MakePage("x", JsonObject());
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

TEST(DotTest, AClusterForEachComputation) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kLoop));
  const std::string dot = ModuleToDot(*module);
  EXPECT_EQ(Count(dot, "subgraph cluster_"), 3u) << dot;
  EXPECT_EQ(Count(dot, " -> "), 7u) << dot;
  EXPECT_EQ(Count(dot, "style=dashed"), 2u) << dot;
}

TEST(ColorTest, PlacesAndMarksOfDiagnostics) {
  EXPECT_EQ(ColoredDiagnostic("x.hlo:3:7: expected a shape\n  y = add\n      ^"),
            "\x1b[1mx.hlo:3:7:\x1b[0m expected a shape\n  y = add\n\x1b[1;32m      ^\x1b[0m");
  EXPECT_EQ(ColoredDiagnostic("no place: nothing"), "no place: nothing");
}

TEST(ColorTest, LinesOfDifferences) {
  EXPECT_EQ(ColoredDifference("- a\n+ b\n~ c\nd"),
            "\x1b[31m- a\x1b[0m\n\x1b[32m+ b\x1b[0m\n\x1b[33m~ c\x1b[0m\nd");
}

}  // namespace
}  // namespace xla
