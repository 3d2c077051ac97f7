// SPDX-License-Identifier: Apache-2.0
// Attribute fields that are structures: windows, paddings, dimension numbers, precisions, shapes,
// literals, shardings, groups of devices.
#include <algorithm>
#include <memory>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/hlo/proto/attribute_fields.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/hlo/proto/extras_proto.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::proto {
namespace {

// Finds the dimensions below the highest named one that `named` lacks. An error if `named` has
// duplicates.
absl::Status FindUnknown(const char* array, Int64s named, Int64s* unknown) {
  std::sort(named.begin(), named.end());
  int64_t next = 0;
  for (int64_t dim : named) {
    if (dim < next || dim >= ShapeUtil::kMaxRank) {
      return InvalidArgument(
          "convolution_dimension_numbers must contain each dimension exactly once; dimension %d of "
          "the %s is duplicated or out of range",
          dim, array);
    }
    for (; next < dim; ++next) unknown->push_back(next);
    next = dim + 1;
  }
  return absl::OkStatus();
}

// The ranks of the arrays of a shape: of the array, or of the elements of a tuple.
Int64s Ranks(const Shape& shape) {
  if (!shape.IsTuple()) return {shape.rank()};
  Int64s ranks;
  for (const Shape& element : shape.tuple_shapes()) ranks.push_back(element.rank());
  return ranks;
}

absl::StatusOr<CollectiveDeviceList> ReadGroups(const HloInstructionProto& proto) {
  // The former field is used if it is not empty.
  if (proto.replica_groups_size() > 0) {
    CollectiveDeviceListProto list;
    *list.mutable_replica_groups() = proto.replica_groups();
    return CollectiveDeviceList::FromProto(list);
  }
  switch (proto.replica_group_list_case()) {
    case HloInstructionProto::kCollectiveDeviceList:
      return CollectiveDeviceList::FromProto(proto.collective_device_list());
    case HloInstructionProto::kIotaCollectiveDeviceList:
      return CollectiveDeviceList::FromProto(proto.iota_collective_device_list());
    case HloInstructionProto::kMeshAxesReplicaGroupList:
      return CollectiveDeviceList::FromProto(proto.mesh_axes_replica_group_list());
    case HloInstructionProto::REPLICA_GROUP_LIST_NOT_SET:
      break;
  }
  return CollectiveDeviceList();
}

}  // namespace

// --- Conversions that others use, too

absl::StatusOr<Shape> ReadShape(const ShapeProto& proto) {
  XLA_ASSIGN_OR_RETURN(Shape shape, Shape::FromProto(proto));
  XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(shape));
  return shape;
}

absl::StatusOr<Literal> ReadLiteral(const LiteralProto& proto) {
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::CreateFromProto(proto));
  // Padding takes memory that is not in the proto, so a small proto could allocate a lot.
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

absl::StatusOr<Precisions> ReadPrecisions(const PrecisionConfig& proto, int64_t count) {
  Precisions precisions;
  for (int value : proto.operand_precision()) {
    XLA_CHECK_ENUM(PrecisionConfig::Precision, value);
    precisions.values.push_back(static_cast<PrecisionConfig::Precision>(value));
  }
  if (precisions.IsDefault()) return Precisions();
  while (static_cast<int64_t>(precisions.values.size()) < count) {
    precisions.values.push_back(PrecisionConfig::DEFAULT);
  }
  return precisions;
}

void WritePrecisions(const Precisions& precisions, int64_t count, PrecisionConfig* proto) {
  const int64_t given = static_cast<int64_t>(precisions.values.size());
  for (int64_t i = 0; i < std::max(given, count); ++i) {
    proto->add_operand_precision(i < given ? precisions.values[i] : PrecisionConfig::DEFAULT);
  }
}

WindowDims ReadWindow(const Window& proto) {
  WindowDims window;
  for (const WindowDimension& dim : proto.dimensions()) {
    window.dims.push_back({.size = dim.size(),
                           .stride = dim.stride(),
                           .padding_low = dim.padding_low(),
                           .padding_high = dim.padding_high(),
                           .window_dilation = dim.window_dilation(),
                           .base_dilation = dim.base_dilation(),
                           .window_reversal = dim.window_reversal()});
  }
  return window;
}

