// SPDX-License-Identifier: Apache-2.0
// What operations cost, against XLA's numbers, counted by hand.
#include "xla/hlo/ir/operation_cost.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

// Every operation, by class: a row of the table that changes shows here.
constexpr char kClasses[] = R"(
free: parameter constant tuple get-tuple-element opt-barrier domain after-all add-dependency
view: bitcast reshape
move: copy iota broadcast reverse slice transpose copy-start copy-done
select: concatenate dynamic-reshape pad get-dimension-size set-dimension-size dynamic-slice dynamic-update-slice gather
arithmetic: abs bitcast-convert ceil count-leading-zeros convert floor imag is-finite negate not popcnt real reduce-precision round-nearest-afz round-nearest-even sign add and clamp compare complex maximum minimum mulhi multiply or select shift-left shift-right-arithmetic shift-right-logical stochastic-convert subtract xor
divide: divide remainder
root: rsqrt sqrt
transcendental: acos acosh asin asinh atanh cbrt cosine cosh erf exponential exponential-minus-one log log-plus-one logistic sine sinh tan tanh
power: atan2 power
apply: scatter map reduce scan reduce-window select-and-scatter
contraction: convolution dot ragged-dot scaled-dot
algorithm: batch-norm-grad batch-norm-inference batch-norm-training sort topk cholesky fft triangular-solve rng rng-bit-generator rng-get-and-update-state
control: call while conditional fusion custom-call async-start async-update async-done
communication: infeed outfeed send send-done recv recv-done all-gather all-gather-start all-gather-done all-reduce all-reduce-start all-reduce-done reduce-scatter all-to-all ragged-all-to-all collective-broadcast collective-permute collective-permute-start collective-permute-done partition-id replica-id
)";

TEST(CostClassTest, EachOperationHasItsOwn) {
  std::map<std::string, std::string> expected;
  for (absl::string_view line : absl::StrSplit(kClasses, '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(line, ": ");
    for (absl::string_view name : absl::StrSplit(parts.second, ' '))
      expected[std::string(name)] = parts.first;
  }
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    EXPECT_EQ(CostClassName(GetOpInfo(opcode).cost), expected[HloOpcodeString(opcode)])
        << HloOpcodeString(opcode);
  }
  EXPECT_EQ(expected.size(), static_cast<size_t>(kNumHloOpcodes));
}

TEST(CostClassTest, FollowsFromWhatElseTheTableSays) {
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    const OpInfo& info = GetOpInfo(opcode);
    const CostClass cost = info.cost;
    const std::string& name = HloOpcodeString(opcode);
    if (info.Has(op_traits::kHasAccuracy)) {
      EXPECT_TRUE(IsTranscendental(opcode)) << name;
    }
    if (info.Has(op_traits::kElementwiseTrait) && opcode != HloOpcode::kCopy) {
      EXPECT_GT(ElementWork(opcode), 0) << name;
    }
    EXPECT_EQ(info.family == OpFamily::kContraction, cost == CostClass::kContraction) << name;
    if (info.family == OpFamily::kCollective) {
      EXPECT_EQ(cost, CostClass::kCommunication) << name;
    }
    if (IsFree(opcode)) {
      EXPECT_EQ(ElementWork(opcode), 0) << name;
      EXPECT_FALSE(info.HasAny(op_traits::kSideEffect)) << name;
    }
    if (IsView(opcode)) {
      EXPECT_EQ(info.arity, 1) << name;
    }
  }
}

// The root of a program of these lines.
OperationCost CostOfProgram(const std::string& lines, const std::string& computations = "") {
  const auto module = ParseAndReturnUnverifiedModule(
      absl::StrCat("HloModule m\n", computations, "ENTRY e {\n", lines, "}\n"));
  EXPECT_OK(module.status());
  return module.ok() ? ModuleCost(**module) : OperationCost();
}

double FlopsOf(const std::string& lines) {
  const auto module =
      ParseAndReturnUnverifiedModule(absl::StrCat("HloModule m\nENTRY e {\n", lines, "}\n"));
  EXPECT_OK(module.status());
  if (!module.ok()) return -1;
  return ContractionFlops(*(*module)->entry_computation()->root_instruction());
}

