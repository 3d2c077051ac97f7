// SPDX-License-Identifier: Apache-2.0
// Facts about element types.
#include "xla/primitive_util.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/element_convert.h"

namespace xla {
namespace {

namespace pu = primitive_util;

std::vector<PrimitiveType> ArrayTypes() {
  std::vector<PrimitiveType> types;
  for (int i = 0; i < PrimitiveType_ARRAYSIZE; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (pu::IsArrayType(type)) types.push_back(type);
  }
  return types;
}

TEST(PrimitiveUtil, EveryProtoTypeIsKnown) {
  int named = 0;
  for (int i = 0; i < PrimitiveType_ARRAYSIZE; ++i) {
    if (!PrimitiveType_IsValid(i) || i == PRIMITIVE_TYPE_INVALID) continue;
    EXPECT_FALSE(pu::LowercasePrimitiveTypeName(static_cast<PrimitiveType>(i)).empty()) << i;
    ++named;
  }
  EXPECT_EQ(ArrayTypes().size() + 4, static_cast<size_t>(named))
      << "all but tuple, opaque, token and buffer";
}

TEST(PrimitiveUtil, NamesRoundTrip) {
  for (PrimitiveType type : ArrayTypes()) {
    const std::string& name = pu::LowercasePrimitiveTypeName(type);
    EXPECT_TRUE(pu::IsPrimitiveTypeName(name));
    ASSERT_OK_AND_ASSIGN(const PrimitiveType back, pu::StringToPrimitiveType(name));
    EXPECT_EQ(back, type) << name;
  }
  ASSERT_OK_AND_ASSIGN(const PrimitiveType opaque, pu::StringToPrimitiveType("opaque"));
  EXPECT_EQ(opaque, OPAQUE_TYPE);
  EXPECT_STATUS(pu::StringToPrimitiveType("f31"), absl::StatusCode::kInvalidArgument, "f31");
  EXPECT_ERROR(pu::StringToPrimitiveType("F32"), "Invalid element type");
  ASSERT_OK_AND_ASSIGN(const PrimitiveType tuple, pu::StringToPrimitiveType("tuple"));
  EXPECT_EQ(tuple, TUPLE);
  EXPECT_FALSE(pu::IsPrimitiveTypeName("tuple"));
  EXPECT_FALSE(pu::IsPrimitiveTypeName(""));
}

TEST(PrimitiveUtil, NativeTypesRoundTrip) {
  for (PrimitiveType type : ArrayTypes()) {
    const PrimitiveType back = pu::ArrayTypeSwitch(
        [](auto each) { return pu::NativeToPrimitiveType<pu::NativeTypeOf<each>>(); }, type);
    EXPECT_EQ(back, type);
    const size_t size =
        pu::ArrayTypeSwitch<size_t>([](auto each) { return sizeof(pu::NativeTypeOf<each>); }, type);
    EXPECT_EQ(size, static_cast<size_t>(pu::ByteWidth(type)));
  }
}

TEST(PrimitiveUtil, Widths) {
  EXPECT_EQ(pu::BitWidth(PRED), 1);
  EXPECT_EQ(pu::ByteWidth(PRED), 1);
  EXPECT_EQ(pu::BitWidth(S4), 4);
  EXPECT_EQ(pu::StorageBitWidth(S4), 8);
  EXPECT_EQ(pu::BitWidth(F6E3M2FN), 6);
  EXPECT_EQ(pu::BitWidth(C128), 128);
  EXPECT_EQ(pu::ByteWidth(TUPLE), 0);
  EXPECT_EQ(pu::UnsignedIntegralTypeForBitWidth(4), U4);
  EXPECT_EQ(pu::SignedIntegralTypeForBitWidth(64), S64);
  EXPECT_EQ(pu::SignedIntegralTypeForBitWidth(3), PRIMITIVE_TYPE_INVALID);
}

TEST(PrimitiveUtil, Kinds) {
  EXPECT_FALSE(pu::IsIntegralType(PRED));
  EXPECT_TRUE(pu::IsSignedIntegralType(S1));
  EXPECT_TRUE(pu::IsUnsignedIntegralType(U64));
  EXPECT_TRUE(pu::IsFloatingPointType(F8E8M0FNU));
  EXPECT_TRUE(pu::IsF8Type(F8E5M2));
  EXPECT_FALSE(pu::IsF8Type(F4E2M1FN));
  EXPECT_TRUE(pu::IsSubByteNonPredType(F4E2M1FN));
  EXPECT_FALSE(pu::IsSubByteNonPredType(PRED));
  EXPECT_FALSE(pu::IsArrayType(TOKEN));
  EXPECT_FALSE(pu::IsArrayType(static_cast<PrimitiveType>(1000)));
  EXPECT_EQ(pu::ComplexComponentType(C64), F32);
  EXPECT_EQ(pu::ComplexType(F64), C128);
  EXPECT_EQ(pu::ComplexType(F16), PRIMITIVE_TYPE_INVALID);
}

TEST(PrimitiveUtil, FloatFormats) {
  EXPECT_EQ(pu::SignificandWidth(F32), 24);
  EXPECT_EQ(pu::ExponentWidth(F32), 8);
  EXPECT_EQ(pu::ExponentBias(F64), 1023);
  EXPECT_EQ(pu::SignificandWidth(BF16), 8);
  EXPECT_EQ(pu::ExponentWidth(F16), 5);
  EXPECT_EQ(pu::UnderflowExponent(F16), -13);
  EXPECT_EQ(pu::OverflowExponent(F16), 16);
  EXPECT_EQ(pu::ExponentBias(F8E4M3B11FNUZ), 11);
  EXPECT_TRUE(pu::HasInfinity(F8E5M2));
  EXPECT_FALSE(pu::HasInfinity(F8E4M3FN));
  EXPECT_FALSE(pu::HasNaN(F4E2M1FN));
  EXPECT_FALSE(pu::HasNegativeZero(F8E4M3FNUZ));
  EXPECT_FALSE(pu::HasZero(F8E8M0FNU));
  EXPECT_FALSE(pu::HasInfinity(S32));
}

TEST(PrimitiveUtil, CastPreservesValues) {
  EXPECT_TRUE(pu::CastPreservesValues(F16, F32));
  EXPECT_FALSE(pu::CastPreservesValues(F32, F16));
  EXPECT_FALSE(pu::CastPreservesValues(F16, BF16));
  EXPECT_TRUE(pu::CastPreservesValues(S32, F64));
  EXPECT_FALSE(pu::CastPreservesValues(S32, F32));
  EXPECT_TRUE(pu::CastPreservesValues(S8, BF16)) << "-128 is a power of two";
  EXPECT_FALSE(pu::CastPreservesValues(U16, F16));
  EXPECT_TRUE(pu::CastPreservesValues(U8, S16));
  EXPECT_FALSE(pu::CastPreservesValues(S8, U64));
  EXPECT_TRUE(pu::CastPreservesValues(F32, C64));
  EXPECT_FALSE(pu::CastPreservesValues(C64, F64));
  EXPECT_TRUE(pu::CastPreservesValues(PRED, U1));
  EXPECT_TRUE(pu::CastPreservesValues(F8E5M2, F16));
  EXPECT_TRUE(pu::CastPreservesValues(F8E4M3FNUZ, F16));
  EXPECT_FALSE(pu::CastPreservesValues(F16, F8E5M2));
}

// All values of a type of at most 16 bits, as its elements in memory.
std::vector<char> AllValues(PrimitiveType type) {
  const int bits = pu::BitWidth(type);
  const int bytes = pu::ByteWidth(type);
  std::vector<char> values;
  for (int code = 0; code < 1 << bits; ++code) {
    // Signed integers below 8 bits are sign-extended in memory.
    const int sign = pu::IsSignedIntegralType(type) && bits < 8 ? 1 << (bits - 1) : 0;
    const int element = (code ^ sign) - sign;
    for (int i = 0; i < bytes; ++i) values.push_back(static_cast<char>(element >> (8 * i)));
  }
  return values;
}

// The definition: every value comes back from the other type, NaN as NaN, zeros with their sign.
bool EveryValueComesBack(PrimitiveType from, PrimitiveType to) {
  const std::vector<char> values = AllValues(from);
  const int64_t count = values.size() / pu::ByteWidth(from);
  std::vector<char> converted(count * pu::ByteWidth(to));
  std::vector<double> before(count);
  std::vector<double> after(count);
  ConvertElements(from, values.data(), F64, before.data(), count);
  ConvertElements(from, values.data(), to, converted.data(), count);
  ConvertElements(to, converted.data(), F64, after.data(), count);
  for (int64_t i = 0; i < count; ++i) {
    const bool same = std::isnan(before[i]) ? std::isnan(after[i])
                                            : before[i] == after[i] &&
                                                  std::signbit(before[i]) == std::signbit(after[i]);
    if (!same) return false;
  }
  return true;
}

TEST(PrimitiveUtil, CastPreservesValuesIsExact) {
  for (PrimitiveType from : ArrayTypes()) {
    if (pu::BitWidth(from) > 16) continue;
    for (PrimitiveType to : ArrayTypes()) {
      // As XLA has it, nothing else fits PRED, and PRED fits S1, which has no 1.
      const bool expected = (EveryValueComesBack(from, to) && (to != PRED || from == PRED)) ||
                            (from == PRED && to == S1);
      EXPECT_EQ(pu::CastPreservesValues(from, to), expected)
          << pu::LowercasePrimitiveTypeName(from) << " to " << pu::LowercasePrimitiveTypeName(to);
    }
  }
}

TEST(PrimitiveUtil, HigherPrecisionType) {
  EXPECT_EQ(pu::HigherPrecisionType(F16, F32), F32);
  EXPECT_EQ(pu::HigherPrecisionType(F32, S64), F32);
  EXPECT_EQ(pu::HigherPrecisionType(C64, F64), C64);
  EXPECT_EQ(pu::HigherPrecisionType(S8, S32), S32);
  EXPECT_EQ(pu::HigherPrecisionType(U8, S8), S8);
}

}  // namespace
}  // namespace xla
