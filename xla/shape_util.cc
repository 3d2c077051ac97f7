// SPDX-License-Identifier: Apache-2.0
// Functions on shapes: construction, modification, queries and comparison. Validation and sizes are
// in shape_validation.cc, subshapes and indices in shape_traversal.cc, bitcasts in
// shape_bitcast.cc.
#include "xla/shape_util.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/permutation_util.h"
#include "xla/util.h"

namespace xla {

// ---- Construction ----

Shape ShapeUtil::MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions) {
  Shape shape;
  XLA_CHECK_OK(PopulateShape(element_type, dimensions, &shape));
  return shape;
}
Shape ShapeUtil::MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
                           const std::vector<bool>& dynamic_dimensions) {
  absl::StatusOr<Shape> shape = MakeValidatedShape(element_type, dimensions, dynamic_dimensions);
  XLA_CHECK_OK(shape.status());
  return *std::move(shape);
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedShape(PrimitiveType element_type,
                                                    absl::Span<const int64_t> dimensions) {
  Shape shape;
  XLA_RETURN_IF_ERROR(PopulateShape(element_type, dimensions, &shape));
  return shape;
}
absl::StatusOr<Shape> ShapeUtil::MakeValidatedShape(PrimitiveType element_type,
                                                    absl::Span<const int64_t> dimensions,
                                                    const std::vector<bool>& dynamic_dimensions) {
  if (dynamic_dimensions.size() != dimensions.size()) {
    return InvalidArgumentStrCat("cannot make a shape with ", dimensions.size(), " dimensions and ",
                                 dynamic_dimensions.size(), " dynamic dimension flags");
  }
  if (!primitive_util::IsArrayType(element_type)) {
    return PopulateShape(element_type, dimensions, nullptr);
  }
  Shape shape(element_type, dimensions);
  for (size_t i = 0; i < dynamic_dimensions.size(); ++i) {
    shape.set_dynamic_dimension(static_cast<int>(i), dynamic_dimensions[i]);
  }
  LayoutUtil::SetToDefaultLayout(&shape);
  XLA_RETURN_IF_ERROR(ValidateShape(shape));
  return shape;
}

absl::Status ShapeUtil::PopulateShape(PrimitiveType element_type,
                                      absl::Span<const int64_t> dimensions, Shape* shape) {
  if (!primitive_util::IsArrayType(element_type)) {
    return InvalidArgumentStrCat("cannot make an array with dimensions ",
                                 DimensionsToString(dimensions), " of type ",
                                 primitive_util::LowercasePrimitiveTypeName(element_type));
  }
  Shape result(element_type, dimensions);
  LayoutUtil::SetToDefaultLayout(&result);
  XLA_RETURN_IF_ERROR(ValidateShape(result));
  *shape = std::move(result);
  return absl::OkStatus();
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedShapeWithLayout(PrimitiveType element_type,
                                                              absl::Span<const int64_t> dimensions,
                                                              Layout layout) {
  XLA_ASSIGN_OR_RETURN(Shape shape, MakeValidatedShape(element_type, dimensions));
  XLA_RETURN_IF_ERROR(LayoutUtil::ValidateLayoutForShape(layout, shape));
  *shape.mutable_layout() = std::move(layout);
  return shape;
}

Shape ShapeUtil::MakeShapeWithDenseLayout(PrimitiveType element_type,
                                          absl::Span<const int64_t> dimensions,
                                          absl::Span<const int64_t> minor_to_major,
                                          absl::Span<const Tile> tiles,
                                          int64_t tail_padding_alignment_in_elements,
                                          int64_t element_size_in_bits, int64_t memory_space,
                                          absl::Span<const SplitConfig> split_configs) {
  absl::StatusOr<Shape> shape = MakeValidatedShapeWithLayout(
      element_type, dimensions,
      LayoutUtil::MakeLayout(minor_to_major, tiles, tail_padding_alignment_in_elements,
                             PRIMITIVE_TYPE_INVALID, PRIMITIVE_TYPE_INVALID, element_size_in_bits,
                             memory_space, split_configs));
  XLA_CHECK_OK(shape.status());
  return *std::move(shape);
}

Shape ShapeUtil::MakeShapeWithPaddedLayout(PrimitiveType element_type,
                                           absl::Span<const int64_t> dimensions,
                                           absl::Span<const int64_t> minor_to_major,
                                           absl::Span<const int64_t> padded_dimensions,
                                           PaddingValue padding_value) {
  absl::StatusOr<Shape> shape = MakeValidatedShapeWithLayout(
      element_type, dimensions,
      LayoutUtil::MakePaddedLayout(minor_to_major, padded_dimensions, padding_value));
  XLA_CHECK_OK(shape.status());
  return *std::move(shape);
}

Shape ShapeUtil::MakeShapeWithDescendingLayoutAndSamePhysicalLayout(const Shape& shape) {
  const absl::Span<const int64_t> order = LayoutUtil::MinorToMajor(shape);
  // Renumbering the dimensions from major to minor makes the order descending.
  return PermuteDimensions(std::vector<int64_t>(order.rbegin(), order.rend()), shape);
}

Shape ShapeUtil::MakeShapeWithStaticDimensions(const Shape& shape) {
  Shape result = shape;
  result.clear_dynamic_dimensions();
  return result;
}

Shape ShapeUtil::MakeTupleShape(absl::Span<const Shape> shapes) {
  return Shape(std::vector<Shape>(shapes.begin(), shapes.end()));
}
Shape ShapeUtil::MakeTupleShapeWithPtrs(absl::Span<const Shape* const> shapes) {
  std::vector<Shape> elements;
  elements.reserve(shapes.size());
  for (const Shape* shape : shapes) elements.push_back(*shape);
  return Shape(std::move(elements));
}
Shape ShapeUtil::MakeMaybeTupleShape(absl::Span<const Shape> shapes) {
  return shapes.size() == 1 ? shapes[0] : MakeTupleShape(shapes);
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedTupleShape(absl::Span<const Shape> shapes) {
  Shape tuple = MakeTupleShape(shapes);
  XLA_RETURN_IF_ERROR(ValidateShapeWithOptionalLayout(tuple));
  return tuple;
}
absl::StatusOr<Shape> ShapeUtil::MakeValidatedTupleShapeWithPtrs(
    absl::Span<const Shape* const> shapes) {
  Shape tuple = MakeTupleShapeWithPtrs(shapes);
  XLA_RETURN_IF_ERROR(ValidateShapeWithOptionalLayout(tuple));
  return tuple;
}
absl::StatusOr<Shape> ShapeUtil::MakeValidatedMaybeTupleShape(absl::Span<const Shape> shapes) {
  Shape result = MakeMaybeTupleShape(shapes);
  XLA_RETURN_IF_ERROR(ValidateShapeWithOptionalLayout(result));
  return result;
}

absl::StatusOr<Shape> ShapeUtil::MakeValidatedBufferShape(Shape array) {
  if (!array.IsArrayExcludingBuffer()) {
    return InvalidArgumentStrCat("a buffer must hold an array, not ", array.ToString());
  }
  XLA_RETURN_IF_ERROR(ValidateShapeWithOptionalLayout(array));
  array.set_is_buffer(true);
  return array;
}
absl::StatusOr<Shape> ShapeUtil::MakeValidatedBufferShape(PrimitiveType element_type,
                                                          absl::Span<const int64_t> dimensions) {
  XLA_ASSIGN_OR_RETURN(Shape array, MakeValidatedShape(element_type, dimensions));
  return MakeValidatedBufferShape(std::move(array));
}
Shape ShapeUtil::MakeBufferShape(Shape array) {
  absl::StatusOr<Shape> shape = MakeValidatedBufferShape(std::move(array));
  XLA_CHECK_OK(shape.status());
  return *std::move(shape);
}
Shape ShapeUtil::MakeBufferShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions) {
  return MakeBufferShape(MakeShape(element_type, dimensions));
}

ProgramShape ShapeUtil::MakeProgramShape(std::initializer_list<Shape> parameters, Shape result) {
  ProgramShape program_shape;
  for (const Shape& parameter : parameters) program_shape.AddParameter(parameter, "");
  *program_shape.mutable_result() = std::move(result);
  return program_shape;
}

// ---- Modification ----

void ShapeUtil::AppendShapeToTuple(const Shape& shape, Shape* tuple_shape) {
  tuple_shape->mutable_tuple_shapes()->push_back(shape);
}
void ShapeUtil::UpdateTupleShape(const Shape& shape, int64_t index, Shape* tuple_shape) {
  XLA_CHECK(index >= 0 && index < TupleElementCount(*tuple_shape));
  (*tuple_shape->mutable_tuple_shapes())[index] = shape;
}
void ShapeUtil::UpdateDynamicDimension(Shape* shape, ShapeIndexView index, int64_t dimension,
                                       bool is_dynamic) {
  Shape* subshape = GetMutableSubshape(shape, index);
  XLA_CHECK(dimension >= 0 && dimension < subshape->rank());
  subshape->set_dynamic_dimension(static_cast<int>(dimension), is_dynamic);
}
void ShapeUtil::CopyDynamicDimensions(Shape* to, const Shape& from) {
  XLA_CHECK(to->rank() == from.rank());
  std::copy(from.dynamic_dimensions().begin(), from.dynamic_dimensions().end(),
            to->mutable_dynamic_dimensions().begin());
}

void ShapeUtil::AppendMinorDimension(int64_t bound, Shape* shape) {
  if (shape->has_layout()) {
    Layout& layout = *shape->mutable_layout();
    layout.mutable_minor_to_major()->insert(layout.mutable_minor_to_major()->begin(),
                                            shape->rank());
    if (layout.has_padding()) layout.add_padded_dimensions(bound);
  }
  shape->add_dimensions(bound);
}
void ShapeUtil::AppendMajorDimension(int64_t bound, Shape* shape) {
  if (shape->has_layout()) {
    Layout& layout = *shape->mutable_layout();
    layout.add_minor_to_major(shape->rank());
    if (layout.has_padding()) layout.add_padded_dimensions(bound);
  }
  shape->add_dimensions(bound);
}
Shape ShapeUtil::PrependMajorDimension(int64_t bound, Shape shape) {
  AppendMajorDimension(bound, &shape);
  std::vector<int64_t> last_first(shape.rank());
  std::iota(last_first.begin() + 1, last_first.end(), int64_t{0});
  last_first[0] = shape.rank() - 1;
  return PermuteDimensions(last_first, shape);
}

Shape ShapeUtil::InsertDimensionsAtIndex(Shape shape, int64_t index,
                                         absl::Span<const int64_t> bounds) {
  XLA_CHECK(0 <= index && index <= shape.rank()) << index << " in " << shape;
  const int64_t rank = shape.rank();
  const auto count = static_cast<int64_t>(bounds.size());
  for (const int64_t bound : bounds) AppendMinorDimension(bound, &shape);
  // The new dimensions are the last now, the first of them being the most major.
  std::vector<int64_t> order(static_cast<size_t>(rank + count));
  for (int64_t d = 0; d < rank + count; ++d) {
    const bool is_new = d >= index && d < index + count;
    order[static_cast<size_t>(d)] = is_new ? rank + d - index : d < index ? d : d - count;
  }
  Shape result = PermuteDimensions(order, shape);
  if (!result.has_layout() || index == rank) return result;
  DimensionVector minor_to_major(result.layout().minor_to_major().begin() + count,
                                 result.layout().minor_to_major().end());
  const auto neighbor = std::find(minor_to_major.begin(), minor_to_major.end(), index + count);
  DimensionVector added;
  for (int64_t d = index + count; d-- > index;) added.push_back(d);
  minor_to_major.insert(neighbor + 1, added.begin(), added.end());
  *result.mutable_layout()->mutable_minor_to_major() = std::move(minor_to_major);
  return result;
}
Shape ShapeUtil::InsertDimensionAtIndex(Shape shape, int64_t index, int64_t bound) {
  return InsertDimensionsAtIndex(std::move(shape), index, {bound});
}

Shape ShapeUtil::PermuteDimensionsIgnoringLayout(absl::Span<const int64_t> permutation,
                                                 const Shape& shape) {
  XLA_CHECK(static_cast<int64_t>(permutation.size()) == shape.rank());
  Shape result = shape;
  for (size_t i = 0; i < permutation.size(); ++i) {
    const int from = static_cast<int>(permutation[i]);
    result.set_dimensions(static_cast<int>(i), shape.dimensions(from),
                          shape.is_dynamic_dimension(from));
  }
  return result;
}

Shape ShapeUtil::MoveDimToMajor(const Shape& shape, int64_t dimension) {
  if (shape.IsTuple()) {
    Shape result = shape;
    for (Shape& element : *result.mutable_tuple_shapes()) {
      element = MoveDimToMajor(element, dimension);
    }
    return result;
  }
  Shape result = shape;
  if (!result.has_layout()) LayoutUtil::SetToDefaultLayout(&result);
  *result.mutable_layout() = LayoutUtil::MoveDimToMajor(result.layout(), dimension);
  return result;
}

Shape ShapeUtil::ChangeElementType(const Shape& original, PrimitiveType type) {
  Shape result = original;
  if (result.IsTuple()) {
    for (Shape& element : *result.mutable_tuple_shapes()) {
      element = ChangeElementType(element, type);
    }
    return result;
  }
  result.set_element_type(type);
  // The element size in bits belongs to the old type.
  if (result.has_layout() && result.layout().element_size_in_bits() != 0 &&
      primitive_util::IsArrayType(type)) {
    const bool sub_byte = primitive_util::IsSubByteNonPredType(type);
    result.mutable_layout()->set_element_size_in_bits(sub_byte ? primitive_util::BitWidth(type)
                                                               : 0);
  }
  return result;
}

Shape ShapeUtil::ComplexComponentShape(const Shape& complex_shape) {
  return ChangeElementType(complex_shape,
                           primitive_util::ComplexComponentType(complex_shape.element_type()));
}

Shape ShapeUtil::SliceTuple(const Shape& tuple, int64_t start, int64_t limit) {
  XLA_CHECK(0 <= start && start <= limit && limit <= TupleElementCount(tuple));
  return MakeTupleShape(absl::MakeConstSpan(tuple.tuple_shapes()).subspan(start, limit - start));
}

Shape ShapeUtil::DeleteDimension(int64_t dimension, Shape shape) {
  shape.DeleteDimension(dimension);
  return shape;
}
Shape ShapeUtil::DeleteDimensions(absl::Span<const int64_t> dimensions, Shape shape) {
  shape.DeleteDimensions(dimensions);
  return shape;
}
Shape ShapeUtil::FilterDimensions(absl::FunctionRef<bool(int64_t)> keep, Shape shape) {
  std::vector<int64_t> to_delete;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!keep(d)) to_delete.push_back(d);
  }
  shape.DeleteDimensions(to_delete);
  return shape;
}
Shape ShapeUtil::DropDegenerateDimensions(const Shape& shape) {
  return FilterDimensions([&](int64_t d) { return shape.dimensions(d) != 1; }, shape);
}