TEST(ContractionFlopsTest, OfDots) {
  EXPECT_EQ(FlopsOf(R"(
  a = f32[3,5] parameter(0)
  b = f32[5,7] parameter(1)
  ROOT r = f32[3,7] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)"),
            2 * 3 * 5 * 7);
  EXPECT_EQ(FlopsOf(R"(
  a = bf16[2,3,5,4] parameter(0)
  b = bf16[2,4,5,7] parameter(1)
  ROOT r = f32[2,3,7] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2,3}, rhs_contracting_dims={2,1}
)"),
            2 * 2 * 3 * 7 * 5 * 4);
  EXPECT_EQ(FlopsOf("  a = f32[4] parameter(0)\n  ROOT r = f32[4] add(a, a)\n"), 0);
}

TEST(ContractionFlopsTest, OfRaggedDots) {
  EXPECT_EQ(FlopsOf(R"(
  a = f32[11,5] parameter(0)
  b = f32[3,5,7] parameter(1)
  sizes = s64[3] parameter(2)
  ROOT r = f32[11,7] ragged-dot(a, b, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
)"),
            2 * 11 * 5 * 7);
  // Each group sums its own part.
  EXPECT_EQ(FlopsOf(R"(
  a = f32[11,5] parameter(0)
  b = f32[5,7] parameter(1)
  sizes = s64[3] parameter(2)
  ROOT r = f32[3,11,7] ragged-dot(a, b, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}
)"),
            2 * 11 * 5 * 7);
}

// Of an image of 10 x 20 elements and a kernel of 3 x 3.
double FlopsOfConvolution(const std::string& input, const std::string& kernel,
                          const std::string& result, const std::string& attributes) {
  return FlopsOf(absl::StrCat("  a = ", input, " parameter(0)\n  b = ", kernel,
                              " parameter(1)\n  ROOT r = ", result, " convolution(a, b), ",
                              attributes, "\n"));
}

TEST(ContractionFlopsTest, OfConvolutions) {
  EXPECT_EQ(FlopsOfConvolution("f32[1,1,10,20]", "f32[1,1,3,3]", "f32[1,1,8,18]",
                               "window={size=3x3}, dim_labels=bf01_oi01->bf01"),
            2 * 8 * 18 * 3 * 3);
  // Padding is not multiplied: 3 n - 2 pairs along a dimension.
  EXPECT_EQ(FlopsOfConvolution("f32[1,1,10,20]", "f32[1,1,3,3]", "f32[1,1,10,20]",
                               "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"),
            2 * 28 * 58);
  EXPECT_EQ(FlopsOfConvolution("f32[4,6,10,20]", "f32[8,6,3,3]", "f32[4,8,4,18]",
                               "window={size=3x3 stride=2x1}, dim_labels=bf01_oi01->bf01"),
            2.0 * 4 * 6 * 8 * (4 * 3) * (18 * 3));
  // Dilated windows read as many elements.
  EXPECT_EQ(FlopsOfConvolution("f32[1,1,10,20]", "f32[1,1,3,3]", "f32[1,1,6,18]",
                               "window={size=3x3 rhs_dilate=2x1}, dim_labels=bf01_oi01->bf01"),
            2 * 6 * 3 * 18 * 3);
}

TEST(ContractionFlopsTest, HolesOfBaseDilationAreNotMultiplied) {
  // 19 places, every other one an element: the three taps meet 9, 8 and 9 of them.
  EXPECT_EQ(FlopsOfConvolution("f32[1,1,10]", "f32[1,1,3]", "f32[1,1,17]",
                               "window={size=3 lhs_dilate=2}, dim_labels=bf0_oi0->bf0"),
            2 * (9 + 8 + 9));
  // Steps of as many places as an element has: the middle tap meets nothing.
  EXPECT_EQ(FlopsOfConvolution("f32[1,1,10]", "f32[1,1,3]", "f32[1,1,9]",
                               "window={size=3 stride=2 lhs_dilate=2}, dim_labels=bf0_oi0->bf0"),
            2 * (9 + 9));
  // Whole sizes: each pair counted by a loop over both.
  for (const auto& [stride, base, dilation, low] :
       {std::tuple{1, 3, 2, 4}, {2, 3, 1, -1}, {4, 6, 5, 3}, {3, 2, 1, 0}, {5, 4, 3, 7}}) {
    constexpr int64_t kInput = 9, kTaps = 4;
    const int64_t places = low + (kInput - 1) * base + 1, reach = (kTaps - 1) * dilation + 1;
    const int64_t output = (places - reach) / stride + 1;
    int64_t pairs = 0;
    for (int64_t k = 0; k < kTaps; ++k) {
      for (int64_t o = 0; o < output; ++o) {
        const int64_t place = o * stride + k * dilation - low;
        pairs += place >= 0 && place % base == 0 && place / base < kInput ? 1 : 0;
      }
    }
    EXPECT_EQ(FlopsOfConvolution(
                  absl::StrCat("f32[1,1,", kInput, "]"), absl::StrCat("f32[1,1,", kTaps, "]"),
                  absl::StrCat("f32[1,1,", output, "]"),
                  absl::StrCat("window={size=", kTaps, " stride=", stride, " pad=", low,
                               "_0 lhs_dilate=", base, " rhs_dilate=", dilation,
                               "}, dim_labels=bf0_oi0->bf0")),
              static_cast<double>(2 * pairs))
        << stride << " " << base << " " << dilation << " " << low;
  }
}

TEST(ContractionFlopsTest, OfGroups) {
  EXPECT_EQ(
      FlopsOfConvolution("f32[1,120,10,20]", "f32[120,1,3,3]", "f32[1,120,8,18]",
                         "window={size=3x3}, dim_labels=bf01_oi01->bf01, feature_group_count=120"),
      2 * 120 * 8 * 18 * 3 * 3);
  EXPECT_EQ(
      FlopsOfConvolution("f32[120,1,10,20]", "f32[120,1,3,3]", "f32[1,120,8,18]",
                         "window={size=3x3}, dim_labels=bf01_oi01->bf01, batch_group_count=120"),
      2 * 120 * 8 * 18 * 3 * 3);
  EXPECT_EQ(FlopsOfConvolution("f32[2,4]", "f32[4,6]", "f32[2,6]", "dim_labels=bf_io->bf"),
            2 * 2 * 4 * 6);
}

// What JAX 0.9.2 says of these with XLA's HloCostAnalysis.
TEST(ContractionFlopsTest, AreXlas) {
  const std::string input = "f32[2,6,10,20]", kernel = "f32[8,6,3,3]";
  EXPECT_EQ(FlopsOfConvolution(input, kernel, "f32[2,8,10,20]",
                               "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"),
            311808);
  EXPECT_EQ(FlopsOfConvolution(
                input, kernel, "f32[2,8,21,60]",
                "window={size=3x3 pad=2_2x1_3 lhs_dilate=2x3}, dim_labels=bf01_oi01->bf01"),
            339840);
  EXPECT_EQ(
      FlopsOfConvolution(
          input, kernel, "f32[2,8,5,18]",
          "window={size=3x3 stride=2x1 pad=2_2x1_3 rhs_dilate=2x3}, dim_labels=bf01_oi01->bf01"),
      124800);
  EXPECT_EQ(
      FlopsOfConvolution(input, "f32[9,2,3,3]", "f32[2,9,8,18]",
                         "window={size=3x3}, dim_labels=bf01_oi01->bf01, feature_group_count=3"),
      93312);
  EXPECT_EQ(
      FlopsOfConvolution("f32[6,2,10,20]", "f32[9,2,3,3]", "f32[2,9,8,18]",
                         "window={size=3x3}, dim_labels=bf01_oi01->bf01, batch_group_count=3"),
      93312);
}

TEST(ContractionFlopsTest, OfSparseKernelsThoseOfStoredValues) {
  EXPECT_EQ(FlopsOf(R"(
  a = f32[1,8] parameter(0)
  values = f32[2,1] parameter(1)
  places = u2[2,1] parameter(2)
  b = (f32[2,1], u2[2,1]) tuple(values, places)
  ROOT r = f32[1,1] convolution(a, b), dim_labels=bf_io->bf, sparsity_config={rhs={sparsity=1x4 dimension=0 stride=1}}
)"),
            2 * 2);
}

// Windows of any size take no time.
TEST(ContractionFlopsTest, SizesAreNotIteratedOver) {
  EXPECT_GT(FlopsOfConvolution("f32[1,1,2000000000]", "f32[1,1,1000000000]", "f32[1,1,1000000001]",
                               "window={size=1000000000}, dim_labels=bf0_oi0->bf0"),
            1e18);
  EXPECT_GT(FlopsOfConvolution(
                "f32[1,1,2000000]", "f32[1,1,1000000]", "f32[1,1,1000000]",
                "window={size=1000000 stride=1000001 lhs_dilate=1000000}, dim_labels=bf0_oi0->bf0"),
            0);
}

void ExpectCost(const OperationCost& cost, double flops, double transcendentals, double bytes) {
  EXPECT_EQ(cost.flops, flops);
  EXPECT_EQ(cost.transcendentals, transcendentals);
  EXPECT_EQ(cost.bytes, bytes);
}

TEST(ModuleCostTest, FunctionsAreNoFlops) {
  ExpectCost(CostOfProgram(R"(
  x = f32[8] parameter(0)
  a = f32[8] acosh(x)
  b = f32[8] sqrt(a)
  c = f32[8] power(b, x)
  d = f32[8] divide(c, x)
  ROOT r = f32[8] copy(d)
)"),
             8, 3 * 8, 4 * 8 * (2 + 2 + 3 + 3 + 2));
}

TEST(ModuleCostTest, FusionsReadWhatTheyUse) {
  constexpr char kRow[] = R"(
row {
  x = f32[100,8] parameter(0)
  i = s32[] parameter(1)
  z = s32[] constant(0)
  s = f32[1,8] dynamic-slice(x, i, z), dynamic_slice_sizes={1,8}
  t = f32[1,8] slice(x), slice={[0:1], [0:8]}
  ROOT r = f32[1,8] add(s, t)
}
update {
  x = f32[100,8] parameter(0)
  row = f32[1,8] parameter(1)
  i = s32[] parameter(2)
  z = s32[] constant(0)
  n = f32[1,8] negate(row)
  ROOT r = f32[100,8] dynamic-update-slice(x, n, i, z)
}
whole {
  x = f32[100,8] parameter(0)
  t = f32[1,8] slice(x), slice={[0:1], [0:8]}
  w = f32[8] reshape(t)
  b = f32[100,8] broadcast(w), dimensions={1}
  ROOT r = f32[100,8] add(x, b)
}
)";
  ExpectCost(CostOfProgram(R"(
  x = f32[100,8] parameter(0)
  i = s32[] parameter(1)
  ROOT r = f32[1,8] fusion(x, i), kind=kLoop, calls=row
)",
                           kRow),
             8, 0, (8 + 8 + 8) * 4 + 4);
  ExpectCost(CostOfProgram(R"(
  x = f32[100,8] parameter(0)
  row = f32[1,8] parameter(1)
  i = s32[] parameter(2)
  ROOT r = f32[100,8] fusion(x, row, i), kind=kLoop, calls=update
)",
                           kRow),
             8, 0, (8 + 8) * 4 + 4);
  ExpectCost(CostOfProgram(R"(
  x = f32[100,8] parameter(0)
  ROOT r = f32[100,8] fusion(x), kind=kLoop, calls=whole
)",
                           kRow),
             800, 0, 2 * 800 * 4);
}

