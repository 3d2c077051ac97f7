// SPDX-License-Identifier: Apache-2.0
// What passes do to the IR: insertion, replacement, removal, callers, schedules, copies,
// reachability.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tests/ir/ir_test_util.h"
#include "tests/test_util.h"
#include "tests/timing.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/reachability.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::kScalar;

class Mutation : public ::testing::Test {
 protected:
  static std::unique_ptr<HloInstruction> Make(HloOpcode opcode,
                                              std::vector<HloInstruction*> operands) {
    return HloInstruction::Create(opcode, kScalar, operands);
  }
  HloInstruction* Add(std::string_view name, HloOpcode opcode,
                      std::vector<HloInstruction*> operands) {
    return computation_->AddInstruction(Make(opcode, std::move(operands)), name);
  }
  HloInstruction* Parameter(int64_t number, std::string_view name) {
    return computation_->AddInstruction(HloInstruction::CreateParameter(number, kScalar, name));
  }
  static std::string Names(absl::Span<HloInstruction* const> instructions) {
    return absl::StrJoin(instructions, " ", [](std::string* out, const HloInstruction* i) {
      absl::StrAppend(out, i->name());
    });
  }
  std::string Order() { return Names(computation_->instructions()); }
  // Whether every instruction comes after what it depends on.
  bool OrderIsValid() {
    std::set<const HloInstruction*> seen;
    for (const HloInstruction* i : computation_->instructions()) {
      for (const HloInstruction* operand : i->operands()) {
        if (!seen.contains(operand)) return false;
      }
      for (const HloInstruction* predecessor : i->control_predecessors()) {
        if (!seen.contains(predecessor)) return false;
      }
      seen.insert(i);
    }
    return true;
  }

  HloModule module_{"m"};
  HloComputation* computation_ = module_.AddComputation("c");
};

TEST_F(Mutation, InsertsBeforeAndAfter) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  computation_->InsertBefore(a, Make(HloOpcode::kSin, {p}), "b");
  computation_->InsertAfter(p, Make(HloOpcode::kCos, {p}), "c");
  computation_->InsertAfter(a, Make(HloOpcode::kTan, {a}), "d");
  computation_->InsertBefore(p, HloInstruction::CreateParameter(1, kScalar, "q"));
  EXPECT_EQ(Order(), "q p c b a d");
  EXPECT_TRUE(p->ComesBefore(a));
  EXPECT_FALSE(a->ComesBefore(p));
}

TEST_F(Mutation, ManyInsertionsAtOnePlaceKeepTheOrder) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* last = Add("last", HloOpcode::kAbs, {p});
  std::vector<HloInstruction*> expected = {p};
  for (int i = 0; i < 1000; ++i) {
    expected.push_back(computation_->InsertBefore(last, Make(HloOpcode::kSin, {p})));
  }
  expected.push_back(last);
  EXPECT_EQ(computation_->instructions(), expected);
  for (size_t i = 1; i < expected.size(); ++i) {
    EXPECT_TRUE(expected[i - 1]->ComesBefore(expected[i]));
  }
}

// Before the last of them, after the first, in the middle and anywhere.
TEST_F(Mutation, InsertionsAnywhereKeepTheOrder) {
  HloInstruction* p = Parameter(0, "p");
  std::vector<HloInstruction*> expected = {p, Add("last", HloOpcode::kAbs, {p})};
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const size_t n = expected.size();
    const size_t places[] = {n - 1, 1, n / 2, 1 + random() % (n - 1), 7};
    const size_t at = std::min(places[i / 4'000], n - 1);
    expected.insert(expected.begin() + static_cast<int64_t>(at),
                    computation_->InsertBefore(expected[at], Make(HloOpcode::kSin, {p})));
  }
  EXPECT_EQ(computation_->instructions(), expected);
  for (size_t i = 1; i < expected.size(); ++i) {
    ASSERT_TRUE(expected[i - 1]->ComesBefore(expected[i])) << i;
  }
}

// As where a large computation is inlined into another one.
TEST(MutationTime, ManyInsertionsAtOnePlaceAreFast) {
  const auto seconds = [](int64_t size) {
    HloModule module("m");
    HloComputation* computation = module.AddComputation("c");
    HloInstruction* p =
        computation->AddInstruction(HloInstruction::CreateParameter(0, kScalar, "p"));
    const auto make = [&] { return HloInstruction::Create(HloOpcode::kSin, kScalar, {p}); };
    HloInstruction* next = nullptr;
    for (int64_t i = 0; i < size; ++i) {
      HloInstruction* added = computation->AddInstruction(make());
      if (i == size / 2) next = added;
    }
    return testing::SecondsOf([&] {
      for (int64_t i = 0; i < size; ++i) computation->InsertBefore(next, make());
    });
  };
  testing::ExpectLinearTime(seconds, 1'000, 100'000);
}

TEST_F(Mutation, RemovedInstructionsAreDeadUntilCleanup) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  HloInstruction* b = Add("b", HloOpcode::kSin, {a});
  computation_->set_root_instruction(p);
  // A walk over a snapshot that removes what it has not reached yet.
  int visited = 0;
  for (HloInstruction* instruction : computation_->instructions()) {
    if (instruction->IsDead()) continue;
    ++visited;
    if (instruction == p) {
      ASSERT_OK(computation_->RemoveInstructionAndUnusedOperands(b));
    }
  }
  EXPECT_EQ(visited, 1);
  EXPECT_TRUE(a->IsDead());
  EXPECT_TRUE(b->IsDead());
  EXPECT_EQ(b->parent(), nullptr);
  EXPECT_EQ(b->name(), "b");
  EXPECT_EQ(Order(), "p");
  computation_->Cleanup();
  EXPECT_EQ(Order(), "p");
}

