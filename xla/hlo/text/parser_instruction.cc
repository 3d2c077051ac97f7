// SPDX-License-Identifier: Apache-2.0
// One instruction: ROOT? name = shape? opcode(operands), attributes.
#include <utility>

#include "absl/strings/match.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/hlo/text/parser_impl.h"
#include "xla/hlo/text/printer_internal.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::text {
namespace {

// Sets the default layout on leaves without one.
void FillMissingLayouts(Shape* shape) {
  if (shape->IsTuple()) {
    for (int i = 0; i < shape->tuple_shapes_size(); ++i)
      FillMissingLayouts(shape->mutable_tuple_shapes(i));
  } else if (shape->IsArray() && !shape->has_layout()) {
    LayoutUtil::SetToDefaultLayout(shape);
  }
}

// Whether text may omit the shape. As in XLA, copy-done must have one although it could be
// inferred, and a broadcast may omit it, which is valid only from a scalar to a scalar.
bool CanInferShape(HloOpcode opcode) {
  if (opcode == HloOpcode::kCopyDone) return false;
  return GetOpInfo(opcode).Has(op_traits::kInferable) || opcode == HloOpcode::kBroadcast;
}

}  // namespace

bool HloTextParser::ParseInstruction(ComputationDraft* draft) {
  const Loc root_loc = loc();
  const bool is_root = Eat(TokKind::kwRoot);
  const Loc name_loc = loc();
  std::string_view name;
  if (!ParseName(&name) || !Expect(TokKind::kEqual, "expects '=' in instruction")) return false;
  if (is_root) {
    if (draft->has_root) return Error(root_loc, "one computation should have only one ROOT");
    draft->has_root = true;
  }
  HloInstruction* instruction;
  if (!ParseInstructionRhs(draft, name, name_loc, /*allow_attributes=*/true, &instruction))
    return false;
  if (is_root) draft->root = instruction;
  return true;
}

bool HloTextParser::ParseInstructionRhs(ComputationDraft* computation, std::string_view name,
                                        Loc name_loc, bool allow_attributes,
                                        HloInstruction** result) {
  const Nesting nesting(this);
  if (nesting.TooDeep()) return false;

  Shape shape;
  const bool has_shape = CanBeShape();
  if (has_shape && !ParseShape(&shape)) return false;
  HloOpcode opcode;
  std::optional<HloOpcode> wrapped_opcode;
  if (!ParseOpcode(&opcode, &wrapped_opcode)) return false;
  if (!has_shape && !CanInferShape(opcode)) {
    return TokenError(Cat("cannot infer shape for opcode: ", HloOpcodeString(opcode)));
  }

  InstructionDraft draft(opcode);
  draft.has_shape = has_shape;
  draft.shape = std::move(shape);
  CommonAttributes common;
  bool ok;
  switch (opcode) {
    case HloOpcode::kParameter:
      ok = ParseParameter(computation, &draft, &common, allow_attributes);
      break;
    case HloOpcode::kConstant:
      ok = ParseConstant(&draft, &common, allow_attributes);
      break;
    default:
      ok = HloOpcodeIsAsync(opcode)
               ? ParseAsync(computation, &draft, wrapped_opcode, &common, allow_attributes)
               : ParseOperation(computation, &draft, &common, allow_attributes);
      break;
  }
  if (!ok) return false;

  if (name.empty()) {
    name = NameForAnonymous(*computation, opcode);
  } else if (!CheckName(name, name_loc)) {
    return false;
  }
  HloInstruction* const instruction = computation->Add(Build(&draft), name);
  if (!ApplyCommonAttributes(&common, instruction)) return false;
  if (!common.control_predecessors.empty()) {
    computation->control_edges.push_back({instruction, std::move(common.control_predecessors)});
  }
  const auto [it, is_new] = computation->by_name.try_emplace(
      name, ComputationDraft::NamedInstruction{instruction, name_loc});
  if (!is_new) {
    Error(name_loc, Cat("instruction already exists: ", name));
    return Error(it->second.loc, "instruction previously defined here");
  }
  *result = instruction;
  return true;
}

