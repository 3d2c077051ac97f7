// SPDX-License-Identifier: Apache-2.0
// Fusion, outlining, inlining and changes of signatures: on programs written out, and on random
// ones that must compute the same afterwards.
#include "xla/hlo/ir/call_rewriting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/passes/passes_test_util.h"
#include "tests/test_util.h"
#include "tests/timing.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla {
namespace {

using testing::ComputeTheSame;
using testing::FindInstruction;

class CallRewriting : public ::testing::Test {
 protected:
  void Parse(const std::string& text) {
    auto parsed = ParseAndReturnUnverifiedModule(text);
    XLA_CHECK_OK(parsed.status());
    module_ = *std::move(parsed);
    XLA_CHECK_OK(VerifyModule(*module_));
    before_ = module_->Clone();
  }
  HloInstruction* Find(const std::string& name) { return FindInstruction(*module_, name); }
  // Valid, of the same value, and up to names the program expected.
  void ExpectBecame(const std::string& text) {
    module_->Cleanup();
    ASSERT_OK(VerifyModule(*module_)) << module_->ToString();
    ASSERT_OK_AND_ASSIGN(const auto expected, ParseAndReturnUnverifiedModule(text));
    EXPECT_OK(module_->CheckEqual(*expected)) << module_->ToString();
    EXPECT_OK(ComputeTheSame(*before_, *module_));
  }

  std::unique_ptr<HloModule> module_, before_;
};

constexpr char kDiamond[] = R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  a = f32[4] abs(p)
  b = f32[4] negate(a)
  c = f32[4] sine(a)
  d = f32[4] add(b, c)
  ROOT r = (f32[4], f32[4]) tuple(d, q)
})";

TEST_F(CallRewriting, MovesInstructionsOfOneComputation) {
  Parse(kDiamond);
  const auto other = before_->Clone();
  HloInstruction* foreign = FindInstruction(*other, "b");
  const auto free = HloInstruction::CreateUnary(Find("b")->shape(), HloOpcode::kNegate, Find("a"));
  for (HloInstruction* wrong : {foreign, free.get()}) {
    EXPECT_ERROR(FuseInstructions({Find("b"), wrong}, FusionKind::kLoop, "f"),
                 "not in one computation");
    EXPECT_ERROR(FuseInstructions({wrong, Find("b")}, FusionKind::kLoop, "f"),
                 "not in one computation");
  }
  EXPECT_ERROR(FuseInstructions({free.get()}, FusionKind::kLoop, "f"), "not in one computation");
  EXPECT_ERROR(FuseInstructions({}, FusionKind::kLoop, "f"), "no instructions");
  EXPECT_ERROR(FuseInstructions({Find("b"), Find("b")}, FusionKind::kLoop, "f"), "is given twice");
  EXPECT_ERROR(FuseInstructions({Find("p"), Find("b")}, FusionKind::kLoop, "f"), "is a parameter");
}

TEST_F(CallRewriting, FusesASetWithOneResult) {
  Parse(kDiamond);
  ASSERT_OK_AND_ASSIGN(
      HloInstruction* const fusion,
      FuseInstructions({Find("d"), Find("b"), Find("c")}, FusionKind::kLoop, "fused"));
  EXPECT_EQ(fusion->name(), "fused");
  EXPECT_TRUE(fusion->called_computations()[0]->IsFusionComputation());
  ExpectBecame(R"(HloModule m
f {
  x = f32[4] parameter(0)
  b = f32[4] negate(x)
  c = f32[4] sine(x)
  ROOT d = f32[4] add(b, c)
}
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  a = f32[4] abs(p)
  d = f32[4] fusion(a), kind=kLoop, calls=f
  ROOT r = (f32[4], f32[4]) tuple(d, q)
})");
}

TEST_F(CallRewriting, FusesASetWithSeveralResults) {
  Parse(kDiamond);
  ASSERT_OK(FuseInstructions({Find("a"), Find("b")}, FusionKind::kInput).status());
  ExpectBecame(R"(HloModule m
f {
  x = f32[4] parameter(0)
  a = f32[4] abs(x)
  b = f32[4] negate(a)
  ROOT t = (f32[4], f32[4]) tuple(a, b)
}
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  t = (f32[4], f32[4]) fusion(p), kind=kInput, calls=f
  a = f32[4] get-tuple-element(t), index=0
  b = f32[4] get-tuple-element(t), index=1
  c = f32[4] sine(a)
  d = f32[4] add(b, c)
  ROOT r = (f32[4], f32[4]) tuple(d, q)
})");
}

