// SPDX-License-Identifier: Apache-2.0
// Generated code computes the functions of math_*.h: the same bits as those run natively.
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/cpu/math_accuracy.h"
#include "tests/test_util.h"
#include "xla/base/instruction_set.h"
#include "xla/base/machine.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal.h"
#include "xla/literal_util.h"

namespace xla::cpu::math {
namespace {

constexpr char kHighest[] = ", result_accuracy={mode=highest}";
// What the names of functions end in that this accuracy asks for.
constexpr absl::string_view kAccurate = ", accurate";

// The opcode in HLO text of a function in kFunctionsF32.
std::string OpcodeText(const std::string& name) {
  if (name == "exp") return "exponential";
  if (name == "expm1") return "exponential-minus-one";
  if (name == "log1p") return "log-plus-one";
  if (name == "sin") return "sine";
  if (name == "cos") return "cosine";
  return name;
}

template <class T, class BitsType>
std::vector<T> Arguments() {
  std::vector<T> values;
  for (const double x : kSpecialNumbers) values.push_back(static_cast<T>(x));
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0, 2);
  // Not a multiple of any vector's length.
  while (values.size() < 3011) {
    const T any = std::bit_cast<T>(static_cast<BitsType>(random()));
    // Beyond that, sin, cos and tan come from the C library.
    if (std::fabs(any) < static_cast<T>(kReducedF64) || !std::isfinite(any)) values.push_back(any);
    values.push_back(static_cast<T>(normal(random)));
  }
  return values;
}

// The module's result for these arguments.
template <class T>
std::vector<T> RunCompiled(const std::string& text,
                           std::initializer_list<const std::vector<T>*> arguments) {
  auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) ADD_FAILURE() << module.status();
  if (!module.ok()) return {};
  auto program = CpuProgram::Compile(**module);
  if (!program.ok()) ADD_FAILURE() << program.status();
  if (!program.ok()) return {};
  std::vector<Literal> literals;
  for (const std::vector<T>* x : arguments) literals.push_back(LiteralUtil::CreateR1<T>(*x));
  std::vector<const Literal*> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  auto result = (*program)->Run(pointers);
  if (!result.ok()) ADD_FAILURE() << result.status();
  if (!result.ok()) return {};
  const auto data = result->template data<T>();
  return std::vector<T>(data.begin(), data.end());
}

// The function of that name, as generated code computes it; `attributes` follow its operands.
template <class T>
std::vector<T> RunCompiled(absl::string_view name, const std::vector<T>& x, const char* type,
                           const char* attributes = "") {
  if (absl::ConsumeSuffix(&name, kAccurate)) attributes = kHighest;
  const std::string shape = absl::StrCat(type, "[", x.size(), "]");
  const std::string call =
      name == "atan" ? "atan2(x, ones)" : absl::StrCat(OpcodeText(std::string(name)), "(x)");
  return RunCompiled<T>(absl::StrCat("HloModule m\n\nENTRY main {\n  x = ", shape,
                                     " parameter(0)\n  one = ", type, "[] constant(1)\n  ones = ",
                                     shape, " broadcast(one), dimensions={}\n  ROOT y = ", shape,
                                     " ", call, attributes, "\n}\n"),
                        {&x});
}

bool IsFar(const std::string& name, double x) {
  return (name == "sin" || name == "cos" || name == "tan") && std::fabs(x) > kReducedF64;
}

