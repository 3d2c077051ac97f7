// SPDX-License-Identifier: Apache-2.0
// Kernels on larger programs: the definition, the same bits for any number of threads, memory, and
// errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

absl::StatusOr<Literal> RunProgram(const std::string& text,
                                   const std::vector<const Literal*>& arguments = {},
                                   int threads = 2, RunStatistics* statistics = nullptr) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) return module.status();
  InterpreterOptions options;
  options.num_threads = threads;
  return Interpret(**module, arguments, options, statistics);
}

// Small whole numbers, the same for the same seed.
class Numbers {
 public:
  explicit Numbers(uint32_t seed) : state_(seed) {}
  uint32_t Next() { return (state_ = state_ * 1664525u + 1013904223u) >> 16; }
  int64_t In(int64_t low, int64_t high) { return low + Next() % (high - low + 1); }

 private:
  uint32_t state_;
};

// Noise whose sums round, as a program text: values in [-1, 1) from the bits of an iota.
std::string Noise(const std::string& name, const std::string& dims, int seed) {
  return absl::StrReplaceAll(R"(
  $n.key = u64[2] constant({$s, 1})
  $n.rng = (u64[2], s32[$d]) rng-bit-generator($n.key), algorithm=rng_three_fry
  $n.bits = s32[$d] get-tuple-element($n.rng), index=1
  $n.float = f32[$d] convert($n.bits)
  $n.scale = f32[] constant(4.6566129e-10)
  $n.scales = f32[$d] broadcast($n.scale), dimensions={}
  $n = f32[$d] multiply($n.float, $n.scales)
)",
                             {{"$n", name}, {"$d", dims}, {"$s", absl::StrCat(seed)}});
}

constexpr char kRegions[] = R"(
HloModule m

sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}

least {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  y = f32[] parameter(2)
  j = s32[] parameter(3)
  less = pred[] compare(x, y), direction=LE
  v = f32[] select(less, x, y)
  k = s32[] select(less, i, j)
  ROOT t = (f32[], s32[]) tuple(v, k)
}

order {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = pred[] compare(x, y), direction=LT
}

at_least {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = pred[] compare(x, y), direction=GE
}
)";

TEST(KernelsTest, ThreadsDoNotChangeBits) {
  const std::vector<std::string> programs = {
      Noise("a", "300,700", 1) + Noise("b", "700,600", 2) +
          "ROOT r = f32[300,600] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      Noise("a", "1,70000", 1) + Noise("b", "70000,3", 2) +
          "ROOT r = f32[1,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      Noise("a", "2,30,30,33", 1) + Noise("b", "3,3,33,40", 2) +
          "ROOT r = f32[2,30,30,40] convolution(a, b), window={size=3x3 pad=1_1x1_1}, "
          "dim_labels=b01f_01io->b01f",
      Noise("a", "2,30,30,32", 1) + Noise("b", "3,3,1,32", 2) +
          "ROOT r = f32[2,30,30,32] convolution(a, b), window={size=3x3 pad=1_1x1_1}, "
          "dim_labels=b01f_01io->b01f, "
          "feature_group_count=32",
      Noise("a", "1000000", 1) +
          "z = f32[] constant(0)\nROOT r = f32[] reduce(a, z), dimensions={0}, to_apply=sum",
      Noise("a", "5000,70", 1) +
          "z = f32[] constant(0)\nROOT r = f32[70] reduce(a, z), dimensions={0}, to_apply=sum",
      Noise("a", "30,40,50", 1) +
          "z = f32[] constant(0)\nROOT r = f32[40] reduce(a, z), dimensions={0,2}, to_apply=sum",
      Noise("a", "5,40000", 1) + R"(
  i = s32[5,40000] iota(), iota_dimension=1
  z = f32[] constant(inf)
  o = s32[] constant(0)
  ROOT r = (f32[5], s32[5]) reduce(a, i, z, o), dimensions={1}, to_apply=least)",
      Noise("a", "40,3000", 1) +
          "z = f32[] constant(0)\nROOT r = f32[40,3000] reduce-window(a, z), window={size=1x3000 "
          "pad=0_0x2999_0}, "
          "to_apply=sum",
      Noise("a", "64,64,16", 1) + Noise("b", "32,32,16", 2) +
          "z = f32[] constant(0)\nROOT r = f32[64,64,16] select-and-scatter(a, b, z), "
          "window={size=3x3x1 stride=2x2x1 "
          "pad=0_1x0_1x0_0}, select=at_least, scatter=sum",
      Noise("a", "20000", 1) + "ROOT r = f32[20000] sort(a), dimensions={0}, to_apply=order",
      Noise("a", "90,110", 1) +
          "c = c64[90,110] complex(a, a)\nROOT r = c64[90,110] fft(c), fft_type=FFT, "
          "fft_length={90,110}",
      "s = f32[] constant(0)\nt = f32[] constant(1)\nROOT r = f32[10000] rng(s, t), "
      "distribution=rng_normal",
  };
  for (const std::string& program : programs) {
    const std::string text = absl::StrCat(kRegions, "ENTRY e {\n", program, "\n}\n");
    ASSERT_OK_AND_ASSIGN(const Literal expected, RunProgram(text, {}, 1));
    for (const int threads : {2, 3, 8}) {
      ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(text, {}, threads));
      EXPECT_EQ(result, expected) << threads << " threads: " << program;
    }
  }
}

