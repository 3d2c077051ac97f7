// SPDX-License-Identifier: Apache-2.0
// Instructions and computations: users, replacement, removal, control dependencies, order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tests/ir/ir_test_util.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::kScalar;

class Graph : public ::testing::Test {
 protected:
  HloInstruction* Add(std::string_view name, HloOpcode opcode,
                      std::vector<HloInstruction*> operands) {
    return computation_->AddInstruction(HloInstruction::Create(opcode, kScalar, operands), name);
  }
  HloInstruction* Parameter(int64_t number, std::string_view name) {
    return computation_->AddInstruction(HloInstruction::CreateParameter(number, kScalar, name));
  }
  static std::string Names(absl::Span<HloInstruction* const> instructions) {
    return absl::StrJoin(instructions, " ", [](std::string* out, const HloInstruction* i) {
      absl::StrAppend(out, i->name());
    });
  }
  std::string PostOrder() { return Names(computation_->MakeInstructionPostOrder()); }

  HloModule module_{"m"};
  HloComputation* computation_ = module_.AddComputation("c");
};

TEST_F(Graph, UsersAreListedOnce) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* square = Add("square", HloOpcode::kMultiply, {p, p});
  HloInstruction* sum = Add("sum", HloOpcode::kAdd, {square, p});
  EXPECT_EQ(Names(p->users()), "square sum");
  EXPECT_EQ(Names(square->users()), "sum");
  EXPECT_TRUE(sum->IsUserOf(p));
  EXPECT_FALSE(p->IsUserOf(sum));
}

TEST_F(Graph, ReplacingOneOfTwoUsesKeepsTheUser) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* q = Parameter(1, "q");
  HloInstruction* square = Add("square", HloOpcode::kMultiply, {p, p});
  EXPECT_OK(square->ReplaceOperandWith(0, q));
  EXPECT_EQ(Names(p->users()), "square");
  EXPECT_EQ(Names(q->users()), "square");
  EXPECT_OK(square->ReplaceOperandWith(1, q));
  EXPECT_EQ(p->user_count(), 0);
  EXPECT_ERROR(square->ReplaceOperandWith(2, q), "has no operand 2");
}

TEST_F(Graph, ReplacementsMustHaveCompatibleShapes) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* n = Add("n", HloOpcode::kNegate, {p});
  HloInstruction* wide = computation_->AddInstruction(
      HloInstruction::CreateParameter(1, ShapeUtil::MakeShape(F32, {2}), "wide"));
  EXPECT_ERROR(n->ReplaceOperandWith(0, wide), "not compatible");
  EXPECT_ERROR(p->ReplaceAllUsesWith(wide), "not compatible");
}

TEST_F(Graph, ReplaceAllUsesReachesTheRootButNotTheNewOneItself) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* n = Add("n", HloOpcode::kNegate, {p});
  computation_->set_root_instruction(n);
  HloInstruction* a = Add("a", HloOpcode::kAbs, {n});
  EXPECT_OK(n->ReplaceAllUsesWith(a));
  EXPECT_EQ(computation_->root_instruction(), a);
  EXPECT_EQ(a->operand(0), n);
  EXPECT_EQ(Names(n->users()), "a");
}

TEST_F(Graph, ReplaceInstructionTakesOverUsesAndControlDependencies) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* before = Add("before", HloOpcode::kSin, {p});
  HloInstruction* old = Add("old", HloOpcode::kNegate, {p});
  HloInstruction* after = Add("after", HloOpcode::kCos, {p});
  HloInstruction* user = Add("user", HloOpcode::kAbs, {old});
  HloInstruction* fresh = Add("fresh", HloOpcode::kExp, {p});
  ASSERT_OK(before->AddControlDependencyTo(old));
  ASSERT_OK(old->AddControlDependencyTo(after));
  EXPECT_OK(computation_->ReplaceInstruction(old, fresh));
  EXPECT_EQ(user->operand(0), fresh);
  EXPECT_EQ(Names(fresh->control_predecessors()), "before");
  EXPECT_EQ(Names(after->control_predecessors()), "fresh");
  EXPECT_EQ(computation_->instruction_count(), 5);
}

TEST_F(Graph, WhatIsNeededCannotBeRemoved) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* n = Add("n", HloOpcode::kNegate, {p});
  HloInstruction* a = Add("a", HloOpcode::kAbs, {n});
  computation_->set_root_instruction(a);
  EXPECT_ERROR(computation_->RemoveInstruction(p), "is a parameter of c");
  EXPECT_ERROR(computation_->RemoveInstruction(n), "is used by a = ");
  EXPECT_ERROR(computation_->RemoveInstruction(a), "is the root of c");
  HloInstruction* dead = Add("dead", HloOpcode::kAbs, {n});
  ASSERT_OK(n->AddControlDependencyTo(dead));
  EXPECT_ERROR(computation_->RemoveInstruction(dead), "has control dependencies");
  ASSERT_OK(n->RemoveControlDependencyTo(dead));
  EXPECT_OK(computation_->RemoveInstruction(dead));
  EXPECT_EQ(Names(n->users()), "a");
}

