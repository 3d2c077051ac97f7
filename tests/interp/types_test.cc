// SPDX-License-Identifier: Apache-2.0
// Every operation for every element type that the specification allows it (the verifier decides):
// integers against plain arithmetic of our own, narrow floats and all kinds of structured
// operations against the same program in a wide type, whose results are rounded once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/index_util.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

const std::vector<PrimitiveType>& Integers() {
  static const auto* const types =
      new std::vector<PrimitiveType>{S1, S2, S4, S8, S16, S32, S64, U1, U2, U4, U8, U16, U32, U64};
  return *types;
}

const std::vector<PrimitiveType>& NarrowFloats() {
  static const auto* const types = new std::vector<PrimitiveType>{
      F4E2M1FN,      F6E2M3FN, F6E3M2FN,   F8E3M4,    F8E4M3, F8E4M3FN, F8E4M3FNUZ,
      F8E4M3B11FNUZ, F8E5M2,   F8E5M2FNUZ, F8E8M0FNU, F16,    BF16};
  return *types;
}

std::vector<PrimitiveType> AllTypes() {
  std::vector<PrimitiveType> types = Integers();
  types.insert(types.end(), NarrowFloats().begin(), NarrowFloats().end());
  types.insert(types.end(), {PRED, F32, F64, C64, C128});
  return types;
}

std::string Name(PrimitiveType type) {
  return std::string(primitive_util::LowercasePrimitiveTypeName(type));
}

absl::StatusOr<std::unique_ptr<HloModule>> Parse(const std::string& text) {
  return ParseAndReturnUnverifiedModule(text);
}

bool IsAllowed(const HloModule& module) { return VerifyModule(module).ok(); }

absl::StatusOr<Literal> RunModule(const HloModule& module, const std::vector<Literal>& arguments) {
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  InterpreterOptions options;
  options.num_threads = 1;
  return Interpret(module, pointers, options);
}

Literal Vector(PrimitiveType type, int64_t count) {
  return Literal(ShapeUtil::MakeShape(type, {count}));
}

// --- Integers

// A number of an integer type, by value; unsigned 64-bit ones too.
using Wide = __int128;

struct IntegerType {
  int bits;
  bool is_signed;
  Wide least() const { return is_signed ? -(Wide{1} << (bits - 1)) : 0; }
  Wide greatest() const { return (Wide{1} << (is_signed ? bits - 1 : bits)) - 1; }
  // The value that the lowest bits stand for.
  Wide Wrap(Wide value) const {
    value &= (Wide{1} << bits) - 1;
    return is_signed && ((value >> (bits - 1)) & 1) != 0 ? value - (Wide{1} << bits) : value;
  }
  // The value's bits as an unsigned number.
  Wide Bits(Wide value) const { return value & ((Wide{1} << bits) - 1); }
};

IntegerType Describe(PrimitiveType type) {
  return {primitive_util::BitWidth(type), primitive_util::IsSignedIntegralType(type)};
}

void SetInteger(Literal& literal, int64_t i, Wide value) {
  primitive_util::ArrayTypeSwitch<void>(
      [&](auto type) {
        using T = primitive_util::NativeTypeOf<type>;
        if constexpr (is_integer_v<T>) {
          // Through 64 bits, whose lowest ones count.
          literal.data<T>()[static_cast<size_t>(i)] =
              static_cast<T>(static_cast<int64_t>(static_cast<uint64_t>(value)));
        }
      },
      literal.shape().element_type());
}

Wide GetInteger(const Literal& literal, int64_t i) {
  return primitive_util::ArrayTypeSwitch<Wide>(
      [&](auto type) -> Wide {
        using T = primitive_util::NativeTypeOf<type>;
        if constexpr (std::is_same_v<T, bool>) {
          return literal.data<T>()[static_cast<size_t>(i)] ? 1 : 0;
        } else if constexpr (std::is_same_v<T, uint64_t>) {
          return literal.data<T>()[static_cast<size_t>(i)];
        } else if constexpr (is_integer_v<T>) {
          return static_cast<int64_t>(literal.data<T>()[static_cast<size_t>(i)]);
        }
        return 0;
      },
      literal.shape().element_type());
}

// All values of the narrow types; of the others those near their ends, near zero and powers of two.
std::vector<Wide> Samples(IntegerType type) {
  std::vector<Wide> samples;
  if (type.bits <= 8) {
    for (Wide v = type.least(); v <= type.greatest(); ++v) samples.push_back(v);
    return samples;
  }
  for (int i = 0; i < 4; ++i) {
    samples.push_back(type.least() + i);
    samples.push_back(type.greatest() - i);
    samples.push_back(type.Wrap(i));
    samples.push_back(type.Wrap(-i));
  }
  for (int bit = 2; bit < type.bits; bit += 5) {
    samples.push_back(type.Wrap(Wide{1} << bit));
    samples.push_back(type.Wrap((Wide{1} << bit) + 0x2b));
    samples.push_back(type.Wrap(-(Wide{1} << bit)));
  }
  return samples;
}

// The product of two unsigned 64-bit numbers needs all 128 bits: only the lower ones count.
Wide Product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
}

// What XLA defines where the machine does not: division by zero gives all ones, its remainder the
// dividend; the lowest number over -1 is itself; shifts beyond the width give zeros or the sign.
Wide Power(IntegerType type, Wide base, Wide exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  Wide result = 1;
  for (base = type.Wrap(base); exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = type.Wrap(Product(result, base));
    base = type.Wrap(Product(base, base));
  }
  return result;
}

