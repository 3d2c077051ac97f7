// SPDX-License-Identifier: Apache-2.0
// The text as a whole: header, stack frames, and the three forms a text can have (HLO text format,
// section 2).
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "xla/hlo/text/parser_impl.h"
#include "xla/shape_util.h"

namespace xla::text {
namespace {

absl::Status SyntaxError(std::string_view what, std::string_view errors) {
  return absl::InvalidArgumentError(
      Cat("Syntax error when trying to parse the text as a ", what, ":\n", errors));
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> HloTextParser::ParseModuleText(
    std::unique_ptr<HloModule> module) {
  module_ = std::move(module);
  lexer_.Next();
  const bool has_header = kind() == TokKind::kwHloModule;
  if (has_header || kind() == TokKind::kwEntry || lexer_.LookAhead() == TokKind::kLbrace) {
    if (!ParseModule(has_header)) return SyntaxError("HloModule", errors_.Render(text_));
  } else if (!ParseSingleInstruction()) {
    return SyntaxError("single HloInstruction", errors_.Render(text_));
  }
  if (twice_async_ != nullptr) {
    return absl::InvalidArgumentError(
        Cat("Computation ", twice_async_->name(), " is called by more than one async op."));
  }
  if (has_async_starts_) SetThreadsOfAsyncCalls();
  return std::move(module_);
}

absl::Status HloTextParser::ParseAlone(std::string_view what, absl::FunctionRef<bool()> parse) {
  lexer_.Next();
  if (!parse()) return absl::InvalidArgumentError(Cat("Syntax error:\n", errors_.Render(text_)));
  if (kind() != TokKind::kEof) {
    return absl::InvalidArgumentError(Cat("Syntax error:\nExtra content after ", what));
  }
  return absl::OkStatus();
}

// ('HloModule' name attributes)? stack_frames? computation+
bool HloTextParser::ParseModule(bool has_header) {
  using Parser = HloTextParser;
  using Config = HloModuleConfig;
  static constexpr NamedValue<Config> kMembers[] = {
      {"is_scheduled", false, [](Parser& p, Config& c) { return p.ParseValue(&c.is_scheduled); }},
      {"alias_passthrough_params", false,
       [](Parser& p, Config& c) {
         bool value;
         if (!p.ParseValue(&value)) return false;
         c.set_alias_passthrough_params(value);
         return true;
       }},
      {"input_output_alias", false,
       [](Parser& p, Config& c) { return p.ParseInputOutputAlias(&c.input_output_alias); }},
      {"buffer_donor", false,
       [](Parser& p, Config& c) { return p.ParseBufferDonors(&c.buffer_donor); }},
      {"entry_computation_layout", false,
       [](Parser& p, Config& c) {
         ProgramShape layout;
         if (!p.ParseProgramLayout(&layout)) return false;
         c.set_entry_computation_layout(std::move(layout));
         return true;
       }},
      {"allow_spmd_sharding_propagation_to_parameters", false,
       [](Parser& p, Config& c) {
         std::vector<bool> values;
         if (!p.ParseBoolList(&values)) return false;
         c.set_allow_spmd_sharding_propagation_to_parameters(std::move(values));
         return true;
       }},
      {"allow_spmd_sharding_propagation_to_output", false,
       [](Parser& p, Config& c) {
         std::vector<bool> values;
         if (!p.ParseBoolList(&values)) return false;
         c.set_allow_spmd_sharding_propagation_to_output(std::move(values));
         return true;
       }},
      {"replica_count", false,
       [](Parser& p, Config& c) {
         int64_t count;
         if (!p.ParseValue(&count)) return false;
         c.set_replica_count(count);
         return true;
       }},
      {"num_partitions", false,
       [](Parser& p, Config& c) {
         int64_t count;
         if (!p.ParseValue(&count)) return false;
         c.set_num_partitions(count);
         return true;
       }},
      {"frontend_attributes", false,
       [](Parser& p, Config& c) { return p.ParseFrontendAttributes(&c.frontend_attributes); }},
      {"origin_recovery_table", false,
       [](Parser& p, Config& c) { return p.ParseOriginRecoveryTable(&c.origin_recovery_table); }},
  };
  Config& config = module_->config();
  if (has_header) {
    lexer_.Next();
    std::string_view name;
    if (!ParseModuleName(&name) || !ParseRecord(kMembers, /*in_braces=*/false, &config))
      return false;
    module_->set_name(std::string(name));
  }
  // A schedule is taken as the text has it, valid or not: mutations of a scheduled module would
  // repair it.
  const bool is_scheduled = std::exchange(config.is_scheduled, false);
  if (!ParseStackFrames() || !ParseComputations()) return false;
  config.is_scheduled = is_scheduled;
  if (!has_header) module_->set_name(Cat("module_", module_->entry_computation()->name()));
  config.set_use_spmd_partitioning(config.num_partitions() != 1);
  module_->SetDefaultEntryLayout();
  return CheckHeader();
}

// The entry computation as the header describes it.
bool HloTextParser::CheckHeader() {
  HloModuleConfig& config = module_->config();
  auto& aliases = config.input_output_alias;
  const Shape& result = config.entry_computation_layout().result();
  for (const InputOutputAlias& alias : aliases) {
    if (!ShapeUtil::IndexIsValid(result, alias.output_index)) {
      return TokenError(
          Cat("Trying to set up alias at ",
              ShapeIndex(alias.output_index.begin(), alias.output_index.end()).ToString(),
              " which is an invalid index for shape ", result.ToString()));
    }
    if (alias.parameter_number < 0) {
      return TokenError(
          Cat("Trying to set up alias with parameter number ", alias.parameter_number));
    }
  }
  // Sorted by output; of two entries for one output the first is used.
  const auto before = [](const InputOutputAlias& a, const InputOutputAlias& b) {
    return a.output_index < b.output_index;
  };
  std::stable_sort(aliases.begin(), aliases.end(), before);
  aliases.erase(std::unique(aliases.begin(), aliases.end(),
                            [](const InputOutputAlias& a, const InputOutputAlias& b) {
                              return a.output_index == b.output_index;
                            }),
                aliases.end());
  auto& donors = config.buffer_donor;
  for (const BufferDonor& donor : donors) {
    if (donor.parameter_number < 0) {
      return TokenError(
          Cat("expects a buffer donor's parameter number >= 0, but sees ", donor.parameter_number));
    }
  }
  std::sort(donors.begin(), donors.end(), [](const BufferDonor& a, const BufferDonor& b) {
    return std::tie(a.parameter_number, a.parameter_index) <
           std::tie(b.parameter_number, b.parameter_index);
  });
  donors.erase(std::unique(donors.begin(), donors.end()), donors.end());
  return true;
}

// One instruction, with or without a name; it becomes the root of the entry computation.
bool HloTextParser::ParseSingleInstruction() {
  HloComputation* const entry = module_->AddComputation("_");
  module_->set_entry_computation(entry);
  ComputationDraft draft;
  current_ = single_instruction_draft_ = &draft;
  bool ok;
  if (CanBeShape()) {
    HloInstruction* instruction;
    ok = ParseInstructionRhs(&draft, "_", loc(), /*allow_attributes=*/true, &instruction);
  } else {
    ok = ParseInstruction(&draft);
  }
  if (ok && kind() != TokKind::kEof) {
    ok = TokenError(
        "Syntax error:\nExpected eof after parsing single instruction. Did you mean to write an "
        "HLO module and forget "
        "the \"HloModule\" header?");
  }
  current_ = single_instruction_draft_ = nullptr;
  if (!ok || !FinishComputation(&draft, entry)) return false;
  module_->config().is_scheduled = true;
  module_->SetDefaultEntryLayout();
  return true;
}

bool HloTextParser::ParseStackFrames() {
  if (!Eat(TokKind::kwFileNames)) return true;
  using Parser = HloTextParser;
  using Location = StackFrameTable::Location;
  using Frame = StackFrameTable::Frame;
  static constexpr NamedValue<Location> kLocation[] = {
      {"file_name_id", true, [](Parser& p, Location& l) { return p.ParseInt32(&l.file_name_id); }},
      {"function_name_id", true,
       [](Parser& p, Location& l) { return p.ParseInt32(&l.function_name_id); }},
      {"line", true, [](Parser& p, Location& l) { return p.ParseInt32(&l.line); }},
      {"end_line", true, [](Parser& p, Location& l) { return p.ParseInt32(&l.end_line); }},
      {"column", true, [](Parser& p, Location& l) { return p.ParseInt32(&l.column); }},
      {"end_column", true, [](Parser& p, Location& l) { return p.ParseInt32(&l.end_column); }},
  };
  static constexpr NamedValue<Frame> kFrame[] = {
      {"file_location_id", true,
       [](Parser& p, Frame& f) { return p.ParseInt32(&f.file_location_id); }},
      {"parent_frame_id", true,
       [](Parser& p, Frame& f) { return p.ParseInt32(&f.parent_frame_id); }},
  };
  StackFrameTable& table = module_->stack_frames();
  while (Eat(TokKind::kInt)) {
    if (!ParseValue(&table.file_names.emplace_back())) return false;
  }
  if (!Expect(TokKind::kwFunctionNames, "expects 'FunctionNames'")) return false;
  while (Eat(TokKind::kInt)) {
    if (!ParseValue(&table.function_names.emplace_back())) return false;
  }
  if (!Expect(TokKind::kwFileLocations, "expects 'FileLocations'")) return false;
  while (Eat(TokKind::kInt)) {
    if (!ParseRecord(kLocation, /*in_braces=*/true, &table.locations.emplace_back())) return false;
  }
  if (!Expect(TokKind::kwStackFrames, "expects 'StackFrames'")) return false;
  while (Eat(TokKind::kInt)) {
    Frame& frame = table.frames.emplace_back();
    if (!ParseRecord(kFrame, /*in_braces=*/true, &frame)) return false;
    --frame.parent_frame_id;  // in text 1 stands for none
  }
  return true;
}

// '{' (index ':' '(' parameter ',' index (',' kind)? ')') % ',' '}'
bool HloTextParser::ParseInputOutputAlias(std::vector<InputOutputAlias>* aliases) {
  constexpr std::string_view kFormat =
      "Expected format: <output_shape_index>: (<input_param>, <input_param_shape_index>) OR "
      "<output_shape_index>: "
      "<input_param>";
  if (!Expect(TokKind::kLbrace, "Expects '{' at the start of aliasing description")) return false;
  while (kind() != TokKind::kRbrace) {
    InputOutputAlias& alias = aliases->emplace_back();
    if (!ParseShapeIndex(&alias.output_index) || !Expect(TokKind::kColon, kFormat) ||
        !Expect(TokKind::kLparen, kFormat) || !ParseValue(&alias.parameter_number) ||
        !Expect(TokKind::kComma, kFormat) || !ParseShapeIndex(&alias.parameter_index)) {
      return false;
    }
    if (Eat(TokKind::kComma)) {
      std::string_view word;
      if (!ParseName(&word)) return false;
      if (word != "must-alias" && word != "may-alias") {
        return TokenError("Unexpected aliasing kind; expected SYSTEM or USER");
      }
      alias.kind =
          word == "must-alias" ? InputOutputAlias::Kind::kMust : InputOutputAlias::Kind::kMay;
    }
    if (!Expect(TokKind::kRparen, kFormat)) return false;
    if (!Eat(TokKind::kComma)) break;
  }
  return Expect(TokKind::kRbrace, "Expects '}' at the end of aliasing description");
}

// '{' ('(' parameter ',' index ')') % ',' '}'
bool HloTextParser::ParseBufferDonors(std::vector<BufferDonor>* donors) {
  constexpr std::string_view kFormat =
      "Expected format: (<input_param>, <input_param_shape_index>)";
  if (!Expect(TokKind::kLbrace, "Expects '{' at the start of buffer donor description"))
    return false;
  while (kind() != TokKind::kRbrace) {
    BufferDonor& donor = donors->emplace_back();
    if (!Expect(TokKind::kLparen, kFormat) || !ParseValue(&donor.parameter_number) ||
        !Expect(TokKind::kComma, kFormat) || !ParseShapeIndex(&donor.parameter_index) ||
        !Expect(TokKind::kRparen, kFormat)) {
      return false;
    }
    if (!Eat(TokKind::kComma)) break;
  }
  return Expect(TokKind::kRbrace, "Expects '}' at the end of buffer donor description");
}

// '{' '(' shape % ',' ')' '->' shape '}'
bool HloTextParser::ParseProgramLayout(ProgramShape* layout) {
  if (!Expect(TokKind::kLbrace, "Expects '{' at the start of aliasing description") ||
      !Expect(TokKind::kLparen, "Expects ( before parameter shape list")) {
    return false;
  }
  while (kind() != TokKind::kRparen) {
    Shape parameter;
    if (!ParseShape(&parameter)) return false;
    layout->AddParameter(std::move(parameter), "");
    if (kind() == TokKind::kRparen) break;
    if (!Expect(TokKind::kComma, "Expects , between parameter shapes")) return false;
  }
  return Expect(TokKind::kRparen, "Expects ) at end of parameter shape list") &&
         Expect(TokKind::kArrow, "Expects -> before result shape") &&
         ParseShape(layout->mutable_result()) &&
         Expect(TokKind::kRbrace, "Expects '}' at the end of computation layouts");
}

// bool, or '{' bool % ',' '}'
bool HloTextParser::ParseBoolList(std::vector<bool>* values) {
  if (kind() == TokKind::kwTrue || kind() == TokKind::kwFalse) {
    values->push_back(kind() == TokKind::kwTrue);
    lexer_.Next();
    return true;
  }
  if (!Expect(TokKind::kLbrace, "Expected list of booleans or true/false value")) return false;
  return ParseBools(values) &&
         Expect(TokKind::kRbrace, "expected '}' to end boolean list attribute");
}

// ('true' | 'false') % ',' up to a closing brace
bool HloTextParser::ParseBools(std::vector<bool>* values) {
  if (kind() == TokKind::kRbrace) return true;
  do {
    if (kind() != TokKind::kwTrue && kind() != TokKind::kwFalse) return false;
    values->push_back(kind() == TokKind::kwTrue);
    lexer_.Next();
  } while (Eat(TokKind::kComma));
  return true;
}

// '{' (array ':' array (',' string)?)* '}'; the string is a module's text.
bool HloTextParser::ParseOriginRecoveryTable(std::vector<OriginRecoveryEntry>* table) {
  constexpr std::string_view kFormat =
      "Expected format: <original_array>: <original_array>, <HloModule>";
  if (!Expect(TokKind::kLbrace, "Expects '{'")) return false;
  while (kind() != TokKind::kRbrace) {
    OriginRecoveryEntry& entry = table->emplace_back();
    if (!ParseOriginalArray(&entry.old_value) || !Expect(TokKind::kColon, kFormat) ||
        !ParseOriginalArray(&entry.replacement)) {
      return false;
    }
    if (!Eat(TokKind::kComma)) continue;
    const Loc text_loc = loc();
    if (!ParseValue(&entry.recovery_module)) return false;
    const auto recovery = HloTextParser(entry.recovery_module, options_)
                              .ParseModuleText(std::make_unique<HloModule>("_"));
    if (!recovery.ok())
      return Error(text_loc, Cat("in the recovery module: ", recovery.status().message()));
    entry.recovery_module = (*recovery)->ToString();
  }
  lexer_.Next();
  return true;
}

}  // namespace xla::text