TEST_F(CallRewriting, RefusesSetsThatWouldMakeACycle) {
  Parse(kDiamond);
  EXPECT_ERROR(FuseInstructions({Find("a"), Find("d")}, FusionKind::kLoop),
               "create a cycle through");
  EXPECT_ERROR(FuseInstructions({Find("a"), Find("a")}, FusionKind::kLoop), "given twice");
  EXPECT_ERROR(FuseInstructions({Find("p")}, FusionKind::kLoop), "is a parameter");
  EXPECT_ERROR(FuseInstructions({}, FusionKind::kLoop), "no instructions");
  EXPECT_OK(module_->CheckEqual(*before_));
}

TEST_F(CallRewriting, OutliningIsUndoneByInlining) {
  Parse(kDiamond);
  ASSERT_OK_AND_ASSIGN(HloInstruction* const call,
                       OutlineInstructions({Find("a"), Find("c"), Find("b"), Find("d")}, "part"));
  EXPECT_EQ(call->to_apply()->name(), "part");
  EXPECT_EQ(module_->entry_computation()->instruction_count(), 4);
  ASSERT_OK(InlineCall(call).status());
  ASSERT_OK(module_->RemoveUnusedComputations());
  ExpectBecame(kDiamond);
}

TEST_F(CallRewriting, ControlDependenciesCrossTheBorder) {
  Parse(R"(HloModule m
ENTRY e {
  p = f32[] parameter(0)
  x = f32[] cosine(p)
  a = f32[] abs(p), control-predecessors={x}
  b = f32[] negate(p), control-predecessors={a}
  c = f32[] sine(p), control-predecessors={b}
  ROOT r = (f32[], f32[], f32[], f32[]) tuple(x, a, b, c)
})");
  EXPECT_ERROR(FuseInstructions({Find("a"), Find("c")}, FusionKind::kLoop), "cycle through b = ");
  ASSERT_OK(FuseInstructions({Find("a"), Find("b")}, FusionKind::kLoop).status());
  ExpectBecame(R"(HloModule m
f {
  p = f32[] parameter(0)
  a = f32[] abs(p)
  b = f32[] negate(p), control-predecessors={a}
  ROOT t = (f32[], f32[]) tuple(a, b)
}
ENTRY e {
  p = f32[] parameter(0)
  x = f32[] cosine(p)
  t = (f32[], f32[]) fusion(p), kind=kLoop, calls=f, control-predecessors={x}
  a = f32[] get-tuple-element(t), index=0
  b = f32[] get-tuple-element(t), index=1
  c = f32[] sine(p), control-predecessors={t}
  ROOT r = (f32[], f32[], f32[], f32[]) tuple(x, a, b, c)
})");
}

TEST_F(CallRewriting, ProducersAreFusedIntoFusions) {
  Parse(R"(HloModule m
f {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] subtract(x, y)
}
g { x = f32[] parameter(0)  a = f32[] abs(x)  ROOT n = f32[] sine(a) }
ENTRY e {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  g1 = f32[] fusion(q), kind=kLoop, calls=g
  prod = f32[] multiply(p, q)
  sub1 = f32[] fusion(prod, g1), kind=kLoop, calls=f
  sub2 = f32[] fusion(g1, g1), kind=kLoop, calls=f
  ROOT r = (f32[], f32[]) tuple(sub1, sub2)
})");
  HloInstruction* sub1 = Find("sub1");
  ASSERT_OK(FuseProducerInto(sub1, Find("prod")));
  EXPECT_EQ(sub1->operand_count(), 3);  // g1, p, q
  ASSERT_OK(FuseProducerInto(sub1, Find("g1")));
  EXPECT_EQ(sub1->operand_count(), 2);  // p, q
  EXPECT_ERROR(FuseProducerInto(sub1, Find("p")), "is not a fusion that can take in");
  ExpectBecame(R"(HloModule m
f { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT s = f32[] subtract(x, y) }
f1 {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  a = f32[] abs(q)
  n = f32[] sine(a)
  m = f32[] multiply(p, q)
  ROOT s = f32[] subtract(m, n)
}
g { x = f32[] parameter(0)  a = f32[] abs(x)  ROOT n = f32[] sine(a) }
ENTRY e {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  g1 = f32[] fusion(q), kind=kLoop, calls=g
  sub1 = f32[] fusion(p, q), kind=kLoop, calls=f1
  sub2 = f32[] fusion(g1, g1), kind=kLoop, calls=f
  ROOT r = (f32[], f32[]) tuple(sub1, sub2)
})");
}