Window WriteWindow(const WindowDims& window) {
  Window proto;
  for (const WindowDim& dim : window.dims) {
    WindowDimension* dim_proto = proto.add_dimensions();
    dim_proto->set_size(dim.size);
    dim_proto->set_stride(dim.stride);
    dim_proto->set_padding_low(dim.padding_low);
    dim_proto->set_padding_high(dim.padding_high);
    dim_proto->set_window_dilation(dim.window_dilation);
    dim_proto->set_base_dilation(dim.base_dilation);
    dim_proto->set_window_reversal(dim.window_reversal);
  }
  return proto;
}

absl::StatusOr<ConvDims> ReadConvDims(const ConvolutionDimensionNumbers& proto) {
  ConvDims dims;
  dims.input_batch = proto.input_batch_dimension();
  dims.input_feature = proto.input_feature_dimension();
  dims.input_spatial = ToInt64s(proto.input_spatial_dimensions());
  dims.kernel_input_feature = proto.kernel_input_feature_dimension();
  dims.kernel_output_feature = proto.kernel_output_feature_dimension();
  dims.kernel_spatial = ToInt64s(proto.kernel_spatial_dimensions());
  dims.output_batch = proto.output_batch_dimension();
  dims.output_feature = proto.output_feature_dimension();
  dims.output_spatial = ToInt64s(proto.output_spatial_dimensions());

  auto with = [](Int64s spatial, int64_t a, int64_t b) {
    spatial.push_back(a);
    spatial.push_back(b);
    return spatial;
  };
  XLA_RETURN_IF_ERROR(FindUnknown("input",
                                  with(dims.input_spatial, dims.input_batch, dims.input_feature),
                                  &dims.input_unknown));
  XLA_RETURN_IF_ERROR(FindUnknown(
      "kernel", with(dims.kernel_spatial, dims.kernel_input_feature, dims.kernel_output_feature),
      &dims.kernel_unknown));
  XLA_RETURN_IF_ERROR(FindUnknown("output",
                                  with(dims.output_spatial, dims.output_batch, dims.output_feature),
                                  &dims.output_unknown));
  return dims;
}

Sparsity ReadSparsity(const SparsityConfig& proto) {
  const auto read = [](const SparsityConfig::TensorSparsityConfig& operand) {
    return Sparsity::Operand{operand.num_non_zero(), operand.block_size(), operand.dimension(),
                             operand.stride()};
  };
  Sparsity sparsity;
  if (proto.has_lhs()) sparsity.lhs = read(proto.lhs());
  if (proto.has_rhs()) sparsity.rhs = read(proto.rhs());
  return sparsity;
}

SparsityConfig WriteSparsity(const Sparsity& sparsity) {
  const auto write = [](const Sparsity::Operand& operand,
                        SparsityConfig::TensorSparsityConfig* proto) {
    proto->set_num_non_zero(operand.num_non_zero);
    proto->set_block_size(operand.block_size);
    proto->set_dimension(operand.dimension);
    proto->set_stride(operand.stride);
  };
  SparsityConfig proto;
  if (sparsity.lhs.has_value()) write(*sparsity.lhs, proto.mutable_lhs());
  if (sparsity.rhs.has_value()) write(*sparsity.rhs, proto.mutable_rhs());
  return proto;
}

ConvolutionDimensionNumbers WriteConvDims(const ConvDims& dims) {
  ConvolutionDimensionNumbers proto;
  proto.set_input_batch_dimension(dims.input_batch);
  proto.set_input_feature_dimension(dims.input_feature);
  AddAll(dims.input_spatial, proto.mutable_input_spatial_dimensions());
  proto.set_kernel_input_feature_dimension(dims.kernel_input_feature);
  proto.set_kernel_output_feature_dimension(dims.kernel_output_feature);
  AddAll(dims.kernel_spatial, proto.mutable_kernel_spatial_dimensions());
  proto.set_output_batch_dimension(dims.output_batch);
  proto.set_output_feature_dimension(dims.output_feature);
  AddAll(dims.output_spatial, proto.mutable_output_spatial_dimensions());
  return proto;
}

// --- Fields

