// SPDX-License-Identifier: Apache-2.0
// Functions of the vocabulary that nothing else in the library calls: code written for XLA does.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/test_util.h"
#include "xla/comparison_util.h"
#include "xla/error_spec.h"
#include "xla/layout.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_comparison.h"
#include "xla/literal_pool.h"
#include "xla/literal_util.h"
#include "xla/permutation_util.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/shape_pool.h"
#include "xla/shape_tree.h"
#include "xla/shape_util.h"
#include "xla/tsl/lib/core/bitmap.h"
#include "xla/util.h"
#include "xla/window_util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using Int64s = std::vector<int64_t>;

template <typename T>
std::string StreamedText(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

const Shape kTwoByThree = ShapeUtil::MakeShape(F32, {2, 3});

// ---- Shapes ----

TEST(XlaNames, DimensionsOfShapes) {
  Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3, 4}, {1, 2, 0});
  shape.set_dimensions_minor(1, 7, true);
  EXPECT_EQ(shape.ToString(true), "f32[2,3,<=7]{1,2,0}");
  EXPECT_EQ(shape.dimensions_minor(0), 3);
  shape.clear_dimensions();
  EXPECT_TRUE(shape.dimensions().empty());
  EXPECT_TRUE(shape.dynamic_dimensions().empty());
}

TEST(XlaNames, PartsOfTuples) {
  const Shape nested = ShapeUtil::MakeTupleShape(
      {kTwoByThree, ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S8, {}), kTwoByThree})});
  EXPECT_EQ(ShapeUtil::GetTupleElementShape(nested, 0), kTwoByThree);
  const std::vector<const Shape*> flat = ShapeUtil::FlattenTupleShape(nested);
  ASSERT_EQ(flat.size(), 3u);
  EXPECT_EQ(flat[1]->element_type(), S8);
  EXPECT_EQ(flat[2], &nested.tuple_shapes(1).tuple_shapes(1));
  EXPECT_EQ(ShapeUtil::FlattenTupleShape(kTwoByThree).size(), 1u);
  EXPECT_FALSE(nested.AreAllLeavesIntegers());
  EXPECT_TRUE(ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S8, {})}).AreAllLeavesIntegers());
  EXPECT_FALSE(kTwoByThree.AreAllLeavesIntegers());
  Shape emptied = nested;
  emptied.clear_tuple_shapes();
  EXPECT_EQ(emptied.ToString(), "()");
  EXPECT_EQ(StreamedText(nested), "(f32[2,3]{1,0}, (s8[], f32[2,3]{1,0}))");
  EXPECT_EQ(StreamedText(ShapeIndex{1, 0}), "{1,0}");
}

TEST(XlaNames, VisitsOfSubshapes) {
  Shape nested = ShapeUtil::MakeTupleShape({kTwoByThree, ShapeUtil::MakeTupleShape({kTwoByThree})});
  std::vector<std::string> visited;
  const auto note = [&](const Shape&, const ShapeIndex& index) {
    visited.push_back(index.ToString());
    return absl::OkStatus();
  };
  EXPECT_OK(ShapeUtil::ForEachLeafShapeWithStatus(nested, note));
  EXPECT_EQ(visited, (std::vector<std::string>{"{0}", "{1,0}"}));
  visited.clear();
  EXPECT_OK(ShapeUtil::ForEachMutableLeafShapeWithStatus(
      &nested, [&](Shape* shape, const ShapeIndex& index) {
        shape->set_element_type(S32);
        return note(*shape, index);
      }));
  EXPECT_EQ(visited, (std::vector<std::string>{"{0}", "{1,0}"}));
  EXPECT_EQ(nested.ToString(), "(s32[2,3], (s32[2,3]))");
  visited.clear();
  ShapeUtil::ForEachMutableSubshapePostOrder(
      &nested, [&](Shape* shape, const ShapeIndex& index) { (void)note(*shape, index); });
  EXPECT_EQ(visited, (std::vector<std::string>{"{0}", "{1,0}", "{1}", "{}"}));
  const auto fail = [](Shape*, const ShapeIndex& index) {
    return index.size() == 1 ? absl::AbortedError("here") : absl::OkStatus();
  };
  EXPECT_EQ(ShapeUtil::ForEachMutableSubshapePostOrderWithStatus(&nested, fail).message(), "here");
}

