// SPDX-License-Identifier: Apache-2.0
// Literals: memory under layouts and padding, access, copies, tuples, views, dynamic sizes,
// questions.
#include "xla/literal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

template <typename T>
std::vector<T> Memory(const LiteralBase& literal) {
  const auto data = literal.data<T>();
  return std::vector<T>(data.begin(), data.end());
}

const Layout kColumnMajor = LayoutUtil::MakeLayout({0, 1});

TEST(Literal, StartsZeroedAndRowMajor) {
  Literal literal(ShapeUtil::MakeShape(F32, {2, 3}));
  EXPECT_EQ(Memory<float>(literal), std::vector<float>(6, 0.0f));
  literal.Set<float>({1, 0}, 5);
  EXPECT_EQ(Memory<float>(literal), (std::vector<float>{0, 0, 0, 5, 0, 0}));
  EXPECT_EQ(literal.Get<float>({1, 0}), 5);
  EXPECT_EQ(literal.size_bytes(), 24);
  EXPECT_EQ(literal.element_count(), 6);
}

TEST(Literal, ElementsLieInOrderOfTheLayout) {
  const Literal literal =
      LiteralUtil::CreateR2WithLayout<int32_t>({{1, 2, 3}, {4, 5, 6}}, kColumnMajor);
  EXPECT_EQ(Memory<int32_t>(literal), (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(literal.Get<int32_t>({1, 2}), 6);
}

// The example of the shapes document: [2 x 3] padded to [3, 5], {0,1}.
TEST(Literal, PaddingHoldsThePaddingValue) {
  const Layout layout = LayoutUtil::MakePaddedLayout({0, 1}, {3, 5}, ONE_PAD);
  Literal literal = LiteralUtil::CreateR2WithLayout<float>({{10, 20, 30}, {40, 50, 60}}, layout);
  EXPECT_EQ(Memory<float>(literal),
            (std::vector<float>{10, 40, 1, 20, 50, 1, 30, 60, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(literal.size_bytes(), 60);
  EXPECT_EQ(literal.element_count(), 6);
  EXPECT_EQ(literal.Get<float>({1, 2}), 60);
  literal.PopulateWithValue<float>(7);
  EXPECT_EQ(Memory<float>(literal),
            (std::vector<float>{7, 7, 1, 7, 7, 1, 7, 7, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(Literal, PaddingMayBeTheLowestOrHighestValue) {
  const Layout lowest = LayoutUtil::MakePaddedLayout({0}, {2}, LOWEST_PAD);
  const Layout highest = LayoutUtil::MakePaddedLayout({0}, {2}, HIGHEST_PAD);
  EXPECT_EQ(Memory<float>(LiteralUtil::CreateR1<float>({3}).Relayout(lowest)),
            (std::vector<float>{3, -std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(Memory<int8_t>(LiteralUtil::CreateR1<int8_t>({3}).Relayout(lowest)),
            (std::vector<int8_t>{3, -128}));
  EXPECT_EQ(Memory<u4>(LiteralUtil::CreateR1<u4>({u4(3)}).Relayout(highest)),
            (std::vector<u4>{u4(3), u4(15)}));
}

TEST(Literal, RelayoutKeepsValuesAndEquality) {
  const Literal literal =
      LiteralUtil::CreateR3<int32_t>({{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}});
  for (const std::vector<int64_t>& order : std::vector<std::vector<int64_t>>{
           {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    const Literal other = literal.Relayout(LayoutUtil::MakeLayout(order));
    EXPECT_EQ(other.Get<int32_t>({1, 2, 0}), 11);
    EXPECT_EQ(other, literal);
    EXPECT_EQ(other.HashValue(), literal.HashValue());
    EXPECT_EQ(other.Equal(literal, /*layout_sensitive=*/true),
              (order == std::vector<int64_t>{2, 1, 0}));
    EXPECT_EQ(Memory<int32_t>(other.Relayout(literal.shape())), Memory<int32_t>(literal));
  }
  const Literal padded =
      literal.Relayout(LayoutUtil::MakePaddedLayout({1, 2, 0}, {3, 5, 2}, UNKNOWN_PAD));
  EXPECT_EQ(padded, literal);
  EXPECT_EQ(padded.HashValue(), literal.HashValue());
  EXPECT_EQ(Memory<int32_t>(padded.Relayout(literal.shape().layout())), Memory<int32_t>(literal));
}

TEST(Literal, ScalarsAndSmallArraysSurviveMoves) {
  Literal scalar = LiteralUtil::CreateR0<double>(1.5);
  Literal moved = std::move(scalar);
  EXPECT_EQ(moved.Get<double>({}), 1.5);
  EXPECT_TRUE(
      ShapeUtil::IsEmptyTuple(scalar.shape()));  // NOLINT: the moved-from state is documented
  std::vector<Literal> list;
  for (int i = 0; i < 20; ++i) list.push_back(LiteralUtil::CreateR1<int32_t>({i, i + 1}));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(list[i].Get<int32_t>({1}), i + 1);
  moved = std::move(list[3]);
  EXPECT_EQ(moved.Get<int32_t>({0}), 3);
}

TEST(Literal, BuffersAreAlignedToCacheLines) {
  for (int64_t n : {5, 64, 1000}) {
    const Literal literal(ShapeUtil::MakeShape(F32, {n}));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(literal.untyped_data()) % 64, 0u) << n;
  }
}

TEST(Literal, EqualityIsOfBits) {
  const auto r0 = [](float value) { return LiteralUtil::CreateR0<float>(value); };
  EXPECT_EQ(r0(NAN), r0(NAN));
  EXPECT_NE(r0(0.0f), r0(-0.0f));
  EXPECT_NE(r0(1), LiteralUtil::CreateR0<int32_t>(0x3f800000));
  EXPECT_NE(r0(1), LiteralUtil::CreateR1<float>({1}));
  EXPECT_NE(LiteralUtil::MakeTupleOwned(r0(1)), LiteralUtil::MakeTupleOwned(r0(1), r0(1)));
  EXPECT_EQ(Literal(ShapeUtil::MakeShape(F32, {0, 3})), Literal(ShapeUtil::MakeShape(F32, {0, 3})));
  EXPECT_NE(Literal(ShapeUtil::MakeShape(F32, {0, 3})), Literal(ShapeUtil::MakeShape(F32, {3, 0})));
  EXPECT_EQ(LiteralUtil::CreateToken(), LiteralUtil::CreateToken());
}

Literal NestedTuple() {
  return LiteralUtil::MakeTupleOwned(
      LiteralUtil::CreateR0<float>(1),
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}}),
                                  LiteralUtil::CreateToken()));
}

TEST(Literal, TuplesAreMadeAndTakenApart) {
  Literal tuple = NestedTuple();
  EXPECT_EQ(tuple.Get<int32_t>({1, 0}, {1, 0}), 3);
  tuple.Set<int32_t>({1, 0}, {1, 0}, 30);
  EXPECT_EQ(LiteralSlice(tuple, {1, 0}).Get<int32_t>({1, 0}), 30);
  std::vector<Literal> elements = tuple.DecomposeTuple();
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(tuple.shape()));
  EXPECT_EQ(elements[0].Get<float>({}), 1);
  EXPECT_EQ(elements[1].Get<int32_t>({1, 1}, {0}), 4);
  EXPECT_TRUE(LiteralSlice(elements[1], {1}).shape().IsToken());
  EXPECT_EQ(NestedTuple().SubLiteral({1, 0}), LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}}));
}

TEST(Literal, MoveFromReplacesAnElement) {
  Literal tuple = NestedTuple();
  EXPECT_OK(tuple.MoveFrom(LiteralUtil::CreateR2<int32_t>({{5, 6}, {7, 8}}), {1, 0}));
  EXPECT_EQ(tuple.Get<int32_t>({1, 1}, {1, 0}), 8);
  EXPECT_ERROR(tuple.MoveFrom(LiteralUtil::CreateR0<int32_t>(1), {1, 0}), "s32[2,2]{1,0}");
  EXPECT_ERROR(tuple.MoveFrom(LiteralUtil::CreateR0<int32_t>(1), {7}), "{7}");
}

TEST(Literal, ManyNestedTuplesAreHandled) {
  Literal literal = LiteralUtil::CreateR0<int32_t>(5);
  for (int i = 0; i < 200; ++i) literal = LiteralUtil::MakeTupleOwned(std::move(literal));
  const Literal copy = literal.Clone();
  EXPECT_EQ(copy, literal);
  ShapeIndex index;
  for (int i = 0; i < 200; ++i) index.push_back(0);
  EXPECT_EQ(copy.Get<int32_t>({}, index), 5);
}

TEST(Literal, CopyFromGoesBetweenLayoutsAndTupleElements) {
  Literal tuple = NestedTuple();
  const Literal source = LiteralUtil::CreateR2WithLayout<int32_t>({{9, 8}, {7, 6}}, kColumnMajor);
  EXPECT_OK(tuple.CopyFrom(source, /*dest_shape_index=*/{1, 0}));
  EXPECT_EQ(tuple.Get<int32_t>({0, 1}, {1, 0}), 8);
  EXPECT_STATUS(tuple.CopyFrom(source, {0}), absl::StatusCode::kInvalidArgument,
                "Destination subshape incompatible with source subshape: f32[] vs s32[2,2]");
  EXPECT_ERROR(tuple.CopyFrom(source, {5}), "{5}");
}

TEST(Literal, CopySliceFromCopiesABox) {
  const Literal source =
      LiteralUtil::CreateR2WithLayout<int32_t>({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, kColumnMajor);
  Literal dest(ShapeUtil::MakeShape(S32, {2, 4}));
  EXPECT_OK(dest.CopySliceFrom(source, {1, 0}, {0, 2}, {2, 2}));
  EXPECT_EQ(dest, LiteralUtil::CreateR2<int32_t>({{0, 0, 4, 5}, {0, 0, 7, 8}}));
  EXPECT_ERROR(dest.CopySliceFrom(source, {1, 0}, {0, 2}, {2, 3}), "out of bounds in dimension 1");
  EXPECT_ERROR(dest.CopySliceFrom(source, {1, std::numeric_limits<int64_t>::max()}, {0, 0}, {1, 1}),
               "out of bounds");
  EXPECT_ERROR(dest.CopySliceFrom(source, {1}, {0}, {2}), "rank 2");
  EXPECT_ERROR(dest.CopySliceFrom(LiteralUtil::CreateR0<int32_t>(1), {}, {}, {}),
               "CopyElementFrom: no index [] in shape s32[], or no index [] in shape s32[2,4]");
  EXPECT_OK(dest.CopySliceFrom(source, {3, 0}, {2, 0}, {0, 3})) << "an empty box at the end";
  Literal tuple = LiteralUtil::MakeTupleOwned(dest.Clone());
  EXPECT_ERROR(tuple.CopySliceFrom(source, {}, {}, {}), "differ in type or rank");
  EXPECT_ERROR(dest.CopySliceFrom(tuple, {}, {}, {}), "differ in type or rank");
  EXPECT_OK(dest.CopyElementFrom(source, {2, 2}, {1, 1}));
  EXPECT_EQ(dest.Get<int32_t>({1, 1}), 9);
  EXPECT_ERROR(dest.CopyElementFrom(source, {3, 2}, {1, 1}), "no index [3,2]");
}

TEST(Literal, BitsAboveNarrowIntegersMeanNothing) {
  Literal x(ShapeUtil::MakeShape(S4, {})), y(ShapeUtil::MakeShape(S4, {}));
  *static_cast<uint8_t*>(x.untyped_data()) = 0x44;
  *static_cast<uint8_t*>(y.untyped_data()) = 0xc4;
  EXPECT_EQ(x.ToString(), "s4[] 4");
  EXPECT_EQ(y.ToString(), "s4[] 4");
  EXPECT_EQ(x, y);
}

TEST(Literal, BroadcastKeepsDynamicSizes) {
  Literal row = LiteralUtil::CreateR1<int64_t>({1, 2});
  row.SetDynamicSize(0, 1);
  ASSERT_OK_AND_ASSIGN(const Literal rows, row.Broadcast(ShapeUtil::MakeShape(S64, {2, 2}), {1}));
  EXPECT_EQ(rows.GetDynamicSize(1), 1);
  EXPECT_EQ(rows.GetDynamicSize(0), 2);
  EXPECT_EQ(rows, (LiteralUtil::CreateR2<int64_t>({{1}, {1}})));
}

TEST(Literal, PopulateLinearFollowsTheMemory) {
  Literal literal(ShapeUtil::MakeShapeWithDenseLayout(S32, {2, 3}, {0, 1}));
  EXPECT_OK(literal.PopulateLinear<int32_t>([](int64_t i) { return static_cast<int32_t>(i); }));
  EXPECT_EQ(literal, (LiteralUtil::CreateR2<int32_t>({{0, 2, 4}, {1, 3, 5}})));
  EXPECT_OK(literal.PopulateLinearParallel<int32_t>(
      [](int64_t i, int) { return static_cast<int32_t>(i + 1); }));
  EXPECT_EQ(literal, (LiteralUtil::CreateR2<int32_t>({{1, 3, 5}, {2, 4, 6}})));
}

TEST(Literal, MakeRefusesWhatCannotBe) {
  EXPECT_STATUS(Literal::Make(ShapeUtil::MakeShape(F32, {1 << 20, 1 << 20})),
                absl::StatusCode::kResourceExhausted, "4398046511104 bytes");
  EXPECT_STATUS(Literal::MakeBounded(ShapeUtil::MakeShape(F32, {100}), /*max_bytes=*/399),
                absl::StatusCode::kResourceExhausted, "400 bytes");
  Shape bad = ShapeUtil::MakeShape(F32, {2, 3});
  *bad.mutable_layout() = LayoutUtil::MakeLayout({0, 0});
  EXPECT_FALSE(Literal::Make(bad).ok());
  const Shape unbounded(F32, {Shape::kUnboundedSize}, {true});
  EXPECT_ERROR(Literal::Make(unbounded), "no bound");
  EXPECT_FALSE(Literal::Make(Shape()).ok());
  EXPECT_OK(Literal::Make(ShapeUtil::MakeShape(F32, {0, 5})));
}

TEST(Literal, DynamicSizesLimitWhatExists) {
  Literal literal(ShapeUtil::MakeShape(S32, {2, 3}, {false, true}));
  EXPECT_EQ(literal.GetDynamicSize(1), 3) << "the bound, until set";
  literal.PopulateR2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  literal.SetDynamicSize(1, 2);
  EXPECT_EQ(literal.GetDynamicSize(1), 2);
  EXPECT_EQ(literal.ToStatic(), LiteralUtil::CreateR2<int32_t>({{1, 2}, {4, 5}}));
  EXPECT_EQ(literal, LiteralUtil::CreateR2<int32_t>({{1, 2}, {4, 5}}))
      << "elements beyond do not count";
  EXPECT_EQ(literal.HashValue(), LiteralUtil::CreateR2<int32_t>({{1, 2}, {4, 5}}).HashValue());
  int cells = 0;
  literal.EachCell<int32_t>([&](absl::Span<const int64_t>, int32_t) { ++cells; });
  EXPECT_EQ(cells, 4);
  const Literal copy = literal.Clone();
  EXPECT_EQ(copy.GetDynamicSize(1), 2);
  EXPECT_EQ(literal.ToStatic().ToBoundedDynamic(literal.shape()), literal);
}

TEST(Literal, SetDynamicSizeMakesADimensionDynamic) {
  Literal tuple = NestedTuple();
  tuple.SetDynamicSize(0, {1, 0}, 1);
  EXPECT_TRUE(tuple.shape().tuple_shapes(1).tuple_shapes(0).is_dynamic_dimension(0));
  EXPECT_EQ(tuple.GetDynamicSize(0, {1, 0}), 1);
}

TEST(Literal, CopyFromWithDynamicBoundCopiesWhatExistsInBoth) {
  Literal bounded(ShapeUtil::MakeShape(S32, {4}, {true}));
  bounded.PopulateR1<int32_t>({1, 2, 3, 4});
  bounded.SetDynamicSize(0, 2);
  Literal dest = LiteralUtil::CreateR1<int32_t>({9, 9, 9});
  EXPECT_OK(dest.CopyFrom(bounded, {}, {}, /*only_dynamic_bound=*/true));
  EXPECT_EQ(dest, LiteralUtil::CreateR1<int32_t>({1, 2, 9}));
}

TEST(Literal, ReshapeKeepsRowMajorOrderUnderAnyLayout) {
  const Literal literal =
      LiteralUtil::CreateR2WithLayout<int32_t>({{1, 2, 3}, {4, 5, 6}}, kColumnMajor);
  ASSERT_OK_AND_ASSIGN(const Literal reshaped, literal.Reshape({3, 2}));
  EXPECT_EQ(reshaped, LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_ERROR(literal.Reshape({4}), "different numbers of elements: s32[2,3] vs s32[4]");
  EXPECT_FALSE(literal.Reshape({-1}).ok());
  EXPECT_FALSE(NestedTuple().Reshape({}).ok());
}

TEST(Literal, TransposeRenamesDimensions) {
  const Literal literal = LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}});
  const Literal transposed = literal.Transpose({1, 0});
  EXPECT_EQ(transposed, LiteralUtil::CreateR2<int32_t>({{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(Memory<int32_t>(transposed), Memory<int32_t>(literal)) << "the layout moves along";
  const Literal padded = literal.Relayout(LayoutUtil::MakePaddedLayout({0, 1}, {3, 5}, ZERO_PAD));
  EXPECT_EQ(padded.Transpose({1, 0}), transposed);
}

TEST(Literal, BroadcastMapsAndRepeats) {
  const Literal vector = LiteralUtil::CreateR1<int32_t>({1, 2});
  ASSERT_OK_AND_ASSIGN(const Literal rows,
                       vector.Broadcast(ShapeUtil::MakeShape(S32, {2, 3}), {0}));
  EXPECT_EQ(rows, LiteralUtil::CreateR2<int32_t>({{1, 1, 1}, {2, 2, 2}}));
  ASSERT_OK_AND_ASSIGN(const Literal columns,
                       vector.Broadcast(ShapeUtil::MakeShape(S32, {3, 2}), {1}));
  EXPECT_EQ(columns, LiteralUtil::CreateR2<int32_t>({{1, 2}, {1, 2}, {1, 2}}));
  EXPECT_ERROR(vector.Broadcast(ShapeUtil::MakeShape(S32, {3, 2}), {0}), "dimension 0");
  EXPECT_ERROR(vector.Broadcast(ShapeUtil::MakeShape(S32, {3, 2}), {2}), "dimension 2");
  EXPECT_ERROR(vector.Broadcast(ShapeUtil::MakeShape(F32, {3, 2}), {1}), "one element type");
  EXPECT_ERROR(vector.Broadcast(ShapeUtil::MakeShape(S32, {3, 2}), {}),
               "one dimension number for each");
  EXPECT_EQ(vector.Replicate<int32_t>(2), LiteralUtil::CreateR2<int32_t>({{1, 2}, {1, 2}}));
}

TEST(Literal, SliceKeepsTheOrderOfDimensions) {
  const Literal literal =
      LiteralUtil::CreateR2WithLayout<int32_t>({{1, 2, 3}, {4, 5, 6}}, kColumnMajor);
  const Literal slice = literal.Slice({0, 1}, {2, 3});
  EXPECT_EQ(slice, LiteralUtil::CreateR2<int32_t>({{2, 3}, {5, 6}}));
  EXPECT_EQ(Memory<int32_t>(slice), (std::vector<int32_t>{2, 5, 3, 6}));
  EXPECT_EQ(literal.Slice({1, 1}, {1, 3}).element_count(), 0);
}

TEST(Literal, SliceOfWhatExists) {
  Literal literal(ShapeUtil::MakeShape(S32, {5}, {true}));
  literal.PopulateR1<int32_t>({1, 2, 3, 4, 5});
  literal.SetDynamicSize(0, 3);
  EXPECT_EQ(literal.Slice({1}, {5}).GetDynamicSize(0), 2);
  EXPECT_EQ(literal.Slice({1}, {5}), LiteralUtil::CreateR1<int32_t>({2, 3}));
  EXPECT_EQ(literal.Slice({0}, {2}).GetDynamicSize(0), 2);
  EXPECT_EQ(literal.Slice({4}, {5}).GetDynamicSize(0), 0);
}

TEST(Literal, BorrowingLiteralsReadAndWriteForeignMemory) {
  std::vector<float> values = {1, 2, 3, 4};
  const Shape shape = ShapeUtil::MakeShape(F32, {2, 2});
  const BorrowingLiteral reader(reinterpret_cast<const char*>(values.data()), shape);
  EXPECT_EQ(reader.Get<float>({1, 0}), 3);
  MutableBorrowingLiteral writer(reinterpret_cast<char*>(values.data()), shape);
  writer.Set<float>({1, 0}, 30);
  EXPECT_EQ(values[2], 30);
  MutableBorrowingLiteral copy = writer;
  copy.Set<float>({0, 0}, 10);
  EXPECT_EQ(reader.Get<float>({0, 0}), 10);
  Literal owner = NestedTuple();
  MutableBorrowingLiteral view(&owner, {1, 0});
  view.Set<int32_t>({0, 0}, 100);
  EXPECT_EQ(owner.Get<int32_t>({0, 0}, {1, 0}), 100);

  int32_t second = 7;
  const char* buffers[] = {reinterpret_cast<const char*>(values.data()),
                           reinterpret_cast<const char*>(&second)};
  const BorrowingLiteral tuple(buffers,
                               ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeShape(S32, {})}));
  EXPECT_EQ(tuple.Get<int32_t>({}, {1}), 7);
}

TEST(Literal, ElementsOfAnyType) {
  const Literal ints = LiteralUtil::CreateR1<int8_t>({-1, 5});
  EXPECT_EQ(ints.GetIntegralAsS64({0}), -1);
  EXPECT_EQ(ints.GetAsDouble({1}), 5.0);
  EXPECT_EQ(ints.GetFirstInteger(), -1);
  EXPECT_EQ(ints.GetFirstElement<int8_t>(), -1);
  EXPECT_EQ(ints.GetSumAsComplex128(), complex128(4));
  const Literal complex = LiteralUtil::CreateR0<complex64>({1, 2});
  EXPECT_EQ(complex.GetAsDouble({}), std::nullopt);
  EXPECT_EQ(complex.GetAsComplex128({}), complex128(1, 2));
  EXPECT_EQ(complex.GetIntegralAsS64({}), std::nullopt);
  EXPECT_TRUE(complex.IsEqualAt({}, complex128(1, 2)));
  EXPECT_TRUE(ints.IsEqualAt({1}, 5));
  EXPECT_EQ(LiteralUtil::CreateR0<float>(0.1f).GetAsString({}), "0.1");
  EXPECT_EQ(LiteralUtil::CreateR0<bool>(true).GetAsString({}), "true");
  EXPECT_EQ(LiteralUtil::CreateR1U8("abc").GetR1U8AsString(), "abc");
  Literal f16(ShapeUtil::MakeShape(F16, {1}));
  EXPECT_OK(f16.SetFromDouble({0}, 1.5));
  EXPECT_EQ(f16.Get<half>({0}), half(1.5f));
  EXPECT_FALSE(f16.SetIntegralAsS64({0}, 1).ok());
  Literal u8(ShapeUtil::MakeShape(U8, {1}));
  EXPECT_OK(u8.SetIntegralAsS64({0}, 257));
  EXPECT_EQ(u8.Get<uint8_t>({0}), 1);
  EXPECT_FALSE(u8.SetFromDouble({0}, 1).ok());
}

TEST(Literal, QuestionsAboutAllElements) {
  EXPECT_TRUE(LiteralUtil::CreateR1<int32_t>({3, 3}).IsAll(3));
  EXPECT_FALSE(LiteralUtil::CreateR1<int32_t>({3, 4}).IsAll(3));
  EXPECT_FALSE(LiteralUtil::CreateR1<uint8_t>({255}).IsAll(-1));
  EXPECT_FALSE(LiteralUtil::CreateR1<u4>({u4(1)}).IsAll(17)) << "17 does not fit";
  EXPECT_TRUE(LiteralUtil::CreateR1<bool>({true}).IsAll(1));
  EXPECT_FALSE(LiteralUtil::CreateR1<bool>({true}).IsAll(2));
  EXPECT_TRUE(LiteralUtil::CreateR1<half>({half(-1.0f)}).IsAll(-1));
  EXPECT_TRUE(LiteralUtil::CreateR1<complex64>({{2, 0}}).IsAll(2));
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({0.0f, -0.0f}).IsAll(0)) << "values, not bits";
  EXPECT_TRUE(LiteralUtil::CreateR1<bfloat16>({bfloat16(0.1f)}).IsAllFloat(0.1f))
      << "the value is rounded";
  EXPECT_FALSE(LiteralUtil::CreateR1<int32_t>({1}).IsAllFloat(1));
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({NAN, NAN}).IsAllFloat(NAN));
  EXPECT_TRUE(LiteralUtil::CreateR1<complex128>({{1, 2}}).IsAllComplex({1, 2}));
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({4, 4}).IsAllFirst());
  EXPECT_FALSE(LiteralUtil::CreateR1<float>({0.0f, -0.0f}).IsAllFirst()) << "bits, not values";
  EXPECT_FALSE(LiteralUtil::CreateR1<float>({-0.0f}).IsAll(LiteralUtil::CreateR0<float>(0)));
  EXPECT_FALSE(LiteralUtil::CreateR1<float>({}).IsAllFirst());
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({5, 5}).IsAll(LiteralUtil::CreateR0<float>(5)));
  EXPECT_FALSE(NestedTuple().IsAll(1));
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({0, 1, 2}).IsR1Iota());
  EXPECT_FALSE(LiteralUtil::CreateR1<float>({1, 2}).IsR1Iota());
  EXPECT_FALSE(LiteralUtil::CreateR2<float>({{0, 1}}).IsR1Iota());
  EXPECT_FALSE(LiteralUtil::CreateR1<bool>({false, true}).IsR1Iota());
  EXPECT_EQ(LiteralUtil::CreateR1<int32_t>({0, -3, -6}).IsR1StridedIota(), -3);
  EXPECT_EQ(LiteralUtil::CreateR1<int32_t>({0, 0}).IsR1StridedIota(), std::nullopt);
  EXPECT_EQ(LiteralUtil::CreateR1<int32_t>({0, 3, 7}).IsR1StridedIota(), std::nullopt);
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({1, -0.0f}).IsZero({1}));
  // Padding does not count.
  const Layout padded = LayoutUtil::MakePaddedLayout({0}, {4}, ZERO_PAD);
  EXPECT_TRUE(LiteralUtil::CreateR1<float>({4, 4}).Relayout(padded).IsAll(4));
}