absl::Status Read(const FieldReader& reader, std::vector<SliceDim>* value) {
  for (const auto& dim : reader.proto.slice_dimensions()) {
    value->push_back({.start = dim.start(), .limit = dim.limit(), .stride = dim.stride()});
  }
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::vector<SliceDim>& value) {
  for (const SliceDim& dim : value) {
    auto* dim_proto = writer.proto->add_slice_dimensions();
    dim_proto->set_start(dim.start);
    dim_proto->set_limit(dim.limit);
    dim_proto->set_stride(dim.stride);
  }
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, std::vector<PadDim>* value) {
  for (const auto& dim : reader.proto.padding_config().dimensions()) {
    value->push_back({.low = dim.edge_padding_low(),
                      .high = dim.edge_padding_high(),
                      .interior = dim.interior_padding()});
  }
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::vector<PadDim>& value) {
  auto* config = writer.proto->mutable_padding_config();
  for (const PadDim& dim : value) {
    auto* dim_proto = config->add_dimensions();
    dim_proto->set_edge_padding_low(dim.low);
    dim_proto->set_edge_padding_high(dim.high);
    dim_proto->set_interior_padding(dim.interior);
  }
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, WindowDims* value) {
  *value = ReadWindow(reader.message<Window>());
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const WindowDims& value) {
  *writer.message<Window>() = WriteWindow(value);
  return absl::OkStatus();
}
absl::Status Read(const FieldReader& reader, std::optional<WindowDims>* value) {
  return reader.HasMessage() ? Read(reader, &value->emplace()) : absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::optional<WindowDims>& value) {
  return value.has_value() ? Write(writer, *value) : absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, ConvDims* value) {
  if (!reader.HasMessage()) {
    return absl::InvalidArgumentError("a convolution has no convolution_dimension_numbers");
  }
  XLA_ASSIGN_OR_RETURN(*value, ReadConvDims(reader.message<ConvolutionDimensionNumbers>()));
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const ConvDims& value) {
  *writer.message<ConvolutionDimensionNumbers>() = WriteConvDims(value);
  return absl::OkStatus();
}
absl::Status Read(const FieldReader& reader, std::optional<ConvDims>* value) {
  return reader.HasMessage() ? Read(reader, &value->emplace()) : absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::optional<ConvDims>& value) {
  return value.has_value() ? Write(writer, *value) : absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, Sparsity* value) {
  *value = ReadSparsity(reader.message<SparsityConfig>());
  return absl::OkStatus();
}
// XLA writes it even if it is empty.
absl::Status Write(const FieldWriter& writer, const Sparsity& value) {
  *writer.message<SparsityConfig>() = WriteSparsity(value);
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, Precisions* value) {
  XLA_ASSIGN_OR_RETURN(
      *value, ReadPrecisions(reader.message<PrecisionConfig>(), reader.proto.operand_ids_size()));
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const Precisions& value) {
  WritePrecisions(value, writer.instruction.operand_count(), writer.message<PrecisionConfig>());
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, LiteralRef* value) {
  if (!reader.HasMessage()) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(Literal literal, ReadLiteral(reader.message<LiteralProto>()));
  value->literal = std::make_shared<const Literal>(std::move(literal));
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const LiteralRef& value) {
  if (value.literal != nullptr) {
    *writer.message<LiteralProto>() = value.literal->ToProto();
  } else if (writer.instruction.opcode() == HloOpcode::kConstant) {
    return absl::InvalidArgumentError("a constant has no literal");
  }
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, std::optional<Shape>* value) {
  if (!reader.HasMessage()) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(*value, ReadShape(reader.message<ShapeProto>()));
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::optional<Shape>& value) {
  if (value.has_value()) *writer.message<ShapeProto>() = value->ToProto();
  return absl::OkStatus();
}

// constrain_layout tells an empty list from none.
absl::Status Read(const FieldReader& reader, std::optional<std::vector<Shape>>* value) {
  if (!reader.proto.constrain_layout()) return absl::OkStatus();
  value->emplace();
  for (const ShapeProto& shape_proto : reader.proto.operand_shapes_with_layout()) {
    XLA_ASSIGN_OR_RETURN(Shape shape, ReadShape(shape_proto));
    (*value)->push_back(std::move(shape));
  }
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::optional<std::vector<Shape>>& value) {
  if (!value.has_value()) return absl::OkStatus();
  writer.proto->set_constrain_layout(true);
  for (const Shape& shape : *value) {
    *writer.proto->add_operand_shapes_with_layout() = shape.ToProto();
  }
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, std::vector<OutputOperandAlias>* value) {
  for (const OutputOperandAliasing& alias : reader.proto.output_operand_aliasing()) {
    value->push_back({.output_index = ToInt64s(alias.output_shape_index()),
                      .operand = alias.operand_index(),
                      .operand_index = ToInt64s(alias.operand_shape_index())});
  }
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::vector<OutputOperandAlias>& value) {
  for (const OutputOperandAlias& alias : value) {
    OutputOperandAliasing* alias_proto = writer.proto->add_output_operand_aliasing();
    AddAll(alias.output_index, alias_proto->mutable_output_shape_index());
    alias_proto->set_operand_index(alias.operand);
    AddAll(alias.operand_index, alias_proto->mutable_operand_shape_index());
  }
  return absl::OkStatus();
}

