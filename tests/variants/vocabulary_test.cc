// SPDX-License-Identifier: Apache-2.0
// What the functions of the vocabulary say of many shapes, pairs of shapes, and literals.
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "xla/hlo/text/parser.h"
#include "xla/index_util.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_comparison.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla::testing {
namespace {

constexpr const char* kShapes[] = {"pred[]",
                                   "f32[]",
                                   "f32[3]",
                                   "f32[1]",
                                   "s32[0]",
                                   "f32[2,3]",
                                   "f32[3,2]",
                                   "f32[2,3]{0,1}",
                                   "f32[2,3]{1,0}",
                                   "f32[6]{0}",
                                   "f32[2,3,4]{2,1,0}",
                                   "f32[2,3,4]{0,2,1}",
                                   "f32[4,6]{1,0}",
                                   "f32[6,4]{0,1}",
                                   "f32[2,1,3]{2,1,0}",
                                   "f32[2,1,3]{1,2,0}",
                                   "f32[1,2,3,1]{3,2,1,0}",
                                   "bf16[2,3]{1,0}",
                                   "c64[2,3]{1,0}",
                                   "s4[5]{0:E(4)}",
                                   "s4[2,3]{1,0}",
                                   "u8[12]{0}",
                                   "f32[5,130]{1,0:T(8,128)}",
                                   "bf16[5,130]{1,0:T(8,128)(2,1)}",
                                   "f32[5,130]{1,0:T(8,128)S(5)}",
                                   "f32[<=4,3]{1,0}",
                                   "f32[<=4,<=3]",
                                   "f32[?,3]",
                                   "token[]",
                                   "opaque[]",
                                   "()",
                                   "(f32[2,3]{1,0})",
                                   "(f32[2,3]{0,1}, (s32[], pred[<=2]))",
                                   "(f32[2,3]{1,0}, (s32[], pred[2]{0}))",
                                   "((), token[])"};

std::vector<Shape> SampleShapes() {
  std::vector<Shape> shapes;
  for (const char* text : kShapes) {
    auto shape = ParseShape(text);
    EXPECT_OK(shape) << text;
    if (shape.ok()) shapes.push_back(*std::move(shape));
  }
  return shapes;
}

std::string Join(absl::Span<const int64_t> numbers) { return absl::StrJoin(numbers, ","); }
std::string Bits(std::initializer_list<bool> bits) {
  std::string text;
  for (const bool bit : bits) text.push_back(bit ? '1' : '0');
  return text;
}

std::string LayoutsOf(const Shape& shape) {
  std::string line = absl::StrCat(
      " layout ", Join(LayoutUtil::MakeLogicalToPhysical(shape.layout())), " ",
      Bits({LayoutUtil::IsMonotonicWithDim0Major(shape.layout()),
            LayoutUtil::IsMonotonicWithDim0Minor(shape.layout()), LayoutUtil::IsDefaultDense(shape),
            LayoutUtil::AreDimensionsConsecutive(shape.layout(), {0}),
            shape.rank() > 1 && LayoutUtil::AreDimensionsConsecutive(shape.layout(), {0, 1})}),
      " space ", LayoutUtil::MemorySpace(shape), " count ",
      LayoutUtil::PhysicalElementCount(shape));
  for (int64_t d = 0; d < shape.rank(); ++d) {
    absl::StrAppend(&line, " ", LayoutUtil::PhysicalWidth(shape, d), " ",
                    LayoutUtil::Major(shape.layout(), d), LayoutUtil::Minor(shape.layout(), d), " ",
                    LayoutUtil::MoveDimToMajor(shape.layout(), d).ToString(), " ",
                    ShapeUtil::MoveDimToMajor(shape, d).ToString(true));
  }
  std::vector<int64_t> places;
  if (ShapeUtil::ElementsIn(shape) > 0 && ShapeUtil::ElementsIn(shape) < 30) {
    std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
    do {
      places.push_back(LayoutUtil::LinearIndex(shape, index));
      places.push_back(IndexUtil::MultidimensionalIndexToLinearIndex(shape, index));
    } while (IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
  }
  Shape without = shape;
  LayoutUtil::ClearTiles(&without);
  return absl::StrCat(line, " at ", Join(places), " ", without.ToString(true));
}

std::string ArrayFunctionsOf(const Shape& shape) {
  std::string line = absl::StrCat(
      " rank ", shape.rank(), " true ", ShapeUtil::TrueRank(shape), " ",
      Bits({ShapeUtil::HasDegenerateDimensions(shape), ShapeUtil::IsZeroElementArray(shape),
            ShapeUtil::IsEffectiveScalar(shape), shape.is_static(),
            ShapeUtil::ElementIsIntegral(shape), ShapeUtil::ElementIsFloating(shape),
            ShapeUtil::ElementIsComplex(shape), ShapeUtil::ElementIsSigned(shape),
            ShapeUtil::ElementHasBitWidth(shape, 32)}));
  const Shape fixed = ShapeUtil::MakeStaticShape(shape);
  absl::StrAppend(&line, " ", ShapeUtil::DropDegenerateDimensions(shape).ToString(true), " ",
                  fixed.ToString(true), " ",
                  ShapeUtil::ChangeElementType(shape, S4).ToString(true));
  if (shape.is_unbounded_dynamic()) return line;
  absl::StrAppend(&line, " elements ", ShapeUtil::ElementsIn(shape), " bytes ",
                  ShapeUtil::ByteSizeOf(shape), " bits ", ShapeUtil::ElementSizeInBits(shape),
                  " strides ", Join(IndexUtil::DimensionStrides(fixed)));
  for (int64_t d = 0; d < shape.rank(); ++d) {
    absl::StrAppend(&line, " -", d, ": ", ShapeUtil::DeleteDimension(d, shape).ToString(true), " ",
                    ShapeUtil::GetDimension(shape, d - shape.rank()));
  }
  Shape more = shape;
  ShapeUtil::AppendMinorDimension(7, &more);
  absl::StrAppend(&line, " +7: ", more.ToString(true), " ",
                  ShapeUtil::PrependMajorDimension(9, shape).ToString(true));
  more = shape;
  ShapeUtil::AppendMajorDimension(8, &more);
  absl::StrAppend(&line, " ", more.ToString(true));
  if (shape.rank() > 1) {
    std::vector<int64_t> rotation;
    for (int64_t d = 0; d < shape.rank(); ++d) rotation.push_back((d + 1) % shape.rank());
    absl::StrAppend(&line, " rotated ",
                    ShapeUtil::PermuteDimensions(rotation, shape).ToString(true));
  }
  if (shape.has_layout()) absl::StrAppend(&line, LayoutsOf(shape));
  return line;
}

TEST(Vocabulary, Shapes) {
  std::vector<std::string> lines;
  for (const Shape& shape : SampleShapes()) {
    std::string line = absl::StrCat(
        shape.ToString(true), " | ", shape.ToString(), " leaves ", ShapeUtil::GetLeafCount(shape),
        " parts ", ShapeUtil::SubshapeCount(shape), " ",
        Bits({shape.IsArray(), shape.IsTuple(), shape.IsToken(), shape.is_dynamic(),
              shape.is_static(), ShapeUtil::IsNestedTuple(shape), ShapeUtil::IsScalar(shape),
              LayoutUtil::HasLayout(shape), LayoutUtil::HasAnyLayout(shape)}),
        " default ", LayoutUtil::GetWithDefaultLayout(shape).ToString(true), " proto ",
        Fingerprint(shape.ToProto().SerializeAsString()));
    ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex& index) {
      absl::StrAppend(&line, " ", index.ToString(), part.ToString());
    });
    if (shape.IsArray()) absl::StrAppend(&line, ArrayFunctionsOf(shape));
    lines.push_back(std::move(line));
  }
  ExpectLines("vocabulary_shapes", lines);
}

