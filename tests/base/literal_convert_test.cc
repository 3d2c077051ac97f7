// SPDX-License-Identifier: Apache-2.0
// Conversion of elements between types, by value and by bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/base/base_test_util.h"
#include "tests/test_util.h"
#include "xla/element_convert.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::kInf;

// The text of the converted literal.
std::string Converted(const Literal& literal, PrimitiveType type) {
  const absl::StatusOr<Literal> result = literal.Convert(type);
  return result.ok() ? result->ToStringWithoutShapeOneline() : result.status().ToString();
}

TEST(LiteralConvert, FloatToIntegerTruncatesSaturatesAndMapsNaNToZero) {
  const Literal f32 = LiteralUtil::CreateR1<float>({1.9f, -1.9f, 300, -300, kInf, -kInf, NAN});
  EXPECT_EQ(Converted(f32, S8), "{1, -1, 127, -128, 127, -128, 0}");
  EXPECT_EQ(Converted(f32, U8), "{1, 0, 255, 0, 255, 0, 0}");
  EXPECT_EQ(Converted(f32, U4), "{1, 0, 15, 0, 15, 0, 0}");
  EXPECT_EQ(Converted(f32, S2), "{1, -1, 1, -2, 1, -2, 0}");
  EXPECT_EQ(Converted(f32, S64),
            "{1, -1, 300, -300, 9223372036854775807, -9223372036854775808, 0}");
  EXPECT_EQ(
      Converted(LiteralUtil::CreateR1<double>({9223372036854775807.0, 1.8446744073709552e19, -1}),
                U64),
      "{9223372036854775808, 18446744073709551615, 0}");
  EXPECT_EQ(Converted(LiteralUtil::CreateR1<float>({2147483520.0f, 2147483648.0f}), S32),
            "{2147483520, 2147483647}");
}

TEST(LiteralConvert, IntegersWrapToIntegers) {
  const Literal s32 = LiteralUtil::CreateR1<int32_t>({-1, 300, 1 << 20});
  EXPECT_EQ(Converted(s32, U8), "{255, 44, 0}");
  EXPECT_EQ(Converted(s32, S4), "{-1, -4, 0}");
  EXPECT_EQ(Converted(s32, U64), "{18446744073709551615, 300, 1048576}");
}

TEST(LiteralConvert, ToPredIsNotZero) {
  EXPECT_EQ(Converted(LiteralUtil::CreateR1<float>({0, -0.0f, 0.1f, NAN}), PRED), "{0, 0, 1, 1}");
  EXPECT_EQ(Converted(LiteralUtil::CreateR1<int32_t>({0, 256}), PRED), "{0, 1}");
  EXPECT_EQ(Converted(LiteralUtil::CreateR1<bool>({false, true}), F32), "{0, 1}");
}

// As in XLA, nothing drops the imaginary part.
TEST(LiteralConvert, ComplexStaysComplex) {
  const Literal literal = LiteralUtil::CreateR1<complex64>({{1.5f, 0}});
  for (const PrimitiveType type : {F32, S32, PRED, BF16}) {
    EXPECT_STATUS(literal.Convert(type), absl::StatusCode::kUnimplemented,
                  "Converting from type c64 to type ");
  }
  EXPECT_STATUS(literal.Convert(TUPLE), absl::StatusCode::kUnimplemented, "must be arrays");
  EXPECT_EQ(Converted(LiteralUtil::CreateR1<complex64>({{1.5f, 2}}), C128), "{(1.5, 2)}");
  EXPECT_EQ(Converted(LiteralUtil::CreateR1<half>({half(-2.0f)}), C64), "{(-2, 0)}");
  EXPECT_EQ(Converted(LiteralUtil::CreateR1<int8_t>({-2}), C128), "{(-2, 0)}");
}

