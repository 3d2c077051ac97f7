// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/lowering.h"

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

namespace xla::cpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kKinds = {"structure", "forwarded", "folded",
                                                    "finished",  "kernel",    "library"};
constexpr std::array<std::string_view, 4> kFoldings = {"memory", "transposed", "scaled", "index"};

template <typename Names>
std::optional<size_t> Find(const Names& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<size_t>(found - names.begin());
}

// Returns "transposed", or the factor of kScaled.
Json ToJson(const FoldedOperand& operand) {
  if (operand.kind == FoldedOperand::Kind::kScaled) return operand.scale;
  return kFoldings[static_cast<size_t>(operand.kind)];
}

class Reader {
 public:
  absl::StatusOr<Lowering> Read(const Json& json) {
    if (!json.is_object() || json.size() != 1 || !json.contains("lowering") ||
        !json["lowering"].is_object()) {
      return absl::InvalidArgumentError("a lowering is a dictionary with the one key \"lowering\"");
    }
    for (const auto& [key, value] : json["lowering"].items()) {
      if (!ReadField(key, value)) {
        return absl::InvalidArgumentError(
            absl::StrCat("lowering: the field \"", key, "\" is unknown or has an invalid value: ",
                         value.dump(-1, ' ', true, Json::error_handler_t::replace)));
      }
    }
    return std::move(lowering_);
  }

 private:
  bool ReadField(const std::string& key, const Json& value) {
    if (key == "kind") return ReadKind(value);
    if (key == "forwards") return ReadInteger(value, lowering_.forwards);
    if (key == "folding") return ReadFolding(value, lowering_.folding);
    if (key == "strategy") return ReadString(value, lowering_.strategy);
    if (key == "epilogue_of") return ReadInteger(value, lowering_.epilogue_of);
    if (key == "updated") return ReadList(value, lowering_.updated, ReadInteger);
    if (key == "may_share") return ReadList(value, lowering_.may_share, ReadPair);
    if (key == "library") return ReadString(value, lowering_.library);
    if (key == "operands") return ReadList(value, lowering_.operands, ReadFolding);
    if (key == "unused") return ReadList(value, lowering_.unused, ReadInteger);
    if (key != "comparator" || !value.is_boolean()) return false;
    lowering_.needs_comparator = value.get<bool>();
    return true;
  }

  bool ReadKind(const Json& value) {
    const auto kind = value.is_string() ? Find(kKinds, value.get<std::string>()) : std::nullopt;
    if (kind.has_value()) lowering_.kind = static_cast<Lowering::Kind>(*kind);
    return kind.has_value();
  }

  static bool ReadString(const Json& value, std::string& string) {
    if (!value.is_string()) return false;
    string = value.get<std::string>();
    return true;
  }
  static bool ReadInteger(const Json& value, int64_t& integer) {
    if (!value.is_number_integer()) return false;
    integer = value.get<int64_t>();
    return true;
  }
  static bool ReadPair(const Json& value, std::pair<int64_t, int64_t>& pair) {
    return value.is_array() && value.size() == 2 && ReadInteger(value[0], pair.first) &&
           ReadInteger(value[1], pair.second);
  }
  static bool ReadFolding(const Json& value, FoldedOperand& operand) {
    if (value.is_number()) {
      operand = {FoldedOperand::Kind::kScaled, value.get<double>()};
      return true;
    }
    const auto kind = value.is_string() ? Find(kFoldings, value.get<std::string>()) : std::nullopt;
    if (kind.has_value()) operand.kind = static_cast<FoldedOperand::Kind>(*kind);
    return kind.has_value();
  }
  template <typename T, typename Read>
  static bool ReadList(const Json& value, std::vector<T>& list, Read read) {
    if (!value.is_array()) return false;
    for (const Json& element : value) {
      if (!read(element, list.emplace_back())) return false;
    }
    return true;
  }

  Lowering lowering_;
};

}  // namespace