Shape ShapeUtil::PermuteDimensions(absl::Span<const int64_t> permutation, const Shape& shape) {
  const std::vector<int64_t> inverse = InversePermutation(permutation);
  XLA_CHECK(static_cast<int64_t>(permutation.size()) == shape.rank());
  Shape result = shape;
  for (size_t i = 0; i < permutation.size(); ++i) {
    const int from = static_cast<int>(permutation[i]);
    result.set_dimensions(static_cast<int>(i), shape.dimensions(from),
                          shape.is_dynamic_dimension(from));
  }
  if (!shape.has_layout()) return result;
  Layout& layout = *result.mutable_layout();
  for (int64_t& dimension : *layout.mutable_minor_to_major()) dimension = inverse[dimension];
  if (layout.has_padding()) {
    for (size_t i = 0; i < permutation.size(); ++i) {
      const int from = static_cast<int>(permutation[i]);
      (*layout.mutable_padded_dimensions())[i] = shape.layout().padded_dimensions(from);
    }
  }
  return result;
}

Shape ShapeUtil::DeviceShapeToHostShape(Shape shape) {
  ForEachMutableSubshape(&shape, [](Shape* subshape, const ShapeIndex&) {
    if (!subshape->has_layout()) return;
    Layout plain(subshape->layout().minor_to_major());
    *subshape->mutable_layout() = std::move(plain);
  });
  return shape;
}

