// SPDX-License-Identifier: Apache-2.0
// The decisions of the compiler, one a program: tests/cpu/plans/*.hlo name a machine and say how
// each instruction of the compiled module is computed. XYLEM_UPDATE_EXPECTED=1 writes them again.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/cpu/expected_lines.h"
#include "tests/test_util.h"
#include "xla/cpu/cpu_pipeline.h"
#include "xla/cpu/lower/loop_plan.h"
#include "xla/cpu/lower/make_report.h"
#include "xla/cpu/plan/assign_lowering.h"
#include "xla/cpu/plan/check_lowering.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/constant_folding.h"

namespace xla::cpu {
namespace {

constexpr char kMachine[] = "// MACHINE: ";

Target Avx2WithCores(int cores) {
  Target target = {"x86_64", "", "", MachineWith(InstructionSet::kAvx2)};
  target.machine.cores = cores;
  return target;
}

const std::map<std::string, Target>& Machines() {
  static const auto* const machines = new std::map<std::string, Target>{
      {"avx512", {"x86_64", "", "", MachineWith(InstructionSet::kAvx512)}},
      {"avx2", {"x86_64", "", "", MachineWith(InstructionSet::kAvx2)}},
      {"avx2 16 cores", Avx2WithCores(16)},
      {"sse2", {"x86_64", "", "", MachineWith(InstructionSet::kSse42)}},
      {"neon", {"aarch64", "", "", NeonMachine()}},
  };
  return *machines;
}

// One line for each instruction that is computed.
std::vector<std::string> LinesOf(const ProgramReport& report) {
  std::vector<std::string> lines;
  for (const PlannedInstruction& planned : report.plan) {
    std::string line(static_cast<size_t>(2 * planned.depth), ' ');
    absl::StrAppend(&line, planned.name, ": ", planned.opcode);
    absl::string_view lowering = planned.lowering;
    if (absl::ConsumePrefix(&lowering, "{\"lowering\":") && absl::ConsumeSuffix(&lowering, "}"))
      absl::StrAppend(&line, " ", lowering);
    if (!planned.plan.empty()) absl::StrAppend(&line, " ", planned.plan);
    lines.push_back(line);
  }
  return lines;
}

// What is computed elsewhere, and so is no step.
void AddFreeInstructions(const HloModule& module, std::vector<std::string>* lines) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const Lowering& lowering = LoweringOf(*instruction);
      if (!lowering.IsFree()) continue;
      lines->push_back(absl::StrCat("free: ", std::string(HloOpcodeString(instruction->opcode())),
                                    " ", lowering.ToString()));
    }
  }
}

class PlansTest : public ::testing::TestWithParam<std::string> {};

TEST_P(PlansTest, InstructionsAreComputedAsExpected) {
  const auto file = testing::ReadProgramWithExpectation(GetParam());
  const Target* target = nullptr;
  for (absl::string_view line : file.program) {
    if (!absl::ConsumePrefix(&line, kMachine)) continue;
    const auto machine = Machines().find(std::string(line));
    ASSERT_NE(machine, Machines().end()) << "no machine " << line;
    target = &machine->second;
  }
  ASSERT_NE(target, nullptr) << "there is no line with MACHINE";
  const auto module = ParseAndReturnUnverifiedModule(file.Text());
  ASSERT_OK(module.status());
  CpuCompileOptions options;
  options.constant_folding = &kConstantFolding;
  options.check_work = true;
  ASSERT_OK(RunCpuPipeline(module->get(), options));
  ASSERT_OK(AssignLowering(module->get(), *target).status());
  ASSERT_OK(CheckLowering(**module));
  const auto schedule = ScheduleProgram(**module);
  ASSERT_OK(schedule.status());
  std::vector<std::string> lines =
      LinesOf(MakeReport(*schedule, PlanLoops(*schedule, *target), *target));
  AddFreeInstructions(**module, &lines);
  testing::ExpectLinesOf(GetParam(), file, lines);
}

INSTANTIATE_TEST_SUITE_P(All, PlansTest, ::testing::ValuesIn(testing::FilesIn("tests/cpu/plans")),
                         testing::NameOfFile);

