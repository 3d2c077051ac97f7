// SPDX-License-Identifier: Apache-2.0
// The work of fused programs is at most a small multiple of what they ask for, also where a
// reduction is read by another, however long the chain.
#include "xla/cpu/plan/recomputation.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/plan/fusion.h"
#include "xla/cpu/plan/multi_output.h"
#include "xla/hlo/text/parser.h"

namespace xla::cpu {
namespace {

constexpr char kReducers[] = R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] maximum(a, b)
}
)";

// The entry's work after fusion, divided by that before.
double WorkRatio(const std::string& lines) {
  const auto module = ParseAndReturnUnverifiedModule(absl::StrCat(
      kReducers, "ENTRY e {\n  zero = f32[] constant(0)\n  low = f32[] constant(-inf)\n", lines,
      "}\n"));
  EXPECT_OK(module.status());
  if (!module.ok()) return 1e9;
  const auto work = [&] {
    double total = 0;
    for (const HloInstruction* instruction : (*module)->entry_computation()->instructions())
      total += WorkOf(*instruction);
    return total;
  };
  const double before = work();
  EXPECT_OK(FuseForCpu(module->get()).status());
  EXPECT_OK(MergeFusions(module->get(), /*least_bytes=*/0).status());
  return work() / before;
}

// `layer` makes y{i+1} of y{i}, with # for i.
double RatioOfChain(const std::string& layer, int layers) {
  std::string lines = "y0 = f32[256,512] parameter(0)\n";
  for (int i = 0; i < layers; ++i) {
    absl::StrAppend(
        &lines, absl::StrReplaceAll(layer, {{"#+1", absl::StrCat(i + 1)}, {"#", absl::StrCat(i)}}));
  }
  return WorkRatio(absl::StrCat(lines, "ROOT out = f32[256,512] negate(y", layers, ")\n"));
}

// As in gradients of scans by halves: each level is read at two places, and so are both of these.
TEST(BoundedWork, ChainsOfHalvesAreLinear) {
  const std::string level = R"(
  e# = f32[256,256] slice(y#), slice={[0:256],[0:512:2]}
  o# = f32[256,256] slice(y#), slice={[0:256],[1:512:2]}
  t# = f32[256,256] multiply(e#, o#)
  p# = f32[256,512] pad(t#, zero), padding=0_0x0_1_1
  z# = f32[256,512] broadcast(zero), dimensions={}
  y#+1 = f32[256,512] maximum(p#, z#)
)";
  for (const int levels : {2, 6, 12}) EXPECT_LE(RatioOfChain(level, levels), kMostWork) << levels;
}

TEST(BoundedWork, ChainsOfLayerNormsAreLinear) {
  constexpr char kLayer[] = R"(
  sum# = f32[256] reduce(y#, zero), dimensions={1}, to_apply=add
  mean# = f32[256,512] broadcast(sum#), dimensions={0}
  d# = f32[256,512] subtract(y#, mean#)
  square# = f32[256,512] multiply(d#, d#)
  variance# = f32[256] reduce(square#, zero), dimensions={1}, to_apply=add
  scale# = f32[256] rsqrt(variance#)
  scales# = f32[256,512] broadcast(scale#), dimensions={0}
  y#+1 = f32[256,512] multiply(d#, scales#)
)";
  for (const int layers : {1, 2, 3, 5, 8, 24, 60})
    EXPECT_LE(RatioOfChain(kLayer, layers), kMostWork) << layers;
}

TEST(BoundedWork, ChainsOfSoftmaxesAreLinear) {
  constexpr char kLayer[] = R"(
  most# = f32[256] reduce(y#, low), dimensions={1}, to_apply=max
  mosts# = f32[256,512] broadcast(most#), dimensions={0}
  d# = f32[256,512] subtract(y#, mosts#)
  e# = f32[256,512] exponential(d#)
  sum# = f32[256] reduce(e#, zero), dimensions={1}, to_apply=add
  sums# = f32[256,512] broadcast(sum#), dimensions={0}
  y#+1 = f32[256,512] divide(e#, sums#)
)";
  for (const int layers : {1, 2, 3, 5, 8, 24, 60})
    EXPECT_LE(RatioOfChain(kLayer, layers), kMostWork) << layers;
}

TEST(BoundedWork, ChainsOfCenteredRowsAreLinear) {
  constexpr char kLayer[] = R"(
  sum# = f32[256] reduce(y#, zero), dimensions={1}, to_apply=add
  mean# = f32[256,512] broadcast(sum#), dimensions={0}
  y#+1 = f32[256,512] subtract(y#, mean#)
)";
  for (const int layers : {1, 2, 3, 5, 8, 24, 60})
    EXPECT_LE(RatioOfChain(kLayer, layers), kMostWork) << layers;
}