TEST(Literal, PopulateCallsTheGeneratorInRowMajorOrder) {
  Literal literal(ShapeUtil::MakeShapeWithDenseLayout(S32, {2, 2}, {0, 1}));
  int32_t next = 0;
  EXPECT_OK(literal.Populate<int32_t>([&](absl::Span<const int64_t> index) {
    return static_cast<int32_t>(100 * index[0] + 10 * index[1]) + next++;
  }));
  EXPECT_EQ(literal, LiteralUtil::CreateR2<int32_t>({{0, 11}, {102, 113}}));
  EXPECT_ERROR(literal.Populate<float>([](absl::Span<const int64_t>) { return 0.0f; }),
               "data of type f32");
  literal.MutableEachCell<int32_t>([](absl::Span<const int64_t>, int32_t value) { return -value; });
  EXPECT_EQ(literal.Get<int32_t>({1, 1}), -113);
  literal.PopulateWithScalar(LiteralUtil::CreateR0<int32_t>(6));
  EXPECT_TRUE(literal.IsAll(6));
}

TEST(LiteralDeathTest, WrongAccessIsABug) {
  const Literal literal = LiteralUtil::CreateR1<float>({1, 2});
  EXPECT_DEATH(literal.Get<float>({2}), "index \\[2\\] in a literal of shape f32\\[2\\]");
  EXPECT_DEATH(literal.data<int32_t>(), "f32\\[2\\] as s32");
}

