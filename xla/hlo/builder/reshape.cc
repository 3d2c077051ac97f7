// SPDX-License-Identifier: Apache-2.0
// Reshaping, moving and cutting; sizes at run time.
#include "absl/numeric/int128.h"
#include "absl/strings/str_join.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/shape_inference/reshape_shape.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

absl::Status CheckDimension(int64_t dimension, const Shape& shape) {
  if (shape.IsArray() && dimension >= 0 && dimension < shape.rank()) return absl::OkStatus();
  return InvalidArgumentStrCat("There is no dimension ", dimension, " in ",
                               ShapeUtil::HumanString(shape), ".");
}

}  // namespace

XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Reshape", [&] {
    return absl::StatusOr<XlaOp>(ReshapeWithInferredDimension(operand, dimensions, -1));
  });
}

XlaOp Reshape(const Shape& shape, XlaOp operand) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Reshape", [&]() -> absl::StatusOr<XlaOp> {
    if (shape.is_unbounded_dynamic()) {
      return InvalidArgument("Reshaping with unbounded result shape is not supported.");
    }
    return builder->state().Add(HloOpcode::kReshape, {operand}, NoAttributes{}, &shape);
  });
}

XlaOp ReshapeWithInferredDimension(XlaOp operand, absl::Span<const int64_t> new_sizes,
                                   int64_t inferred_dimension) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ReshapeWithInferredDimension", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, builder->state().ShapeOf(operand));
    XLA_ASSIGN_OR_RETURN(const Shape shape,
                         InferReshapeShape(*from, new_sizes, inferred_dimension));
    return builder->state().Add(HloOpcode::kReshape, {operand},
                                ReshapeAttributes{.inferred_dimension = inferred_dimension},
                                &shape);
  });
}

XlaOp DynamicReshape(XlaOp operand, absl::Span<const XlaOp> dim_sizes,
                     absl::Span<const int64_t> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("DynamicReshape", [&]() -> absl::StatusOr<XlaOp> {
    if (new_size_bounds.size() != dims_are_dynamic.size() ||
        new_size_bounds.size() != dim_sizes.size()) {
      return InvalidArgument(
          "DynamicReshape has to have the same number of sizes in new_sizes (%u), dim_sizes (%u) "
          "and dims_are_dynamic (%u)",
          new_size_bounds.size(), dim_sizes.size(), dims_are_dynamic.size());
    }
    XLA_ASSIGN_OR_RETURN(const Shape* from, builder->state().ShapeOf(operand));
    XLA_ASSIGN_OR_RETURN(
        const Shape shape,
        ShapeUtil::MakeValidatedShape(from->element_type(), new_size_bounds, dims_are_dynamic));
    return builder->state().Add(HloOpcode::kDynamicReshape, Concatenated({operand}, dim_sizes),
                                NoAttributes{}, &shape);
  });
}

XlaOp MhloDynamicReshape(XlaOp operand, XlaOp output_shape, const Shape& shape) {
  XlaBuilder* builder = XlaBuilder::Of({operand, output_shape});
  if (builder == nullptr) return XlaOp();
  return builder->Record("MhloDynamicReshape", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, builder->state().ShapeOf(operand));
    XLA_ASSIGN_OR_RETURN(const Shape* sizes, builder->state().ShapeOf(output_shape));
    if (from->element_type() != shape.element_type()) {
      return InvalidArgumentStrCat("Element type of operand ", ShapeUtil::HumanString(*from),
                                   " and output ", ShapeUtil::HumanString(shape), " must match");
    }
    if (from->is_static() && shape.is_static() &&
        ShapeUtil::ElementsIn(*from) != ShapeUtil::ElementsIn(shape)) {
      return InvalidArgumentStrCat(
          "MhloDynamicReshape has mismatched element counts: from=", ShapeUtil::ElementsIn(*from),
          " (", ShapeUtil::HumanString(*from), ") to=", ShapeUtil::ElementsIn(shape), " (",
          ShapeUtil::HumanString(shape), ")");
    }
    if (!sizes->IsArray() || sizes->rank() != 1) {
      return InvalidArgumentStrCat("output_shape must be a vector, but is ",
                                   ShapeUtil::HumanString(*sizes));
    }
    if (sizes->dimensions(0) != shape.rank()) {
      return InvalidArgumentStrCat("output_shape dimension size=", sizes->dimensions(0), " (",
                                   ShapeUtil::HumanString(*sizes),
                                   ") and rank of shape=", shape.rank(), " (",
                                   ShapeUtil::HumanString(shape), ") must match");
    }
    return CustomCall(builder, "mhlo.dynamic_reshape", {operand, output_shape}, shape);
  });
}