bool ShapeUtil::DeviceShapeIsHostShape(const Shape& shape) {
  return shape == DeviceShapeToHostShape(shape);
}

// ---- Queries ----

bool ShapeUtil::IsEffectivelyMostMajorDimension(const Shape& shape, int64_t dimension) {
  for (int64_t p = 0; p < shape.rank(); ++p) {
    const int64_t at = LayoutUtil::Major(shape.layout(), p);
    if (at == dimension) return true;
    if (shape.dimensions(static_cast<int>(at)) != 1) return false;
  }
  return false;
}

bool ShapeUtil::IsZeroElementArray(const Shape& shape) {
  return shape.IsArray() && absl::c_linear_search(shape.dimensions(), 0);
}
bool ShapeUtil::HasPrimitiveType(const Shape& shape, PrimitiveType primitive_type) {
  if (shape.element_type() == primitive_type) return true;
  return std::any_of(
      shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
      [&](const Shape& element) { return HasPrimitiveType(element, primitive_type); });
}
bool ShapeUtil::HasDegenerateDimensions(const Shape& shape) {
  return absl::c_linear_search(shape.dimensions(), 1);
}
int64_t ShapeUtil::TrueRank(const Shape& shape) {
  return shape.rank() - std::count(shape.dimensions().begin(), shape.dimensions().end(), 1);
}

