// SPDX-License-Identifier: Apache-2.0
// Programs are compared by what they compute with, not by names and order.
#include "xla/debugging/program_diff.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "tests/debugging/planted_faults.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module.status());
  return *std::move(module);
}

constexpr char kProgram[] = R"(HloModule m
ENTRY e {
  x = f32[4,8] parameter(0)
  w = f32[8,2] parameter(1)
  d = f32[4,2] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[4,2] tanh(d)
  n = f32[4,2] negate(d)
  ROOT s = f32[4,2] add(t, n)
})";

std::string With(const std::string& what, const std::string& by) {
  std::string text = absl::StrReplaceAll(kProgram, {{what, by}});
  EXPECT_NE(text, kProgram);
  return text;
}

TEST(ProgramDiffTest, NamesAndOrderAreNoDifference) {
  const auto first = Parse(kProgram);
  const auto second = Parse(R"(HloModule other
ENTRY main.3 {
  b = f32[8,2] parameter(1)
  a = f32[4,8] parameter(0)
  p = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="q"}
  minus = f32[4,2] negate(p)
  y = f32[4,2] tanh(p)
  ROOT z = f32[4,2] add(y, minus)
})");
  const ProgramDiff diff = DiffPrograms(*first, *second);
  EXPECT_TRUE(diff.IsEmpty()) << DiffToText(diff);
  EXPECT_EQ(diff.matched, 6);
}

TEST(ProgramDiffTest, AnInsertionChangesItsUserOnly) {
  const auto first = Parse(kProgram);
  const auto second =
      Parse(With("  n = f32[4,2] negate(d)", "  q = f32[4,2] sine(d)\n  n = f32[4,2] negate(q)"));
  const ProgramDiff diff = DiffPrograms(*first, *second);
  ASSERT_EQ(diff.added.size(), 1u);
  EXPECT_EQ(diff.added[0]->name(), "q");
  EXPECT_TRUE(diff.removed.empty());
  ASSERT_EQ(diff.changed.size(), 1u) << DiffToText(diff);
  EXPECT_EQ(diff.changed[0].first->name(), "n");
  EXPECT_EQ(diff.changed[0].operands, std::vector<int64_t>{0});
  EXPECT_EQ(diff.matched, 5);
}

TEST(ProgramDiffTest, AttributesShapesAndOperations) {
  const auto first = Parse(kProgram);
  const auto other = Parse(With("tanh(d)", "exponential(d)"));
  const ProgramDiff operation = DiffPrograms(*first, *other);
  EXPECT_EQ(operation.removed.size(), 1u);
  EXPECT_EQ(operation.added.size(), 1u);
  const auto precise = Parse(With("rhs_contracting_dims={0}",
                                  "rhs_contracting_dims={0}, operand_precision={highest,highest}"));
  const ProgramDiff attribute = DiffPrograms(*first, *precise);
  ASSERT_EQ(attribute.changed.size(), 1u) << DiffToText(attribute);
  EXPECT_TRUE(attribute.changed[0].attributes);
  EXPECT_FALSE(attribute.changed[0].shape);
  EXPECT_EQ(attribute.matched, 5);
  const auto larger = Parse(absl::StrReplaceAll(kProgram, {{"[4,", "[5,"}}));
  const ProgramDiff shape = DiffPrograms(*first, *larger);
  EXPECT_TRUE(shape.added.empty()) << DiffToText(shape);
  EXPECT_EQ(shape.changed.size(), 5u);
  for (const ChangedInstruction& change : shape.changed) EXPECT_TRUE(change.shape);
}

TEST(ProgramDiffTest, OperandsThatAreSwapped) {
  const auto first = Parse(kProgram);
  const auto second = Parse(With("add(t, n)", "add(n, t)"));
  const ProgramDiff diff = DiffPrograms(*first, *second);
  ASSERT_EQ(diff.changed.size(), 1u);
  EXPECT_EQ(diff.changed[0].operands, (std::vector<int64_t>{0, 1}));
}

TEST(ProgramDiffTest, ComputationsThatAreCalled) {
  const std::string text = testing::LargeProgram(120, "");
  const auto first = Parse(text);
  EXPECT_TRUE(DiffPrograms(*first, *Parse(text)).IsEmpty());
  const auto second = Parse(absl::StrReplaceAll(text, {{"constant(0.5)", "constant(0.25)"}}));
  const ProgramDiff diff = DiffPrograms(*first, *second);
  EXPECT_TRUE(diff.added.empty());
  EXPECT_TRUE(diff.removed.empty());
  // The constant, and the calls of its computation.
  int64_t constants = 0, calls = 0;
  for (const ChangedInstruction& change : diff.changed) {
    constants += change.first->IsConstant() ? 1 : 0;
    calls += change.called ? 1 : 0;
  }
  EXPECT_EQ(constants, 1);
  EXPECT_EQ(constants + calls, static_cast<int64_t>(diff.changed.size()));
}

TEST(ProgramDiffTest, OneInsertionIntoALargeProgram) {
  const auto first = Parse(testing::LargeProgram(1000, ""));
  const auto second = Parse(testing::LargeProgram(
      1000, "  %low = f32[8,8] negate(%x)\n  %planted = f32[8,8] log(%low)\n"));
  const ProgramDiff diff = DiffPrograms(*first, *second);
  EXPECT_EQ(diff.added.size(), 4u) << DiffToText(diff);
  EXPECT_TRUE(diff.removed.empty());
  EXPECT_LE(diff.changed.size(), 2u) << DiffToText(diff);
}

TEST(ProgramDiffTest, TextAndPage) {
  const auto first = Parse(kProgram);
  const auto second = Parse(With("tanh(d)", "exponential(d)"));
  const ProgramDiff diff = DiffPrograms(*first, *second);
  const std::string text = DiffToText(diff);
  EXPECT_TRUE(absl::StrContains(text, "1 changed, 1 removed, 1 added")) << text;
  EXPECT_TRUE(absl::StrContains(text, "- %t = f32[4,2]{1,0} tanh(")) << text;
  const std::string page = DiffToHtml(diff, "a<b.hlo", "c.hlo");
  EXPECT_TRUE(absl::StrContains(page, "a&lt;b.hlo"));
  EXPECT_FALSE(absl::StrContains(page, "http"));
}

}  // namespace
}  // namespace xla
