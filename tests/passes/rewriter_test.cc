// SPDX-License-Identifier: Apache-2.0
// Patterns, the rewriter, and the runner of passes.
#include "xla/passes/rewriter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/passes/passes_test_util.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/passes/pattern.h"
#include "xla/passes/pipeline.h"

namespace xla {
namespace {

using m::Any;
using m::Op;
using m::Same;
using m::Splat;
using testing::FindInstruction;

std::unique_ptr<HloModule> ParseOrDie(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  XLA_CHECK_OK(module.status());
  return *std::move(module);
}

TEST(Pattern, MatchesExpressions) {
  const auto module = ParseOrDie(R"(HloModule m
ENTRY e {
  p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  product = f32[2] multiply(p, q)
  quotient = f32[2] divide(product, p)
  other = f32[2] divide(p, product)
  ROOT r = f32[2] subtract(quotient, q)
})");
  HloInstruction *x, *y, *product, *p = FindInstruction(*module, "p"),
                                   *q = FindInstruction(*module, "q"),
                                   *quotient = FindInstruction(*module, "quotient");
  const auto pattern = m::Divide(m::Multiply(Any(&x), Any(&y)).As(&product), Same(&x));
  ASSERT_TRUE(Match(quotient, pattern));
  EXPECT_EQ(x, p);
  EXPECT_EQ(y, q);
  EXPECT_EQ(product->name(), "product");
  EXPECT_FALSE(Match(FindInstruction(*module, "other"), pattern));
  // A product the other way round is found as well: multiplication is commutative.
  EXPECT_TRUE(Match(product, m::Multiply(Any(), Same(&x))));
  EXPECT_FALSE(Match(quotient, m::Divide(Any(), m::Multiply())));
  EXPECT_FALSE(Match(quotient, m::Divide(Any())));
  EXPECT_TRUE(Match(quotient, m::Divide().WithOneUser()));
  EXPECT_FALSE(Match(product, m::Multiply().WithOneUser()));
  EXPECT_FALSE(Match(FindInstruction(*module, "r"), m::Subtract().WithOneUser()));
  EXPECT_FALSE(Match(quotient, m::Divide().If([](const HloInstruction& i) { return i.IsRoot(); })));
}

TEST(Pattern, SplatsAreConstantsWithOneValue) {
  const auto module = ParseOrDie(R"(HloModule m
ENTRY e {
  zero = f32[] constant(0)
  minus = f32[2] constant({-0.0, -0.0})
  mixed = s32[2] constant({1, 2})
  wide = f32[3,2] broadcast(minus), dimensions={1}
  big = s64[] constant(9007199254740993)
  yes = pred[] constant(true)
  c = c64[] constant((1, 0))
  empty = f32[0] constant({})
  ROOT p = f32[] parameter(0)
})");
  auto splat = [&](const char* name) { return SplatValue(*FindInstruction(*module, name)); };
  EXPECT_EQ(splat("zero"), 0.0);
  EXPECT_EQ(splat("yes"), 1.0);
  for (const char* none : {"mixed", "big", "c", "empty", "p"}) EXPECT_EQ(splat(none), std::nullopt);
  EXPECT_TRUE(Match(FindInstruction(*module, "wide"), Splat(-0.0)));
  EXPECT_FALSE(Match(FindInstruction(*module, "wide"), Splat(0.0)));
  EXPECT_TRUE(Match(FindInstruction(*module, "zero"), Splat(0.0)));
  EXPECT_TRUE(Match(FindInstruction(*module, "mixed"), m::Constant()));
}

// --- The rewriter

absl::StatusOr<HloInstruction*> SinToCos(HloInstruction* i, Rewriter& rewriter) {
  return rewriter.Create(HloOpcode::kCos, i->shape(), {i->operand(0)});
}
absl::StatusOr<HloInstruction*> CosToSin(HloInstruction* i, Rewriter& rewriter) {
  return rewriter.Create(HloOpcode::kSin, i->shape(), {i->operand(0)});
}
absl::StatusOr<HloInstruction*> Fail(HloInstruction*, Rewriter&) {
  return absl::UnimplementedError("no");
}

constexpr char kSines[] = R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[2]{0} parameter(0)
  a = f32[2]{0} sine(p), metadata={op_name="here"}
  b = f32[2]{0} sine(a)
  ROOT c = f32[2]{0} sine(b)
})";

