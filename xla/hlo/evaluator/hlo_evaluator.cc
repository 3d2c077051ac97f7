// SPDX-License-Identifier: Apache-2.0
// Each evaluation makes a module of what is to be evaluated and runs it on the interpreter.
#include "xla/hlo/evaluator/hlo_evaluator.h"

#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/interpreter/interpreter.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::StatusOr<Literal> RunModule(HloModule* module, absl::Span<const Literal* const> arguments,
                                  const HloEvaluator::CustomCallHandler& custom_call_handler) {
  module->SetDefaultEntryLayout();
  InterpreterOptions options;
  if (custom_call_handler) {
    const CustomCallHandler run = [&](const HloInstruction& call,
                                      absl::Span<const LiteralSlice> operands,
                                      Literal* result) -> absl::Status {
      std::vector<Literal> copies;
      for (const LiteralSlice& operand : operands) copies.push_back(operand.Clone());
      std::vector<const Literal*> pointers;
      for (const Literal& copy : copies) pointers.push_back(&copy);
      XLA_ASSIGN_OR_RETURN(*result, custom_call_handler(&call, absl::MakeSpan(pointers)));
      return absl::OkStatus();
    };
    absl::flat_hash_set<std::string> targets;
    for (const HloComputation* computation : module->computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        if (instruction->opcode() != HloOpcode::kCustomCall) continue;
        const std::string& target = instruction->custom_call_target();
        if (targets.insert(target).second) options.custom_calls.emplace_back(target, run);
      }
    }
  }
  return Interpret(*module, arguments, options);
}

absl::Status CheckArguments(const HloComputation& computation,
                            absl::Span<const Literal* const> arguments) {
  const auto& parameters = computation.parameter_instructions();
  if (parameters.size() != arguments.size()) {
    return InvalidArgument("Expected %d argument%s, but got %d.", parameters.size(),
                           parameters.size() == 1 ? "" : "s", arguments.size());
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& expected = parameters[i]->shape();
    if (!ShapeUtil::Compatible(expected, arguments[i]->shape())) {
      return InvalidArgument(
          "Shape mismatch at parameter %d. Computation expected %s, but arg was %s.", i,
          ShapeUtil::HumanStringWithLayout(expected),
          ShapeUtil::HumanStringWithLayout(arguments[i]->shape()));
    }
  }
  return absl::OkStatus();
}

// What a bitcast gives depends on layouts.
absl::Status CheckBitcasts(const HloComputation& computation) {
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->opcode() != HloOpcode::kBitcast) continue;
    const Shape& operand = instruction->operand(0)->shape();
    if (operand.IsArray() && !ShapeUtil::IsEffectiveScalar(operand) && !operand.has_layout()) {
      return InvalidArgument(
          "Evaluator cannot evaluate bitcast for non-scalar operand without assigned layout.");
    }
  }
  return absl::OkStatus();
}

// Copies an instruction and what it depends on to a computation of another module.
class DependencyCopier {
 public:
  DependencyCopier(HloComputation* target, bool recursive,
                   const HloEvaluator::Substitutions& substitutions)
      : target_(target), recursive_(recursive), substitutions_(substitutions) {}

  absl::StatusOr<HloInstruction*> Copy(const HloInstruction* root) {
    // Operands first, without recursion: graphs may be deep.
    std::vector<const HloInstruction*> pending = {root};
    while (!pending.empty()) {
      const HloInstruction* next = pending.back();
      if (map_.Find(next) != nullptr) {
        pending.pop_back();
        continue;
      }
      if (const auto it = substitutions_.find(next); it != substitutions_.end()) {
        map_.instructions[next] = target_->AddInstruction(
            HloInstruction::CreateConstant(LiteralSlice(*it->second).Clone()));
        continue;
      }
      const HloInstruction* same = ArgumentOf(*next);
      if (same == nullptr) same = TupleElementOf(*next);
      if (same != nullptr) {
        if (HloInstruction* copy = map_.Find(same)) {
          map_.instructions[next] = copy;
        } else {
          pending.push_back(same);
        }
        continue;
      }
      XLA_RETURN_IF_ERROR(CheckEvaluable(*next, next == root));
      bool ready = true;
      for (const HloInstruction* operand : next->operands()) {
        if (map_.Find(operand) != nullptr) continue;
        pending.push_back(operand);
        ready = false;
      }
      if (!ready) continue;
      CopyOne(*next);
    }
    return map_.Find(root);
  }