// Each lowering is read as it is printed.
TEST(LoweringTest, IsReadAsItIsPrinted) {
  for (const std::string& file : testing::FilesIn("tests/cpu/plans")) {
    const auto module = ParseAndReturnUnverifiedModule(testing::ReadWholeFile(file));
    ASSERT_OK(module.status());
    ASSERT_OK(RunCpuPipeline(module->get(), {}));
    ASSERT_OK(AssignLowering(module->get(), Machines().at("avx512")).status());
    for (const HloComputation* computation : (*module)->computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        const Lowering& lowering = LoweringOf(*instruction);
        const std::string text = lowering.ToString();
        if (text.empty()) continue;
        auto parsed = ParseLowering(text);
        ASSERT_OK(parsed.status()) << text;
        EXPECT_EQ(parsed->ToString(), text);
      }
    }
  }
}

TEST(LoweringTest, OtherTextsAreRefused) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"lowering":[]})", R"({"lowering":{"kind":"none"}})",
        R"({"lowering":{"kind":3}})", R"({"lowering":{"updated":[true]}})",
        R"({"lowering":{"updated":3}})", R"({"lowering":{"may_share":[[1]]}})",
        R"({"lowering":{"operands":["read"]}})", R"({"lowering":{"comparator":1}})",
        R"({"lowering":{"unused":["0"]}})", R"({"lowering":{"speed":1}})",
        R"({"lowering":{},"other":1})"}) {
    EXPECT_EQ(ParseLowering(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

// Lowerings that do not fit together are reported.
TEST(CheckLoweringTest, ReportsWhatDoesNotFit) {
  const auto check = [](const std::string& instruction, auto change) {
    const auto module = ParseAndReturnUnverifiedModule(testing::ReadWholeFile(
        testing::SourcePath(absl::StrCat("tests/cpu/plans/", instruction, ".hlo"))));
    EXPECT_OK(module.status());
    EXPECT_OK(RunCpuPipeline(module->get(), {}));
    EXPECT_OK(AssignLowering(module->get(), Machines().at("avx512")).status());
    EXPECT_OK(CheckLowering(**module));
    bool changed = false;
    for (HloInstruction* i : (*module)->entry_computation()->instructions()) {
      Lowering lowering = LoweringOf(*i);
      if (changed || !change(*i, lowering)) continue;
      changed = true;
      i->mutable_extras().backend_decision = std::make_shared<const Lowering>(lowering);
    }
    EXPECT_TRUE(changed);
    return CheckLowering(**module).code();
  };
  const auto kInternal = absl::StatusCode::kInternal;
  // The product reads the transpose from memory, or the transpose is computed by it alone.
  EXPECT_EQ(check("dot-transposed",
                  [](const HloInstruction& i, Lowering& l) {
                    l.operands.clear();
                    return i.opcode() == HloOpcode::kDot;
                  }),
            kInternal);
  EXPECT_EQ(check("dot-transposed-shared",
                  [](const HloInstruction& i, Lowering& l) {
                    l.kind = Lowering::Kind::kFolded;
                    l.forwards = 0;
                    return i.opcode() == HloOpcode::kFusion && !i.IsRoot();
                  }),
            kInternal);
  // The fusion does not finish the product.
  EXPECT_EQ(check("dot-epilogue",
                  [](const HloInstruction& i, Lowering& l) {
                    l.epilogue_of = -1;
                    return i.opcode() == HloOpcode::kFusion;
                  }),
            kInternal);
  EXPECT_EQ(check("dot-epilogue",
                  [](const HloInstruction& i, Lowering& l) {
                    l.kind = Lowering::Kind::kLibrary;
                    return i.opcode() == HloOpcode::kDot;
                  }),
            kInternal);
  // Memory of another size, and an update that is elsewhere.
  EXPECT_EQ(check("update-in-place",
                  [](const HloInstruction& i, Lowering& l) {
                    l.may_share = {{0, 0}, {1, 0}, {2, 0}};
                    return i.opcode() == HloOpcode::kFusion;
                  }),
            kInternal);
  EXPECT_EQ(check("update-in-place",
                  [](const HloInstruction& i, Lowering& l) {
                    l.may_share.clear();
                    return i.opcode() == HloOpcode::kFusion;
                  }),
            kInternal);
}

}  // namespace
}  // namespace xla::cpu