TEST(Rewriter, ReplacesEverywhereAndCounts) {
  const auto module = ParseOrDie(kSines);
  constexpr RewriteRule kRules[] = {{"fail", HloOpcode::kTan, &Fail},
                                    {"sin-to-cos", HloOpcode::kSin, &SinToCos}};
  RewriteStatistics statistics;
  ASSERT_OK_AND_ASSIGN(const bool changed,
                       RewriteToFixedPoint(module.get(), kRules, {}, &statistics));
  EXPECT_TRUE(changed);
  EXPECT_EQ(statistics.rewrites, 3);
  EXPECT_EQ(statistics.rewrites_of_rule, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(statistics.bounds_reached, 0);
  const HloInstruction* root = module->entry_computation()->root_instruction();
  EXPECT_EQ(root->opcode(), HloOpcode::kCos);
  EXPECT_NE(root->operand(0)->operand(0)->ToString().find("op_name=\"here\""), std::string::npos);
  EXPECT_EQ(module->entry_computation()->instruction_count(), 4);
  ASSERT_OK_AND_ASSIGN(const bool again, RewriteToFixedPoint(module.get(), kRules));
  EXPECT_FALSE(again);
}

TEST(Rewriter, StopsRulesThatUndoEachOther) {
  const auto module = ParseOrDie(kSines);
  constexpr RewriteRule kRules[] = {{"sin-to-cos", HloOpcode::kSin, &SinToCos},
                                    {"cos-to-sin", HloOpcode::kCos, &CosToSin}};
  RewriteStatistics statistics;
  ASSERT_OK(
      RewriteToFixedPoint(module.get(), kRules, {.bound_base = 10, .bound_factor = 1}, &statistics)
          .status());
  EXPECT_EQ(statistics.rewrites, 14);
  EXPECT_EQ(statistics.bounds_reached, 1);
}

TEST(Rewriter, ErrorsNameTheRule) {
  const auto module = ParseOrDie(kSines);
  constexpr RewriteRule kRules[] = {{"fail", std::nullopt, &Fail}};
  EXPECT_ERROR(RewriteToFixedPoint(module.get(), kRules), "rule fail at p = ");
}

// --- The runner

TEST(Pipeline, IsWrittenAsAListOfPasses) {
  EXPECT_OK(Pipeline::Parse("").status());
  EXPECT_OK(Pipeline::Parse("dce, inline-calls ,fixpoint(dce,algebraic-simplifier),dce").status());
  EXPECT_ERROR(Pipeline::Parse("dce,nonsense"), "there is no pass 'nonsense'");
  EXPECT_ERROR(Pipeline::Parse("fixpoint(dce"), "no ')'");
  EXPECT_ERROR(Pipeline::Parse("fixpoint(dce)dce"), "expected ','");
  EXPECT_ERROR(Pipeline::Parse("dce,,dce"), "there is no pass ''");
}

TEST(Pipeline, CountsTimesAndSkips) {
  const auto module = ParseOrDie(R"(HloModule m
ENTRY e { p = f32[] parameter(0)  dead = f32[] sine(p)  ROOT r = f32[] negate(p) })");
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Pipeline::Parse("fixpoint(dce,inline-calls)"));
  PipelineStatistics skipped;
  ASSERT_OK_AND_ASSIGN(bool changed, pipeline.Run(module.get(), {.disabled = {"dce"}}, &skipped));
  EXPECT_FALSE(changed);
  EXPECT_ERROR(pipeline.Run(module.get(), {.disabled = {"nothing"}}), "there is no pass 'nothing'");
  PipelineStatistics statistics;
  ASSERT_OK_AND_ASSIGN(changed, pipeline.Run(module.get(), {.verify = true}, &statistics));
  EXPECT_TRUE(changed);
  ASSERT_EQ(statistics.passes.size(), 2u);
  EXPECT_EQ(statistics.passes[0].name, "dce");
  EXPECT_EQ(statistics.passes[0].runs, 2);
  EXPECT_EQ(statistics.passes[0].changes, 1);
  EXPECT_EQ(statistics.passes[0].instructions_removed, 1);
  EXPECT_GT(statistics.passes[0].seconds, 0);
  EXPECT_GE(statistics.seconds, statistics.passes[0].seconds + statistics.passes[1].seconds);
  EXPECT_EQ(statistics.instructions_before, 3);
  EXPECT_EQ(statistics.instructions_after, 2);
  EXPECT_NE(statistics.ToString().find("4 runs of passes, 1 changed the module (3 -> 2"),
            std::string::npos)
      << statistics.ToString();
}

TEST(Pipeline, DumpsWhatChanged) {
  const auto folder = std::filesystem::path(testing::ProcessTempDir()) / "xylem_pass_dumps";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto module = ParseOrDie(R"(HloModule m
ENTRY e { p = f32[] parameter(0)  dead = f32[] sine(p)  ROOT r = f32[] negate(p) })");
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Pipeline::Parse("inline-calls,dce,dce"));
  ASSERT_OK(pipeline.Run(module.get(), {.dump_dir = folder.string()}).status());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"002.dce.after.hlo", "002.dce.before.hlo"}));
  std::ifstream file(folder / "002.dce.before.hlo");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("dead"), std::string::npos);
  std::filesystem::remove_all(folder);
  ASSERT_OK(pipeline.Run(module.get(), {.dump_dir = "/nonexistent"}).status());  // nothing changes
}

