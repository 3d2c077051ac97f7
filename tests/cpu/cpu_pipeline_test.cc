// SPDX-License-Identifier: Apache-2.0
// The pipeline of the CPU compiler: valid programs in and out, in linear time.
#include "xla/cpu/cpu_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/passes/passes_test_util.h"
#include "tests/test_util.h"
#include "tests/timing.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/constant_folding.h"
#include "xla/passes/algebraic_simplifier.h"

namespace xla {
namespace {

using testing::ReadWholeFile;

// Constants are folded.
Pipeline Folding() {
  CpuCompileOptions options;
  options.constant_folding = &kConstantFolding;
  return CpuPipeline(options);
}

int64_t CountOf(const HloModule& module, HloOpcode opcode) {
  int64_t count = 0;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      count += instruction->opcode() == opcode ? 1 : 0;
  }
  return count;
}

TEST(CpuPipeline, KeepsTheReferenceProgramsValid) {
  int programs = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(XYLEM_SOURCE_DIR) + "/tests/programs")) {
    const std::filesystem::path path = entry.path() / "program.hlo";
    if (!std::filesystem::exists(path)) continue;
    SCOPED_TRACE(path.string());
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(ReadWholeFile(path)));
    PipelineStatistics statistics;
    ASSERT_OK(Folding().Run(module.get(), {.verify = true}, &statistics));
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
                         ParseAndReturnUnverifiedModule(ReadWholeFile(absl::StrCat(
                             XYLEM_SOURCE_DIR, "/tests/programs/", name, "/program.hlo"))));
    const std::unique_ptr<HloModule> after = before->Clone();
    ASSERT_OK(Folding().Run(after.get()));
    EXPECT_OK(testing::ComputeTheSame(*before, *after));
  }
}

// JAX's random bits: a loop of five trips over arrays becomes straight arithmetic.
TEST(CpuPipeline, UnrollsThreefry) {
  ASSERT_OK_AND_ASSIGN(const auto module,
                       ParseAndReturnUnverifiedModule(ReadWholeFile(absl::StrCat(
                           XYLEM_SOURCE_DIR, "/tests/programs/rng_uniform/program.hlo"))));
  EXPECT_EQ(CountOf(*module, HloOpcode::kWhile), 1);
  ASSERT_OK(Folding().Run(module.get()));
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
         absl::StrSplit(ReadWholeFile(path), absl::ByString("\n// ----"))) {
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
        const absl::Status status = CpuPipeline(CpuCompileOptions()).Run(module->get()).status();
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
        const double seconds = testing::SecondsOf(
            [&] { EXPECT_OK(Folding().Run(module->get(), {.verify = false}, &statistics)); });
        EXPECT_EQ(statistics.bounds_reached, 0) << statistics.ToString();
        return seconds;
      },
      600, 60'000);
}

