// SPDX-License-Identifier: Apache-2.0
// Functions on shapes: construction, validation, sizes, comparison and traversal.
//
//   Shape shape = ShapeUtil::MakeShape(F32, {2, 3});           // row-major layout
//   int64_t bytes = ShapeUtil::ByteSizeOf(shape);              // 24
//
// Shapes that come from a user's input are made with MakeValidatedShape, or checked with
// ValidateShape, before they are used; MakeShape checks its
// arguments with XLA_CHECK.
//
// Source: the shapes and layout document (xla/docs/shapes.md).
#ifndef XLA_SHAPE_UTIL_H_
#define XLA_SHAPE_UTIL_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"

namespace xla {

using ShapeIndexView = absl::Span<const int64_t>;

// A path into a nested tuple: {1, 2} is element 2 of element 1; {} is the whole.
struct ShapeIndex : public absl::InlinedVector<int64_t, 2> {
  using InlinedVector::InlinedVector;
  ShapeIndex() = default;
  explicit ShapeIndex(ShapeIndexView view) : ShapeIndex(view.begin(), view.end()) {}

  void push_front(int64_t value) { insert(begin(), value); }
  void pop_front() { erase(begin()); }

  // "{1,2}"
  std::string ToString() const;

  static ShapeIndex FromProto(const ShapeIndexProto& proto);
  ShapeIndexProto ToProto() const;
};

std::ostream& operator<<(std::ostream& out, const ShapeIndex& index);

class ShapeUtil {
 public:
  ShapeUtil() = delete;

  // The greatest rank that ValidateShape accepts.
  static constexpr int64_t kMaxRank = 1024;

  struct IndexedShape {
    IndexedShape() = default;
    IndexedShape(ShapeIndex index, Shape shape)
        : index(std::move(index)), shape(std::move(shape)) {}
    ShapeIndex index;
    Shape shape;
  };

  // ---- Construction ----
  // These check that their arguments are valid (XLA_CHECK); MakeValidated... return an error
  // instead.

