// SPDX-License-Identifier: Apache-2.0
// Verifier rules for calls, control flow and fusion.
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
absl::Status CheckConsistentSharding(const std::vector<const HloInstruction*>& instructions) {
  const HloInstruction* first = nullptr;
  for (const HloInstruction* instruction : instructions) {
    if (!instruction->has_sharding()) continue;
    if (first == nullptr) first = instruction;
    if (!(*first->extras().sharding == *instruction->extras().sharding)) {
      return InvalidArgument("Inconsistent sharding among instructions: %s has %s and %s has %s",
                             first->name(), first->extras().sharding->ToString(),
                             instruction->name(), instruction->extras().sharding->ToString());
    }
  }
  return absl::OkStatus();
}

}  // namespace

// A composite call has the name, attributes and version of the operation that it implements.
absl::Status CheckCall(const HloInstruction& instruction, const Context&) {
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
  return CheckConsistentSharding({&instruction, instruction.while_body()->root_instruction(),
                                  instruction.while_body()->parameter_instruction(0),
                                  instruction.while_condition()->parameter_instruction(0)});
}

absl::Status CheckConditional(const HloInstruction& instruction, const Context&) {
  std::vector<const HloInstruction*> instructions{&instruction};
  for (const HloComputation* branch : instruction.called_computations()) {
    instructions.push_back(branch->root_instruction());
  }
  return CheckConsistentSharding(instructions);
}

// Checks that a fusion has no dead instructions.
absl::Status CheckFusion(const HloInstruction& instruction, const Context&) {
  const HloComputation& fused = *instruction.called_computations()[0];
  if (fused.root_instruction()->user_count() != 0) {
    return InvalidArgument("Root %s of the fusion may not have users.",
                           fused.root_instruction()->name());
  }
  for (const HloInstruction* inner : fused.instructions()) {
    if (inner != fused.root_instruction() && inner->user_count() == 0) {
      return InvalidArgument("Non-root instruction %s of the fusion must have users.",
                             inner->name());
    }
  }
  return absl::OkStatus();
}

// The seed of the random generator comes as a custom call that XLA defines.
absl::Status CheckCustomCall(const HloInstruction& instruction, const Context&) {
  if (instruction.attributes<CustomCallAttributes>().custom_call_target != "GetRngSeed")
    return absl::OkStatus();
  if (instruction.operand_count() != 0) {
    return InvalidArgument("GetRngSeed custom call must have 0 operands, but has %d",
                           instruction.operand_count());
  }
  if (instruction.shape().element_type() != U64) {
    return InvalidArgument("GetRngSeed custom call must return U64 type, but got %s",
                           instruction.shape().ToString());
  }
  if (!ShapeUtil::IsScalar(instruction.shape())) {
    return InvalidArgument("GetRngSeed custom call must return a scalar, but got %s",
                           instruction.shape().ToString());
  }
  return absl::OkStatus();
}

}  // namespace xla::verifier