TEST_F(Graph, RemovalTakesUnusedOperandsAlongButNotThoseWithEffects) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* n = Add("n", HloOpcode::kNegate, {p});
  HloInstruction* m = Add("m", HloOpcode::kMultiply, {n, n});
  HloInstruction* state = computation_->AddInstruction(
      HloInstruction::Create(HloOpcode::kRngGetAndUpdateState, kScalar, {}), "state");
  HloInstruction* a = Add("a", HloOpcode::kAdd, {m, state});
  computation_->set_root_instruction(p);
  EXPECT_OK(computation_->RemoveInstructionAndUnusedOperands(a));
  EXPECT_EQ(Names(computation_->instructions()), "p state");
}

// Expected orders are those in which XLA prints these programs.
TEST_F(Graph, PostOrderVisitsOperandsFirstToLast) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* q = Parameter(1, "q");
  HloInstruction* c = Add("c", HloOpcode::kNegate, {p});
  HloInstruction* b = Add("b", HloOpcode::kNegate, {q});
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  computation_->set_root_instruction(Add("t", HloOpcode::kTuple, {a, b, c}));
  EXPECT_EQ(PostOrder(), "p a q b c t");
}

TEST_F(Graph, PostOrderPutsDeadCodeWhereItStands) {
  HloInstruction* p = Parameter(0, "p");
  Add("dead1", HloOpcode::kSin, {Add("d", HloOpcode::kNegate, {p})});
  computation_->set_root_instruction(Add("root", HloOpcode::kAbs, {p}));
  Add("dead2", HloOpcode::kCos, {p});
  EXPECT_EQ(PostOrder(), "p d dead1 root dead2");
}

TEST_F(Graph, PostOrderVisitsControlPredecessorsBeforeOperandsLastToFirst) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* x = Add("x", HloOpcode::kSin, {p});
  HloInstruction* y = Add("y", HloOpcode::kCos, {p});
  HloInstruction* z = Add("z", HloOpcode::kTan, {p});
  HloInstruction* root = Add("root", HloOpcode::kAbs, {z});
  computation_->set_root_instruction(Add("top", HloOpcode::kTuple, {root, x, y}));
  ASSERT_OK(x->AddControlDependencyTo(root));
  ASSERT_OK(y->AddControlDependencyTo(root));
  EXPECT_EQ(PostOrder(), "p y x z root top");
}

TEST_F(Graph, CyclesAreErrorsThatNameThem) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAdd, {p, p});
  HloInstruction* b = Add("b", HloOpcode::kNegate, {a});
  ASSERT_OK(a->ReplaceOperandWith(1, b));
  EXPECT_ERROR(computation_->PostOrder(),
               "computation c: instructions depend on themselves: a -> b -> a");
  ASSERT_OK(a->ReplaceOperandWith(1, p));
  ASSERT_OK(b->AddControlDependencyTo(a));
  EXPECT_ERROR(computation_->PostOrder(), "depend on themselves");
  EXPECT_ERROR(a->AddControlDependencyTo(a), "cannot run before itself");
}

TEST_F(Graph, AMillionInstructionsInARowAreOrderedComparedCopiedAndDestroyed) {
  HloInstruction* last = Parameter(0, "p");
  for (int i = 0; i < 1'000'000; ++i) last = Add("n", HloOpcode::kNegate, {last});
  computation_->set_root_instruction(last);
  module_.set_entry_computation(computation_);
  EXPECT_EQ(last->name(), "n.999999");
  const std::vector<HloInstruction*> order = computation_->MakeInstructionPostOrder();
  ASSERT_EQ(order.size(), 1'000'001u);
  EXPECT_EQ(order, computation_->instructions());
  const std::unique_ptr<HloModule> copy = module_.Clone();
  EXPECT_OK(module_.CheckEqual(*copy));
  EXPECT_EQ(module_.Hash(), copy->Hash());
  // From the end: every removal is at the end of its operand's users and leaves a hole.
  computation_->set_root_instruction(order[0]);
  EXPECT_OK(computation_->RemoveInstructionAndUnusedOperands(last));
  EXPECT_EQ(computation_->instruction_count(), 1);
}

