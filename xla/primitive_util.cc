// SPDX-License-Identifier: Apache-2.0
// The table of element types, built at compile time from the native types.
#include "xla/primitive_util.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace xla {
namespace primitive_util {
namespace internal {
namespace {

template <typename T>
constexpr int BitsOf() {
  if constexpr (std::is_same_v<T, bool>) return 1;
  if constexpr (is_mini_float_v<T> || is_intN_v<T>) {
    return T::kTotalBits;
  } else {
    return sizeof(T) * 8;
  }
}

template <typename T>
constexpr Kind KindOf() {
  if (std::is_same_v<T, bool>) return Kind::kPred;
  if (is_complex_v<T>) return Kind::kComplex;
  if (is_real_float_v<T>) return Kind::kFloat;
  return std::numeric_limits<T>::is_signed ? Kind::kSigned : Kind::kUnsigned;
}

template <typename T>
constexpr TypeFacts MakeFacts(const char* name) {
  TypeFacts facts;
  facts.kind = KindOf<T>();
  facts.bits = BitsOf<T>();
  facts.name = name;
  if constexpr (is_real_float_v<T>) {
    using Limits = std::numeric_limits<T>;
    facts.has_infinity = Limits::has_infinity;
    facts.has_nan = Limits::has_quiet_NaN;
    facts.significand_bits = Limits::digits;
    facts.underflow_exponent = Limits::min_exponent;
    facts.overflow_exponent = Limits::max_exponent;
    if constexpr (is_mini_float_v<T>) {
      facts.has_negative_zero = T::kHasNegativeZero;
      facts.has_zero = T::kHasZero;
      facts.exponent_bits = T::kExponentBits;
      facts.exponent_bias = T::kExponentBias;
    } else {
      facts.has_negative_zero = true;
      facts.exponent_bits = facts.bits - Limits::digits;
      facts.exponent_bias = Limits::max_exponent - 1;
    }
  }
  return facts;
}

constexpr TypeFacts MakeOther(const char* name) {
  TypeFacts facts;
  facts.kind = Kind::kOther;
  facts.name = name;
  return facts;
}

constexpr std::array<TypeFacts, kTypeCount> MakeTable() {
  std::array<TypeFacts, kTypeCount> table;
  table[PRED] = MakeFacts<bool>("pred");
  table[S1] = MakeFacts<s1>("s1");
  table[S2] = MakeFacts<s2>("s2");
  table[S4] = MakeFacts<s4>("s4");
  table[S8] = MakeFacts<int8_t>("s8");
  table[S16] = MakeFacts<int16_t>("s16");
  table[S32] = MakeFacts<int32_t>("s32");
  table[S64] = MakeFacts<int64_t>("s64");
  table[U1] = MakeFacts<u1>("u1");
  table[U2] = MakeFacts<u2>("u2");
  table[U4] = MakeFacts<u4>("u4");
  table[U8] = MakeFacts<uint8_t>("u8");
  table[U16] = MakeFacts<uint16_t>("u16");
  table[U32] = MakeFacts<uint32_t>("u32");
  table[U64] = MakeFacts<uint64_t>("u64");
  table[F16] = MakeFacts<half>("f16");
  table[BF16] = MakeFacts<bfloat16>("bf16");
  table[F32] = MakeFacts<float>("f32");
  table[F64] = MakeFacts<double>("f64");
  table[F8E3M4] = MakeFacts<float8_e3m4>("f8e3m4");
  table[F8E4M3] = MakeFacts<float8_e4m3>("f8e4m3");
  table[F8E4M3FN] = MakeFacts<float8_e4m3fn>("f8e4m3fn");
  table[F8E4M3FNUZ] = MakeFacts<float8_e4m3fnuz>("f8e4m3fnuz");
  table[F8E4M3B11FNUZ] = MakeFacts<float8_e4m3b11fnuz>("f8e4m3b11fnuz");
  table[F8E5M2] = MakeFacts<float8_e5m2>("f8e5m2");
  table[F8E5M2FNUZ] = MakeFacts<float8_e5m2fnuz>("f8e5m2fnuz");
  table[F8E8M0FNU] = MakeFacts<float8_e8m0fnu>("f8e8m0fnu");
  table[F6E2M3FN] = MakeFacts<float6_e2m3fn>("f6e2m3fn");
  table[F6E3M2FN] = MakeFacts<float6_e3m2fn>("f6e3m2fn");
  table[F4E2M1FN] = MakeFacts<float4_e2m1fn>("f4e2m1fn");
  table[C64] = MakeFacts<complex64>("c64");
  table[C128] = MakeFacts<complex128>("c128");
  table[TUPLE] = MakeOther("tuple");
  table[OPAQUE_TYPE] = MakeOther("opaque");
  table[TOKEN] = MakeOther("token");
  table[BUFFER] = MakeOther("buffer");
  table[PRIMITIVE_TYPE_INVALID].name = "primitive_type_invalid";
  return table;
}

constexpr std::array<TypeFacts, kTypeCount> kTable = MakeTable();

static_assert(kTypeCount == PrimitiveType_MAX + 1);

}  // namespace

const TypeFacts& FactsOf(PrimitiveType type) {
  const auto index = static_cast<unsigned>(type);
  return kTable[index < kTypeCount ? index : 0];
}

}  // namespace internal

using internal::FactsOf;
using internal::Kind;

PrimitiveType UnsignedIntegralTypeForBitWidth(int64_t bits) {
  switch (bits) {
    case 1:
      return U1;
    case 2:
      return U2;
    case 4:
      return U4;
    case 8:
      return U8;
    case 16:
      return U16;
    case 32:
      return U32;
    case 64:
      return U64;
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

PrimitiveType SignedIntegralTypeForBitWidth(int64_t bits) {
  switch (bits) {
    case 1:
      return S1;
    case 2:
      return S2;
    case 4:
      return S4;
    case 8:
      return S8;
    case 16:
      return S16;
    case 32:
      return S32;
    case 64:
      return S64;
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

PrimitiveType ComplexComponentType(PrimitiveType complex_type) {
  if (complex_type == C64) return F32;
  if (complex_type == C128) return F64;
  return complex_type;
}

PrimitiveType ComplexType(PrimitiveType base_type) {
  if (base_type == F32) return C64;
  if (base_type == F64) return C128;
  return PRIMITIVE_TYPE_INVALID;
}

PrimitiveType HigherPrecisionType(PrimitiveType a, PrimitiveType b) {
  // Ordered by: complex, floating-point, integral; then exponent range and precision; then width;
  // then sign.
  const auto rank = [](PrimitiveType type) {
    const PrimitiveType component = ComplexComponentType(type);
    const internal::TypeFacts& facts = FactsOf(component);
    return std::array<int, 6>{IsComplexType(type), IsFloatingPointType(component),
                              facts.exponent_bits, facts.significand_bits,
                              facts.bits,          IsSignedIntegralType(component)};
  };
  return rank(b) > rank(a) ? b : a;
}

bool CastPreservesValues(PrimitiveType from, PrimitiveType to) {
  if (from == to) return IsArrayType(from);
  if (!IsArrayType(from) || !IsArrayType(to)) return false;
  // S1, which is 0 and -1, has no 1: true nevertheless, as in XLA.
  if (from == PRED) return FactsOf(ComplexComponentType(to)).has_zero;
  if (to == PRED) return false;  // as XLA has it, of one bit, too
  if (IsComplexType(to))
    return CastPreservesValues(ComplexComponentType(from), ComplexComponentType(to));
  if (IsComplexType(from)) return false;
  const internal::TypeFacts& f = FactsOf(from);
  const internal::TypeFacts& t = FactsOf(to);
  if (IsFloatingPointType(from)) {
    if (!IsFloatingPointType(to)) return false;
    // The subnormal values of `from` extend its range downwards by its mantissa bits; normal or
    // subnormal values of `to` must cover that range.
    const int from_lowest = f.underflow_exponent - (f.has_zero ? f.significand_bits : 0);
    const int to_lowest = t.underflow_exponent - (t.has_zero ? t.significand_bits : 0);
    return f.significand_bits <= t.significand_bits && f.overflow_exponent <= t.overflow_exponent &&
           from_lowest >= to_lowest && (!f.has_infinity || t.has_infinity) &&
           (!f.has_nan || t.has_nan) && (!f.has_zero || t.has_zero) &&
           (!f.has_negative_zero || t.has_negative_zero);
  }
  const int magnitude_bits = f.bits - (IsSignedIntegralType(from) ? 1 : 0);
  if (IsFloatingPointType(to)) {
    // 2^bits - 1 is below 2^bits; the lowest signed value, -2^(bits - 1), needs range, not
    // precision.
    return t.has_zero && magnitude_bits <= t.significand_bits && f.bits <= t.overflow_exponent;
  }
  if (IsSignedIntegralType(from) && !IsSignedIntegralType(to)) return false;
  return magnitude_bits <= t.bits - (IsSignedIntegralType(to) ? 1 : 0);
}

int SignificandWidth(PrimitiveType type) { return FactsOf(type).significand_bits; }
int ExponentWidth(PrimitiveType type) { return FactsOf(type).exponent_bits; }
int ExponentBias(PrimitiveType type) { return FactsOf(type).exponent_bias; }
int UnderflowExponent(PrimitiveType type) { return FactsOf(type).underflow_exponent; }
int OverflowExponent(PrimitiveType type) { return FactsOf(type).overflow_exponent; }
bool HasInfinity(PrimitiveType type) { return FactsOf(type).has_infinity; }
bool HasNaN(PrimitiveType type) { return FactsOf(type).has_nan; }
bool HasNegativeZero(PrimitiveType type) { return FactsOf(type).has_negative_zero; }
bool HasZero(PrimitiveType type) { return FactsOf(type).has_zero; }

const std::string& LowercasePrimitiveTypeName(PrimitiveType type) {
  static const auto* const names = [] {
    auto* all = new std::array<std::string, internal::kTypeCount>;
    for (int i = 0; i < internal::kTypeCount; ++i) {
      (*all)[i] = FactsOf(static_cast<PrimitiveType>(i)).name;
    }
    return all;
  }();
  const auto index = static_cast<unsigned>(type);
  return (*names)[index < internal::kTypeCount ? index : 0];
}

namespace {

// PRIMITIVE_TYPE_INVALID if there is no such type. TUPLE and BUFFER have no name in HLO text.
PrimitiveType TypeOfName(absl::string_view name) {
  static const auto* const types = [] {
    auto* all = new absl::flat_hash_map<absl::string_view, PrimitiveType>;
    for (int i = 1; i < internal::kTypeCount; ++i) {
      const auto type = static_cast<PrimitiveType>(i);
      if (FactsOf(type).kind != Kind::kNone && type != TUPLE && type != BUFFER) {
        all->emplace(FactsOf(type).name, type);
      }
    }
    return all;
  }();
  const auto found = types->find(name);
  return found == types->end() ? PRIMITIVE_TYPE_INVALID : found->second;
}

}  // namespace

absl::StatusOr<PrimitiveType> StringToPrimitiveType(absl::string_view lower_name) {
  PrimitiveType type = TypeOfName(lower_name);
  for (const PrimitiveType other : {TUPLE, TOKEN, OPAQUE_TYPE, BUFFER}) {
    if (lower_name == LowercasePrimitiveTypeName(other)) type = other;
  }
  if (type == PRIMITIVE_TYPE_INVALID) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid element type string: \"", lower_name, "\"."));
  }
  return type;
}

bool IsPrimitiveTypeName(absl::string_view name) {
  return TypeOfName(name) != PRIMITIVE_TYPE_INVALID;
}

}  // namespace primitive_util
}  // namespace xla
