// SPDX-License-Identifier: Apache-2.0
// Conversion between literals, which have layouts, and the interpreter's row-major values.
#include "xla/interpreter/literal_io.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/layout_strides.h"
#include "xla/primitive_util.h"
#include "xla/runtime/host_memory.h"
#include "xla/shape_util.h"

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

void CountCopy(EvalContext& ctx, int64_t bytes) {
  if (!ctx.has_device()) return;
  ++ctx.device().copies;
  ctx.device().copied_bytes += bytes;
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
    CountCopy(ctx, value.byte_size());
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
    CountCopy(ctx, value.byte_size());
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

// Elements of a value to memory of the shape's layout, and the sizes behind them.
absl::Status CopyToMemory(EvalContext& ctx, const Shape& shape, const Value& value, void* data) {
  if (!HasElements(shape)) return absl::OkStatus();
  CountCopy(ctx, value.byte_size());
  if (shape.has_layout() && shape.layout().has_padding()) {
    XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::ElementBytes(shape));
    std::memset(data, 0, static_cast<size_t>(bytes));
  }
  return StridedCopy(ctx, primitive_util::ByteWidth(shape.element_type()), shape.dimensions(),
                     value.untyped_data(), RowMajorStrides(shape.dimensions()), data,
                     LayoutStrides(shape));
}

// The arrays and tokens of a value, in order.
void CollectLeaves(Value value, std::vector<Value>& leaves) {
  if (!value.has_value() || !value.shape().IsTuple()) {
    leaves.push_back(std::move(value));
    return;
  }
  for (Value& element : std::move(value).TakeElements()) CollectLeaves(std::move(element), leaves);
}

// Copies the value if its memory is `data`, which is about to be overwritten.
absl::Status MoveAwayFrom(EvalContext& ctx, const void* data, Value& value) {
  if (!value.IsArray() || value.untyped_data() != data) return absl::OkStatus();
  const Value old = std::move(value);
  XLA_ASSIGN_OR_RETURN(value, ctx.Allocate(old.shape()));
  CountCopy(ctx, old.byte_size());
  std::memcpy(value.mutable_untyped_data(), old.untyped_data(),
              static_cast<size_t>(old.byte_size()));
  value.CopyDynamicSizesFrom(old);
  return absl::OkStatus();
}

// The leaf of the arguments that was donated with this memory; -1: none.
int32_t FindDonor(absl::Span<const runtime::ArgumentView> arguments, const void* data) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_donated && arguments[i].data == data) return static_cast<int32_t>(i);
  }
  return -1;
}

// The last step of ResultToViews, for one array.
absl::Status StoreLeaf(EvalContext& ctx, const Shape& shape, Value value,
                       absl::Span<const runtime::ArgumentView> arguments,
                       runtime::ResultView& leaf) {
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::ArrayBytes(shape));
  DimensionVector sizes;
  if (shape.is_dynamic()) sizes = value.existing_dimensions();
  if (leaf.data != nullptr) {
    if (value.untyped_data() != leaf.data) {
      XLA_RETURN_IF_ERROR(CopyToMemory(ctx, shape, value, leaf.data));
    }
  } else if (IsDenseRowMajor(shape) && value.IsUnique() && value.capacity() >= bytes) {
    if (value.is_external()) {
      leaf.donor = FindDonor(arguments, value.untyped_data());
      leaf.data = value.mutable_untyped_data();
    } else {
      leaf.data = std::move(value).ReleaseMemory();
      leaf.is_new = true;
    }
  } else {
    leaf.data = runtime::AllocateHostMemory(static_cast<size_t>(bytes));
    if (leaf.data == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the system has no memory for a result of ", bytes, " bytes"));
    }
    leaf.is_new = true;
    XLA_RETURN_IF_ERROR(CopyToMemory(ctx, shape, value, leaf.data));
  }
  leaf.size_bytes = bytes;
  if (shape.is_dynamic()) runtime::WriteDynamicSizes(shape, leaf.data, sizes);
  return absl::OkStatus();
}

}  // namespace

DimensionVector LayoutStrides(const Shape& shape) { return StridesOfLayout(shape); }

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

bool IsDenseRowMajor(const Shape& shape) {
  return !HasElements(shape) ||
         SameWalk(shape.dimensions(), LayoutStrides(shape), RowMajorStrides(shape.dimensions()));
}