TEST_F(CallRewriting, InliningTellsTheCopies) {
  Parse(R"(HloModule m
f { x = f32[] parameter(0)  s = f32[] sine(x)  ROOT n = f32[] negate(s) }
ENTRY e { p = f32[] parameter(0)  ROOT c = f32[] call(p), to_apply=f })");
  CloneMap map;
  const HloInstruction* const inner = Find("s");
  ASSERT_OK_AND_ASSIGN(HloInstruction* const result, InlineCall(Find("c"), &map));
  EXPECT_EQ(result->operand(0), map.Find(inner));
  EXPECT_TRUE(result->IsRoot());
  EXPECT_ERROR(InlineCall(result), "neither a call nor a fusion");
}

TEST_F(CallRewriting, GrowthIsBounded) {
  std::string text = "HloModule m\nfn0 { x = f32[] parameter(0)  ROOT n = f32[] negate(x) }\n";
  for (int i = 1; i < 60; ++i) {
    absl::StrAppend(&text, "fn", i, " { x = f32[] parameter(0)  a = f32[] call(x), to_apply=fn",
                    i - 1, "  ROOT b = f32[] call(a), to_apply=fn", i - 1, " }\n");
  }
  text += "ENTRY e { p = f32[] parameter(0)  ROOT c = f32[] call(p), to_apply=fn59 }";
  ASSERT_OK_AND_ASSIGN(const auto inlined, ParseAndReturnUnverifiedModule(text));
  EXPECT_STATUS(InlineAllCalls(inlined.get(), 10000), absl::StatusCode::kResourceExhausted,
                "more than 10000 instructions");
  ASSERT_OK_AND_ASSIGN(const auto flattened, ParseAndReturnUnverifiedModule(text));
  EXPECT_STATUS(FlattenCalls(flattened.get(), 10000), absl::StatusCode::kResourceExhausted,
                "more than 10000 instructions");
}