TEST_F(Graph, AnInstructionWithManyUsersLosesThemInConstantTimeEach) {
  HloInstruction* p = Parameter(0, "p");
  computation_->set_root_instruction(p);
  std::vector<HloInstruction*> users;
  for (int i = 0; i < 200'000; ++i) users.push_back(Add("n", HloOpcode::kNegate, {p}));
  for (HloInstruction* user : users) ASSERT_OK(computation_->RemoveInstruction(user));
  EXPECT_EQ(p->user_count(), 0);
  EXPECT_EQ(computation_->instruction_count(), 1);
}

TEST_F(Graph, ParametersAreListedByNumberWithoutRoomForAbsurdOnes) {
  HloInstruction* second = Parameter(1, "second");
  HloInstruction* first = Parameter(0, "first");
  EXPECT_EQ(Names(computation_->parameter_instructions()), "first second");
  EXPECT_EQ(computation_->parameter_instruction(1), second);
  EXPECT_EQ(computation_->parameter_instruction(0), first);
  Parameter(int64_t{1} << 60, "absurd");
  Parameter(-1, "negative");
  Parameter(1, "again");
  ASSERT_EQ(computation_->num_parameters(), 3);
  EXPECT_EQ(computation_->parameter_instruction(2), nullptr);
}

TEST_F(Graph, ManyParametersInAnyOrderAreAllListed) {
  for (int i = 999; i >= 0; --i) Parameter(i, "p");
  ASSERT_EQ(computation_->num_parameters(), 1000);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(computation_->parameter_instruction(i)->parameter_number(), i);
  }
}

TEST_F(Graph, OrderOfInstructionsCanBeSet) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  HloInstruction* b = Add("b", HloOpcode::kSin, {p});
  EXPECT_OK(computation_->SetInstructionOrder({p, b, a}));
  EXPECT_EQ(Names(computation_->instructions()), "p b a");
  EXPECT_ERROR(computation_->SetInstructionOrder({p, b}), "2 of its 3 instructions");
  EXPECT_ERROR(computation_->SetInstructionOrder({p, b, b}), "is duplicated");
  EXPECT_OK(computation_->RemoveInstruction(b));
  EXPECT_EQ(Names(computation_->instructions()), "p a");
}

TEST_F(Graph, IdenticalComparesAllButNamesAndMetadata) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kNegate, {p});
  HloInstruction* b = Add("b", HloOpcode::kNegate, {p});
  InstructionMetadata metadata;
  metadata.set_op_name("op");
  b->set_metadata(metadata);
  EXPECT_TRUE(a->Identical(*b));
  EXPECT_EQ(a->Hash(), b->Hash());
  b->mutable_extras().sharding = HloSharding::Replicate();
  EXPECT_FALSE(a->Identical(*b));
}

TEST_F(Graph, MembersOfJsonBackendConfigsMayStandInAnyOrder) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kNegate, {p});
  HloInstruction* b = Add("b", HloOpcode::kNegate, {p});
  auto equal = [&](std::string x, std::string y) {
    a->mutable_extras().backend_config = std::move(x);
    b->mutable_extras().backend_config = std::move(y);
    EXPECT_EQ(a->Identical(*b), b->Identical(*a));
    if (a->Identical(*b)) {
      EXPECT_EQ(a->Hash(), b->Hash());
    }
    return a->Identical(*b);
  };
  EXPECT_TRUE(
      equal(R"({"n":{"x":"1","y":[2,3]},"k":true})", R"({"k": true, "n":{"y":[2, 3],"x":"1"}})"));
  EXPECT_FALSE(equal(R"({"y":[2,3]})", R"({"y":[3,2]})"));
  EXPECT_FALSE(equal(R"({"a":"b,c"})", R"({"a":"b, c"})"));
  EXPECT_FALSE(equal("raw", "raw "));
  EXPECT_FALSE(equal("{\"a", "{ \"a"));
  const std::string deep(100'000, '{');
  EXPECT_FALSE(equal(deep, deep + " "));
}

TEST_F(Graph, ComparisonTypeLeftOutEqualsTheDefault) {
  HloInstruction* p = Parameter(0, "p");
  const Shape pred = ShapeUtil::MakeShape(PRED, {});
  auto compare = [&](std::optional<ComparisonType> type) {
    return computation_->AddInstruction(HloInstruction::Create(
        HloOpcode::kCompare, pred, {p, p}, CompareAttributes{ComparisonDirection::kLt, type}));
  };
  HloInstruction* unset = compare(std::nullopt);
  HloInstruction* usual = compare(ComparisonType::kFloat);
  HloInstruction* total = compare(ComparisonType::kFloatTotalOrder);
  EXPECT_TRUE(unset->Identical(*usual));
  EXPECT_EQ(unset->Hash(), usual->Hash());
  EXPECT_FALSE(unset->Identical(*total));
}

TEST_F(Graph, ClonesKeepAttributesAndExtrasButNotControlDependencies) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* iota = computation_->AddInstruction(HloInstruction::Create(
      HloOpcode::kBroadcast, ShapeUtil::MakeShape(F32, {2}), {p}, DimensionListAttributes{{}}));
  iota->mutable_extras().backend_config = "{\"a\":1}";
  ASSERT_OK(p->AddControlDependencyTo(iota));
  std::unique_ptr<HloInstruction> clone = iota->CloneWithNewOperands(iota->shape(), {p});
  EXPECT_EQ(p->user_count(), 2);
  EXPECT_TRUE(clone->Identical(*iota));
  EXPECT_TRUE(clone->control_predecessors().empty());
  EXPECT_EQ(PostOrder(), "p broadcast") << "a clone not yet added is no user";
  clone.reset();
  EXPECT_EQ(p->user_count(), 1);
}

