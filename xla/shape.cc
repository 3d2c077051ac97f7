// SPDX-License-Identifier: Apache-2.0
// Shape and ProgramShape: storage, equality, text and proto form.
#include "xla/shape.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

// Text form: a comment with the index precedes every element whose index is a multiple of this.
constexpr size_t kIndexCommentInterval = 5;

bool IsArrayElementType(PrimitiveType type) {
  return type != PRIMITIVE_TYPE_INVALID && type != TUPLE && type != OPAQUE_TYPE && type != TOKEN &&
         type != BUFFER;
}

}  // namespace

Shape::Shape() = default;
Shape::~Shape() = default;
Shape::Shape(const Shape& other)
    : element_type_(other.element_type_),
      is_buffer_(other.is_buffer_),
      has_layout_(other.has_layout_),
      dimensions_(other.dimensions_),
      dynamic_dimensions_(other.dynamic_dimensions_),
      layout_(other.layout_),
      tuple_shapes_(other.tuple_shapes_ ? std::make_unique<std::vector<Shape>>(*other.tuple_shapes_)
                                        : nullptr) {}
Shape::Shape(Shape&& other) noexcept
    : element_type_(std::exchange(other.element_type_, PRIMITIVE_TYPE_INVALID)),
      is_buffer_(std::exchange(other.is_buffer_, false)),
      has_layout_(std::exchange(other.has_layout_, false)),
      dimensions_(std::move(other.dimensions_)),
      dynamic_dimensions_(std::move(other.dynamic_dimensions_)),
      layout_(std::move(other.layout_)),
      tuple_shapes_(std::move(other.tuple_shapes_)) {
  // A moved-from shape equals the default one.
  other.dimensions_.clear();
  other.dynamic_dimensions_.clear();
}
Shape& Shape::operator=(const Shape& other) {
  if (this != &other) *this = Shape(other);
  return *this;
}
Shape& Shape::operator=(Shape&& other) noexcept {
  if (this == &other) return *this;
  // `other` may be an element of this tuple: keep the old elements alive until it has been moved.
  const std::unique_ptr<std::vector<Shape>> old_elements = std::move(tuple_shapes_);
  element_type_ = std::exchange(other.element_type_, PRIMITIVE_TYPE_INVALID);
  is_buffer_ = std::exchange(other.is_buffer_, false);
  has_layout_ = std::exchange(other.has_layout_, false);
  dimensions_ = std::move(other.dimensions_);
  dynamic_dimensions_ = std::move(other.dynamic_dimensions_);
  layout_ = std::move(other.layout_);
  tuple_shapes_ = std::move(other.tuple_shapes_);
  other.dimensions_.clear();
  other.dynamic_dimensions_.clear();
  return *this;
}

Shape::Shape(PrimitiveType element_type) { set_element_type(element_type); }
Shape::Shape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
             absl::Span<const bool> dynamic_dimensions)
    : element_type_(element_type), dimensions_(dimensions.begin(), dimensions.end()) {
  XLA_CHECK(IsArrayElementType(element_type)) << "not an array type: " << element_type;
  XLA_CHECK(dynamic_dimensions.empty() || dynamic_dimensions.size() == dimensions.size());
  if (dynamic_dimensions.empty()) {
    dynamic_dimensions_.resize(dimensions.size(), false);
  } else {
    dynamic_dimensions_.assign(dynamic_dimensions.begin(), dynamic_dimensions.end());
  }
}
Shape::Shape(std::vector<Shape> tuple_shapes)
    : element_type_(TUPLE),
      tuple_shapes_(std::make_unique<std::vector<Shape>>(std::move(tuple_shapes))) {}
Shape::Shape(const ShapeProto& proto) : Shape(FromProto(proto).value_or(Shape())) {}

void Shape::set_element_type(PrimitiveType value) {
  if (!(IsArray() && IsArrayElementType(value))) {
    Clear();
    if (value == TUPLE) tuple_shapes_ = std::make_unique<std::vector<Shape>>();
  }
  // A buffer always has an array; see set_is_buffer.
  element_type_ = value == BUFFER ? PRIMITIVE_TYPE_INVALID : value;
}

// ---- Dimensions ----

