// SPDX-License-Identifier: Apache-2.0
// Attributes any instruction may have: metadata, frontend attributes, statistics, accuracy, origin
// (HLO text format, section 6).
#include <limits>
#include <utility>

#include "xla/hlo/text/parser_impl.h"

namespace xla::text {
namespace {

// In alphabetical order, as error messages list them.
enum CommonAttribute : uint8_t {
  kBackendConfig,
  kControlPredecessors,
  kFrontendAttributes,
  kMetadata,
  kOrigin,
  kParameterReplication,
  kResultAccuracy,
  kSharding,
  kStatistics,
};
constexpr std::string_view kCommonNames[] = {
    "backend_config", "control-predecessors",  "frontend_attributes", "metadata",
    "origin",         "parameter_replication", "result_accuracy",     "sharding",
    "statistics"};

}  // namespace

AttributeResult HloTextParser::ParseCommonAttribute(std::string_view name,
                                                    CommonAttributes* common) {
  uint32_t index = 0;
  while (index < std::size(kCommonNames) && kCommonNames[index] != name) ++index;
  if (index == std::size(kCommonNames)) return AttributeResult::kUnknown;
  if (index == kResultAccuracy && !common->accuracy_allowed) return AttributeResult::kUnknown;
  if (common->seen & (1u << index)) return AttributeResult::kRepeated;
  common->seen |= 1u << index;
  InstructionExtras& extras = common->Extras();
  bool ok = false;
  switch (static_cast<CommonAttribute>(index)) {
    case kBackendConfig:
      ok = ParseStringOrDict(&extras.backend_config);
      break;
    case kControlPredecessors:
      ok = ParseControlPredecessors(&common->control_predecessors);
      break;
    case kFrontendAttributes:
      ok = ParseFrontendAttributes(&extras.frontend_attributes);
      break;
    case kMetadata:
      ok = ParseMetadata(&extras.metadata.emplace());
      break;
    case kOrigin:
      ok = ParseOriginalValue(&extras.original_value.emplace());
      break;
    case kParameterReplication:
      ok = ParseParameterReplication(&extras.parameter_replication.emplace());
      break;
    case kResultAccuracy:
      ok = ParseResultAccuracy(&extras.result_accuracy);
      break;
    case kSharding:
      ok = ParseValue(&extras.sharding.emplace());
      break;
    case kStatistics:
      ok = ParseStatistics(&extras.statistics.emplace());
      break;
  }
  return ok ? AttributeResult::kParsed : AttributeResult::kFailed;
}

void HloTextParser::AppendCommonNames(const CommonAttributes& common, NameList* allowed) {
  for (uint32_t i = 0; i < std::size(kCommonNames); ++i) {
    if (i != kResultAccuracy || common.accuracy_allowed) allowed->push_back(kCommonNames[i]);
  }
}

bool HloTextParser::ParseMetadata(InstructionMetadata* metadata) {
  using Parser = HloTextParser;
  using Metadata = InstructionMetadata;
#define XLA_STRING(field)                                                        \
  {                                                                              \
#field, false, [](Parser & p, Metadata & m) {                                  \
     std::string value;                                                            \
     if (!p.ParseValue(&value)) return false;                                      \
     m.set_##field(std::move(value));                                              \
     return true;                                                                  \
   } \
  }
#define XLA_INT32(field)                                 \
  {                                                      \
#field, false, [](Parser& p, Metadata& m) {            \
     int64_t value;                                         \
     if (!p.ParseInt32(&value)) return false;               \
     m.set_##field(static_cast<int32_t>(value));                 \
     return true;                                           \
   } \
  }
  static constexpr NamedValue<Metadata> kMembers[] = {
      // By how often they are seen.
      XLA_STRING(op_name),
      XLA_INT32(stack_frame_id),
      XLA_STRING(op_type),
      XLA_STRING(source_file),
      XLA_INT32(source_line),
      XLA_INT32(source_end_line),
      XLA_INT32(source_column),
      XLA_INT32(source_end_column),
      {"profile_type", false,
       [](Parser& p, Metadata& m) {
         const Loc start = p.loc();
         Int64s types;
         if (!p.ParseValue(&types)) return false;
         for (int64_t type : types) {
           if (type != static_cast<int>(type) || !ProfileType_IsValid(static_cast<int>(type))) {
             return p.Error(start, Cat("unknown profile type ", type));
           }
           m.mutable_rare().profile_type.push_back(static_cast<ProfileType>(type));
         }
         return true;
       }},
      {"deduplicated_name", false,
       [](Parser& p, Metadata& m) { return p.ParseValue(&m.mutable_rare().deduplicated_name); }},
      {"scheduling_name", false,
       [](Parser& p, Metadata& m) { return p.ParseValue(&m.mutable_rare().scheduling_name); }},
      {"metadata_payload", false,
       [](Parser& p, Metadata& m) { return p.ParseValue(&m.mutable_rare().payload.emplace()); }},
  };