// Sizes on both sides of lanes, panels and blocks, against the plain sum; whole numbers, so that
// every order is exact.
TEST(KernelsTest, DotAgreesWithTheDefinition) {
  Numbers numbers(7);
  const int64_t sizes[] = {1, 2, 5, 7, 8, 9, 16, 31, 33, 64, 100, 255, 257, 520};
  for (int round = 0; round < 60; ++round) {
    const int64_t m = sizes[numbers.In(0, 13)], n = sizes[numbers.In(0, 13)],
                  k = sizes[numbers.In(0, 13)];
    const bool lhs_transposed = numbers.In(0, 1) == 1, rhs_transposed = numbers.In(0, 1) == 1;
    std::vector<float> a(m * k), b(k * n);
    for (float& v : a) v = static_cast<float>(numbers.In(-8, 8));
    for (float& v : b) v = static_cast<float>(numbers.In(-8, 8));
    const Literal lhs = *LiteralUtil::CreateR1<float>(a).Reshape(
        lhs_transposed ? std::vector<int64_t>{k, m} : std::vector<int64_t>{m, k});
    const Literal rhs = *LiteralUtil::CreateR1<float>(b).Reshape(
        rhs_transposed ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n});
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e {\n  a = f32[", lhs_transposed ? k : m, ",", lhs_transposed ? m : k,
        "] parameter(0)\n  b = f32[", rhs_transposed ? n : k, ",", rhs_transposed ? k : n,
        "] parameter(1)\n  ROOT r = f32[", m, ",", n, "] dot(a, b), lhs_contracting_dims={",
        lhs_transposed ? 0 : 1, "}, rhs_contracting_dims={", rhs_transposed ? 1 : 0, "}\n}\n");
    ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(text, {&lhs, &rhs}));
    const absl::Span<const float> c = result.data<float>();
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l) {
          sum += double{a[lhs_transposed ? l * m + i : i * k + l]} *
                 b[rhs_transposed ? j * k + l : l * n + j];
        }
        ASSERT_EQ(c[i * n + j], sum) << text << " at " << i << "," << j;
      }
    }
  }
}