absl::StatusOr<Value> ConstantValue(const Shape& shape, const LiteralSlice& literal,
                                    MemoryBudget& budget) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      XLA_ASSIGN_OR_RETURN(
          Value element, ConstantValue(shape.tuple_shapes(i), LiteralSlice(literal, {i}), budget));
      elements.push_back(std::move(element));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  if (!shape.IsArray()) return Value::Token(shape);
  const Shape& from = literal.shape();
  Value value;
  if (shape.dimensions() == from.dimensions() && IsDenseRowMajor(from)) {
    value = Value::Borrow(shape, literal.untyped_data());
  } else {
    XLA_ASSIGN_OR_RETURN(value, Value::Allocate(shape, budget));
    StridedCopySerial(primitive_util::ByteWidth(shape.element_type()), from.dimensions(),
                      literal.untyped_data(), LayoutStrides(from), value.mutable_untyped_data(),
                      RowMajorStrides(shape.dimensions()));
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.is_dynamic_dimension(i)) value.SetDynamicSize(i, literal.GetDynamicSize(i));
  }
  return value;
}

absl::StatusOr<Value> ValueFromViews(EvalContext& ctx, const Shape& shape, absl::string_view what,
                                     absl::Span<const runtime::ArgumentView>& leaves) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    elements.reserve(shape.tuple_shapes().size());
    for (const Shape& part : shape.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(Value element, ValueFromViews(ctx, part, what, leaves));
      elements.push_back(std::move(element));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  if (leaves.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(what, " has too few buffers"));
  }
  const runtime::ArgumentView& leaf = leaves.front();
  leaves.remove_prefix(1);
  if (!shape.IsArray()) return Value::Token(shape);
  const Shape& given = *leaf.shape;
  if (!given.IsArray() || given.element_type() != shape.element_type() ||
      given.dimensions() != shape.dimensions()) {
    return absl::InvalidArgumentError(absl::StrCat(what, " has a buffer of shape ",
                                                   given.ToString(), " where ", shape.ToString(),
                                                   " is expected"));
  }
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::ArrayBytes(given));
  if (leaf.size_bytes < bytes || (leaf.data == nullptr && bytes > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": the buffer of ", given.ToString(), " has ",
                     leaf.data == nullptr ? 0 : leaf.size_bytes, " bytes, not ", bytes));
  }
  Value value;
  if (IsDenseRowMajor(given)) {
    value = leaf.is_donated ? Value::External(shape, leaf.data, leaf.size_bytes)
                            : Value::Borrow(shape, leaf.data);
  } else {
    XLA_ASSIGN_OR_RETURN(value, ctx.Allocate(shape));
    CountCopy(ctx, value.byte_size());
    XLA_RETURN_IF_ERROR(StridedCopy(
        ctx, primitive_util::ByteWidth(shape.element_type()), given.dimensions(), leaf.data,
        LayoutStrides(given), value.mutable_untyped_data(), RowMajorStrides(shape.dimensions())));
  }
  if (given.is_dynamic() && shape.is_dynamic()) {
    DimensionVector sizes(static_cast<size_t>(given.rank()));
    XLA_RETURN_IF_ERROR(runtime::ReadDynamicSizes(given, leaf.data, absl::MakeSpan(sizes)));
    value.SetDynamicSizes(sizes);
  }
  return value;
}

absl::Status ResultToViews(EvalContext& ctx, const Shape& shape, Value value,
                           absl::Span<const runtime::ArgumentView> arguments,
                           absl::Span<runtime::ResultView> leaves) {
  if (shape.IsArray()) {
    XLA_CHECK(leaves.size() == 1);
    return StoreLeaf(ctx, shape, std::move(value), arguments, leaves[0]);
  }
  std::vector<Value> values;
  CollectLeaves(std::move(value), values);
  std::vector<const Shape*> shapes;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (!part.IsTuple()) shapes.push_back(&part);
  });
  XLA_CHECK(values.size() == leaves.size() && shapes.size() == leaves.size());
  // Memory that must hold one array may hold another one now.
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].donor < 0 || !values[i].IsArray() || values[i].untyped_data() == leaves[i].data) {
      continue;
    }
    for (Value& other : values) XLA_RETURN_IF_ERROR(MoveAwayFrom(ctx, leaves[i].data, other));
    XLA_RETURN_IF_ERROR(
        StoreLeaf(ctx, *shapes[i], std::exchange(values[i], Value()), arguments, leaves[i]));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!values[i].IsArray()) continue;  // a token, or done
    XLA_RETURN_IF_ERROR(
        StoreLeaf(ctx, *shapes[i], std::exchange(values[i], Value()), arguments, leaves[i]));
  }
  return absl::OkStatus();
}

}  // namespace xla::interpreter