#undef XLA_STRING
#undef XLA_INT32
  return ParseRecord(kMembers, /*in_braces=*/true, metadata);
}

// {..}, or {{..}, {..}}
bool HloTextParser::ParseMetadataOrList(std::vector<InstructionMetadata>* metadata) {
  if (kind() != TokKind::kLbrace || lexer_.LookAhead() != TokKind::kLbrace) {
    return ParseMetadata(&metadata->emplace_back());
  }
  lexer_.Next();
  do {
    if (!ParseMetadata(&metadata->emplace_back())) return false;
  } while (Eat(TokKind::kComma));
  return Expect(TokKind::kRbrace, "expected '}' to end metadata list");
}

// '{' (name '=' (string | dict)) % ',' '}'
bool HloTextParser::ParseFrontendAttributes(std::map<std::string, std::string>* attributes) {
  if (!Expect(TokKind::kLbrace, "expected '{' to start frontend attributes")) return false;
  if (kind() != TokKind::kRbrace) {
    do {
      std::string_view name;
      if (!ParseAttributeName(&name) || !ParseStringOrDict(&(*attributes)[std::string(name)]))
        return false;
    } while (Eat(TokKind::kComma));
  }
  return Expect(TokKind::kRbrace, "expects '}' at the end of frontend attributes");
}

// '{' 'visualizing_index=' int (',' name '=' number)* '}'
// (Like XLA, this and the like leave it to the caller to name the attribute in which a value is
// missing.)
bool HloTextParser::ParseStatistics(Statistics* statistics) {
  if (!Expect(TokKind::kLbrace, "expected '{' to start statistics")) return false;
  if (kind() != TokKind::kRbrace) {
    std::string_view name;
    if (!ParseAttributeName(&name) || kind() != TokKind::kInt ||
        !ParseValue(&statistics->visualizing_index)) {
      return false;
    }
    while (Eat(TokKind::kComma)) {
      if (!ParseAttributeName(&name)) return false;
      double value;
      if (kind() == TokKind::kDecimal) {
        value = lexer_.token().decimal;
      } else if (kind() == TokKind::kInt) {
        value = static_cast<double>(lexer_.token().integer);
      } else {
        return false;
      }
      statistics->values.emplace_back(name, value);
      lexer_.Next();
    }
  }
  return Expect(TokKind::kRbrace, "expects '}' at the end of statistics");
}

// '{' ('mode=' word | 'tolerance=' tolerance) '}'
bool HloTextParser::ParseResultAccuracy(AccuracySpec* accuracy) {
  if (!Expect(TokKind::kLbrace, "expected '{' to start result precision list")) return false;
  std::string_view name;
  if (!ParseAttributeName(&name)) return TokenError("expects string for result_accuracy spec");
  if (name == "mode") {
    std::string_view word;
    if (!ParseIdent("ResultAccuracy type", &word)) return false;
    if (word != "default" && word != "highest") {
      return TokenError(
          Cat("expects ResultAccuracy type but sees: ", word, ", error: Unknown accuracy mode"));
    }
    accuracy->mode =
        word == "highest" ? AccuracySpec::Mode::kHighest : AccuracySpec::Mode::kDefault;
    lexer_.Next();
  } else if (name == "tolerance") {
    accuracy->mode = AccuracySpec::Mode::kTolerance;
    if (!ParseTolerance(accuracy)) return false;
  } else {
    return TokenError(Cat("invalid attribute name: ", name));
  }
  return Expect(TokKind::kRbrace, "expected '}' to end result_accuracy");
}

