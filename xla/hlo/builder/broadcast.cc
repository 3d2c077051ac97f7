// SPDX-License-Identifier: Apache-2.0
// Broadcasting: HLO instructions require operands of equal sizes, so the builder makes implicit
// broadcasts of the client API explicit. Source: the broadcasting document
// (xla/docs/broadcasting.md).
#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/shape_inference/binary_broadcast.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {

absl::StatusOr<XlaOp> XlaBuilder::State::InDimBroadcast(const Shape& shape, XlaOp operand,
                                                        absl::Span<const int64_t> dimensions) {
  if (shape.is_unbounded_dynamic()) {
    return UnimplementedStrCat("Broadcast op result shapes must be static: ",
                               ShapeUtil::HumanString(shape), " is_unbounded_dynamic.");
  }
  return Add(HloOpcode::kBroadcast, {operand},
             DimensionListAttributes{.dimensions = ToInt64s(dimensions)}, &shape);
}

absl::StatusOr<XlaOp> XlaBuilder::State::BroadcastTo(const Shape& output, XlaOp operand) {
  XLA_ASSIGN_OR_RETURN(const Shape* operand_shape, ShapeOf(operand));
  const Shape from = *operand_shape;
  Shape to = ShapeUtil::ChangeElementType(output, from.element_type());
  if (ShapeUtil::IsScalar(from)) {
    return InDimBroadcast(ShapeUtil::MakeStaticShape(to), operand, {});
  }
  // Drop the dimensions of size 1 that are to stretch, then broadcast the others.
  Int64s kept, kept_sizes;
  std::vector<bool> kept_dynamic;
  for (int i = 0; i < from.rank(); ++i) {
    const bool dynamic = from.is_dynamic_dimension(i);
    if (from.dimensions(i) == to.dimensions(i)) {
      kept.push_back(i);
      kept_sizes.push_back(from.dimensions(i));
      kept_dynamic.push_back(dynamic);
    } else if (from.dimensions(i) != 1 || dynamic) {
      return InvalidArgumentStrCat("Dimension ", i, " of ", ShapeUtil::HumanString(from),
                                   " cannot stretch to ", ShapeUtil::HumanString(output), ".");
    }
    to.set_dynamic_dimension(i, dynamic);
  }
  XLA_ASSIGN_OR_RETURN(const Shape reshaped, ShapeUtil::MakeValidatedShape(
                                                 from.element_type(), kept_sizes, kept_dynamic));
  XlaOp dropped;
  {
    // The sharding is that of the result; it does not fit an array of lower rank.
    XlaScopedShardingAssignment no_sharding(self, std::nullopt);
    XLA_ASSIGN_OR_RETURN(dropped, Add(HloOpcode::kReshape, {operand}, NoAttributes{}, &reshaped));
  }
  return InDimBroadcast(to, dropped, kept);
}

namespace {

// Dimension i of the operand is dimension result[i] of the result.
Int64s DimensionsInResult(const Shape& operand, const Shape& result,
                          absl::Span<const int64_t> broadcast_dimensions) {
  Int64s dimensions = ToInt64s(broadcast_dimensions);
  if (operand.rank() == result.rank()) {
    dimensions.clear();
    for (int i = 0; i < result.rank(); ++i) dimensions.push_back(i);
  } else if (ShapeUtil::IsScalar(operand)) {
    dimensions.clear();
  }
  return dimensions;
}

}  // namespace

