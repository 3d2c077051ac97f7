// SPDX-License-Identifier: Apache-2.0
// Programs use no instructions beyond the bound that xla_cpu_max_isa sets: neither their code nor
// the kernels that they call.
#include "xla/base/instruction_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/casts.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "hwy/targets.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/runtime/thread_pool.h"
#include "xla/types.h"
#include "xla/xla.pb.h"

namespace xla {
namespace {

#if defined(__x86_64__)

// Whatever bound the tests run with.
class InstructionSetOfCodeTest : public ::testing::Test {
  const ScopedMaxInstructionSet scope_{InstructionSet::kAny};
};

constexpr char kElementwise[] = R"(
HloModule m
ENTRY main {
  x = f32[4096] parameter(0)
  e = f32[4096] exponential(x)
  ROOT y = f32[4096] multiply(e, x)
})";

std::string AssemblyWithin(const char* option) {
  auto module = ParseAndReturnUnverifiedModule(kElementwise);
  EXPECT_OK(module.status());
  (*module)->config().mutable_debug_options().set_xla_cpu_max_isa(option);
  CpuCompileOptions options;
  options.keep_assembly = true;
  const auto program = CpuProgram::Compile(**module, options);
  EXPECT_OK(program.status());
  return program.ok() ? (*program)->assembly_text() : "";
}

TEST_F(InstructionSetOfCodeTest, IsWithinTheBound) {
  const std::string sse = AssemblyWithin("SSE4_2");
  EXPECT_TRUE(absl::StrContains(sse, "%xmm"));
  EXPECT_FALSE(absl::StrContains(sse, "%ymm") || absl::StrContains(sse, "\tv"));
  const std::string avx2 = AssemblyWithin("AVX2");
  EXPECT_FALSE(absl::StrContains(avx2, "%zmm") || absl::StrContains(avx2, "%k1"));
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    EXPECT_TRUE(absl::StrContains(avx2, "%ymm"));
    EXPECT_TRUE(absl::StrContains(avx2, "vfmadd"));
    EXPECT_FALSE(absl::StrContains(AssemblyWithin("AVX"), "vfmadd"));
  }
  if (__builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0) {
    EXPECT_TRUE(absl::StrContains(AssemblyWithin("AVX512"), "%zmm"));
  }
}

TEST_F(InstructionSetOfCodeTest, IsWithinTheBoundOfTheThread) {
  const ScopedMaxInstructionSet scope(InstructionSet::kSse42);
  EXPECT_FALSE(absl::StrContains(AssemblyWithin("AVX512"), "%ymm"));
  EXPECT_FALSE(absl::StrContains(AssemblyWithin(""), "%ymm"));
}

TEST_F(InstructionSetOfCodeTest, UnknownSetsAreErrors) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kElementwise));
  module->config().mutable_debug_options().set_xla_cpu_max_isa("AVX10");
  EXPECT_STATUS(CpuProgram::Compile(*module), absl::StatusCode::kInvalidArgument,
                "xla_cpu_max_isa: unknown instruction set 'AVX10'");
}

// Processors without F16C have no instructions for these.
TEST_F(InstructionSetOfCodeTest, HalvesAreConvertedAlikeAtEachLevel) {
  constexpr int64_t kFloats = int64_t{1} << 20;
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY main {
  h = u16[65536] parameter(0)
  x = f32[1048576] parameter(1)
  half = f16[65536] bitcast-convert(h)
  wide = f32[65536] convert(half)
  narrow = f16[1048576] convert(x)
  rounded = f32[1048576] reduce-precision(x), exponent_bits=5, mantissa_bits=10
  bits = u16[1048576] bitcast-convert(narrow)
  ROOT r = (f32[65536], u16[1048576], f32[1048576]) tuple(wide, bits, rounded)
})"));
  Literal h(ShapeUtil::MakeShape(U16, {65536})), x(ShapeUtil::MakeShape(F32, {kFloats}));
  for (size_t i = 0; i < 65536; ++i) h.data<uint16_t>()[i] = static_cast<uint16_t>(i);
  // All exponents and signs, and those bits that decide how the number is rounded.
  for (size_t i = 0; i < kFloats; ++i) {
    const auto word = static_cast<uint32_t>(i);
    x.data<float>()[i] = absl::bit_cast<float>((word >> 4) << 16 | ((word & 7) << 12) |
                                               ((word & 8) != 0 ? 0x7ff : 0));
  }
  for (const char* name : {"SSE4_2", "AVX", ""}) {
    module->config().mutable_debug_options().set_xla_cpu_max_isa(name);
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
    ASSERT_OK_AND_ASSIGN(Literal result, program->Run({&h, &x}));
    const std::vector<Literal> parts = result.DecomposeTuple();
    for (size_t i = 0; i < 65536; ++i) {
      const auto expected = static_cast<float>(absl::bit_cast<half>(static_cast<uint16_t>(i)));
      const float value = parts[0].data<float>()[i];
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(value) : value == expected)
          << name << " " << i << ": " << value << ", not " << expected;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << name << " " << i;
    }
    for (size_t i = 0; i < kFloats; ++i) {
      const float from = x.data<float>()[i];
      const auto expected = static_cast<half>(from);
      const auto value = absl::bit_cast<half>(parts[1].data<uint16_t>()[i]);
      if (std::isnan(from)) {
        ASSERT_TRUE(std::isnan(static_cast<float>(value))) << name << " " << i;
      } else {
        ASSERT_EQ(absl::bit_cast<uint16_t>(value), absl::bit_cast<uint16_t>(expected))
            << name << " " << from;
      }
    }
  }
}