// Pairwise squared distances of points of three coordinates, as `distance`.
std::string WithDistances(const std::string& rest) {
  return absl::StrCat(R"(
  x = f32[400,3] parameter(0)
  y = f32[400,3] parameter(1)
  xs = f32[400,400,3] broadcast(x), dimensions={0,2}
  ys = f32[400,400,3] broadcast(y), dimensions={1,2}
  d = f32[400,400,3] subtract(xs, ys)
  square = f32[400,400,3] multiply(d, d)
  distance = f32[400,400] reduce(square, zero), dimensions={2}, to_apply=add
)",
                      rest);
}

TEST(BoundedWork, DistancesAreNotComputedAgainForTheirRow) {
  // Divided by the sum of the row.
  EXPECT_LE(WorkRatio(WithDistances(R"(
  n = f32[400,400] negate(distance)
  e = f32[400,400] exponential(n)
  sum = f32[400] reduce(e, zero), dimensions={1}, to_apply=add
  sums = f32[400,400] broadcast(sum), dimensions={0}
  ROOT out = f32[400,400] divide(e, sums)
)")),
            kMostWork);
  // Less the largest of the row, and another reduction outside of it.
  EXPECT_LE(WorkRatio(WithDistances(R"(
  most = f32[400] reduce(distance, low), dimensions={1}, to_apply=max
  mosts = f32[400,400] broadcast(most), dimensions={0}
  z = f32[400,400,3] parameter(2)
  inner = f32[400,400] reduce(z, zero), dimensions={2}, to_apply=add
  less = f32[400,400] subtract(inner, mosts)
  ROOT out = f32[400,400] exponential(less)
)")),
            kMostWork);
  // The mean of the row, of distances that nothing else reads.
  EXPECT_LE(WorkRatio(WithDistances(R"(
  root = f32[400,400] sqrt(distance)
  sum = f32[400] reduce(root, zero), dimensions={1}, to_apply=add
  sums = f32[400,400] broadcast(sum), dimensions={0}
  z = f32[400,400] parameter(2)
  ROOT out = f32[400,400] subtract(z, sums)
)")),
            kMostWork);
}

TEST(BoundedWork, WindowsAndProductsOfRows) {
  EXPECT_LE(WorkRatio(R"(
  x = f32[200,300] parameter(0)
  w = f32[200,300] reduce-window(x, zero), window={size=1x7 pad=0_0x3_3}, to_apply=add
  e = f32[200,300] exponential(w)
  sum = f32[200] reduce(e, zero), dimensions={1}, to_apply=add
  sums = f32[200,300] broadcast(sum), dimensions={0}
  ROOT out = f32[200,300] divide(e, sums)
)"),
            kMostWork);
}

// The measure itself: a reduction that is computed for each element of its row counts as often.
TEST(BoundedWork, CountsReductionsWhereTheyAreRead) {
  const auto module = ParseAndReturnUnverifiedModule(absl::StrCat(kReducers, R"(
fused {
  x = f32[100,100,3] parameter(0)
  zero = f32[] constant(0)
  inner = f32[100,100] reduce(x, zero), dimensions={2}, to_apply=add
  e = f32[100,100] exponential(inner)
  sum = f32[100] reduce(e, zero), dimensions={1}, to_apply=add
  sums = f32[100,100] broadcast(sum), dimensions={1}
  ROOT out = f32[100,100] divide(e, sums)
}
ENTRY e {
  x = f32[100,100,3] parameter(0)
  ROOT f = f32[100,100] fusion(x), kind=kInput, calls=fused
}
)"));
  ASSERT_OK(module.status());
  // 100 * 100 sums of 100 exponentials; sums of 3 elements are cheaper than a store and a load.
  EXPECT_GE(WorkOf(*(*module)->entry_computation()->root_instruction()), 1e6 * 13);
}

// More instructions than a kernel may have, all of which read the same scalar.
TEST(BoundedWork, KernelsWithoutRoomTakeScalars) {
  std::string lines =
      "y0 = f32[256,512] parameter(0)\nz = f32[256,512] broadcast(zero), dimensions={}\n";
  constexpr int kLength = 900;
  for (int i = 0; i < kLength; ++i) {
    absl::StrAppend(&lines, i == kLength - 1 ? "ROOT " : "", "y", i + 1, " = f32[256,512] ",
                    i % 2 == 0 ? "add" : "maximum", "(y", i, ", z)\n");
  }
  const auto module = ParseAndReturnUnverifiedModule(
      absl::StrCat("HloModule m\nENTRY e {\n  zero = f32[] constant(0)\n", lines, "}\n"));
  ASSERT_OK(module.status());
  ASSERT_OK(FuseForCpu(module->get()).status());
  int kernels = 0;
  for (const HloInstruction* instruction : (*module)->entry_computation()->instructions()) {
    if (instruction->opcode() != HloOpcode::kFusion) continue;
    ++kernels;
    EXPECT_NE(instruction->fused_expression_root()->opcode(), HloOpcode::kBroadcast);
  }
  EXPECT_GT(kernels, 1);
}

}  // namespace
}  // namespace xla::cpu