TEST(XlaNames, ShapesThatAreChecked) {
  const Shape wrong = [] {
    Shape shape = kTwoByThree;
    shape.set_dimensions(0, -5);
    return shape;
  }();
  EXPECT_EQ(ShapeUtil::MakeMaybeTupleShape({kTwoByThree}), kTwoByThree);
  EXPECT_EQ(ShapeUtil::MakeMaybeTupleShape({kTwoByThree, kTwoByThree}).ToString(),
            "(f32[2,3], f32[2,3])");
  ASSERT_OK(ShapeUtil::MakeValidatedTupleShape({kTwoByThree}).status());
  EXPECT_EQ(ShapeUtil::MakeValidatedTupleShape({kTwoByThree})->ToString(), "(f32[2,3])");
  EXPECT_FALSE(ShapeUtil::MakeValidatedTupleShape({kTwoByThree, wrong}).ok());
  EXPECT_EQ(ShapeUtil::MakeValidatedTupleShapeWithPtrs({&kTwoByThree})->ToString(), "(f32[2,3])");
  EXPECT_FALSE(ShapeUtil::MakeValidatedTupleShapeWithPtrs({&wrong}).ok());
  EXPECT_EQ(*ShapeUtil::MakeValidatedMaybeTupleShape({kTwoByThree}), kTwoByThree);
  EXPECT_FALSE(ShapeUtil::MakeValidatedMaybeTupleShape({wrong}).ok());
  ASSERT_OK(ShapeUtil::MakeValidatedBufferShape(F32, {4}).status());
  EXPECT_TRUE(ShapeUtil::MakeValidatedBufferShape(F32, {4})->IsBuffer());
  EXPECT_FALSE(ShapeUtil::MakeValidatedBufferShape(F32, {-4}).ok());
}

TEST(XlaNames, ShapesOfPrograms) {
  ProgramShape program = ShapeUtil::MakeProgramShape(
      {kTwoByThree, ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1})},
      ShapeUtil::MakeShape(S8, {}));
  EXPECT_EQ(program.parameters_size(), 2);
  EXPECT_EQ(program.result().element_type(), S8);
  EXPECT_EQ(StreamedText(program), program.ToString());
  EXPECT_TRUE(LayoutUtil::HasLayout(program));
  LayoutUtil::SetToDefaultLayout(&program);
  EXPECT_EQ(program.parameters(1).layout(), LayoutUtil::MakeLayout({1, 0}));
  ProgramShapeProto proto;
  program.ToProto(proto);
  EXPECT_EQ(ProgramShape(proto).parameters(0), kTwoByThree);
  LayoutUtil::ClearLayout(&program);
  EXPECT_FALSE(LayoutUtil::HasLayout(program));
  EXPECT_FALSE(program.parameters(0).has_layout());
  EXPECT_FALSE(program.result().has_layout());
  *program.mutable_result() = ShapeUtil::MakeShape(S8, {});
  EXPECT_FALSE(LayoutUtil::HasLayout(program));  // of the parameters
  program.clear_parameters();
  EXPECT_EQ(program.parameters_size(), 0);
  EXPECT_TRUE(program.parameter_names().empty());
  EXPECT_TRUE(LayoutUtil::HasLayout(program));
}