TEST(ModuleCostTest, NamesAndBitcastsReadNothing) {
  ExpectCost(CostOfProgram(R"(
  x = s4[8] parameter(0)
  b = s4[2,4] bitcast(x)
  t = (s4[8], s4[2,4]) tuple(x, b)
  g = s4[2,4] get-tuple-element(t), index=1
  ROOT r = s4[4,2] reshape(g)
)"),
             0, 0, 4 + 4);
}

// XLA stores the sizes of all dimensions, as s32, behind the elements of a dynamic shape.
TEST(ModuleCostTest, DynamicShapesHaveSizes) {
  ExpectCost(CostOfProgram(R"(
  x = f32[2,<=3] parameter(0)
  ROOT r = f32[2,<=3] negate(x)
)"),
             6, 0, 2 * (4 * 6 + 4 * 2));
}

constexpr char kReducer[] = R"(
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  s = f32[] add(a, b)
  ROOT e = f32[] exponential(s)
}
)";

TEST(ModuleCostTest, ComputationsAreAppliedToElements) {
  ExpectCost(CostOfProgram(R"(
  x = f32[3,5] parameter(0)
  i = f32[] parameter(1)
  ROOT r = f32[3] reduce(x, i), dimensions={1}, to_apply=add
)",
                           kReducer),
             15 - 3, 15 - 3, 4 * (15 + 1 + 3));
  ExpectCost(CostOfProgram(R"(
  x = f32[6] parameter(0)
  i = f32[] parameter(1)
  ROOT r = f32[4] reduce-window(x, i), window={size=3}, to_apply=add
)",
                           kReducer),
             2 * 4, 2 * 4, 4 * (6 + 1 + 4));
  ExpectCost(CostOfProgram(R"(
  x = f32[10] parameter(0)
  i = s32[3,1] parameter(1)
  u = f32[3] parameter(2)
  ROOT r = f32[10] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
)",
                           kReducer),
             3, 3, 4 * (3 * 3 + 3));
}

