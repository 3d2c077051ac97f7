// SPDX-License-Identifier: Apache-2.0
// Attribute protos of tuples, calls, fusions, custom calls, asynchronous operations and feeds.
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/hlo/proto/extras_proto.h"
#include "xla/literal.h"
#include "xla/util.h"

namespace xla::proto_internal {

std::vector<OutputOperandAlias> ReadAliases(const HloInstructionProto& proto) {
  std::vector<OutputOperandAlias> aliases;
  for (const OutputOperandAliasing& alias : proto.output_operand_aliasing()) {
    aliases.push_back({.output_index = ToInt64s(alias.output_shape_index()),
                       .operand = alias.operand_index(),
                       .operand_index = ToInt64s(alias.operand_shape_index())});
  }
  return aliases;
}

void WriteAliases(const std::vector<OutputOperandAlias>& aliases, HloInstructionProto* proto) {
  for (const OutputOperandAlias& alias : aliases) {
    OutputOperandAliasing* alias_proto = proto->add_output_operand_aliasing();
    AddAll(alias.output_index, alias_proto->mutable_output_shape_index());
    alias_proto->set_operand_index(alias.operand);
    AddAll(alias.operand_index, alias_proto->mutable_operand_shape_index());
  }
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  TupleIndexAttributes* a) {
  a->index = proto.tuple_index();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const TupleIndexAttributes& a,
                   HloInstructionProto* proto) {
  proto->set_tuple_index(a.index);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, CallAttributes* a) {
  a->is_composite = proto.is_composite();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const CallAttributes& a, HloInstructionProto* proto) {
  proto->set_is_composite(a.is_composite);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, FusionAttributes* a) {
  const std::optional<FusionKind> kind = FusionKindFromName(proto.fusion_kind());
  if (!kind.has_value()) return InvalidArgument("unknown fusion kind \"%s\"", proto.fusion_kind());
  a->kind = *kind;
  a->output_to_operand_aliasing = ReadAliases(proto);
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const FusionAttributes& a, HloInstructionProto* proto) {
  proto->set_fusion_kind(std::string(FusionKindName(a.kind)));
  WriteAliases(a.output_to_operand_aliasing, proto);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  CustomCallAttributes* a) {
  if (proto.has_window()) a->window = ReadWindow(proto.window());
  if (proto.has_convolution_dimension_numbers()) {
    XLA_ASSIGN_OR_RETURN(a->dim_labels, ReadConvDims(proto.convolution_dimension_numbers()));
  }
  if (proto.feature_group_count() != 0) a->feature_group_count = proto.feature_group_count();
  if (proto.batch_group_count() != 0) a->batch_group_count = proto.batch_group_count();
  XLA_CHECK_ENUM(PaddingType, proto.padding_type());
  a->padding_type = proto.padding_type();
  XLA_ASSIGN_OR_RETURN(a->precision,
                       ReadPrecisions(proto.precision_config(), proto.operand_ids_size()));
  a->custom_call_target = proto.custom_call_target();
  if (proto.constrain_layout()) {
    a->operand_layout_constraints.emplace();
    for (const ShapeProto& shape_proto : proto.operand_shapes_with_layout()) {
      XLA_ASSIGN_OR_RETURN(Shape shape, ReadShape(shape_proto));
      a->operand_layout_constraints->push_back(std::move(shape));
    }
  }
  a->has_side_effect = proto.custom_call_has_side_effect();
  if (proto.has_literal()) {
    XLA_ASSIGN_OR_RETURN(Literal literal, ReadLiteral(proto.literal()));
    a->literal.literal = std::make_shared<const Literal>(std::move(literal));
  }
  a->output_to_operand_aliasing = ReadAliases(proto);
  XLA_CHECK_ENUM(CustomCallSchedule, proto.custom_call_schedule());
  a->schedule = proto.custom_call_schedule();
  XLA_CHECK_ENUM(CustomCallApiVersion, proto.custom_call_api_version());
  // Writers older than the field left it out.
  if (proto.custom_call_api_version() != CustomCallApiVersion::API_VERSION_UNSPECIFIED) {
    a->api_version = proto.custom_call_api_version();
  }
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction& instruction, const CustomCallAttributes& a,
                   HloInstructionProto* proto) {
  if (a.window.has_value()) *proto->mutable_window() = WriteWindow(*a.window);
  if (a.dim_labels.has_value()) {
    *proto->mutable_convolution_dimension_numbers() = WriteConvDims(*a.dim_labels);
  }
  proto->set_feature_group_count(a.feature_group_count);
  proto->set_batch_group_count(a.batch_group_count);
  proto->set_padding_type(a.padding_type);
  WritePrecisions(a.precision, instruction.operand_count(), proto->mutable_precision_config());
  proto->set_custom_call_target(a.custom_call_target);
  if (a.operand_layout_constraints.has_value()) {
    proto->set_constrain_layout(true);
    for (const Shape& shape : *a.operand_layout_constraints) {
      *proto->add_operand_shapes_with_layout() = shape.ToProto();
    }
  }
  proto->set_custom_call_has_side_effect(a.has_side_effect);
  if (a.literal.literal != nullptr) *proto->mutable_literal() = a.literal.literal->ToProto();
  WriteAliases(a.output_to_operand_aliasing, proto);
  proto->set_custom_call_schedule(a.schedule);
  proto->set_custom_call_api_version(a.api_version);
  return absl::OkStatus();
}

// The wire looks from the operand, the text from the users: what one calls entry is the other's
// exit.
absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, DomainAttributes* a) {
  if (!proto.has_domain_entry_sharding() && !proto.has_domain_exit_sharding()) {
    return absl::InvalidArgumentError(
        "a domain without domain_entry_sharding, domain_exit_sharding");
  }
  a->domain.kind = "sharding";
  if (proto.has_domain_entry_sharding()) {
    XLA_ASSIGN_OR_RETURN(a->domain.exit, HloSharding::FromProto(proto.domain_entry_sharding()));
  }
  if (proto.has_domain_exit_sharding()) {
    XLA_ASSIGN_OR_RETURN(a->domain.entry, HloSharding::FromProto(proto.domain_exit_sharding()));
  }
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const DomainAttributes& a, HloInstructionProto* proto) {
  for (const std::optional<HloSharding>& sharding : {a.domain.entry, a.domain.exit}) {
    if (sharding.has_value()) XLA_RETURN_IF_ERROR(CheckWritable(*sharding));
  }
  if (a.domain.entry.has_value()) {
    *proto->mutable_domain_exit_sharding() = a.domain.entry->ToProto();
  }
  if (a.domain.exit.has_value()) {
    *proto->mutable_domain_entry_sharding() = a.domain.exit->ToProto();
  }
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, CopyStartAttributes* a) {
  if (proto.optional_cross_program_prefetch_index_case() ==
      HloInstructionProto::kCrossProgramPrefetchIndex) {
    a->cross_program_prefetch_index = proto.cross_program_prefetch_index();
  } else if (proto.is_cross_program_prefetch()) {
    a->cross_program_prefetch_index = 0;
  }
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const CopyStartAttributes& a,
                   HloInstructionProto* proto) {
  if (!a.cross_program_prefetch_index.has_value()) return absl::OkStatus();
  const int64_t index = *a.cross_program_prefetch_index;
  if (index != static_cast<int32_t>(index)) {
    return InvalidArgument("cannot write cross_program_prefetch_index %d", index);
  }
  proto->set_cross_program_prefetch_index(static_cast<int32_t>(index));
  return absl::OkStatus();
}