// Each branch is looked at once, however many there are.
TEST(CallRewritingTime, ManyBranches) {
  const auto seconds = [](int64_t size) {
    std::string text = "HloModule m\n", operands, branches;
    for (int64_t i = 0; i < size; ++i) {
      absl::StrAppend(&text, "fn", i, " { ROOT x = f32[] parameter(0) }\n");
      absl::StrAppend(&operands, ", p");
      absl::StrAppend(&branches, i == 0 ? "" : ", ", "fn", i);
    }
    absl::StrAppend(&text, "ENTRY e { i = s32[] parameter(0)\n p = f32[] parameter(1)\n",
                    "ROOT c = f32[] conditional(i", operands, "), branch_computations={", branches,
                    "} }");
    const auto module = ParseAndReturnUnverifiedModule(text);
    EXPECT_OK(module.status());
    return testing::SecondsOf([&] { EXPECT_OK(FlattenCalls(module->get()).status()); });
  };
  testing::ExpectLinearTime(seconds, 300, 30'000);
}

constexpr char kLoop[] = R"(HloModule m
body {
  s = (s32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[] get-tuple-element(s), index=1
  b = f32[] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  twice = f32[] add(a, a)
  ROOT t = (s32[], f32[], f32[]) tuple(j, twice, b)
}
condition {
  s = (s32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
ENTRY e {
  init = (s32[], f32[], f32[]) parameter(0)
  loop = (s32[], f32[], f32[]) while(init), condition=condition, body=body
  other = (s32[], f32[], f32[]) while(init), condition=condition, body=body
  a = f32[] get-tuple-element(loop), index=1
  ROOT r = (f32[], (s32[], f32[], f32[])) tuple(a, other)
})";

TEST_F(CallRewriting, LoopsLoseStateAndKeepTheirSharedBodies) {
  Parse(kLoop);
  HloInstruction* loop = Find("loop");
  EXPECT_ERROR(RemoveLoopState(loop, {1}), "uses element 1");
  EXPECT_ERROR(RemoveLoopState(loop, {0}), "depends on a removed element");
  EXPECT_ERROR(RemoveLoopState(Find("other"), {2}), "not only by get-tuple-element");
  EXPECT_ERROR(RemoveLoopState(loop, {2, 1}), "not ascending");
  EXPECT_ERROR(RemoveLoopState(loop, {3}), "below 3");
  EXPECT_OK(module_->CheckEqual(*before_));
  ASSERT_OK(RemoveLoopState(loop, {2}));
  EXPECT_EQ(loop->shape().tuple_shapes_size(), 2);
  EXPECT_EQ(Find("other")->while_body()->root_instruction()->operand_count(), 3);
  module_->Cleanup();
  ASSERT_OK(VerifyModule(*module_));
  EXPECT_OK(ComputeTheSame(*before_, *module_));
}

TEST_F(CallRewriting, SignaturesOfAppliedComputationsStay) {
  Parse(R"(HloModule m
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT n = f32[] negate(y) }
ENTRY e {
  p = f32[4] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(p, zero), dimensions={0}, to_apply=add
})");
  EXPECT_ERROR(RemoveParameters(Find("n")->parent(), {0}), "cannot change");
  EXPECT_ERROR(RemoveResults(Find("n")->parent(), {0}), "is not a tuple");
  EXPECT_ERROR(RemoveParameters(module_->entry_computation(), {0}), "is the entry computation");
}

// --- Random programs: sets that may be fused are, over and over, and then all is inlined again.

TEST_F(CallRewriting, RandomSetsComputeTheSame) {
  std::mt19937 random(11);
  int fused = 0, refused = 0;
  for (int round = 0; round < 40; ++round) {
    const bool scheduled = round % 2 == 0;
    std::string text = absl::StrCat("HloModule m", scheduled ? ", is_scheduled=true" : "",
                                    "\nENTRY e {\n  v0 = f32[3]{0} parameter(0)\n"
                                    "  v1 = f32[3]{0} parameter(1)\n");
    const int count = 12;
    for (int i = 2; i < count; ++i) {
      const char* opcode = std::array{"add", "subtract", "maximum"}[random() % 3];
      absl::StrAppend(&text, "  v", i, " = f32[3]{0} ", opcode, "(v", random() % i, ", v",
                      random() % i, ")\n");
    }
    absl::StrAppend(&text, "  ROOT r = (f32[3]{0}, f32[3]{0}) tuple(v", count - 1, ", v",
                    random() % count, ")\n}");
    Parse(text);
    for (int step = 0; step < 6; ++step) {
      std::vector<HloInstruction*> set;
      for (HloInstruction* i : module_->entry_computation()->instructions()) {
        if (i->opcode() != HloOpcode::kParameter && random() % 3 == 0) set.push_back(i);
      }
      std::shuffle(set.begin(), set.end(), random);
      const auto moved =
          step % 2 == 0 ? FuseInstructions(set, FusionKind::kLoop) : OutlineInstructions(set);
      ++(moved.ok() ? fused : refused);
      ASSERT_OK(VerifyModule(*module_)) << module_->ToString();
    }
    EXPECT_OK(ComputeTheSame(*before_, *module_)) << module_->ToString();
    // Fusions too, until no caller is left.
    for (bool found = true; found;) {
      found = false;
      for (HloInstruction* i : module_->entry_computation()->instructions()) {
        if (i->opcode() != HloOpcode::kCall && i->opcode() != HloOpcode::kFusion) continue;
        ASSERT_OK(InlineCall(i).status());
        found = true;
      }
    }
    ASSERT_OK(module_->RemoveUnusedComputations());
    module_->Cleanup();
    ASSERT_OK(VerifyModule(*module_)) << module_->ToString();
    EXPECT_EQ(module_->computation_count(), 1);
    EXPECT_OK(ComputeTheSame(*before_, *module_)) << module_->ToString();
  }
  EXPECT_GT(fused, 50);
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace xla
