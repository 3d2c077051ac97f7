// SPDX-License-Identifier: Apache-2.0
// Conversion of metadata from and to OpMetadata.
#include "xla/hlo/ir/instruction_metadata.h"

#include <utility>

#include "xla/xla_data.pb.h"

namespace xla {

InstructionMetadata InstructionMetadata::FromProto(const OpMetadata& proto) {
  InstructionMetadata metadata;
  metadata.set_op_type(proto.op_type());
  metadata.set_op_name(proto.op_name());
  metadata.set_source_file(proto.source_file());
  metadata.set_source_line(proto.source_line());
  metadata.set_source_end_line(proto.source_end_line());
  metadata.set_source_column(proto.source_column());
  metadata.set_source_end_column(proto.source_end_column());
  metadata.set_stack_frame_id(proto.stack_frame_id());

  OpMetadata rest = proto;
  rest.clear_op_type();
  rest.clear_op_name();
  rest.clear_source_file();
  rest.clear_source_line();
  rest.clear_source_end_line();
  rest.clear_source_column();
  rest.clear_source_end_column();
  rest.clear_stack_frame_id();
  if (rest.ByteSizeLong() == 0) return metadata;

  Rare& rare = metadata.rare.emplace();
  for (const int type : rest.profile_type()) {
    rare.profile_type.push_back(static_cast<ProfileType>(type));
  }
  rest.clear_profile_type();
  rare.deduplicated_name = std::move(*rest.mutable_deduplicated_name());
  rest.clear_deduplicated_name();
  rare.scheduling_name = std::move(*rest.mutable_scheduling_name());
  rest.clear_scheduling_name();
  // A payload without bytes, or with fields that this version does not know, stays in other_fields.
  Payload value_only;
  if (rest.metadata_payload().payload_source_case() == Payload::kValue) {
    value_only.set_value(rest.metadata_payload().value());
    if (value_only.ByteSizeLong() == rest.metadata_payload().ByteSizeLong()) {
      rare.payload = std::move(*value_only.mutable_value());
      rest.clear_metadata_payload();
    }
  }
  rest.SerializeToString(&rare.other_fields);
  return metadata;
}

OpMetadata InstructionMetadata::ToProto() const {
  OpMetadata proto;
  proto.set_op_type(op_type_);
  proto.set_op_name(op_name_);
  proto.set_source_file(source_file_);
  proto.set_source_line(source_line_);
  proto.set_source_end_line(source_end_line_);
  proto.set_source_column(source_column_);
  proto.set_source_end_column(source_end_column_);
  proto.set_stack_frame_id(stack_frame_id_);
  if (!rare.has_value()) return proto;
  for (const ProfileType type : rare->profile_type) proto.add_profile_type(type);
  proto.set_deduplicated_name(rare->deduplicated_name);
  proto.set_scheduling_name(rare->scheduling_name);
  if (rare->payload.has_value()) proto.mutable_metadata_payload()->set_value(*rare->payload);
  // Written by FromProto, so it can be read.
  proto.MergeFromString(rare->other_fields);
  return proto;
}

}  // namespace xla