// An opcode, or an opcode with -start, -update or -done for the async form of any operation.
bool HloTextParser::ParseOpcode(HloOpcode* opcode, std::optional<HloOpcode>* wrapped) {
  std::string_view word;
  if (!ParseIdent("opcode", &word)) return false;
  if (const std::optional<HloOpcode> found = FindHloOpcode(word)) {
    *opcode = *found;
    lexer_.Next();
    return true;
  }
  struct AsyncForm {
    std::string_view suffix;
    HloOpcode opcode;
  };
  static constexpr AsyncForm kForms[] = {{"-start", HloOpcode::kAsyncStart},
                                         {"-update", HloOpcode::kAsyncUpdate},
                                         {"-done", HloOpcode::kAsyncDone}};
  for (const AsyncForm& form : kForms) {
    if (!word.ends_with(form.suffix)) continue;
    const std::string_view operation = word.substr(0, word.size() - form.suffix.size());
    if (HasAsyncOpcodes(operation)) break;
    *opcode = form.opcode;
    *wrapped = FindHloOpcode(operation);
    if (!wrapped->has_value()) {
      return TokenError(Cat("expects async wrapped opcode but sees: ", word,
                            ", error: Unknown opcode: ", operation));
    }
    lexer_.Next();
    return true;
  }
  return TokenError(Cat("expects opcode but sees: ", word, ", error: Unknown opcode: ", word));
}

// '(' number ')'
bool HloTextParser::ParseParameter(ComputationDraft* computation, InstructionDraft* draft,
                                   CommonAttributes* common, bool allow_attributes) {
  int64_t number;
  if (!Expect(TokKind::kLparen, "expects '(' before parameter number") || !ParseValue(&number))
    return false;
  const Loc after_number = loc();
  if (number < 0) return Error(after_number, "parameter number must be >= 0");
  InstructionDraft* const drafts[] = {draft};
  if (!Expect(TokKind::kRparen, "expects ')' after parameter number") ||
      !ParseInstructionAttributes(drafts, common, allow_attributes)) {
    return false;
  }
  if (!computation->parameters.emplace(number, after_number).second) {
    return Error(after_number, Cat("Duplicate parameter number ", number));
  }
  draft->attributes = ParameterAttributes{number};
  return true;
}

// '(' literal ')'
bool HloTextParser::ParseConstant(InstructionDraft* draft, CommonAttributes* common,
                                  bool allow_attributes) {
  Literal literal;
  InstructionDraft* const drafts[] = {draft};
  has_bad_literal_ = false;
  if (!Expect(TokKind::kLparen, "expects '(' before constant literal") ||
      !ParseLiteral(draft->shape, &literal) ||
      !Expect(TokKind::kRparen, "expects ')' after constant literal") ||
      !ParseInstructionAttributes(drafts, common, allow_attributes) || has_bad_literal_) {
    return false;
  }
  auto shared = std::make_shared<const Literal>(std::move(literal));
  draft->shape = shared->shape();
  draft->attributes = ConstantAttributes{LiteralRef{std::move(shared)}};
  return true;
}

bool HloTextParser::ParseOperation(ComputationDraft* computation, InstructionDraft* draft,
                                   CommonAttributes* common, bool allow_attributes) {
  const Loc operands_loc = loc();
  const size_t known_errors = errors_.size();
  if (!ParseOperands(computation, draft) || !CheckOperandCount(operands_loc, *draft) ||
      !CheckBeforeAttributes(draft)) {
    return false;
  }
  if (!draft->has_bad_operands) errors_.Truncate(known_errors);
  InstructionDraft* const drafts[] = {draft};
  if (!ParseInstructionAttributes(drafts, common, allow_attributes) ||
      !CheckAfterAttributes(*draft) || draft->has_bad_operands) {
    return false;
  }
  SetImpliedAttributes(draft);
  return InferMissingShape(draft);
}

const ProgramShape& HloTextParser::SignatureOf(HloComputation* computation) {
  std::unique_ptr<ProgramShape>& signature = signatures_[computation];
  if (signature == nullptr)
    signature = std::make_unique<ProgramShape>(computation->ComputeProgramShape());
  return *signature;
}

// Subtracts a shape that the text does not spell out, or a part of it, from the budget.
bool HloTextParser::ChargeShape(const Shape& shape) {
  constexpr int64_t kMaxParts = int64_t{1} << 20, kPartsPerTextByte = 16;
  const int64_t budget = kMaxParts + lexer_.TextSize() * kPartsPerTextByte;
  implied_shape_parts_ += ShapeUtil::SubshapeCount(shape);
  return implied_shape_parts_ <= budget ||
         TokenError(Cat("the tuple shapes that this text implies have more than the ", budget,
                        " parts allowed for them"));
}