  // An array with the default (row-major) layout.
  static Shape MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions);
  // Dimension i is dynamic, with dimensions[i] as bound (or kUnboundedSize), where the flag is set.
  static Shape MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
                         const std::vector<bool>& dynamic_dimensions);
  static absl::StatusOr<Shape> MakeValidatedShape(PrimitiveType element_type,
                                                  absl::Span<const int64_t> dimensions);
  static absl::StatusOr<Shape> MakeValidatedShape(PrimitiveType element_type,
                                                  absl::Span<const int64_t> dimensions,
                                                  const std::vector<bool>& dynamic_dimensions);
  template <typename T>
  static Shape MakeShapeWithType(absl::Span<const int64_t> dimensions) {
    return MakeShape(primitive_util::NativeToPrimitiveType<T>(), dimensions);
  }
  static Shape MakeScalarShape(PrimitiveType element_type) { return MakeShape(element_type, {}); }

  static Shape MakeShapeWithDenseLayout(PrimitiveType element_type,
                                        absl::Span<const int64_t> dimensions,
                                        absl::Span<const int64_t> minor_to_major,
                                        absl::Span<const Tile> tiles = {},
                                        int64_t tail_padding_alignment_in_elements = 1,
                                        int64_t element_size_in_bits = 0, int64_t memory_space = 0,
                                        absl::Span<const SplitConfig> split_configs = {});
  static Shape MakeShapeWithPaddedLayout(PrimitiveType element_type,
                                         absl::Span<const int64_t> dimensions,
                                         absl::Span<const int64_t> minor_to_major,
                                         absl::Span<const int64_t> padded_dimensions,
                                         PaddingValue padding_value = INVALID_PAD);
  static absl::StatusOr<Shape> MakeValidatedShapeWithLayout(PrimitiveType element_type,
                                                            absl::Span<const int64_t> dimensions,
                                                            Layout layout);
  static Shape MakeShapeWithDescendingLayout(PrimitiveType element_type,
                                             absl::Span<const int64_t> dimensions) {
    return MakeShape(element_type, dimensions);
  }
  // The same memory seen in row-major order: f32[B,H,W,C]{0,3,2,1} gives f32[H,W,C,B]{3,2,1,0}.
  static Shape MakeShapeWithDescendingLayoutAndSamePhysicalLayout(const Shape& shape);
  // Dynamic dimensions become static, with their bound as size; through tuples.
  static Shape MakeShapeWithStaticDimensions(const Shape& shape);
  static Shape MakeStaticShape(const Shape& shape) { return MakeShapeWithStaticDimensions(shape); }
  static absl::Status PopulateShape(PrimitiveType element_type,
                                    absl::Span<const int64_t> dimensions, Shape* shape);

  static Shape MakeTupleShape(absl::Span<const Shape> shapes);
  static Shape MakeTupleShapeWithPtrs(absl::Span<const Shape* const> shapes);
  static absl::StatusOr<Shape> MakeValidatedTupleShape(absl::Span<const Shape> shapes);
  static absl::StatusOr<Shape> MakeValidatedTupleShapeWithPtrs(
      absl::Span<const Shape* const> shapes);
  static absl::StatusOr<Shape> MakeValidatedMaybeTupleShape(absl::Span<const Shape> shapes);
  // A tuple; for a single shape, that shape itself.
  static Shape MakeMaybeTupleShape(absl::Span<const Shape> shapes);
  static Shape MakeOpaqueShape() { return Shape(OPAQUE_TYPE); }
  static Shape MakeTokenShape() { return Shape(TOKEN); }
  // The empty tuple.
  static Shape MakeNil() { return Shape(std::vector<Shape>()); }
  static Shape MakeBufferShape(Shape array);
  static Shape MakeBufferShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions);
  static absl::StatusOr<Shape> MakeValidatedBufferShape(Shape array);
  static absl::StatusOr<Shape> MakeValidatedBufferShape(PrimitiveType element_type,
                                                        absl::Span<const int64_t> dimensions);
  static ProgramShape MakeProgramShape(std::initializer_list<Shape> parameters, Shape result);

  // ---- Modification ----

  static void AppendShapeToTuple(const Shape& shape, Shape* tuple_shape);
  static void UpdateTupleShape(const Shape& shape, int64_t index, Shape* tuple_shape);
  static void UpdateDynamicDimension(Shape* shape, ShapeIndexView index, int64_t dimension,
                                     bool is_dynamic);
  static void CopyDynamicDimensions(Shape* to, const Shape& from);
  static bool IsAnyDimensionDynamic(const Shape& shape) { return shape.is_dynamic(); }
  // Append: the new dimension gets the last number; prepend: number 0. In the layout it is the most
  // minor or the most major one, as the name says.
  static void AppendMinorDimension(int64_t bound, Shape* shape);
  static void AppendMajorDimension(int64_t bound, Shape* shape);
  static Shape PrependMajorDimension(int64_t bound, Shape shape);
  // The new dimensions get the numbers from `index` on. In the layout they are next to, and more
  // major than, the dimension that had that number; most minor at the end.
  static Shape InsertDimensionAtIndex(Shape shape, int64_t index, int64_t bound);
  static Shape InsertDimensionsAtIndex(Shape shape, int64_t index,
                                       absl::Span<const int64_t> bounds);
  static Shape MoveDimToMajor(const Shape& shape, int64_t dimension);
  static Shape ChangeElementType(const Shape& original, PrimitiveType type);
  static Shape ComplexComponentShape(const Shape& complex_shape);
  static Shape SliceTuple(const Shape& tuple, int64_t start, int64_t limit);
  static Shape DeleteDimension(int64_t dimension, Shape shape);
  static Shape DeleteDimensions(absl::Span<const int64_t> dimensions, Shape shape);
  // Keeps the dimensions for which `keep` holds.
  static Shape FilterDimensions(absl::FunctionRef<bool(int64_t)> keep, Shape shape);
  static Shape DropDegenerateDimensions(const Shape& shape);
  // result.dimensions[i] = shape.dimensions[permutation[i]]; the layout follows, so that the
  // transpose is a bitcast.
  static Shape PermuteDimensions(absl::Span<const int64_t> permutation, const Shape& shape);
  static Shape ReorderLogicalDimensions(const Shape& shape, absl::Span<const int64_t> permutation) {
    return PermuteDimensions(permutation, shape);
  }
  // The same without any change of the layout.
  static Shape PermuteDimensionsIgnoringLayout(absl::Span<const int64_t> permutation,
                                               const Shape& shape);
  // Removes tiles, memory space, element size, split configs and padding.
  static Shape DeviceShapeToHostShape(Shape shape);
  static bool DeviceShapeIsHostShape(const Shape& shape);

  // ---- Validation ----

  // Checks that the shape is valid: a known element type, a rank of at most kMaxRank, no
  // negative sizes (except kUnboundedSize of a dynamic dimension), tuples no deeper than
  // Shape::kMaxTupleDepth, a layout on every array that fits it, and a byte size that fits an
  // int64. Sizes of 0 count as 1 for that last rule, so that products of some of the sizes fit too.
  // Errors print the shape and the rule.
  static absl::Status ValidateShape(const Shape& shape);
  // The same where arrays may lack a layout.
  static absl::Status ValidateShapeWithOptionalLayout(const Shape& shape);

  // ---- Sizes ----
  // These return the greatest int64 for sizes that are unbounded or overflow; the sizes of valid
  // shapes without unbounded dimensions do not overflow.

  // The number of elements of an array (1 for a scalar), using the bounds of dynamic dimensions and
  // without padding; 0 unless the shape is an array.
  static int64_t ElementsIn(const Shape& shape);
  static int64_t ElementsInRecursive(const Shape& shape);
  static int64_t StaticElementsIn(const Shape& shape) { return ElementsIn(shape); }
  // The number of elements with layout padding, without tiles.
  static int64_t PaddedElementsIn(const Shape& shape);
  // The size of the top-level buffer in bytes. Arrays: includes padding by padded_dimensions and
  // the element size in bits, but not tiles and dynamic metadata (see ArraySize). Tuples:
  // `pointer_size` for each element; a negative pointer size means 8. Tokens: 0. Opaque:
  // `pointer_size`.
  static int64_t ByteSizeOf(const Shape& shape, int64_t pointer_size = -1);
  static int64_t ByteSizeOfTupleIndexTable(const Shape& shape, int64_t pointer_size);
  static int64_t ByteSizeOfElements(const Shape& shape);
  static int64_t ByteSizeOfElementsRecursive(const Shape& shape) { return ByteSizeOfLeaves(shape); }
  // Bytes of all array leaves together.
  static int64_t ByteSizeOfLeaves(const Shape& shape);
  // The size in bytes of one unpacked element; sub-byte types take one byte. 0 for shapes without
  // elements.
  static int64_t ByteSizeOfPrimitiveType(PrimitiveType primitive_type);
  // The size in bits of an element in the array's layout.
  static int64_t ElementSizeInBits(const Shape& shape);
  // Bytes of the array's buffer with padding, tiles, tail alignment and dynamic metadata.
  static int64_t ArraySize(const Shape& shape);
  // Bytes from the start of the data to the end of the last element, or under repeated tiles to the
  // end of the last tile; no tail alignment, no metadata.
  static int64_t ArrayDataSize(const Shape& shape);
  // The distance in bytes between neighbors along each dimension; nullopt for tiled
  // layouts and for elements smaller than a byte, which have no such distance. Precondition: an
  // array.
  static std::optional<DimensionVector> ByteStrides(const Shape& shape);
  // The same of an array whose elements take whole bytes each.
  static std::optional<DimensionVector> UnpackedByteStrides(const Shape& shape);
  static absl::Status UnpackedByteStrides(const Shape& shape, absl::Span<int64_t> strides);

  // ---- Queries ----

  static bool IsInitialized(const Shape& shape) {
    return shape.element_type() != PRIMITIVE_TYPE_INVALID;
  }
  static bool IsScalar(const Shape& shape) { return shape.IsArray() && shape.rank() == 0; }
  // One element: all sizes are 1.
  static bool IsEffectiveScalar(const Shape& shape) {
    return shape.IsArray() && TrueRank(shape) == 0;
  }
  static bool IsScalarWithElementType(const Shape& shape, PrimitiveType element_type) {
    return IsScalar(shape) && shape.element_type() == element_type;
  }
  static bool IsZeroElementArray(const Shape& shape);
  static DimensionVector CreateDimensionVectorFromShape(const Shape& shape) {
    return DimensionVector(shape.dimensions().begin(), shape.dimensions().end());
  }
  // Whether only dimensions of size 1 are more major in memory. Precondition: a layout.
  static bool IsEffectivelyMostMajorDimension(const Shape& shape, int64_t dimension);
  // True for shapes without a layout.
  static bool LastDimIsMinorMost(const Shape& shape) {
    return !shape.has_layout() || shape.rank() == 0 ||
           LayoutUtil::Minor(shape.layout(), 0) == shape.rank() - 1;
  }
  static bool HasPrimitiveType(const Shape& shape, PrimitiveType primitive_type);
  static bool HasDegenerateDimensions(const Shape& shape);
  static bool IsArrayPrimitiveType(PrimitiveType type) { return primitive_util::IsArrayType(type); }
  // The number of dimensions whose size is not 1.
  static int64_t TrueRank(const Shape& shape);
  static int64_t TrueNumDimensions(const Shape& shape) { return TrueRank(shape); }
  // Dimension numbers as in Python: -1 is the last. Precondition: -rank <= number < rank.
  static int64_t GetDimension(const Shape& shape, int64_t dimension_number);
  static int64_t GetDimensionNumber(const Shape& shape, int64_t dimension_number);
  // The same, but returns an error for a number out of range.
  static absl::StatusOr<int64_t> TryGetDimensionNumber(const Shape& shape,
                                                       int64_t dimension_number);

  // PRED is not integral.
  static bool ElementIsIntegral(const Shape& shape);
  static bool ElementIsFloating(const Shape& shape);
  static bool ElementIsComplex(const Shape& shape);
  static bool ElementIsSigned(const Shape& shape);
  static bool ElementHasBitWidth(const Shape& shape, int bits);
  static bool ElementIsIntegralWithBits(const Shape& shape, int bits);
  // Whether the conversion of `from` to the type of `to` is lossless.
  static bool ElementCanUpcast(const Shape& from, const Shape& to);

  // ---- Printing ----

  static std::string HumanString(const Shape& shape) { return shape.ToString(false); }
  static std::string HumanStringWithLayout(const Shape& shape) { return shape.ToString(true); }
  static std::string HumanString(const ProgramShape& program_shape) {
    return program_shape.ToString();
  }

  // ---- Comparison ----

  static bool SameDimensions(const Shape& lhs, const Shape& rhs);
  static bool SameRank(const Shape& lhs, const Shape& rhs) { return lhs.rank() == rhs.rank(); }
  static bool SameElementType(const Shape& lhs, const Shape& rhs) {
    return lhs.element_type() == rhs.element_type();
  }
  static bool SameElementTypeIgnoringFpPrecision(const Shape& a, const Shape& b) {
    return SameElementType(a, b) || (ElementIsFloating(a) && ElementIsFloating(b));
  }
  static PrimitiveType HigherPrecisionElementType(const Shape& a, const Shape& b) {
    return primitive_util::HigherPrecisionType(a.element_type(), b.element_type());
  }
  // Equal except for layouts and dynamic flags; an unbounded size is compatible with any size.
  static bool Compatible(const Shape& lhs, const Shape& rhs);
  static bool CompatibleIgnoringElementType(const Shape& lhs, const Shape& rhs);
  static bool CompatibleIgnoringFpPrecision(const Shape& lhs, const Shape& rhs);
  // The same tuple structure and leaf ranks.
  static bool CompatibleKind(const Shape& lhs, const Shape& rhs);
  static bool Equal(const Shape& lhs, const Shape& rhs) { return lhs == rhs; }
  static bool EqualIgnoringElementType(const Shape& lhs, const Shape& rhs);
  static bool EqualIgnoringFpPrecision(const Shape& lhs, const Shape& rhs);
  // The same tuple structure: (f32[2], (s32[])) and (u8[], (f32[3])).
  static bool EqualStructure(const Shape& lhs, const Shape& rhs);
  // Whether a value of `dynamic_shape` fits into `bounded_shape`: equal types and ranks, sizes at
  // most the bounds; through tuples.
  static bool DynamicShapeIsCompatible(const Shape& dynamic_shape, const Shape& bounded_shape);
  static bool DynamicArrayShapeIsCompatible(const Shape& dynamic_shape, const Shape& bounded_shape);

  // ---- Tuples ----

  static bool IsNestedTuple(const Shape& shape);
  static bool IsEmptyTuple(const Shape& shape) {
    return shape.IsTuple() && shape.tuple_shapes().empty();
  }
  static int64_t TupleElementCount(const Shape& shape) { return shape.tuple_shapes_size(); }
  static const Shape& GetTupleElementShape(const Shape& shape, int64_t index);
  // The nesting depth of tuples: 0 for an array, 1 for a tuple of arrays.
  static int64_t TupleDepth(const Shape& shape);
  // The number of shapes in the tree, the whole included.
  static int64_t SubshapeCount(const Shape& shape);
  static bool IndexIsValid(const Shape& shape, ShapeIndexView index);
  // Precondition: IndexIsValid(shape, index).
  static const Shape& GetSubshape(const Shape& shape, ShapeIndexView index);
  static Shape* GetMutableSubshape(Shape* shape, ShapeIndexView index);
  static absl::StatusOr<const Shape*> TryGetSubshape(const Shape& shape, ShapeIndexView index);
  static bool IsLeafIndex(const Shape& shape, ShapeIndexView index) {
    return !GetSubshape(shape, index).IsTuple();
  }
  static int64_t GetLeafCount(const Shape& shape);
  static int64_t GetLeafCountTuple(const Shape& shape) { return GetLeafCount(shape); }
  // All leaves in depth-first order.
  static std::vector<IndexedShape> GetLeafShapes(const Shape& shape);
  static std::vector<const Shape*> FlattenTupleShape(const Shape& shape);
  static void FlattenTupleShape(const Shape& shape, std::vector<const Shape*>& flattened);

  // Visits the shape, then its elements depth-first, in order.
  static void ForEachSubshape(const Shape& shape,
                              absl::FunctionRef<void(const Shape&, const ShapeIndex&)> visitor);
  static void ForEachMutableSubshape(Shape* shape,
                                     absl::FunctionRef<void(Shape*, const ShapeIndex&)> visitor);
  static void ForEachLeafShape(const Shape& shape,
                               absl::FunctionRef<void(const Shape&, const ShapeIndex&)> visitor);
  static void ForEachMutableLeafShape(Shape* shape,
                                      absl::FunctionRef<void(Shape*, const ShapeIndex&)> visitor);
  // Elements before their tuples.
  static void ForEachSubshapePostOrder(
      const Shape& shape, absl::FunctionRef<void(const Shape&, const ShapeIndex&)> visitor);
  static void ForEachMutableSubshapePostOrder(
      Shape* shape, absl::FunctionRef<void(Shape*, const ShapeIndex&)> visitor);
  static absl::Status ForEachSubshapePostOrderWithStatus(
      const Shape& shape, absl::FunctionRef<absl::Status(const Shape&, const ShapeIndex&)> visitor);
  static absl::Status ForEachMutableSubshapePostOrderWithStatus(
      Shape* shape, absl::FunctionRef<absl::Status(Shape*, const ShapeIndex&)> visitor);
  static absl::Status ForEachLeafShapeWithStatus(
      const Shape& shape, absl::FunctionRef<absl::Status(const Shape&, const ShapeIndex&)> visitor);
  static absl::Status ForEachMutableLeafShapeWithStatus(
      Shape* shape, absl::FunctionRef<absl::Status(Shape*, const ShapeIndex&)> visitor);
  // The same, stopping at the first error.
  static absl::Status ForEachSubshapeWithStatus(
      const Shape& shape, absl::FunctionRef<absl::Status(const Shape&, const ShapeIndex&)> visitor);
  static absl::Status ForEachMutableSubshapeWithStatus(
      Shape* shape, absl::FunctionRef<absl::Status(Shape*, const ShapeIndex&)> visitor);

  // ---- Iterating over indices ----

  using ForEachVisitorFunction = absl::FunctionRef<absl::StatusOr<bool>(absl::Span<const int64_t>)>;
  using ForEachVisitorFunctionNoStatus = absl::FunctionRef<bool(absl::Span<const int64_t>)>;

  struct IndexIterationSpace {
    std::vector<int64_t> index_base;
    std::vector<int64_t> index_count;
    std::vector<int64_t> index_incr;
  };

  // Visits base[i], base[i] + incr[i], ... below base[i] + count[i], in the layout's order (most
  // minor dimension fastest), until the visitor returns false or an error. incr[i] > 0.
  static absl::Status ForEachIndexWithStatus(const Shape& shape, absl::Span<const int64_t> base,
                                             absl::Span<const int64_t> count,
                                             absl::Span<const int64_t> incr,
                                             ForEachVisitorFunction visitor);
  static absl::Status ForEachIndexWithStatus(const Shape& shape, const IndexIterationSpace& space,
                                             ForEachVisitorFunction visitor) {
    return ForEachIndexWithStatus(shape, space.index_base, space.index_count, space.index_incr,
                                  visitor);
  }
  // Visits every index of the shape.
  static absl::Status ForEachIndexWithStatus(const Shape& shape, ForEachVisitorFunction visitor);
  static void ForEachIndexNoStatus(const Shape& shape, absl::Span<const int64_t> base,
                                   absl::Span<const int64_t> count, absl::Span<const int64_t> incr,
                                   ForEachVisitorFunctionNoStatus visitor);
  static void ForEachIndexNoStatus(const Shape& shape, ForEachVisitorFunctionNoStatus visitor);
  // As in XLA, an error of the visitor only ends the iteration.
  static void ForEachIndex(const Shape& shape, absl::Span<const int64_t> base,
                           absl::Span<const int64_t> count, absl::Span<const int64_t> incr,
                           ForEachVisitorFunction visitor) {
    ForEachIndexWithStatus(shape, base, count, incr, visitor).IgnoreError();
  }
  static void ForEachIndex(const Shape& shape, ForEachVisitorFunction visitor) {
    ForEachIndexWithStatus(shape, visitor).IgnoreError();
  }

  // The same on several threads, each with a part of the indices. The visitor also gets the number
  // of its thread; -1 on the calling one. An error, or false, ends the part; the first error in the
  // order of the indices is returned.
  using ForEachParallelVisitorFunction =
      absl::FunctionRef<absl::StatusOr<bool>(absl::Span<const int64_t>, int)>;
  static absl::Status ForEachIndexParallelWithStatus(const Shape& shape,
                                                     absl::Span<const int64_t> base,
                                                     absl::Span<const int64_t> count,
                                                     absl::Span<const int64_t> incr,
                                                     ForEachParallelVisitorFunction visitor);
  static absl::Status ForEachIndexParallelWithStatus(const Shape& shape,
                                                     ForEachParallelVisitorFunction visitor);
  static void ForEachIndexParallel(const Shape& shape, absl::Span<const int64_t> base,
                                   absl::Span<const int64_t> count, absl::Span<const int64_t> incr,
                                   ForEachParallelVisitorFunction visitor) {
    ForEachIndexParallelWithStatus(shape, base, count, incr, visitor).IgnoreError();
  }
  static void ForEachIndexParallel(const Shape& shape, ForEachParallelVisitorFunction visitor) {
    ForEachIndexParallelWithStatus(shape, visitor).IgnoreError();
  }
  // Thread numbers are less than this.
  static int GetForEachIndexParallelThreadCount();

  // ---- Reshapes and transposes of memory ----
  // Both shapes have layouts.

  // Whether no byte moves: equal element size, equal order in memory. Padded and
  // tiled layouts are bitcasts only when the shapes are equal, or differ by the permutation alone.
  static bool TransposeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                                 absl::Span<const int64_t> dimension_mapping,
                                 bool ignore_element_type = false);
  static bool ReshapeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                               bool ignore_element_type = false);
  static bool IsReshapeOrTransposeBitcast(const Shape& a, const Shape& b,
                                          bool ignore_element_type = false);
  // If a bitcast from input to output is a transpose, the `dimensions` of that transpose.
  static std::optional<std::vector<int64_t>> DeduceTransposeDimensionsForBitcast(
      const Shape& input_shape, const Shape& output_shape);

  // A bitcast as a transpose of the input to row-major order, a reshape, and a transpose to the
  // output.
  struct BitcastDecompositionTrt {
    std::vector<int64_t> transpose1_dims;
    Shape transpose1_shape, reshape_shape;  // in row-major order
    std::vector<int64_t> transpose2_dims;
    bool IsTranspose1Identity() const;
    bool IsTranspose2Identity() const;
  };
  struct BitcastDecompositionReshape {};
  struct BitcastDecompositionTranspose {
    std::vector<int64_t> transpose_dims;
  };
  using BitcastDecomposition =
      std::optional<std::variant<BitcastDecompositionReshape, BitcastDecompositionTranspose,
                                 BitcastDecompositionTrt>>;
  // Whether both shapes have layouts and the same number of elements.
  static bool IsDecomposableBitcast(const Shape& input_shape, const Shape& output_shape);
  // nullopt unless the bitcast is decomposable.
  static std::optional<BitcastDecompositionTrt> DecomposeBitcastToTrt(const Shape& input_shape,
                                                                      const Shape& output_shape);
  // The simplest of the decompositions.
  static BitcastDecomposition DecomposeBitcast(const Shape& input_shape, const Shape& output_shape);

  // A transpose without dimensions of size 1, dimensions that stay neighbors being one: the sizes
  // of its output and, in `permutation`, its dimensions. Both shapes must be in row-major order.
  static absl::StatusOr<absl::InlinedVector<int64_t, 3>> GetNormalizedLogicalTransposeShape(
      const Shape& input_shape, const Shape& output_shape, absl::Span<const int64_t> dimensions,
      absl::InlinedVector<int64_t, 3>& permutation);

  // The output shape with a layout under which the reshape is a bitcast, if there is one.
  static std::optional<Shape> AlignLayouts(const Shape& input_shape, const Shape& output_shape);

  // Pairs (input dimension, output dimension) that a reshape leaves unmodified:
  // T[a,b,x,y,cd] to T[ab,x,1,y,c,d] gives {{2,1}, {3,3}}.
  static std::vector<std::pair<int64_t, int64_t>> DimensionsUnmodifiedByReshape(
      const Shape& input_shape, const Shape& output_shape);
  // The output dimensions for these input dimensions (ascending) if all are unmodified.
  static std::optional<std::vector<int64_t>> ReshapeLeavesDimensionsUnmodified(
      const Shape& from_shape, const Shape& to_shape, absl::Span<const int64_t> input_dimensions);

  struct ShapeEqualityDescriptor {
    std::vector<int64_t> deleted_dimensions;
    std::vector<int64_t> inserted_dimensions;
  };
  // If the shapes differ only by dimensions of size 1: those of `pre` that are deleted and those of
  // `post` that are inserted.
  static std::optional<ShapeEqualityDescriptor> InsertedOrDeleted1SizedDimensions(
      const Shape& shape_pre, const Shape& shape_post);
};

}  // namespace xla

#endif  // XLA_SHAPE_UTIL_H_
