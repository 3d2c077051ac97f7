// SPDX-License-Identifier: Apache-2.0
// From an opcode to the functions that read and write its attributes.
#include "xla/hlo/proto/attribute_protos.h"

#include <utility>
#include <variant>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::proto_internal {

absl::StatusOr<Attributes> ReadAttributes(const HloInstructionProto& proto,
                                          const HloInstruction& instruction) {
  Attributes attributes = MakeDefaultAttributes(instruction.opcode());
  XLA_RETURN_IF_ERROR(std::visit(
      [&](auto& attributes) { return Read(proto, instruction, &attributes); }, attributes));
  return attributes;
}

absl::Status WriteAttributes(const HloInstruction& instruction, HloInstructionProto* proto) {
  return std::visit([&](const auto& attributes) { return Write(instruction, attributes, proto); },
                    instruction.attributes());
}

}  // namespace xla::proto_internal