 private:
  // What the only caller passes for a parameter; null if there are other callers.
  const HloInstruction* ArgumentOf(const HloInstruction& instruction) const {
    if (!recursive_ || instruction.opcode() != HloOpcode::kParameter ||
        instruction.parent() == nullptr || instruction.parent()->caller_count() != 1) {
      return nullptr;
    }
    const std::optional<HloInstruction*> call =
        instruction.parent()->GetUniqueCaller(HloOpcode::kCall);
    return call.has_value() ? (*call)->operand(instruction.parameter_number()) : nullptr;
  }

  // What a get-tuple-element gives, looking through tuples, of which other elements may not be
  // known; null if a tuple comes from another operation.
  const HloInstruction* TupleElementOf(const HloInstruction& instruction) const {
    if (!recursive_ || instruction.opcode() != HloOpcode::kGetTupleElement) return nullptr;
    std::vector<int64_t> indices;  // still to be taken, innermost last
    const HloInstruction* at = &instruction;
    while (at->opcode() == HloOpcode::kGetTupleElement ||
           (at->opcode() == HloOpcode::kTuple && !indices.empty())) {
      if (substitutions_.contains(at)) return nullptr;
      if (at->opcode() == HloOpcode::kGetTupleElement) {
        indices.push_back(at->tuple_index());
        at = at->operand(0);
      } else {
        at = at->operand(indices.back());
        indices.pop_back();
      }
    }
    return indices.empty() ? at : nullptr;
  }

  absl::Status CheckEvaluable(const HloInstruction& instruction, bool is_root) const {
    if (instruction.opcode() == HloOpcode::kParameter) {
      absl::Status error = absl::FailedPreconditionError(
          absl::StrCat("Cannot evaluate a parameter: ", instruction.ToShortString()));
      error.SetPayload(internal::kEvalErrorDetailUrl, absl::Cord(std::string(4, '\0')));
      return error;
    }
    if (!is_root && !recursive_ && !instruction.IsConstant()) {
      return absl::FailedPreconditionError("Not all operands are constants.");
    }
    return absl::OkStatus();
  }

  void CopyOne(const HloInstruction& instruction) {
    HloInstruction::InstructionVector operands;
    for (const HloInstruction* operand : instruction.operands()) {
      operands.push_back(map_.Find(operand));
    }
    for (const HloComputation* callee : instruction.called_computations()) {
      if (map_.Find(callee) == nullptr) CloneComputation(*callee, target_->parent(), &map_);
    }
    target_->AddInstruction(CloneInstruction(instruction, instruction.shape(), operands, &map_));
  }

  HloComputation* const target_;
  const bool recursive_;
  const HloEvaluator::Substitutions& substitutions_;
  CloneMap map_;
};

// The value of one operation on constants.
absl::StatusOr<Literal> EvaluateOn(HloOpcode opcode, std::initializer_list<const Literal*> operands,
                                   const Attributes& attributes) {
  std::vector<const Shape*> shapes;
  for (const Literal* operand : operands) shapes.push_back(&operand->shape());
  XLA_ASSIGN_OR_RETURN(
      const Shape shape,
      InferShape({.opcode = opcode, .operands = shapes, .attributes = attributes, .callees = {}}));
  HloModule module("evaluate");
  HloComputation* computation = module.AddComputation("evaluate");
  HloInstruction::InstructionVector constants;
  for (const Literal* operand : operands) {
    constants.push_back(
        computation->AddInstruction(HloInstruction::CreateConstant(operand->Clone())));
  }
  computation->set_root_instruction(
      computation->AddInstruction(HloInstruction::Create(opcode, shape, constants, attributes)));
  module.set_entry_computation(computation);
  return RunModule(&module, {}, nullptr);
}

}  // namespace

namespace internal {

const absl::string_view kEvalErrorDetailUrl = "EvalErrorDetailUrl";

// The payload is the enumerator's number, least significant byte first.
std::optional<EvalErrorDetail> ParseEvalErrorDetail(const absl::Status& error) {
  const absl::optional<absl::Cord> payload = error.GetPayload(kEvalErrorDetailUrl);
  if (!payload.has_value() || payload->size() != sizeof(EvalErrorDetail)) return std::nullopt;
  uint32_t number = 0;
  int shift = 0;
  for (const char byte : std::string(*payload)) {
    number |= uint32_t{static_cast<uint8_t>(byte)} << shift;
    shift += 8;
  }
  return static_cast<EvalErrorDetail>(number);
}

}  // namespace internal

bool HloEvaluator::IsOpcodeImplemented(HloOpcode opcode) {
  HloModule module("probe");
  HloComputation* computation = module.AddComputation("probe");
  computation->AddInstruction(HloInstruction::Create(opcode, ShapeUtil::MakeNil(), {}));
  return UnsupportedOpcodes(module).empty();
}

