// SPDX-License-Identifier: Apache-2.0
// Making literals.
#include "xla/literal_util.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/tsl/lib/core/bitmap.h"

namespace xla {
namespace {

std::string Oneline(const LiteralBase& literal) { return literal.ToStringOneline(); }

TEST(LiteralUtil, FromValues) {
  EXPECT_EQ(Oneline(LiteralUtil::CreateR0<float>(2.5)), "f32[] 2.5");
  EXPECT_EQ(Oneline(LiteralUtil::CreateR1<bool>({true, false})), "pred[2] {1, 0}");
  EXPECT_EQ(Oneline(LiteralUtil::CreateR2<int8_t>({{1, 2}, {3, 4}})),
            "s8[2,2] { { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(Oneline(LiteralUtil::CreateR3<int32_t>({{{1}, {2}}})), "s32[1,2,1] { { {1}, {2} } }");
  EXPECT_EQ(LiteralUtil::CreateR4<int32_t>({{{{1, 2}}, {{3, 4}}}}).Get<int32_t>({0, 1, 0, 1}), 4);
  EXPECT_EQ(Oneline(LiteralUtil::CreateR1<u4>({u4(15)})), "u4[1] {15}");
  EXPECT_EQ(Oneline(LiteralUtil::CreateR1<complex64>({{1, 2}})), "c64[1] {(1, 2)}");
  EXPECT_EQ(Oneline(LiteralUtil::CreateR1U8("AB")), "u8[2] {65, 66}");
  const Layout layout = LayoutUtil::MakeLayout({0, 1, 2});
  const Literal r3 = LiteralUtil::CreateR3WithLayout<int32_t>({{{1, 2}, {3, 4}}}, layout);
  EXPECT_EQ(r3.shape().layout(), layout);
  EXPECT_EQ(r3, LiteralUtil::CreateR3<int32_t>({{{1, 2}, {3, 4}}}));
}

TEST(LiteralUtil, FromArrays) {
  EXPECT_EQ(LiteralUtil::CreateR2FromArray2D<float>({{1, 2}, {3, 4}}),
            LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}));
  EXPECT_EQ(LiteralUtil::CreateR3FromArray3D<float>({{{1, 2}}}),
            LiteralUtil::CreateR3<float>({{{1, 2}}}));
  Array4D<float> array(1, 2, 1, 2);
  array.FillIota(1);
  EXPECT_EQ(LiteralUtil::CreateR4FromArray4D(array),
            LiteralUtil::CreateR4<float>({{{{1, 2}}, {{3, 4}}}}));
  EXPECT_EQ(LiteralUtil::CreateFromArray(Array<bool>({{true}, {false}})),
            LiteralUtil::CreateR2<bool>({{true}, {false}}));
  EXPECT_EQ(LiteralUtil::CreateFromArray(Array<int32_t>({3}, 7)),
            LiteralUtil::CreateR1<int32_t>({7, 7, 7}));
}

TEST(LiteralUtil, Patterns) {
  EXPECT_EQ(LiteralUtil::MakeIdentityR2<float>(2), LiteralUtil::CreateR2<float>({{1, 0}, {0, 1}}));
  EXPECT_EQ(LiteralUtil::CreateFullWithDescendingLayout<half>({2}, half(3.0f)),
            LiteralUtil::CreateR1<half>({half(3.0f), half(3.0f)}));
  EXPECT_EQ(LiteralUtil::CreateR2F32Linspace(0, 1.5, 2, 2),
            LiteralUtil::CreateR2<float>({{0, 0.5}, {1, 1.5}}));
  EXPECT_EQ(LiteralUtil::CreateR3Projected<float>({{1, 2}}, 2),
            LiteralUtil::CreateR3<float>({{{1, 2}}, {{1, 2}}}));
  EXPECT_EQ(LiteralUtil::CreateR4Projected<float>({{1}}, 2, 1),
            LiteralUtil::CreateR4<float>({{{{1}}}, {{{1}}}}));
  EXPECT_TRUE(LiteralUtil::CreateFromDimensions(C128, {2, 2}).IsAll(0));
}

TEST(LiteralUtil, SpecialScalars) {
  EXPECT_EQ(Oneline(LiteralUtil::Zero(BF16)), "bf16[] 0");
  EXPECT_EQ(Oneline(LiteralUtil::One(C64)), "c64[] (1, 0)");
  EXPECT_EQ(Oneline(LiteralUtil::One(PRED)), "pred[] true");
  EXPECT_EQ(Oneline(LiteralUtil::MinValue(F32)), "f32[] -inf");
  EXPECT_EQ(Oneline(LiteralUtil::MaxValue(F8E4M3FN)), "f8e4m3fn[] 448");
  EXPECT_EQ(Oneline(LiteralUtil::MinValue(S4)), "s4[] -8");
  EXPECT_EQ(Oneline(LiteralUtil::MaxValue(U64)), "u64[] 18446744073709551615");
  EXPECT_EQ(Oneline(LiteralUtil::MinValue(PRED)), "pred[] false");
  ASSERT_OK_AND_ASSIGN(const Literal nan, LiteralUtil::NanValue(C128));
  EXPECT_EQ(Oneline(nan), "c128[] (nan, nan)");
  EXPECT_FALSE(LiteralUtil::NanValue(S32).ok());
  EXPECT_FALSE(LiteralUtil::NanValue(F4E2M1FN).ok());
  EXPECT_TRUE(LiteralUtil::CreateToken().shape().IsToken());
  ASSERT_OK_AND_ASSIGN(const Literal scalar, LiteralUtil::CreateScalar(U8, 300));
  EXPECT_EQ(Oneline(scalar), "u8[] 255");
  EXPECT_FALSE(LiteralUtil::CreateScalar(TUPLE, 0).ok());
}

TEST(LiteralUtil, Tuples) {
  const Literal a = LiteralUtil::CreateR0<float>(1);
  const Literal b = LiteralUtil::CreateR1<int32_t>({2});
  const Literal tuple = LiteralUtil::MakeTuple({&a, &b});
  EXPECT_EQ(tuple, LiteralUtil::MakeTupleOwned(a.Clone(), b.Clone()));
  EXPECT_EQ(tuple, LiteralUtil::MakeTupleFromSlices({a, LiteralSlice(tuple, {1})}));
  EXPECT_EQ(Oneline(LiteralUtil::MakeTuple({})), "(  )");
}

TEST(LiteralUtil, ConvertsOnlyTheNamedType) {
  const Literal tuple = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1.5),
                                                    LiteralUtil::CreateR0<double>(2.5));
  EXPECT_EQ(LiteralUtil::ConvertF32ToBF16(tuple),
            LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<bfloat16>(bfloat16(1.5f)),
                                        LiteralUtil::CreateR0<double>(2.5)));
  EXPECT_EQ(LiteralUtil::ConvertS32ToF32(LiteralUtil::CreateR0<int32_t>(3)),
            LiteralUtil::CreateR0<float>(3));
}