// What Highway would choose on the threads that run a custom call of the program.
TEST_F(InstructionSetOfCodeTest, KernelsOfARunAreWithinTheBound) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY main { ROOT c = f32[1] custom-call(), custom_call_target="probe" })"));
  for (const auto& [name, beyond] :
       {std::pair<const char*, int64_t>{"SSE4_2", HWY_AVX2 | HWY_AVX3}, {"AVX2", HWY_AVX3}}) {
    module->config().mutable_debug_options().set_xla_cpu_max_isa(name);
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
    int64_t seen = ~int64_t{0};
    CpuRunOptions options;
    const CpuCustomCalls handlers = {
        {"probe", [&](const HloInstruction&, absl::Span<const LiteralSlice>, Literal* result) {
           seen = hwy::SupportedTargets();
           result->data<float>()[0] = 0;
           return absl::OkStatus();
         }}};
    options.custom_calls = &handlers;
    ASSERT_OK(program->Run({}, {}, nullptr, options).status());
    EXPECT_EQ(seen & beyond, 0) << name;
  }
  EXPECT_EQ(MaxInstructionSet(), InstructionSet::kAny);
}

// Kernels decide how they divide their work when they are made, and run later, on other threads.
TEST_F(InstructionSetOfCodeTest, ProductsAndSortsAreRightAtEachLevel) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
less { a = s32[] parameter(0) b = s32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
ENTRY main {
  x = s32[65,130] parameter(0)
  p = s32[65,65] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  f = f32[65,130] convert(x)
  q = f32[65,65] dot(f, f), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  b = bf16[65,130] convert(x)
  n = f32[65,65] dot(b, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  s = s32[65,130] sort(x), dimensions={1}, to_apply=less
  image = f32[1,8,9,32] parameter(1)
  kernel = f32[3,3,32,3] parameter(2)
  c = f32[1,8,9,3] convolution(image, kernel), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  ROOT r = (s32[65,65], f32[65,65], f32[65,65], s32[65,130], f32[1,8,9,3]) tuple(p, q, n, s, c)
})"));
  const auto small_numbers = [](const std::vector<int64_t>& dimensions) {
    Literal literal(ShapeUtil::MakeShape(F32, dimensions));
    for (int64_t i = 0; i < literal.element_count(); ++i)
      literal.data<float>()[static_cast<size_t>(i)] = static_cast<float>(i * 7919 % 7 - 3);
    return literal;
  };
  const Literal image = small_numbers({1, 8, 9, 32}), kernel = small_numbers({3, 3, 32, 3});
  Literal x(ShapeUtil::MakeShape(S32, {65, 130}));
  for (int64_t i = 0; i < x.element_count(); ++i)
    x.data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(i * 7919 % 61 - 30);
  runtime::ThreadPool pool(3);
  runtime::ExecutionContext context;
  context.pool = &pool;
  Literal expected;
  for (const char* name : {"SSE4_2", "AVX", "AVX2", "AVX512", "AVX512_VNNI", "AVX512_BF16", ""}) {
    module->config().mutable_debug_options().set_xla_cpu_max_isa(name);
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
    ASSERT_OK_AND_ASSIGN(Literal result, program->Run({&x, &image, &kernel}, context));
    // Whole numbers, whose sums are exact.
    if (std::string(name) == "SSE4_2") {
      expected = std::move(result);
      continue;
    }
    EXPECT_EQ(result, expected) << name;
  }
  // Kernels of the oldest processors: no vectors.
  module->config().mutable_debug_options().set_xla_cpu_max_isa("");
  hwy::GetChosenTarget().Update(HWY_SCALAR);
  const auto program = CpuProgram::Compile(*module);
  if (program.ok()) {
    const auto result = (*program)->Run({&x, &image, &kernel}, context);
    EXPECT_OK(result.status());
    if (result.ok()) {
      EXPECT_EQ(*result, expected);
    }
  }
  hwy::GetChosenTarget().DeInit();
  EXPECT_OK(program.status());
}

#endif  // __x86_64__

}  // namespace
}  // namespace xla
