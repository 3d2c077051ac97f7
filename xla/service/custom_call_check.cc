// SPDX-License-Identifier: Apache-2.0
#include "xla/service/custom_call_check.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/interpreter/builtin_custom_calls.h"

namespace xla {
namespace {

// Calls f with each instruction that a run of the module may reach.
template <typename F>
absl::Status ForEachLive(const HloModule& module, F f) {
  absl::flat_hash_set<const HloInstruction*> seen;
  absl::flat_hash_set<const HloComputation*> entered;
  std::vector<const HloInstruction*> pending;
  const auto add = [&](const HloInstruction* instruction) {
    if (seen.insert(instruction).second) pending.push_back(instruction);
  };
  const auto enter = [&](const HloComputation* computation) {
    if (!entered.insert(computation).second) return;
    add(computation->root_instruction());
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->HasSideEffect()) add(instruction);
    }
  };
  enter(module.entry_computation());
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    XLA_RETURN_IF_ERROR(f(*instruction));
    for (const HloInstruction* operand : instruction->operands()) add(operand);
    for (const HloInstruction* before : instruction->control_predecessors()) add(before);
    for (const HloComputation* called : instruction->called_computations()) enter(called);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckCustomCalls(const HloModule& module, const CustomCallRegistry& registry,
                              absl::FunctionRef<bool(absl::string_view target)> is_known) {
  return ForEachLive(module, [&](const HloInstruction& instruction) {
    if (instruction.opcode() != HloOpcode::kCustomCall) return absl::OkStatus();
    const auto& attributes = instruction.attributes<CustomCallAttributes>();
    const std::string& target = attributes.custom_call_target;
    // Passes write calls of our own, "xylem.bitcast" and the like.
    if (registry.Contains(target) || is_known(target) || absl::StartsWith(target, "xylem.") ||
        interpreter::FindBuiltinCustomCall(target) != nullptr) {
      return absl::OkStatus();
    }
    const bool is_typed = attributes.api_version == CustomCallApiVersion::API_VERSION_TYPED_FFI;
    return absl::NotFoundError(absl::StrCat(
        is_typed ? "No FFI handler registered for "
                 : "No registered implementation for untyped custom call to ",
        target, is_typed ? " on a platform Host" : " for Host", " (instruction ",
        instruction.name(), "); registered are: ",
        registry.empty() ? std::string("none") : absl::StrJoin(registry.Targets(), ", ")));
  });
}

absl::Status CheckCustomCalls(const HloModule& module, const CustomCallRegistry& registry) {
  return CheckCustomCalls(module, registry, [](absl::string_view) { return false; });
}

}  // namespace xla