void Shape::set_dimensions(int i, int64_t size, std::optional<bool> is_dynamic) {
  dimensions_[i] = size;
  if (is_dynamic.has_value()) dynamic_dimensions_[i] = *is_dynamic;
}
void Shape::set_dimensions_minor(int i, int64_t size, std::optional<bool> is_dynamic) {
  set_dimensions(static_cast<int>(layout().minor_to_major(i)), size, is_dynamic);
}
void Shape::add_dimensions(int64_t size, bool is_dynamic) {
  dimensions_.push_back(size);
  dynamic_dimensions_.push_back(is_dynamic);
}
void Shape::clear_dimensions() {
  dimensions_.clear();
  dynamic_dimensions_.clear();
}
void Shape::DeleteDimension(int64_t dimension) {
  XLA_CHECK(dimension >= 0 && dimension < rank())
      << "no dimension " << dimension << " in " << ToString();
  dimensions_.erase(dimensions_.begin() + dimension);
  dynamic_dimensions_.erase(dynamic_dimensions_.begin() + dimension);
  if (has_layout_) layout_.DeleteDimension(dimension);
}
void Shape::DeleteDimensions(absl::Span<const int64_t> dimensions) {
  std::vector<int64_t> descending(dimensions.begin(), dimensions.end());
  std::sort(descending.rbegin(), descending.rend());
  for (const int64_t dimension : descending) DeleteDimension(dimension);
}

bool Shape::AreAllLeavesIntegers() const {
  if (IsTuple()) {
    return std::all_of(tuple_shapes().begin(), tuple_shapes().end(),
                       [](const Shape& s) { return s.AreAllLeavesIntegers(); });
  }
  return primitive_util::IsIntegralType(element_type_);
}
bool Shape::is_static() const {
  if (IsTuple()) {
    return std::all_of(tuple_shapes().begin(), tuple_shapes().end(),
                       [](const Shape& s) { return s.is_static(); });
  }
  return std::find(dynamic_dimensions_.begin(), dynamic_dimensions_.end(), true) ==
         dynamic_dimensions_.end();
}
bool Shape::is_unbounded_dynamic() const {
  if (IsTuple()) {
    return std::any_of(tuple_shapes().begin(), tuple_shapes().end(),
                       [](const Shape& s) { return s.is_unbounded_dynamic(); });
  }
  return std::find(dimensions_.begin(), dimensions_.end(), kUnboundedSize) != dimensions_.end();
}
bool Shape::is_bounded_dynamic() const {
  if (IsTuple()) {
    return std::any_of(tuple_shapes().begin(), tuple_shapes().end(),
                       [](const Shape& s) { return s.is_bounded_dynamic(); });
  }
  for (int i = 0; i < dimensions_size(); ++i) {
    if (is_bounded_dynamic_dimension(i)) return true;
  }
  return false;
}
void Shape::clear_dynamic_dimensions() {
  if (IsTuple()) {
    for (Shape& element : *tuple_shapes_) element.clear_dynamic_dimensions();
    return;
  }
  if (has_layout_ && is_dynamic()) layout_.set_dynamic_shape_metadata_prefix_bytes(0);
  std::fill(dynamic_dimensions_.begin(), dynamic_dimensions_.end(), false);
}

// ---- Tuples, buffers, layout ----

const std::vector<Shape>& Shape::tuple_shapes() const {
  static const std::vector<Shape>* const kNone = new std::vector<Shape>();
  return tuple_shapes_ != nullptr ? *tuple_shapes_ : *kNone;
}
std::vector<Shape>* Shape::mutable_tuple_shapes() {
  XLA_CHECK(IsTuple()) << ToString() << " is not a tuple";
  return tuple_shapes_.get();
}
Shape* Shape::add_tuple_shapes() { return &mutable_tuple_shapes()->emplace_back(); }
void Shape::clear_tuple_shapes() { mutable_tuple_shapes()->clear(); }

Shape Shape::buffer_shape() const {
  XLA_CHECK(IsBuffer()) << ToString() << " is not a buffer";
  Shape array = *this;
  array.is_buffer_ = false;
  return array;
}
void Shape::set_is_buffer(bool is_buffer) {
  XLA_CHECK(IsArray()) << ToString() << " is not an array";
  is_buffer_ = is_buffer;
}

Layout* Shape::mutable_layout() {
  XLA_CHECK(IsArray()) << ToString() << " is not an array";
  has_layout_ = true;
  return &layout_;
}
void Shape::clear_layout() {
  has_layout_ = false;
  layout_ = Layout();
}

// ---- Equality ----

