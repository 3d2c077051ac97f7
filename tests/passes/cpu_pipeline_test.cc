// SPDX-License-Identifier: Apache-2.0
// The pipeline of the CPU compiler: valid programs in and out, in linear time.
#include "xla/passes/cpu_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/passes/passes_test_util.h"
#include "tests/test_util.h"
#include "tests/timing.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/constant_folding.h"
#include "xla/literal.h"
#include "xla/passes/constant_folding.h"

namespace xla {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int64_t CountOf(const HloModule& module, HloOpcode opcode) {
  int64_t count = 0;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      count += instruction->opcode() == opcode ? 1 : 0;
  }
  return count;
}

// What cannot be evaluated is left to the run, which tells why.
TEST(ConstantFolding, KeepsWhatTheEvaluatorRefuses) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  a = f32[3] constant({1, 2, 3})
  b = f32[3] sine(a)
  ROOT c = f32[3] add(b, a)
})"));
  const std::string before = module->ToString();
  ASSERT_OK_AND_ASSIGN(const bool refused,
                       FoldConstants(module.get(), [](const HloModule&) -> absl::StatusOr<Literal> {
                         return absl::ResourceExhaustedError("no memory");
                       }));
  EXPECT_FALSE(refused);
  EXPECT_EQ(module->ToString(), before);
}

// Ten results of twenty elements take thirty steps.
TEST(ConstantFolding, StaysWithinItsBudget) {
  for (const int64_t budget : {29, 30}) {
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  a = s32[10] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  b = s32[10] constant({5, 6, 7, 8, 9, 10, 1, 2, 3, 4})
  c = s32[10] add(b, a)
  d = s32[10] constant({5, 6, 7, 8, 9, 10, 1, 2, 3, 7})
  e = s32[10] add(d, a)
  ROOT t = (s32[10], s32[10]) tuple(c, e)
})"));
    const auto evaluate = [](const HloModule& program) -> absl::StatusOr<Literal> {
      return Literal(program.entry_computation()->root_instruction()->shape());
    };
    ASSERT_OK_AND_ASSIGN(const bool changed,
                         FoldConstants(module.get(), evaluate, {.budget = budget}));
    EXPECT_EQ(changed, budget == 30) << budget;
    const HloInstruction& root = *module->entry_computation()->root_instruction();
    EXPECT_EQ(root.operand(0)->IsConstant() ? 1 : 0, changed ? 1 : 0) << budget;
    EXPECT_FALSE(root.operand(1)->IsConstant()) << budget;
  }
}

TEST(CpuPipeline, KeepsTheReferenceProgramsValid) {
  int programs = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(XYLEM_SOURCE_DIR) + "/tests/programs")) {
    const std::filesystem::path path = entry.path() / "program.hlo";
    if (!std::filesystem::exists(path)) continue;
    SCOPED_TRACE(path.string());
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(ReadFile(path)));
    PipelineStatistics statistics;
    ASSERT_OK(CpuPipeline(kConstantFolding).Run(module.get(), {.verify = true}, &statistics));
    EXPECT_EQ(statistics.bounds_reached, 0) << statistics.ToString();
    EXPECT_EQ(CountOf(*module, HloOpcode::kCall), 0);
    ++programs;
  }
  EXPECT_GT(programs, 20);
}

TEST(CpuPipeline, ComputesTheSame) {
  for (const char* name : {"dispatch_scalar", "while_scalar_100k", "dispatch_mlp_tiny"}) {
    SCOPED_TRACE(name);
    ASSERT_OK_AND_ASSIGN(const auto before,
                         ParseAndReturnUnverifiedModule(ReadFile(absl::StrCat(
                             XYLEM_SOURCE_DIR, "/tests/programs/", name, "/program.hlo"))));
    const std::unique_ptr<HloModule> after = before->Clone();
    ASSERT_OK(CpuPipeline(kConstantFolding).Run(after.get()));
    EXPECT_OK(testing::ComputeTheSame(*before, *after));
  }
}

