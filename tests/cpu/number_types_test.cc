// SPDX-License-Identifier: Apache-2.0
// Conversions between numbers, and divisions of integers, of vectors: the bits of the interpreter's
// results for numbers of every magnitude.
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_comparison.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/runtime/host_memory.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int64_t kCount = 1 << 15;

class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  uint64_t Bits() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // An integer of a random number of bits, or near a power of two.
  int64_t Integer() {
    const auto shift = static_cast<int>(Bits() % 64);
    const auto bits = static_cast<int64_t>(Bits());
    if (Bits() % 4 == 0)
      return static_cast<int64_t>((uint64_t{1} << (63 - shift)) + Bits() % 3 - 1);
    return bits >> shift;
  }

 private:
  uint64_t state_;
};

// Numbers of the type: random bits of floating-point ones without NaN, every other one near whole
// numbers of all magnitudes.
Literal Numbers(PrimitiveType type, uint64_t seed) {
  Draw draw(seed);
  Literal wide(ShapeUtil::MakeShape(S64, {kCount}));
  for (int64_t& x : wide.data<int64_t>()) x = draw.Integer();
  Literal literal = wide.Convert(type).value();
  if (!primitive_util::IsFloatingPointType(type)) return literal;
  const auto bytes = static_cast<size_t>(primitive_util::ByteWidth(type));
  auto* data = static_cast<char*>(literal.untyped_data());
  for (int64_t i = 0; i < kCount; i += 2) {
    const uint64_t bits = draw.Bits();
    std::memcpy(data + static_cast<size_t>(i) * bytes, &bits, bytes);
  }
  Literal as_double = literal.Convert(F64).value();
  for (double& x : as_double.data<double>()) {
    if (x != x) x = 0.75;
  }
  return as_double.Convert(type).value();
}

absl::StatusOr<Literal> Compiled(const HloModule& module, absl::Span<const Literal> arguments) {
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module));
  std::vector<const Literal*> pointers;
  for (const Literal& literal : arguments) pointers.push_back(&literal);
  return program->Run(pointers);
}

// The results of a program that is a tuple of one-dimensional arrays, on both backends.
void ExpectSameResults(const std::string& text, const std::vector<Literal>& arguments) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  std::vector<const Literal*> pointers;
  for (const Literal& literal : arguments) pointers.push_back(&literal);
  ASSERT_OK_AND_ASSIGN(const Literal expected, Interpret(*module, pointers));
  ASSERT_OK_AND_ASSIGN(const Literal compiled, Compiled(*module, arguments));
  EXPECT_OK(literal_comparison::Equal(expected, compiled)) << text;
}

std::string Name(PrimitiveType type) { return primitive_util::LowercasePrimitiveTypeName(type); }

TEST(NumberTypesTest, VectorsAreConvertedAsSingleNumbersAre) {
  const PrimitiveType results[] = {PRED, S2,  S4,  S8,       S16,    S32, S64,  U2,  U4, U8,
                                   U16,  U32, U64, F8E4M3FN, F8E5M2, F16, BF16, F32, F64};
  for (const PrimitiveType from : {S8, S16, S32, S64, U8, U16, U32, U64, F16, BF16, F32, F64}) {
    std::string lines;
    std::vector<std::string> shapes, names;
    for (const PrimitiveType to : results) {
      if (to == from) continue;
      absl::StrAppend(&lines, "  r_", Name(to), " = ", Name(to), "[", kCount, "] convert(x)\n");
      shapes.push_back(absl::StrCat(Name(to), "[", kCount, "]"));
      names.push_back(absl::StrCat("r_", Name(to)));
    }
    ExpectSameResults(
        absl::StrCat("HloModule m\nENTRY e {\n  x = ", Name(from), "[", kCount, "] parameter(0)\n",
                     lines, "  ROOT t = (", absl::StrJoin(shapes, ", "), ") tuple(",
                     absl::StrJoin(names, ", "), ")\n}\n"),
        [&] {
          std::vector<Literal> arguments;
          arguments.push_back(Numbers(from, 1));
          return arguments;
        }());
  }
}

// All codes as floats; and the floats of all combinations of sign, exponent and the first bits of
// the mantissa, half of them with a bit far behind, among them infinities and NaN.
TEST(NumberTypesTest, FormatsOfAByteAreConvertedAsSingleNumbersAre) {
  constexpr int64_t kFloats = 1 << 17;
  Literal floats(ShapeUtil::MakeShape(F32, {kFloats}));
  auto* bits = static_cast<uint32_t*>(floats.untyped_data());
  for (uint32_t i = 0; i < kFloats; ++i) bits[i] = (i >> 1) << 16 | (i & 1);
  for (const PrimitiveType type : {F8E3M4, F8E4M3, F8E4M3FN, F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2,
                                   F8E5M2FNUZ, F8E8M0FNU, F6E2M3FN, F6E3M2FN, F4E2M1FN}) {
    Literal codes(ShapeUtil::MakeShape(type, {256}));
    const int most = 1 << primitive_util::BitWidth(type);
    for (int i = 0; i < 256; ++i)
      static_cast<uint8_t*>(codes.untyped_data())[i] = static_cast<uint8_t>(i % most);
    std::vector<Literal> arguments;
    arguments.push_back(std::move(codes));
    arguments.push_back(floats.Clone());
    const std::string name = Name(type);
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e {\n  c = ", name, "[256] parameter(0)\n  x = f32[", kFloats,
        "] parameter(1)\n  f = f32[256] convert(c)\n  n = ", name, "[", kFloats,
        "] convert(x)\n  ROOT t = (f32[256], ", name, "[", kFloats, "]) tuple(f, n)\n}\n");
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    ASSERT_OK_AND_ASSIGN(const Literal expected,
                         Interpret(*module, {&arguments[0], &arguments[1]}));
    ASSERT_OK_AND_ASSIGN(const Literal compiled, Compiled(*module, arguments));
    // NaN included: to the bit.
    for (const int64_t part : {0, 1}) {
      const auto bytes = static_cast<size_t>(expected.size_bytes({part}));
      EXPECT_EQ(std::memcmp(expected.untyped_data({part}), compiled.untyped_data({part}), bytes), 0)
          << name << " " << part;
    }
  }
}

TEST(NumberTypesTest, QuotientsAndRemaindersOfVectorsAreThoseOfSingleNumbers) {
  for (const PrimitiveType type : {S4, S8, S16, S32, S64, U4, U8, U16, U32, U64}) {
    const std::string shape = absl::StrCat(Name(type), "[", kCount, "]");
    std::vector<Literal> arguments;
    arguments.push_back(Numbers(type, 2));
    arguments.push_back(Numbers(type, 3));
    ExpectSameResults(
        absl::StrCat("HloModule m\nENTRY e {\n  a = ", shape, " parameter(0)\n  b = ", shape,
                     " parameter(1)\n  q = ", shape, " divide(a, b)\n  r = ", shape,
                     " remainder(a, b)\n  ROOT t = (", shape, ", ", shape, ") tuple(q, r)\n}\n"),
        arguments);
  }
}

}  // namespace
}  // namespace xla