TEST_F(Mutation, ReplacementsMayChangeShapes) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  HloInstruction* b = Add("b", HloOpcode::kMultiply, {a, a});
  const Shape wide = ShapeUtil::MakeShape(F32, {2});
  HloInstruction* w =
      computation_->InsertAfter(a, HloInstruction::Create(HloOpcode::kBroadcast, wide, {a}), "w");
  EXPECT_ERROR(a->ReplaceUseWith(b, w), "not compatible");
  EXPECT_ERROR(b->ReplaceUseWithDifferentShape(a, w), "does not use");
  ASSERT_OK(a->ReplaceUseWithDifferentShape(b, w));
  *b->mutable_shape() = wide;
  EXPECT_EQ(Names(a->users()), "w");
  EXPECT_EQ(Names(w->users()), "b");
  ASSERT_OK(computation_->ReplaceInstructionWithDifferentShape(a, p));
  EXPECT_TRUE(a->IsDead());
  EXPECT_EQ(w->operand(0), p);
  EXPECT_ERROR(computation_->ReplaceInstruction(w, p), "not compatible");
  b->RemoveOperand(0);
  EXPECT_EQ(Names(b->operands()), "w");
  EXPECT_EQ(Names(w->users()), "b");
}

TEST_F(Mutation, NewInstructionsInheritWhatFits) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  a->mutable_extras().sharding = HloSharding::Replicate();
  a->mutable_extras().frontend_attributes["k"] = "v";
  HloInstruction* user = Add("user", HloOpcode::kSin, {a});
  ASSERT_OK_AND_ASSIGN(HloInstruction* const b,
                       computation_->ReplaceWithNewInstruction(a, Make(HloOpcode::kCos, {p})));
  EXPECT_TRUE(b->has_sharding());
  EXPECT_EQ(b->extras().frontend_attributes.at("k"), "v");
  EXPECT_EQ(user->operand(0), b);
  EXPECT_TRUE(a->IsDead());
  EXPECT_EQ(Order(), "p cosine user");
  // A tuple is not sharded like an array.
  const auto tuple = HloInstruction::Create(HloOpcode::kTuple,
                                            ShapeUtil::MakeTupleShape({kScalar, kScalar}), {b, b});
  b->SetupDerivedInstruction(tuple.get());
  EXPECT_FALSE(tuple->has_sharding());
  EXPECT_EQ(tuple->extras().frontend_attributes.at("k"), "v");
}

TEST_F(Mutation, ControlDependenciesCanBeMovedAndBridged) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  HloInstruction* b = Add("b", HloOpcode::kAbs, {p});
  HloInstruction* c = Add("c", HloOpcode::kAbs, {p});
  ASSERT_OK(a->AddControlDependencyTo(b));
  ASSERT_OK(b->AddControlDependencyTo(c));
  ASSERT_OK(b->RemoveAllControlDependencies());
  EXPECT_EQ(Names(a->control_successors()), "c");
  EXPECT_TRUE(b->control_predecessors().empty());
  ASSERT_OK(a->MoveControlDependenciesTo(b));
  EXPECT_EQ(Names(c->control_predecessors()), "b");
  ASSERT_OK(b->MoveControlDependenciesTo(c));
  EXPECT_TRUE(c->control_predecessors().empty());
}