TEST(Vocabulary, PairsOfShapes) {
  const std::vector<Shape> shapes = SampleShapes();
  std::vector<std::string> lines;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      std::string line = absl::StrCat(
          a.ToString(true), " and ", b.ToString(true), ": ",
          Bits({a == b, ShapeUtil::Compatible(a, b), ShapeUtil::CompatibleIgnoringElementType(a, b),
                ShapeUtil::CompatibleIgnoringFpPrecision(a, b), ShapeUtil::CompatibleKind(a, b),
                ShapeUtil::EqualIgnoringElementType(a, b),
                ShapeUtil::EqualIgnoringFpPrecision(a, b), ShapeUtil::EqualStructure(a, b),
                Shape::Equal().IgnoreLayout()(a, b),
                Shape::Equal().MinorToMajorOnlyInLayout()(a, b),
                Shape::Equal().IgnoreDynamicDimension()(a, b),
                Shape::Equal().IgnoreDimensions()(a, b), LayoutUtil::LayoutsInShapesEqual(a, b)}));
      Shape copy = b;
      const absl::Status copied = LayoutUtil::CopyLayoutBetweenShapes(a, &copy);
      absl::StrAppend(&line, " ",
                      copied.ok() ? copy.ToString(true) : OneLine(copied.message(), 60));
      const bool are_arrays = a.IsArray() && b.IsArray();
      if (are_arrays && a.is_static() && b.is_static()) {
        absl::StrAppend(&line, " ", Bits({ShapeUtil::SameDimensions(a, b)}));
        if (ShapeUtil::ElementsIn(a) == ShapeUtil::ElementsIn(b)) {
          for (const auto& [from, to] : ShapeUtil::DimensionsUnmodifiedByReshape(a, b))
            absl::StrAppend(&line, " ", from, "=", to);
        }
        if (a.has_layout() && b.has_layout() &&
            ShapeUtil::ElementsIn(a) == ShapeUtil::ElementsIn(b)) {
          absl::StrAppend(&line, " ",
                          Bits({ShapeUtil::ReshapeIsBitcast(a, b, true),
                                ShapeUtil::IsReshapeOrTransposeBitcast(a, b, true)}));
          if (a.element_type() == b.element_type()) {
            const auto aligned = ShapeUtil::AlignLayouts(a, b);
            absl::StrAppend(&line, " ", aligned.has_value() ? aligned->ToString(true) : "none");
          }
          if (a.rank() == b.rank()) {
            const auto order = ShapeUtil::DeduceTransposeDimensionsForBitcast(a, b);
            absl::StrAppend(&line, " ", order.has_value() ? Join(*order) : "none");
          }
        }
      }
      lines.push_back(std::move(line));
    }
  }
  ExpectKinds("vocabulary_pairs", lines);
}