std::optional<Wide> Binary(const std::string& op, IntegerType type, Wide a, Wide b) {
  if (op == "add") return a + b;
  if (op == "subtract") return a - b;
  if (op == "multiply") return Product(a, b);
  if (op == "mulhi") {
    if (type.is_signed) return (a * b) >> type.bits;
    return static_cast<Wide>(
        static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) >> type.bits);
  }
  if (op == "divide") return b == 0 ? Wide{-1} : a / b;
  if (op == "remainder") return b == 0 ? a : a % b;
  if (op == "maximum") return std::max(a, b);
  if (op == "minimum") return std::min(a, b);
  if (op == "and") return a & b;
  if (op == "or") return a | b;
  if (op == "xor") return a ^ b;
  const bool is_too_far = type.Bits(b) >= type.bits;
  if (op == "shift-left") return is_too_far ? 0 : a << static_cast<int>(type.Bits(b));
  if (op == "shift-right-logical")
    return is_too_far ? 0 : type.Bits(a) >> static_cast<int>(type.Bits(b));
  if (op == "shift-right-arithmetic") {
    // Of the bits as a signed number, whatever the type.
    const Wide value = IntegerType{type.bits, true}.Wrap(a);
    return is_too_far ? (value < 0 ? -1 : 0) : value >> static_cast<int>(type.Bits(b));
  }
  if (op == "power") return Power(type, a, b);
  return std::nullopt;
}

std::optional<Wide> Unary(const std::string& op, IntegerType type, Wide a) {
  if (op == "negate") return -a;
  if (op == "abs") return a < 0 ? -a : a;
  if (op == "sign") return (a > 0) - (a < 0);
  if (op == "not") return ~a;
  int ones = 0, leading = type.bits;
  for (int bit = 0; bit < type.bits; ++bit) {
    if ((type.Bits(a) >> bit & 1) == 0) continue;
    ++ones;
    leading = type.bits - 1 - bit;
  }
  if (op == "popcnt") return ones;
  if (op == "count-leading-zeros") return leading;
  return std::nullopt;
}

bool Compares(const std::string& direction, Wide a, Wide b) {
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return a < b;
  if (direction == "LE") return a <= b;
  return direction == "GT" ? a > b : a >= b;
}

std::string Text(Wide value) {
  return value < 0 ? absl::StrCat("-", absl::string_view(Text(-value)))
                   : absl::StrCat(static_cast<uint64_t>(value));
}

TEST(InterpreterTypes, BinaryOperationsOfIntegers) {
  const std::vector<std::string> ops = {"add",
                                        "subtract",
                                        "multiply",
                                        "divide",
                                        "remainder",
                                        "maximum",
                                        "minimum",
                                        "and",
                                        "or",
                                        "xor",
                                        "shift-left",
                                        "shift-right-logical",
                                        "shift-right-arithmetic",
                                        "power",
                                        "mulhi"};
  for (const PrimitiveType element_type : Integers()) {
    const IntegerType type = Describe(element_type);
    const std::vector<Wide> samples = Samples(type);
    const auto n = static_cast<int64_t>(samples.size());
    std::vector<Literal> arguments;
    arguments.push_back(Vector(element_type, n * n));
    arguments.push_back(Vector(element_type, n * n));
    for (int64_t i = 0; i < n * n; ++i) {
      SetInteger(arguments[0], i, samples[static_cast<size_t>(i / n)]);
      SetInteger(arguments[1], i, samples[static_cast<size_t>(i % n)]);
    }
    for (const std::string& op : ops) {
      const std::string shape = absl::StrCat(Name(element_type), "[", n * n, "]");
      ASSERT_OK_AND_ASSIGN(
          const auto module,
          Parse(absl::StrCat("HloModule m\nENTRY e {\n x = ", shape, " parameter(0)\n y = ", shape,
                             " parameter(1)\n ROOT r = ", shape, " ", op, "(x, y)\n}")));
      ASSERT_TRUE(IsAllowed(*module)) << op << " of " << Name(element_type);
      ASSERT_OK_AND_ASSIGN(const Literal result, RunModule(*module, arguments));
      for (int64_t i = 0; i < n * n; ++i) {
        const Wide a = samples[static_cast<size_t>(i / n)], b = samples[static_cast<size_t>(i % n)];
        const Wide expected = type.Wrap(*Binary(op, type, a, b));
        ASSERT_TRUE(GetInteger(result, i) == expected)
            << op << " of " << Name(element_type) << ": " << Text(a) << ", " << Text(b) << " gave "
            << Text(GetInteger(result, i)) << ", expected " << Text(expected);
      }
    }
    for (const std::string direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      const std::string shape = absl::StrCat("[", n * n, "]");
      ASSERT_OK_AND_ASSIGN(const auto module,
                           Parse(absl::StrCat("HloModule m\nENTRY e {\n x = ", Name(element_type),
                                              shape, " parameter(0)\n y = ", Name(element_type),
                                              shape, " parameter(1)\n ROOT r = pred", shape,
                                              " compare(x, y), direction=", direction, "\n}")));
      ASSERT_OK_AND_ASSIGN(const Literal result, RunModule(*module, arguments));
      for (int64_t i = 0; i < n * n; ++i) {
        ASSERT_EQ(result.data<bool>()[static_cast<size_t>(i)],
                  Compares(direction, samples[static_cast<size_t>(i / n)],
                           samples[static_cast<size_t>(i % n)]))
            << direction << " of " << Name(element_type);
      }
    }
  }
}

