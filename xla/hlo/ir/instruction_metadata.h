// SPDX-License-Identifier: Apache-2.0
// Where an instruction came from: the framework's names and the position in the user's program. HLO
// text prints it as metadata={op_name=".." ..}; the proto is OpMetadata.
#ifndef XLA_HLO_IR_INSTRUCTION_METADATA_H_
#define XLA_HLO_IR_INSTRUCTION_METADATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "xla/base/boxed_optional.h"
#include "xla/xla_data_enums.h"

namespace xla {

struct InstructionMetadata {
  // The framework's name for the kind of operation and for this one.
  std::string op_type, op_name;
  std::string source_file;
  int32_t source_line = 0, source_end_line = 0, source_column = 0, source_end_column = 0;
  // Position in StackFrameTable::frames counted from one; 0: none.
  int32_t stack_frame_id = 0;

  // Fields that few programs set.
  struct Rare {
    std::vector<ProfileType> profile_type;
    // The name shared by all instructions that are duplicates of this one.
    std::string deduplicated_name;
    std::string scheduling_name;
    std::optional<std::string> payload;
    // An OpMetadata in wire format that holds everything else: profile, sizes, and fields that this
    // version does not know.
    std::string other_fields;
    bool operator==(const Rare&) const = default;
  };
  BoxedOptional<Rare> rare;
  Rare& mutable_rare() { return rare.has_value() ? *rare : rare.emplace(); }

  bool operator==(const InstructionMetadata&) const = default;
  bool IsEmpty() const { return *this == InstructionMetadata(); }

  // FromProto and ToProto keep every field, known or not. A payload given by its number in the
  // module must have been replaced by its bytes.
  static InstructionMetadata FromProto(const OpMetadata& proto);
  OpMetadata ToProto() const;
};

}  // namespace xla

#endif  // XLA_HLO_IR_INSTRUCTION_METADATA_H_
