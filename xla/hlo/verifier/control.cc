// SPDX-License-Identifier: Apache-2.0
// Verifier rules for calls, control flow and fusion.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

// Checks that all of the instructions that have a sharding have the same one.
absl::Status CheckConsistentSharding(const HloInstruction& parent,
                                     const std::vector<const HloInstruction*>& instructions) {
  const HloInstruction* first = nullptr;
  for (const HloInstruction* instruction : instructions) {
    if (!instruction->has_sharding()) continue;
    if (first == nullptr) first = instruction;
    if (!(*first->extras().sharding == *instruction->extras().sharding)) {
      return InvalidArgument("Inconsistent %s sharding among instructions: %s has %s and %s has %s",
                             std::string(HloOpcodeString(parent.opcode())), first->name(),
                             first->extras().sharding->ToString(), instruction->name(),
                             instruction->extras().sharding->ToString());
    }
  }
  return absl::OkStatus();
}

// Checks that a computation has one parameter for each of the operands from `first` on, of their
// shapes.
absl::Status CheckParameters(const HloInstruction& instruction, const HloComputation& computation,
                             int64_t first, int64_t count, const HloVerifierOptions& options) {
  if (computation.num_parameters() != count) {
    return InvalidArgument("Expected computation %s called from %s to have %d parameters, has %d",
                           computation.name(), instruction.name(), count,
                           computation.num_parameters());
  }
  for (int64_t i = 0; i < count; ++i) {
    const HloInstruction& operand = *instruction.operand(first + i);
    const HloInstruction& parameter = *computation.parameter_instruction(i);
    if (!SameShape(operand.shape(), parameter.shape(), options)) {
      return InvalidArgument("Operand %s shape does not match parameter's %s in %s",
                             operand.ToShortString(), parameter.ToShortString(),
                             instruction.ToShortString());
    }
  }
  return absl::OkStatus();
}

absl::Status CheckResult(const HloInstruction& instruction, const HloComputation& computation,
                         const HloVerifierOptions& options) {
  const Shape& result = computation.root_instruction()->shape();
  if (SameShape(instruction.shape(), result, options)) return absl::OkStatus();
  return WrongShape(instruction, result, options);
}

}  // namespace

absl::Status CheckCallSignature(const HloInstruction& instruction, const Context& context) {
  const HloComputation& callee = *instruction.to_apply();
  XLA_RETURN_IF_ERROR(
      CheckParameters(instruction, callee, 0, instruction.operand_count(), context.options));
  return CheckResult(instruction, callee, context.options);
}

absl::Status CheckWhileSignature(const HloInstruction& instruction, const Context& context) {
  const HloComputation& body = *instruction.while_body();
  const HloComputation& condition = *instruction.while_condition();
  XLA_RETURN_IF_ERROR(CheckParameters(instruction, body, 0, 1, context.options));
  XLA_RETURN_IF_ERROR(CheckParameters(instruction, condition, 0, 1, context.options));
  const Shape& decision = condition.root_instruction()->shape();
  if (!ShapeUtil::Compatible(decision, ShapeUtil::MakeShape(PRED, {}))) {
    return InvalidArgument(
        "Conditional computation shape does not lead to a scalar predicate shape: %s",
        decision.ToString());
  }
  return CheckResult(instruction, body, context.options);
}

absl::Status CheckConditionalSignature(const HloInstruction& instruction, const Context& context) {
  if (instruction.operand_count() == 0) {
    return InvalidArgument("Conditional expects a predicate or branch index.");
  }
  const Shape& selector = instruction.operand(0)->shape();
  if (!ShapeUtil::IsScalar(selector)) {
    return InvalidArgument("The first operand of conditional must be a scalar. Got %s",
                           selector.ToString());
  }
  if (selector.element_type() != PRED && selector.element_type() != S32) {
    return InvalidArgument(
        "The first operand of indexed conditional must be a scalar of S32. Got type %s.",
        PrimitiveType_Name(selector.element_type()));
  }
  const auto& branches = instruction.called_computations();
  // Shape inference states other counts.
  if (instruction.operand_count() != static_cast<int64_t>(branches.size()) + 1) {
    return absl::OkStatus();
  }
  for (size_t i = 0; i < branches.size(); ++i) {
    XLA_RETURN_IF_ERROR(CheckParameters(instruction, *branches[i], static_cast<int64_t>(i) + 1, 1,
                                        context.options));
    XLA_RETURN_IF_ERROR(CheckResult(instruction, *branches[i], context.options));
  }
  return absl::OkStatus();
}