TEST(InterpreterTypes, UnaryOperationsOfIntegers) {
  for (const PrimitiveType element_type : Integers()) {
    const IntegerType type = Describe(element_type);
    const std::vector<Wide> samples = Samples(type);
    const auto n = static_cast<int64_t>(samples.size());
    std::vector<Literal> arguments;
    arguments.push_back(Vector(element_type, n));
    for (int64_t i = 0; i < n; ++i) SetInteger(arguments[0], i, samples[static_cast<size_t>(i)]);
    for (const std::string op : {"negate", "abs", "sign", "not", "popcnt", "count-leading-zeros"}) {
      const std::string shape = absl::StrCat(Name(element_type), "[", n, "]");
      ASSERT_OK_AND_ASSIGN(
          const auto module,
          Parse(absl::StrCat("HloModule m\nENTRY e {\n x = ", shape,
                             " parameter(0)\n ROOT r = ", shape, " ", op, "(x)\n}")));
      // Absolute values and signs of unsigned numbers are not in the specification.
      if (!IsAllowed(*module)) {
        ASSERT_TRUE(!type.is_signed && (op == "abs" || op == "sign"))
            << op << " of " << Name(element_type);
        continue;
      }
      ASSERT_OK_AND_ASSIGN(const Literal result, RunModule(*module, arguments));
      for (int64_t i = 0; i < n; ++i) {
        const Wide a = samples[static_cast<size_t>(i)];
        ASSERT_TRUE(GetInteger(result, i) == type.Wrap(*Unary(op, type, a)))
            << op << " of " << Name(element_type) << ": " << Text(a) << " gave "
            << Text(GetInteger(result, i));
      }
    }
  }
}

// Between all integer types: the lowest bits.
TEST(InterpreterTypes, ConversionsOfIntegers) {
  for (const PrimitiveType from : Integers()) {
    const std::vector<Wide> samples = Samples(Describe(from));
    const auto n = static_cast<int64_t>(samples.size());
    std::vector<Literal> arguments;
    arguments.push_back(Vector(from, n));
    for (int64_t i = 0; i < n; ++i) SetInteger(arguments[0], i, samples[static_cast<size_t>(i)]);
    for (const PrimitiveType to : Integers()) {
      ASSERT_OK_AND_ASSIGN(
          const auto module,
          Parse(absl::StrCat("HloModule m\nENTRY e {\n x = ", Name(from), "[", n,
                             "] parameter(0)\n ROOT r = ", Name(to), "[", n, "] convert(x)\n}")));
      ASSERT_OK_AND_ASSIGN(const Literal result, RunModule(*module, arguments));
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_TRUE(GetInteger(result, i) == Describe(to).Wrap(samples[static_cast<size_t>(i)]))
            << Name(from) << " to " << Name(to) << ": " << Text(samples[static_cast<size_t>(i)]);
      }
    }
  }
}

// --- The same program in two types

// The element's text without signs and payloads of NaNs.
std::string PlainNan(std::string text) {
  for (size_t at = text.find("nan"); at != std::string::npos; at = text.find("nan", at + 1)) {
    if (at + 3 < text.size() && text[at + 3] == '(')
      text.erase(at + 3, text.find(')', at) - at - 2);
    if (at > 0 && text[at - 1] == '-') text.erase(--at, 1);
  }
  return text;
}

// Same values, a NaN like any other, zeros with their signs.
void ExpectSame(const Literal& actual, const Literal& expected, const std::string& where) {
  if (actual.shape().IsTuple()) {
    ASSERT_EQ(actual.shape().tuple_shapes_size(), expected.shape().tuple_shapes_size()) << where;
    std::vector<Literal> a = actual.Clone().DecomposeTuple();
    std::vector<Literal> b = expected.Clone().DecomposeTuple();
    for (size_t i = 0; i < a.size(); ++i) ExpectSame(a[i], b[i], absl::StrCat(where, " {", i, "}"));
    return;
  }
  ASSERT_TRUE(ShapeUtil::Compatible(actual.shape(), expected.shape()))
      << where << ": " << actual.shape().ToString() << " and " << expected.shape().ToString();
  DimensionVector index(static_cast<size_t>(actual.shape().rank()), 0);
  for (const int64_t size : actual.shape().dimensions()) {
    if (size == 0) return;
  }
  do {
    const std::string a = PlainNan(actual.GetAsString(index));
    const std::string b = PlainNan(expected.GetAsString(index));
    ASSERT_EQ(a, b) << where << " at " << absl::StrJoin(index, ",");
  } while (IndexUtil::BumpIndices(actual.shape(), absl::MakeSpan(index)));
}

// Every element converted, tuples too; integers of another type than `from` stay.
Literal ConvertAll(const Literal& literal, PrimitiveType from, PrimitiveType to) {
  if (literal.shape().IsTuple()) {
    std::vector<Literal> parts;
    for (const Literal& part : literal.Clone().DecomposeTuple())
      parts.push_back(ConvertAll(part, from, to));
    return LiteralUtil::MakeTupleOwned(std::move(parts));
  }
  if (literal.shape().element_type() != from) return literal.Clone();
  return literal.Convert(to).value();
}

// The type that operations of a type are computed in.
PrimitiveType WideOf(PrimitiveType type) {
  if (type == C64 || type == C128) return C128;
  if (type == F32 || type == F64) return F64;
  if (primitive_util::IsFloatingPointType(type)) return F32;
  return primitive_util::IsSignedIntegralType(type) ? S64 : U64;
}

