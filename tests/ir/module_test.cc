// SPDX-License-Identifier: Apache-2.0
// Modules: names, order of computations, copies, equality, hash, entry layout.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/ir/ir_test_util.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::kScalar;

HloInstruction* AddParameter(HloComputation* computation, int64_t number = 0) {
  return computation->AddInstruction(HloInstruction::CreateParameter(number, kScalar, "p"));
}
HloInstruction* Add(HloComputation* computation, HloOpcode opcode,
                    std::vector<HloInstruction*> operands,
                    std::vector<HloComputation*> callees = {}) {
  return computation->AddInstruction(HloInstruction::Create(
      opcode, kScalar, absl::MakeConstSpan(operands), NoAttributes(), callees));
}
// A computation of one parameter that calls each of `callees` on it.
HloComputation* AddCaller(HloModule* module, std::string_view name,
                          std::vector<HloComputation*> callees) {
  HloComputation* computation = module->AddComputation(name);
  HloInstruction* root = AddParameter(computation);
  for (HloComputation* callee : callees) {
    root = Add(computation, HloOpcode::kCall, {root}, {callee});
  }
  computation->set_root_instruction(root);
  return computation;
}

std::string Names(const std::vector<HloComputation*>& computations) {
  return absl::StrJoin(computations, " ", [](std::string* out, const HloComputation* c) {
    absl::StrAppend(out, c->name());
  });
}

// Expected names are XLA's for the same program.
TEST(Names, CountUpFromTheFirstFreeNumber) {
  HloModule module("m");
  EXPECT_EQ(module.UniqueInstructionName("add"), "add");
  EXPECT_EQ(module.UniqueInstructionName("add"), "add.1");
  EXPECT_EQ(module.UniqueInstructionName("add.7"), "add.7");
  EXPECT_EQ(module.UniqueInstructionName("add.7"), "add.2");
  EXPECT_EQ(module.UniqueInstructionName("add.1"), "add.3");
  EXPECT_EQ(module.UniqueInstructionName("add.007"), "add.4");
  EXPECT_EQ(module.UniqueInstructionName("add.b"), "add.b");
  EXPECT_EQ(module.UniqueInstructionName("add."), "add.");
  EXPECT_EQ(module.UniqueInstructionName("mul.0"), "mul.0");
  EXPECT_EQ(module.UniqueInstructionName("mul"), "mul.1");
  EXPECT_EQ(module.UniqueInstructionName(""), "name");
}

TEST(Names, AreMadeLegal) {
  EXPECT_EQ(SanitizeHloName("%we ird"), "_we_ird");
  EXPECT_EQ(SanitizeHloName("__a"), "a_a");
  EXPECT_EQ(SanitizeHloName("__xla_a"), "__xla_a");
  EXPECT_EQ(SanitizeHloName("f32"), "f32_");
  EXPECT_EQ(SanitizeHloName("tuple"), "tuple");
  EXPECT_EQ(SanitizeHloName("9a"), "_a");
}

TEST(Names, ReservedOnesAreKeptOnce) {
  HloModule module("m");
  HloComputation* computation = module.AddComputation("c");
  const std::string name = module.UniqueInstructionName("x");
  EXPECT_EQ(computation->AddInstruction(HloInstruction::CreateParameter(0, kScalar, name))->name(),
            "x");
  EXPECT_EQ(computation->AddInstruction(HloInstruction::CreateParameter(1, kScalar, name))->name(),
            "x.1");
  EXPECT_TRUE(module.ClaimInstructionName("y"));
  EXPECT_FALSE(module.ClaimInstructionName("y"));
  EXPECT_EQ(computation->AddInstruction(HloInstruction::CreateParameter(2, kScalar, "y"))->name(),
            "y");
  EXPECT_EQ(module.AddComputation("c")->name(), "c.1");
  EXPECT_EQ(module.AddComputation(module.UniqueComputationName("d"))->name(), "d");
}

TEST(Order, IsThatOfXlasText) {
  HloModule module("m");
  HloComputation* a = AddCaller(&module, "A", {});
  HloComputation* d = AddCaller(&module, "D", {});
  HloComputation* b = AddCaller(&module, "B", {d});
  HloComputation* c = AddCaller(&module, "C", {a});
  AddCaller(&module, "dead", {AddCaller(&module, "dead2", {})});
  module.set_entry_computation(AddCaller(&module, "e", {c, b, a}));
  AddCaller(&module, "dead3", {});
  EXPECT_EQ(Names(module.MakeComputationPostOrder()), "dead2 dead A C D B e dead3");
}