std::string_view Lowering::KindName(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

FoldedOperand Lowering::OperandAt(int64_t operand) const {
  const auto i = static_cast<size_t>(operand);
  return i < operands.size() ? operands[i] : FoldedOperand();
}

bool Lowering::IsUnused(int64_t result) const { return absl::c_binary_search(unused, result); }

bool Lowering::MayShare(int64_t operand, int64_t result) const {
  return absl::c_binary_search(may_share, std::pair(operand, result));
}

bool Lowering::IsFree() const {
  return kind == Kind::kForwarded || kind == Kind::kFolded || kind == Kind::kFinished;
}

bool Lowering::operator==(const Lowering& other) const {
  return kind == other.kind && forwards == other.forwards && folding == other.folding &&
         strategy == other.strategy && epilogue_of == other.epilogue_of &&
         updated == other.updated && may_share == other.may_share && library == other.library &&
         operands == other.operands && needs_comparator == other.needs_comparator &&
         unused == other.unused;
}

std::string Lowering::ToString() const {
  if (kind == Kind::kStructure) return "";
  Json fields;
  fields["kind"] = KindName(kind);
  if (forwards >= 0) fields["forwards"] = forwards;
  if (folding.kind != FoldedOperand::Kind::kNone) fields["folding"] = ToJson(folding);
  if (!strategy.empty()) fields["strategy"] = strategy;
  if (epilogue_of >= 0) fields["epilogue_of"] = epilogue_of;
  if (!updated.empty()) fields["updated"] = updated;
  if (!may_share.empty()) fields["may_share"] = may_share;
  if (!library.empty()) fields["library"] = library;
  const bool folds = absl::c_any_of(
      operands, [](const FoldedOperand& o) { return o.kind != FoldedOperand::Kind::kNone; });
  for (size_t i = 0; folds && i < operands.size(); ++i)
    fields["operands"].push_back(ToJson(operands[i]));
  if (needs_comparator) fields["comparator"] = true;
  if (!unused.empty()) fields["unused"] = unused;
  return Json{{"lowering", fields}}.dump(-1, ' ', true, Json::error_handler_t::replace);
}

const Lowering& LoweringOf(const HloInstruction& instruction) {
  static const Lowering* const structure = new Lowering();
  const BackendDecision* const decision = instruction.extras().backend_decision.get();
  const auto* const lowering = dynamic_cast<const Lowering*>(decision);
  return lowering == nullptr ? *structure : *lowering;
}

absl::StatusOr<Lowering> ParseLowering(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InvalidArgumentError("a lowering is not valid JSON");
  return Reader().Read(json);
}

namespace {

// All instructions, by the names of their computations and their own: files keep names, but not the
// order of computations.
std::vector<HloInstruction*> InstructionsByName(const HloModule& module) {
  std::vector<HloInstruction*> instructions;
  for (const HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions())
      instructions.push_back(instruction);
  }
  absl::c_stable_sort(instructions, [](const HloInstruction* a, const HloInstruction* b) {
    const int order = a->parent()->name().compare(b->parent()->name());
    return order != 0 ? order < 0 : a->name() < b->name();
  });
  return instructions;
}

}  // namespace

std::vector<std::string> LoweringTexts(const HloModule& module) {
  std::vector<std::string> texts;
  for (const HloInstruction* instruction : InstructionsByName(module))
    texts.push_back(LoweringOf(*instruction).ToString());
  return texts;
}

absl::Status SetLowerings(absl::Span<const std::string> texts, HloModule* module) {
  const std::vector<HloInstruction*> instructions = InstructionsByName(*module);
  if (texts.size() != instructions.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(texts.size(), " lowerings for ", instructions.size(), " instructions"));
  }
  absl::flat_hash_map<std::string_view, std::shared_ptr<const Lowering>> parsed;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    std::shared_ptr<const Lowering>& lowering = parsed[texts[i]];
    if (lowering == nullptr) {
      XLA_ASSIGN_OR_RETURN(Lowering read, ParseLowering(texts[i]));
      lowering = std::make_shared<const Lowering>(std::move(read));
    }
    const int64_t operands = instructions[i]->operand_count();
    if (lowering->forwards >= operands || lowering->epilogue_of >= operands) {
      return absl::InvalidArgumentError(absl::StrCat("the lowering of ", instructions[i]->name(),
                                                     " refers to an operand that it has not"));
    }
    instructions[i]->mutable_extras().backend_decision = lowering;
  }
  return absl::OkStatus();
}

const HloInstruction* FinishedContraction(const HloInstruction& fusion) {
  const int64_t operand = LoweringOf(fusion).epilogue_of;
  if (operand < 0) return nullptr;
  const HloInstruction* contraction = fusion.operand(operand);
  while (LoweringOf(*contraction).kind == Lowering::Kind::kForwarded)
    contraction = contraction->operand(LoweringOf(*contraction).forwards);
  return contraction;
}

}  // namespace xla::cpu