bool HasFma() {
#if defined(__x86_64__)
  return MaxInstructionSet() >= InstructionSet::kAvx2 && __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

TEST(GeneratedMathTest, F32) {
  if (!HasFma()) GTEST_SKIP() << "without FMA, generated code rounds twice";
  const auto x = Arguments<float, uint32_t>();
  for (const FunctionF32& f : kFunctionsF32) {
    const auto y = RunCompiled<float>(f.name, x, "f32");
    ASSERT_EQ(y.size(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const float native = f.function(Float{x[i]}).v;
      if ((std::isnan(native) && std::isnan(y[i])) || IsFar(f.name, x[i])) continue;
      EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(native))
          << f.name << " of " << x[i] << ": " << y[i] << ", natively " << native;
    }
  }
}

TEST(GeneratedMathTest, F64) {
  if (!HasFma()) GTEST_SKIP() << "without FMA, generated code rounds twice";
  const auto x = Arguments<double, uint64_t>();
  for (const FunctionF64& f : kFunctionsF64) {
    const auto y = RunCompiled<double>(f.name, x, "f64");
    ASSERT_EQ(y.size(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const double native = f.function(Double{x[i]}).v;
      if ((std::isnan(native) && std::isnan(y[i])) || IsFar(f.name, x[i])) continue;
      EXPECT_EQ(std::bit_cast<uint64_t>(y[i]), std::bit_cast<uint64_t>(native))
          << f.name << " of " << x[i] << ": " << y[i] << ", natively " << native;
    }
  }
}

TEST(GeneratedMathTest, PairsF64) {
  if (!HasFma()) GTEST_SKIP() << "without FMA, generated code rounds twice";
  std::vector<double> a, b;
  for (const auto& [x, y] : PairsF64(500)) a.push_back(x), b.push_back(y);
  const std::string shape = absl::StrCat("f64[", a.size(), "]");
  for (const FunctionOfPairsF64& f : kFunctionsOfPairsF64) {
    const auto y = RunCompiled<double>(
        absl::StrCat("HloModule m\n\nENTRY main {\n  a = ", shape, " parameter(0)\n  b = ", shape,
                     " parameter(1)\n  ROOT y = ", shape, " ", f.opcode, "(a, b)\n}\n"),
        {&a, &b});
    ASSERT_EQ(y.size(), a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const double native = f.function(Double{a[i]}, Double{b[i]}).v;
      if (std::isnan(native) && std::isnan(y[i])) continue;
      EXPECT_EQ(std::bit_cast<uint64_t>(y[i]), std::bit_cast<uint64_t>(native))
          << f.opcode << " of " << a[i] << ", " << b[i] << ": " << y[i] << ", natively " << native;
    }
  }
}

TEST(GeneratedMathTest, RemainderOfF32IsExact) {
  if (!HasFma()) GTEST_SKIP() << "without FMA, generated code calls the C library";
  std::vector<float> a, b;
  for (const auto& [x, y] : PairsF64(500)) {
    a.push_back(static_cast<float>(x)), b.push_back(static_cast<float>(y));
    a.push_back(std::ldexp(b.back(), 3)), b.push_back(static_cast<float>(x));
  }
  const std::string shape = absl::StrCat("f32[", a.size(), "]");
  const auto y = RunCompiled<float>(
      absl::StrCat("HloModule m\n\nENTRY main {\n  a = ", shape, " parameter(0)\n  b = ", shape,
                   " parameter(1)\n  ROOT y = ", shape, " remainder(a, b)\n}\n"),
      {&a, &b});
  ASSERT_EQ(y.size(), a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const float exact = std::fmod(a[i], b[i]);
    if (std::isnan(exact) && std::isnan(y[i])) continue;
    EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(exact))
        << a[i] << ", " << b[i] << ": " << y[i] << ", exactly " << exact;
  }
}

TEST(GeneratedMathTest, RsqrtOfF32IsRoundedWell) {
  std::vector<float> x = Arguments<float, uint32_t>();
  // All exponents, of numbers below the least normal one as well.
  for (uint32_t i = 0; i < 1 << 16; ++i)
    x.push_back(std::bit_cast<float>((i << 15) | (i * 2654435761U >> 17)));
  const auto y = RunCompiled<float>("rsqrt", x, "f32");
  ASSERT_EQ(y.size(), x.size());
  Accuracy worst;
  for (size_t i = 0; i < x.size(); ++i)
    CompareF32(1 / std::sqrt(static_cast<double>(x[i])), x[i], y[i], worst);
  // A root and a division round twice.
  const Machine& machine = MachineOfThread();
  EXPECT_LE(worst.worst, machine.avx2 && machine.fma ? 0.502 : 1.5)
      << "rsqrt of " << worst.worst_at;
  EXPECT_EQ(worst.wrong, 0) << "rsqrt of " << worst.wrong_at;
  // A vector's elements are computed as one alone is.
  for (size_t i = 0; i < kSpecialNumbers.size(); ++i) {
    const auto alone = RunCompiled<float>("rsqrt", {x[i]}, "f32");
    ASSERT_EQ(alone.size(), size_t{1});
    if (std::isnan(y[i]) && std::isnan(alone[0])) continue;
    EXPECT_EQ(std::bit_cast<uint32_t>(alone[0]), std::bit_cast<uint32_t>(y[i])) << x[i];
  }
}

constexpr const char* kOneUnit[] = {kHighest,
                                    ", result_accuracy={tolerance={atol=0,rtol=0,ulps=1}}"};
// Of the opcodes of one operand.
bool HasAccuracy(absl::string_view name) { return name != "atan"; }

TEST(GeneratedMathTest, HighestAccuracyIsOneUnitF32) {
  const auto x = Arguments<float, uint32_t>();
  for (const char* accuracy : kOneUnit) {
    for (const FunctionF32& f : kFunctionsF32) {
      if (!HasAccuracy(f.name)) continue;
      const auto y = RunCompiled<float>(f.name, x, "f32", accuracy);
      ASSERT_EQ(y.size(), x.size());
      Accuracy worst;
      for (size_t i = 0; i < x.size(); ++i) CompareF32(f.exact(x[i]), x[i], y[i], worst);
      EXPECT_LE(worst.worst, 1) << f.name << " of " << worst.worst_at;
      EXPECT_EQ(worst.wrong, 0) << f.name << " of " << worst.wrong_at;
    }
  }
}

TEST(GeneratedMathTest, HighestAccuracyIsOneUnitF64) {
  const auto x = Arguments<double, uint64_t>();
  for (const FunctionF64& f : kFunctionsF64) {
    if (!HasAccuracy(f.name)) continue;
    const auto y = RunCompiled<double>(f.name, x, "f64", kOneUnit[0]);
    ASSERT_EQ(y.size(), x.size());
    Accuracy worst;
    for (size_t i = 0; i < x.size(); ++i) CompareF64(f.exact(x[i]), x[i], y[i], worst);
    EXPECT_LE(worst.worst, 1) << f.name << " of " << worst.worst_at;
    EXPECT_EQ(worst.wrong, 0) << f.name << " of " << worst.wrong_at;
  }
}

// A tolerance of two units is what all functions have.
TEST(GeneratedMathTest, LaxToleranceIsTheDefault) {
  const auto x = Arguments<float, uint32_t>();
  const auto y = RunCompiled<float>("tanh", x, "f32"),
             z = RunCompiled<float>("tanh", x, "f32",
                                    ", result_accuracy={tolerance={atol=0,rtol=0,ulps=2}}"),
             w = RunCompiled<float>("tanh", x, "f32",
                                    ", result_accuracy={tolerance={atol=0,rtol=1e-5,ulps=0}}");
  ASSERT_EQ(y.size(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(z[i]));
    EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(w[i]));
  }
}