TEST(XlaNames, ShapesThatChange) {
  Shape pair = ShapeUtil::MakeTupleShape({kTwoByThree, kTwoByThree});
  ShapeUtil::UpdateDynamicDimension(&pair, {1}, 0, true);
  ShapeUtil::UpdateDynamicDimension(&pair, {1}, 0, false);
  EXPECT_TRUE(pair.is_static());
  ShapeUtil::UpdateDynamicDimension(&pair, {1}, 0, true);
  EXPECT_EQ(pair.ToString(), "(f32[2,3], f32[<=2,3])");
  Shape copy = kTwoByThree;
  ShapeUtil::CopyDynamicDimensions(&copy, pair.tuple_shapes(1));
  EXPECT_EQ(copy.ToString(), "f32[<=2,3]");
  const Shape permuted =
      ShapeUtil::PermuteDimensionsIgnoringLayout({1, 2, 0}, ShapeUtil::MakeShape(F32, {2, 3, 4}));
  EXPECT_EQ(permuted.ToString(true), "f32[3,4,2]{2,1,0}");
  const Shape moved =
      ShapeUtil::MoveDimToMajor(ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(F32, {2, 3})}), 1);
  EXPECT_EQ(moved.ToString(true), "(f32[2,3]{0,1})");
  EXPECT_EQ(ShapeUtil::DeleteDimensions({0, 2}, ShapeUtil::MakeShape(F32, {2, 3, 4})).ToString(),
            "f32[3]");
  ShapeProto proto;
  kTwoByThree.ToProto(proto);
  EXPECT_EQ(*Shape::FromProto(proto), kTwoByThree);
  LayoutUtil::ClearLayout(&pair);
  EXPECT_FALSE(pair.tuple_shapes(0).has_layout());
}

TEST(XlaNames, StridesInBytes) {
  Int64s strides(2);
  EXPECT_OK(ShapeUtil::UnpackedByteStrides(kTwoByThree, absl::MakeSpan(strides)));
  EXPECT_EQ(strides, (Int64s{12, 4}));
  Int64s few(1);
  EXPECT_FALSE(ShapeUtil::UnpackedByteStrides(kTwoByThree, absl::MakeSpan(few)).ok());
}

TEST(XlaNames, BitcastsInParts) {
  const auto with_layout = [](Int64s sizes, Int64s minor_to_major) {
    return ShapeUtil::MakeShapeWithDenseLayout(F32, sizes, minor_to_major);
  };
  const auto reshape =
      ShapeUtil::DecomposeBitcast(with_layout({2, 3}, {1, 0}), with_layout({6}, {0}));
  ASSERT_TRUE(reshape.has_value());
  EXPECT_TRUE(std::holds_alternative<ShapeUtil::BitcastDecompositionReshape>(*reshape));
  const auto transpose =
      ShapeUtil::DecomposeBitcast(with_layout({2, 3}, {1, 0}), with_layout({3, 2}, {0, 1}));
  ASSERT_TRUE(transpose.has_value());
  ASSERT_TRUE(std::holds_alternative<ShapeUtil::BitcastDecompositionTranspose>(*transpose));
  EXPECT_EQ(std::get<ShapeUtil::BitcastDecompositionTranspose>(*transpose).transpose_dims,
            (Int64s{1, 0}));
  const auto both = ShapeUtil::DecomposeBitcast(with_layout({2, 3}, {0, 1}), with_layout({6}, {0}));
  ASSERT_TRUE(both.has_value());
  ASSERT_TRUE(std::holds_alternative<ShapeUtil::BitcastDecompositionTrt>(*both));
  const auto& parts = std::get<ShapeUtil::BitcastDecompositionTrt>(*both);
  EXPECT_FALSE(parts.IsTranspose1Identity());
  EXPECT_TRUE(parts.IsTranspose2Identity());
  EXPECT_FALSE(
      ShapeUtil::DecomposeBitcast(with_layout({2, 3}, {1, 0}), with_layout({5}, {0})).has_value());

  absl::InlinedVector<int64_t, 3> permutation;
  const Shape ones = with_layout({1, 1}, {1, 0});
  const auto sizes = ShapeUtil::GetNormalizedLogicalTransposeShape(ones, ones, {1, 0}, permutation);
  ASSERT_OK(sizes.status());
  EXPECT_EQ(Int64s(sizes->begin(), sizes->end()), (Int64s{1}));
  EXPECT_EQ(Int64s(permutation.begin(), permutation.end()), (Int64s{0}));
  EXPECT_FALSE(ShapeUtil::GetNormalizedLogicalTransposeShape(
                   with_layout({2, 3}, {0, 1}), with_layout({3, 2}, {1, 0}), {1, 0}, permutation)
                   .ok());
  EXPECT_FALSE(ShapeUtil::GetNormalizedLogicalTransposeShape(
                   with_layout({2, 3}, {1, 0}), with_layout({3, 2}, {0, 1}), {1, 0}, permutation)
                   .ok());
}