// All values of a type of at most 8 bits, and a spread of those of 16, by their bits.
Literal BitPatterns(PrimitiveType type) {
  const int bits = primitive_util::BitWidth(type);
  const int64_t count = bits <= 8 ? int64_t{1} << bits : 512;
  Literal literal = Vector(type, count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t pattern = bits <= 8 ? i : i * 128 + i * 37 % 128;
    if (bits <= 8) {
      static_cast<uint8_t*>(literal.untyped_data())[i] = static_cast<uint8_t>(pattern);
    } else {
      static_cast<uint16_t*>(literal.untyped_data())[i] = static_cast<uint16_t>(pattern);
    }
  }
  return literal;
}

// Of 65,536 random numbers in equal steps, a quarter rounds a value that lies a quarter of the way
// to the next one up to that.
TEST(InterpreterTypes, StochasticConversionsRoundUpInProportion) {
  constexpr int64_t kCount = 65536;
  int pairs = 0;
  for (const auto& [from, random_type] :
       {std::pair<PrimitiveType, PrimitiveType>{F16, U16}, {BF16, U16}, {F32, U32}, {F64, U64}}) {
    std::vector<PrimitiveType> targets = NarrowFloats();
    targets.insert(targets.end(), {S4, U4, S8, U8, S16, U16, S32, U32, S64, U64});
    for (const PrimitiveType to : targets) {
      const bool is_float = primitive_util::IsFloatingPointType(to);
      const int mantissa = is_float ? primitive_util::SignificandWidth(to) - 1 : 0;
      if (primitive_util::SignificandWidth(from) - 1 < mantissa + 2) continue;
      const double low = is_float ? 1 : 2, step = std::ldexp(1.0, -mantissa);
      std::vector<Literal> arguments;
      arguments.push_back(LiteralUtil::CreateR0<double>(low + step / 4).Convert(from).value());
      arguments.push_back(Vector(random_type, kCount));
      const int bits = primitive_util::BitWidth(random_type);
      for (int64_t i = 0; i < kCount; ++i) SetInteger(arguments[1], i, Wide{i} << (bits - 16));
      const std::string size = absl::StrCat("[", kCount, "]");
      ASSERT_OK_AND_ASSIGN(
          const auto module,
          Parse(absl::StrCat(
              "HloModule m\nENTRY e {\n v = ", Name(from), "[] parameter(0)\n x = ", Name(from),
              size, " broadcast(v), dimensions={}\n r = ", Name(random_type), size,
              " parameter(1)\n ROOT y = ", Name(to), size, " stochastic-convert(x, r)\n}")));
      if (!IsAllowed(*module)) continue;
      ++pairs;
      ASSERT_OK_AND_ASSIGN(const Literal result, RunModule(*module, arguments));
      ASSERT_OK_AND_ASSIGN(const Literal values, result.Convert(F64));
      int64_t ups = 0;
      for (const double value : values.data<double>()) {
        ASSERT_TRUE(value == low || value == low + step) << Name(from) << " to " << Name(to);
        ups += value == low + step;
      }
      EXPECT_EQ(ups, kCount / 4) << Name(from) << " to " << Name(to);
    }
  }
  EXPECT_GE(pairs, 50);
}

TEST(InterpreterTypes, NarrowFloatsAreComputedInF32AndRoundedOnce) {
  const std::vector<std::string> unary = {"abs",
                                          "acos",
                                          "acosh",
                                          "asin",
                                          "asinh",
                                          "atanh",
                                          "cbrt",
                                          "ceil",
                                          "cosine",
                                          "cosh",
                                          "erf",
                                          "exponential",
                                          "exponential-minus-one",
                                          "floor",
                                          "log",
                                          "log-plus-one",
                                          "logistic",
                                          "negate",
                                          "round-nearest-afz",
                                          "round-nearest-even",
                                          "rsqrt",
                                          "sign",
                                          "sine",
                                          "sinh",
                                          "sqrt",
                                          "tan",
                                          "tanh"};
  const std::vector<std::string> binary = {"add",     "subtract", "multiply", "divide", "remainder",
                                           "maximum", "minimum",  "power",    "atan2"};
  int programs = 0;
  for (const PrimitiveType type : NarrowFloats()) {
    const Literal values = BitPatterns(type);
    const int64_t n = values.element_count();
    const auto check = [&](const std::string& body, const std::vector<Literal>& arguments) {
      const auto text = [&](PrimitiveType t) {
        return absl::StrReplaceAll("HloModule m\nENTRY e {\n" + body + "\n}", {{"$T", Name(t)}});
      };
      ASSERT_OK_AND_ASSIGN(const auto narrow, Parse(text(type)));
      if (!IsAllowed(*narrow)) return;
      ASSERT_OK_AND_ASSIGN(const auto wide, Parse(text(F32)));
      std::vector<Literal> widened;
      for (const Literal& argument : arguments) widened.push_back(argument.Convert(F32).value());
      ASSERT_OK_AND_ASSIGN(const Literal actual, RunModule(*narrow, arguments));
      ASSERT_OK_AND_ASSIGN(const Literal expected, RunModule(*wide, widened));
      ExpectSame(actual, ConvertAll(expected, F32, type), body + " of " + Name(type));
      ++programs;
    };
    std::vector<Literal> one;
    one.push_back(values.Clone());
    for (const std::string& op : unary) {
      check(absl::StrCat(" x = $T[", n, "] parameter(0)\n ROOT r = $T[", n, "] ", op, "(x)"), one);
    }
    check(absl::StrCat(" x = $T[", n, "] parameter(0)\n ROOT r = pred[", n, "] is-finite(x)"), one);

    // Every value with every other; of the 16-bit types a part.
    const int64_t m = std::min<int64_t>(n, 256), step = n / m;
    std::vector<Literal> two;
    two.push_back(Vector(type, m * m));
    two.push_back(Vector(type, m * m));
    for (int64_t i = 0; i < m * m; ++i) {
      ASSERT_OK(two[0].CopyElementFrom(values, {i / m * step}, {i}));
      ASSERT_OK(two[1].CopyElementFrom(values, {i % m * step}, {i}));
    }
    const std::string parameters = absl::StrCat(" x = $T[", m * m, "] parameter(0)\n y = $T[",
                                                m * m, "] parameter(1)\n ROOT r = ");
    for (const std::string& op : binary)
      check(absl::StrCat(parameters, "$T[", m * m, "] ", op, "(x, y)"), two);
    for (const std::string direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      check(absl::StrCat(parameters, "pred[", m * m, "] compare(x, y), direction=", direction),
            two);
    }
  }
  EXPECT_GE(programs, 13 * 40);
}

