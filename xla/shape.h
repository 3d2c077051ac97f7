// SPDX-License-Identifier: Apache-2.0
// The type of a value: element type, dimension sizes and layout of an array, or a tuple of shapes.
//
//   Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
//   shape.ToString(/*print_layout=*/true);   // "f32[2,3]{1,0}"
//
// Source: the shapes and layout document (xla/docs/shapes.md) and xla_data.proto.
//
// Text form, printed by ToString and read by the HLO text parser:
//
//   shape := type '[' [ dim (',' dim)* ] ']' [ layout ]        f32[2,<=3,?]{2,1,0}
//          | '(' [ shape (', ' shape)* ] ')'                   (f32[], s32[4]{0}), ()
//          | 'b(' shape ')' | 'token[]' | 'opaque[]'
//   dim   := int | '<=' int (dynamic, with this bound) | '?' (dynamic, unbounded)
//
// A comment with its index, "/*index=5*/", precedes every fifth element of a tuple. The layout of a
// scalar is printed only if it has properties. The grammar of layouts is in xla/layout.h.
#ifndef XLA_SHAPE_H_
#define XLA_SHAPE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "xla/base/check.h"
#include "xla/base/dimension_vector.h"
#include "xla/base/status_fwd.h"
#include "xla/layout.h"
#include "xla/xla_data_enums.h"

namespace xla {

// A value type. Two cache lines; copying an array shape of rank up to 4 with a plain layout does
// not allocate; moves are cheap.
//
// An array shape has an element type, sizes and optionally a layout. A buffer is an array shape
// that denotes the memory itself (text form b(f32[2])): its accessors return the properties of its
// array, and IsArray() is true. Tuples hold shapes. Tokens and opaque values have no further
// properties. A default-constructed shape is invalid (PRIMITIVE_TYPE_INVALID).
//
// Accessors do not validate; ShapeUtil::ValidateShape does. The caller must pass indices in range.
class Shape {
 public:
  // The size of a dimension that is dynamic without a bound; the same number as in StableHLO.
  static constexpr int64_t kUnboundedSize = std::numeric_limits<int64_t>::min();
  // The deepest nesting of tuples that FromProto, the text parser and ValidateShape accept. It
  // keeps recursion over shapes bounded.
  static constexpr int kMaxTupleDepth = 256;

  Shape();
  ~Shape();
  Shape(const Shape& other);
  Shape(Shape&& other) noexcept;
  Shape& operator=(const Shape& other);
  Shape& operator=(Shape&& other) noexcept;

  // A token, opaque, empty tuple or scalar shape, by the type.
  explicit Shape(PrimitiveType element_type);
  // An array without a layout. `dynamic_dimensions` is empty (all static) or as long as
  // `dimensions`.
  Shape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
        absl::Span<const bool> dynamic_dimensions = {});
  // A tuple.
  explicit Shape(std::vector<Shape> tuple_shapes);
  // As FromProto, but returns an invalid shape for an invalid proto.
  explicit Shape(const ShapeProto& proto);

  // Reads a proto as written by XLA. Returns an error if the fields are inconsistent: a number of
  // dynamic flags that differs from the rank, a layout on a tuple, nesting deeper than
  // kMaxTupleDepth.
  static absl::StatusOr<Shape> FromProto(const ShapeProto& proto);
  ShapeProto ToProto() const;
  void ToProto(ShapeProto& proto) const;  // replaces what is there
  void SetProto(ShapeProto& proto) const;

  // The text form described at the top of this file.
  std::string ToString(bool print_layout = false) const;
  void AppendTo(std::string* out, bool print_layout = false) const;

  bool IsArray() const {
    switch (element_type_) {
      case PRIMITIVE_TYPE_INVALID:
      case TUPLE:
      case OPAQUE_TYPE:
      case TOKEN:
      case BUFFER:
        return false;
      default:
        return true;
    }
  }
  bool IsArrayExcludingBuffer() const { return IsArray() && !is_buffer_; }
  bool IsBuffer() const { return is_buffer_; }
  bool IsTuple() const { return element_type_ == TUPLE; }
  bool IsToken() const { return element_type_ == TOKEN; }
  bool IsOpaque() const { return element_type_ == OPAQUE_TYPE; }

  // Whether all array leaves have integer elements.
  bool AreAllLeavesIntegers() const;

  // The type of the elements; of a buffer, that of its array.
  PrimitiveType element_type() const { return element_type_; }
  // BUFFER for a buffer, else element_type().
  PrimitiveType element_type_including_buffer() const {
    return is_buffer_ ? BUFFER : element_type_;
  }
  // Keeps dimensions and layout if both types are array types; resets the shape otherwise.
  void set_element_type(PrimitiveType value);

