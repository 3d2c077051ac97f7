// SPDX-License-Identifier: Apache-2.0
// Literals to LiteralProto and back, in XLA's format, and protos that are not literals.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

TEST(LiteralProto, EveryTypeRoundTrips) {
  for (int i = 0; i < PrimitiveType_ARRAYSIZE; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (!primitive_util::IsArrayType(type)) continue;
    Literal literal(ShapeUtil::MakeShapeWithDenseLayout(type, {3, 2}, {0, 1}));
    for (int64_t e = 0; e < 6; ++e) {
      ASSERT_OK_AND_ASSIGN(const Literal scalar,
                           LiteralUtil::CreateScalar(type, static_cast<double>(e % 4) - 1));
      LiteralUtil::SetScalarLiteral(literal, {e / 2, e % 2}, scalar);
    }
    ASSERT_OK_AND_ASSIGN(const Literal back, Literal::CreateFromProto(literal.ToProto()));
    EXPECT_TRUE(back.Equal(literal, /*layout_sensitive=*/true)) << back << " is not " << literal;
    EXPECT_EQ(std::memcmp(back.untyped_data(), literal.untyped_data(), literal.size_bytes()), 0);
  }
}

TEST(LiteralProto, ElementsAreInMemoryOrder) {
  const Literal literal =
      LiteralUtil::CreateR2WithLayout<int32_t>({{1, 2}, {3, 4}}, LayoutUtil::MakeLayout({0, 1}));
  const LiteralProto proto = literal.ToProto();
  EXPECT_EQ(std::vector<int32_t>(proto.s32s().begin(), proto.s32s().end()),
            (std::vector<int32_t>{1, 3, 2, 4}));
}

TEST(LiteralProto, SubByteElementsTakeAByteWithZerosAbove) {
  EXPECT_EQ(LiteralUtil::CreateR1<s4>({s4(1), s4(-2), s4(-8)}).ToProto().s4s(),
            std::string("\x01\x0e\x08", 3));
  EXPECT_EQ(LiteralUtil::CreateR1<s1>({s1(0), s1(-1)}).ToProto().s1s(), std::string("\x00\x01", 2));
  EXPECT_EQ(LiteralUtil::CreateR1<float4_e2m1fn>({float4_e2m1fn(1.0f), float4_e2m1fn(-2.0f)})
                .ToProto()
                .f4e2m1fns(),
            "\x02\x0c");
}

TEST(LiteralProto, PaddingIsNotWritten) {
  const Layout layout = LayoutUtil::MakePaddedLayout({0, 1}, {3, 5}, ONE_PAD);
  const Literal literal = LiteralUtil::CreateR2WithLayout<float>({{1, 2, 3}, {4, 5, 6}}, layout);
  const LiteralProto proto = literal.ToProto();
  EXPECT_EQ(std::vector<float>(proto.f32s().begin(), proto.f32s().end()),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  ASSERT_OK_AND_ASSIGN(const Literal back, Literal::CreateFromProto(proto));
  EXPECT_EQ(std::memcmp(back.untyped_data(), literal.untyped_data(), literal.size_bytes()), 0);
}

TEST(LiteralProto, TuplesTokensAndDynamicSizes) {
  Literal dynamic(ShapeUtil::MakeShape(S32, {3, 2}, {true, false}));
  dynamic.SetDynamicSize(0, 2);
  const Literal tuple =
      LiteralUtil::MakeTupleOwned(LiteralUtil::MakeTupleOwned(std::move(dynamic), Literal()),
                                  LiteralUtil::CreateToken(), LiteralUtil::CreateR0<bool>(true));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, tuple.SerializeAsString());
  ASSERT_OK_AND_ASSIGN(const Literal back, Literal::DeserializeFromString(bytes));
  EXPECT_EQ(back, tuple);
  EXPECT_EQ(back.GetDynamicSize(0, {0, 0}), 2);
}

TEST(LiteralProto, WhatDoesNotFitIsAnError) {
  LiteralProto proto = LiteralUtil::CreateR1<int32_t>({1, 2, 3}).ToProto();
  proto.add_s32s(4);
  EXPECT_STATUS(Literal::CreateFromProto(proto), absl::StatusCode::kInvalidArgument,
                "Expected 3 elements in LiteralProto repeated field, has 4, for shape s32[3]");
  proto.clear_s32s();
  EXPECT_ERROR(Literal::CreateFromProto(proto), "has 0");
  ASSERT_OK_AND_ASSIGN(const Literal zeros,
                       Literal::CreateFromProto(proto, /*prohibit_empty_literal=*/false));
  EXPECT_TRUE(zeros.IsAll(0));
  EXPECT_ERROR(Literal::CreateFromProto(LiteralProto()), "no shape");

  proto = LiteralUtil::CreateR1<half>({half(1.0f)}).ToProto();
  proto.set_f16s("abc");
  EXPECT_ERROR(Literal::CreateFromProto(proto), "Expected 2");

  proto = LiteralUtil::CreateR1<int32_t>({1, 2, 3}).ToProto();
  proto.add_dynamic_sizes(2);
  EXPECT_ERROR(Literal::CreateFromProto(proto),
               "Dynamic size 2 does not fit dimension 0 of shape s32[3]");
  proto.add_dynamic_sizes(2);
  EXPECT_ERROR(Literal::CreateFromProto(proto), "Expected 1 dynamic sizes");

  proto = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1)).ToProto();
  proto.clear_tuple_literals();
  EXPECT_ERROR(Literal::CreateFromProto(proto), "Expected 1 tuple elements");
  EXPECT_FALSE(Literal::DeserializeFromString("\xff\xff").ok());
}

TEST(LiteralProto, AHugeShapeWithoutDataTakesNoMemory) {
  LiteralProto proto;
  *proto.mutable_shape() = ShapeUtil::MakeShape(F32, {1 << 18, 1 << 18}).ToProto();
  EXPECT_ERROR(Literal::CreateFromProto(proto), "has 0");
  LiteralProto padded = LiteralUtil::CreateR1<float>({1}).ToProto();
  padded.mutable_shape()->mutable_layout()->add_padded_dimensions(int64_t{1} << 33);
  EXPECT_STATUS(Literal::CreateFromProto(padded), absl::StatusCode::kResourceExhausted,
                "34359738368 bytes");
  proto.mutable_shape()->set_dimensions(0, int64_t{1} << 62);
  EXPECT_FALSE(Literal::CreateFromProto(proto).ok());
  proto.mutable_shape()->set_dimensions(0, -5);
  EXPECT_FALSE(Literal::CreateFromProto(proto).ok());
}

TEST(LiteralProto, LayoutsAndDynamicSizesAreNeeded) {
  LiteralProto proto = LiteralUtil::CreateR1<float>({1, 2}).ToProto();
  EXPECT_OK(Literal::CreateFromProto(proto).status());
  proto.mutable_shape()->clear_layout();
  EXPECT_ERROR(Literal::CreateFromProto(proto).status(), "LiteralProto has no layout");
  Literal dynamic(ShapeUtil::MakeShape(F32, {10}, {true}));
  dynamic.SetDynamicSize(0, 3);
  proto = dynamic.ToProto();
  EXPECT_OK(Literal::CreateFromProto(proto).status());
  proto.clear_dynamic_sizes();
  EXPECT_ERROR(Literal::CreateFromProto(proto).status(), "Expected 1 dynamic sizes");
}

}  // namespace
}  // namespace xla