std::vector<Literal> Literals() {
  std::vector<Literal> literals;
  literals.push_back(LiteralUtil::CreateR0<float>(-2.5f));
  literals.push_back(LiteralUtil::CreateR0<int64_t>(int64_t{1} << 62));
  literals.push_back(LiteralUtil::CreateR1<int32_t>({0, 1, 2, 3}));
  literals.push_back(LiteralUtil::CreateR1<int32_t>({1, 4, 7}));
  literals.push_back(LiteralUtil::CreateR1<int8_t>({-1, -1}));
  literals.push_back(LiteralUtil::CreateR1<float>({0.f, -0.f, NAN, INFINITY, 1e-45f, 16777217.f}));
  literals.push_back(LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}));
  literals.push_back(LiteralUtil::CreateR2WithLayout<float>({{1, 2, 3}, {4, 5, 6}},
                                                            LayoutUtil::MakeLayout({0, 1})));
  literals.push_back(LiteralUtil::CreateR3<uint16_t>({{{1, 2}, {3, 4}}, {{5, 6}, {7, 65535}}}));
  literals.push_back(LiteralUtil::CreateR1<complex64>({{1, -1}, {0, NAN}}));
  literals.push_back(LiteralUtil::CreateR1<bool>({true, false, true}));
  literals.push_back(LiteralUtil::CreateR1<bfloat16>({bfloat16(1.5f), bfloat16(-0.f)}));
  literals.push_back(LiteralUtil::CreateR1<s4>({s4(-8), s4(7)}));
  literals.push_back(LiteralUtil::CreateR1U8("text"));
  literals.push_back(Literal::CreateFromShape(ShapeUtil::MakeShape(F64, {0, 3})));
  literals.push_back(LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}, {5, 6}})
                         .ToBoundedDynamic(ShapeUtil::MakeShape(S32, {4, 2}, {true, false})));
  literals.push_back(LiteralUtil::MakeTuple({&literals[0], &literals[6]}));
  literals.push_back(LiteralUtil::CreateToken());
  return literals;
}