bool Shape::Equal::operator()(const Shape& lhs, const Shape& rhs) const {
  if (lhs.IsTuple() || rhs.IsTuple()) {
    return lhs.IsTuple() && rhs.IsTuple() &&
           std::equal(lhs.tuple_shapes().begin(), lhs.tuple_shapes().end(),
                      rhs.tuple_shapes().begin(), rhs.tuple_shapes().end(), *this);
  }
  if (!lhs.IsArray() || !rhs.IsArray()) return lhs.element_type_ == rhs.element_type_;
  if (!ignore_buffer_ && lhs.is_buffer_ != rhs.is_buffer_) return false;
  if (!ignore_element_type_ && lhs.element_type_ != rhs.element_type_ &&
      !(ignore_fp_precision_ && primitive_util::IsFloatingPointType(lhs.element_type_) &&
        primitive_util::IsFloatingPointType(rhs.element_type_))) {
    return false;
  }
  if (lhs.dimensions_.size() != rhs.dimensions_.size()) return false;
  if (!ignore_dimensions_) {
    for (int i = 0; i < lhs.dimensions_size(); ++i) {
      if (lhs.dimensions_[i] == rhs.dimensions_[i]) continue;
      if (ignore_dynamic_dimension_ &&
          (lhs.is_unbounded_dynamic_dimension(i) || rhs.is_unbounded_dynamic_dimension(i))) {
        continue;
      }
      return false;
    }
  }
  if (!ignore_dynamic_dimension_ && lhs.dynamic_dimensions_ != rhs.dynamic_dimensions_) {
    return false;
  }
  if (ignore_layout_ || (!lhs.has_layout_ && !rhs.has_layout_)) return true;
  return lhs.has_layout_ && rhs.has_layout_ && layout_equal_(lhs.layout_, rhs.layout_);
}

// ---- Text ----

void Shape::AppendTo(std::string* out, bool print_layout) const {
  if (is_buffer_) out->append("b(");
  if (IsTuple()) {
    out->push_back('(');
    for (size_t i = 0; i < tuple_shapes_->size(); ++i) {
      if (i != 0) out->append(", ");
      if (i != 0 && i % kIndexCommentInterval == 0) absl::StrAppend(out, "/*index=", i, "*/");
      (*tuple_shapes_)[i].AppendTo(out, print_layout);
    }
    out->push_back(')');
    return;
  }
  absl::StrAppend(out, primitive_util::LowercasePrimitiveTypeName(element_type_), "[");
  for (int i = 0; i < dimensions_size(); ++i) {
    if (i != 0) out->push_back(',');
    if (is_unbounded_dynamic_dimension(i)) {
      out->push_back('?');
    } else {
      absl::StrAppend(out, is_dynamic_dimension(i) ? "<=" : "", dimensions_[i]);
    }
  }
  out->push_back(']');
  if (print_layout && has_layout_) {
    const size_t start = out->size();
    layout_.AppendTo(out);
    const bool is_empty = out->size() == start + 2;  // "{}"
    if (dimensions_.empty() && is_empty) out->resize(start);
  }
  if (is_buffer_) out->push_back(')');
}

std::string Shape::ToString(bool print_layout) const {
  std::string out;
  AppendTo(&out, print_layout);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.ToString(/*print_layout=*/true);
}

// ---- Proto ----

absl::StatusOr<Shape> Shape::FromProto(const ShapeProto& proto) {
  return FromProtoAtDepth(proto, 0);
}

absl::StatusOr<Shape> Shape::FromProtoAtDepth(const ShapeProto& proto, int depth) {
  if (depth > kMaxTupleDepth) {
    return InvalidArgumentStrCat("shape proto nests tuples deeper than ", kMaxTupleDepth);
  }
  const PrimitiveType type = proto.element_type();
  if (!PrimitiveType_IsValid(type)) {
    return InvalidArgumentStrCat("shape proto has unknown element type ", static_cast<int>(type));
  }
  if (type == BUFFER) {
    if (proto.tuple_shapes_size() != 1) {
      return InvalidArgumentStrCat("shape proto of a buffer holds ", proto.tuple_shapes_size(),
                                   " shapes; expected 1");
    }
    XLA_ASSIGN_OR_RETURN(Shape shape, FromProtoAtDepth(proto.tuple_shapes(0), depth + 1));
    if (!shape.IsArrayExcludingBuffer()) {
      return InvalidArgumentStrCat("shape proto of a buffer holds ", shape.ToString(),
                                   "; expected an array");
    }
    shape.set_is_buffer(true);
    return shape;
  }
  const bool is_array = IsArrayElementType(type);
  if (!is_array && (proto.dimensions_size() != 0 || proto.is_dynamic_dimension_size() != 0)) {
    return InvalidArgumentStrCat("shape proto of type ", PrimitiveType_Name(type),
                                 " has dimensions");
  }
  if (proto.tuple_shapes_size() != 0 && type != TUPLE) {
    return InvalidArgumentStrCat("shape proto of type ", PrimitiveType_Name(type),
                                 " has tuple elements");
  }
  Shape shape(type);
  if (type == TUPLE) {
    shape.tuple_shapes_->reserve(proto.tuple_shapes_size());
    for (const ShapeProto& element : proto.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(shape.tuple_shapes_->emplace_back(),
                           FromProtoAtDepth(element, depth + 1));
    }
  }
  if (is_array) {
    // Protos written without dynamic dimensions have no flags.
    const int flags = proto.is_dynamic_dimension_size();
    if (flags != 0 && flags != proto.dimensions_size()) {
      return InvalidArgumentStrCat("shape proto has ", proto.dimensions_size(), " dimensions but ",
                                   flags, " dynamic dimension flags");
    }
    shape.dimensions_.assign(proto.dimensions().begin(), proto.dimensions().end());
    shape.dynamic_dimensions_.resize(proto.dimensions_size(), false);
    for (int i = 0; i < flags; ++i) shape.dynamic_dimensions_[i] = proto.is_dynamic_dimension(i);
  }
  if (proto.has_layout() && is_array) {
    XLA_ASSIGN_OR_RETURN(*shape.mutable_layout(), Layout::FromProtoAtDepth(proto.layout(), depth));
  } else if (proto.has_layout() && proto.layout().minor_to_major_size() != 0) {
    // An empty layout is accepted; only one with content is inconsistent with the type.
    return InvalidArgumentStrCat("shape proto of type ", PrimitiveType_Name(type), " has a layout");
  }
  return shape;
}