// Each function converts the type that it is named after to the other one, and no other type.
TEST(LiteralUtil, ConversionsByName) {
  struct Conversion {
    Literal (*convert)(const LiteralSlice&);
    PrimitiveType from, to;
  };
  using L = LiteralUtil;
  const Conversion conversions[] = {
      {&L::ConvertBF16ToF32, BF16, F32},
      {&L::ConvertBF16ToF64, BF16, F64},
      {&L::ConvertF32ToBF16, F32, BF16},
      {&L::ConvertF32ToF64, F32, F64},
      {&L::ConvertF64ToBF16, F64, BF16},
      {&L::ConvertF64ToF32, F64, F32},
      {&L::ConvertS32ToF32, S32, F32},
      {&L::ConvertS8ToF32, S8, F32},
      {&L::ConvertF32ToS8, F32, S8},
      {&L::ConvertS32ToS1, S32, S1},
      {&L::ConvertF8E4M3FNToF32, F8E4M3FN, F32},
      {&L::ConvertF8E5M2ToF32, F8E5M2, F32},
      {&L::ConvertF32ToF8E4M3FNUZ, F32, F8E4M3FNUZ},
      {&L::ConvertF32ToF8E5M2FNUZ, F32, F8E5M2FNUZ},
      {&L::ConvertF32ToF8E5M2, F32, F8E5M2},
      {&L::ConvertF32ToF8E4M3FN, F32, F8E4M3FN},
  };
  const auto zero = [](PrimitiveType type) { return LiteralUtil::Zero(type).Clone(); };
  for (const Conversion& conversion : conversions) {
    for (const PrimitiveType type : {S1, S8, S32, BF16, F16, F32, F64, F8E4M3FN, F8E5M2}) {
      const Literal result = conversion.convert(zero(type));
      EXPECT_EQ(result, zero(type == conversion.from ? conversion.to : type))
          << PrimitiveType_Name(type) << " by " << PrimitiveType_Name(conversion.from) << " to "
          << PrimitiveType_Name(conversion.to);
    }
  }
}