// Only the start says where it runs; update and done follow it.
absl::Status Read(const HloInstructionProto& proto, const HloInstruction& instruction,
                  AsyncAttributes* a) {
  if (instruction.opcode() == HloOpcode::kAsyncStart && proto.async_execution_thread() != "main") {
    a->async_execution_thread = proto.async_execution_thread();
  }
  a->output_to_operand_aliasing = ReadAliases(proto);
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction& instruction, const AsyncAttributes& a,
                   HloInstructionProto* proto) {
  if (instruction.opcode() == HloOpcode::kAsyncStart) {
    proto->set_async_execution_thread(a.async_execution_thread);
  }
  WriteAliases(a.output_to_operand_aliasing, proto);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, InfeedAttributes* a) {
  a->infeed_config = proto.infeed_config();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const InfeedAttributes& a, HloInstructionProto* proto) {
  proto->set_infeed_config(a.infeed_config);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, OutfeedAttributes* a) {
  if (proto.has_outfeed_shape()) {
    XLA_ASSIGN_OR_RETURN(a->outfeed_shape, ReadShape(proto.outfeed_shape()));
  }
  a->outfeed_config = proto.outfeed_config();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction& instruction, const OutfeedAttributes& a,
                   HloInstructionProto* proto) {
  // XLA needs the shape.
  if (a.outfeed_shape.has_value()) {
    *proto->mutable_outfeed_shape() = a.outfeed_shape->ToProto();
  } else if (instruction.operand_count() > 0) {
    *proto->mutable_outfeed_shape() = instruction.operand(0)->shape().ToProto();
  }
  proto->set_outfeed_config(a.outfeed_config);
  return absl::OkStatus();
}

}  // namespace xla::proto_internal