absl::Status CheckFusionSignature(const HloInstruction& instruction, const Context& context) {
  const HloComputation& fused = *instruction.called_computations()[0];
  const Shape& result = fused.root_instruction()->shape();
  if (!SameShape(instruction.shape(), result, context.options)) {
    return InvalidArgument("Fused computation shape (%s) is not equal to the fusion shape (%s)",
                           result.ToString(true), instruction.shape().ToString(true));
  }
  const int64_t count = std::min(fused.num_parameters(), instruction.operand_count());
  for (int64_t i = 0; i < count; ++i) {
    const Shape& parameter = fused.parameter_instruction(i)->shape();
    const Shape& operand = instruction.operand(i)->shape();
    if (!SameShape(parameter, operand, context.options)) {
      return InvalidArgument(
          "Shape mismatch between parameter number %d and its operand in %s. (%s != %s)", i,
          instruction.ToShortString(), parameter.ToString(true), operand.ToString(true));
    }
  }
  return absl::OkStatus();
}

// XLA replaces other scans by loops before it assigns layouts.
absl::Status CheckScan(const HloInstruction& instruction, const Context& context) {
  if (!context.options.layout_sensitive ||
      instruction.attributes<ScanAttributes>().is_associative.value_or(false)) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "Non-associative scan reached layout-sensitive HloVerifier; it should have been expanded to "
      "a while loop by ScanExpander: %s",
      instruction.ToShortString());
}

// A composite call has the name, attributes and version of the operation that it implements.
absl::Status CheckCall(const HloInstruction& instruction, const Context&) {
  if (!instruction.attributes<CallAttributes>().output_to_operand_aliasing.empty()) {
    return InvalidArgument("Call instruction %s may not have an output-to-operand aliasing set.",
                           instruction.ToShortString());
  }
  if (!instruction.attributes<CallAttributes>().is_composite) return absl::OkStatus();
  const auto& attributes = instruction.extras().frontend_attributes;
  const auto name = attributes.find("composite.name");
  if (name == attributes.end() || name->second.empty()) {
    return InvalidArgument(
        "A composite call op must have frontend attributes with key composite.name whose value is "
        "non-empty");
  }
  const auto values = attributes.find("composite.attributes");
  if (values != attributes.end() && values->second.empty()) {
    return InvalidArgument(
        "A composite call op must have frontend attributes with key composite.attributes whose "
        "value is "
        "default: {} or non-empty");
  }
  const auto version = attributes.find("composite.version");
  int64_t number = 0;
  if (version != attributes.end() && (!absl::SimpleAtoi(version->second, &number) || number < 0)) {
    return InvalidArgument(
        "A composite call op must have frontend attributes with a composite.version whose value is "
        "a "
        "non-negative integer but got: %s",
        version->second);
  }
  return absl::OkStatus();
}

absl::Status CheckWhile(const HloInstruction& instruction, const Context&) {
  return CheckConsistentSharding(instruction,
                                 {&instruction, instruction.while_body()->root_instruction(),
                                  instruction.while_body()->parameter_instruction(0),
                                  instruction.while_condition()->parameter_instruction(0)});
}

absl::Status CheckConditional(const HloInstruction& instruction, const Context&) {
  std::vector<const HloInstruction*> instructions{&instruction};
  for (const HloComputation* branch : instruction.called_computations()) {
    instructions.push_back(branch->root_instruction());
  }
  return CheckConsistentSharding(instruction, instructions);
}

// Checks that a fusion has no dead instructions.
absl::Status CheckFusion(const HloInstruction& instruction, const Context&) {
  const HloComputation& fused = *instruction.called_computations()[0];
  if (fused.root_instruction()->user_count() != 0) {
    return InvalidArgument("Root of %s may not have users.", instruction.ToShortString());
  }
  for (const HloInstruction* inner : fused.instructions()) {
    if (inner != fused.root_instruction() && inner->user_count() == 0 &&
        !inner->HasSideEffectNoRecurse()) {
      return InvalidArgument("Non-root instruction %s in %s must have users.",
                             inner->ToShortString(), instruction.ToShortString());
    }
  }
  return absl::OkStatus();
}

// The seed of the random generator comes as a custom call that XLA defines.
absl::Status CheckCustomCall(const HloInstruction& instruction, const Context&) {
  if (instruction.attributes<CustomCallAttributes>().custom_call_target != "GetRngSeed")
    return absl::OkStatus();
  if (instruction.operand_count() != 0) {
    return Internal("GetRngSeed custom call must have 0 operands, but has %d",
                    instruction.operand_count());
  }
  if (instruction.shape().element_type() != U64) {
    return Internal("GetRngSeed custom call must return U64 type, but got %s",
                    instruction.shape().ToString());
  }
  if (!ShapeUtil::IsScalar(instruction.shape())) {
    return Internal("GetRngSeed custom call must return a scalar, but got %s",
                    instruction.shape().ToString());
  }
  return absl::OkStatus();
}

}  // namespace xla::verifier
