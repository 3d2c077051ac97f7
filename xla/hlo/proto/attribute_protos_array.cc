// SPDX-License-Identifier: Apache-2.0
// Attribute protos of leaves, data movement, gathers, scatters and orderings.
#include <limits>
#include <memory>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/comparison_util.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::proto_internal {

absl::StatusOr<Shape> ReadShape(const ShapeProto& proto) {
  XLA_ASSIGN_OR_RETURN(Shape shape, Shape::FromProto(proto));
  XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  return shape;
}

absl::StatusOr<Literal> ReadLiteral(const LiteralProto& proto) {
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::CreateFromProto(proto));
  // Padding takes memory that the proto does not pay for; many literals could share one size.
  int64_t bytes = 0;
  ShapeUtil::ForEachLeafShape(literal.shape(), [&](const Shape& leaf, const ShapeIndex& index) {
    if (leaf.IsArray()) bytes += literal.size_bytes(index);
  });
  constexpr int64_t kBytesPerByte = 64;
  constexpr int64_t kSlack = 4096;
  const int64_t limit = kSlack + kBytesPerByte * static_cast<int64_t>(proto.ByteSizeLong());
  if (bytes > limit) {
    return InvalidArgument("a literal of shape %s takes %d bytes, most of them padding",
                           literal.shape().ToString(true), bytes);
  }
  return literal;
}

absl::StatusOr<Int64s> ReadOneDimension(const HloInstructionProto& proto) {
  if (proto.dimensions_size() != 1) {
    return InvalidArgument("has %d dimensions, expected one", proto.dimensions_size());
  }
  return ToInt64s(proto.dimensions());
}