// The entry sharding of the proto is the exit sharding of the text, and the reverse: the proto
// names them from the operand's side, the text from the users' side.
absl::Status Read(const FieldReader& reader, DomainAttributes::Value* value) {
  const HloInstructionProto& proto = reader.proto;
  if (!proto.has_domain_entry_sharding() && !proto.has_domain_exit_sharding()) {
    return absl::InvalidArgumentError(
        "a domain has neither domain_entry_sharding nor domain_exit_sharding");
  }
  value->kind = "sharding";
  if (proto.has_domain_entry_sharding()) {
    XLA_ASSIGN_OR_RETURN(value->exit, HloSharding::FromProto(proto.domain_entry_sharding()));
  }
  if (proto.has_domain_exit_sharding()) {
    XLA_ASSIGN_OR_RETURN(value->entry, HloSharding::FromProto(proto.domain_exit_sharding()));
  }
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const DomainAttributes::Value& value) {
  HloInstructionProto* proto = writer.proto;
  if (value.entry.has_value()) *proto->mutable_domain_exit_sharding() = value.entry->ToProto();
  if (value.exit.has_value()) *proto->mutable_domain_entry_sharding() = value.exit->ToProto();
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, CollectiveDeviceList* value) {
  XLA_ASSIGN_OR_RETURN(*value, ReadGroups(reader.proto));
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const CollectiveDeviceList& value) {
  HloInstructionProto* proto = writer.proto;
  switch (value.form) {
    case CollectiveDeviceList::Form::kExplicit:
      *proto->mutable_collective_device_list() = value.ToListProto();
      break;
    case CollectiveDeviceList::Form::kIota:
      *proto->mutable_iota_collective_device_list() = value.ToIotaProto();
      break;
    case CollectiveDeviceList::Form::kMesh:
      *proto->mutable_mesh_axes_replica_group_list() = value.ToMeshProto();
      for (const AxisRefProto& axis : proto->mesh_axes_replica_group_list().axes()) {
        if (axis.mesh_axis_index() < 0) {
          return InvalidArgument("replica_groups %s: an axis is not in the mesh", value.ToString());
        }
      }
      break;
  }
  return absl::OkStatus();
}

absl::Status Read(const FieldReader& reader, std::vector<std::pair<int64_t, int64_t>>* value) {
  for (const SourceTarget& pair : reader.proto.source_target_pairs()) {
    value->emplace_back(pair.source(), pair.target());
  }
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer,
                   const std::vector<std::pair<int64_t, int64_t>>& value) {
  for (const auto& [source, target] : value) {
    SourceTarget* pair = writer.proto->add_source_target_pairs();
    pair->set_source(source);
    pair->set_target(target);
  }
  return absl::OkStatus();
}

// slice_sizes of a collective-permute: the proto has all sizes in one list, as many for each slice
// as its array has dimensions.
absl::Status Read(const FieldReader& reader, std::vector<Int64s>* value) {
  const auto& sizes = reader.proto.dynamic_slice_sizes();
  if (sizes.empty()) return absl::OkStatus();
  const HloInstruction& instruction = reader.instruction;
  const Int64s ranks =
      instruction.operand_count() > 0 ? Ranks(instruction.operand(0)->shape()) : Int64s();
  int64_t period = 0;
  bool has_scalar = false;
  for (int64_t rank : ranks) {
    period += rank;
    has_scalar |= rank == 0;
  }
  if (period == 0 || has_scalar || sizes.size() % period != 0) {
    return InvalidArgument("%d dynamic_slice_sizes do not fit the shape of the operand",
                           sizes.size());
  }
  for (auto next = sizes.begin(); next != sizes.end();) {
    for (int64_t rank : ranks) {
      value->emplace_back(next, next + rank);
      next += rank;
    }
  }
  return absl::OkStatus();
}
absl::Status Write(const FieldWriter& writer, const std::vector<Int64s>& value) {
  for (const Int64s& sizes : value) AddAll(sizes, writer.proto->mutable_dynamic_slice_sizes());
  return absl::OkStatus();
}

}  // namespace xla::proto
