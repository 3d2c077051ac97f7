// SPDX-License-Identifier: Apache-2.0
// The first line of HLO text and the stack-frame block. Source: the HLO text format, section 2.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla/base/string_view.h"
#include "xla/hlo/text/printer_internal.h"

namespace xla::text {

namespace {

void AppendBools(std::string* out, const std::vector<bool>& values) {
  out->push_back('{');
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out->push_back(',');
    out->append(values[i] ? "true" : "false");
  }
  out->push_back('}');
}

void AppendProgramLayout(const ProgramShape& program, std::string* out) {
  out->append("{(");
  for (int i = 0; i < program.parameters_size(); ++i) {
    if (i != 0) out->append(", ");
    if (i != 0 && i % 5 == 0) absl::StrAppend(out, "/*index=", i, "*/");
    program.parameters(i).AppendTo(out, /*print_layout=*/true);
  }
  out->append(")->");
  program.result().AppendTo(out, /*print_layout=*/true);
  out->push_back('}');
}

void AppendAliases(const std::vector<InputOutputAlias>& aliases, std::string* out) {
  out->append("{ ");
  for (size_t i = 0; i < aliases.size(); ++i) {
    if (i != 0) out->append(", ");
    const InputOutputAlias& alias = aliases[i];
    AppendBracedInts(out, alias.output_index);
    absl::StrAppend(out, ": (", alias.parameter_number, ", ");
    AppendBracedInts(out, alias.parameter_index);
    out->append(alias.kind == InputOutputAlias::Kind::kMust ? ", must-alias)" : ", may-alias)");
  }
  out->append(" }");
}

void AppendDonors(const std::vector<BufferDonor>& donors, std::string* out) {
  out->append("{ ");
  for (size_t i = 0; i < donors.size(); ++i) {
    if (i != 0) out->append(", ");
    absl::StrAppend(out, "(", donors[i].parameter_number, ", ");
    AppendBracedInts(out, donors[i].parameter_index);
    out->push_back(')');
  }
  out->append(" }");
}

// As XLA, indented; but text that could not be read back is escaped.
void AppendRecoveryModule(std::string_view text, std::string* out) {
  if (text.find_first_of("\"\\") != std::string_view::npos) return AppendQuoted(out, text);
  out->append("\"\n");
  for (const absl::string_view line : absl::StrSplit(View(text), '\n')) {
    if (!line.empty()) absl::StrAppend(out, "    ", line);
    out->push_back('\n');
  }
  out->append("  \"");
}

void AppendRecoveryTable(const std::vector<OriginRecoveryEntry>& table, std::string* out) {
  out->append("{\n");
  for (const OriginRecoveryEntry& entry : table) {
    out->append("  ");
    AppendOriginalValueNode(entry.old_value, out);
    out->append(" : ");
    AppendOriginalValueNode(entry.replacement, out);
    if (!entry.recovery_module.empty()) {
      out->append(",\n  ");
      AppendRecoveryModule(entry.recovery_module, out);
    }
    out->push_back('\n');
  }
  out->append("}\n");
}

}  // namespace

void AppendModuleHeader(const HloModule& module, PrintContext& context) {
  std::string* out = context.out;
  const HloModuleConfig& config = module.config();
  out->append("HloModule ");
  if (context.options.print_ids) out->append(module.name());
  if (config.is_scheduled) out->append(", is_scheduled=true");
  if (config.alias_passthrough_params()) out->append(", alias_passthrough_params=true");
  if (!config.input_output_alias.empty()) {
    out->append(", input_output_alias=");
    AppendAliases(config.input_output_alias, out);
  }
  if (!config.buffer_donor.empty()) {
    out->append(", buffer_donor=");
    AppendDonors(config.buffer_donor, out);
  }
  if (config.has_entry_computation_layout()) {
    out->append(", entry_computation_layout=");
    AppendProgramLayout(config.entry_computation_layout(), out);
  }
  if (!config.allow_spmd_sharding_propagation_to_parameters().empty()) {
    out->append(", allow_spmd_sharding_propagation_to_parameters=");
    AppendBools(out, config.allow_spmd_sharding_propagation_to_parameters());
  }
  if (!config.allow_spmd_sharding_propagation_to_output().empty()) {
    out->append(", allow_spmd_sharding_propagation_to_output=");
    AppendBools(out, config.allow_spmd_sharding_propagation_to_output());
  }
  if (config.replica_count() != 1) absl::StrAppend(out, ", replica_count=", config.replica_count());
  if (config.num_partitions() != 1)
    absl::StrAppend(out, ", num_partitions=", config.num_partitions());
  if (!config.frontend_attributes.empty()) {
    out->append(", frontend_attributes=");
    AppendFrontendAttributes(config.frontend_attributes, out);
  }
  if (!config.origin_recovery_table.empty()) {
    out->append(", origin_recovery_table=");
    AppendRecoveryTable(config.origin_recovery_table, out);
  }
  out->append("\n\n");
}