TEST(XlaNames, ReshapesOfDynamicShapes) {
  const Shape dynamic = ShapeUtil::MakeShape(F32, {4, 3}, {true, false});
  EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(dynamic, dynamic));
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(dynamic, ShapeUtil::MakeShape(F32, {4, 3})));
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(ShapeUtil::MakeShape(F32, {12}), dynamic));
}

// ---- Layouts ----

TEST(XlaNames, LayoutsOfAllFields) {
  const Layout layout({1, 0}, {Tile({4, 2})}, S32, U32, 8, 4, 5, {SplitConfig(0, {1})},
                      std::make_unique<Shape>(kTwoByThree), 16);
  EXPECT_EQ(layout.index_primitive_type(), S32);
  EXPECT_EQ(layout.pointer_primitive_type(), U32);
  EXPECT_EQ(layout.tail_padding_alignment_in_elements(), 8);
  EXPECT_EQ(layout.element_size_in_bits(), 4);
  EXPECT_EQ(layout.memory_space(), 5);
  EXPECT_EQ(layout.split_configs_size(), 1);
  EXPECT_EQ(layout.split_configs(0).split_indices(0), 1);
  EXPECT_EQ(layout.dynamic_shape_metadata_prefix_bytes(), 16);
  EXPECT_EQ(layout.ToString(), "{1,0:T(4,2)L(8)#(s32)*(u32)E(4)S(5)SC(0:1)P(f32[2,3]{1,0})M(16)}");
  ASSERT_TRUE(layout.has_physical_shape());
  EXPECT_EQ(layout.physical_shape(), kTwoByThree);
  EXPECT_EQ(layout.tiles(0).ToString(), "(4,2)");
  EXPECT_EQ(StreamedText(layout.tiles(0)), "(4,2)");
  EXPECT_EQ(layout.split_configs(0).ToString(), "(0:1)");
  EXPECT_EQ(StreamedText(layout), layout.ToString());
  LayoutProto proto;
  layout.ToProto(proto);
  EXPECT_EQ(Layout::CreateFromProto(proto), layout);
  proto.add_minor_to_major(-7);  // not a layout
  EXPECT_EQ(Layout::CreateFromProto(proto), Layout::FromProto(proto).value_or(Layout()));

  Layout other = layout;
  EXPECT_EQ(other, layout);
  *other.mutable_physical_shape() = ShapeUtil::MakeShape(S8, {});
  EXPECT_NE(other, layout);
  other.clear_physical_shape();
  EXPECT_FALSE(other.has_physical_shape());
  Layout plain({1, 0});
  plain.clear_physical_shape();
  EXPECT_EQ(plain, LayoutUtil::MakeLayout({1, 0}));
  plain.Swap(&other);
  EXPECT_EQ(other, LayoutUtil::MakeLayout({1, 0}));
  other.clear_minor_to_major();
  EXPECT_EQ(other.minor_to_major_size(), 0);
  plain.Clear();
  EXPECT_EQ(plain, Layout());
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForR3(), LayoutUtil::MakeLayout({2, 1, 0}));
}

// ---- Comparisons and types ----

TEST(XlaNames, Comparisons) {
  EXPECT_EQ(Comparison(Comparison::Direction::kLt, Comparison::Type::kSigned).GetPrimitiveType(),
            S32);
  EXPECT_EQ(Comparison(Comparison::Direction::kLt, Comparison::Type::kUnsigned).GetPrimitiveType(),
            U32);
  EXPECT_EQ(Comparison(Comparison::Direction::kLt, Comparison::Type::kFloat).GetPrimitiveType(),
            F32);
  const Comparison partial(Comparison::Direction::kGe, F32);
  EXPECT_EQ(StreamedText(partial), partial.ToString());
  EXPECT_TRUE(partial.IsStandardF32());
  EXPECT_FALSE(partial.IsF32TotalOrder());
  EXPECT_TRUE(
      Comparison(Comparison::Direction::kGe, F32, Comparison::Order::kTotal).IsF32TotalOrder());
  EXPECT_TRUE(Comparison(Comparison::Direction::kGe, S32).IsStandardS32());
  EXPECT_FALSE(Comparison(Comparison::Direction::kGe, S32).IsStandardU32());
  EXPECT_TRUE(Comparison(Comparison::Direction::kGe, U32).IsStandardU32());
  EXPECT_NE(partial, Comparison(Comparison::Direction::kGt, F32));
}

