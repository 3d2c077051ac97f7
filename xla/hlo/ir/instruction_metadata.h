// SPDX-License-Identifier: Apache-2.0
// Where an instruction came from: the framework's names and the position in the user's program. HLO
// text prints it as metadata={op_name=".." ..}; the proto is OpMetadata.
#ifndef XLA_HLO_IR_INSTRUCTION_METADATA_H_
#define XLA_HLO_IR_INSTRUCTION_METADATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "xla/base/boxed_optional.h"
#include "xla/xla_data_enums.h"

namespace xla {

class InstructionMetadata {
 public:
  // The framework's name for the kind of operation and for this one.
  const std::string& op_type() const { return op_type_; }
  void set_op_type(std::string value) { op_type_ = std::move(value); }
  const std::string& op_name() const { return op_name_; }
  void set_op_name(std::string value) { op_name_ = std::move(value); }
  // The position in the user's program.
  const std::string& source_file() const { return source_file_; }
  void set_source_file(std::string value) { source_file_ = std::move(value); }
  int32_t source_line() const { return source_line_; }
  void set_source_line(int32_t value) { source_line_ = value; }
  int32_t source_end_line() const { return source_end_line_; }
  void set_source_end_line(int32_t value) { source_end_line_ = value; }
  int32_t source_column() const { return source_column_; }
  void set_source_column(int32_t value) { source_column_ = value; }
  int32_t source_end_column() const { return source_end_column_; }
  void set_source_end_column(int32_t value) { source_end_column_ = value; }
  // Position in StackFrameTable::frames counted from one; 0: none.
  int32_t stack_frame_id() const { return stack_frame_id_; }
  void set_stack_frame_id(int32_t value) { stack_frame_id_ = value; }

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
  // Rare::profile_type, empty if unset.
  std::vector<ProfileType> profile_type() const {
    return rare.has_value() ? rare->profile_type : std::vector<ProfileType>();
  }
  Rare& mutable_rare() { return rare.has_value() ? *rare : rare.emplace(); }

  bool operator==(const InstructionMetadata&) const = default;
  bool IsEmpty() const { return *this == InstructionMetadata(); }

  // FromProto and ToProto keep every field, known or not. A payload given by its number in the
  // module must have been replaced by its bytes.
  static InstructionMetadata FromProto(const OpMetadata& proto);
  OpMetadata ToProto() const;

 private:
  std::string op_type_, op_name_, source_file_;
  int32_t source_line_ = 0, source_end_line_ = 0, source_column_ = 0, source_end_column_ = 0;
  int32_t stack_frame_id_ = 0;
};

}  // namespace xla

#endif  // XLA_HLO_IR_INSTRUCTION_METADATA_H_