absl::Status Read(const HloInstructionProto&, const HloInstruction&, NoAttributes*) {
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const NoAttributes&, HloInstructionProto*) {
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, ParameterAttributes* a) {
  a->parameter_number = proto.parameter_number();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const ParameterAttributes& a,
                   HloInstructionProto* proto) {
  proto->set_parameter_number(a.parameter_number);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction& instruction,
                  ConstantAttributes* a) {
  if (!proto.has_literal()) return absl::InvalidArgumentError("a constant without literal");
  XLA_ASSIGN_OR_RETURN(Literal literal, ReadLiteral(proto.literal()));
  // The layout is how the literal lies in memory; tiles and memory spaces are the instruction's.
  const bool same =
      instruction.shape().IsTuple() || !LayoutUtil::HasLayout(instruction.shape())
          ? ShapeUtil::Compatible(literal.shape(), instruction.shape())
          : Shape::Equal().MinorToMajorOnlyInLayout()(literal.shape(), instruction.shape());
  if (!same) {
    return InvalidArgument("the literal has shape %s, the instruction %s",
                           literal.shape().ToString(true), instruction.shape().ToString(true));
  }
  a->literal.literal = std::make_shared<const Literal>(std::move(literal));
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const ConstantAttributes& a, HloInstructionProto* proto) {
  if (a.literal.literal == nullptr) return absl::InvalidArgumentError("a constant without literal");
  *proto->mutable_literal() = a.literal.literal->ToProto();
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, IotaAttributes* a) {
  XLA_ASSIGN_OR_RETURN(const Int64s dimensions, ReadOneDimension(proto));
  a->iota_dimension = dimensions[0];
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const IotaAttributes& a, HloInstructionProto* proto) {
  proto->add_dimensions(a.iota_dimension);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  DimensionListAttributes* a) {
  a->dimensions = ToInt64s(proto.dimensions());
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const DimensionListAttributes& a,
                   HloInstructionProto* proto) {
  AddAll(a.dimensions, proto->mutable_dimensions());
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, MapAttributes* a) {
  a->dimensions = ToInt64s(proto.dimensions());
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const MapAttributes& a, HloInstructionProto* proto) {
  AddAll(a.dimensions, proto->mutable_dimensions());
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  OneDimensionAttributes* a) {
  XLA_ASSIGN_OR_RETURN(a->dimensions, ReadOneDimension(proto));
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const OneDimensionAttributes& a,
                   HloInstructionProto* proto) {
  AddAll(a.dimensions, proto->mutable_dimensions());
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, ReshapeAttributes* a) {
  if (proto.dimensions_size() > 0) a->inferred_dimension = proto.dimensions(0);
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const ReshapeAttributes& a, HloInstructionProto* proto) {
  if (a.inferred_dimension != -1) proto->add_dimensions(a.inferred_dimension);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, SliceAttributes* a) {
  for (const auto& dim : proto.slice_dimensions()) {
    a->slice.push_back({.start = dim.start(), .limit = dim.limit(), .stride = dim.stride()});
  }
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const SliceAttributes& a, HloInstructionProto* proto) {
  for (const SliceDim& dim : a.slice) {
    auto* dim_proto = proto->add_slice_dimensions();
    dim_proto->set_start(dim.start);
    dim_proto->set_limit(dim.limit);
    dim_proto->set_stride(dim.stride);
  }
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, PadAttributes* a) {
  for (const auto& dim : proto.padding_config().dimensions()) {
    a->padding.push_back({.low = dim.edge_padding_low(),
                          .high = dim.edge_padding_high(),
                          .interior = dim.interior_padding()});
  }
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const PadAttributes& a, HloInstructionProto* proto) {
  PaddingConfig* config = proto->mutable_padding_config();
  for (const PadDim& dim : a.padding) {
    auto* dim_proto = config->add_dimensions();
    dim_proto->set_edge_padding_low(dim.low);
    dim_proto->set_edge_padding_high(dim.high);
    dim_proto->set_interior_padding(dim.interior);
  }
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  ReducePrecisionAttributes* a) {
  a->exponent_bits = proto.exponent_bits();
  a->mantissa_bits = proto.mantissa_bits();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const ReducePrecisionAttributes& a,
                   HloInstructionProto* proto) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (a.exponent_bits < 0 || a.mantissa_bits < 0 || a.exponent_bits > kMax ||
      a.mantissa_bits > kMax) {
    return InvalidArgument("cannot write %d exponent bits and %d mantissa bits", a.exponent_bits,
                           a.mantissa_bits);
  }
  proto->set_exponent_bits(static_cast<int32_t>(a.exponent_bits));
  proto->set_mantissa_bits(static_cast<int32_t>(a.mantissa_bits));
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, CompareAttributes* a) {
  XLA_ASSIGN_OR_RETURN(a->direction, StringToComparisonDirection(proto.comparison_direction()));
  if (!proto.comparison_type().empty()) {
    XLA_ASSIGN_OR_RETURN(a->type, StringToComparisonType(proto.comparison_type()));
  }
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction& instruction, const CompareAttributes& a,
                   HloInstructionProto* proto) {
  proto->set_comparison_direction(ComparisonDirectionToString(a.direction));
  // XLA always writes the type.
  if (a.type.has_value() || instruction.operand_count() > 0) {
    proto->set_comparison_type(ComparisonTypeToString(
        a.type.has_value()
            ? *a.type
            : Comparison::DefaultComparisonType(instruction.operand(0)->shape().element_type())));
  }
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, GatherAttributes* a) {
  const GatherDimensionNumbers& numbers = proto.gather_dimension_numbers();
  a->offset_dims = ToInt64s(numbers.offset_dims());
  a->collapsed_slice_dims = ToInt64s(numbers.collapsed_slice_dims());
  a->start_index_map = ToInt64s(numbers.start_index_map());
  a->operand_batching_dims = ToInt64s(numbers.operand_batching_dims());
  a->start_indices_batching_dims = ToInt64s(numbers.start_indices_batching_dims());
  a->index_vector_dim = numbers.index_vector_dim();
  a->slice_sizes = ToInt64s(proto.gather_slice_sizes());
  a->indices_are_sorted = proto.indices_are_sorted();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const GatherAttributes& a, HloInstructionProto* proto) {
  GatherDimensionNumbers* numbers = proto->mutable_gather_dimension_numbers();
  AddAll(a.offset_dims, numbers->mutable_offset_dims());
  AddAll(a.collapsed_slice_dims, numbers->mutable_collapsed_slice_dims());
  AddAll(a.start_index_map, numbers->mutable_start_index_map());
  AddAll(a.operand_batching_dims, numbers->mutable_operand_batching_dims());
  AddAll(a.start_indices_batching_dims, numbers->mutable_start_indices_batching_dims());
  numbers->set_index_vector_dim(a.index_vector_dim);
  AddAll(a.slice_sizes, proto->mutable_gather_slice_sizes());
  proto->set_indices_are_sorted(a.indices_are_sorted);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, ScatterAttributes* a) {
  const ScatterDimensionNumbers& numbers = proto.scatter_dimension_numbers();
  a->update_window_dims = ToInt64s(numbers.update_window_dims());
  a->inserted_window_dims = ToInt64s(numbers.inserted_window_dims());
  a->scatter_dims_to_operand_dims = ToInt64s(numbers.scatter_dims_to_operand_dims());
  a->input_batching_dims = ToInt64s(numbers.input_batching_dims());
  a->scatter_indices_batching_dims = ToInt64s(numbers.scatter_indices_batching_dims());
  a->index_vector_dim = numbers.index_vector_dim();
  a->indices_are_sorted = proto.indices_are_sorted();
  a->unique_indices = proto.unique_indices();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const ScatterAttributes& a, HloInstructionProto* proto) {
  ScatterDimensionNumbers* numbers = proto->mutable_scatter_dimension_numbers();
  AddAll(a.update_window_dims, numbers->mutable_update_window_dims());
  AddAll(a.inserted_window_dims, numbers->mutable_inserted_window_dims());
  AddAll(a.scatter_dims_to_operand_dims, numbers->mutable_scatter_dims_to_operand_dims());
  AddAll(a.input_batching_dims, numbers->mutable_input_batching_dims());
  AddAll(a.scatter_indices_batching_dims, numbers->mutable_scatter_indices_batching_dims());
  numbers->set_index_vector_dim(a.index_vector_dim);
  proto->set_indices_are_sorted(a.indices_are_sorted);
  proto->set_unique_indices(a.unique_indices);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  DynamicSliceAttributes* a) {
  a->dynamic_slice_sizes = ToInt64s(proto.dynamic_slice_sizes());
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const DynamicSliceAttributes& a,
                   HloInstructionProto* proto) {
  AddAll(a.dynamic_slice_sizes, proto->mutable_dynamic_slice_sizes());
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, SortAttributes* a) {
  XLA_ASSIGN_OR_RETURN(a->dimensions, ReadOneDimension(proto));
  a->is_stable = proto.is_stable();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const SortAttributes& a, HloInstructionProto* proto) {
  AddAll(a.dimensions, proto->mutable_dimensions());
  proto->set_is_stable(a.is_stable);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, TopKAttributes* a) {
  a->k = proto.k();
  a->largest = proto.largest();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const TopKAttributes& a, HloInstructionProto* proto) {
  proto->set_k(a.k);
  proto->set_largest(a.largest);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, ScanAttributes* a) {
  XLA_ASSIGN_OR_RETURN(a->dimensions, ReadOneDimension(proto));
  a->num_carries = proto.num_carries();
  a->is_reverse = proto.is_reverse();
  XLA_CHECK_ENUM(TriState, proto.is_associative());
  if (proto.is_associative() != TRI_STATE_UNSPECIFIED) {
    a->is_associative = proto.is_associative() == TRI_STATE_TRUE;
  }
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const ScanAttributes& a, HloInstructionProto* proto) {
  AddAll(a.dimensions, proto->mutable_dimensions());
  proto->set_num_carries(a.num_carries);
  proto->set_is_reverse(a.is_reverse);
  if (a.is_associative.has_value()) {
    proto->set_is_associative(*a.is_associative ? TRI_STATE_TRUE : TRI_STATE_FALSE);
  }
  return absl::OkStatus();
}

}  // namespace xla::proto_internal
