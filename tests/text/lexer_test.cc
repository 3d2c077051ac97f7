// SPDX-License-Identifier: Apache-2.0
// Tokens of HLO text.
#include "xla/hlo/text/lexer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "xla/hlo/text/parser_errors.h"

namespace xla::text {
namespace {

// The kinds of all tokens, as XLA names them.
std::string Kinds(std::string_view text) {
  Lexer lexer(text);
  std::string kinds;
  while (lexer.Next() != TokKind::kEof) {
    kinds += std::string(TokKindName(lexer.kind())) + " ";
    if (lexer.kind() == TokKind::kError) break;
  }
  if (!kinds.empty()) kinds.pop_back();
  return kinds;
}

TEST(LexerTest, PunctuationStandsForItself) {
  EXPECT_EQ(Kinds("= , : * # + ~ ? [ ] { } ( ) -> <= ..."),
            "kEqual kComma kColon kAsterisk kOctothorp kPlus kTilde kQuestionMark kLsquare "
            "kRsquare kLbrace kRbrace "
            "kLparen kRparen kArrow kLeq kDots");
}

TEST(LexerTest, AnIdentifierEatsTheColonOrEqualsSignThatTouchesIt) {
  EXPECT_EQ(Kinds("name: name = attribute=1 %x.1-a_b %f32 f32"),
            "kName kIdent kEqual kAttributeName kInt kName kName kPrimitiveType");
  Lexer lexer("%x.1-a_b");
  lexer.Next();
  EXPECT_EQ(lexer.token().text, "x.1-a_b");
}

TEST(LexerTest, ReservedWordsAreNotIdentifiers) {
  EXPECT_EQ(Kinds("HloModule ENTRY ROOT true inf manual token unknowns tuple"),
            "kw_HloModule kw_ENTRY kw_ROOT kw_true kw_inf kw_manual kPrimitiveType kIdent kIdent");
}

TEST(LexerTest, NumbersAndThePatternsThatStartLikeThem) {
  EXPECT_EQ(Kinds("1 -2 1.5 1. -.5 1e5 1.5E-3 -inf -nan"),
            "kInt kInt kDecimal kDecimal kDecimal kDecimal kDecimal kNegInf kDecimal");
  EXPECT_EQ(Kinds("2x3 0_1 -1_2x3_4_5 b01f_01io->b01f 01bf_oi01->01bf b?f_i?o->bf"),
            "kDxD kPad kPad kDimLabels kDimLabels kDimLabels");
  EXPECT_EQ(Kinds(".5"), "kError");
  EXPECT_EQ(Kinds("+1"), "kPlus kInt");
  EXPECT_EQ(Kinds("18446744073709551616"), "kError");
  EXPECT_EQ(Kinds("-9223372036854775809"), "kError");
}

TEST(LexerTest, WhereOnlyAnIntegerCanFollowPatternsAreNotTried) {
  Lexer lexer("1.5");
  EXPECT_EQ(lexer.NextInteger(), TokKind::kInt);
  EXPECT_EQ(lexer.token().integer, 1);
}

TEST(LexerTest, IntegersReachOverUint64) {
  Lexer lexer("18446744073709551615 -9223372036854775808 -0");
  lexer.Next();
  EXPECT_EQ(lexer.token().integer, -1);
  lexer.Next();
  EXPECT_EQ(lexer.token().integer, INT64_MIN);
  EXPECT_EQ(lexer.Next(), TokKind::kInt);
  EXPECT_EQ(lexer.token().integer, 0);
}

TEST(LexerTest, DecimalsRoundToNearestDouble) {
  Lexer lexer("0.1 1.7976931348623157e308 1e400 -1e400 4.9e-324 1e-400 2.2250738585072011e-308");
  for (double expected : {0.1, 1.7976931348623157e308, double{INFINITY}, -double{INFINITY},
                          4.9e-324, 0.0, 2.2250738585072011e-308}) {
    ASSERT_EQ(lexer.Next(), TokKind::kDecimal);
    EXPECT_EQ(lexer.token().decimal, expected);
  }
}

TEST(LexerTest, NansCarryPayloads) {
  Lexer lexer("nan -nan nan(0x1) -nan(0xfffffffffffff)");
  for (uint64_t expected :
       {0x7ff8000000000000u, 0xfff8000000000000u, 0x7ff0000000000001u, 0xffffffffffffffffu}) {
    ASSERT_EQ(lexer.Next(), TokKind::kDecimal);
    EXPECT_EQ(std::bit_cast<uint64_t>(lexer.token().decimal), expected);
  }
  EXPECT_EQ(Kinds("nan(0x0)"), "kError");
  EXPECT_EQ(Kinds("nan(0x10000000000000)"), "kError");
  EXPECT_EQ(Kinds("nan(1)"), "kError");
}

TEST(LexerTest, StringsResolveEscapes) {
  Lexer lexer(R"("a\"b\n\x41\101" 'it"s' "two
lines")");
  ASSERT_EQ(lexer.Next(), TokKind::kString);
  EXPECT_EQ(lexer.StringValue(), "a\"b\nAA");
  ASSERT_EQ(lexer.Next(), TokKind::kString);
  EXPECT_EQ(lexer.StringValue(), "it\"s");
  ASSERT_EQ(lexer.Next(), TokKind::kString);
  EXPECT_EQ(lexer.StringValue(), "two\nlines");
  EXPECT_EQ(Kinds(R"("\q")"), "kError");
  EXPECT_EQ(Kinds("\"open"), "kError");
  EXPECT_EQ(Kinds("\"\xff\""), "kError");
  EXPECT_EQ(Kinds("\"\xc3\xa9\""), "kString");
}

TEST(LexerTest, ADictionaryRunsToItsMatchingBrace) {
  Lexer lexer(R"({"a":{"b}":[1,2]}} x)");
  ASSERT_EQ(lexer.Next(), TokKind::kLbrace);
  ASSERT_EQ(lexer.LexJsonDict(), TokKind::kString);
  EXPECT_EQ(lexer.StringValue(), R"({"a":{"b}":[1,2]}})");
  EXPECT_EQ(lexer.Next(), TokKind::kIdent);
  EXPECT_TRUE(LexesAsJsonDict(" {a={b=1}} "));
  EXPECT_FALSE(LexesAsJsonDict("{a"));
  EXPECT_FALSE(LexesAsJsonDict("{} {}"));
  EXPECT_FALSE(LexesAsJsonDict("\"a\""));
}