absl::StatusOr<int64_t> ShapeUtil::TryGetDimensionNumber(const Shape& shape,
                                                         int64_t dimension_number) {
  const int64_t rank = shape.rank();
  if (dimension_number >= rank || dimension_number < -rank) {
    if (rank == 0) {
      return InvalidArgumentStrCat("dimension number ", dimension_number, " of the scalar shape ",
                                   shape.ToString(), ", which has no dimensions");
    }
    return InvalidArgumentStrCat("dimension number ", dimension_number, " is out of range for ",
                                 shape.ToString(), "; expected ", -rank, "..", rank - 1);
  }
  return dimension_number < 0 ? dimension_number + rank : dimension_number;
}
int64_t ShapeUtil::GetDimensionNumber(const Shape& shape, int64_t dimension_number) {
  if (dimension_number < 0) dimension_number += shape.rank();
  XLA_CHECK(dimension_number >= 0) << "in " << shape;
  XLA_CHECK(dimension_number < shape.rank()) << dimension_number << " in " << shape;
  return dimension_number;
}
int64_t ShapeUtil::GetDimension(const Shape& shape, int64_t dimension_number) {
  return shape.dimensions(static_cast<int>(GetDimensionNumber(shape, dimension_number)));
}

bool ShapeUtil::ElementIsIntegral(const Shape& shape) {
  return primitive_util::IsIntegralType(shape.element_type());
}
bool ShapeUtil::ElementIsFloating(const Shape& shape) {
  return primitive_util::IsFloatingPointType(shape.element_type());
}
bool ShapeUtil::ElementIsComplex(const Shape& shape) {
  return primitive_util::IsComplexType(shape.element_type());
}
bool ShapeUtil::ElementIsSigned(const Shape& shape) {
  return primitive_util::IsSigned(shape.element_type());
}
bool ShapeUtil::ElementHasBitWidth(const Shape& shape, int bits) {
  return shape.IsArray() && primitive_util::BitWidth(shape.element_type()) == bits;
}
bool ShapeUtil::ElementIsIntegralWithBits(const Shape& shape, int bits) {
  return ElementIsIntegral(shape) && ElementHasBitWidth(shape, bits);
}
bool ShapeUtil::ElementCanUpcast(const Shape& from, const Shape& to) {
  return primitive_util::CastPreservesValues(from.element_type(), to.element_type());
}

