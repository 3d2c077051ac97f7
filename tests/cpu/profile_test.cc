// SPDX-License-Identifier: Apache-2.0
// Profiles of compiled programs: what loops run is counted once, below them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal.h"

namespace xla {
namespace {

using Entries = std::vector<CpuProgram::ProfileEntry>;

absl::StatusOr<Entries> ProfileOf(const std::string& text) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(text));
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module));
  const Shape& shape = module->entry_computation()->parameter_instruction(0)->shape();
  XLA_ASSIGN_OR_RETURN(Literal argument, Literal::Make(shape));
  argument.PopulateWithValue(0.5f);
  runtime::ArgumentView view;
  view.shape = &argument.shape();
  view.data = argument.untyped_data();
  view.size_bytes = argument.size_bytes();
  return program->Profile(absl::MakeConstSpan(&view, 1));
}

// A product, and a loop of seven iterations of two products.
constexpr char kLoop[] = R"(HloModule m
body {
  p = (f32[128,128], s32[]) parameter(0)
  x = f32[128,128] get-tuple-element(p), index=0
  i = s32[] get-tuple-element(p), index=1
  one = s32[] constant(1)
  y = f32[128,128] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[128,128] dot(y, x), lhs_contracting_dims={0}, rhs_contracting_dims={1}
  n = s32[] add(i, one)
  ROOT t = (f32[128,128], s32[]) tuple(z, n)
}
condition {
  p = (f32[128,128], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=1
  seven = s32[] constant(7)
  ROOT c = pred[] compare(i, seven), direction=LT
}
ENTRY e {
  x = f32[128,128] parameter(0)
  d = f32[128,128] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  zero = s32[] constant(0)
  t = (f32[128,128], s32[]) tuple(d, zero)
  w = (f32[128,128], s32[]) while(t), condition=condition, body=body
  ROOT r = f32[128,128] get-tuple-element(w), index=0
})";

// One branch of two, a product.
constexpr char kConditional[] = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
left { x = f32[256,256] parameter(0) ROOT d = f32[256,256] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
right { x = f32[256,256] parameter(0) ROOT d = f32[256,256] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} }
ENTRY e {
  x = f32[256,256] parameter(0)
  zero = f32[] constant(0)
  sum = f32[] reduce(x, zero), dimensions={0,1}, to_apply=add
  many = pred[] compare(sum, zero), direction=GT
  ROOT y = f32[256,256] conditional(many, x, x), true_computation=left, false_computation=right
})";

// The parts of each entry follow it, one deeper, and take no longer than it; the times of all
// without their parts are those of the whole.
void ExpectTree(const Entries& entries) {
  double roots = 0, self = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const CpuProgram::ProfileEntry& entry = entries[i];
    self += entry.self_seconds;
    if (entry.depth == 0) roots += entry.seconds;
    EXPECT_LE(entry.self_seconds, entry.seconds);
    EXPECT_GE(entry.self_seconds, 0);
    double parts = 0;
    for (size_t k = i + 1; k < entries.size() && entries[k].depth > entry.depth; ++k) {
      if (entries[k].depth == entry.depth + 1) parts += entries[k].seconds;
    }
    EXPECT_NEAR(parts + entry.self_seconds, entry.seconds, 1e-9) << entry.text;
    EXPECT_EQ(entry.has_parts, parts > 0) << entry.text;
    if (entry.has_parts) {
      EXPECT_EQ(entry.operations, 0) << entry.text;  // counted where its parts are
    }
  }
  EXPECT_NEAR(self, roots, 1e-9 + 1e-6 * roots);
}

const CpuProgram::ProfileEntry* Find(const Entries& entries, const std::string& opcode) {
  for (const CpuProgram::ProfileEntry& entry : entries) {
    if (entry.text.find(" " + opcode + "(") != std::string::npos) return &entry;
  }
  return nullptr;
}

TEST(ProfileTest, LoopsAreCountedOnce) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  ASSERT_OK_AND_ASSIGN(const Entries entries, ProfileOf(kLoop));
  ExpectTree(entries);
  const CpuProgram::ProfileEntry* const loop = Find(entries, "while");
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->runs, 1);
  EXPECT_EQ(loop->depth, 0);
  EXPECT_TRUE(loop->has_parts);
  int64_t runs = 0;
  for (const CpuProgram::ProfileEntry& entry : entries) {
    if (entry.depth > 0 && entry.multiplied == F32) runs += entry.runs;
  }
  EXPECT_EQ(runs, 14);
}

TEST(ProfileTest, ConditionalsAreCountedOnce) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  ASSERT_OK_AND_ASSIGN(const Entries entries, ProfileOf(kConditional));
  ExpectTree(entries);
  const CpuProgram::ProfileEntry* const conditional = Find(entries, "conditional");
  ASSERT_NE(conditional, nullptr);
  EXPECT_EQ(conditional->runs, 1);
  EXPECT_TRUE(conditional->has_parts);
}

TEST(ProfileTest, WithoutLoopsSelfIsAll) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "the compiler is not here";
  ASSERT_OK_AND_ASSIGN(const Entries entries,
                       ProfileOf("HloModule m\nENTRY e { x = f32[128,128] parameter(0) ROOT d = "
                                 "f32[128,128] dot(x, x), lhs_contracting_dims={1}, "
                                 "rhs_contracting_dims={0} }"));
  ASSERT_FALSE(entries.empty());
  for (const CpuProgram::ProfileEntry& entry : entries) {
    EXPECT_EQ(entry.depth, 0);
    EXPECT_EQ(entry.self_seconds, entry.seconds);
  }
}

}  // namespace
}  // namespace xla
