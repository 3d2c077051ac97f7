// SPDX-License-Identifier: Apache-2.0
// CpuCompileOptions::flush_subnormals: what runs do with subnormal numbers, on every thread, and
// that nobody else sees it.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/base/floating_point_mode.h"
#include "xla/base/machine.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/types.h"

namespace xla {
namespace {

constexpr int64_t kElements = 200000;  // enough for several threads

// Elementwise code, a loop, a reduction, a product, a convolution and exponentials, all of
// subnormal numbers.
constexpr char kProgram[] = R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
condition { s = (s32[], f32[64]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(200) ROOT l = pred[] compare(i, n), direction=LT }
body {
  s = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[64] get-tuple-element(s), index=1
  half = f32[] constant(0.5)
  halves = f32[64] broadcast(half), dimensions={}
  w = f32[64] multiply(v, halves)
  ROOT t = (s32[], f32[64]) tuple(next, w)
}
ENTRY main {
  x = f32[200000] parameter(0)
  half = f32[] constant(0.5)
  halves = f32[200000] broadcast(half), dimensions={}
  y = f32[200000] multiply(x, halves)
  z = f32[] constant(0)
  two = f32[] constant(2)
  twos = f32[200000] broadcast(two), dimensions={}
  back = f32[200000] multiply(y, twos)
  sum = f32[] reduce(y, z), dimensions={0}, to_apply=add
  i = s32[] constant(0)
  start = f32[64] slice(x), slice={[0:64]}
  init = (s32[], f32[64]) tuple(i, start)
  loop = (s32[], f32[64]) while(init), condition=condition, body=body
  end = f32[64] get-tuple-element(loop), index=1
  m = f32[400,500] reshape(y)
  k = f32[500,300] broadcast(half), dimensions={}
  p = f32[400,300] dot(m, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  image = f32[1,400,500,1] reshape(y)
  kernel = f32[3,3,1,1] broadcast(half), dimensions={}
  c = f32[1,400,500,1] convolution(image, kernel), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  low = f32[] constant(-95)
  lows = f32[200000] broadcast(low), dimensions={}
  argument = f32[200000] add(lows, y)
  e = f32[200000] exponential(argument)
  ROOT r = (f32[200000], f32[200000], f32[], f32[64], f32[400,300], f32[1,400,500,1], f32[200000]) tuple(y, back, sum, end, p, c, e)
})";

std::vector<Literal> RunWith(bool flush, int threads) {
  auto module = ParseAndReturnUnverifiedModule(kProgram);
  EXPECT_OK(module.status());
  CpuCompileOptions options = DefaultCpuCompileOptions();
  options.flush_subnormals = flush;
  auto program = CpuProgram::Compile(**module, options);
  EXPECT_OK(program.status());
  Literal x(ShapeUtil::MakeShape(F32, {kElements}));
  for (size_t i = 0; i < kElements; ++i) x.data<float>()[i] = i % 2 == 0 ? 0x1p-126f : 0x1.8p-126f;
  runtime::ThreadPool pool(threads);
  runtime::ExecutionContext context;
  context.pool = &pool;
  auto result = (*program)->Run({&x}, context);
  EXPECT_OK(result.status());
  return result->DecomposeTuple();
}

bool HasOnlyZeros(const Literal& literal) {
  for (const float value : literal.data<float>()) {
    if (value != 0) return false;
  }
  return true;
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(SubnormalsTest, AreFlushedIfAskedOnAnyNumberOfThreads) {
  const std::vector<Literal> one = RunWith(true, 1), four = RunWith(true, 4);
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(HasOnlyZeros(one[i])) << i;
    EXPECT_EQ(one[i], four[i]) << i;
  }
}
#endif

TEST(SubnormalsTest, AreKeptOtherwise) {
  const std::vector<Literal> one = RunWith(false, 1), four = RunWith(false, 4);
  EXPECT_EQ(one[0].data<float>()[0], 0x1p-127f);
  EXPECT_EQ(one[1].data<float>()[1], 0x1.8p-126f);
  EXPECT_EQ(one[6].data<float>()[0], std::exp(-95.0f));
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i], four[i]) << i;
}

// A caller that flushes, rounds otherwise or traps, as code built with -ffast-math does.
TEST(SubnormalsTest, DoNotDependOnTheCaller) {
  const std::vector<Literal> expected = RunWith(false, 2);
  std::vector<Literal> flushing;
  {
    const ScopedFloatingPointMode mode(FloatingPointMode::FlushingSubnormals());
    flushing = RunWith(false, 2);
    EXPECT_EQ(FloatingPointMode::OfThread(), FloatingPointMode::FlushingSubnormals());
  }
  const int rounding = std::fegetround();
  std::fesetround(FE_UPWARD);
  const std::vector<Literal> rounded = RunWith(false, 2);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(rounding);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(flushing[i], expected[i]) << i;
    EXPECT_EQ(rounded[i], expected[i]) << i;
  }
}