// The quick path of an integer sum against any computation that amounts to it, for random windows.
TEST(KernelsTest, WindowsOfEveryKindAgree) {
  Numbers numbers(11);
  for (int round = 0; round < 150; ++round) {
    std::vector<int64_t> input, output, size, stride, base, dilation, low, high;
    bool fits = true;
    for (int d = 0; d < 2; ++d) {
      input.push_back(numbers.In(1, 40));
      size.push_back(numbers.In(1, numbers.In(0, 3) == 0 ? 50 : 5));
      stride.push_back(numbers.In(1, 3));
      base.push_back(numbers.In(0, 3) == 0 ? numbers.In(2, 3) : 1);
      dilation.push_back(numbers.In(0, 3) == 0 ? numbers.In(2, 3) : 1);
      low.push_back(numbers.In(-2, 60));
      high.push_back(numbers.In(-2, 60));
      const int64_t padded = (input[d] - 1) * base[d] + 1 + low[d] + high[d];
      const int64_t dilated = (size[d] - 1) * dilation[d] + 1;
      fits &= padded >= dilated;
      output.push_back(fits ? (padded - dilated) / stride[d] + 1 : 0);
    }
    if (!fits) continue;
    std::vector<std::string> pads;
    for (int d = 0; d < 2; ++d) pads.push_back(absl::StrCat(low[d], "_", high[d]));
    const std::string window =
        absl::StrCat("size=", absl::StrJoin(size, "x"), " stride=", absl::StrJoin(stride, "x"),
                     " pad=", absl::StrJoin(pads, "x"), " lhs_dilate=", absl::StrJoin(base, "x"),
                     " rhs_dilate=", absl::StrJoin(dilation, "x"));
    const std::string in = absl::StrJoin(input, ","), out = absl::StrJoin(output, ",");
    const std::string text = absl::StrReplaceAll(R"(
HloModule m
quick {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  ROOT r = s32[] add(x, y)
}
slow {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  n = s32[] negate(y)
  ROOT r = s32[] subtract(x, n)
}
ENTRY e {
  key = u64[2] constant({5, 6})
  rng = (u64[2], s32[$i]) rng-bit-generator(key), algorithm=rng_three_fry
  a = s32[$i] get-tuple-element(rng), index=1
  z = s32[] constant(17)
  q = s32[$o] reduce-window(a, z), window={$w}, to_apply=quick
  s = s32[$o] reduce-window(a, z), window={$w}, to_apply=slow
  ROOT t = (s32[$o], s32[$o]) tuple(q, s)
})",
                                                 {{"$i", in}, {"$o", out}, {"$w", window}});
    ASSERT_OK_AND_ASSIGN(Literal result, RunProgram(text));
    const std::vector<Literal> both = result.DecomposeTuple();
    ASSERT_EQ(both[0], both[1]) << in << " " << window;
  }
}

TEST(KernelsTest, SumsOfManyFloatsAreAccurate) {
  const std::string text = absl::StrCat(kRegions, R"(
ENTRY e {
  x = f32[] constant(0.1)
  a = f32[10000000] broadcast(x), dimensions={}
  b = f32[1000,10000] broadcast(x), dimensions={}
  z = f32[] constant(0)
  s = f32[] reduce(a, z), dimensions={0}, to_apply=sum
  t = f32[10000] reduce(b, z), dimensions={0}, to_apply=sum
  ROOT r = (f32[], f32[10000]) tuple(s, t)
})");
  ASSERT_OK_AND_ASSIGN(Literal result, RunProgram(text));
  const std::vector<Literal> sums = result.DecomposeTuple();
  EXPECT_NEAR(sums[0].Get<float>({}), 1e6, 1);
  EXPECT_NEAR(sums[1].Get<float>({77}), 100, 1e-4);
}

TEST(KernelsTest, UpdatesHappenInPlace) {
  RunStatistics statistics;
  const std::string text = absl::StrCat(kRegions, R"(
ENTRY e {
  z = f32[] constant(0)
  a = f32[1000000] broadcast(z), dimensions={}
  one = f32[1] constant({1})
  at = s32[] constant(5)
  b = f32[1000000] dynamic-update-slice(a, one, at)
  i = s32[1] constant({6})
  c = f32[1000000] scatter(b, i, one), update_window_dims={}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
  ROOT d = f32[2] dynamic-slice(c, at), dynamic_slice_sizes={2}
})");
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(text, {}, 1, &statistics));
  EXPECT_EQ(result, LiteralUtil::CreateR1<float>({1, 1}));
  EXPECT_LT(statistics.peak_bytes, 5000000);
}