TEST_F(Mutation, UsersAreCountedByOperandAlsoWhenThereAreMany) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* q = Parameter(1, "q");
  std::vector<HloInstruction*> users;
  for (int i = 0; i < 40; ++i) users.push_back(Add("u", HloOpcode::kMultiply, {p, p}));
  EXPECT_EQ(p->user_count(), 40);
  for (HloInstruction* user : users) {
    ASSERT_OK(user->ReplaceOperandWith(0, q));
    EXPECT_TRUE(user->IsUserOf(p));
    EXPECT_TRUE(user->IsUserOf(q));
  }
  EXPECT_EQ(p->user_count(), 40);
  for (HloInstruction* user : users) ASSERT_OK(user->ReplaceOperandWith(1, q));
  EXPECT_EQ(p->user_count(), 0);
  EXPECT_EQ(q->user_count(), 40);
  ASSERT_OK(q->ReplaceAllUsesWith(p));
  EXPECT_EQ(q->user_count(), 0);
  EXPECT_EQ(p->user_count(), 40);
}

TEST_F(Mutation, UsersAreKnownAlsoWhereTheyWereManyBefore) {
  HloInstruction* x = Parameter(0, "x");
  std::vector<HloInstruction*> users;
  const auto add = [&] { users.push_back(Add("n", HloOpcode::kNegate, {x})); };
  const auto remove = [&](size_t i) {
    ASSERT_OK(computation_->RemoveInstruction(users[i]));
    users.erase(users.begin() + static_cast<int64_t>(i));
  };
  for (int i = 0; i < 20; ++i) add();
  for (int i = 0; i < 15; ++i) remove(static_cast<size_t>(i * 7) % users.size());
  for (int i = 0; i < 5; ++i) add();
  EXPECT_EQ(x->user_count(), 10);
  for (const HloInstruction* user : users) EXPECT_TRUE(user->IsUserOf(x));
  while (!users.empty()) remove(users.size() - 1);
  EXPECT_EQ(x->user_count(), 0);
}

TEST_F(Mutation, CallersAreKnown) {
  HloComputation* callee = module_.AddComputation("callee");
  HloInstruction* x = callee->AddInstruction(HloInstruction::CreateParameter(0, kScalar, "x"));
  callee->set_root_instruction(x);
  HloInstruction* p = Parameter(0, "p");
  EXPECT_EQ(callee->caller_count(), 0);
  HloInstruction* call = computation_->AddInstruction(
      HloInstruction::Create(HloOpcode::kCall, kScalar, {p}, NoAttributes{}, {callee}), "call");
  EXPECT_EQ(Names(callee->callers()), "call");
  EXPECT_FALSE(callee->IsFusionComputation());
  HloInstruction* fusion = computation_->AddInstruction(
      HloInstruction::Create(HloOpcode::kFusion, kScalar, {p}, NoAttributes{}, {callee}), "fusion");
  EXPECT_EQ(Names(callee->callers()), "call fusion");
  EXPECT_TRUE(callee->IsFusionComputation());
  EXPECT_ERROR(module_.RemoveComputation(callee), "is called by call = ");
  computation_->set_root_instruction(p);
  ASSERT_OK(computation_->RemoveInstruction(fusion));
  EXPECT_FALSE(callee->IsFusionComputation());

  HloComputation* other = module_.AddComputation("other");
  other->set_root_instruction(
      other->AddInstruction(HloInstruction::CreateParameter(0, kScalar, "x")));
  call->set_called_computation(0, other);
  EXPECT_EQ(callee->caller_count(), 0);
  EXPECT_EQ(Names(other->callers()), "call");
  EXPECT_OK(module_.RemoveComputation(callee));
  module_.set_entry_computation(computation_);
  EXPECT_OK(module_.RemoveUnusedComputations());
  EXPECT_EQ(module_.computation_count(), 2);
  module_.Cleanup();
}

TEST_F(Mutation, ParametersCanBeRemoved) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* q = Parameter(1, "q");
  HloInstruction* r = Parameter(2, "r");
  computation_->set_root_instruction(Add("s", HloOpcode::kAdd, {p, r}));
  EXPECT_ERROR(computation_->RemoveParameter(0), "is used");
  EXPECT_ERROR(computation_->RemoveParameter(3), "no parameter 3");
  ASSERT_OK(computation_->RemoveParameter(1));
  EXPECT_TRUE(q->IsDead());
  EXPECT_EQ(computation_->num_parameters(), 2);
  EXPECT_EQ(computation_->parameter_instruction(1), r);
  EXPECT_EQ(r->parameter_number(), 1);
}

