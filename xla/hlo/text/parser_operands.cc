// SPDX-License-Identifier: Apache-2.0
// Operands: names with or without a shape, and instructions written in place.
#include <utility>

#include "xla/hlo/text/parser_impl.h"
#include "xla/shape_util.h"

namespace xla::text {

// The instruction of this name, checked against the shape written before it. Null, perhaps with an
// error noted.
HloInstruction* HloTextParser::FindInstruction(ComputationDraft* computation, std::string_view name,
                                               const Shape* shape) {
  const auto it = computation->by_name.find(name);
  if (name.empty() || it == computation->by_name.end()) {
    if (computation != single_instruction_draft_) return nullptr;
    if (shape == nullptr) {
      TokenError(
          "Operand had no shape in HLO text; cannot create parameter for single-instruction "
          "module.");
      return nullptr;
    }
    return MakeMissingParameter(computation, name, *shape);
  }
  HloInstruction* const instruction = it->second.instruction;
  if (shape != nullptr && !ShapeUtil::Compatible(instruction->shape(), *shape)) {
    TokenError(Cat("The declared operand shape ", shape->ToString(true),
                   " is not compatible with the shape of the operand instruction ",
                   instruction->shape().ToString(true), "."));
    return nullptr;
  }
  return instruction;
}

HloInstruction* HloTextParser::MakeMissingParameter(ComputationDraft* computation,
                                                    std::string_view name, const Shape& shape) {
  auto number = static_cast<int64_t>(computation->parameters.size());
  while (computation->parameters.contains(number)) ++number;
  if (name.empty()) name = Own(Cat("_", number));
  computation->parameters.emplace(number, loc());
  HloInstruction* const parameter =
      computation->Add(HloInstruction::CreateParameter(number, shape, name), name);
  computation->by_name[name] = {parameter, loc()};
  return parameter;
}

// shape? name. False without an error worth showing if this cannot be one.
bool HloTextParser::ParseNamedOperand(ComputationDraft* computation, InstructionDraft* draft) {
  const Loc start = loc();
  Shape shape;
  bool has_shape = false;
  if (CanBeShape()) {
    if (!ParseShape(&shape)) return false;
    has_shape = true;
  }
  std::string_view name;
  if (has_shape && computation == single_instruction_draft_ && kind() != TokKind::kIdent &&
      kind() != TokKind::kName) {
    TokenError("expects name");  // forgotten if the operand is good without one
  } else if (!ParseName(&name)) {
    return false;
  }
  // With something else after it, the name is an opcode; not that of a parameter to be made.
  const bool ends_here = kind() == TokKind::kComma || kind() == TokKind::kRparen;
  if (kind() == TokKind::kLparen && computation == single_instruction_draft_) return false;
  HloInstruction* const instruction =
      FindInstruction(computation, name, has_shape ? &shape : nullptr);
  if (instruction == nullptr) return Error(start, Cat("instruction does not exist: ", name));
  if (!ends_here) return false;
  draft->operands.push_back(instruction);
  return true;
}

bool HloTextParser::ParseOperand(ComputationDraft* computation, InstructionDraft* draft) {
  // Tries names first: they are far more common, and rejecting one is cheap.
  const Lexer::State start = lexer_.Save();
  const size_t known_errors = errors_.size();
  if (ParseNamedOperand(computation, draft)) {
    errors_.Truncate(known_errors);
    return true;
  }
  lexer_.Restore(start);
  HloInstruction* nested = nullptr;
  if (ParseInstructionRhs(computation, /*name=*/{}, loc(), /*allow_attributes=*/false, &nested)) {
    errors_.Truncate(known_errors);
    draft->operands.push_back(nested);
    return true;
  }
  // Reports why it is neither.
  errors_.Insert(known_errors, start.token.begin,
                 "cannot parse as an instruction name or as a nested instruction:");
  return false;
}

// A shape without a name stands for nothing, as in XLA, where the operands around it suffice.
bool HloTextParser::IsBareShape(const Lexer::State& start) {
  const Lexer::State here = lexer_.Save();
  const size_t known_errors = errors_.size();
  lexer_.Restore(start);
  Shape shape;
  const bool is_bare = CanBeShape() && ParseShape(&shape) &&
                       (kind() == TokKind::kComma || kind() == TokKind::kRparen);
  errors_.Truncate(known_errors);
  lexer_.Restore(here);
  return is_bare;
}

// '(' operand % ',' ')'
bool HloTextParser::ParseOperands(ComputationDraft* computation, InstructionDraft* draft) {
  const Nesting nesting(this);
  if (nesting.TooDeep()) return false;
  if (!Expect(TokKind::kLparen, "expects '(' at the beginning of operands")) return false;
  bool ok = true;
  if (kind() != TokKind::kRparen) {
    do {
      // As in XLA, parsing continues after a bad operand, so that later errors are reported, too.
      const Lexer::State start = lexer_.Save();
      if (!ParseOperand(computation, draft)) ok &= IsBareShape(start);
    } while (Eat(TokKind::kComma));
  }
  if (!Expect(TokKind::kRparen, "expects ')' at the end of operands")) return false;
  draft->has_bad_operands = !ok;
  return true;
}

}  // namespace xla::text