// A sum of so many pads that overlap, as the gradient of an unrolled loop over slices is.
TEST(CpuPipeline, LongSumsOfPadsTakeLinearTime) {
  const auto sum_of_pads = [](int64_t length) {
    std::string text =
        "HloModule m\nENTRY e {\n  z = f32[] constant(0)\n  x = f32[2] parameter(0)\n"
        "  v0 = f32[4] pad(x, z), padding=0_2\n";
    for (int64_t i = 1; i <= length; ++i) {
      absl::StrAppend(&text, "  p", i, " = f32[4] pad(x, z), padding=2_0\n  v", i,
                      " = f32[4] add(v", i - 1, ", p", i, ")\n");
    }
    return absl::StrCat(text, "  ROOT r = f32[4] negate(v", length, ")\n}\n");
  };
  testing::ExpectLinearTime(
      [&](int64_t length) {
        absl::StatusOr<std::unique_ptr<HloModule>> module =
            ParseAndReturnUnverifiedModule(sum_of_pads(length));
        EXPECT_OK(module.status());
        return testing::SecondsOf([&] { EXPECT_OK(SimplifyAlgebra(module->get()).status()); });
      },
      500, 20'000);
}

TEST(CpuPipeline, RunsNothingTwiceButWhatTidiesUp) {
  const std::string text = Folding().ToString();
  EXPECT_TRUE(absl::StartsWith(text, "check-cpu-support,forget-original-shapes,")) << text;
  EXPECT_TRUE(absl::EndsWith(
      text,
      ",flatten-calls,check-applied-computations,fuse,merge-fusions,make-constants-operands,"
      "flatten-calls,assign-lowering"))
      << text;
  std::map<std::string, int> count;
  for (const absl::string_view name :
       absl::StrSplit(absl::StrReplaceAll(text, {{"fixpoint(", ""}, {")", ""}}), ',')) {
    ++count[std::string(name)];
  }
  for (const auto& [name, times] : count) {
    const bool tidies =
        name == "cse" || name == "dce" || name == "algebraic-simplifier" || name == "flatten-calls";
    EXPECT_TRUE(times == 1 || tidies) << name;
  }
  // And all there are.
  for (const absl::Span<const Pass> passes : {AllPasses(), CpuPasses()}) {
    for (const Pass& pass : passes) EXPECT_EQ(count.count(std::string(pass.name)), 1) << pass.name;
  }
  EXPECT_EQ(count["constant-folding"], 1);
}

// What a compilation has done, and what it was told not to do.
TEST(CpuPipeline, IsPartOfACompilation) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  x = f32[100] parameter(0)
  c = f32[] constant(2)
  s = f32[] sine(c)
  b = f32[100] broadcast(s), dimensions={}
  ROOT y = f32[100] multiply(x, b)
})"));
  CpuCompileOptions options;
  options.constant_folding = &kConstantFolding;
  options.pipeline.verify = true;
  const auto changes_of = [](const CpuProgram& program, const std::string& name) -> int64_t {
    for (const PassStatistics& pass : program.pass_statistics().passes) {
      if (pass.name == name) return pass.changes;
    }
    return -1;
  };
  ASSERT_OK_AND_ASSIGN(auto program, CpuProgram::Compile(*module, options));
  EXPECT_EQ(changes_of(*program, "fuse"), 1);
  EXPECT_EQ(changes_of(*program, "constant-folding"), 1);
  EXPECT_EQ(CountOf(program->optimized_module(), HloOpcode::kSin), 0);
  EXPECT_EQ(program->pass_statistics().instructions_before, 5);
  options.pipeline.disabled = {"constant-folding"};
  ASSERT_OK_AND_ASSIGN(program, CpuProgram::Compile(*module, options));
  EXPECT_EQ(changes_of(*program, "constant-folding"), -1);
  EXPECT_EQ(CountOf(program->optimized_module(), HloOpcode::kSin), 1);
  options.pipeline.disabled = {"no-such-pass"};
  EXPECT_ERROR(CpuProgram::Compile(*module, options), "there is no pass 'no-such-pass'");
}

// Without a pass that they need, programs are refused or computed right, never wrong.
TEST(CpuPipeline, EachPassCanBeDisabled) {
  for (const char* name :
       {"dispatch_scalar", "while_scalar_100k", "dispatch_mlp_tiny", "softmax"}) {
    ASSERT_OK_AND_ASSIGN(const auto module,
                         ParseAndReturnUnverifiedModule(ReadWholeFile(absl::StrCat(
                             XYLEM_SOURCE_DIR, "/tests/programs/", name, "/program.hlo"))));
    for (const absl::Span<const Pass> passes : {AllPasses(), CpuPasses()}) {
      for (const Pass& pass : passes) {
        CpuCompileOptions options;
        options.pipeline.disabled = {std::string(pass.name)};
        const auto program = CpuProgram::Compile(*module, options);
        if (!program.ok()) {
          EXPECT_NE(program.status().code(), absl::StatusCode::kInternal)
              << name << " without " << pass.name << ": " << program.status();
        }
      }
    }
  }
}

}  // namespace
}  // namespace xla