XlaOp MhloDynamicBroadcastInDim(XlaOp operand, XlaOp output_dimensions,
                                absl::Span<const int64_t> broadcast_dimensions,
                                const Shape& output_shape) {
  XlaBuilder* builder = XlaBuilder::Of({operand, output_dimensions});
  if (builder == nullptr) return XlaOp();
  return builder->Record("MhloDynamicBroadcastInDim", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, builder->state().ShapeOf(operand));
    XLA_ASSIGN_OR_RETURN(const Shape* sizes, builder->state().ShapeOf(output_dimensions));
    if (!sizes->IsArray() || !ShapeUtil::ElementIsIntegral(*sizes)) {
      return InvalidArgumentStrCat("output_dimensions must be an integer type ",
                                   ShapeUtil::HumanString(*sizes));
    }
    if (sizes->rank() != 1) {
      return InvalidArgumentStrCat("output_dimensions must be rank 1 but got rank ", sizes->rank());
    }
    if (!from->IsArray() || from->rank() != static_cast<int64_t>(broadcast_dimensions.size())) {
      return InvalidArgumentStrCat("broadcast_dimensions size (", broadcast_dimensions.size(),
                                   ") does not match the rank of the operand ",
                                   ShapeUtil::HumanString(*from));
    }
    for (int i = 0; i < from->rank(); ++i) {
      XLA_RETURN_IF_ERROR(CheckDimension(broadcast_dimensions[i], output_shape));
      const int64_t size = from->dimensions(i);
      const int64_t output_size =
          output_shape.dimensions(static_cast<int>(broadcast_dimensions[i]));
      if (size != 1 && size != output_size && size != Shape::kUnboundedSize) {
        return InvalidArgument(
            "size of operand dimension %d (%d) is not compatible with size of result dimension %d "
            "(%d)",
            i, size, broadcast_dimensions[i], output_size);
      }
    }
    return CustomCall(
        builder, "mhlo.dynamic_broadcast_in_dim", {operand, output_dimensions}, output_shape,
        absl::StrCat("{broadcast_dimensions=[", absl::StrJoin(broadcast_dimensions, ","), "]}"));
  });
}

XlaOp Collapse(XlaOp operand, absl::Span<const int64_t> dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Collapse", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, builder->state().ShapeOf(operand));
    for (size_t i = 0; i < dimensions.size(); ++i) {
      XLA_RETURN_IF_ERROR(CheckDimension(dimensions[i], *from));
      if (i > 0 && dimensions[i] - 1 != dimensions[i - 1]) {
        return InvalidArgument("Collapsed dimensions are not in consecutive order.");
      }
    }
    if (dimensions.size() <= 1) return operand;
    Int64s sizes;
    int64_t inferred = -1;
    for (int i = 0; i < from->rank(); ++i) {
      if (i <= dimensions.front() || i > dimensions.back()) {
        sizes.push_back(from->dimensions(i));
      } else {
        const absl::int128 product = absl::int128(sizes.back()) * from->dimensions(i);
        if (product > std::numeric_limits<int64_t>::max()) {
          return InvalidArgumentStrCat("The collapsed dimension of ", ShapeUtil::HumanString(*from),
                                       " is too large.");
        }
        sizes.back() = static_cast<int64_t>(product);
      }
      const bool collapsed = i >= dimensions.front() && i <= dimensions.back();
      if (collapsed && from->is_dynamic_dimension(i)) inferred = dimensions.front();
    }
    return ReshapeWithInferredDimension(operand, sizes, inferred);
  });
}

// --- Moving and cutting

XlaOp Transpose(XlaOp operand, absl::Span<const int64_t> permutation) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Transpose", [&] {
    return builder->state().Add(HloOpcode::kTranspose, {operand},
                                DimensionListAttributes{.dimensions = ToInt64s(permutation)});
  });
}

XlaOp Rev(XlaOp operand, absl::Span<const int64_t> dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Rev", [&] {
    return builder->state().Add(HloOpcode::kReverse, {operand},
                                DimensionListAttributes{.dimensions = ToInt64s(dimensions)});
  });
}

XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config) {
  XlaBuilder* builder = XlaBuilder::Of({operand, padding_value});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Pad", [&] {
    PadAttributes attributes;
    for (const auto& dimension : padding_config.dimensions()) {
      attributes.padding.push_back({.low = dimension.edge_padding_low(),
                                    .high = dimension.edge_padding_high(),
                                    .interior = dimension.interior_padding()});
    }
    return builder->state().Add(HloOpcode::kPad, {operand, padding_value}, std::move(attributes));
  });
}