TEST(LiteralUtil, GreatestFiniteValues) {
  EXPECT_EQ(Oneline(LiteralUtil::MaxFiniteValue(S8)), "s8[] 127");
  EXPECT_EQ(Oneline(LiteralUtil::MaxFiniteValue(F16)), "f16[] 65504");
  EXPECT_EQ(LiteralUtil::MaxFiniteValue(F64),
            LiteralUtil::CreateR0<double>(std::numeric_limits<double>::max()));
  EXPECT_EQ(LiteralUtil::MaxFiniteValue(F8E5M2).GetAsDouble({}), 57344);
  EXPECT_EQ(LiteralUtil::MaxFiniteValue(F8E4M3FN).GetAsDouble({}), 448);
}

TEST(LiteralUtil, Bits) {
  tsl::core::Bitmap bits(5);
  bits.set(1);
  bits.set(4);
  bits.set(0);
  bits.clear(0);
  EXPECT_EQ(bits.ToString(), "01001");
  EXPECT_EQ(bits.FirstUnset(0), 0);
  EXPECT_EQ(bits.FirstUnset(1), 2);
  EXPECT_EQ(bits.FirstUnset(4), 5);
  EXPECT_EQ(LiteralUtil::CreateR1(bits),
            LiteralUtil::CreateR1<bool>({false, true, false, false, true}));
  bits.Reset(2);
  EXPECT_EQ(bits.ToString(), "00");
  EXPECT_EQ(bits.bits(), 2);
}

// Elements are visited with their index, or with their place in memory, in any layout.
TEST(LiteralUtil, PopulateInPlace) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(S32, {2, 3}, {0, 1});
  const Literal by_index = LiteralUtil::CreateR2<int32_t>({{0, 1, 2}, {10, 11, 12}});
  const Literal by_place = LiteralUtil::CreateR2<int32_t>({{0, 2, 4}, {1, 3, 5}});
  const auto store = [](void* to, int64_t value) {
    *static_cast<int32_t*>(to) = static_cast<int32_t>(value);
  };
  int other_threads = 0;
  Literal literal(shape);
  ASSERT_OK(literal.PopulateInplace(
      [&](void* to, absl::Span<const int64_t> index) { store(to, 10 * index[0] + index[1]); }));
  EXPECT_EQ(literal.Relayout(by_index.shape()), by_index);
  literal = Literal(shape);
  ASSERT_OK(
      literal.PopulateInplaceParallel([&](void* to, absl::Span<const int64_t> index, int thread) {
        store(to, 10 * index[0] + index[1]);
        other_threads += thread != -1;
      }));
  EXPECT_EQ(literal.Relayout(by_index.shape()), by_index);
  literal = Literal(shape);
  ASSERT_OK(literal.PopulateLinearInplace(store));
  EXPECT_EQ(literal.Relayout(by_place.shape()), by_place);
  literal = Literal(shape);
  ASSERT_OK(literal.PopulateLinearInplaceParallel([&](void* to, int64_t place, int thread) {
    store(to, place);
    other_threads += thread != -1;
  }));
  EXPECT_EQ(literal.Relayout(by_place.shape()), by_place);
  EXPECT_EQ(other_threads, 0);
}