TEST(XlaNames, IntegersOfABitWidth) {
  using primitive_util::SignedIntegralTypeForBitWidth;
  using primitive_util::UnsignedIntegralTypeForBitWidth;
  for (const PrimitiveType type : {S1, S2, S4, S8, S16, S32, S64})
    EXPECT_EQ(SignedIntegralTypeForBitWidth(primitive_util::BitWidth(type)), type);
  for (const PrimitiveType type : {U1, U2, U4, U8, U16, U32, U64})
    EXPECT_EQ(UnsignedIntegralTypeForBitWidth(primitive_util::BitWidth(type)), type);
  EXPECT_EQ(SignedIntegralTypeForBitWidth(3), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(UnsignedIntegralTypeForBitWidth(128), PRIMITIVE_TYPE_INVALID);
}

// ---- Literals ----

TEST(XlaNames, BorrowedTuples) {
  float a[] = {1, 2};
  int32_t b[] = {3};
  const Shape pair =
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(F32, {2}), ShapeUtil::MakeShape(S32, {1})});
  ShapeTree<const char*> tree(pair);
  *tree.mutable_element({0}) = reinterpret_cast<const char*>(a);
  *tree.mutable_element({1}) = reinterpret_cast<const char*>(b);
  const BorrowingLiteral borrowed(tree);
  EXPECT_EQ(borrowed.Get<float>({1}, {0}), 2);
  EXPECT_EQ(borrowed.Get<int32_t>({0}, {1}), 3);
  ShapeTree<char*> mutable_tree(pair);
  *mutable_tree.mutable_element({0}) = reinterpret_cast<char*>(a);
  *mutable_tree.mutable_element({1}) = reinterpret_cast<char*>(b);
  MutableBorrowingLiteral writable(mutable_tree);
  writable.Set<int32_t>({0}, {1}, 9);
  EXPECT_EQ(b[0], 9);
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(BorrowingLiteral().shape()));
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(MutableBorrowingLiteral().shape()));
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(LiteralSlice().shape()));
}

TEST(XlaNames, LiteralsFilledInPlace) {
  Literal literal(ShapeUtil::MakeShapeWithDenseLayout(S32, {2, 3}, {0, 1}));
  EXPECT_OK(literal.PopulateInplace([](void* element, absl::Span<const int64_t> index) {
    *static_cast<int32_t*>(element) = static_cast<int32_t>(10 * index[0] + index[1]);
  }));
  EXPECT_EQ(literal.Get<int32_t>({1, 2}), 12);
  EXPECT_EQ(literal.Get<int32_t>({0, 1}), 1);
  EXPECT_OK(literal.PopulateLinearInplace([](void* element, int64_t linear) {
    *static_cast<int32_t*>(element) = static_cast<int32_t>(linear);
  }));
  EXPECT_EQ(literal.Get<int32_t>({1, 0}), 1);
  EXPECT_EQ(literal.Get<int32_t>({0, 1}), 2);
  EXPECT_OK(literal.PopulateInplaceParallel(
      [](void* element, absl::Span<const int64_t> index, int thread) {
        *static_cast<int32_t*>(element) = static_cast<int32_t>(100 * thread + index[1]);
      }));
  EXPECT_EQ(literal.Get<int32_t>({1, 2}), -98);
  EXPECT_OK(literal.PopulateLinearInplaceParallel([](void* element, int64_t linear, int thread) {
    *static_cast<int32_t*>(element) = static_cast<int32_t>(100 * thread + linear);
  }));
  EXPECT_EQ(literal.Get<int32_t>({1, 2}), -95);
}

