// SPDX-License-Identifier: Apache-2.0
// Instructions of a builder as protos that callers may edit.
#include <memory>

#include "google/protobuf/util/message_differencer.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/proto/extras_proto.h"

namespace xla {

absl::Status XlaBuilder::State::TakeEdits() {
  using google::protobuf::util::MessageDifferencer;
  for (const auto& [position, edited] : protos) {
    HloInstruction* instruction = instructions[static_cast<size_t>(position)];
    if (MessageDifferencer::Equals(*edited, instruction->ToProto())) continue;
    XLA_ASSIGN_OR_RETURN(*instruction->mutable_shape(), Shape::FromProto(edited->shape()));
    instruction->mutable_extras() = InstructionExtras();
    XLA_RETURN_IF_ERROR(proto::ReadExtras(*edited, HloModuleProto(), instruction));
    if (!MessageDifferencer::Equals(*edited, instruction->ToProto())) {
      return InvalidArgumentStrCat("The proto of ", instruction->ToShortString(),
                                   " was changed beyond its shape, metadata, sharding and frontend "
                                   "attributes.");
    }
  }
  return absl::OkStatus();
}

HloInstructionProto* XlaBuilder::State::ProtoOf(XlaOp op) {
  const absl::StatusOr<HloInstruction*> instruction = Find(op);
  if (!instruction.ok()) return nullptr;
  std::unique_ptr<HloInstructionProto>& proto = protos[op.handle_ - first_handle];
  if (proto == nullptr) proto = std::make_unique<HloInstructionProto>((*instruction)->ToProto());
  return proto.get();
}

namespace internal {

HloInstructionProto* XlaBuilderFriend::GetInstruction(XlaOp op) {
  return op.IsUninitialized() ? nullptr : op.builder()->state_->ProtoOf(op);
}

HloInstructionProto* XlaBuilderFriend::GetInstructionByHandle(XlaBuilder* builder, int64_t handle) {
  return builder->state_->ProtoOfHandle(handle);
}

}  // namespace internal

}  // namespace xla