XlaOp PadInDim(XlaOp operand, XlaOp padding_value, int64_t dimno, int64_t pad_lo, int64_t pad_hi) {
  XlaBuilder* builder = XlaBuilder::Of({operand, padding_value});
  if (builder == nullptr) return XlaOp();
  return builder->Record("PadInDim", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(operand));
    XLA_RETURN_IF_ERROR(CheckDimension(dimno, *shape));
    PadAttributes attributes;
    attributes.padding.resize(shape->rank());
    attributes.padding[dimno] = {.low = pad_lo, .high = pad_hi};
    return builder->state().Add(HloOpcode::kPad, {operand, padding_value}, std::move(attributes));
  });
}

XlaOp ConcatInDim(XlaBuilder* builder, absl::Span<const XlaOp> operands, int64_t dimension) {
  return builder->Record("ConcatInDim", [&] {
    return builder->state().Add(HloOpcode::kConcatenate, operands,
                                DimensionListAttributes{.dimensions = {dimension}});
  });
}

XlaOp Slice(XlaOp operand, absl::Span<const int64_t> start_indices,
            absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Slice", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(operand));
    if (start_indices.size() != limit_indices.size() || start_indices.size() != strides.size()) {
      return InvalidArgumentStrCat("Slice of ", ShapeUtil::HumanString(*shape), " has ",
                                   start_indices.size(), " start indices, ", limit_indices.size(),
                                   " limit indices and ", strides.size(), " strides.");
    }
    SliceAttributes attributes;
    for (size_t i = 0; i < start_indices.size(); ++i) {
      attributes.slice.push_back({start_indices[i], limit_indices[i], strides[i]});
    }
    return builder->state().Add(HloOpcode::kSlice, {operand}, std::move(attributes));
  });
}

XlaOp SliceInDim(XlaOp operand, int64_t start_index, int64_t limit_index, int64_t stride,
                 int64_t dimno) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("SliceInDim", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(operand));
    XLA_RETURN_IF_ERROR(CheckDimension(dimno, *shape));
    SliceAttributes attributes;
    for (const int64_t size : shape->dimensions()) attributes.slice.push_back({0, size, 1});
    attributes.slice[dimno] = {start_index, limit_index, stride};
    return builder->state().Add(HloOpcode::kSlice, {operand}, std::move(attributes));
  });
}

// --- Sizes at run time

XlaOp GetDimensionSize(XlaOp operand, int64_t dimension) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("GetDimensionSize", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(operand));
    XLA_RETURN_IF_ERROR(CheckDimension(dimension, *shape));
    const int64_t size = shape->dimensions(static_cast<int>(dimension));
    if (shape->is_dynamic_dimension(static_cast<int>(dimension)) ||
        size > std::numeric_limits<int32_t>::max()) {
      return builder->state().Add(HloOpcode::kGetDimensionSize, {operand},
                                  OneDimensionAttributes{.dimensions = {dimension}});
    }
    return builder->state().AddConstant(LiteralUtil::CreateR0<int32_t>(static_cast<int32_t>(size)));
  });
}

XlaOp SetDimensionSize(XlaOp operand, XlaOp val, int64_t dimension) {
  XlaBuilder* builder = XlaBuilder::Of({operand, val});
  if (builder == nullptr) return XlaOp();
  return builder->Record("SetDimensionSize", [&] {
    return builder->state().Add(HloOpcode::kSetDimensionSize, {operand, val},
                                OneDimensionAttributes{.dimensions = {dimension}});
  });
}

XlaOp RemoveDynamicDimension(XlaOp operand, int64_t dimension) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("RemoveDynamicDimension", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* operand_shape, builder->state().ShapeOf(operand));
    XLA_RETURN_IF_ERROR(CheckDimension(dimension, *operand_shape));
    Shape shape = *operand_shape;
    const int64_t size = shape.dimensions(static_cast<int>(dimension));
    if (size < 0 || size > std::numeric_limits<int32_t>::max()) {
      return InvalidArgumentStrCat("Dimension ", dimension, " of ", ShapeUtil::HumanString(shape),
                                   " has no bound that fits s32.");
    }
    // A dimension set to its constant bound is static.
    XLA_ASSIGN_OR_RETURN(
        const XlaOp bound,
        builder->state().AddConstant(LiteralUtil::CreateR0<int32_t>(static_cast<int32_t>(size))));
    XLA_ASSIGN_OR_RETURN(const XlaOp op,
                         builder->state().Add(HloOpcode::kSetDimensionSize, {operand, bound},
                                              OneDimensionAttributes{.dimensions = {dimension}}));
    XLA_ASSIGN_OR_RETURN(HloInstruction * instruction, builder->state().Find(op));
    instruction->mutable_shape()->set_dynamic_dimension(static_cast<int>(dimension), false);
    return op;
  });
}

}  // namespace xla