TEST(SubnormalsTest, HandlersOfCustomCallsAndCallersSeeNothing) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY main { ROOT c = f32[1] custom-call(), custom_call_target="probe" })"));
  CpuCompileOptions compile_options;
  compile_options.flush_subnormals = true;
  const FloatingPointMode outside = FloatingPointMode::OfThread();
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module, compile_options));
  bool is_ieee = false;
  CpuRunOptions options;
  const CpuCustomCalls handlers = {
      {"probe", [&](const HloInstruction&, absl::Span<const LiteralSlice>, Literal* result) {
         is_ieee = FloatingPointMode::OfThread() == FloatingPointMode::Ieee();
         result->data<float>()[0] = 0;
         return absl::OkStatus();
       }}};
  options.custom_calls = &handlers;
  ASSERT_OK(program->Run({}, {}, nullptr, options).status());
  EXPECT_TRUE(is_ieee);
  EXPECT_EQ(FloatingPointMode::OfThread(), outside);
}

// Functions and conversions are made of arithmetic, whose intermediate values must not be flushed:
// normal numbers have the same results.
TEST(SubnormalsTest, NormalNumbersAreComputedAlike) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY main {
  x = f32[65536] parameter(0)
  h = f16[65536] convert(x)
  b = bf16[65536] convert(x)
  f = f8e5m2[65536] convert(x)
  e = f8e4m3fn[65536] convert(x)
  d = f64[65536] convert(x)
  wide = f32[65536] convert(h)
  wider = f32[65536] convert(f)
  other = f32[65536] convert(e)
  exp = f32[65536] exponential(x)
  log = f32[65536] log(x)
  tanh = f32[65536] tanh(x)
  cbrt = f32[65536] cbrt(x)
  power = f32[65536] power(x, x)
  sine = f32[65536] sine(x)
  erf = f32[65536] erf(x)
  rsqrt = f32[65536] rsqrt(x)
  dlog = f64[65536] log(d)
  dexp = f64[65536] exponential(d)
  ROOT r = (f16[65536], bf16[65536], f8e5m2[65536], f8e4m3fn[65536], f32[65536], f32[65536], f32[65536], f32[65536], f32[65536], f32[65536], f32[65536], f32[65536], f32[65536], f32[65536], f32[65536], f64[65536], f64[65536])
    tuple(h, b, f, e, wide, wider, other, exp, log, tanh, cbrt, power, sine, erf, rsqrt, dlog, dexp)
})"));
  Literal x(ShapeUtil::MakeShape(F32, {65536}));
  // Without fused multiply-add, products on the way to a result may be less than the number is.
  const float least = MachineOfThread().fma ? 0x1p-126f : 0x1p-120f;
  for (uint32_t i = 0; i < 65536; ++i) {
    // All signs and exponents of normal numbers, some mantissas.
    const uint32_t bits = (i << 16) | (i * 2654435761U >> 16);
    const float value = std::bit_cast<float>(bits);
    x.data<float>()[i] = value != 0 && std::abs(value) < least ? 1.5f : value;
  }
  CpuCompileOptions options;
  ASSERT_OK_AND_ASSIGN(const auto exact, CpuProgram::Compile(*module, options));
  options.flush_subnormals = true;
  ASSERT_OK_AND_ASSIGN(const auto flushing, CpuProgram::Compile(*module, options));
  ASSERT_OK_AND_ASSIGN(Literal expected, exact->Run({&x}));
  ASSERT_OK_AND_ASSIGN(Literal result, flushing->Run({&x}));
  const std::vector<Literal> a = expected.DecomposeTuple(), b = result.DecomposeTuple();
  for (size_t k = 0; k < a.size(); ++k) {
    const auto expect_same = [&](auto zero) {
      using T = decltype(zero);
      int64_t wrong = 0;
      for (size_t i = 0; i < 65536; ++i) {
        const auto p = static_cast<double>(a[k].data<T>()[i]),
                   q = static_cast<double>(b[k].data<T>()[i]);
        const bool is_flushed = sizeof(T) > 1 && !std::is_same_v<T, half> && q == 0 &&
                                std::abs(p) < static_cast<double>(std::numeric_limits<T>::min());
        if (p != q && !(std::isnan(p) && std::isnan(q)) && !is_flushed && wrong++ < 3) {
          ADD_FAILURE() << k << " of " << x.data<float>()[i] << ": " << q << ", not " << p;
        }
      }
    };
    switch (a[k].shape().element_type()) {
      case F16:
        expect_same(half());
        break;
      case BF16:
        expect_same(bfloat16());
        break;
      case F32:
        expect_same(float());
        break;
      case F64:
        expect_same(double());
        break;
      case F8E5M2:
        expect_same(float8_e5m2());
        break;
      case F8E4M3FN:
        expect_same(float8_e4m3fn());
        break;
      default:
        FAIL() << a[k].shape().ToString();
    }
  }
}

}  // namespace
}  // namespace xla
