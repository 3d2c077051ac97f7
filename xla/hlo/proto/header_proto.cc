// SPDX-License-Identifier: Apache-2.0
// The module header, source positions and recovery table to and from protos. The proto has no
// fields for replica_count, num_partitions, alias_passthrough_params and
// allow_spmd_sharding_propagation_*: XLA keeps these elsewhere.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/proto/extras_proto.h"
#include "xla/hlo/proto/module_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::proto {
namespace {

// Recovery modules have no recovery tables of their own.
constexpr int kMaxModuleDepth = 1;

template <typename Repeated>
std::vector<int64_t> ToIndex(const Repeated& values) {
  return std::vector<int64_t>(values.begin(), values.end());
}

absl::Status CheckIndex(const Shape& shape, const std::vector<int64_t>& index, const char* what) {
  if (ShapeUtil::IndexIsValid(shape, index)) return absl::OkStatus();
  return InvalidArgument("%s index {%s} is not in shape %s", what, absl::StrJoin(index, ","),
                         shape.ToString());
}

absl::Status CheckParameterIndex(const HloComputation& entry, int64_t number,
                                 const std::vector<int64_t>& index) {
  if (number < 0 || number >= entry.num_parameters()) {
    return InvalidArgument("the entry computation has no parameter %d", number);
  }
  return CheckIndex(entry.parameter_instruction(number)->shape(), index, "parameter");
}

absl::Status ReadAliases(const HloModuleProto& proto, HloModule* module) {
  const HloComputation& entry = *module->entry_computation();
  absl::flat_hash_set<std::vector<int64_t>> outputs;
  for (const auto& entry_proto : proto.input_output_alias().entries()) {
    InputOutputAlias alias;
    alias.output_index = ToIndex(entry_proto.output_shape_index());
    alias.parameter_number = entry_proto.parameter_number();
    alias.parameter_index = ToIndex(entry_proto.parameter_shape_index());
    alias.kind = entry_proto.kind() == xla::Kind::MAY_ALIAS ? InputOutputAlias::Kind::kMay
                                                            : InputOutputAlias::Kind::kMust;
    XLA_RETURN_IF_ERROR(
        CheckIndex(entry.root_instruction()->shape(), alias.output_index, "output"));
    XLA_RETURN_IF_ERROR(CheckParameterIndex(entry, alias.parameter_number, alias.parameter_index));
    if (!outputs.insert(alias.output_index).second) {
      return InvalidArgument("output index {%s} is aliased twice",
                             absl::StrJoin(alias.output_index, ","));
    }
    module->config().input_output_alias.push_back(std::move(alias));
  }
  return absl::OkStatus();
}

absl::Status ReadDonors(const HloModuleProto& proto, HloModule* module) {
  for (const auto& entry_proto : proto.buffer_donor().entries()) {
    BufferDonor donor;
    donor.parameter_number = entry_proto.parameter_number();
    donor.parameter_index = ToIndex(entry_proto.parameter_shape_index());
    XLA_RETURN_IF_ERROR(CheckParameterIndex(*module->entry_computation(), donor.parameter_number,
                                            donor.parameter_index));
    module->config().buffer_donor.push_back(std::move(donor));
  }
  return absl::OkStatus();
}

// Ids start at 1, and 0 means none, so valid ids go up to the size of the list.
absl::Status ReadStackFrames(const StackFrameIndexProto& proto, StackFrameTable* table) {
  auto check = [](const char* what, int id, int size) -> absl::Status {
    if (id >= 0 && id <= size) return absl::OkStatus();
    return InvalidArgument("stack_frame_index: %s %d of %d", what, id, size);
  };
  table->file_names.assign(proto.file_names().begin(), proto.file_names().end());
  table->function_names.assign(proto.function_names().begin(), proto.function_names().end());
  for (const auto& location : proto.file_locations()) {
    XLA_RETURN_IF_ERROR(check("file name", location.file_name_id(), proto.file_names_size()));
    XLA_RETURN_IF_ERROR(
        check("function name", location.function_name_id(), proto.function_names_size()));
    table->locations.push_back({.file_name_id = location.file_name_id(),
                                .function_name_id = location.function_name_id(),
                                .line = location.line(),
                                .end_line = location.end_line(),
                                .column = location.column(),
                                .end_column = location.end_column()});
  }
  const int num_frames = proto.stack_frames_size();
  for (const auto& frame : proto.stack_frames()) {
    XLA_RETURN_IF_ERROR(
        check("file location", frame.file_location_id(), proto.file_locations_size()));
    XLA_RETURN_IF_ERROR(check("parent frame", frame.parent_frame_id(), num_frames));
    table->frames.push_back(
        {.file_location_id = frame.file_location_id(), .parent_frame_id = frame.parent_frame_id()});
  }
  // Walks from each frame up to one that an earlier walk has passed; walks are numbered from one.
  std::vector<int> passed_by(num_frames + 1, 0);
  for (int start = 1; start <= num_frames; ++start) {
    int frame = start;
    while (frame != 0 && passed_by[frame] == 0) {
      passed_by[frame] = start;
      frame = proto.stack_frames(frame - 1).parent_frame_id();
    }
    if (frame != 0 && passed_by[frame] == start) {
      return InvalidArgument("stack_frame_index: frame %d is its own ancestor", frame);
    }
  }
  return absl::OkStatus();
}

StackFrameIndexProto WriteStackFrames(const StackFrameTable& table) {
  StackFrameIndexProto proto;
  proto.mutable_file_names()->Add(table.file_names.begin(), table.file_names.end());
  proto.mutable_function_names()->Add(table.function_names.begin(), table.function_names.end());
  // The proto has 32 bits for lines and columns.
  auto narrow = [](int64_t value) {
    constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
    return static_cast<int32_t>(value < 0 ? 0 : value > kMax ? kMax : value);
  };
  for (const StackFrameTable::Location& location : table.locations) {
    auto* location_proto = proto.add_file_locations();
    location_proto->set_file_name_id(narrow(location.file_name_id));
    location_proto->set_function_name_id(narrow(location.function_name_id));
    location_proto->set_line(narrow(location.line));
    location_proto->set_column(narrow(location.column));
    location_proto->set_end_line(narrow(location.end_line));
    location_proto->set_end_column(narrow(location.end_column));
  }
  for (const StackFrameTable::Frame& frame : table.frames) {
    auto* frame_proto = proto.add_stack_frames();
    frame_proto->set_file_location_id(narrow(frame.file_location_id));
    frame_proto->set_parent_frame_id(narrow(frame.parent_frame_id));
  }
  return proto;
}

absl::Status ReadRecoveryTable(const HloModuleProto& proto, int depth, HloModule* module) {
  for (const auto& entry_proto : proto.original_value_recovery_table().entries()) {
    OriginRecoveryEntry entry;
    entry.old_value = ReadOriginalArray(entry_proto.old_original_array());
    entry.replacement = ReadOriginalArray(entry_proto.new_original_array());
    if (entry_proto.has_recovery_module()) {
      if (depth >= kMaxModuleDepth) {
        return absl::InvalidArgumentError("a recovery module has a recovery table of its own");
      }
      absl::StatusOr<std::unique_ptr<HloModule>> recovery =
          ReadModule(entry_proto.recovery_module(), depth + 1);
      if (!recovery.ok()) return AddContext(recovery.status(), "recovery module");
      entry.recovery_module = (*recovery)->ToString();
    }
    module->config().origin_recovery_table.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

absl::Status WriteRecoveryTable(const HloModule& module, int depth, HloModuleProto* proto) {
  for (const OriginRecoveryEntry& entry : module.config().origin_recovery_table) {
    auto* entry_proto = proto->mutable_original_value_recovery_table()->add_entries();
    *entry_proto->mutable_old_original_array() = WriteOriginalArray(entry.old_value);
    *entry_proto->mutable_new_original_array() = WriteOriginalArray(entry.replacement);
    if (entry.recovery_module.empty()) continue;
    if (depth >= kMaxModuleDepth) {
      return absl::InvalidArgumentError("a recovery module has a recovery table of its own");
    }
    absl::StatusOr<std::unique_ptr<HloModule>> recovery =
        ParseAndReturnUnverifiedModule(entry.recovery_module);
    if (!recovery.ok()) return AddContext(recovery.status(), "recovery module");
    XLA_ASSIGN_OR_RETURN(*entry_proto->mutable_recovery_module(),
                         WriteModule(**recovery, depth + 1));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadHeader(const HloModuleProto& proto, int depth, HloModule* module) {
  HloModuleConfig& config = module->config();
  if (!proto.has_host_program_shape()) {
    return absl::InvalidArgumentError("the module has no host_program_shape");
  }
  absl::StatusOr<ProgramShape> layout = ProgramShape::FromProto(proto.host_program_shape());
  if (!layout.ok()) return AddContext(layout.status(), "host_program_shape");
  for (int i = -1; i < layout->parameters_size(); ++i) {
    XLA_RETURN_IF_ERROR(AddContext(ShapeUtil::ValidateShapeWithOptionalLayout(
                                       i < 0 ? layout->result() : layout->parameters(i)),
                                   "host_program_shape"));
  }
  layout->clear_parameter_names();
  config.set_entry_computation_layout(*std::move(layout));

  for (const auto& [key, value] : proto.frontend_attributes().map()) {
    config.frontend_attributes.emplace(key, value);
  }
  XLA_RETURN_IF_ERROR(AddContext(ReadAliases(proto, module), "input_output_alias"));
  XLA_RETURN_IF_ERROR(AddContext(ReadDonors(proto, module), "buffer_donor"));
  XLA_RETURN_IF_ERROR(ReadStackFrames(proto.stack_frame_index(), &module->stack_frames()));
  return ReadRecoveryTable(proto, depth, module);
}

absl::Status WriteHeader(const HloModule& module, int depth, HloModuleProto* proto) {
  const HloModuleConfig& config = module.config();
  ProgramShape layout = config.has_entry_computation_layout()
                            ? config.entry_computation_layout()
                            : ComputationLayout(module.entry_computation()->ComputeProgramShape());
  // XLA's names of the parameters as the caller sees them.
  for (int i = 0; i < layout.parameters_size(); ++i) {
    layout.set_parameter_names(i, absl::StrCat("p", i));
  }
  *proto->mutable_host_program_shape() = layout.ToProto();

  // Present even when empty, as XLA has it.
  HloInputOutputAliasProto* aliases = proto->mutable_input_output_alias();
  for (const InputOutputAlias& alias : config.input_output_alias) {
    auto* entry = aliases->add_entries();
    entry->mutable_output_shape_index()->Add(alias.output_index.begin(), alias.output_index.end());
    entry->set_parameter_number(alias.parameter_number);
    entry->mutable_parameter_shape_index()->Add(alias.parameter_index.begin(),
                                                alias.parameter_index.end());
    entry->set_kind(alias.kind == InputOutputAlias::Kind::kMay ? xla::Kind::MAY_ALIAS
                                                               : xla::Kind::MUST_ALIAS);
  }
  HloBufferDonorProto* donors = proto->mutable_buffer_donor();
  for (const BufferDonor& donor : config.buffer_donor) {
    auto* entry = donors->add_entries();
    entry->set_parameter_number(donor.parameter_number);
    entry->mutable_parameter_shape_index()->Add(donor.parameter_index.begin(),
                                                donor.parameter_index.end());
  }
  auto* frontend_attributes = proto->mutable_frontend_attributes()->mutable_map();
  for (const auto& [key, value] : config.frontend_attributes) (*frontend_attributes)[key] = value;
  if (!module.stack_frames().empty()) {
    *proto->mutable_stack_frame_index() = WriteStackFrames(module.stack_frames());
  }
  return WriteRecoveryTable(module, depth, proto);
}

}  // namespace xla::proto