// '{' (('atol=' | 'rtol=' | 'ulps=') number) % ',' '}'
bool HloTextParser::ParseTolerance(AccuracySpec* accuracy) {
  if (!Expect(TokKind::kLbrace, "expected '{' to start result accuracy list")) return false;
  bool ok = true;
  if (kind() != TokKind::kRbrace) {
    do {
      std::string_view name;
      if (!ParseAttributeName(&name))
        return TokenError("expects string for result_accuracy tolerance type");
      const Loc value_loc = loc();
      if (name == "ulps") {
        if (kind() == TokKind::kInt) {
          ok &= ParseValue(&accuracy->ulps);
        } else {
          double ulps = 0;
          ok &= ParseValue(&ulps);
          // What holds it is an integer.
          if (!(ulps >= -9e18 && ulps <= 9e18))
            return Error(value_loc, "ulps is out of range for int64_t");
          accuracy->ulps = static_cast<int64_t>(ulps);
        }
      } else if (name == "rtol") {
        ok &= ParseValue(&accuracy->rtol);
      } else if (name == "atol") {
        ok &= ParseValue(&accuracy->atol);
      } else {
        return TokenError(Cat("invalid attribute name: ", name));
      }
    } while (Eat(TokKind::kComma));
  }
  return Expect(TokKind::kRbrace, "expects '}' at the end of result precision") && ok;
}

// '{' '[synthetic_call]' '}', or '{' node '}'
bool HloTextParser::ParseOriginalValue(OriginalValueTree* value) {
  if (!Expect(TokKind::kLbrace, "Expects '{' to start original value")) return false;
  if (Eat(TokKind::kLsquare)) {
    if (!AtIdent("synthetic_call")) {
      return TokenError("Expects 'synthetic_call' after '[' for a synthetic_call value.");
    }
    lexer_.Next();
    value->is_synthetic_call = true;
    return Expect(TokKind::kRsquare, "Expects ']' to end '[synthetic_call]'") &&
           Expect(TokKind::kRbrace, "Expects '}' to end original value");
  }
  if (kind() != TokKind::kRbrace && !ParseOriginalValueNode(&value->root)) return false;
  if (kind() != TokKind::kRbrace) {
    return TokenError(
        "Expects '[synthetic]' or a tuple tree of original arrays in original_value field.");
  }
  lexer_.Next();
  return true;
}

// '(' node % ',' ')', or an original array
bool HloTextParser::ParseOriginalValueNode(OriginalValueNode* node) {
  const Nesting nesting(this);
  if (nesting.TooDeep()) return false;
  if (kind() == TokKind::kLbrace) return ParseOriginalArray(node);
  if (!Expect(
          TokKind::kLparen,
          "Expects '[synthetic]' or a tuple tree of original arrays in original_value field.")) {
    return false;
  }
  node->is_tuple = true;
  if (kind() != TokKind::kRparen) {
    do {
      if (!ParseOriginalValueNode(&node->elements.emplace_back())) return false;
    } while (Eat(TokKind::kComma));
  }
  return Expect(TokKind::kRparen, "Expects ')' at the end of a tuple in original_value field.");
}

// '{' (string ('{' int % ',' '}')?)? '}'
bool HloTextParser::ParseOriginalArray(OriginalValueNode* node) {
  if (!Expect(TokKind::kLbrace, "Expects '{'")) return false;
  if (kind() == TokKind::kString) {
    if (!ParseValue(&node->instruction_name.emplace())) return false;
    if (kind() == TokKind::kLbrace && !ParseShapeIndex(&node->shape_index)) return false;
  }
  return Expect(TokKind::kRbrace, "Expects '} at end of OriginalArray'");
}

bool HloTextParser::ParseParameterReplication(std::vector<bool>* replication) {
  return Expect(TokKind::kLbrace, "expected '{' to start parameter_replication attribute") &&
         ParseBools(replication) &&
         Expect(TokKind::kRbrace, "expected '}' to end parameter_replication attribute");
}

// '{' name % ',' '}' of instructions of this computation.
bool HloTextParser::ParseControlPredecessors(std::vector<HloInstruction*>* predecessors) {
  if (!Expect(TokKind::kLbrace, "expects '{' at the beginning of instruction name list"))
    return false;
  const Loc start = loc();
  do {
    std::string_view name;
    if (!ParseName(&name)) return Error(start, "expects a instruction name");
    const auto it = current_->by_name.find(name);
    if (it == current_->by_name.end())
      return TokenError(Cat("instruction '", name, "' is not defined"));
    predecessors->push_back(it->second.instruction);
  } while (Eat(TokKind::kComma));
  return Expect(TokKind::kRbrace, "expects '}' at the end of instruction name list");
}

}  // namespace xla::text