TEST(Vocabulary, Literals) {
  std::vector<std::string> lines;
  for (const Literal& literal : Literals()) {
    const Shape& shape = literal.shape();
    lines.push_back(absl::StrCat("== ", shape.ToString(true)));
    lines.push_back(OneLine(literal.ToString(), 400));
    lines.push_back(literal.ToStringOneline());
    lines.push_back(OneLine(literal.ToStringWithLayout(), 400));
    lines.push_back(literal.ToStringWithoutShapeOneline());
    const LiteralProto proto = literal.ToProto();
    lines.push_back(absl::StrCat("proto ", Fingerprint(proto.SerializeAsString())));
    const auto back = Literal::CreateFromProto(proto);
    lines.push_back(back.ok() ? absl::StrCat("back ", *back == literal)
                              : OneLine(back.status().message()));
    std::string equal;
    for (const Literal& other : Literals()) {
      absl::StrAppend(&equal, literal == other ? "1" : "0");
      absl::StrAppend(&equal, literal_comparison::Equal(literal, other).ok() ? "1" : "0");
      absl::StrAppend(&equal,
                      literal_comparison::EqualShapes(shape, other.shape()).ok() ? "1" : "0", " ");
    }
    lines.push_back(equal);
    if (!shape.IsArray()) continue;
    for (const PrimitiveType type :
         {PRED, S4, U8, S32, U64, F8E5M2, F8E4M3FN, F16, BF16, F32, F64, C64}) {
      const auto converted = literal.Convert(type);
      lines.push_back(converted.ok() ? converted->ToStringOneline()
                                     : OneLine(converted.status().message()));
    }
    for (const PrimitiveType type : {S8, S16, S32, F64}) {
      const int64_t from = ShapeUtil::ByteSizeOfPrimitiveType(shape.element_type());
      const int64_t to = ShapeUtil::ByteSizeOfPrimitiveType(type);
      std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
      if (to < from) sizes.push_back(from / to);
      if (to > from && !sizes.empty()) sizes.pop_back();
      const auto cast = literal.BitcastConvert(ShapeUtil::MakeShape(type, sizes));
      lines.push_back(cast.ok() ? cast->ToStringOneline() : OneLine(cast.status().message()));
    }
    std::string facts = absl::StrCat(
        "first ", literal.GetFirstInteger().value_or(-99), " step ",
        literal.IsR1StridedIota().value_or(-99), " ",
        Bits({literal.IsAll(1), literal.IsAll(-1), literal.IsAllFloat(-2.5f), literal.IsAllFirst(),
              literal.IsR1Iota(), literal.IsAllComplex({1, -1})}));
    if (literal.element_count() > 0 && shape.is_static()) {
      const std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
      absl::StrAppend(&facts, " ", literal.GetAsString(index), " ",
                      literal.GetIntegralAsS64(index).value_or(-99), " ",
                      literal.GetAsDouble(index).value_or(-99), " ", literal.IsZero(index));
      if (const auto sum = literal.GetSumAsComplex128())
        absl::StrAppend(&facts, " sum ", sum->real(), " ", sum->imag());
    }
    lines.push_back(facts);
    if (shape.is_dynamic()) {
      lines.push_back(literal.ToStatic().ToStringOneline());
      continue;
    }
    const auto flat = literal.Reshape({literal.element_count()});
    lines.push_back(flat.ok() ? flat->ToStringOneline() : OneLine(flat.status().message()));
    if (shape.rank() > 0) {
      std::vector<int64_t> order, start, limit;
      for (int64_t d = 0; d < shape.rank(); ++d) {
        order.push_back((d + 1) % shape.rank());
        start.push_back(shape.dimensions(static_cast<int>(d)) > 1 ? 1 : 0);
        limit.push_back(shape.dimensions(static_cast<int>(d)));
      }
      lines.push_back(literal.Transpose(order).ToStringWithLayoutOneline());
      lines.push_back(literal.Slice(start, limit).ToStringWithLayoutOneline());
      Layout layout = LayoutUtil::MakeAscendingLayout(shape.rank());
      const Literal relayouted = literal.Relayout(layout);
      lines.push_back(absl::StrCat(
          relayouted.ToStringWithLayoutOneline(), " ",
          Fingerprint(absl::string_view(static_cast<const char*>(relayouted.untyped_data()),
                                        static_cast<size_t>(relayouted.size_bytes())))));
      std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end()), dims;
      sizes.insert(sizes.begin(), 2);
      for (int64_t d = 0; d < shape.rank(); ++d) dims.push_back(d + 1);
      const auto wide = literal.Broadcast(ShapeUtil::MakeShape(shape.element_type(), sizes), dims);
      lines.push_back(wide.ok() ? wide->ToStringOneline() : OneLine(wide.status().message()));
    }
  }
  ExpectLines("vocabulary_literals", lines);
}

