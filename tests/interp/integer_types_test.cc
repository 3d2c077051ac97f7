// SPDX-License-Identifier: Apache-2.0
// Operations of integers and booleans for every such type that the specification allows (the
// verifier decides), against plain arithmetic of our own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/interp/types_test_util.h"
#include "tests/test_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

using testing::Integers;
using testing::IsAllowed;
using testing::Name;
using testing::Parse;
using testing::RunModule;
using testing::Vector;

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
