// SPDX-License-Identifier: Apache-2.0
// The verifier's rules of whole modules: structure, schedules, entry layout, aliasing, size and
// depth.
#include <random>

#include "absl/strings/str_cat.h"
#include "tests/timing.h"
#include "tests/verifier/verifier_test_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::Entry;
using testing::ExpectVerified;

TEST(ModuleVerifier, EntryLayoutFitsTheEntryComputation) {
  const std::string body = "a = f32[2] parameter(0)\n ROOT b = f32[2] negate(a)";
  ExpectVerified({
      {Entry(body, "", ", entry_computation_layout={(f32[2]{0})->f32[2]{0}}"), ""},
      {Entry(body, "", ", entry_computation_layout={(f32[3]{0})->f32[2]{0}}"),
       "entry computation parameter 0 is f32[2]"},
      {Entry(body, "", ", entry_computation_layout={(f32[2]{0})->f32[3]{0}}"),
       "Shape of the root instruction of entry computation"},
      {Entry(body, "", ", entry_computation_layout={()->f32[2]{0}}"),
       "Number of parameters in entry computation layout (0)"},
  });
  const std::string matrix = Entry("ROOT a = f32[2,3]{1,0} parameter(0)", "",
                                   ", entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}");
  ExpectVerified({{matrix, ""}});
  ExpectVerified({{matrix, "entry computation parameter 0"}}, {.layout_sensitive = true});
}

// The parser checks aliases of its own, so these go into the module's configuration.
TEST(ModuleVerifier, Aliasing) {
  using Kind = InputOutputAlias::Kind;
  struct Case {
    std::vector<InputOutputAlias> aliases;
    std::vector<BufferDonor> donors;
    std::string error;
  };
  const std::vector<Case> cases = {
      {{{{0}, 0, {0}, Kind::kMay}, {{1}, 0, {1}, Kind::kMust}}, {}, ""},
      {{{{2}, 0, {0}}}, {}, "names output index {2}"},
      {{{{0}, 0, {5}}}, {}, "names index {5} of parameter 0"},
      {{{{0}, 7, {}}}, {}, "names parameter 7"},
      {{{{0}, 1, {}}}, {}, "same size"},
      {{{{0}, 0, {}}}, {}, "must be arrays"},
      {{{{0}, 0, {0}}, {{1}, 0, {0}}}, {}, "is aliased twice"},
      {{{{0}, 0, {0}}, {{0}, 0, {1}}}, {}, "Output index {0} is aliased twice"},
      {{}, {{0, {0}}, {1, {}}}, ""},
      {{}, {{1, {0}}}, "names index {0} of parameter 1"},
      {{{{0}, 0, {0}}}, {{0, {0}}}, "donated or aliased twice"},
  };
  for (const Case& c : cases) {
    ASSERT_OK_AND_ASSIGN(auto module,
                         ParseAndReturnUnverifiedModule(
                             Entry("a = (f32[2], f32[2]) parameter(0)\n b = f32[2] "
                                   "get-tuple-element(a), index=0\n c = f32[3] parameter(1)\n "
                                   "ROOT r = (f32[2], f32[2]) tuple(b, b)")));
    module->config().input_output_alias = c.aliases;
    module->config().buffer_donor = c.donors;
    if (c.error.empty()) {
      EXPECT_OK(VerifyModule(*module));
    } else {
      EXPECT_ERROR(VerifyModule(*module), c.error);
    }
  }
}

TEST(ModuleVerifier, ControlDependencies) {
  ExpectVerified({{Entry("a = f32[] parameter(0)\n b = f32[] negate(a)\n ROOT c = f32[] negate(a), "
                         "control-predecessors={b}"),
                   ""}});
}

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module);
  return *std::move(module);
}

TEST(ModuleVerifier, RootIsInTheComputation) {
  auto module = Parse(Entry("ROOT a = f32[] parameter(0)", "f { ROOT b = f32[] parameter(0) }"));
  HloComputation* entry = module->entry_computation();
  for (HloComputation* other : module->computations()) {
    if (other != entry) entry->set_root_instruction(other->root_instruction());
  }
  EXPECT_ERROR(VerifyModule(*module), "The root of computation e is not one of its instructions");
  entry->set_root_instruction(nullptr);
  EXPECT_ERROR(VerifyModule(*module), "The root of computation e");
}

TEST(ModuleVerifier, EntryIsNeeded) {
  auto module = Parse(Entry("ROOT a = f32[] parameter(0)"));
  module->set_entry_computation(nullptr);
  EXPECT_ERROR(VerifyModule(*module), "has no entry computation");
}

TEST(ModuleVerifier, ParametersAreDense) {
  auto module = Parse(Entry("ROOT a = f32[] parameter(0)"));
  HloComputation* entry = module->entry_computation();
  entry->AddInstruction(HloInstruction::CreateParameter(2, ShapeUtil::MakeShape(F32, {}), "c"));
  EXPECT_ERROR(VerifyModule(*module), "did not see parameter number 1");
  entry->AddInstruction(HloInstruction::CreateParameter(1, ShapeUtil::MakeShape(F32, {}), "b"));
  entry->AddInstruction(HloInstruction::CreateParameter(1, ShapeUtil::MakeShape(F32, {}), "d"));
  EXPECT_ERROR(VerifyModule(*module), "duplicate parameter number 1");
}