// Each of these comes out wrong if the value is rounded to float on the way.
TEST(LiteralConvert, RoundsOnce) {
  const auto first_bits = [](const Literal& literal, PrimitiveType type) -> int64_t {
    const absl::StatusOr<Literal> result = literal.Convert(type);
    int64_t bits = 0;
    std::memcpy(&bits, result->untyped_data(), result->size_bytes());
    return bits;
  };
  EXPECT_EQ(first_bits(LiteralUtil::CreateR0<double>(1 + 0x1p-11 + 0x1p-40), F16),
            half(1 + 0x1p-10).bits());
  EXPECT_EQ(first_bits(LiteralUtil::CreateR0<double>(1 + 0x1p-8 + 0x1p-40), BF16),
            bfloat16(1 + 0x1p-7).bits());
  EXPECT_EQ(first_bits(LiteralUtil::CreateR0<double>(1 + 0x1p-4 + 0x1p-40), F8E4M3FN),
            float8_e4m3fn(1.125f).bits());
  const int64_t above_tie = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  EXPECT_EQ(first_bits(LiteralUtil::CreateR0<int64_t>(above_tie), BF16),
            bfloat16(0x1p62 * (1 + 0x1p-7)).bits());
  EXPECT_EQ(first_bits(LiteralUtil::CreateR0<uint64_t>(above_tie), BF16),
            bfloat16(0x1p62 * (1 + 0x1p-7)).bits());
  EXPECT_EQ(first_bits(LiteralUtil::CreateR0<int64_t>(-above_tie), BF16),
            bfloat16(-0x1p62 * (1 + 0x1p-7)).bits());
  const uint64_t float_tie = (uint64_t{1} << 63) + (uint64_t{1} << 39) + 1;
  EXPECT_EQ(first_bits(LiteralUtil::CreateR0<uint64_t>(float_tie), F32),
            std::bit_cast<int32_t>(0x1p63f * (1 + 0x1p-23f)));
}

TEST(LiteralConvert, BulkConversionIsElementwiseConversion) {
  // All codes, more than one block, and a rest that is no block.
  std::vector<half> halves;
  for (int code = 0; code < 65536; ++code)
    halves.push_back(half::FromBits(static_cast<uint16_t>(code)));
  halves.resize(65536 - 7);
  std::vector<float> floats(halves.size());
  ConvertSpan(absl::MakeConstSpan(halves), absl::MakeSpan(floats));
  std::vector<half> back(halves.size());
  ConvertSpan(absl::MakeConstSpan(floats), absl::MakeSpan(back));
  std::vector<bfloat16> narrow(halves.size());
  ConvertSpan(absl::MakeConstSpan(floats), absl::MakeSpan(narrow));
  int errors = 0;
  for (size_t i = 0; i < halves.size(); ++i) {
    const float one = static_cast<float>(halves[i]);
    errors += std::bit_cast<uint32_t>(one) != std::bit_cast<uint32_t>(floats[i]);
    errors += half(one).bits() != back[i].bits();
    errors += bfloat16(one).bits() != narrow[i].bits();
  }
  EXPECT_EQ(errors, 0);
}

TEST(LiteralConvert, KeepsLayoutAndDynamicSizes) {
  Literal literal = LiteralUtil::CreateR2WithLayout<float>(
      {{1, 2}, {3, 4}}, LayoutUtil::MakePaddedLayout({0, 1}, {3, 2}, ONE_PAD));
  literal.SetDynamicSize(1, 1);
  ASSERT_OK_AND_ASSIGN(const Literal converted, literal.Convert(S32));
  EXPECT_EQ(converted.ToStringWithLayoutOneline().substr(0, 16), "s32[2,<=2]{0,1:W");
  EXPECT_EQ(converted.GetDynamicSize(1), 1);
  const auto memory = converted.data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(memory.begin(), memory.end()),
            (std::vector<int32_t>{1, 3, 1, 2, 4, 1}));
}

