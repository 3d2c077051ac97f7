// SPDX-License-Identifier: Apache-2.0
// Patterns of XLA's matcher: each condition holds for some instructions and not for others.
#include "xla/service/pattern_matcher.h"

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

namespace m = match;

class Matcher : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(module_, ParseAndReturnUnverifiedModule(R"(
HloModule m
f { ROOT x = f32[2,3] parameter(0) }
ENTRY e {
  p = f32[2,3]{1,0} parameter(0)
  q = f32[2,3]{0,1} parameter(1)
  two = f32[] constant(2)
  one = s32[1,1] constant({{1}})
  wide = f32[2,3]{1,0} broadcast(two), dimensions={}
  sum = f32[2,3]{1,0} add(p, wide)
  twice = f32[2,3]{1,0} multiply(sum, sum)
  less = pred[2,3]{1,0} compare(p, twice), direction=LT
  loop = f32[2,3]{1,0} fusion(p), kind=kLoop, calls=f
  call = f32[2,3]{1,0} custom-call(p), custom_call_target="t"
  t = (f32[2,3], f32[]) tuple(loop, two)
  first = f32[2,3]{1,0} get-tuple-element(t), index=0
  second = f32[] get-tuple-element(t), index=1
  tok = token[] after-all()
  ROOT r = f32[2,3]{1,0} subtract(first, q)
})"));
  }
  HloInstruction* Get(const std::string& name) {
    return module_->entry_computation()->GetInstructionWithName(name);
  }
  // The names of the entry's instructions that match.
  std::string Matching(const m::Pattern& pattern) {
    std::string names;
    for (const HloInstruction* instruction : module_->entry_computation()->instructions()) {
      if (Match(instruction, pattern))
        absl::StrAppend(&names, names.empty() ? "" : " ", std::string(instruction->name()));
    }
    return names;
  }
  std::unique_ptr<HloModule> module_;
};

TEST_F(Matcher, ConditionsOnInstructions) {
  EXPECT_EQ(Matching(m::Op().WithOpcode(HloOpcode::kAdd)), "sum");
  EXPECT_EQ(Matching(m::Op().WithName("less")), "less");
  EXPECT_EQ(Matching(m::Op().WithNumOperands(2)), "sum twice less t r");
  EXPECT_EQ(Matching(m::Op().WithOperand(1, m::Op().Is(Get("two")))), "t");
  EXPECT_EQ(Matching(m::Constant().WithOperandIfPresent(0, m::Add())), "two one");
  EXPECT_EQ(Matching(m::Compare().WithOperandIfPresent(1, m::Add())), "");
  EXPECT_EQ(Matching(m::Compare().WithOperandIfPresent(1, m::Multiply())), "less");
  EXPECT_EQ(Matching(m::Op().IsConstant()), "two one");
  EXPECT_EQ(Matching(m::Parameter(1)), "q");
  EXPECT_EQ(Matching(m::Op().WithParameterNum(0)), "p");
  EXPECT_EQ(Matching(m::GetTupleElement(m::Tuple(), 1)), "second");
  EXPECT_EQ(Matching(m::Op().WithTupleIndex(0)), "first");
  EXPECT_EQ(Matching(m::Op().WithCustomCallTarget("t")), "call");
  EXPECT_EQ(Matching(m::Op().WithCustomCallTarget("u")), "");
  EXPECT_EQ(Matching(m::Op().WithFusionKind(FusionKind::kLoop)), "loop");
  EXPECT_EQ(Matching(m::Op().WithFusionKind(FusionKind::kInput)), "");
  EXPECT_EQ(Matching(m::Op().WithComparisonDirection(ComparisonDirection::kLt)), "less");
  EXPECT_EQ(Matching(m::Op().WithComparisonDirection(ComparisonDirection::kGt)), "");
  EXPECT_EQ(Matching(m::Op().WithPredicate(
                [](const HloInstruction* i) { return i->name().size() == 1; })),
            "p q t r");
  EXPECT_EQ(Matching(m::NonConstant().WithElementType(S32)), "");
  EXPECT_EQ(Matching(m::Op().WithoutOpcode(HloOpcode::kTuple).WithNumOperands(2)),
            "sum twice less r");
}

