// SPDX-License-Identifier: Apache-2.0
// Lists of attributes, and the attributes of an operation by the description of its attribute
// struct.
#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_join.h"
#include "xla/hlo/text/parser_impl.h"

namespace xla::text {
namespace {

// Where XLA's text accepts other attributes than the operation's struct describes.
struct TextException {
  HloOpcode opcode;
  std::string_view name;
  bool is_accepted;  // accepted and dropped, or else not accepted
};
constexpr TextException kTextExceptions[] = {
    {HloOpcode::kRaggedDot, "algorithm", false},
    {HloOpcode::kRaggedAllToAll, "constrain_layout", false},
    {HloOpcode::kRaggedAllToAll, "dimensions", true},
    {HloOpcode::kCollectiveBroadcast, "constrain_layout", false},
    {HloOpcode::kReduceScatter, "mode", true},
    {HloOpcode::kAsyncUpdate, "output_to_operand_aliasing", false},
    {HloOpcode::kAsyncDone, "output_to_operand_aliasing", false},
};

bool IsHidden(HloOpcode opcode, const Field& field) {
  if (field.rule == FieldRule::kNotText) return true;
  for (const TextException& exception : kTextExceptions) {
    if (exception.opcode == opcode && !exception.is_accepted && exception.name == field.name)
      return true;
  }
  return false;
}

absl::Span<const CalleeSlot> SlotsOf(const InstructionDraft& draft) {
  // The name of the wrapped operation replaces the computation.
  if (draft.wraps_operation) return {};
  return CalleeSlots(GetOpInfo(draft.opcode).callees, draft.branch_index_is_pred);
}

// Visits the fields of an attribute struct; parses the one of the name asked for.
template <typename S>
class FieldParser {
 public:
  FieldParser(HloTextParser& parser, HloOpcode opcode, S& attributes, std::string_view name,
              uint32_t& seen)
      : parser_(parser), opcode_(opcode), attributes_(attributes), name_(name), seen_(seen) {}

  template <typename T>
  void operator()(const Field& field, T S::*member) {
    const uint32_t bit = 1u << index_++;
    if (field.name != name_ || IsHidden(opcode_, field)) return;
    if (seen_ & bit) {
      result = AttributeResult::kRepeated;
      return;
    }
    seen_ |= bit;
    bool ok;
    if (field.rule == FieldRule::kParseOnly) {
      ok = parser_.ParseCollectiveMode();
    } else {
      ok = parser_.ParseValue(&(attributes_.*member));
    }
    result = ok ? AttributeResult::kParsed : AttributeResult::kFailed;
  }

  AttributeResult result = AttributeResult::kUnknown;

 private:
  HloTextParser& parser_;
  HloOpcode opcode_;
  S& attributes_;
  std::string_view name_;
  uint32_t& seen_;
  int index_ = 0;
};

// Visits the fields of an attribute struct; lists names.
template <typename S>
struct NameCollector {
  const InstructionDraft& draft;
  NameList* allowed;
  NameList* missing;
  int index = 0;

  template <typename T>
  void operator()(const Field& field, T S::*) {
    const uint32_t bit = 1u << index++;
    if (IsHidden(draft.opcode, field)) return;
    if (allowed != nullptr) allowed->push_back(field.name);
    const bool is_optional = draft.dimensions_are_optional && field.name == "dimensions";
    if (field.rule == FieldRule::kRequired && !is_optional && !(draft.seen_fields & bit)) {
      missing->push_back(field.name);
    }
  }
};

void AppendNames(const InstructionDraft& draft, NameList* allowed, NameList* missing) {
  draft.attributes.visit([&](const auto& attributes) {
    using S = std::decay_t<decltype(attributes)>;
    NameCollector<S> collector{draft, allowed, missing};
    S::Describe(collector);
  });
  if (allowed != nullptr) {
    for (const TextException& exception : kTextExceptions) {
      if (exception.opcode == draft.opcode && exception.is_accepted)
        allowed->push_back(exception.name);
    }
  }
  uint32_t bit = 1;
  for (const CalleeSlot& slot : SlotsOf(draft)) {
    if (allowed != nullptr) allowed->push_back(slot.name);
    if (slot.is_required && !(draft.seen_callees & bit)) missing->push_back(slot.name);
    bit <<= 1;
  }
}

}  // namespace

AttributeResult HloTextParser::ParseCalleeAttribute(std::string_view name,
                                                    InstructionDraft* draft) {
  const absl::Span<const CalleeSlot> slots = SlotsOf(*draft);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name != name) continue;
    if (draft->seen_callees & (1u << i)) return AttributeResult::kRepeated;
    draft->seen_callees |= 1u << i;
    const bool ok =
        slots[i].is_list ? ParseCalleeList(&draft->callee_list) : ParseCallee(&draft->callees[i]);
    return ok ? AttributeResult::kParsed : AttributeResult::kFailed;
  }
  return AttributeResult::kUnknown;
}