TEST(XlaNames, OtherLiterals) {
  tsl::core::Bitmap bits(3);
  bits.set(1);
  EXPECT_EQ(LiteralUtil::CreateR1(bits), LiteralUtil::CreateR1<bool>({false, true, false}));
  EXPECT_EQ(LiteralUtil::MaxFiniteValue(S8), LiteralUtil::CreateR0<int8_t>(127));
  EXPECT_EQ(LiteralUtil::MaxFiniteValue(F32),
            LiteralUtil::CreateR0<float>(std::numeric_limits<float>::max()));
  const Literal literal = LiteralUtil::CreateR1<float>({1, 2});
  EXPECT_EQ(*literal.CloneToUnique(), literal);
  EXPECT_EQ(StreamedText(literal), literal.ToString());
  const auto made = MutableLiteralBase::CreateFromProto(literal.ToProto());
  ASSERT_OK(made.status());
  EXPECT_EQ(*made, literal);
  EXPECT_EQ(literal_comparison::ToStringTruncated(literal), literal.ToString());
  const auto of_elements = [](int64_t count) {
    return literal_comparison::ToStringTruncated(
        Literal::CreateFromShape(ShapeUtil::MakeShape(F32, {count})));
  };
  EXPECT_EQ(of_elements(1000), "[TRUNCATED, Literal with more than 1000 values]");
  EXPECT_NE(of_elements(999), of_elements(1000));
}

TEST(XlaNames, TransposedDynamicSizes) {
  Literal literal(ShapeUtil::MakeShape(S32, {4, 3}, {true, false}));
  literal.PopulateWithValue<int32_t>(7);
  literal.SetDynamicSize(0, 2);
  const Literal transposed = literal.Transpose({1, 0});
  EXPECT_EQ(transposed.GetDynamicSize(0), 3);
  EXPECT_EQ(transposed.GetDynamicSize(1), 2);
  const auto broadcast =
      literal.Broadcast(ShapeUtil::MakeShape(S32, {5, 4, 3}, {false, true, false}), {1, 2});
  ASSERT_OK(broadcast.status());
  EXPECT_EQ(broadcast->GetDynamicSize(1), 2);
}

TEST(XlaNames, BitcastsToBooleansAndOtherLayouts) {
  const auto bytes = LiteralUtil::CreateR1<uint8_t>({0, 1, 2, 255});
  const auto booleans = bytes.BitcastConvert(ShapeUtil::MakeShape(PRED, {4}));
  ASSERT_OK(booleans.status());
  EXPECT_EQ(*booleans, LiteralUtil::CreateR1<bool>({false, true, true, true}));
  const auto words = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
  const auto columns =
      words.BitcastConvert(ShapeUtil::MakeShapeWithDenseLayout(S32, {2, 2}, {0, 1}));
  ASSERT_OK(columns.status());
  EXPECT_EQ(columns->Get<int32_t>({0, 1}), 0x40000000);
  EXPECT_EQ(columns->shape().layout(), LayoutUtil::MakeLayout({0, 1}));
}

TEST(XlaNames, Pools) {
  EXPECT_EQ(LiteralPool::Default(), LiteralPool::Default());
  EXPECT_EQ(ShapePool::Default(), ShapePool::Default());
  LiteralPool pool;
  const auto first = std::make_shared<Literal>(LiteralUtil::CreateR0<float>(1));
  EXPECT_EQ(pool.GetCanonicalLiteral(first), first);
  const auto same = std::make_shared<Literal>(LiteralUtil::CreateR0<float>(1));
  EXPECT_EQ(pool.GetCanonicalLiteral(same), first);
  const auto other = std::make_shared<Literal>(LiteralUtil::CreateR0<float>(2));
  EXPECT_EQ(pool.GetCanonicalLiteral(other), other);
}

TEST(XlaNames, ErrorsOfNarrowTypes) {
  ErrorSpec spec(0, 0);
  spec.low_precision_fp_error_spec.type = BF16;
  spec.low_precision_fp_error_spec.within_n_values = 1;
  const auto near = [&](float expected, float actual) {
    return literal_comparison::Near(LiteralUtil::CreateR0(expected), LiteralUtil::CreateR0(actual),
                                    spec)
        .ok();
  };
  EXPECT_TRUE(near(1, 1.0078125f));  // the next bf16
  EXPECT_FALSE(near(1, 1.015625f));  // the one behind it
  EXPECT_FALSE(near(1, std::numeric_limits<float>::quiet_NaN()));
  spec.low_precision_fp_error_spec.within_n_values = 0;
  EXPECT_TRUE(near(1, 1.0001f));  // the same bf16
  EXPECT_FALSE(near(1, 1.0078125f));
  spec.low_precision_fp_error_spec.within_n_values = -1;
  EXPECT_FALSE(near(1, 1.0001f));
  spec.low_precision_fp_error_spec.within_n_values = 2;
  EXPECT_TRUE(near(1, 1.015625f));
}