TEST(ModuleVerifier, OperandsAreInTheSameComputation) {
  auto module = Parse(Entry("a = f32[] parameter(0)\n ROOT n = f32[] negate(a)",
                            "f { ROOT b = f32[] parameter(0) }"));
  HloComputation* entry = module->entry_computation();
  HloInstruction* foreign = nullptr;
  for (HloComputation* other : module->computations()) {
    if (other != entry) foreign = other->root_instruction();
  }
  ASSERT_NE(foreign, nullptr);
  entry->AddInstruction(
      HloInstruction::Create(HloOpcode::kNegate, ShapeUtil::MakeShape(F32, {}), {foreign}), "bad");
  EXPECT_ERROR(VerifyModule(*module), "lists a user that does not use it");
}

TEST(ModuleVerifier, CyclesAreErrors) {
  auto module =
      Parse(Entry("a = f32[] parameter(0)\n b = f32[] negate(a)\n ROOT c = f32[] negate(b)"));
  HloInstruction* c = module->entry_computation()->root_instruction();
  ASSERT_OK(c->operand(0)->ReplaceOperandWith(0, c));
  EXPECT_FALSE(VerifyModule(*module).ok());
}

TEST(ModuleVerifier, RecursionIsAnError) {
  auto module = Parse(Entry("a = f32[] parameter(0)\n ROOT b = f32[] call(a), to_apply=f",
                            "f { ROOT x = f32[] parameter(0) }"));
  HloInstruction* call = module->entry_computation()->root_instruction();
  call->set_called_computation(0, module->entry_computation());
  EXPECT_FALSE(VerifyModule(*module).ok());
}

TEST(ModuleVerifier, SchedulesRunOperandsFirst) {
  auto module =
      Parse(Entry("a = f32[] parameter(0)\n b = f32[] negate(a)\n ROOT c = f32[] negate(b)", "",
                  ", is_scheduled=true"));
  ASSERT_OK(VerifyModule(*module));
  auto order = module->entry_computation()->instructions();
  std::swap(order[1], order[2]);
  ASSERT_OK(module->entry_computation()->SetInstructionOrder(order));
  EXPECT_ERROR(VerifyModule(*module), "c runs before b");
}

// A long chain: no recursion, and time in proportion to the number of instructions.
TEST(ModuleVerifier, LongChainsVerifyInLinearTime) {
  const auto seconds = [](int64_t count) {
    HloModule module("chain");
    HloComputation* entry = module.AddComputation("e");
    const Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
    HloInstruction* last = entry->AddInstruction(HloInstruction::CreateParameter(0, shape, "p"));
    for (int64_t i = 0; i < count; ++i) {
      last = entry->AddInstruction(HloInstruction::Create(HloOpcode::kAdd, shape, {last, last}));
    }
    entry->set_root_instruction(last);
    module.set_entry_computation(entry);
    return testing::SecondsOf([&] { EXPECT_OK(VerifyModule(module)); });
  };
  testing::ExpectLinearTime(seconds, 2'000, 200'000);
}

TEST(ModuleVerifier, DeepCallChainsDoNotRecurse) {
  std::string text = "HloModule deep\ncall_0 { ROOT x0 = f32[] parameter(0) }\n";
  constexpr int kDepth = 20'000;
  for (int i = 1; i < kDepth; ++i) {
    absl::StrAppend(&text, "call_", i, " { p_", i, " = f32[] parameter(0)\n ROOT r_", i,
                    " = f32[] call(p_", i, "), to_apply=call_", i - 1, " }\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e { p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=call_",
                  kDepth - 1, " }\n");
  ExpectVerified({{text, ""}});
}

TEST(ModuleVerifier, ReferenceProgramsVerify) {
  for (const char* path :
       {"models/digits/train.hlo", "models/digits/predict.hlo",
        "models/textgen/generate_greedy.hlo", "tests/programs/resnet50_b4/program.hlo",
        "tests/programs/gpt_tiny_train/program.hlo", "tests/programs/kmeans_step/program.hlo",
        "tests/programs/maxpool/program.hlo"}) {
    EXPECT_OK(testing::Verify(testing::ReadTestFile(testing::SourcePath(path)))) << path;
  }
}

// Numbers in a program changed at random: an error or a good module, never a crash.
TEST(ModuleVerifier, MutatedProgramsDoNotCrash) {
  const std::string text =
      testing::ReadTestFile(testing::SourcePath("tests/programs/kmeans_step/program.hlo"));
  std::mt19937 random(3);
  int64_t rejected = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string mutated = text;
    for (int k = 0; k < 3; ++k) {
      const size_t at = random() % mutated.size();
      if (mutated[at] >= '0' && mutated[at] <= '9')
        mutated[at] = static_cast<char>('0' + random() % 10);
      if (mutated[at] == ',' && random() % 4 == 0) mutated.insert(at, std::to_string(random()));
    }
    auto module = ParseAndReturnUnverifiedModule(mutated);
    if (module.ok() && !VerifyModule(**module).ok()) ++rejected;
  }
  EXPECT_GT(rejected, 10);
}

}  // namespace
}  // namespace xla
