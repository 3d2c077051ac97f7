// SPDX-License-Identifier: Apache-2.0
// Properties of element types: native C++ type, width, name, kind; and switches that call a
// function template for a PrimitiveType value. Every function is total: for a type that is not an
// array element type, predicates are false and widths 0.
#ifndef XLA_PRIMITIVE_UTIL_H_
#define XLA_PRIMITIVE_UTIL_H_

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"
#include "xla/base/check.h"
#include "xla/base/status_fwd.h"
#include "xla/types.h"
#include "xla/xla_data_enums.h"

namespace xla {
namespace primitive_util {

namespace internal {

// One more than the largest PrimitiveType number.
inline constexpr int kTypeCount = 37;

enum class Kind : uint8_t { kNone, kPred, kSigned, kUnsigned, kFloat, kComplex, kOther };

struct TypeFacts {
  Kind kind = Kind::kNone;
  uint8_t bits = 0;
  // Floating-point types only.
  bool has_infinity = false;
  bool has_nan = false;
  bool has_negative_zero = false;
  bool has_zero = true;
  uint8_t significand_bits = 0;  // with the implicit leading bit
  uint8_t exponent_bits = 0;
  int16_t exponent_bias = 0;
  // Of normal numbers 1.f * 2^e, plus 1, as in std::numeric_limits.
  int16_t underflow_exponent = 0;
  int16_t overflow_exponent = 0;
  const char* name = "";
};

const TypeFacts& FactsOf(PrimitiveType type);

}  // namespace internal

// Native type of a PrimitiveType known at compile time, and the reverse.
template <PrimitiveType kType>
struct PrimitiveTypeToNative;

// clang-format off
#define XLA_FOR_EACH_ARRAY_TYPE(X)                                                                   \
  X(PRED, bool) X(S1, s1) X(S2, s2) X(S4, s4) X(S8, int8_t) X(S16, int16_t) X(S32, int32_t)          \
  X(S64, int64_t) X(U1, u1) X(U2, u2) X(U4, u4) X(U8, uint8_t) X(U16, uint16_t) X(U32, uint32_t)     \
  X(U64, uint64_t) X(F16, half) X(BF16, bfloat16) X(F32, float) X(F64, double)                       \
  X(F8E3M4, float8_e3m4) X(F8E4M3, float8_e4m3) X(F8E4M3FN, float8_e4m3fn)                           \
  X(F8E4M3FNUZ, float8_e4m3fnuz) X(F8E4M3B11FNUZ, float8_e4m3b11fnuz) X(F8E5M2, float8_e5m2)         \
  X(F8E5M2FNUZ, float8_e5m2fnuz) X(F8E8M0FNU, float8_e8m0fnu) X(F6E2M3FN, float6_e2m3fn)             \
  X(F6E3M2FN, float6_e3m2fn) X(F4E2M1FN, float4_e2m1fn) X(C64, complex64) X(C128, complex128)
// clang-format on

namespace internal {
template <typename T>
struct NativeToPrimitive;  // no definition: T is not the native type of an element type
}  // namespace internal

#define XLA_DEFINE_TYPE_MAP(TYPE, native)        \
  template <>                                    \
  struct PrimitiveTypeToNative<TYPE> {           \
    using type = native;                         \
  };                                             \
  namespace internal {                           \
  template <>                                    \
  struct NativeToPrimitive<native> {             \
    static constexpr PrimitiveType value = TYPE; \
  };                                             \
  }
XLA_FOR_EACH_ARRAY_TYPE(XLA_DEFINE_TYPE_MAP)
#undef XLA_DEFINE_TYPE_MAP

namespace internal {
template <typename T>
requires(!std::is_void_v<typename ForeignMiniFloat<T>::Native>) struct NativeToPrimitive<T>
    : NativeToPrimitive<typename ForeignMiniFloat<T>::Native> {
};
}  // namespace internal

template <PrimitiveType kType>
using NativeTypeOf = typename PrimitiveTypeToNative<kType>::type;

template <typename NativeT>
constexpr PrimitiveType NativeToPrimitiveType() {
  return internal::NativeToPrimitive<NativeT>::value;
}

namespace internal {
struct TypeKind {
  bool is_array = false, is_float = false, is_complex = false, is_integer = false;
  bool is_signed = false;
  int bits = 0;
};
template <typename T>
constexpr int BitsOf() {
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (is_intN_v<T> || is_mini_float_v<T>) {
    return T::kTotalBits;
  } else {
    return 8 * sizeof(T);
  }
}
// By type. It is read for each element in places, so it is a table.
inline constexpr auto kTypeKinds = [] {
  std::array<TypeKind, kTypeCount> kinds;
#define XLA_KIND_OF(TYPE, native)                        \
  kinds[TYPE] = {true,                                   \
                 is_real_float_v<native>,                \
                 is_complex_v<native>,                   \
                 is_integer_v<native>,                   \
                 std::numeric_limits<native>::is_signed, \
                 BitsOf<native>()};
  XLA_FOR_EACH_ARRAY_TYPE(XLA_KIND_OF)
#undef XLA_KIND_OF
  return kinds;
}();
constexpr const TypeKind& KindOf(PrimitiveType type) {
  static_assert(PRIMITIVE_TYPE_INVALID == 0);
  const auto index = static_cast<size_t>(type);
  return kTypeKinds[index < kTypeKinds.size() ? index : 0];
}
}  // namespace internal

template <PrimitiveType kType>
using PrimitiveTypeConstant = std::integral_constant<PrimitiveType, kType>;

// Kinds. An "array type" is a type that the elements of an array may have.
constexpr bool IsArrayType(PrimitiveType type) { return internal::KindOf(type).is_array; }
constexpr bool IsFloatingPointType(PrimitiveType type) { return internal::KindOf(type).is_float; }
constexpr bool IsComplexType(PrimitiveType type) { return internal::KindOf(type).is_complex; }
constexpr bool IsSignedIntegralType(PrimitiveType type) {
  return internal::KindOf(type).is_integer && internal::KindOf(type).is_signed;
}
constexpr bool IsUnsignedIntegralType(PrimitiveType type) {
  return internal::KindOf(type).is_integer && !internal::KindOf(type).is_signed;
}
constexpr bool IsIntegralType(PrimitiveType type) {  // PRED is not integral
  return internal::KindOf(type).is_integer;
}
constexpr bool IsF8Type(PrimitiveType type) {
  return IsFloatingPointType(type) && internal::KindOf(type).bits == 8;
}
// The microscaling formats.
constexpr bool IsMXType(PrimitiveType type) {
  return type == F4E2M1FN || type == F6E2M3FN || type == F6E3M2FN || type == F8E8M0FNU;
}
constexpr bool Is8BitIntegralType(PrimitiveType type) { return type == S8 || type == U8; }
constexpr bool IsSubByteNonPredType(PrimitiveType type) {
  return IsArrayType(type) && type != PRED && internal::KindOf(type).bits < 8;
}

// Widths. BitWidth is the information content (PRED 1, S4 4, F32 32), ByteWidth the bytes an
// element takes in an unpacked array, StorageBitWidth the same in bits (PRED 8, S4 8).
constexpr int BitWidth(PrimitiveType type) { return internal::KindOf(type).bits; }
constexpr int ByteWidth(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }
constexpr int StorageBitWidth(PrimitiveType type) { return ByteWidth(type) * 8; }
PrimitiveType UnsignedIntegralTypeForBitWidth(int64_t bits);
PrimitiveType SignedIntegralTypeForBitWidth(int64_t bits);

// Element type of a complex type's parts (itself for a real type), and the complex type with such
// parts (PRIMITIVE_TYPE_INVALID if there is none).
PrimitiveType ComplexComponentType(PrimitiveType complex_type);
PrimitiveType ComplexType(PrimitiveType base_type);

// The type to which both can be converted without loss: the wider, the floating-point or the signed
// one.
PrimitiveType HigherPrecisionType(PrimitiveType a, PrimitiveType b);
// Returns true if `to` represents every value of `from` exactly.
bool CastPreservesValues(PrimitiveType from, PrimitiveType to);

// Floating-point formats. SignificandWidth counts the implicit bit (F32: 24). Normal
// numbers have exponents in [UnderflowExponent, OverflowExponent), in std::numeric_limits'
// convention.
int SignificandWidth(PrimitiveType type);
int ExponentWidth(PrimitiveType type);
int ExponentBias(PrimitiveType type);
int UnderflowExponent(PrimitiveType type);
int OverflowExponent(PrimitiveType type);
bool HasInfinity(PrimitiveType type);
bool HasNaN(PrimitiveType type);
bool HasNegativeZero(PrimitiveType type);
bool HasZero(PrimitiveType type);

// The name HLO text uses ("f32", "bf16", "pred", "token", "opaque"), and back. An unknown name is
// InvalidArgument.
const std::string& LowercasePrimitiveTypeName(PrimitiveType type);
absl::StatusOr<PrimitiveType> StringToPrimitiveType(absl::string_view lower_name);
bool IsPrimitiveTypeName(absl::string_view name);

// Calls `f(PrimitiveTypeConstant<type>())`. XLA_CHECKs that `type` is of the kind the switch
// covers.
//   int64_t bytes = ArrayTypeSwitch([](auto t) -> int64_t { return sizeof(NativeTypeOf<t>); },
//   type);
// The form ArrayTypeSwitch<R>(f, type) names the result type.
namespace internal {
enum SwitchKinds : unsigned { kPreds = 1, kIntegers = 2, kFloats = 4, kComplexes = 8 };

template <typename T>
constexpr unsigned KindBit() {
  if (std::is_same_v<T, bool>) return kPreds;
  if (is_complex_v<T>) return kComplexes;
  return is_real_float_v<T> ? kFloats : kIntegers;
}

template <unsigned kKinds, typename R, typename F>
constexpr R Switch(F&& f, PrimitiveType type) {
  switch (type) {
#define XLA_SWITCH_CASE(TYPE, native)                                           \
  case TYPE:                                                                    \
    if constexpr ((kKinds & KindBit<native>()) != 0) {                          \
      return static_cast<R>(std::forward<F>(f)(PrimitiveTypeConstant<TYPE>())); \
    }                                                                           \
    break;
    XLA_FOR_EACH_ARRAY_TYPE(XLA_SWITCH_CASE)
#undef XLA_SWITCH_CASE
    default:
      break;
  }
  XLA_CHECK(false) << "type " << static_cast<int>(type)
                   << " is not of a kind that this switch covers";
  __builtin_unreachable();
}

// A constant of each kind, to deduce a switch's result type from.
template <unsigned kKinds>
using Sample = PrimitiveTypeConstant<(kKinds & kFloats)    ? F32
                                     : (kKinds& kIntegers) ? S32
                                     : (kKinds& kPreds)    ? PRED
                                                           : C64>;
template <unsigned kKinds, typename F>
using ResultOf = decltype(std::declval<F>()(Sample<kKinds>()));
}  // namespace internal

#define XLA_DEFINE_TYPE_SWITCH(Name, kinds)                                                     \
  template <typename R, typename F>                                                             \
  constexpr R Name(F&& f, PrimitiveType type) {                                                 \
    return internal::Switch<(kinds), R>(std::forward<F>(f), type);                              \
  }                                                                                             \
  template <typename F>                                                                         \
  constexpr internal::ResultOf<(kinds), F> Name(F&& f, PrimitiveType type) {                    \
    return internal::Switch<(kinds), internal::ResultOf<(kinds), F>>(std::forward<F>(f), type); \
  }
XLA_DEFINE_TYPE_SWITCH(IntegralTypeSwitch, internal::kIntegers)
XLA_DEFINE_TYPE_SWITCH(FloatingPointTypeSwitch, internal::kFloats)
XLA_DEFINE_TYPE_SWITCH(ComplexTypeSwitch, internal::kComplexes)
XLA_DEFINE_TYPE_SWITCH(ArrayTypeSwitch, internal::kPreds | internal::kIntegers | internal::kFloats |
                                            internal::kComplexes)
#undef XLA_DEFINE_TYPE_SWITCH

// The same for any type; f is called with a constant of it whatever it is.
template <typename R, typename F>
constexpr R PrimitiveTypeSwitch(F&& f, PrimitiveType type) {
  switch (type) {
    case TUPLE:
      return static_cast<R>(std::forward<F>(f)(PrimitiveTypeConstant<TUPLE>()));
    case TOKEN:
      return static_cast<R>(std::forward<F>(f)(PrimitiveTypeConstant<TOKEN>()));
    case OPAQUE_TYPE:
      return static_cast<R>(std::forward<F>(f)(PrimitiveTypeConstant<OPAQUE_TYPE>()));
    case BUFFER:
      return static_cast<R>(std::forward<F>(f)(PrimitiveTypeConstant<BUFFER>()));
    case PRIMITIVE_TYPE_INVALID:
      return static_cast<R>(std::forward<F>(f)(PrimitiveTypeConstant<PRIMITIVE_TYPE_INVALID>()));
    default:
      return ArrayTypeSwitch<R>(std::forward<F>(f), type);
  }
}
// Whether T can hold the values of `type`: it is its native type.
template <typename T>
bool CanRepresent(PrimitiveType type) {
  return NativeToPrimitiveType<T>() == type;
}

// Returns true if values of `type` carry a sign.
inline bool IsSigned(PrimitiveType type) {
  return IsSignedIntegralType(type) || IsComplexType(type) ||
         (IsFloatingPointType(type) && type != F8E8M0FNU);
}

}  // namespace primitive_util
}  // namespace xla

#endif  // XLA_PRIMITIVE_UTIL_H_