TEST(XlaNames, MiscompareCallbacks) {
  const Literal expected = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({1, 2, 3}),
                                                       LiteralUtil::CreateR0<int32_t>(4));
  const Literal actual = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({1, 5, 3}),
                                                     LiteralUtil::CreateR0<int32_t>(4));
  int calls = 0;
  const auto callback = [&](const LiteralSlice& a, const LiteralSlice& b,
                            const LiteralSlice& mismatches, const ShapeIndex& index,
                            const literal_comparison::ErrorBuckets&) {
    ++calls;
    EXPECT_EQ(a.Get<int32_t>({1}), 2);
    EXPECT_EQ(b.Get<int32_t>({1}), 5);
    EXPECT_EQ(Literal(mismatches.Clone()), LiteralUtil::CreateR1<bool>({false, true, false}));
    EXPECT_EQ(index, ShapeIndex{0});
  };
  EXPECT_FALSE(literal_comparison::Equal(expected, actual, callback).ok());
  EXPECT_EQ(calls, 1);
  EXPECT_OK(literal_comparison::Equal(expected, expected, callback));
  EXPECT_EQ(calls, 1);
}

// ---- Helpers ----

TEST(XlaNames, Numbers) {
  EXPECT_EQ(ElemwiseProduct({2, 3}, {4, 5}), (Int64s{8, 15}));
  EXPECT_TRUE(DistinctNumbersAreConsecutiveIfSorted({}));
  EXPECT_TRUE(DistinctNumbersAreConsecutiveIfSorted({4, 2, 3}));
  EXPECT_FALSE(DistinctNumbersAreConsecutiveIfSorted({4, 2}));
  const DimensionVector rest = GetNonContractingDims(4, {3}, {0});
  EXPECT_EQ(Int64s(rest.begin(), rest.end()), (Int64s{1, 2}));
  Int64s order = {0, 1, 2, 3};
  MoveSingleElement(absl::MakeSpan(order), 0, 2);
  EXPECT_EQ(order, (Int64s{1, 2, 0, 3}));
  MoveSingleElement(absl::MakeSpan(order), 3, 1);
  EXPECT_EQ(order, (Int64s{1, 3, 2, 0}));
}

TEST(XlaNames, Texts) {
  EXPECT_EQ(Reindent("a\n   b \nc", "  "), "  a\n  b\n  c");
  EXPECT_EQ(SanitizeFileName("a/b\\c[d] e"), "a_b_c_d__e");
  WindowDimension dimension;
  dimension.set_size(3);
  Window window;
  *window.add_dimensions() = dimension;
  EXPECT_EQ(PrintAllFields(window),
            "dimensions {\nsize: 3\nstride: 0\npadding_low: 0\npadding_high: 0\n"
            "window_dilation: 0\nbase_dilation: 0\nwindow_reversal: false\n}\n");
}

TEST(XlaNames, Windows) {
  PaddingConfig padding;
  auto* first = padding.add_dimensions();
  first->set_edge_padding_low(1);
  first->set_edge_padding_high(1);
  EXPECT_TRUE(window_util::HasSymmetricPadding(padding));
  auto* second = padding.add_dimensions();
  second->set_edge_padding_low(2);
  second->set_interior_padding(3);
  EXPECT_FALSE(window_util::HasSymmetricPadding(padding));
  EXPECT_EQ(*window_util::PaddedBound(4, *second), 2 + 4 + 9);
  WindowDimension dimension;
  dimension.set_size(3);
  dimension.set_stride(2);
  dimension.set_padding_low(1);
  dimension.set_padding_high(4);
  dimension.set_window_dilation(2);
  dimension.set_base_dilation(3);
  // 10 elements are 28 apart, 33 padded; the window takes 5: every second of 29 places.
  EXPECT_EQ(*window_util::WindowedBound(10, dimension), 15);
}

}  // namespace
}  // namespace xla