TEST(LiteralConvert, ConvertToShapeGoesIntoTuples) {
  const Literal tuple = LiteralUtil::MakeTupleOwned(
      LiteralUtil::CreateR0<float>(1.5), LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}}));
  const Shape shape = ShapeUtil::MakeTupleShape(
      {ShapeUtil::MakeShape(S32, {}), ShapeUtil::MakeShapeWithDenseLayout(F16, {2, 2}, {0, 1})});
  ASSERT_OK_AND_ASSIGN(const Literal converted, tuple.ConvertToShape(shape));
  EXPECT_EQ(converted.shape(), shape);
  EXPECT_EQ(converted.ToStringWithoutShapeOneline(), "( 1, { { 1, 2 }, { 3, 4 } } )");
  EXPECT_ERROR(tuple.ConvertToShape(ShapeUtil::MakeShape(F32, {2})), "structure or sizes differ");
  EXPECT_ERROR(tuple.Convert(F32), "both must be arrays");
  EXPECT_ERROR(LiteralUtil::CreateR0<float>(1).Convert(TOKEN), "both must be arrays");
}

TEST(LiteralBitcastConvert, KeepsBits) {
  ASSERT_OK_AND_ASSIGN(const Literal one, LiteralUtil::CreateR0<float>(1).BitcastConvert(
                                              ShapeUtil::MakeShape(S32, {})));
  EXPECT_EQ(one.Get<int32_t>({}), 0x3f800000);
  const Literal bytes = LiteralUtil::CreateR2<uint8_t>({{0, 0, 128, 63}, {0, 0, 0, 64}});
  ASSERT_OK_AND_ASSIGN(const Literal floats, bytes.BitcastConvert(ShapeUtil::MakeShape(F32, {2})));
  EXPECT_EQ(floats, LiteralUtil::CreateR1<float>({1, 2}));
  ASSERT_OK_AND_ASSIGN(const Literal back, floats.BitcastConvert(bytes.shape()));
  EXPECT_EQ(back, bytes);
  // Row-major elements, whatever the layouts.
  ASSERT_OK_AND_ASSIGN(const Literal other_layout,
                       bytes.Relayout(LayoutUtil::MakeLayout({0, 1}))
                           .BitcastConvert(ShapeUtil::MakeShape(F32, {2})));
  EXPECT_EQ(other_layout, floats);
}

TEST(LiteralBitcastConvert, PacksSubByteElementsLowBitsFirst) {
  const Literal nibbles = LiteralUtil::CreateR1<s4>({s4(1), s4(-1), s4(-8), s4(7)});
  ASSERT_OK_AND_ASSIGN(const Literal bytes, nibbles.BitcastConvert(ShapeUtil::MakeShape(U8, {2})));
  EXPECT_EQ(bytes, LiteralUtil::CreateR1<uint8_t>({0xf1, 0x78}));
  ASSERT_OK_AND_ASSIGN(const Literal back, bytes.BitcastConvert(nibbles.shape()));
  EXPECT_EQ(back, nibbles);
  ASSERT_OK_AND_ASSIGN(const Literal pairs,
                       nibbles.BitcastConvert(ShapeUtil::MakeShape(U2, {4, 2})));
  EXPECT_EQ(pairs.ToStringWithoutShapeOneline(), "{ { 1, 0 }, { 3, 3 }, { 0, 2 }, { 3, 1 } }");
}

TEST(LiteralBitcastConvert, AShapeWithoutLayoutIsRowMajor) {
  Shape words = ShapeUtil::MakeShape(S32, {2});
  words.clear_layout();
  ASSERT_OK_AND_ASSIGN(const Literal bits,
                       LiteralUtil::CreateR1<float>({1, 0}).BitcastConvert(words));
  EXPECT_EQ(bits, LiteralUtil::CreateR1<int32_t>({0x3f800000, 0}));
}

TEST(LiteralBitcastConvert, RefusesOtherSizes) {
  const Literal literal = LiteralUtil::CreateR1<float>({1, 2});
  EXPECT_ERROR(literal.BitcastConvert(ShapeUtil::MakeShape(S32, {3})), "different size");
  EXPECT_ERROR(literal.BitcastConvert(ShapeUtil::MakeTupleShape({})), "both must be arrays");
  EXPECT_ERROR(literal.BitcastConvert(ShapeUtil::MakeShape(S32, {2}, {true})), "dynamic");
}

}  // namespace
}  // namespace xla