TEST_F(Graph, ShortStringsStayShort) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* sum = Add("sum", HloOpcode::kAdd, {p, p});
  EXPECT_EQ(sum->ToShortString(), "sum = f32[] add(f32[] p, f32[] p)");
  HloInstruction* tuple = computation_->AddInstruction(HloInstruction::Create(
      HloOpcode::kTuple, ShapeUtil::MakeTupleShape(std::vector<Shape>(10000, kScalar)),
      std::vector<HloInstruction*>(10000, p)));
  EXPECT_EQ(tuple->ToShortString(),
            "tuple = (f32[], f32[], f32[], f32[], ..) tuple(f32[] p, f32[] p, f32[] p, f32[] p, "
            "f32[] p, f32[] p, f32[] p, f32[] p, ..)");
}

TEST_F(Graph, SideEffectsAreSeenThroughCalls) {
  // 64 levels, each calling the next one twice: 2^64 paths, 64 computations.
  HloComputation* callee = module_.AddComputation("leaf");
  HloInstruction* p = callee->AddInstruction(HloInstruction::CreateParameter(0, kScalar, "p"));
  callee->set_root_instruction(p);
  HloComputation* leaf = callee;
  HloInstruction* call = nullptr;
  for (int i = 0; i < 64; ++i) {
    HloComputation* caller = module_.AddComputation("level");
    p = caller->AddInstruction(HloInstruction::CreateParameter(0, kScalar, "p"));
    for (int j = 0; j < 2; ++j) {
      call = caller->AddInstruction(
          HloInstruction::Create(HloOpcode::kCall, kScalar, {p}, CallAttributes(), {callee}));
    }
    caller->set_root_instruction(call);
    callee = caller;
  }
  EXPECT_FALSE(call->HasSideEffect());
  leaf->AddInstruction(HloInstruction::Create(
      HloOpcode::kCustomCall, kScalar, {},
      CustomCallAttributes{.custom_call_target = "t", .has_side_effect = true}));
  EXPECT_TRUE(call->HasSideEffect());
}

// XLA's rules: a collective must run if its layout is constrained, or if its channel ties it to
// programs of other devices; otherwise it may be removed when nothing uses it.
TEST(SideEffect, OfCollectivesDependsOnTheirAttributes) {
  const auto has_effect = [](HloOpcode opcode, Attributes attributes, bool is_spmd) {
    HloModule module("m");
    module.config().set_use_spmd_partitioning(is_spmd);
    HloComputation* entry = module.AddComputation("e");
    const Shape shape = ShapeUtil::MakeShape(F32, {2});
    HloInstruction* p = entry->AddInstruction(HloInstruction::CreateParameter(0, shape, "p"));
    return entry->AddInstruction(HloInstruction::Create(opcode, shape, {p}, std::move(attributes)))
        ->HasSideEffect();
  };
  CollectivePermuteAttributes permute;
  EXPECT_FALSE(has_effect(HloOpcode::kCollectivePermute, permute, false));
  permute.channel_id = 1;
  EXPECT_TRUE(has_effect(HloOpcode::kCollectivePermute, permute, false));
  EXPECT_FALSE(has_effect(HloOpcode::kCollectivePermute, permute, true));
  AllToAllAttributes exchange;
  EXPECT_FALSE(has_effect(HloOpcode::kAllToAll, exchange, false));
  exchange.constrain_layout = true;
  EXPECT_TRUE(has_effect(HloOpcode::kAllToAll, exchange, true));
  EXPECT_TRUE(has_effect(HloOpcode::kCollectivePermuteStart, CollectivePermuteAttributes(), true));
  EXPECT_TRUE(has_effect(HloOpcode::kCollectiveBroadcast, CollectiveAttributes(), true));
}

}  // namespace
}  // namespace xla