bool HloTextParser::InferMissingShape(InstructionDraft* draft) {
  if (draft->has_shape) {
    SetImpliedShape(draft);
    return true;
  }
  if (draft->opcode == HloOpcode::kBroadcast) {
    if (!ShapeUtil::IsScalar(draft->operands[0]->shape()) ||
        !draft->attributes.get<DimensionListAttributes>().dimensions.empty()) {
      return TokenError("cannot infer shape for opcode: broadcast");
    }
    draft->shape = draft->operands[0]->shape();
    return true;
  }
  absl::InlinedVector<const Shape*, 4> operands;
  for (const HloInstruction* operand : draft->operands) {
    operands.push_back(&operand->shape());
    if (draft->opcode == HloOpcode::kTuple && !ChargeShape(operand->shape())) return false;
  }
  absl::InlinedVector<const ProgramShape*, 2> callees;
  for (HloComputation* callee : draft->callees) {
    if (callee != nullptr) callees.push_back(&SignatureOf(callee));
  }
  for (HloComputation* callee : draft->callee_list) callees.push_back(&SignatureOf(callee));
  auto inferred = InferShape({.opcode = draft->opcode,
                              .operands = operands,
                              .attributes = draft->attributes,
                              .callees = callees});
  if (!inferred.ok()) {
    return TokenError(Cat("failed to infer shape for opcode: ", HloOpcodeString(draft->opcode),
                          ", error: ", inferred.status().message()));
  }
  draft->shape = *std::move(inferred);
  if (draft->opcode != HloOpcode::kTuple && draft->shape.IsTuple() && !ChargeShape(draft->shape)) {
    return false;
  }
  if (options_.fill_missing_layouts) FillMissingLayouts(&draft->shape);
  return true;
}

std::unique_ptr<HloInstruction> HloTextParser::Build(InstructionDraft* draft) {
  absl::InlinedVector<HloComputation*, 2> called;
  for (HloComputation* callee : draft->callees) {
    if (callee != nullptr) called.push_back(callee);
  }
  called.insert(called.end(), draft->callee_list.begin(), draft->callee_list.end());
  return HloInstruction::Create(draft->opcode, std::move(draft->shape), draft->operands,
                                std::move(draft->attributes), called);
}

// Rejects names that would parse as something else, or that are reserved for compilers.
bool HloTextParser::CheckName(std::string_view name, Loc name_loc) {
  std::string legal(name);
  if (primitive_util::IsPrimitiveTypeName(View(name)) && name != "tuple" && name != "buffer")
    legal += '_';
  if (name.starts_with("__") && !name.starts_with("__xla_")) legal[0] = 'a';
  if (legal == name) return true;
  return Error(name_loc, Cat("illegal instruction name: ", name, "; suggest renaming to: ", legal));
}

// "add.anon", "add.anon.1", ...
std::string_view HloTextParser::NameForAnonymous(const ComputationDraft& computation,
                                                 HloOpcode opcode) {
  const std::string prefix = Cat(HloOpcodeString(opcode), ".anon");
  int64_t& count = anonymous_names_[prefix];
  std::string name;
  do {
    name = count == 0 ? prefix : Cat(prefix, ".", count);
    ++count;
  } while (computation.by_name.contains(name));
  return Own(std::move(name));
}

bool HloTextParser::ApplyCommonAttributes(CommonAttributes* common, HloInstruction* instruction) {
  if (common->extras == nullptr) return true;
  InstructionExtras& extras = *common->extras;
  if (extras.sharding && instruction->shape().IsTuple()) {
    extras.sharding = extras.sharding->NormalizeTupleSharding(instruction->shape());
  }
  if (extras.parameter_replication) {
    const int64_t leaves = ShapeUtil::GetLeafCount(instruction->shape());
    const auto given = static_cast<int64_t>(extras.parameter_replication->size());
    if (leaves != given) {
      return TokenError(Cat("parameter has ", leaves,
                            " leaf buffers, but parameter_replication has ", given, " elements."));
    }
  }
  if (extras.metadata && single_instruction_draft_ == nullptr) {
    // As in XLA, a frame that the table lacks is forgotten.
    const auto frames = static_cast<int64_t>(module_->stack_frames().frames.size());
    const int64_t frame = extras.metadata->stack_frame_id();
    if (frame < 0 || frame > frames) extras.metadata->set_stack_frame_id(0);
  }
  // Optional data of an async instruction applies to the wrapped operation.
  if (HloInstruction* const start = AsyncStartOf(instruction)) {
    HloInstruction* const operation = start->called_computations()[0]->root_instruction();
    InstructionExtras& wrapped = operation->mutable_extras();
    if (extras.metadata) wrapped.metadata = extras.metadata;
    if (extras.original_value) wrapped.original_value = extras.original_value;
    if (!extras.backend_config.empty()) wrapped.backend_config = extras.backend_config;
    if (!extras.frontend_attributes.empty())
      wrapped.frontend_attributes = extras.frontend_attributes;
    if (extras.statistics) wrapped.statistics = extras.statistics;
    // Accuracy applies to the operation only.
    if (extras.result_accuracy != AccuracySpec{})
      wrapped.result_accuracy = std::exchange(extras.result_accuracy, {});
  }
  instruction->mutable_extras() = std::move(extras);
  return true;
}

}  // namespace xla::text