absl::StatusOr<bool> Lie(HloModule* module) {
  module->entry_computation()->AddInstruction(HloInstruction::Create(
      HloOpcode::kNegate, module->entry_computation()->root_instruction()->shape(),
      {module->entry_computation()->root_instruction()}));
  return false;
}
absl::StatusOr<bool> Break(HloModule* module) {
  *module->entry_computation()->root_instruction()->mutable_shape() = ShapeUtil::MakeShape(S32, {});
  return true;
}
absl::StatusOr<bool> Restless(HloModule*) { return true; }
absl::StatusOr<bool> Refuse(HloModule*) { return absl::InvalidArgumentError("such a program"); }
absl::StatusOr<bool> Fail(HloModule*) { return absl::InternalError("no root"); }

TEST(Pipeline, VerifiesAfterEachPass) {
  constexpr char kProgram[] =
      "HloModule m\nENTRY e { p = f32[] parameter(0)  ROOT r = f32[] negate(p) }";
  auto module = ParseOrDie(kProgram);
  EXPECT_ERROR(Pipeline().Add({"lie", "", &Lie}).Run(module.get(), {.verify = true}),
               "reported no change: lie");
  module = ParseOrDie(kProgram);
  EXPECT_ERROR(Pipeline().Add({"break", "", &Break}).Run(module.get(), {.verify = true}),
               "not valid after pass break");
  module = ParseOrDie(kProgram);
  constexpr Pass kRestless[] = {{"restless", "", &Restless}};
  PipelineStatistics statistics;
  ASSERT_OK(Pipeline()
                .AddFixedPoint(kRestless)
                .Run(module.get(), {.max_rounds = 7}, &statistics)
                .status());
  EXPECT_EQ(statistics.passes[0].runs, 7);
  EXPECT_EQ(statistics.bounds_reached, 1);
}

TEST(Pipeline, ErrorsTellAboutTheProgramOrNameThePass) {
  const auto module = ParseOrDie("HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }");
  EXPECT_EQ(Pipeline().Add({"refuse", "", &Refuse}).Run(module.get()).status(),
            absl::InvalidArgumentError("such a program"));
  EXPECT_EQ(Pipeline().Add({"fail", "", &Fail}).Run(module.get()).status(),
            absl::InternalError("pass fail: no root"));
}

TEST(Pipeline, OthersStandForTheirPasses) {
  ASSERT_OK_AND_ASSIGN(const Pipeline both, Pipeline::Parse("dce,fixpoint(cse,dce)"));
  const std::vector<Pipeline::Named> named = {{"both", "", both}};
  constexpr Pass kMine[] = {{"mine", "", &Restless}};
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Pipeline::Parse("mine,both,cse", kMine, named));
  EXPECT_EQ(pipeline.ToString(), "mine,dce,fixpoint(cse,dce),cse");
  EXPECT_ERROR(Pipeline::Parse("fixpoint(both)", kMine, named), "there is no pass 'both'");
  EXPECT_ERROR(Pipeline::Parse("min", kMine, named), "'mine'");
}

// What it is told, in order; an error when asked.
class Recorder : public PassInstrumentation {
 public:
  absl::Status BeforePass(std::string_view pass, const HloModule&) override {
    return Add(absl::StrCat("before ", std::string(pass)));
  }
  absl::Status AfterPass(std::string_view pass, const HloModule& module, bool changed) override {
    return Add(absl::StrCat("after ", std::string(pass), changed ? " (changed) " : " ",
                            module.instruction_count()));
  }
  absl::Status AfterPipeline(const HloModule&) override { return Add("end"); }

  std::vector<std::string> told;
  std::string fails_at;

 private:
  absl::Status Add(const std::string& what) {
    told.push_back(what);
    return what == fails_at ? absl::AbortedError("stop") : absl::OkStatus();
  }
};

TEST(Pipeline, TellsWhoeverWantsToSeeTheModule) {
  constexpr char kProgram[] =
      "HloModule m\nENTRY e { p = f32[] parameter(0) d = f32[] sine(p) ROOT r = f32[] negate(p) }";
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Pipeline::Parse("cse,inline-calls,dce"));
  const std::vector<std::string> all = {"before cse", "after cse 3", "before dce",
                                        "after dce (changed) 2", "end"};
  for (size_t stop = 0; stop <= all.size(); ++stop) {
    const auto module = ParseOrDie(kProgram);
    Recorder recorder;
    if (stop < all.size()) recorder.fails_at = all[stop];
    const absl::Status status =
        pipeline.Run(module.get(), {.disabled = {"inline-calls"}, .instrumentations = {&recorder}})
            .status();
    EXPECT_EQ(status.ok(), stop == all.size()) << status;
    EXPECT_EQ(recorder.told,
              std::vector<std::string>(
                  all.begin(), all.begin() + static_cast<int64_t>(std::min(stop + 1, all.size()))));
  }
}

}  // namespace
}  // namespace xla