TEST_F(Mutation, ReplacementsAreInTheSameComputation) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  HloComputation* other = module_.AddComputation("other");
  HloInstruction* q = other->AddInstruction(HloInstruction::CreateParameter(0, kScalar, "q"));
  EXPECT_ERROR(computation_->ReplaceInstruction(a, q), "are not both in computation");
  EXPECT_ERROR(computation_->ReplaceInstruction(q, a), "are not both in computation");
  HloInstruction* user = Add("user", HloOpcode::kSin, {a});
  EXPECT_ERROR(computation_->ReplaceInstruction(a, user), ", which it is to replace");
  EXPECT_OK(computation_->ReplaceInstruction(a, a));
}

TEST_F(Mutation, FrontendAttributesAreAddedOnce) {
  HloInstruction* p = Parameter(0, "p");
  EXPECT_TRUE(p->add_frontend_attribute("name", "value"));
  EXPECT_FALSE(p->add_frontend_attribute("name", "other"));
  EXPECT_EQ(p->extras().frontend_attributes.at("name"), "value");
}

// --- Schedules

TEST_F(Mutation, WhatAnEarlierInstructionComesToUseMovesInFrontOfIt) {
  module_.config().is_scheduled = true;
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* early = Add("early", HloOpcode::kAbs, {p});
  HloInstruction* other = Add("other", HloOpcode::kAbs, {p});
  HloInstruction* a = Add("a", HloOpcode::kSin, {p});
  HloInstruction* b = Add("b", HloOpcode::kCos, {a});
  ASSERT_OK(early->ReplaceOperandWith(0, b));
  EXPECT_EQ(Order(), "p a b early other");
  ASSERT_OK(other->AddControlDependencyTo(a));
  EXPECT_EQ(Order(), "p other a b early");
}

TEST_F(Mutation, WithoutAScheduleTheOrderStays) {
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* early = Add("early", HloOpcode::kAbs, {p});
  HloInstruction* a = Add("a", HloOpcode::kSin, {p});
  ASSERT_OK(early->ReplaceOperandWith(0, a));
  EXPECT_EQ(Order(), "p early a");
}

TEST_F(Mutation, CyclesDoNotLoopForever) {
  module_.config().is_scheduled = true;
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  HloInstruction* b = Add("b", HloOpcode::kSin, {a});
  ASSERT_OK(a->ReplaceOperandWith(0, b));
  EXPECT_FALSE(computation_->PostOrder().ok());
}

TEST_F(Mutation, RandomMutationsKeepASchedule) {
  module_.config().is_scheduled = true;
  std::mt19937 random(3);
  std::vector<HloInstruction*> all = {Parameter(0, "p"), Parameter(1, "q")};
  auto any = [&]() { return all[random() % all.size()]; };
  for (int i = 0; i < 60; ++i) all.push_back(Add("i", HloOpcode::kAdd, {any(), any()}));
  computation_->set_root_instruction(all.back());
  int mutations = 0;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_OK_AND_ASSIGN(const HloReachability reachability, HloReachability::Build(*computation_));
    HloInstruction *x = any(), *y = any();
    // x becomes independent of y's value: nothing may make a cycle.
    if (x == y || reachability.IsReachable(x, y)) continue;
    ++mutations;
    switch (random() % 4) {
      case 0:
        if (x->operand_count() == 2) {
          ASSERT_OK(x->ReplaceOperandWith(random() % 2, y));
        }
        break;
      case 1:
        ASSERT_OK(y->AddControlDependencyTo(x));
        break;
      case 2:
        ASSERT_OK(x->RemoveAllControlDependencies());
        break;
      default: {
        HloInstruction* added = computation_->InsertBefore(x, Make(HloOpcode::kAdd, {y, all[0]}));
        if (x->operand_count() == 2) {
          ASSERT_OK(x->ReplaceOperandWith(0, added));
        }
        all.push_back(added);
      }
    }
    ASSERT_TRUE(OrderIsValid()) << "after " << mutations << " mutations";
  }
  EXPECT_GT(mutations, 500);
}

// --- Copies