TEST(Order, OfComputationsDoesNotDependOnTheSchedule) {
  HloModule module("m");
  HloComputation* a = AddCaller(&module, "a", {});
  HloComputation* b = AddCaller(&module, "b", {});
  HloComputation* e = module.AddComputation("e");
  HloInstruction* p = AddParameter(e);
  HloInstruction* call_a = Add(e, HloOpcode::kCall, {p}, {a});
  HloInstruction* call_b = Add(e, HloOpcode::kCall, {p}, {b});
  ASSERT_OK(e->SetInstructionOrder({p, call_b, call_a}));
  EXPECT_EQ(e->instructions()[1], call_b);
  EXPECT_EQ(e->instructions_by_id()[1], call_a);
  EXPECT_EQ(Names(module.MakeComputationPostOrder()), "a b e");
}

TEST(Order, CyclesAreErrorsThatNameThem) {
  HloModule module("m");
  HloComputation* a = AddCaller(&module, "a", {});
  HloComputation* b = AddCaller(&module, "b", {a});
  Add(a, HloOpcode::kCall, {a->root_instruction()}, {b});
  EXPECT_ERROR(module.ComputationPostOrder(), "computations call themselves: a -> b -> a");
}

TEST(Order, AHundredThousandCallsDeep) {
  HloModule module("m");
  HloComputation* callee = AddCaller(&module, "c", {});
  for (int i = 0; i < 100'000; ++i) callee = AddCaller(&module, "c", {callee});
  module.set_entry_computation(callee);
  const std::vector<HloComputation*> order = module.MakeComputationPostOrder();
  EXPECT_EQ(order, module.computations());
  const std::unique_ptr<HloModule> copy = module.Clone();
  EXPECT_OK(module.CheckEqual(*copy));
  EXPECT_EQ(module.Hash(), copy->Hash());
  EXPECT_FALSE(callee->root_instruction()->HasSideEffect());
  EXPECT_TRUE(callee->root_instruction()->Identical(*callee->root_instruction()));
}

TEST(Order, DeepDeadCallsAreComparedOnce) {
  HloModule module("m");
  module.set_entry_computation(AddCaller(&module, "e", {}));
  HloComputation* callee = AddCaller(&module, "c", {});
  for (int i = 0; i < 20'000; ++i) callee = AddCaller(&module, "c", {callee});
  EXPECT_OK(module.CheckEqual(*module.Clone()));
}

TEST(Module, RemovesWhatNobodyCalls) {
  HloModule module("m");
  HloComputation* used = AddCaller(&module, "used", {});
  HloComputation* unused = AddCaller(&module, "unused", {used});
  module.set_entry_computation(AddCaller(&module, "e", {used}));
  EXPECT_ERROR(module.RemoveComputation(used), "is called by");
  EXPECT_ERROR(module.RemoveComputation(module.entry_computation()), "is the entry");
  EXPECT_OK(module.RemoveComputation(unused));
  AddCaller(&module, "late", {AddCaller(&module, "later", {})});
  EXPECT_OK(module.RemoveUnusedComputations());
  EXPECT_EQ(Names(module.computations()), "used e");
}

TEST(Module, EntryLayoutDefaultsToTheInstructions) {
  HloModule module("m");
  module.set_entry_computation(AddCaller(&module, "e", {}));
  module.SetDefaultEntryLayout();
  EXPECT_EQ(module.entry_computation_layout().parameters(0), kScalar);
  EXPECT_EQ(module.entry_computation_layout().result(), kScalar);
}

// x + -x, with `order` of the two negations and names of one's own.
std::unique_ptr<HloModule> Sum(bool swapped, std::string_view prefix, HloOpcode opcode) {
  auto module = std::make_unique<HloModule>(std::string(prefix));
  HloComputation* computation = module->AddComputation(prefix);
  HloInstruction* p = AddParameter(computation);
  HloInstruction* first = Add(computation, swapped ? HloOpcode::kAbs : HloOpcode::kNegate, {p});
  HloInstruction* second = Add(computation, swapped ? HloOpcode::kNegate : HloOpcode::kAbs, {p});
  Add(computation, swapped ? HloOpcode::kCos : HloOpcode::kSin, {p});
  Add(computation, swapped ? HloOpcode::kSin : HloOpcode::kCos, {p});
  computation->set_root_instruction(
      Add(computation, opcode, {swapped ? second : first, swapped ? first : second}));
  module->set_entry_computation(computation);
  module->SetDefaultEntryLayout();
  return module;
}

TEST(Equality, IgnoresNamesAndOrderOfInstructionsDeadOnesToo) {
  const auto a = Sum(false, "a", HloOpcode::kAdd);
  const auto b = Sum(true, "b", HloOpcode::kAdd);
  EXPECT_OK(a->CheckEqual(*b));
  EXPECT_EQ(a->Hash(), b->Hash());
}

TEST(Equality, RootsCount) {
  const auto module_with_root = [](size_t root) {
    auto module = std::make_unique<HloModule>("m");
    HloComputation* computation = module->AddComputation("c");
    HloInstruction* p = AddParameter(computation);
    HloInstruction* const made[] = {Add(computation, HloOpcode::kNegate, {p}),
                                    Add(computation, HloOpcode::kAbs, {p})};
    computation->set_root_instruction(made[root]);
    module->set_entry_computation(computation);
    return module;
  };
  const auto a = module_with_root(0), b = module_with_root(1);
  EXPECT_OK(a->CheckEqual(*module_with_root(0)));
  EXPECT_FALSE(a->CheckEqual(*b).ok());
  EXPECT_NE(a->Hash(), b->Hash());
}

TEST(Equality, OrderCountsInSchedules) {
  const auto a = Sum(false, "a", HloOpcode::kAdd);
  const auto b = Sum(true, "b", HloOpcode::kAdd);
  a->config().is_scheduled = b->config().is_scheduled = true;
  EXPECT_FALSE(a->Equal(*b));
  EXPECT_TRUE(a->Equal(*a->Clone()));
}

// A fusion is computed as a whole: the order in it means nothing.
TEST(Equality, OrderWithinFusionsDoesNotCount) {
  const auto make = [](bool swapped) {
    auto module = std::make_unique<HloModule>("m");
    HloComputation* fused = module->AddComputation("fused");
    HloInstruction* p = AddParameter(fused);
    HloInstruction* first = Add(fused, swapped ? HloOpcode::kCos : HloOpcode::kSin, {p});
    HloInstruction* second = Add(fused, swapped ? HloOpcode::kSin : HloOpcode::kCos, {p});
    fused->set_root_instruction(
        Add(fused, HloOpcode::kSubtract, {swapped ? second : first, swapped ? first : second}));
    HloComputation* entry = module->AddComputation("entry");
    HloInstruction* x = AddParameter(entry);
    entry->set_root_instruction(entry->AddInstruction(
        HloInstruction::Create(HloOpcode::kFusion, x->shape(), {x}, FusionAttributes{}, {fused})));
    module->set_entry_computation(entry);
    module->config().is_scheduled = true;
    return module;
  };
  EXPECT_OK(make(false)->CheckEqual(*make(true)));
}

TEST(Equality, NamesTheFirstDifference) {
  const auto a = Sum(false, "a", HloOpcode::kAdd);
  const auto b = Sum(false, "b", HloOpcode::kSubtract);
  EXPECT_ERROR(a->CheckEqual(*b),
               "computations a and b differ: `add = f32[] add(f32[] negate, f32[] abs)` stands "
               "where the other has `subtract = ");
  EXPECT_NE(a->Hash(), b->Hash());
  b->config().set_replica_count(2);
  EXPECT_ERROR(a->CheckEqual(*b), "differ in replica_count");
}

TEST(Equality, ExecutionThreadsCount) {
  const auto a = Sum(false, "a", HloOpcode::kAdd);
  const auto b = Sum(false, "a", HloOpcode::kAdd);
  b->entry_computation()->SetExecutionThread("other");
  EXPECT_ERROR(a->CheckEqual(*b), "execution threads \"\" and \"other\"");
  EXPECT_ERROR(b->CheckEqual(*a), "execution threads \"other\" and \"\"");
}

TEST(Equality, TellsOneSharedInstructionFromTwoOfItsKind) {
  auto make = [](bool shared) {
    auto module = std::make_unique<HloModule>("m");
    HloComputation* computation = module->AddComputation("c");
    HloInstruction* p = AddParameter(computation);
    HloInstruction* x = Add(computation, HloOpcode::kSin, {p});
    HloInstruction* y = Add(computation, HloOpcode::kSin, {p});
    computation->set_root_instruction(Add(computation, HloOpcode::kAdd, {x, shared ? x : y}));
    module->set_entry_computation(computation);
    return module;
  };
  EXPECT_FALSE(make(true)->Equal(*make(false)));
  EXPECT_TRUE(make(true)->Equal(*make(true)));
}

TEST(Equality, ComparesCalleesDeeply) {
  auto make = [](HloOpcode opcode) {
    auto module = std::make_unique<HloModule>("m");
    HloComputation* inner = module->AddComputation("inner");
    inner->set_root_instruction(Add(inner, opcode, {AddParameter(inner)}));
    module->set_entry_computation(
        AddCaller(module.get(), "e", {AddCaller(module.get(), "f", {inner})}));
    return module;
  };
  EXPECT_TRUE(make(HloOpcode::kSin)->Equal(*make(HloOpcode::kSin)));
  EXPECT_FALSE(make(HloOpcode::kSin)->Equal(*make(HloOpcode::kCos)));
}

TEST(Equality, LayoutsCountOnlyWhenAsked) {
  auto make = [](std::vector<int64_t> minor_to_major) {
    auto module = std::make_unique<HloModule>("m");
    HloComputation* computation = module->AddComputation("c");
    computation->set_root_instruction(computation->AddInstruction(HloInstruction::CreateParameter(
        0, ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, minor_to_major), "p")));
    module->set_entry_computation(computation);
    return module;
  };
  EXPECT_FALSE(make({0, 1})->Equal(*make({1, 0})));
  EXPECT_TRUE(make({0, 1})->Equal(*make({1, 0}), /*layout_sensitive=*/false));
  EXPECT_EQ(make({0, 1})->Hash(), make({1, 0})->Hash());
}

TEST(Module, NamesOfAddedComputationsAreUnique) {
  HloModule module("m");
  const auto computation = [] {
    HloComputation::Builder builder("f");
    builder.AddInstruction(HloInstruction::CreateParameter(0, ShapeUtil::MakeShape(F32, {2}), "x"));
    return builder.Build();
  };
  EXPECT_EQ(module.AddEmbeddedComputation(computation())->name(), "f");
  const HloComputation* const second = module.AddEmbeddedComputation(computation());
  EXPECT_NE(second->name(), "f");
  EXPECT_EQ(module.GetComputationWithName(second->name()), second);
  EXPECT_NE(module.AddComputation("f")->name(), "f");
  EXPECT_NE(module.AddEntryComputation(computation())->name(), "f");
  EXPECT_EQ(module.computation_count(), 4);
  EXPECT_TRUE(module.config().has_entry_computation_layout());
}

TEST(Module, InstructionsOfAddedComputationsGetNamesAndNumbers) {
  HloModule module("m");
  const Shape shape = ShapeUtil::MakeShape(F32, {2});
  std::set<int64_t> ids;
  std::set<std::string> names;
  for (int i = 0; i < 2; ++i) {
    HloComputation::Builder builder("f");
    HloInstruction* x = builder.AddInstruction(HloInstruction::CreateParameter(0, shape, "x"));
    builder.AddInstruction(HloInstruction::CreateUnary(shape, HloOpcode::kNegate, x));
    for (const HloInstruction* added :
         module.AddEmbeddedComputation(builder.Build())->instructions()) {
      EXPECT_GE(added->unique_id(), 0);
      ids.insert(added->unique_id());
      names.insert(std::string(added->name()));
    }
  }
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(names.size(), 4u);
}

TEST(Clone, KeepsNamesIdsOrderRootControlDependenciesAndHeader) {
  auto module = Sum(false, "a", HloOpcode::kAdd);
  HloComputation* entry = module->entry_computation();
  const std::vector<HloInstruction*> instructions = entry->instructions();
  ASSERT_OK(instructions[1]->AddControlDependencyTo(instructions[2]));
  module->config().set_num_partitions(4);
  module->stack_frames().file_names = {"f.py"};
  const auto copy = module->Clone();
  const std::vector<HloInstruction*> copies = copy->entry_computation()->instructions();
  ASSERT_EQ(copies.size(), instructions.size());
  for (size_t i = 0; i < copies.size(); ++i) {
    EXPECT_EQ(copies[i]->name(), instructions[i]->name());
    EXPECT_EQ(copies[i]->unique_id(), instructions[i]->unique_id());
    EXPECT_NE(copies[i], instructions[i]);
  }
  EXPECT_EQ(copies[2]->control_predecessors(), std::vector<HloInstruction*>{copies[1]});
  EXPECT_EQ(copy->config().num_partitions(), 4);
  EXPECT_EQ(copy->stack_frames(), module->stack_frames());
  module.reset();  // nothing of the copy lies in the original
  EXPECT_EQ(copy->entry_computation()->MakeInstructionPostOrder().size(), copies.size());
}

}  // namespace
}  // namespace xla