TEST(Vocabulary, ElementTypes) {
  std::vector<std::string> lines;
  for (int i = 0; i < PrimitiveType_ARRAYSIZE; ++i) {
    if (!PrimitiveType_IsValid(i)) continue;
    const auto type = static_cast<PrimitiveType>(i);
    std::string line = absl::StrCat(
        primitive_util::LowercasePrimitiveTypeName(type), " ",
        Bits({primitive_util::IsArrayType(type), primitive_util::IsFloatingPointType(type),
              primitive_util::IsComplexType(type), primitive_util::IsIntegralType(type),
              primitive_util::IsSignedIntegralType(type),
              primitive_util::IsUnsignedIntegralType(type), primitive_util::IsF8Type(type),
              primitive_util::IsMXType(type), primitive_util::Is8BitIntegralType(type),
              primitive_util::IsSubByteNonPredType(type)}));
    if (primitive_util::IsArrayType(type)) {
      absl::StrAppend(&line, " ", primitive_util::BitWidth(type), " ",
                      primitive_util::ByteWidth(type), " ", LiteralUtil::Zero(type).ToString(), " ",
                      LiteralUtil::One(type).ToString());
      if (!primitive_util::IsComplexType(type)) {
        absl::StrAppend(&line, " ", LiteralUtil::MinValue(type).ToString(), " ",
                        LiteralUtil::MaxValue(type).ToString());
      }
      const auto nan = LiteralUtil::NanValue(type);
      absl::StrAppend(&line, " ", nan.ok() ? nan->ToString() : OneLine(nan.status().message()),
                      " casts ");
      for (int k = 0; k < PrimitiveType_ARRAYSIZE; ++k) {
        if (!PrimitiveType_IsValid(k) ||
            !primitive_util::IsArrayType(static_cast<PrimitiveType>(k)))
          continue;
        absl::StrAppend(&line,
                        primitive_util::CastPreservesValues(type, static_cast<PrimitiveType>(k)));
      }
    }
    lines.push_back(std::move(line));
  }
  ExpectLines("vocabulary_types", lines);
}

}  // namespace
}  // namespace xla::testing