// ---- Comparison ----

bool ShapeUtil::SameDimensions(const Shape& lhs, const Shape& rhs) {
  return lhs.dimensions() == rhs.dimensions();
}
bool ShapeUtil::Compatible(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreDynamicDimension().IgnoreLayout()(lhs, rhs);
}
bool ShapeUtil::CompatibleIgnoringElementType(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreElementType().IgnoreDynamicDimension().IgnoreLayout()(lhs, rhs);
}
bool ShapeUtil::CompatibleIgnoringFpPrecision(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreFpPrecision().IgnoreDynamicDimension().IgnoreLayout()(lhs, rhs);
}
bool ShapeUtil::CompatibleKind(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal()
      .IgnoreElementType()
      .IgnoreLayout()
      .IgnoreDimensions()
      .IgnoreDynamicDimension()(lhs, rhs);
}
bool ShapeUtil::EqualIgnoringElementType(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreElementType()(lhs, rhs);
}
bool ShapeUtil::EqualIgnoringFpPrecision(const Shape& lhs, const Shape& rhs) {
  return Shape::Equal().IgnoreFpPrecision()(lhs, rhs);
}
bool ShapeUtil::EqualStructure(const Shape& lhs, const Shape& rhs) {
  if (lhs.IsTuple() != rhs.IsTuple()) return false;
  return std::equal(lhs.tuple_shapes().begin(), lhs.tuple_shapes().end(),
                    rhs.tuple_shapes().begin(), rhs.tuple_shapes().end(), EqualStructure);
}

bool ShapeUtil::DynamicArrayShapeIsCompatible(const Shape& dynamic_shape,
                                              const Shape& bounded_shape) {
  if (!SameElementType(dynamic_shape, bounded_shape) || !SameRank(dynamic_shape, bounded_shape)) {
    return false;
  }
  for (int d = 0; d < dynamic_shape.dimensions_size(); ++d) {
    if (bounded_shape.is_unbounded_dynamic_dimension(d)) continue;
    if (dynamic_shape.dimensions(d) > bounded_shape.dimensions(d)) return false;
  }
  return true;
}
bool ShapeUtil::DynamicShapeIsCompatible(const Shape& dynamic_shape, const Shape& bounded_shape) {
  if (!dynamic_shape.IsTuple() && !bounded_shape.IsTuple()) {
    return DynamicArrayShapeIsCompatible(dynamic_shape, bounded_shape);
  }
  return dynamic_shape.IsTuple() && bounded_shape.IsTuple() &&
         std::equal(dynamic_shape.tuple_shapes().begin(), dynamic_shape.tuple_shapes().end(),
                    bounded_shape.tuple_shapes().begin(), bounded_shape.tuple_shapes().end(),
                    DynamicShapeIsCompatible);
}

}  // namespace xla
