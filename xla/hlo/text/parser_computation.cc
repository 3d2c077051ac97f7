// SPDX-License-Identifier: Apache-2.0
// Computations: ENTRY? name signature? { instructions }, and called computations by name or in
// place.
#include <utility>

#include "xla/hlo/text/parser_impl.h"
#include "xla/shape_util.h"

namespace xla::text {

ComputationDraft::~ComputationDraft() {
  while (!instructions.empty()) instructions.pop_back();
}

HloInstruction* ComputationDraft::Add(std::unique_ptr<HloInstruction> instruction,
                                      std::string_view name) {
  names.push_back(name);
  return instructions.emplace_back(std::move(instruction)).get();
}

bool HloTextParser::ParseComputations() {
  do {
    if (!ParseComputation()) return false;
  } while (kind() != TokKind::kEof);
  if (module_->entry_computation() == nullptr) module_->set_entry_computation(last_computation_);
  return true;
}

// ENTRY? name ('(' (name shape) % ',' ')' '->' shape)? instructions (',' 'execution_thread='
// string)?
bool HloTextParser::ParseComputation() {
  const Loc entry_loc = loc();
  const bool is_entry = Eat(TokKind::kwEntry);
  const Loc name_loc = loc();
  std::string_view name;
  if (!ParseName(&name)) return false;

  Loc result_loc = nullptr;
  Shape result;
  if (kind() == TokKind::kLparen) {
    lexer_.Next();
    if (kind() != TokKind::kRparen) {
      do {
        std::string_view parameter;
        Shape shape;
        if (!ParseName(&parameter) || !ParseShape(&shape)) return false;
      } while (Eat(TokKind::kComma));
    }
    if (!Expect(TokKind::kRparen, "expects ')' at the end of param list") ||
        !Expect(TokKind::kArrow, "expects '->'")) {
      return false;
    }
    result_loc = loc();
    if (!ParseShape(&result)) return false;
  }

  HloComputation* computation;
  if (!ParseInstructionList(name, &computation)) return false;
  const HloInstruction& root = *computation->root_instruction();
  if (result_loc != nullptr && !ShapeUtil::Compatible(root.shape(), result)) {
    return Error(result_loc, Cat("Shape of computation ", name, ", ", result.ToString(),
                                 ", is not compatible with that of its root instruction ",
                                 root.name(), ", ", root.shape().ToString()));
  }

  static constexpr NamedValue<std::string> kMembers[] = {
      {"execution_thread", false,
       [](HloTextParser& p, std::string& thread) { return p.ParseValue(&thread); }}};
  std::string thread;
  if (!ParseRecord(kMembers, /*in_braces=*/false, &thread)) return false;
  if (!thread.empty() && thread != "main") computation->SetExecutionThread(std::move(thread));

  if (is_entry) {
    if (module_->entry_computation() != nullptr) return Error(entry_loc, "expects only one ENTRY");
    module_->set_entry_computation(computation);
  }
  last_computation_ = computation;
  const auto [it, is_new] =
      computations_.try_emplace(name, NamedComputation{computation, name_loc});
  if (is_new) return true;
  Error(name_loc, Cat("computation already exists: ", name));
  return Error(it->second.loc, "computation previously defined here");
}

bool HloTextParser::ParseInstructionList(std::string_view name, HloComputation** computation) {
  if (!Expect(TokKind::kLbrace, "expects '{' at the beginning of instruction list.")) return false;
  ComputationDraft draft;
  ComputationDraft* const outer = std::exchange(current_, &draft);
  bool ok;
  do {
    ok = ParseInstruction(&draft);
  } while (ok && kind() != TokKind::kRbrace);
  current_ = outer;
  if (!ok) return false;
  lexer_.Next();
  *computation = module_->AddComputation(name);
  return FinishComputation(&draft, *computation);
}

// Moves the instructions of a complete draft into its computation.
bool HloTextParser::FinishComputation(ComputationDraft* draft, HloComputation* computation) {
  const auto count = static_cast<int64_t>(draft->parameters.size());
  for (const auto& [number, number_loc] : draft->parameters) {
    if (number >= count) {
      return Error(number_loc,
                   Cat("parameter number ", number, " is out of range: the computation has ", count,
                       " parameters, and their numbers must be dense"));
    }
  }
  HloInstruction* const last = draft->instructions.back().get();
  for (size_t i = 0; i < draft->instructions.size(); ++i) {
    computation->AddInstruction(std::move(draft->instructions[i]), draft->names[i]);
  }
  draft->instructions.clear();
  computation->set_root_instruction(draft->root != nullptr ? draft->root : last);
  for (const auto& [successor, predecessors] : draft->control_edges) {
    for (HloInstruction* predecessor : predecessors) {
      const absl::Status status = predecessor->AddControlDependencyTo(successor);
      if (!status.ok()) {
        return TokenError(Cat("error adding control dependency for: ", successor->name(),
                              " status: ", status.ToString()));
      }
    }
  }
  return true;
}

bool HloTextParser::ParseCallee(HloComputation** computation) {
  const Nesting nesting(this);
  if (nesting.TooDeep()) return false;
  if (kind() == TokKind::kLbrace) return ParseInstructionList("_", computation);
  const Loc name_loc = loc();
  std::string_view name;
  if (!ParseName(&name)) return Error(name_loc, "expects computation name");
  const auto it = computations_.find(name);
  if (it == computations_.end()) return Error(name_loc, Cat("computation does not exist: ", name));
  *computation = it->second.computation;
  return true;
}

bool HloTextParser::ParseCalleeList(std::vector<HloComputation*>* computations) {
  return ParseList(TokKind::kLbrace, TokKind::kRbrace, TokKind::kComma,
                   [&] { return ParseCallee(&computations->emplace_back()); });
}

}  // namespace xla::text