TEST(LexerTest, CommentsAreBlanks) {
  EXPECT_EQ(Kinds("a /* b \n c */ d // e\rf // g\nh"), "kIdent kIdent kIdent kIdent");
  Lexer lexer("a /* open");
  lexer.Next();
  EXPECT_EQ(lexer.Next(), TokKind::kError);
  EXPECT_EQ(*lexer.loc(), '/');
}

TEST(LexerTest, ANulByteIsAnError) {
  EXPECT_EQ(Kinds(std::string_view("a\0b", 3)), "kIdent kError");
  EXPECT_EQ(Kinds(std::string_view("/*\0*/", 5)), "kError");
}

TEST(LexerTest, LookingAheadChangesNothing) {
  Lexer lexer("a { 1");
  lexer.Next();
  EXPECT_EQ(lexer.LookAhead(), TokKind::kLbrace);
  EXPECT_EQ(lexer.kind(), TokKind::kIdent);
  EXPECT_EQ(lexer.token().text, "a");
  lexer.Next();
  EXPECT_EQ(lexer.LookAhead(), TokKind::kInt);
}

// As XLA counts: columns from 0 on the first line, from 1 on the others.
TEST(LineTableTest, LinesAndColumns) {
  const std::string_view text = "ab\ncd\n";
  LineTable lines(text);
  EXPECT_EQ(lines.LineAndColumn(text.data() + 4), std::make_pair(int64_t{2}, int64_t{2}));
  EXPECT_EQ(lines.LineAndColumn(text.data() + 1), std::make_pair(int64_t{1}, int64_t{1}));
  EXPECT_EQ(lines.LineAndColumn(text.data() + 6), std::make_pair(int64_t{3}, int64_t{1}));
  EXPECT_EQ(lines.Line(text.data() + 1), "ab");
  EXPECT_EQ(lines.Line(text.data() + 3), "cd");
  EXPECT_EQ(lines.Line(text.data() + 6), "");
}

TEST(ErrorLogTest, LongLinesAreCutAroundTheCaretAndManyErrorsInTheMiddle) {
  const std::string text(5000, 'x');
  ErrorLog log;
  for (int i = 0; i < 1000; ++i) log.Add(text.data() + 2000, "m");
  const std::string rendered = log.Render(text);
  EXPECT_LT(rendered.size(), 300000u);
  EXPECT_NE(rendered.find("was parsing 1:2000: error: m\n...xxx"), std::string::npos);
  EXPECT_NE(rendered.find("(900 more errors)"), std::string::npos);
}

}  // namespace
}  // namespace xla::text
