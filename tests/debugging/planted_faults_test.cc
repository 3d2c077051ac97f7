// SPDX-License-Identifier: Apache-2.0
// The programs and passes with planted faults, and what tests assume of them.
#include "tests/debugging/planted_faults.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/literal_util.h"

namespace xla::testing {
namespace {

constexpr char kComputations[] = R"(
add_f32 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
max_f32 {
  a.1 = f32[] parameter(0)
  b.1 = f32[] parameter(1)
  ROOT most = f32[] maximum(a.1, b.1)
}
less_f32 {
  a.2 = f32[] parameter(0)
  b.2 = f32[] parameter(1)
  ROOT less = pred[] compare(a.2, b.2), direction=LT
}
damp {
  v.3 = f32[8,8] parameter(0)
  half = f32[] constant(0.5)
  halves = f32[8,8] broadcast(half), dimensions={}
  product.3 = f32[8,8] multiply(v.3, halves)
  ROOT bounded = f32[8,8] tanh(product.3)
}
body {
  state = (s32[], f32[8,8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  v = f32[8,8] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  bounded.1 = f32[8,8] tanh(v)
  turned = f32[8,8] transpose(bounded.1), dimensions={1,0}
  sum.1 = f32[8,8] add(bounded.1, turned)
  ROOT result = (s32[], f32[8,8]) tuple(next, sum.1)
}
condition {
  state.1 = (s32[], f32[8,8]) parameter(0)
  i.1 = s32[] get-tuple-element(state.1), index=0
  three = s32[] constant(3)
  ROOT goes = pred[] compare(i.1, three), direction=LT
}
then_branch {
  t = f32[8,8] parameter(0)
  ROOT cosine.t = f32[8,8] cosine(t)
}
else_branch {
  e = f32[8,8] parameter(0)
  ROOT sine.e = f32[8,8] sine(e)
}
)";

// One piece: takes %v of the number before, gives the next one.
std::string Piece(int kind, int n) {
  const std::string in = absl::StrCat("%v", n), out = absl::StrCat("%v", n + 1);
  const std::string p = absl::StrCat("%p", n, "_");
  const std::string shape = " = f32[8,8] ";
  switch (kind) {
    case 0:
      return absl::StrCat("  ", p, "t", shape, "transpose(", in, "), dimensions={1,0}\n  ", p, "d",
                          shape, "dot(", in, ", ", p,
                          "t), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ", out, shape,
                          "tanh(", p, "d)\n");
    case 1:
      return absl::StrCat(
          "  ", p, "m = f32[8] reduce(", in, ", %lowest), dimensions={1}, to_apply=max_f32\n  ", p,
          "b", shape, "broadcast(", p, "m), dimensions={0}\n  ", p, "s", shape, "subtract(", in,
          ", ", p, "b)\n  ", p, "e", shape, "exponential(", p, "s)\n  ", p, "n = f32[8] reduce(", p,
          "e, %zero), dimensions={1}, to_apply=add_f32\n  ", p, "c", shape, "broadcast(", p,
          "n), dimensions={0}\n  ", out, shape, "divide(", p, "e, ", p, "c)\n");
    case 2:
      return absl::StrCat("  ", p, "i = s32[] constant(0)\n  ", p, "s = (s32[], f32[8,8]) tuple(",
                          p, "i, ", in, ")\n  ", p, "w = (s32[], f32[8,8]) while(", p,
                          "s), condition=condition, body=body\n  ", out, shape,
                          "get-tuple-element(", p, "w), index=1\n");
    case 3:
      return absl::StrCat("  ", p, "c = pred[8,8] compare(", in, ", %zeros), direction=GT\n  ", p,
                          "a", shape, "cosine(", in, ")\n  ", p, "b", shape, "sine(", in, ")\n  ",
                          out, shape, "select(", p, "c, ", p, "a, ", p, "b)\n");
    case 4:
      return absl::StrCat("  ", p, "s = f32[4,8] slice(", in, "), slice={[4:8], [0:8]}\n  ", p,
                          "r = f32[4,8] slice(", in, "), slice={[0:4], [0:8]}\n  ", p, "c", shape,
                          "concatenate(", p, "s, ", p, "r), dimensions={0}\n  ", p, "v", shape,
                          "reverse(", p, "c), dimensions={1}\n  ", out, shape, "add(", p, "v, ", in,
                          ")\n");
    case 5:
      return absl::StrCat("  ", p, "s", shape, "sort(", in,
                          "), dimensions={1}, to_apply=less_f32\n  ", p, "a", shape, "abs(", p,
                          "s)\n  ", p, "o", shape, "add(", p, "a, %ones)\n  ", out, shape, "log(",
                          p, "o)\n");
    default:
      return absl::StrCat("  ", p, "u = f32[2,2] slice(", in, "), slice={[0:2], [2:4]}\n  ", p,
                          "k = s32[] constant(3)\n  ", p, "d", shape, "dynamic-update-slice(", in,
                          ", ", p, "u, ", p, "k, ", p, "k)\n  ", p, "m", shape, "maximum(", p,
                          "d, %zeros)\n  ", out, shape, "subtract(%ones, ", p, "m)\n");
  }
}

std::string Branches(int n) {
  const std::string in = absl::StrCat("%v", n), out = absl::StrCat("%v", n + 1);
  const std::string p = absl::StrCat("%p", n, "_");
  return absl::StrCat("  ", p, "x = f32[1,1] slice(", in, "), slice={[0:1], [0:1]}\n  ", p,
                      "y = f32[] reshape(", p, "x)\n  ", p, "c = pred[] compare(", p,
                      "y, %zero), direction=GT\n  ", p, "k = f32[8,8] conditional(", p, "c, ", in,
                      ", ", in,
                      "), true_computation=then_branch, false_computation=else_branch\n  ", out,
                      " = f32[8,8] call(", p, "k), to_apply=damp\n");
}

// Calls `change` with each instruction of the opcode in all computations.
FaultyPass ForEach(const char* name, HloOpcode opcode,
                   std::function<absl::StatusOr<bool>(HloInstruction*)> change) {
  return {name, [opcode, change](HloModule* module) -> absl::StatusOr<bool> {
            bool changed = false;
            for (HloComputation* computation : module->computations()) {
              for (HloInstruction* instruction : computation->instructions()) {
                if (instruction->opcode() != opcode || instruction->IsDead()) continue;
                XLA_ASSIGN_OR_RETURN(const bool here, change(instruction));
                changed |= here;
              }
            }
            return changed;
          }};
}

absl::StatusOr<bool> ReplaceBy(HloInstruction* old_instruction, HloOpcode opcode,
                               std::initializer_list<HloInstruction*> operands) {
  XLA_RETURN_IF_ERROR(
      old_instruction->parent()
          ->ReplaceWithNewInstruction(
              old_instruction, HloInstruction::Create(opcode, old_instruction->shape(), operands))
          .status());
  return true;
}

bool IsSquare(const HloInstruction& instruction) {
  return instruction.shape().IsArray() && instruction.shape().dimensions().size() == 2;
}

}  // namespace

std::string LargeProgram(int instructions, const std::string& planted) {
  std::string text = absl::StrCat("HloModule large\n", kComputations, R"(
ENTRY main {
  %v0 = f32[8,8] parameter(0)
  %other = f32[8,8] parameter(1)
  %zero = f32[] constant(0)
  %lowest = f32[] constant(-inf)
  %unit = f32[] constant(1)
  %zeros = f32[8,8] broadcast(%zero), dimensions={}
  %ones = f32[8,8] broadcast(%unit), dimensions={}
)");
  int pieces = 0;
  uint32_t state = 12345;
  bool is_planted = planted.empty();
  for (int count = 0; count < instructions; count += 5) {
    if (!is_planted && count >= instructions / 2) {
      is_planted = true;
      absl::StrAppend(&text, "  %x = f32[8,8] add(%v", pieces, ", %other)\n", planted, "  %v",
                      pieces + 1, " = f32[8,8] add(%planted, %x)\n");
      ++pieces;
    }
    state = state * 1664525 + 1013904223;
    const int kind = static_cast<int>((state >> 24) % 8);
    absl::StrAppend(&text, kind == 7 ? Branches(pieces) : Piece(kind, pieces));
    ++pieces;
    // Keeps the rows and columns from becoming equal.
    absl::StrAppend(&text, "  %v", pieces + 1, " = f32[8,8] add(%v", pieces, ", %other)\n");
    ++pieces;
  }
  absl::StrAppend(&text, "  %middle = f32[8,8] multiply(%v", pieces / 3, ", %other)\n",
                  "  ROOT %all = (f32[8,8], f32[8,8], f32[8,8]) tuple(%v", pieces / 2, ", %v",
                  pieces, ", %middle)\n}\n");
  return text;
}

const std::vector<PlantedNan>& PlantedNans() {
  static const std::vector<PlantedNan> planted = {
      {"logarithm of negative numbers",
       "  %big = f32[] constant(9)\n  %bigs = f32[8,8] broadcast(%big), dimensions={}\n"
       "  %low = f32[8,8] subtract(%x, %bigs)\n  %planted = f32[8,8] log(%low)\n",
       "planted"},
      {"square root",
       "  %squares = f32[8,8] multiply(%x, %x)\n  %negative = f32[8,8] negate(%squares)\n"
       "  %planted = f32[8,8] sqrt(%negative)\n",
       "planted"},
      {"zero by zero", "  %planted = f32[8,8] divide(%zeros, %zeros)\n", "planted"},
      {"difference of infinities",
       "  %c = f32[] constant(1e30)\n  %cs = f32[8,8] broadcast(%c), dimensions={}\n"
       "  %s = f32[8,8] multiply(%cs, %cs)\n  %planted = f32[8,8] subtract(%s, %s)\n",
       "planted"},
      {"overflow of an exponential",
       "  %h = f32[] constant(100)\n  %hs = f32[8,8] broadcast(%h), dimensions={}\n"
       "  %e = f32[8,8] exponential(%hs)\n  %ratio = f32[8,8] divide(%e, %e)\n"
       "  %planted = f32[8,8] add(%ratio, %x)\n",
       "ratio"},
      {"power",
       "  %two = f32[] constant(2.5)\n  %m = f32[8,8] negate(%ones)\n"
       "  %twos = f32[8,8] broadcast(%two), dimensions={}\n"
       "  %planted = f32[8,8] power(%m, %twos)\n",
       "planted"},
      {"infinity times zero",
       "  %one_by_zero = f32[8,8] divide(%ones, %zeros)\n"
       "  %planted = f32[8,8] multiply(%one_by_zero, %zeros)\n",
       "planted"},
      {"sine of infinity", "  %l = f32[8,8] log(%zeros)\n  %planted = f32[8,8] sine(%l)\n",
       "planted"},
      {"masked softmax",
       "  %li = f32[8,8] broadcast(%lowest), dimensions={}\n"
       "  %r = f32[8] reduce(%li, %lowest), dimensions={1}, to_apply=max_f32\n"
       "  %rb = f32[8,8] broadcast(%r), dimensions={0}\n"
       "  %planted = f32[8,8] subtract(%li, %rb)\n",
       "planted"},
      {"narrow type",
       "  %k = f32[] constant(70000)\n  %ks = f32[8,8] broadcast(%k), dimensions={}\n"
       "  %half16 = f16[8,8] convert(%ks)\n  %q = f16[8,8] subtract(%half16, %half16)\n"
       "  %planted = f32[8,8] convert(%q)\n",
       "q"},
  };
  return planted;
}

const std::vector<FaultyPass>& FaultyPasses() {
  static const std::vector<FaultyPass> passes = {
      ForEach("swap-subtraction", HloOpcode::kSubtract,
              [](HloInstruction* i) -> absl::StatusOr<bool> {
                if (i->operand(1)->opcode() != HloOpcode::kBroadcast) return false;
                return ReplaceBy(i, HloOpcode::kSubtract, {i->operand(1), i->operand(0)});
              }),
      ForEach("drop-transpose", HloOpcode::kTranspose,
              [](HloInstruction* i) -> absl::StatusOr<bool> {
                if (!IsSquare(*i)) return false;
                return ReplaceBy(i, HloOpcode::kReshape, {i->operand(0)});
              }),
      ForEach(
          "swap-select", HloOpcode::kSelect,
          [](HloInstruction* i) -> absl::StatusOr<bool> {
            if (i->operand(1)->opcode() == HloOpcode::kSin) return false;  // done
            return ReplaceBy(i, HloOpcode::kSelect, {i->operand(0), i->operand(2), i->operand(1)});
          }),
      ForEach("drop-maximum", HloOpcode::kMaximum,
              [](HloInstruction* i) -> absl::StatusOr<bool> {
                if (!IsSquare(*i)) return false;
                return ReplaceBy(i, HloOpcode::kCopy, {i->operand(0)});
              }),
      ForEach("linear-exponential", HloOpcode::kExp,
              [](HloInstruction* i) -> absl::StatusOr<bool> {
                HloInstruction* one = i->parent()->InsertBefore(
                    i, HloInstruction::CreateConstant(LiteralUtil::One(F32)));
                HloInstruction* ones = i->parent()->InsertBefore(
                    i, HloInstruction::Create(HloOpcode::kBroadcast, i->shape(), {one},
                                              DimensionListAttributes{}));
                return ReplaceBy(i, HloOpcode::kAdd, {i->operand(0), ones});
              }),
      ForEach("loop-once-more", HloOpcode::kCompare,
              [](HloInstruction* i) -> absl::StatusOr<bool> {
                auto* attributes = i->mutable_attributes<CompareAttributes>();
                if (!i->IsRoot() || !i->operand(1)->IsConstant() ||
                    attributes->direction != ComparisonDirection::kLt) {
                  return false;
                }
                attributes->direction = ComparisonDirection::kLe;
                return true;
              }),
      ForEach("update-at-zero", HloOpcode::kDynamicUpdateSlice,
              [](HloInstruction* i) -> absl::StatusOr<bool> {
                HloInstruction* zero = i->parent()->InsertBefore(
                    i, HloInstruction::CreateConstant(LiteralUtil::Zero(S32)));
                if (i->operand(3)->literal().IsAll(0)) return false;
                XLA_RETURN_IF_ERROR(i->ReplaceOperandWith(3, zero));
                return true;
              }),
      ForEach("drop-reverse", HloOpcode::kReverse,
              [](HloInstruction* i) -> absl::StatusOr<bool> {
                return ReplaceBy(i, HloOpcode::kCopy, {i->operand(0)});
              }),
      ForEach("forget-branch", HloOpcode::kConditional,
              [](HloInstruction* i) -> absl::StatusOr<bool> {
                if (i->branch_computation(0) == i->branch_computation(1)) return false;
                i->set_called_computation(1, i->branch_computation(0));
                i->set_called_computation(0, i->branch_computation(1));
                return true;
              }),
      ForEach("sort-the-other-way", HloOpcode::kSort,
              [](HloInstruction* i) -> absl::StatusOr<bool> {
                auto* attributes = i->mutable_attributes<SortAttributes>();
                if (attributes->dimensions != std::vector<int64_t>{1}) return false;
                attributes->dimensions = {0};
                return true;
              }),
  };
  return passes;
}

namespace {

TEST(FaultyPassesTest, EachChangesTheLargeProgramAndLeavesItValid) {
  for (const FaultyPass& pass : FaultyPasses()) {
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(LargeProgram(400, "")));
    ASSERT_OK_AND_ASSIGN(const bool changed, pass.run(module.get()));
    EXPECT_TRUE(changed) << pass.name;
    EXPECT_OK(VerifyModule(*module)) << pass.name;
  }
}

}  // namespace
}  // namespace xla::testing