void Shape::SetProto(ShapeProto& proto) const {
  proto.Clear();
  if (is_buffer_) {
    proto.set_element_type(BUFFER);
    buffer_shape().SetProto(*proto.add_tuple_shapes());
    return;
  }
  proto.set_element_type(element_type_);
  proto.mutable_dimensions()->Add(dimensions_.begin(), dimensions_.end());
  proto.mutable_is_dynamic_dimension()->Add(dynamic_dimensions_.begin(), dynamic_dimensions_.end());
  for (const Shape& element : tuple_shapes()) element.SetProto(*proto.add_tuple_shapes());
  if (has_layout_) *proto.mutable_layout() = layout_.ToProto();
}

void Shape::ToProto(ShapeProto& proto) const { proto = ToProto(); }

ShapeProto Shape::ToProto() const {
  ShapeProto proto;
  SetProto(proto);
  return proto;
}

// ---- ProgramShape ----

void ProgramShape::AddParameter(Shape shape, std::string name) {
  parameters_.push_back(std::move(shape));
  parameter_names_.push_back(std::move(name));
}
Shape* ProgramShape::add_parameters() {
  AddParameter(Shape(), "");
  return &parameters_.back();
}
void ProgramShape::clear_parameters() {
  parameters_.clear();
  parameter_names_.clear();
}
void ProgramShape::clear_parameter_names() {
  for (std::string& name : parameter_names_) name.clear();
}

ProgramShape::ProgramShape(const ProgramShapeProto& proto)
    : ProgramShape(FromProto(proto).value_or(ProgramShape())) {}

absl::StatusOr<ProgramShape> ProgramShape::FromProto(const ProgramShapeProto& proto) {
  const int names = proto.parameter_names_size();
  if (names > proto.parameters_size()) {
    return InvalidArgumentStrCat("program shape proto has ", proto.parameters_size(),
                                 " parameters but ", names, " parameter names");
  }
  ProgramShape program_shape;
  for (int i = 0; i < proto.parameters_size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Shape shape, Shape::FromProto(proto.parameters(i)));
    program_shape.AddParameter(std::move(shape), i < names ? proto.parameter_names(i) : "");
  }
  XLA_ASSIGN_OR_RETURN(*program_shape.mutable_result(), Shape::FromProto(proto.result()));
  return program_shape;
}

void ProgramShape::ToProto(ProgramShapeProto& proto) const { proto = ToProto(); }

ProgramShapeProto ProgramShape::ToProto() const {
  ProgramShapeProto proto;
  for (const Shape& shape : parameters_) shape.SetProto(*proto.add_parameters());
  for (const std::string& name : parameter_names_) proto.add_parameter_names(name);
  result_.SetProto(*proto.mutable_result());
  return proto;
}

std::string ProgramShape::ToString() const {
  std::string out = "(";
  for (int i = 0; i < parameters_size(); ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ",
                    parameter_names_[i].empty() ? "(unknown)" : parameter_names_[i], ": ");
    parameters_[i].AppendTo(&out);
  }
  out.append(") -> ");
  result_.AppendTo(&out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const ProgramShape& program_shape) {
  return out << program_shape.ToString();
}

}  // namespace xla