// Slices of no elements out of an operand of none: nothing is read, wherever the indices point.
TEST(KernelsTest, GatherFromNothingGivesZeros) {
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(R"(
HloModule m
ENTRY e {
  z = f32[] constant(0)
  a = f32[0,1000] broadcast(z), dimensions={}
  i = s32[3] constant({0, 900000, -5})
  ROOT g = f32[3,1000] gather(a, i), offset_dims={1}, collapsed_slice_dims={0},
      start_index_map={0}, index_vector_dim=1, slice_sizes={0,1000}
})",
                                                        {}, 1));
  for (const float value : result.data<float>()) ASSERT_EQ(value, 0);
}

// The patches of this convolution would take 400 MB.
TEST(KernelsTest, ConvolutionTakesLittleMemory) {
  RunStatistics statistics;
  const std::string text = R"(
HloModule m
ENTRY e {
  x = f32[] constant(1)
  a = f32[1,300,300,16] broadcast(x), dimensions={}
  b = f32[9,9,16,4] broadcast(x), dimensions={}
  ROOT r = f32[1,300,300,4] convolution(a, b), window={size=9x9 pad=4_4x4_4}, dim_labels=b01f_01io->b01f
})";
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(text, {}, 2, &statistics));
  EXPECT_EQ(result.Get<float>({0, 150, 150, 3}), 9 * 9 * 16);
  EXPECT_EQ(result.Get<float>({0, 0, 0, 0}), 5 * 5 * 16);
  EXPECT_LT(statistics.peak_bytes, 4 * (300 * 300 * 20 * 4));
}

// Working memory of kernels counts: a prime length is transformed by a convolution of 2^18 numbers.
TEST(KernelsTest, ScratchMemoryCountsAgainstTheLimit) {
  const std::string text = R"(
HloModule m
ENTRY e {
  a = c64[100003] parameter(0)
  ROOT r = c64[100003] fft(a), fft_type=FFT, fft_length={100003}
})";
  const Literal argument = LiteralUtil::CreateR1<complex64>(std::vector<complex64>(100003));
  RunStatistics statistics;
  ASSERT_OK(RunProgram(text, {&argument}, 1, &statistics));
  EXPECT_GT(statistics.peak_bytes, 4 * (int64_t{16} << 18));
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<HloModule> module,
                       ParseAndReturnUnverifiedModule(text));
  InterpreterOptions options;
  options.memory_limit_bytes = statistics.peak_bytes / 2;
  EXPECT_STATUS(Interpret(*module, {&argument}, options), absl::StatusCode::kResourceExhausted,
                "memory limit");
}

// Each operation takes much longer than the wait.
TEST(KernelsTest, CancellationReachesIntoOneOperation) {
  const std::string programs[] = {
      R"(x = f32[] constant(0.001)
  a = f32[6000,6000] broadcast(x), dimensions={}
  ROOT r = f32[6000,6000] triangular-solve(a, a), left_side=true, lower=true, transpose_a=NO_TRANSPOSE)",
      R"(x = f32[] constant(1)
  a = f32[1,20000,1] broadcast(x), dimensions={}
  b = f32[20001,1,4] broadcast(x), dimensions={}
  ROOT r = f32[1,20000,4] convolution(a, b), window={size=20001 pad=10000_10000}, dim_labels=b0f_0io->b0f)",
      R"(x = c64[] constant((1, 0))
  a = c64[8388617] broadcast(x), dimensions={}
  ROOT r = c64[8388617] fft(a), fft_type=FFT, fft_length={8388617})",
      R"(a = f32[5000000] iota(), iota_dimension=0
  ROOT r = f32[5000000] sort(a), dimensions={0}, to_apply=at_least)"};
  for (const std::string& program : programs) {
    const std::string text = absl::StrCat(kRegions, "ENTRY e {\n  ", program, "\n}\n");
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<HloModule> module,
                         ParseAndReturnUnverifiedModule(text));
    std::atomic<bool> cancel = false;
    InterpreterOptions options;
    options.num_threads = 1;
    options.cancel = &cancel;
    std::thread canceller([&cancel] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      cancel = true;
    });
    EXPECT_STATUS(Interpret(*module, {}, options), absl::StatusCode::kCancelled, "cancel")
        << program;
    canceller.join();
  }
}