// Conversions of narrow floats to and from every real type go through their exact value.
TEST(InterpreterTypes, ConversionsOfFloats) {
  std::vector<PrimitiveType> targets = AllTypes();
  for (const PrimitiveType from : NarrowFloats()) {
    const Literal values = BitPatterns(from);
    std::vector<Literal> narrow, wide;
    narrow.push_back(values.Clone());
    wide.push_back(values.Convert(F64).value());
    for (const PrimitiveType to : targets) {
      const auto run = [&](PrimitiveType type, const std::vector<Literal>& arguments) {
        const std::string count = absl::StrCat("[", values.element_count(), "]");
        return RunModule(
            **Parse(absl::StrCat("HloModule m\nENTRY e {\n x = ", Name(type), count,
                                 " parameter(0)\n ROOT r = ", Name(to), count, " convert(x)\n}")),
            arguments);
      };
      ASSERT_OK_AND_ASSIGN(const Literal actual, run(from, narrow));
      ASSERT_OK_AND_ASSIGN(const Literal expected, run(F64, wide));
      ExpectSame(actual, expected, absl::StrCat(Name(from), " to ", Name(to)));
      ExpectSame(actual, values.Convert(to).value(), absl::StrCat(Name(from), " to ", Name(to)));
    }
  }
}

// --- Structured operations

// Small numbers that the type and all sums and products below hold exactly.
Literal SmallNumbers(PrimitiveType type, std::vector<int64_t> dimensions, int seed) {
  static const std::map<PrimitiveType, std::vector<double>>* const sets =
      new std::map<PrimitiveType, std::vector<double>>{
          {PRED, {0, 1}},
          {S1, {0, -1}},
          {U1, {0, 1}},
          {S2, {0, 1, -1}},
          {U2, {0, 1, 2}},
          {F8E8M0FNU, {1, 2, 0.5}},
          {F4E2M1FN, {0, 1, -1, 0.5}}};
  const auto found = sets->find(type);
  const std::vector<double> usual = primitive_util::IsUnsignedIntegralType(type)
                                        ? std::vector<double>{0, 1, 2, 3}
                                        : std::vector<double>{0, 1, -1, 2, -2};
  const std::vector<double>& set = found == sets->end() ? usual : found->second;
  Literal doubles(ShapeUtil::MakeShape(F64, dimensions));
  auto state = static_cast<uint32_t>(seed * 7919 + 1);
  for (double& x : doubles.data<double>()) {
    state = state * 1664525u + 1013904223u;
    x = set[(state >> 16) % set.size()];
  }
  return doubles.Convert(type).value();
}

struct Program {
  const char* name;
  const char* text;  // $T: the element type
  std::vector<std::vector<int64_t>> parameters;
};

// Computations by name; a program has those it names.
const std::vector<std::pair<std::string, std::string>>& Regions() {
  static const auto* const regions = new std::vector<std::pair<std::string, std::string>>{
      {"sum", R"(sum { sx = $T[] parameter(0)
  sy = $T[] parameter(1)
  ROOT sr = $T[] add(sx, sy) })"},
      {"max", R"(max { mx = $T[] parameter(0)
  my = $T[] parameter(1)
  ROOT mr = $T[] maximum(mx, my) })"},
      {"min", R"(min { nx = $T[] parameter(0)
  ny = $T[] parameter(1)
  ROOT nr = $T[] minimum(nx, ny) })"},
      {"product", R"(product { px = $T[] parameter(0)
  py = $T[] parameter(1)
  ROOT pr = $T[] multiply(px, py) })"},
      {"last", R"(last { lx = $T[] parameter(0)
  ROOT ly = $T[] parameter(1) })"},
      {"both", R"(both { bx = $T[] parameter(0)
  by = $T[] parameter(1)
  bz = $T[] parameter(2)
  bw = $T[] parameter(3)
  bs = $T[] add(bx, bz)
  bm = $T[] maximum(by, bw)
  ROOT br = ($T[], $T[]) tuple(bs, bm) })"},
      {"less", R"(less { ex = $T[] parameter(0)
  ey = $T[] parameter(1)
  ROOT er = pred[] compare(ex, ey), direction=LT })"},
      {"ge", R"(ge { gx = $T[] parameter(0)
  gy = $T[] parameter(1)
  ROOT gr = pred[] compare(gx, gy), direction=GE })"},
      {"running", R"(running { rx = $T[] parameter(0)
  rc = $T[] parameter(1)
  rs = $T[] add(rx, rc)
  ROOT rr = ($T[], $T[]) tuple(rs, rs) })"},
      {"body", R"(body { wc = (s32[], $T[3]) parameter(0)
  wi = s32[] get-tuple-element(wc), index=0
  wone = s32[] constant(1)
  wn = s32[] add(wi, wone)
  wx = $T[3] get-tuple-element(wc), index=1
  wy = $T[3] maximum(wx, wx)
  ROOT wr = (s32[], $T[3]) tuple(wn, wy) })"},
      {"condition", R"(condition { cc = (s32[], $T[3]) parameter(0)
  ci = s32[] get-tuple-element(cc), index=0
  cl = s32[] constant(3)
  ROOT cr = pred[] compare(ci, cl), direction=LT })"},
      {"same", R"(same { ROOT ix = $T[3] parameter(0) })"},
  };
  return *regions;
}