void AppendStackFrames(const HloModule& module, absl::flat_hash_map<int64_t, int64_t>* ids,
                       std::string* out) {
  const StackFrameTable& table = module.stack_frames();
  StackFrameTable used;  // what is printed, in order of first use
  absl::flat_hash_map<int64_t, int64_t> location_ids, file_ids, function_ids;

  auto is_in = [](int64_t id, size_t size) { return id >= 1 && id <= static_cast<int64_t>(size); };
  auto intern = [](int64_t id, const std::vector<std::string>& from, std::vector<std::string>* to,
                   absl::flat_hash_map<int64_t, int64_t>* map) {
    auto [it, inserted] = map->try_emplace(id, static_cast<int64_t>(to->size()) + 1);
    if (inserted) to->push_back(from[id - 1]);
    return it->second;
  };
  auto intern_location = [&](int64_t id) -> int64_t {
    if (!is_in(id, table.locations.size())) return 0;
    auto found = location_ids.find(id);
    if (found != location_ids.end()) return found->second;
    StackFrameTable::Location location = table.locations[id - 1];
    if (!is_in(location.file_name_id, table.file_names.size()) ||
        !is_in(location.function_name_id, table.function_names.size())) {
      return location_ids[id] = 0;
    }
    location.file_name_id =
        intern(location.file_name_id, table.file_names, &used.file_names, &file_ids);
    location.function_name_id = intern(location.function_name_id, table.function_names,
                                       &used.function_names, &function_ids);
    used.locations.push_back(location);
    return location_ids[id] = static_cast<int64_t>(used.locations.size());
  };
  auto intern_frame = [&](int64_t frame) {
    // The chain of parents up to one known already, outermost first. Those that lead out of the
    // table, or back to themselves, and what is called from a place unknown, are left out: 0.
    std::vector<int64_t> chain;
    absl::flat_hash_set<int64_t> on_chain;
    bool is_whole = true;
    while (is_whole && frame != 0 && !ids->contains(frame)) {
      is_whole = is_in(frame, table.frames.size()) && on_chain.insert(frame).second;
      if (!is_whole) break;
      chain.push_back(frame);
      frame = table.frames[frame - 1].parent_frame_id;
    }
    int64_t parent = is_whole && frame != 0 ? ids->at(frame) : 0;
    is_whole &= frame == 0 || parent != 0;
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      StackFrameTable::Frame copy = table.frames[*it - 1];
      copy.file_location_id = is_whole ? intern_location(copy.file_location_id) : 0;
      is_whole &= copy.file_location_id != 0;
      if (!is_whole) {
        (*ids)[*it] = 0;
        continue;
      }
      copy.parent_frame_id = parent;
      used.frames.push_back(copy);
      parent = (*ids)[*it] = static_cast<int64_t>(used.frames.size());
    }
  };
  // XLA numbers frames in the order in which it lists computations and instructions, not in print
  // order.
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions_by_id()) {
      if (instruction->has_extras()) intern_frame(instruction->metadata().stack_frame_id());
    }
  }
  if (used.frames.empty()) return;

  auto append_names = [out](std::string_view title, const std::vector<std::string>& names) {
    out->append(title);
    out->push_back('\n');
    for (size_t i = 0; i < names.size(); ++i) {
      absl::StrAppend(out, i + 1, " ");
      AppendQuoted(out, names[i]);
      out->push_back('\n');
    }
    out->push_back('\n');
  };
  append_names("FileNames", used.file_names);
  append_names("FunctionNames", used.function_names);
  out->append("FileLocations\n");
  for (size_t i = 0; i < used.locations.size(); ++i) {
    const StackFrameTable::Location& l = used.locations[i];
    absl::StrAppend(out, i + 1, " {file_name_id=", l.file_name_id,
                    " function_name_id=", l.function_name_id, " line=");
    absl::StrAppend(out, l.line, " end_line=", l.end_line, " column=", l.column);
    absl::StrAppend(out, " end_column=", l.end_column, "}\n");
  }
  out->append("\nStackFrames\n");
  for (size_t i = 0; i < used.frames.size(); ++i) {
    // In text, parents count from 2: 1 stands for none.
    absl::StrAppend(out, i + 1, " {file_location_id=", used.frames[i].file_location_id,
                    " parent_frame_id=", used.frames[i].parent_frame_id + 1, "}\n");
  }
  out->append("\n\n");
}

}  // namespace xla::text