TEST(KernelsTest, StatefulRandomNumbersFollowTheirDistribution) {
  const std::string text = R"(
HloModule m
ENTRY e {
  a = f32[] constant(-2)
  b = f32[] constant(3)
  i = s8[] constant(-5)
  j = s8[] constant(5)
  u = f32[100000] rng(a, b), distribution=rng_uniform
  n = f32[100000] rng(a, b), distribution=rng_normal
  k = s8[100000] rng(i, j), distribution=rng_uniform
  v = f32[100000] rng(a, b), distribution=rng_uniform
  ROOT t = (f32[100000], f32[100000], s8[100000], f32[100000]) tuple(u, n, k, v)
})";
  ASSERT_OK_AND_ASSIGN(Literal result, RunProgram(text));
  const std::vector<Literal> parts = result.DecomposeTuple();
  double sums[3] = {}, squares = 0;
  for (const float x : parts[0].data<float>()) {
    ASSERT_TRUE(x >= -2 && x < 3);
    sums[0] += x;
  }
  for (const float x : parts[1].data<float>()) {
    sums[1] += x;
    squares += (x + 2.0) * (x + 2.0);
  }
  for (const int8_t x : parts[2].data<int8_t>()) {
    ASSERT_TRUE(x >= -5 && x < 5);
    sums[2] += x;
  }
  EXPECT_NEAR(sums[0] / 1e5, 0.5, 0.03);
  EXPECT_NEAR(sums[1] / 1e5, -2, 0.06);
  EXPECT_NEAR(std::sqrt(squares / 1e5), 3, 0.06);
  EXPECT_NEAR(sums[2] / 1e5, -0.5, 0.06);
  EXPECT_NE(parts[0], parts[3]);
}

TEST(KernelsTest, SortOfManyIsStableForAnyComparator) {
  const std::string text = R"(
HloModule m
tens {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ten = s32[] constant(10)
  x = s32[] divide(a, ten)
  y = s32[] divide(b, ten)
  less = pred[] compare(x, y), direction=LT
  ROOT r = pred[] $root
}
ENTRY e {
  a = s32[5000] parameter(0)
  i = s32[5000] iota(), iota_dimension=0
  ROOT r = (s32[5000], s32[5000]) sort(a, i), dimensions={0}, is_stable=true, to_apply=tens
})";
  Numbers numbers(3);
  std::vector<int32_t> values(5000), expected(5000);
  for (int32_t& v : values) v = static_cast<int32_t>(numbers.In(0, 500));
  for (int32_t i = 0; i < 5000; ++i) expected[i] = i;
  std::stable_sort(expected.begin(), expected.end(),
                   [&](int32_t a, int32_t b) { return values[a] / 10 < values[b] / 10; });
  const Literal argument = LiteralUtil::CreateR1<int32_t>(values);
  // By keys, and by calling the comparator.
  for (const char* root : {"compare(x, y), direction=LT", "and(less, less)"}) {
    ASSERT_OK_AND_ASSIGN(Literal result,
                         RunProgram(absl::StrReplaceAll(text, {{"$root", root}}), {&argument}));
    EXPECT_EQ(result.DecomposeTuple()[1], LiteralUtil::CreateR1<int32_t>(expected)) << root;
  }
}

TEST(KernelsTest, InconsistentComparatorEndsWithoutHarm) {
  const std::string text = R"(
HloModule m
always {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] constant(true)
}
ENTRY e {
  a = f32[1000] iota(), iota_dimension=0
  ROOT r = f32[1000] sort(a), dimensions={0}, to_apply=always
})";
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(text));
  std::vector<float> values(result.data<float>().begin(), result.data<float>().end());
  std::sort(values.begin(), values.end());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(values[i], i);
}

}  // namespace
}  // namespace xla