// Beyond the reduction in f64.
TEST(GeneratedMathTest, LargeAngles) {
  const std::vector<float> x = {0x1p31F, -0x1.234567p60F, 3e38F, -1e30F, 2e9F};
  const auto y = RunCompiled<float>("sine", x, "f32");
  const auto z = RunCompiled<float>("tan", x, "f32");
  ASSERT_EQ(y.size(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_FLOAT_EQ(y[i], static_cast<float>(std::sin(static_cast<double>(x[i]))));
    EXPECT_FLOAT_EQ(z[i], static_cast<float>(std::tan(static_cast<double>(x[i]))));
  }
}

// Values of lanes beyond one vector, narrow types by way of f32.
TEST(GeneratedMathTest, PowerOfPairs) {
  const std::vector<float> x = {2, -2, -2, 0, -0.0F, 9, 1, NAN, 0.5F, 10};
  const Literal a = LiteralUtil::CreateR1<float>(x);
  const Literal b = LiteralUtil::CreateR1<float>({10, 3, 0.5F, -1, -3, 0.5F, NAN, 0, INFINITY, -2});
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m

ENTRY main {
  x = f32[10] parameter(0)
  y = f32[10] parameter(1)
  ROOT z = f32[10] power(x, y)
})"));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  ASSERT_OK_AND_ASSIGN(const Literal result, program->Run({&a, &b}));
  const auto z = result.data<float>();
  const std::vector<float> expected = {1024, -8, NAN, INFINITY, -INFINITY, 3, 1, 1, 0, 0.01F};
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(z[i])) << i;
    } else {
      EXPECT_EQ(z[i], expected[i]) << i;
    }
  }
}

}  // namespace
}  // namespace xla::cpu::math