// JAX's random bits: a loop of five trips over arrays becomes straight arithmetic.
TEST(CpuPipeline, UnrollsThreefry) {
  ASSERT_OK_AND_ASSIGN(const auto module,
                       ParseAndReturnUnverifiedModule(ReadFile(absl::StrCat(
                           XYLEM_SOURCE_DIR, "/tests/programs/rng_uniform/program.hlo"))));
  EXPECT_EQ(CountOf(*module, HloOpcode::kWhile), 1);
  ASSERT_OK(CpuPipeline(kConstantFolding).Run(module.get()));
  EXPECT_EQ(CountOf(*module, HloOpcode::kWhile), 0);
}

// Programs of JAX say for each operation where it came from; passes must do the same without.
TEST(CpuPipeline, DoesNotDependOnMetadata) {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"tests/hlo", "tests/passes", "tests/programs"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             absl::StrCat(XYLEM_SOURCE_DIR, "/", folder))) {
      if (entry.path().extension() == ".hlo") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  int compared = 0;
  for (const auto& path : paths) {
    for (const absl::string_view part :
         absl::StrSplit(ReadFile(path), absl::ByString("\n// ----"))) {
      const size_t start = part.find("HloModule");
      if (start == absl::string_view::npos) continue;
      const std::string text(part.substr(start));
      std::vector<std::string> results;
      for (const bool has_metadata : {false, true}) {
        const auto module = ParseAndReturnUnverifiedModule(text);
        if (!module.ok()) continue;
        for (HloComputation* computation : (*module)->computations()) {
          for (HloInstruction* instruction : computation->instructions()) {
            instruction->set_metadata({});
            if (has_metadata) instruction->set_metadata_op_name("jit(f)/operation");
          }
        }
        const absl::Status status = CpuPipeline(std::nullopt).Run(module->get()).status();
        HloPrintOptions options;
        options.set_print_metadata(false);
        results.push_back(status.ok() ? (*module)->ToString(options)
                                      : std::string(status.message()));
      }
      if (results.empty()) continue;
      EXPECT_EQ(results[0], results[1]) << path;
      ++compared;
    }
  }
  EXPECT_GT(compared, 150);
}

// A chain of arithmetic with constants to fold, equal expressions and calls.
std::string Chain(int64_t length) {
  std::string text =
      "HloModule m\n"
      "f { x = f32[4] parameter(0)  c = f32[] constant(3)  b = f32[4] broadcast(c), dimensions={}\n"
      "  ROOT r = f32[4] multiply(x, b) }\n"
      "ENTRY e {\n  v0 = f32[4] parameter(0)\n";
  for (int64_t i = 1; i < length; ++i) {
    const std::string last = absl::StrCat("v", i - 1);
    switch (i % 5) {
      case 0:
        absl::StrAppend(&text, "  c", i, " = f32[] constant(", i % 7, ")\n  b", i,
                        " = f32[4] broadcast(c", i, "), dimensions={}\n  v", i, " = f32[4] add(",
                        last, ", b", i, ")\n");
        break;
      case 1:
        absl::StrAppend(&text, "  v", i, " = f32[4] call(", last, "), to_apply=f\n");
        break;
      case 2:
        absl::StrAppend(&text, "  n", i, " = f32[4] negate(", last, ")\n  m", i,
                        " = f32[4] negate(", last, ")\n  v", i, " = f32[4] add(n", i, ", m", i,
                        ")\n");
        break;
      case 3:
        absl::StrAppend(&text, "  t", i, " = f32[2,2] reshape(", last, ")\n  v", i,
                        " = f32[4] reshape(t", i, ")\n");
        break;
      default:
        absl::StrAppend(&text, "  v", i, " = f32[4] sine(", last, ")\n");
    }
  }
  return absl::StrCat(text, "  ROOT r = f32[4] negate(v", length - 1, ")\n}\n");
}

TEST(CpuPipeline, TakesLinearTime) {
  testing::ExpectLinearTime(
      [](int64_t length) {
        absl::StatusOr<std::unique_ptr<HloModule>> module =
            ParseAndReturnUnverifiedModule(Chain(length));
        EXPECT_OK(module.status());
        PipelineStatistics statistics;
        const double seconds = testing::SecondsOf([&] {
          EXPECT_OK(
              CpuPipeline(kConstantFolding).Run(module->get(), {.verify = false}, &statistics));
        });
        EXPECT_EQ(statistics.bounds_reached, 0) << statistics.ToString();
        return seconds;
      },
      600, 60'000);
}

}  // namespace
}  // namespace xla