TEST_F(Mutation, CopiesOfComputationsTakeCalleesAndReplacements) {
  HloComputation* callee = module_.AddComputation("callee");
  callee->set_root_instruction(
      callee->AddInstruction(HloInstruction::CreateParameter(0, kScalar, "x")));
  HloInstruction* p = Parameter(0, "p");
  HloInstruction* a = Add("a", HloOpcode::kAbs, {p});
  HloInstruction* call = computation_->AddInstruction(
      HloInstruction::Create(HloOpcode::kCall, kScalar, {a}, NoAttributes{}, {callee}), "call");
  ASSERT_OK(a->AddControlDependencyTo(call));
  computation_->set_root_instruction(call);

  CloneMap shallow;
  HloComputation* copy = CloneComputation(*computation_, &module_, &shallow, {.suffix = "copy"});
  EXPECT_EQ(copy->name(), "c.copy");
  EXPECT_EQ(Names(copy->instructions()), "p.copy a.copy call.copy");
  EXPECT_EQ(copy->root_instruction()->to_apply(), callee);
  EXPECT_EQ(Names(shallow.Find(call)->control_predecessors()), "a.copy");
  EXPECT_TRUE(copy->Equal(*computation_));
  EXPECT_EQ(Names(callee->callers()), "call call.copy");

  CloneMap deep;
  copy = CloneComputation(*computation_, &module_, &deep, {.clone_callees = true});
  EXPECT_NE(copy->root_instruction()->to_apply(), callee);
  EXPECT_EQ(copy->root_instruction()->to_apply(), deep.Find(callee));
  EXPECT_TRUE(copy->Equal(*computation_));

  // Into a computation, the parameter being an argument.
  HloComputation* target = module_.AddComputation("target");
  HloInstruction* argument =
      target->AddInstruction(HloInstruction::CreateParameter(0, kScalar, "argument"));
  CloneMap map;
  map.instructions[p] = argument;
  HloInstruction* root = CloneInstructionsInto(*computation_, target, &map);
  EXPECT_EQ(root->operand(0)->operand(0), argument);
  EXPECT_EQ(target->num_parameters(), 1);

  HloModule other("other");
  CloneMap far;
  copy = CloneComputation(*computation_, &other, &far);
  EXPECT_EQ(copy->root_instruction()->to_apply()->parent(), &other);
  EXPECT_EQ(other.computation_count(), 2);
}

// --- Reachability

TEST_F(Mutation, ReachabilityEqualsAPlainSearch) {
  std::mt19937 random(7);
  std::vector<HloInstruction*> all = {Parameter(0, "p"), Parameter(1, "q")};
  auto any = [&]() { return all[random() % all.size()]; };
  for (int i = 0; i < 50; ++i) {
    all.push_back(Add("i", HloOpcode::kAdd, {any(), any()}));
    if (i % 5 == 0) {
      ASSERT_OK(all[random() % (all.size() - 1)]->AddControlDependencyTo(all.back()));
    }
  }
  ASSERT_OK_AND_ASSIGN(HloReachability reachability, HloReachability::Build(*computation_));
  auto check = [&] {
    for (HloInstruction* from : all) {
      std::set<const HloInstruction*> reached = {from};
      for (HloInstruction* i : computation_->MakeInstructionPostOrder()) {
        for (HloInstruction* operand : i->operands()) {
          if (reached.contains(operand)) reached.insert(i);
        }
        for (HloInstruction* before : i->control_predecessors()) {
          if (reached.contains(before)) reached.insert(i);
        }
      }
      for (HloInstruction* to : all) {
        ASSERT_EQ(reachability.IsReachable(from, to), reached.contains(to))
            << from->name() << " " << to->name();
      }
    }
  };
  check();
  // New instructions between old ones.
  for (int i = 0; i < 20; ++i) {
    HloInstruction* user = all[2 + random() % 50];
    HloInstruction* operand = user->operand(0);
    HloInstruction* between =
        computation_->InsertBefore(user, Make(HloOpcode::kAdd, {operand, all[0]}));
    ASSERT_OK(user->ReplaceOperandWith(0, between));
    all.push_back(between);
    reachability.Update(between);
    reachability.Update(user);
  }
  check();
  // A way round the direct use.
  HloInstruction* a = Add("a", HloOpcode::kAbs, {all[0]});
  HloInstruction* b = Add("b", HloOpcode::kAbs, {a});
  HloInstruction* c = Add("c", HloOpcode::kAdd, {a, b});
  for (HloInstruction* added : {a, b, c}) reachability.Update(added);
  EXPECT_TRUE(reachability.AnyReachable(a, {c->operand(1)}));
  EXPECT_FALSE(reachability.AnyReachable(a, {c->operand(1)}, /*except=*/b));
  EXPECT_TRUE(reachability.IsConnected(c, a));
  EXPECT_FALSE(reachability.IsReachable(c, a));
}

}  // namespace
}  // namespace xla