TEST(Literal, SlicesAreCopiedBetweenArraysAlone) {
  const Literal array = LiteralUtil::CreateR1<int32_t>({1, 2});
  Literal tuple = LiteralUtil::MakeTuple({&array, &array});
  EXPECT_ERROR(tuple.CopySliceFrom(array, {0}, {0}, {1}), "differ in type or rank");
  Literal other = array.Clone();
  EXPECT_ERROR(other.CopySliceFrom(tuple, {0}, {0}, {1}), "differ in type or rank");
  Literal wide(ShapeUtil::MakeShape(S64, {2}));
  EXPECT_ERROR(wide.CopySliceFrom(array, {0}, {0}, {1}), "differ in type or rank");
}

TEST(Literal, ElementsAreComparedWithComplexNumbers) {
  const Literal whole = LiteralUtil::CreateR1<int32_t>({5, -1});
  EXPECT_TRUE(whole.IsEqualAt({0}, complex128(5, 0)));
  EXPECT_FALSE(whole.IsEqualAt({0}, complex128(5, 1)));
  EXPECT_FALSE(whole.IsEqualAt({1}, complex128(5, 0)));
  const Literal fraction = LiteralUtil::CreateR0<complex64>({0.5f, -2.0f});
  EXPECT_TRUE(fraction.IsEqualAt({}, complex128(0.5, -2)));
  EXPECT_FALSE(fraction.IsEqualAt({}, complex128(0.5, 2)));
}

}  // namespace
}  // namespace xla