TEST(ModuleCostTest, LoopsCountOnceAndTheLargestBranch) {
  const std::string computations = R"(
one {
  x = f32[4] parameter(0)
  ROOT r = f32[4] add(x, x)
}
two {
  x = f32[4] parameter(0)
  y = f32[4] multiply(x, x)
  ROOT r = f32[4] add(y, x)
}
goes_on {
  x = f32[4] parameter(0)
  ROOT r = pred[] constant(false)
}
)";
  ExpectCost(CostOfProgram(R"(
  x = f32[4] parameter(0)
  p = pred[] parameter(1)
  w = f32[4] while(x), condition=goes_on, body=one
  f = f32[4] fusion(w), kind=kLoop, calls=two
  c = f32[4] call(f), to_apply=two
  ROOT r = f32[4] conditional(p, c, c), true_computation=one, false_computation=two
)",
                           computations),
             4 + 8 + 8 + 8, 0, 48 + 32 + 96 + 96);
}

TEST(ModuleCostTest, OfAlgorithms) {
  EXPECT_EQ(CostOfProgram("  x = c64[3,8] parameter(0)\n  ROOT r = c64[3,8] fft(x), "
                          "fft_type=FFT, fft_length={8}\n")
                .flops,
            2 * 4 * 3 * 24);
  EXPECT_EQ(CostOfProgram("  x = f32[2,6,6] parameter(0)\n  ROOT r = f32[2,6,6] cholesky(x), "
                          "lower=true\n")
                .flops,
            6 * 72 / 3);
}

TEST(SkipViewsTest, EndsAtWhatIsInMemory) {
  const auto module = ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  x = f32[8] parameter(0)
  n = f32[8] negate(x)
  a = f32[2,4] reshape(n)
  ROOT b = f32[4,2] bitcast(a)
})");
  ASSERT_OK(module.status());
  const HloInstruction* root = (*module)->entry_computation()->root_instruction();
  EXPECT_EQ(SkipViews(root)->opcode(), HloOpcode::kNegate);
  EXPECT_EQ(SkipViews(root->operand(0)->operand(0)), root->operand(0)->operand(0));
}

}  // namespace
}  // namespace xla