AttributeResult HloTextParser::ParseOwnAttribute(std::string_view name, InstructionDraft* draft) {
  const AttributeResult result = draft->attributes.visit([&](auto& attributes) {
    using S = std::decay_t<decltype(attributes)>;
    FieldParser<S> parser(*this, draft->opcode, attributes, name, draft->seen_fields);
    S::Describe(parser);
    return parser.result;
  });
  if (result != AttributeResult::kUnknown) return result;

  for (const TextException& exception : kTextExceptions) {
    if (exception.opcode != draft->opcode || !exception.is_accepted || exception.name != name)
      continue;
    Int64s dropped;
    const bool ok = name == "mode" ? ParseCollectiveMode() : ParseValue(&dropped);
    return ok ? AttributeResult::kParsed : AttributeResult::kFailed;
  }
  return ParseCalleeAttribute(name, draft);
}

bool HloTextParser::ParseInstructionAttributes(absl::Span<InstructionDraft* const> drafts,
                                               CommonAttributes* common, bool allow_attributes) {
  for (const InstructionDraft* draft : drafts) {
    common->accuracy_allowed |= GetOpInfo(draft->opcode).Has(op_traits::kHasAccuracy);
  }
  return ParseAttributes(
      allow_attributes,
      [&](std::string_view name) {
        AttributeResult result = ParseCommonAttribute(name, common);
        // XLA writes the statistics of an async-start and of the operation it wraps, which are the
        // same, one after the other.
        if (result == AttributeResult::kRepeated && drafts.size() == 2 && name == "statistics") {
          return ParseStatistics(&common->Extras().statistics.emplace()) ? AttributeResult::kParsed
                                                                         : AttributeResult::kFailed;
        }
        for (size_t i = 0; i < drafts.size() && result == AttributeResult::kUnknown; ++i) {
          result = ParseOwnAttribute(name, drafts[i]);
        }
        return result;
      },
      [&](NameList* allowed, NameList* missing) {
        if (allowed != nullptr) AppendCommonNames(*common, allowed);
        for (const InstructionDraft* draft : drafts) AppendNames(*draft, allowed, missing);
      });
}

bool HloTextParser::ParseAttributes(bool allow_attributes,
                                    absl::FunctionRef<AttributeResult(std::string_view)> parse,
                                    absl::FunctionRef<void(NameList*, NameList*)> names) {
  const Loc start = loc();
  if (allow_attributes) {
    while (Eat(TokKind::kComma)) {
      if (!ParseOneAttribute(parse, names)) return false;
    }
  }
  NameList missing;
  names(nullptr, &missing);
  if (missing.empty()) return true;
  return Error(start, Cat("attribute ", *std::min_element(missing.begin(), missing.end()),
                          " is expected but not seen"));
}

bool HloTextParser::ParseSubAttributes(absl::FunctionRef<AttributeResult(std::string_view)> parse,
                                       absl::FunctionRef<void(NameList*, NameList*)> names) {
  const Loc start = loc();
  if (!Expect(TokKind::kLbrace, "expects '{' to start sub attributes")) return false;
  while (kind() != TokKind::kRbrace) {
    Eat(TokKind::kComma);
    if (!ParseOneAttribute(parse, names)) return false;
  }
  NameList missing;
  names(nullptr, &missing);
  if (!missing.empty()) {
    return Error(start, Cat("sub-attribute ", *std::min_element(missing.begin(), missing.end()),
                            " is expected but not seen"));
  }
  return Expect(TokKind::kRbrace, "expects '}' to end sub attributes");
}

bool HloTextParser::ParseOneAttribute(absl::FunctionRef<AttributeResult(std::string_view)> parse,
                                      absl::FunctionRef<void(NameList*, NameList*)> names) {
  const Loc name_loc = loc();
  std::string_view name;
  if (!ParseAttributeName(&name)) return Error(name_loc, "error parsing attributes");
  switch (parse(name)) {
    case AttributeResult::kParsed:
      return true;
    case AttributeResult::kFailed:
      return Error(name_loc, Cat("error parsing attribute ", name));
    case AttributeResult::kRepeated:
      return Error(name_loc, Cat("attribute ", name, " already exists"));
    case AttributeResult::kUnknown:
      break;
  }
  NameList allowed, missing;
  names(&allowed, &missing);
  std::sort(allowed.begin(), allowed.end());
  allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
  std::string list;
  for (std::string_view one : allowed) list += Cat(list.empty() ? "" : ", ", one);
  return Error(
      name_loc,
      Cat("unexpected attribute \"", name, "\". ",
          allowed.empty() ? "No attributes are allowed here." : "Allowed attributes: ", list));
}

}  // namespace xla::text