  // Dimensions; none for anything but arrays. dimensions(i) is the size, or the bound of a dynamic
  // dimension, or kUnboundedSize.
  int64_t rank() const { return static_cast<int64_t>(dimensions_.size()); }
  int dimensions_size() const { return static_cast<int>(dimensions_.size()); }
  int64_t dimensions(int i) const { return dimensions_[i]; }
  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  // The size of the i-th dimension from the minor end. Precondition: has_layout().
  int64_t dimensions_minor(int i) const { return dimensions_[layout().minor_to_major(i)]; }

  // Without `is_dynamic` the dimension stays as dynamic as it is.
  void set_dimensions(int i, int64_t size, std::optional<bool> is_dynamic = std::nullopt);
  void set_dimensions_minor(int i, int64_t size, std::optional<bool> is_dynamic = std::nullopt);
  // Appends a dimension. The layout is left alone.
  void add_dimensions(int64_t size, bool is_dynamic = false);
  void clear_dimensions();
  absl::Span<int64_t> mutable_dimensions() { return absl::MakeSpan(dimensions_); }
  // Removes dimensions, also from the layout. `dimensions` must not contain duplicates.
  void DeleteDimension(int64_t dimension);
  void DeleteDimensions(absl::Span<const int64_t> dimensions);

  // Dynamic dimensions. For tuples, these apply to all leaves.
  bool is_static() const;
  bool is_dynamic() const { return !is_static(); }
  bool is_unbounded_dynamic() const;
  bool is_bounded_dynamic() const;
  bool is_dynamic_dimension(int i) const { return dynamic_dimensions_[i]; }
  bool is_static_dimension(int i) const { return !dynamic_dimensions_[i]; }
  bool is_unbounded_dynamic_dimension(int i) const { return dimensions_[i] == kUnboundedSize; }
  bool is_bounded_dynamic_dimension(int i) const {
    return dynamic_dimensions_[i] && dimensions_[i] != kUnboundedSize;
  }
  absl::Span<const bool> dynamic_dimensions() const { return dynamic_dimensions_; }
  absl::Span<bool> mutable_dynamic_dimensions() { return absl::MakeSpan(dynamic_dimensions_); }
  void set_dynamic_dimension(int i, bool is_dynamic) { dynamic_dimensions_[i] = is_dynamic; }
  void set_unbounded_dynamic_dimension(int i) {
    dynamic_dimensions_[i] = true;
    dimensions_[i] = kUnboundedSize;
  }
  // Makes every dimension of every leaf static, with its bound as size.
  void clear_dynamic_dimensions();

  // Elements of a tuple; none for anything else.
  int tuple_shapes_size() const { return static_cast<int>(tuple_shapes().size()); }
  const Shape& tuple_shapes(int i) const { return (*tuple_shapes_)[i]; }
  const std::vector<Shape>& tuple_shapes() const;
  Shape* mutable_tuple_shapes(int i) { return &(*tuple_shapes_)[i]; }
  // Precondition of these: IsTuple().
  std::vector<Shape>* mutable_tuple_shapes();
  Shape* add_tuple_shapes();
  void clear_tuple_shapes();

  // The array of a buffer, returned by value because it is not stored. Precondition: IsBuffer().
  Shape buffer_shape() const;
  // Makes an array into a buffer, and back. Precondition: IsArray().
  void set_is_buffer(bool is_buffer);

  bool has_layout() const { return has_layout_; }
  // Precondition: has_layout().
  const Layout& layout() const {
    XLA_CHECK(has_layout_) << "shape " << ToString() << " has no layout";
    return layout_;
  }
  // Gives the shape an empty layout if it has none. Precondition: IsArray().
  Layout* mutable_layout();
  void clear_layout();

  // Back to the default, invalid shape.
  void Clear() { *this = Shape(); }

  std::string ShortDebugString() const { return ToString(/*print_layout=*/true); }

  // Equality that ignores some parts: Shape::Equal().IgnoreLayout()(a, b).
  class Equal {
   public:
    Equal() = default;
    bool operator()(const Shape& lhs, const Shape& rhs) const;

