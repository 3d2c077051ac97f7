// SPDX-License-Identifier: Apache-2.0
// Loops whose state branches update, or leave as it is: it stays in its memory, and no step copies
// the whole of it.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

// A loop of 40 steps over an array of 50,000 numbers; $STEP makes %next of %i and %x, by way of
// these computations.
std::string Loop(const std::string& step, const std::string& computations = "") {
  constexpr char kText[] = R"(
HloModule branch_updates
keep { t = (s32[], f32[50000]) parameter(0) ROOT x = f32[50000] get-tuple-element(t), index=1 }
write {
  t = (s32[], f32[50000]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[50000] get-tuple-element(t), index=1
  f = f32[] convert(i)
  u = f32[1] reshape(f)
  ROOT y = f32[50000] dynamic-update-slice(x, u, i)
}
add_before {
  t = (s32[], f32[50000]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[50000] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] subtract(i, one)
  v = f32[1] dynamic-slice(x, j), dynamic_slice_sizes={1}
  w = f32[1] add(v, v)
  ROOT y = f32[50000] dynamic-update-slice(x, w, i)
}
$COMPUTATIONS
more { s = (s32[], f32[50000]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(40)
  ROOT r = pred[] compare(i, n), direction=LT }
body {
  s = (s32[], f32[50000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[50000] get-tuple-element(s), index=1
  three = s32[] constant(3)
  k = s32[] remainder(i, three)
  one = s32[] constant(1)
  p = pred[] compare(k, one), direction=EQ
$STEP
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[50000]) tuple(j, next)
}
ENTRY main {
  x = f32[50000] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[50000]) tuple(zero, x)
  w = (s32[], f32[50000]) while(s), condition=more, body=body
  ROOT r = f32[50000] get-tuple-element(w), index=1
})";
  return absl::StrReplaceAll(kText, {{"$STEP", step}, {"$COMPUTATIONS", computations}});
}

void ExpectInPlace(const std::string& text) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  ASSERT_OK(VerifyModule(*module));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  // The array is in the memory of the result.
  EXPECT_LE(program->ScratchBytes(1), 4096);
  std::vector<float> values(50000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  const Literal x = LiteralUtil::CreateR1<float>(values);
  ASSERT_OK_AND_ASSIGN(const Literal expected, Interpret(*module, {&x}));
  ASSERT_OK_AND_ASSIGN(const Literal actual, program->Run({&x}));
  EXPECT_EQ(actual, expected);
}

constexpr char kChoice[] =
    "  a = (s32[], f32[50000]) tuple(i, x)\n"
    "  next = f32[50000] conditional(p, a, a), true_computation=$T, false_computation=$F\n";

TEST(BranchUpdatesTest, ConditionalsThatWriteOrKeep) {
  ExpectInPlace(Loop(absl::StrReplaceAll(kChoice, {{"$T", "write"}, {"$F", "keep"}})));
  ExpectInPlace(Loop(absl::StrReplaceAll(kChoice, {{"$T", "keep"}, {"$F", "write"}})));
}

TEST(BranchUpdatesTest, ConditionalsThatWriteInEitherBranch) {
  ExpectInPlace(Loop(absl::StrReplaceAll(kChoice, {{"$T", "write"}, {"$F", "add_before"}})));
}

TEST(BranchUpdatesTest, SwitchesWhoseBranchesKeep) {
  ExpectInPlace(Loop(
      "  a = (s32[], f32[50000]) tuple(i, x)\n"
      "  next = f32[50000] conditional(k, a, a, a, a), branch_computations={keep, write, keep, "
      "add_before}\n"));
}

TEST(BranchUpdatesTest, ConditionalsWithinBranches) {
  ExpectInPlace(Loop(absl::StrReplaceAll(kChoice, {{"$T", "nested"}, {"$F", "keep"}}), R"(
nested {
  t = (s32[], f32[50000]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  ten = s32[] constant(10)
  q = pred[] compare(i, ten), direction=GT
  ROOT y = f32[50000] conditional(q, t, t), true_computation=add_before, false_computation=keep
})"));
}

TEST(BranchUpdatesTest, SeveralConditionalsInARow) {
  ExpectInPlace(Loop(R"(
  a = (s32[], f32[50000]) tuple(i, x)
  y = f32[50000] conditional(p, a, a), true_computation=write, false_computation=keep
  b = (s32[], f32[50000]) tuple(i, y)
  q = pred[] compare(k, one), direction=LT
  next = f32[50000] conditional(q, b, b), true_computation=keep, false_computation=add_before
)"));
}

TEST(BranchUpdatesTest, LoopsWithinBranches) {
  ExpectInPlace(Loop(absl::StrReplaceAll(kChoice, {{"$T", "fill"}, {"$F", "keep"}}), R"(
fewer { s = (s32[], f32[50000]) parameter(0) n = s32[] get-tuple-element(s), index=0 c = s32[] constant(45)
  ROOT r = pred[] compare(n, c), direction=LT }
fill_step {
  s = (s32[], f32[50000]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  y = f32[50000] call(s), to_apply=add_before
  one = s32[] constant(1)
  m = s32[] add(n, one)
  ROOT t = (s32[], f32[50000]) tuple(m, y)
}
fill {
  t = (s32[], f32[50000]) parameter(0)
  w = (s32[], f32[50000]) while(t), condition=fewer, body=fill_step
  ROOT y = f32[50000] get-tuple-element(w), index=1
})"));
}

TEST(BranchUpdatesTest, SelectsOfUpdates) {
  ExpectInPlace(Loop(R"(
  f = f32[] convert(i)
  u = f32[1] reshape(f)
  y = f32[50000] dynamic-update-slice(x, u, i)
  ps = pred[50000] broadcast(p), dimensions={}
  next = f32[50000] select(ps, y, x)
)"));
}

// What branches exchange, or read after an update, is copied, and right.
TEST(BranchUpdatesTest, BranchesThatNeedCopies) {
  constexpr char kText[] = R"(
HloModule exchanges
swap { t = (f32[4000], f32[4000]) parameter(0) x = f32[4000] get-tuple-element(t), index=0
  y = f32[4000] get-tuple-element(t), index=1 ROOT r = (f32[4000], f32[4000]) tuple(y, x) }
same { ROOT t = (f32[4000], f32[4000]) parameter(0) }
twice { t = (f32[4000], f32[4000]) parameter(0) x = f32[4000] get-tuple-element(t), index=0
  ROOT r = (f32[4000], f32[4000]) tuple(x, x) }
update { t = (f32[4000], f32[4000]) parameter(0) x = f32[4000] get-tuple-element(t), index=0
  one = f32[1] constant({1}) five = s32[] constant(5) z = f32[4000] dynamic-update-slice(x, one, five)
  s = f32[4000] add(z, x) ROOT r = (f32[4000], f32[4000]) tuple(z, s) }
more { s = (s32[], f32[4000], f32[4000]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(23) ROOT r = pred[] compare(i, n), direction=LT }
body {
  s = (s32[], f32[4000], f32[4000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[4000] get-tuple-element(s), index=1
  y = f32[4000] get-tuple-element(s), index=2
  a = (f32[4000], f32[4000]) tuple(x, y)
  seven = s32[] constant(7)
  k = s32[] remainder(i, seven)
  c = (f32[4000], f32[4000]) conditional(k, a, a, a, a), branch_computations={swap, same, update, twice}
  p = f32[4000] get-tuple-element(c), index=0
  q = f32[4000] get-tuple-element(c), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[4000], f32[4000]) tuple(j, $RESULTS)
}
ENTRY main {
  x = f32[4000] iota(), iota_dimension=0
  y = f32[4000] negate(x)
  zero = s32[] constant(0)
  s = (s32[], f32[4000], f32[4000]) tuple(zero, x, y)
  ROOT w = (s32[], f32[4000], f32[4000]) while(s), condition=more, body=body
})";
  for (const char* results : {"p, q", "q, p", "p, y", "x, q", "q, q"}) {
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(absl::StrReplaceAll(
                                                kText, {{"$RESULTS", results}})));
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
    ASSERT_OK_AND_ASSIGN(const Literal expected, Interpret(*module, {}));
    ASSERT_OK_AND_ASSIGN(const Literal actual, program->Run({}));
    EXPECT_EQ(actual, expected) << results;
  }
}

// Random nests of conditionals and loops over three arrays, which are updated, exchanged and read.
class RandomBranches {
 public:
  RandomBranches(uint64_t seed, int size) : state_(seed * 2654435761u + 1), size_(size) {}

  std::string Write() {
    const std::string steps = Steps("main_steps", 0);
    const std::string text = absl::StrCat("HloModule random_branches\n", computations_, R"(
ENTRY main {
  x = $A iota(), iota_dimension=0
  y = $A negate(x)
  z = $A add(x, x)
  i = s32[] constant(2)
  s = $S tuple(i, x, y, z)
  ROOT r = $S call(s), to_apply=)",
                                          steps, "\n}\n");
    return absl::StrReplaceAll(absl::StrReplaceAll(text, {{"$S", "(s32[], $A, $A, $A)"}}),
                               {{"$A", absl::StrCat("f32[", size_, "]")}});
  }

 private:
  int Below(int n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state_ >> 33) % static_cast<uint64_t>(n));
  }

  // A computation from the state to the state; its name.
  std::string Steps(const std::string& name, int depth) {
    std::string text = absl::StrCat(
        name,
        " {\n  s0 = $S parameter(0)\n  i = s32[] get-tuple-element(s0), index=0\n"
        "  one = s32[] constant(1)\n  f = f32[] convert(i)\n  u = f32[1] reshape(f)\n");
    std::vector<std::string> arrays;
    for (int k = 0; k < 3; ++k) {
      arrays.push_back(absl::StrCat("a", k));
      absl::StrAppend(&text, "  a", k, " = $A get-tuple-element(s0), index=", k + 1, "\n");
    }
    const int count = 1 + Below(4);
    for (int n = 0; n < count; ++n) {
      const std::string v = absl::StrCat("v", n);
      std::string& to = arrays[static_cast<size_t>(Below(3))];
      const std::string& from = arrays[static_cast<size_t>(Below(3))];
      const std::string now =
          absl::StrCat("$S tuple(i, ", arrays[0], ", ", arrays[1], ", ", arrays[2], ")\n");
      const auto take = [&](const std::string& state) {
        for (int k = 0; k < 3; ++k) {
          absl::StrAppend(&text, "  ", v, "r", k, " = $A get-tuple-element(", state,
                          "), index=", k + 1, "\n");
          arrays[static_cast<size_t>(k)] = absl::StrCat(v, "r", k);
        }
      };
      switch (Below(depth < 3 ? 9 : 5)) {
        case 0:
        case 1:
          absl::StrAppend(&text, "  ", v, "w = f32[1] dynamic-slice(", from,
                          ", one), dynamic_slice_sizes={1}\n  ", v, "x = f32[1] add(", v,
                          "w, u)\n  ", v, " = $A dynamic-update-slice(", from, ", ", v, "x, i)\n");
          to = v;
          break;
        case 2:
          absl::StrAppend(&text, "  ", v, " = $A subtract(", from, ", ", arrays[0], ")\n");
          to = v;
          break;
        case 3:
          std::swap(arrays[0], arrays[static_cast<size_t>(1 + Below(2))]);
          break;
        case 4:
          absl::StrAppend(&text, "  ", v, "c = pred[] compare(i, one), direction=GT\n  ", v,
                          "b = pred[", size_, "] broadcast(", v, "c), dimensions={}\n  ", v,
                          "d = $A dynamic-update-slice(", from, ", u, one)\n  ", v, " = $A select(",
                          v, "b, ", v, "d, ", from, ")\n");
          to = v;
          break;
        case 5:
        case 6: {
          const std::string a = Steps(absl::StrCat(name, "_", n, "a"), depth + 1),
                            b = Steps(absl::StrCat(name, "_", n, "b"), depth + 1);
          absl::StrAppend(&text, "  ", v, "s = ", now, "  ", v, "k = s32[] and(i, one)\n  ", v,
                          "c = $S conditional(", v, "k, ", v, "s, ", v, "s), branch_computations={",
                          a, ", ", b, "}\n");
          take(absl::StrCat(v, "c"));
          break;
        }
        case 7: {
          const std::string a = Keep(), b = Steps(absl::StrCat(name, "_", n, "b"), depth + 1);
          absl::StrAppend(&text, "  ", v, "s = ", now, "  ", v, "k = s32[] and(i, one)\n  ", v,
                          "c = $S conditional(", v, "k, ", v, "s, ", v, "s), branch_computations={",
                          a, ", ", b, "}\n");
          take(absl::StrCat(v, "c"));
          break;
        }
        default: {
          const std::string inner = Steps(absl::StrCat(name, "_", n, "l"), depth + 1);
          absl::StrAppend(&computations_, inner,
                          "_more { s = $S parameter(0) i = s32[] "
                          "get-tuple-element(s), index=0 n = s32[] constant(",
                          2 + Below(4), ") ROOT r = pred[] compare(i, n), direction=LT }\n", inner,
                          "_step {\n  s = $S parameter(0)\n  t = $S call(s), to_apply=", inner,
                          "\n  i = s32[] get-tuple-element(s), index=0\n  one = s32[] "
                          "constant(1)\n  j = s32[] add(i, one)\n");
          for (int k = 0; k < 3; ++k)
            absl::StrAppend(&computations_, "  a", k, " = $A get-tuple-element(t), index=", k + 1,
                            "\n");
          absl::StrAppend(&computations_, "  ROOT r = $S tuple(j, a0, a1, a2)\n}\n");
          absl::StrAppend(&text, "  ", v, "z = s32[] constant(0)\n  ", v, "s = $S tuple(", v, "z, ",
                          arrays[0], ", ", arrays[1], ", ", arrays[2], ")\n  ", v, "c = $S while(",
                          v, "s), condition=", inner, "_more, body=", inner, "_step\n");
          take(absl::StrCat(v, "c"));
          break;
        }
      }
    }
    absl::StrAppend(&computations_, text, "  ROOT r = $S tuple(i, ", arrays[0], ", ", arrays[1],
                    ", ", arrays[2], ")\n}\n");
    return name;
  }

  std::string Keep() {
    const std::string name = absl::StrCat("keep_", kept_++);
    absl::StrAppend(&computations_, name, " { ROOT s = $S parameter(0) }\n");
    return name;
  }

  uint64_t state_;
  const int size_;
  int kept_ = 0;
  std::string computations_;
};

TEST(BranchUpdatesTest, RandomNestsOfBranchesAndLoops) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    for (const int size : {5, 3000}) {
      const std::string text = RandomBranches(seed, size).Write();
      ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
      ASSERT_OK(VerifyModule(*module)) << text;
      ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
      ASSERT_OK_AND_ASSIGN(const Literal expected, Interpret(*module, {}));
      ASSERT_OK_AND_ASSIGN(const Literal actual, program->Run({}));
      ASSERT_EQ(actual, expected) << seed << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace xla
