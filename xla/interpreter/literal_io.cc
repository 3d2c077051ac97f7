// SPDX-License-Identifier: Apache-2.0
// Conversion between literals, which have layouts, and the interpreter's row-major values.
#include "xla/interpreter/literal_io.h"

#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

bool HasElements(const Shape& shape) {
  for (const int64_t size : shape.dimensions()) {
    if (size == 0) return false;
  }
  return true;
}

// Whether both strides walk the dimensions alike; those of size 1 do not count.
bool SameWalk(absl::Span<const int64_t> dimensions, absl::Span<const int64_t> a,
              absl::Span<const int64_t> b) {
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] != 1 && a[i] != b[i]) return false;
  }
  return true;
}

ShapeIndex Extended(const ShapeIndex& index, int64_t i) {
  ShapeIndex result = index;
  result.push_back(i);
  return result;
}

absl::StatusOr<Value> FromPiece(EvalContext& ctx, const Shape& shape, const LiteralSlice& literal,
                                const ShapeIndex& index, const Shape& literal_shape) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    elements.reserve(shape.tuple_shapes().size());
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      XLA_ASSIGN_OR_RETURN(Value element,
                           FromPiece(ctx, shape.tuple_shapes(i), literal, Extended(index, i),
                                     literal_shape.tuple_shapes(i)));
      elements.push_back(std::move(element));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  if (!shape.IsArray()) return Value::Token(shape);

  // A literal may be smaller than the bounds of dynamic dimensions: it then fills the low corner.
  const DimensionVector row_major = RowMajorStrides(shape.dimensions());
  const DimensionVector strides = LayoutStrides(literal_shape);
  Value value;
  if (!HasElements(shape) || (shape.dimensions() == literal_shape.dimensions() &&
                              SameWalk(shape.dimensions(), strides, row_major))) {
    value = Value::Borrow(shape, literal.untyped_data(index));
  } else {
    XLA_ASSIGN_OR_RETURN(value, ctx.Allocate(shape));
    XLA_RETURN_IF_ERROR(StridedCopy(ctx, primitive_util::ByteWidth(shape.element_type()),
                                    literal_shape.dimensions(), literal.untyped_data(index),
                                    strides, value.mutable_untyped_data(), row_major));
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.is_dynamic_dimension(i)) value.SetDynamicSize(i, literal.GetDynamicSize(i, index));
  }
  return value;
}

absl::Status ToPiece(EvalContext& ctx, const Shape& shape, const Value& value,
                     const ShapeIndex& index, Literal& literal) {
  if (shape.IsTuple()) {
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      XLA_RETURN_IF_ERROR(
          ToPiece(ctx, shape.tuple_shapes(i), value.element(i), Extended(index, i), literal));
    }
    return absl::OkStatus();
  }
  if (!shape.IsArray()) return absl::OkStatus();
  if (HasElements(shape)) {
    XLA_RETURN_IF_ERROR(StridedCopy(ctx, primitive_util::ByteWidth(shape.element_type()),
                                    shape.dimensions(), value.untyped_data(),
                                    RowMajorStrides(shape.dimensions()),
                                    literal.untyped_data(index), LayoutStrides(shape)));
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.is_dynamic_dimension(i)) {
      literal.SetDynamicSize(i, index, static_cast<int32_t>(value.dynamic_size(i)));
    }
  }
  return absl::OkStatus();
}

// A copy where the memory is borrowed.
absl::StatusOr<Value> OwnedValue(EvalContext& ctx, const Value& value) {
  if (value.IsTuple()) {
    std::vector<Value> elements;
    for (const Value& element : value.elements()) {
      XLA_ASSIGN_OR_RETURN(Value owned, OwnedValue(ctx, element));
      elements.push_back(std::move(owned));
    }
    return Value::Tuple(value.shape(), std::move(elements));
  }
  if (!value.IsArray()) return value;
  return ctx.MakeMutable(value.shape(), Value(value));
}

}  // namespace

DimensionVector LayoutStrides(const Shape& shape) {
  if (!shape.has_layout() || shape.layout().minor_to_major().size() != shape.dimensions().size()) {
    return RowMajorStrides(shape.dimensions());
  }
  const Layout& layout = shape.layout();
  DimensionVector strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (const int64_t dimension : layout.minor_to_major()) {
    strides[static_cast<size_t>(dimension)] = stride;
    const int i = static_cast<int>(dimension);
    stride *= layout.has_padding() ? layout.padded_dimensions(i) : shape.dimensions(i);
  }
  return strides;
}

absl::StatusOr<Value> ValueFromLiteral(EvalContext& ctx, const Shape& shape,
                                       const LiteralSlice& literal) {
  return FromPiece(ctx, shape, literal, {}, literal.shape());
}

absl::StatusOr<Value> OwnedValueFromLiteral(EvalContext& ctx, const Shape& shape,
                                            const LiteralSlice& literal) {
  XLA_ASSIGN_OR_RETURN(const Value borrowed, ValueFromLiteral(ctx, shape, literal));
  return OwnedValue(ctx, borrowed);
}

absl::StatusOr<Literal> LiteralFromValue(EvalContext& ctx, const Shape& shape, const Value& value) {
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  XLA_RETURN_IF_ERROR(ToPiece(ctx, shape, value, {}, literal));
  return literal;
}

}  // namespace xla::interpreter