// Every operand is broadcast by mhlo.dynamic_broadcast_in_dim to the vector of result sizes: an
// unbounded size may be 1 at run time and must then be stretched.
absl::StatusOr<XlaBuilder::State::Operands> XlaBuilder::State::BroadcastUnboundedOperands(
    XlaOp lhs, XlaOp rhs, const Shape& shape, absl::Span<const int64_t> broadcast_dimensions) {
  std::vector<XlaOp> sizes(static_cast<size_t>(shape.rank()));
  Operands operands{lhs, rhs, shape};
  bool has_scalar = false;
  for (const XlaOp operand : {lhs, rhs}) {
    XLA_ASSIGN_OR_RETURN(const Shape* from, ShapeOf(operand));
    has_scalar = has_scalar || ShapeUtil::IsScalar(*from);
    const Int64s to = DimensionsInResult(*from, shape, broadcast_dimensions);
    for (int i = 0; i < from->rank(); ++i) {
      const int dimension = static_cast<int>(to[static_cast<size_t>(i)]);
      if (!shape.is_unbounded_dynamic_dimension(dimension)) continue;
      if (!from->is_unbounded_dynamic_dimension(i)) continue;
      const XlaOp size = Reshape(GetDimensionSize(operand, i), {1});
      XlaOp& known = sizes[static_cast<size_t>(dimension)];
      known = known.IsUninitialized() ? size : Max(known, size);
      XLA_ASSIGN_OR_RETURN(from, ShapeOf(operand));
    }
  }
  for (int i = 0; i < shape.rank(); ++i) {
    XlaOp& size = sizes[static_cast<size_t>(i)];
    if (!size.IsUninitialized()) continue;
    if (shape.dimensions(i) > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("Size %d does not fit the vector of sizes.", shape.dimensions(i));
    }
    size = ConstantLiteral(
        self, LiteralUtil::CreateR1<int32_t>({static_cast<int32_t>(shape.dimensions(i))}));
  }
  const XlaOp all_sizes = ConcatInDim(self, sizes, 0);
  for (XlaOp* operand : {&operands.lhs, &operands.rhs}) {
    XLA_ASSIGN_OR_RETURN(const Shape* from, ShapeOf(*operand));
    if (has_scalar && !ShapeUtil::IsScalar(*from)) continue;  // it has the sizes of the result
    *operand = MhloDynamicBroadcastInDim(*operand, all_sizes,
                                         DimensionsInResult(*from, shape, broadcast_dimensions),
                                         ShapeUtil::ChangeElementType(shape, from->element_type()));
  }
  XLA_RETURN_IF_ERROR(first_error);
  return operands;
}

absl::StatusOr<XlaBuilder::State::Operands> XlaBuilder::State::BroadcastOperands(
    HloOpcode opcode, XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XLA_ASSIGN_OR_RETURN(const Shape* lhs_shape, ShapeOf(lhs));
  XLA_ASSIGN_OR_RETURN(const Shape* rhs_shape, ShapeOf(rhs));
  XLA_ASSIGN_OR_RETURN(Shape shape,
                       InferBinaryOpShape(opcode, *lhs_shape, *rhs_shape, broadcast_dimensions));
  const bool unbounded = lhs_shape->is_unbounded_dynamic() || rhs_shape->is_unbounded_dynamic();
  if (unbounded && !ShapeUtil::SameDimensions(*lhs_shape, *rhs_shape)) {
    return BroadcastUnboundedOperands(lhs, rhs, shape, broadcast_dimensions);
  }
  const auto broadcast = [&](XlaOp operand) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, ShapeOf(operand));
    // First to the rank of the result, keeping sizes of 1; then these stretch.
    if (from->rank() < shape.rank() && !ShapeUtil::IsScalar(*from)) {
      Shape to =
          ShapeUtil::MakeStaticShape(ShapeUtil::ChangeElementType(shape, from->element_type()));
      for (int i = 0; i < from->rank(); ++i) {
        to.set_dimensions(static_cast<int>(broadcast_dimensions[i]), from->dimensions(i),
                          from->is_dynamic_dimension(i));
      }
      XLA_ASSIGN_OR_RETURN(operand, InDimBroadcast(to, operand, broadcast_dimensions));
      XLA_ASSIGN_OR_RETURN(from, ShapeOf(operand));
    }
    if (ShapeUtil::SameDimensions(shape, *from)) return operand;
    return BroadcastTo(shape, operand);
  };
  Operands operands;
  XLA_ASSIGN_OR_RETURN(operands.lhs, broadcast(lhs));
  XLA_ASSIGN_OR_RETURN(operands.rhs, broadcast(rhs));
  operands.shape = std::move(shape);
  return operands;
}

XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Broadcast", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, builder->state().ShapeOf(operand));
    if (!from->IsArray()) {
      return InvalidArgumentStrCat("Expected array argument for operand of broadcast, but got ",
                                   ShapeUtil::HumanString(*from), ".");
    }
    Int64s sizes = ToInt64s(broadcast_sizes);
    if (absl::c_linear_search(sizes, Shape::kUnboundedSize)) {
      return InvalidArgument("Non-broadcast dimensions must not be dynamic.");
    }
    std::vector<bool> dynamic(sizes.size(), false);
    Int64s dimensions;
    for (int i = 0; i < from->rank(); ++i) {
      dimensions.push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(from->dimensions(i));
      dynamic.push_back(from->is_dynamic_dimension(i));
    }
    XLA_ASSIGN_OR_RETURN(const Shape shape,
                         ShapeUtil::MakeValidatedShape(from->element_type(), sizes, dynamic));
    return builder->state().InDimBroadcast(shape, operand, dimensions);
  });
}

XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                     absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("BroadcastInDim", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* operand_shape, builder->state().ShapeOf(operand));
    const Shape from = *operand_shape;
    if (!from.IsArray()) {
      return InvalidArgumentStrCat("Expected array argument for operand of broadcast, but got ",
                                   ShapeUtil::HumanString(from), ".");
    }
    if (from.rank() != static_cast<int64_t>(broadcast_dimensions.size())) {
      return InvalidArgument(
          "Size of broadcast_dimensions has to match operand's rank; operand rank: %d, size of "
          "broadcast_dimensions %u.",
          from.rank(), broadcast_dimensions.size());
    }
    for (const int64_t size : out_dim_size) {
      if (size == Shape::kUnboundedSize) {
        return InvalidArgument("BroadcastInDim output must shape be static or bounded dynamic");
      }
      if (size < 0) return InvalidArgument("Invalid dimension size %d", size);
    }
    XLA_ASSIGN_OR_RETURN(Shape output,
                         ShapeUtil::MakeValidatedShape(from.element_type(), out_dim_size));
    // As the output, but with sizes of 1 where the operand has them.
    Shape in_dim = output;
    for (int i = 0; i < from.rank(); ++i) {
      const int64_t dimension = broadcast_dimensions[i];
      if (dimension < 0 || dimension >= output.rank()) {
        return InvalidArgument("Broadcast dimension %d is out of bound", dimension);
      }
      if (i > 0 && broadcast_dimensions[i - 1] >= dimension) {
        return InvalidArgument("Broadcast dimensions order is wrong: %d comes after %d.", dimension,
                               broadcast_dimensions[i - 1]);
      }
      const int64_t output_size = output.dimensions(static_cast<int>(dimension));
      const bool unbounded = from.is_unbounded_dynamic_dimension(i);
      const int64_t size = unbounded ? output_size : from.dimensions(i);
      if (size != output_size && size != 1) {
        return InvalidArgumentStrCat("Input dimension should be either 1 or equal to the output ",
                                     "dimension it is broadcasting into; the ", i,
                                     "th operand dimension is ", size, ", the ", dimension,
                                     "th output dimension is ", output_size, ".");
      }
      const bool dynamic = from.is_dynamic_dimension(i) && !unbounded;
      output.set_dynamic_dimension(static_cast<int>(dimension), dynamic);
      in_dim.set_dimensions(static_cast<int>(dimension), size, dynamic);
    }
    XLA_ASSIGN_OR_RETURN(const XlaOp result,
                         builder->state().InDimBroadcast(in_dim, operand, broadcast_dimensions));
    if (ShapeUtil::SameDimensions(in_dim, output)) return result;
    return builder->state().BroadcastTo(output, result);
  });
}

}  // namespace xla