TEST(LiteralUtil, Pointers) {
  std::vector<Literal> literals;
  for (int32_t i = 0; i < 3; ++i) literals.push_back(LiteralUtil::CreateR0<int32_t>(i));
  const std::vector<const Literal*> pointers = LiteralUtil::MakePointers(literals);
  ASSERT_EQ(pointers.size(), 3);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(pointers[i], &literals[i]);
}

TEST(LiteralUtil, ScalarsThatAreNoNumbers) {
  EXPECT_EQ(LiteralUtil::LiteralAsScalar<float>(LiteralUtil::CreateR0<double>(2.5)), 2.5f);
  EXPECT_EQ(LiteralUtil::LiteralAsScalar<int32_t>(LiteralUtil::CreateR0<int64_t>(-7)), -7);
  EXPECT_EQ(LiteralUtil::LiteralAsScalar<float>(LiteralUtil::CreateR0<complex64>({1, 2})),
            std::nullopt);
  EXPECT_EQ(LiteralUtil::LiteralAsScalarInt64(LiteralUtil::CreateR0<float>(3)), std::nullopt);
  EXPECT_EQ(LiteralUtil::LiteralAsScalarInt64(LiteralUtil::CreateR0<uint8_t>(200)), 200);
}

TEST(LiteralUtil, Elements) {
  Literal literal = LiteralUtil::CreateR2<float>({{1, NAN}, {3, 4}});
  EXPECT_EQ(Oneline(LiteralUtil::GetFirstScalarLiteral(literal)), "f32[] 1");
  EXPECT_EQ(Oneline(LiteralUtil::GetScalarLiteral(literal, {1, 1})), "f32[] 4");
  EXPECT_EQ(Oneline(LiteralUtil::MaxElement(literal)), "f32[] nan");
  LiteralUtil::SetScalarLiteral(literal, {0, 1}, LiteralUtil::CreateR0<float>(-7));
  EXPECT_EQ(Oneline(LiteralUtil::MaxElement(literal)), "f32[] 4");
  EXPECT_EQ(LiteralUtil::LiteralAsScalar<int64_t>(LiteralUtil::CreateR0<uint8_t>(200)), 200);
  EXPECT_EQ(LiteralUtil::LiteralAsScalar<int64_t>(literal), std::nullopt);
  EXPECT_EQ(LiteralUtil::LiteralAsScalarInt64(LiteralUtil::CreateR0<s4>(s4(-3))), -3);
  EXPECT_EQ(LiteralUtil::LiteralAsScalarInt64(LiteralUtil::CreateR0<float>(1)), std::nullopt);
  EXPECT_EQ(LiteralUtil::MultiIndexAsString({7, 8}), "{7,8}");
}

TEST(LiteralUtil, ReshapeSliceReadsMemoryInTheGivenOrder) {
  const Literal literal = LiteralUtil::CreateR1<int32_t>({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(LiteralUtil::ReshapeSlice({2, 3}, {1, 0}, literal),
            LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(LiteralUtil::ReshapeSlice({2, 3}, {0, 1}, literal),
            LiteralUtil::CreateR2<int32_t>({{1, 3, 5}, {2, 4, 6}}));
}

TEST(LiteralUtil, RandomLiteralsRepeat) {
  const Shape shape = ShapeUtil::MakeShape(F32, {1000});
  ASSERT_OK_AND_ASSIGN(const Literal a, LiteralUtil::CreateRandomLiteral<F32>(shape, 2.0f, 0.5f));
  ASSERT_OK_AND_ASSIGN(const Literal b, LiteralUtil::CreateRandomLiteral<F32>(shape, 2.0f, 0.5f));
  EXPECT_EQ(a, b);
  EXPECT_NEAR(a.GetSumAsComplex128()->real() / 1000, 2.0, 0.1);
  std::mt19937 engine(1);
  ASSERT_OK_AND_ASSIGN(const Literal c,
                       LiteralUtil::CreateRandomLiteral<F32>(shape, &engine, 2.0f, 0.5f));
  EXPECT_NE(a, c);
  EXPECT_FALSE(LiteralUtil::CreateRandomLiteral<F64>(shape, 0.0, 1.0).ok())
      << "f32 shape, f64 values";
}

}  // namespace
}  // namespace xla