TEST_F(Matcher, ConditionsOnUses) {
  // `twice` takes `sum` twice; `p` has three users.
  EXPECT_EQ(Matching(m::Add().WithOneUse()), "");
  EXPECT_EQ(Matching(m::Add().WithOneUser()), "sum");
  EXPECT_EQ(Matching(m::Multiply().WithOneUse()), "twice");
  EXPECT_EQ(Matching(m::Parameter().WithAtMostNumUser(3)), "q");
  EXPECT_EQ(Matching(m::Parameter().WithAtMostNumUser(4)), "p q");
  EXPECT_EQ(Matching(m::Op().WithAtMostNumUser(0)), "one less call second tok r");
}

TEST_F(Matcher, ConditionsOnShapes) {
  const auto with = [&](const m::ShapePattern& shape) {
    return Matching(m::Op().WithShape(shape));
  };
  EXPECT_EQ(with(m::Shape().IsTuple()), "t");
  EXPECT_EQ(with(m::Shape().IsToken()), "tok");
  EXPECT_EQ(with(m::Shape().IsScalar()), "two second");
  EXPECT_EQ(with(m::Shape().IsEffectiveScalar()), "two one second");
  EXPECT_EQ(with(m::Shape().IsArray().WithRank(0)), "two second");
  EXPECT_EQ(with(m::Shape().WithElementType(PRED)), "less");
  EXPECT_EQ(with(m::Shape().WithDims({1, 1})), "one");
  EXPECT_EQ(with(m::Shape().WithDims({3, 2})), "");
  EXPECT_EQ(with(m::Shape().WithLayout({0, 1})), "q");
  const Shape rows = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0});
  const Shape columns = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  EXPECT_EQ(Matching(m::Parameter().WithShapeEqualTo(&columns)), "q");
  EXPECT_EQ(Matching(m::Parameter().WithShapeEqualTo(&rows)), "p");
  EXPECT_EQ(Matching(m::Parameter().WithShapeCompatibleTo(&rows)), "p q");
  EXPECT_EQ(Matching(m::Parameter().WithShape(F32, {2, 3})), "p q");
  EXPECT_EQ(Matching(m::Parameter().WithShape(F32, {2, 3}, {0, 1})), "q");
  EXPECT_EQ(Matching(m::Parameter().WithShape(S32, {2, 3})), "");
  EXPECT_EQ(Matching(m::Op().WithElementType(S32)), "one");
}

TEST_F(Matcher, Scalars) {
  EXPECT_EQ(Matching(m::ConstantScalar()), "two");
  EXPECT_EQ(Matching(m::ConstantScalar(2.0)), "two");
  EXPECT_EQ(Matching(m::ConstantScalar(3.0)), "");
  EXPECT_EQ(Matching(m::ConstantEffectiveScalar()), "two one");
  EXPECT_EQ(Matching(m::ConstantEffectiveScalar(1.0)), "one");
}

TEST_F(Matcher, OrdersAlternativesAndCaptures) {
  HloInstruction *a = nullptr, *b = nullptr, *whole = nullptr;
  EXPECT_FALSE(Match(Get("sum"), m::Add(m::Broadcast(&a), m::Parameter(&b))));
  EXPECT_EQ(a, nullptr);
  EXPECT_TRUE(Match(Get("sum"), m::AddAnyOrder(&whole, m::Broadcast(&a), m::Parameter(&b))));
  EXPECT_EQ(whole, Get("sum"));
  EXPECT_EQ(a, Get("wide"));
  EXPECT_EQ(b, Get("p"));
  EXPECT_FALSE(Match(Get("sum"), m::AddAnyOrder(m::Broadcast(), m::Broadcast())));
  EXPECT_FALSE(Match(Get("r"), m::AddAnyOrder(m::Op(), m::Op())));
  const auto either = m::AnyOf<HloInstruction>(m::Add(&a), m::Multiply(&b));
  EXPECT_EQ(Matching(either), "sum twice");
  EXPECT_TRUE(Match(Get("twice"), either));
  EXPECT_EQ(b, Get("twice"));
  a = nullptr;
  MatchOption option;
  option.capture = false;
  EXPECT_TRUE(Match(Get("sum"), m::Add(&a), option));
  EXPECT_EQ(a, nullptr);
  std::ostringstream why;
  option.explain_os = &why;
  EXPECT_FALSE(Match(Get("sum"), m::Multiply(), option));
  EXPECT_NE(why.str().find("is not a multiply"), std::string::npos) << why.str();
  why.str("");
  EXPECT_FALSE(Match(Get("p"), m::Op().WithOperand(0, m::Op()), option));
  EXPECT_EQ(why.str(), "no operand 0");
}

}  // namespace
}  // namespace xla