    Equal& IgnoreLayout(bool ignore = true) { return Set(&Equal::ignore_layout_, ignore); }
    Equal& IgnoreTilesInLayout() {
      layout_equal_.IgnoreTiles();
      return *this;
    }
    Equal& IgnoreElementSizeInLayout() {
      layout_equal_.IgnoreElementSize();
      return *this;
    }
    Equal& IgnoreMemorySpaceInLayout() {
      layout_equal_.IgnoreMemorySpace();
      return *this;
    }
    Equal& IgnoreTailPaddingAlignmentInElements() {
      layout_equal_.IgnoreTailPaddingAlignmentInElements();
      return *this;
    }
    Equal& IgnoreSplitConfigInLayout() {
      layout_equal_.IgnoreSplitConfigs();
      return *this;
    }
    Equal& IgnorePaddingInLayout() {
      layout_equal_.IgnorePadding();
      return *this;
    }
    Equal& MinorToMajorOnlyInLayout() {
      layout_equal_.MinorToMajorOnly();
      return *this;
    }
    Equal& IgnoreElementType() { return Set(&Equal::ignore_element_type_, true); }
    // Any floating point type equals any other.
    Equal& IgnoreFpPrecision() { return Set(&Equal::ignore_fp_precision_, true); }
    // Dynamic flags are not compared, and an unbounded size equals any.
    Equal& IgnoreDynamicDimension() { return Set(&Equal::ignore_dynamic_dimension_, true); }
    // Ranks still count.
    Equal& IgnoreDimensions() { return Set(&Equal::ignore_dimensions_, true); }
    // A buffer equals its array.
    Equal& IgnoreBuffer(bool ignore = true) { return Set(&Equal::ignore_buffer_, ignore); }

   private:
    Equal& Set(bool Equal::*flag, bool value) {
      this->*flag = value;
      return *this;
    }

    Layout::Equal layout_equal_;
    bool ignore_layout_ = false;
    bool ignore_element_type_ = false;
    bool ignore_fp_precision_ = false;
    bool ignore_dynamic_dimension_ = false;
    bool ignore_dimensions_ = false;
    bool ignore_buffer_ = false;
  };

  bool operator==(const Shape& other) const { return Equal()(*this, other); }
  bool operator!=(const Shape& other) const { return !(*this == other); }

  template <typename H, bool kIsLayoutSensitive = true>
  static H Hash(H h, const Shape& shape) {
    h = H::combine(std::move(h), static_cast<int>(shape.element_type_), shape.is_buffer_,
                   shape.dimensions_, shape.dynamic_dimensions_);
    if (kIsLayoutSensitive && shape.has_layout_) h = H::combine(std::move(h), shape.layout_);
    if (shape.tuple_shapes_ != nullptr) {
      for (const Shape& element : *shape.tuple_shapes_) {
        h = Hash<H, kIsLayoutSensitive>(std::move(h), element);
      }
      h = H::combine(std::move(h), shape.tuple_shapes_->size());
    }
    return h;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Shape& shape) {
    return Hash(std::move(h), shape);
  }

 private:
  friend class Layout;
  static absl::StatusOr<Shape> FromProtoAtDepth(const ShapeProto& proto, int depth);

  PrimitiveType element_type_ = PRIMITIVE_TYPE_INVALID;
  bool is_buffer_ = false;
  bool has_layout_ = false;
  DimensionVector dimensions_;
  // One flag per dimension. Sixteen inline flags take no more space than a pointer and a capacity.
  absl::InlinedVector<bool, 16> dynamic_dimensions_;
  // Unused unless has_layout_.
  Layout layout_;
  // Null unless this is a tuple.
  std::unique_ptr<std::vector<Shape>> tuple_shapes_;
};

// The signature of a computation: shapes and names of the parameters, shape of the result.
class ProgramShape {
 public:
  ProgramShape() = default;
  explicit ProgramShape(const ProgramShapeProto& proto);

  static absl::StatusOr<ProgramShape> FromProto(const ProgramShapeProto& proto);
  ProgramShapeProto ToProto() const;
  void ToProto(ProgramShapeProto& proto) const;

  // "(x: f32[2], y: s32[]) -> f32[2]"; a parameter without a name prints as "(unknown)".
  std::string ToString() const;

  int parameters_size() const { return static_cast<int>(parameters_.size()); }
  const Shape& parameters(int i) const { return parameters_[i]; }
  Shape* mutable_parameters(int i) { return &parameters_[i]; }
  const std::vector<Shape>& parameters() const { return parameters_; }
  void AddParameter(Shape shape, std::string name);
  // Appends a parameter without a name.
  Shape* add_parameters();
  void clear_parameters();

  const Shape& result() const { return result_; }
  Shape* mutable_result() { return &result_; }

  int parameter_names_size() const { return static_cast<int>(parameter_names_.size()); }
  const std::string& parameter_names(int i) const { return parameter_names_[i]; }
  void set_parameter_names(int i, const std::string& value) { parameter_names_[i] = value; }
  const std::vector<std::string>& parameter_names() const { return parameter_names_; }
  void clear_parameter_names();

  bool operator==(const ProgramShape& other) const {
    return parameters_ == other.parameters_ && parameter_names_ == other.parameter_names_ &&
           result_ == other.result_;
  }
  bool operator!=(const ProgramShape& other) const { return !(*this == other); }

 private:
  // These have equal length.
  std::vector<Shape> parameters_;
  std::vector<std::string> parameter_names_;
  Shape result_;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);
std::ostream& operator<<(std::ostream& out, const ProgramShape& program_shape);

}  // namespace xla

#endif  // XLA_SHAPE_H_