absl::StatusOr<Literal> HloEvaluator::Evaluate(const HloModule& module,
                                               absl::Span<const Literal* const> arguments) {
  return Evaluate(*module.entry_computation(), arguments);
}

absl::StatusOr<Literal> HloEvaluator::Evaluate(const HloComputation& computation,
                                               absl::Span<const Literal* const> arguments) {
  XLA_RETURN_IF_ERROR(CheckArguments(computation, arguments));
  XLA_RETURN_IF_ERROR(CheckBitcasts(computation));
  HloModule module("evaluate");
  if (computation.parent() != nullptr) {
    const HloModuleConfig& config = computation.parent()->config();
    module.config().set_replica_count(config.replica_count());
    module.config().set_num_partitions(config.num_partitions());
  }
  CloneMap map;
  module.set_entry_computation(CloneComputation(computation, &module, &map));
  for (HloComputation* clone : module.computations()) {
    for (HloInstruction* instruction : clone->instructions()) {
      if (!LayoutUtil::HasLayout(instruction->shape())) {
        LayoutUtil::SetToDefaultLayout(instruction->mutable_shape());
      }
    }
  }
  XLA_ASSIGN_OR_RETURN(Literal result, RunModule(&module, arguments, custom_call_handler_));
  if (trace_mac_handler_) TraceMACs(computation);
  return result;
}

absl::StatusOr<Literal> HloEvaluator::Evaluate(const HloInstruction* instruction,
                                               PrecomputedAnalyses,
                                               bool recursively_evaluate_nonconstant_operands,
                                               const Substitutions& substitutions) {
  HloModule module("evaluate");
  HloComputation* computation = module.AddComputation("evaluate");
  DependencyCopier copier(computation, recursively_evaluate_nonconstant_operands, substitutions);
  XLA_ASSIGN_OR_RETURN(HloInstruction * root, copier.Copy(instruction));
  computation->set_root_instruction(root);
  module.set_entry_computation(computation);
  return RunModule(&module, {}, custom_call_handler_);
}

bool HloEvaluator::TryEvaluate(const HloInstruction* instruction, Literal* result,
                               bool recursively_evaluate_nonconstant_operands) {
  absl::StatusOr<Literal> value =
      Evaluate(instruction, {}, recursively_evaluate_nonconstant_operands);
  if (!value.ok()) return false;
  *result = *std::move(value);
  return true;
}

absl::StatusOr<Literal> HloEvaluator::EvaluateElementwiseUnaryOp(HloOpcode opcode,
                                                                 const Literal& operand) {
  return EvaluateOn(opcode, {&operand}, NoAttributes{});
}

absl::StatusOr<Literal> HloEvaluator::EvaluateElementwiseBinaryOp(HloOpcode opcode,
                                                                  const Literal& lhs,
                                                                  const Literal& rhs) {
  return EvaluateOn(opcode, {&lhs, &rhs}, NoAttributes{});
}

absl::StatusOr<Literal> HloEvaluator::EvaluateElementwiseTernaryOp(HloOpcode opcode,
                                                                   const Literal& lhs,
                                                                   const Literal& rhs,
                                                                   const Literal& ehs) {
  return EvaluateOn(opcode, {&lhs, &rhs, &ehs}, NoAttributes{});
}

absl::StatusOr<Literal> HloEvaluator::EvaluateElementwiseCompareOp(ComparisonDirection direction,
                                                                   const Literal& lhs,
                                                                   const Literal& rhs) {
  return EvaluateOn(HloOpcode::kCompare, {&lhs, &rhs}, CompareAttributes{.direction = direction});
}

absl::StatusOr<Literal> HloEvaluator::EvaluateDotOp(const DotDimensionNumbers& numbers,
                                                    const PrecisionConfig&, const Literal& lhs,
                                                    const Literal& rhs) {
  DotAttributes attributes;
  attributes.lhs_batch_dims.assign(numbers.lhs_batch_dimensions().begin(),
                                   numbers.lhs_batch_dimensions().end());
  attributes.lhs_contracting_dims.assign(numbers.lhs_contracting_dimensions().begin(),
                                         numbers.lhs_contracting_dimensions().end());
  attributes.rhs_batch_dims.assign(numbers.rhs_batch_dimensions().begin(),
                                   numbers.rhs_batch_dimensions().end());
  attributes.rhs_contracting_dims.assign(numbers.rhs_contracting_dimensions().begin(),
                                         numbers.rhs_contracting_dimensions().end());
  return EvaluateOn(HloOpcode::kDot, {&lhs, &rhs}, std::move(attributes));
}

}  // namespace xla