std::string TextOf(const Program& program, PrimitiveType type) {
  std::string text = "HloModule m\n";
  for (const auto& [name, region] : Regions()) {
    const std::string use = "=" + name;
    for (const char* end : {",", "\n", ""}) {
      const bool is_used = *end == 0 ? absl::EndsWith(program.text, use)
                                     : absl::StrContains(program.text, use + end);
      if (!is_used) continue;
      absl::StrAppend(&text, region, "\n");
      break;
    }
  }
  absl::StrAppend(&text, "ENTRY e {\n", program.text, "\n}\n");
  return absl::StrReplaceAll(text, {{"$T", Name(type)}});
}

const std::vector<Program>& Programs() {
  static const auto* const programs = new std::vector<Program>{
      {"reduce sum",
       "x = $T[2,3] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[2] reduce(x, i), "
       "dimensions={1}, to_apply=sum",
       {{2, 3}, {}}},
      {"reduce sum over rows",
       "x = $T[3,2] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[2] reduce(x, i), "
       "dimensions={0}, to_apply=sum",
       {{3, 2}, {}}},
      {"reduce product",
       "x = $T[3] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[] reduce(x, i), "
       "dimensions={0}, to_apply=product",
       {{3}, {}}},
      {"reduce maximum",
       "x = $T[2,17] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[2] reduce(x, i), "
       "dimensions={1}, to_apply=max",
       {{2, 17}, {}}},
      {"reduce minimum of nothing",
       "x = $T[0,2] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[2] reduce(x, i), "
       "dimensions={0}, to_apply=min",
       {{0, 2}, {}}},
      {"variadic reduce",
       "x = $T[3,2] parameter(0)\n y = $T[3,2] parameter(1)\n i = $T[] parameter(2)\n ROOT r = "
       "($T[2], $T[2]) reduce(x, y, i, i), dimensions={0}, to_apply=both",
       {{3, 2}, {3, 2}, {}}},
      {"map",
       "x = $T[5] parameter(0)\n y = $T[5] parameter(1)\n ROOT r = $T[5] map(x, y), "
       "dimensions={0}, to_apply=max",
       {{5}, {5}}},
      {"scan",
       "x = $T[3] parameter(0)\n i = $T[] parameter(1)\n ROOT r = ($T[3], $T[]) scan(x, i), "
       "dimensions={0}, num_carries=1, to_apply=running",
       {{3}, {}}},
      {"reduce-window sum",
       "x = $T[5] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[3] reduce-window(x, i), "
       "window={size=2 stride=2 pad=1_0}, to_apply=sum",
       {{5}, {}}},
      {"reduce-window maximum",
       "x = $T[4,5] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[3,4] reduce-window(x, i), "
       "window={size=2x2}, to_apply=max",
       {{4, 5}, {}}},
      {"select-and-scatter",
       "x = $T[4,4] parameter(0)\n s = $T[2,2] parameter(1)\n i = $T[] parameter(2)\n ROOT r = "
       "$T[4,4] select-and-scatter(x, s, i), window={size=2x2 stride=2x2}, select=ge, scatter=max",
       {{4, 4}, {2, 2}, {}}},
      {"dot",
       "x = $T[2,3] parameter(0)\n y = $T[3,2] parameter(1)\n ROOT r = $T[2,2] dot(x, y), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {{2, 3}, {3, 2}}},
      {"batch dot",
       "x = $T[2,1,2] parameter(0)\n y = $T[2,2,3] parameter(1)\n ROOT r = $T[2,1,3] dot(x, y), "
       "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
       {{2, 1, 2}, {2, 2, 3}}},
      {"dot over nothing",
       "x = $T[2,0] parameter(0)\n y = $T[0,2] parameter(1)\n ROOT r = $T[2,2] dot(x, y), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {{2, 0}, {0, 2}}},
      {"convolution",
       "x = $T[1,4,1] parameter(0)\n y = $T[3,1,2] parameter(1)\n ROOT r = $T[1,4,2] "
       "convolution(x, y), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f",
       {{1, 4, 1}, {3, 1, 2}}},
      {"ragged-dot",
       "x = $T[4,2] parameter(0)\n y = $T[2,2,1] parameter(1)\n g = s32[2] constant({1, 3})\n ROOT "
       "r = $T[4,1] ragged-dot(x, y, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "lhs_ragged_dims={0}, rhs_group_dims={0}",
       {{4, 2}, {2, 2, 1}}},
      {"sort",
       "x = $T[7] parameter(0)\n ROOT r = $T[7] sort(x), dimensions={0}, to_apply=less",
       {{7}}},
      {"topk",
       "x = $T[2,6] parameter(0)\n ROOT r = ($T[2,3], s32[2,3]) topk(x), k=3, largest=true",
       {{2, 6}}},
      {"gather",
       "x = $T[4,3] parameter(0)\n i = s32[2,1] constant({{3}, {1}})\n ROOT r = $T[2,3] gather(x, "
       "i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,3}",
       {{4, 3}}},
      {"scatter sum",
       "x = $T[4,3] parameter(0)\n u = $T[2,3] parameter(1)\n i = s32[2,1] constant({{3}, {1}})\n "
       "ROOT r = $T[4,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
       {{4, 3}, {2, 3}}},
      {"scatter last",
       "x = $T[4,3] parameter(0)\n u = $T[2,3] parameter(1)\n i = s32[2,1] constant({{3}, {1}})\n "
       "ROOT r = $T[4,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=last",
       {{4, 3}, {2, 3}}},
      {"clamp",
       "a = $T[] parameter(0)\n x = $T[9] parameter(1)\n b = $T[9] parameter(2)\n ROOT r = $T[9] "
       "clamp(a, x, b)",
       {{}, {9}, {9}}},
      {"select",
       "x = $T[5] parameter(0)\n y = $T[5] parameter(1)\n p = pred[5] constant({1,0,0,1,1})\n ROOT "
       "r = $T[5] select(p, x, y)",
       {{5}, {5}}},
      {"compare in the total order",
       "x = $T[9] parameter(0)\n y = $T[9] parameter(1)\n ROOT r = pred[9] compare(x, y), "
       "direction=LT, type=TOTALORDER",
       {{9}, {9}}},
      {"batch-norm-training",
       "x = $T[4,2] parameter(0)\n s = $T[2] parameter(1)\n o = $T[2] parameter(2)\n ROOT r = "
       "($T[4,2], $T[2], $T[2]) batch-norm-training(x, s, o), epsilon=1, feature_index=1",
       {{4, 2}, {2}, {2}}},
      {"scaled-dot",
       "x = $T[2,4] parameter(0)\n y = $T[4,2] parameter(1)\n a = $T[2,2] parameter(2)\n b = "
       "$T[2,2] parameter(3)\n ROOT r = $T[2,2] scaled-dot(x, y, a, b), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       {{2, 4}, {4, 2}, {2, 2}, {2, 2}}},
      {"dynamic sizes",
       "x = $T[4] parameter(0)\n n = s32[] constant(3)\n d = $T[<=4] set-dimension-size(x, n), "
       "dimensions={0}\n i = $T[] parameter(1)\n z = $T[] reduce(d, i), dimensions={0}, "
       "to_apply=max\n m = s32[] get-dimension-size(d), dimensions={0}\n ROOT r = ($T[], s32[]) "
       "tuple(z, m)",
       {{4}, {}}},
      {"iota", "ROOT r = $T[2,2] iota(), iota_dimension=1", {}},
      {"tuple",
       "x = $T[3] parameter(0)\n y = $T[] parameter(1)\n t = ($T[3], $T[]) tuple(x, y)\n z = $T[3] "
       "get-tuple-element(t), index=0\n ROOT r = ($T[3], $T[3]) tuple(z, x)",
       {{3}, {}}},
      {"while",
       "x = $T[3] parameter(0)\n z = s32[] constant(0)\n t = (s32[], $T[3]) tuple(z, x)\n w = "
       "(s32[], $T[3]) while(t), condition=condition, body=body\n ROOT r = $T[3] "
       "get-tuple-element(w), index=1",
       {{3}}},
      {"conditional",
       "x = $T[3] parameter(0)\n y = $T[3] parameter(1)\n p = pred[] constant(false)\n ROOT r = "
       "$T[3] conditional(p, x, y), true_computation=same, false_computation=same",
       {{3}, {3}}},
      {"call", "x = $T[3] parameter(0)\n ROOT r = $T[3] call(x), to_apply=same", {{3}}},
      {"fusion",
       "x = $T[3] parameter(0)\n ROOT r = $T[3] fusion(x), kind=kLoop, calls=same",
       {{3}}},
      {"copy, barrier, dependency",
       "x = $T[3] parameter(0)\n c = $T[3] copy(x)\n o = $T[3] opt-barrier(c)\n t = token[] "
       "after-all()\n ROOT r = $T[3] add-dependency(o, t)",
       {{3}}},
      {"asynchronous copy",
       "x = $T[3] parameter(0)\n c = ($T[3], $T[3], u32[]) copy-start(x)\n ROOT r = $T[3] "
       "copy-done(c)",
       {{3}}},
      {"asynchronous call",
       "x = $T[3] parameter(0)\n c = (($T[3]), $T[3], s32[]) call-start(x), to_apply=same\n u = "
       "(($T[3]), $T[3], s32[]) call-update(c)\n ROOT r = $T[3] call-done(u)",
       {{3}}},
      {"real and imag",
       "x = $T[3] parameter(0)\n a = $T[3] real(x)\n b = $T[3] imag(x)\n ROOT r = ($T[3], $T[3]) "
       "tuple(a, b)",
       {{3}}},
      {"batch-norm-inference",
       "x = $T[3,2] parameter(0)\n s = $T[2] parameter(1)\n o = $T[2] parameter(2)\n m = $T[2] "
       "parameter(3)\n n = s32[2] constant({1, 1})\n c = $T[2] convert(n)\n ROOT r = $T[3,2] "
       "batch-norm-inference(x, s, o, "
       "m, c), epsilon=0, feature_index=1",
       {{3, 2}, {2}, {2}, {2}}},
      {"reduce-precision",
       "x = $T[9] parameter(0)\n ROOT r = $T[9] reduce-precision(x), exponent_bits=8, "
       "mantissa_bits=7",
       {{9}}},
      {"triangular-solve",
       "n = s32[1,2,2] constant({{{1, 0}, {0, 1}}})\n a = $T[1,2,2] convert(n)\n b = $T[1,2,1] "
       "parameter(0)\n ROOT r = "
       "$T[1,2,1] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, "
       "transpose_a=NO_TRANSPOSE",
       {{1, 2, 1}}},
      {"cholesky",
       "n = s32[1,2,2] constant({{{4, 0}, {0, 1}}})\n a = $T[1,2,2] convert(n)\n ROOT r = "
       "$T[1,2,2] cholesky(a), lower=true",
       {}},
      {"fft",
       "x = $T[4] parameter(0)\n ROOT r = $T[4] fft(x), fft_type=FFT, fft_length={4}",
       {{4}}},
  };
  return *programs;
}

TEST(InterpreterTypes, StructuredProgramsAgreeWithTheWideType) {
  std::map<std::string, int> types_of;
  for (const Program& program : Programs()) {
    for (const PrimitiveType type : AllTypes()) {
      if (type == PRED) continue;  // adds as `or`: below
      const std::string where = absl::StrCat(program.name, " of ", Name(type));
      const absl::StatusOr<std::unique_ptr<HloModule>> narrow = Parse(TextOf(program, type));
      ASSERT_OK(narrow) << where;
      if (!IsAllowed(**narrow)) continue;
      if (type == F8E8M0FNU && absl::StrContains(program.text, "{{{")) continue;  // it has no zero
      ASSERT_OK_AND_ASSIGN(const auto wide, Parse(TextOf(program, WideOf(type))));
      std::vector<Literal> arguments, widened;
      for (size_t i = 0; i < program.parameters.size(); ++i) {
        arguments.push_back(SmallNumbers(type, program.parameters[i], static_cast<int>(i)));
        widened.push_back(arguments.back().Convert(WideOf(type)).value());
      }
      absl::StatusOr<Literal> actual = RunModule(**narrow, arguments);
      if (primitive_util::IsComplexType(type) &&
          (program.name == std::string("topk") || program.name == std::string("clamp"))) {
        EXPECT_STATUS(actual, absl::StatusCode::kUnimplemented, "");  // they have no order
        continue;
      }
      EXPECT_OK(actual) << where;
      if (!actual.ok()) continue;
      ASSERT_OK_AND_ASSIGN(const Literal expected, RunModule(*wide, widened));
      ExpectSame(*actual, ConvertAll(expected, WideOf(type), type), where);
      ++types_of[program.name];
    }
  }
  // What the specification leaves out: no order of complex numbers, few types of linear algebra.
  for (const Program& program : Programs()) EXPECT_GE(types_of[program.name], 2) << program.name;
  EXPECT_EQ(types_of["reduce sum"], 31);
  EXPECT_EQ(types_of["dot"], 31);
  EXPECT_EQ(types_of["gather"], 31);
  EXPECT_EQ(types_of["sort"], 29);
}

// Booleans: sums are `or`, products `and`; false comes before true.
TEST(InterpreterTypes, OperationsOfBooleans) {
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR1<bool>({false, false, true, true}));
  arguments.push_back(LiteralUtil::CreateR1<bool>({false, true, false, true}));
  const std::map<std::string, std::vector<bool>> expected = {
      {"and(x, y)", {false, false, false, true}},
      {"or(x, y)", {false, true, true, true}},
      {"xor(x, y)", {false, true, true, false}},
      {"not(x)", {true, true, false, false}},
      {"add(x, y)", {false, true, true, true}},
      {"multiply(x, y)", {false, false, false, true}},
      {"maximum(x, y)", {false, true, true, true}},
      {"minimum(x, y)", {false, false, false, true}},
      {"compare(x, y), direction=EQ", {true, false, false, true}},
      {"compare(x, y), direction=LT", {false, true, false, false}},
      {"compare(x, y), direction=GE", {true, false, true, true}},
      {"select(x, y, x)", {false, false, false, true}},
      {"clamp(x, y, x)", {false, false, true, true}},
      {"copy(y)", {false, true, false, true}},
      {"sort(y), dimensions={0}, to_apply=less", {false, false, true, true}},
      {"reverse(x), dimensions={0}", {true, true, false, false}},
      {"reduce-window(x, f), window={size=2 pad=1_0}, to_apply=sum", {false, false, true, true}},
  };
  for (const auto& [op, values] : expected) {
    std::string text = "HloModule m\n";
    if (absl::StrContains(op, "less")) {
      text +=
          "less { a = pred[] parameter(0)\n b = pred[] parameter(1)\n"
          " ROOT r = pred[] compare(a, b), direction=LT }\n";
    }
    if (absl::StrContains(op, "sum")) {
      text +=
          "sum { a = pred[] parameter(0)\n b = pred[] parameter(1)\n"
          " ROOT r = pred[] add(a, b) }\n";
    }
    absl::StrAppend(&text,
                    "ENTRY e {\n x = pred[4] parameter(0)\n y = pred[4] parameter(1)\n"
                    " f = pred[] constant(false)\n ROOT r = pred[4] ",
                    op, "\n}");
    ASSERT_OK_AND_ASSIGN(const auto module, Parse(text));
    EXPECT_TRUE(IsAllowed(*module)) << op;
    ASSERT_OK_AND_ASSIGN(const Literal result, RunModule(*module, arguments));
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(result.data<bool>()[i], values[i]) << op << " at " << i;
  }
}

}  // namespace
}  // namespace xla
