// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/clone.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/hlo/ir/ir_internal.h"

namespace xla {
namespace {

std::string NameOfCopy(const std::string& name, const CloneOptions& options) {
  return options.suffix.empty() ? name : absl::StrCat(name, ".", std::string(options.suffix));
}

bool HasUnmappedCallee(const HloComputation& computation, const CloneMap& map) {
  for (const HloInstruction* instruction : computation.instructions()) {
    for (const HloComputation* callee : instruction->called_computations()) {
      if (map.Find(callee) == nullptr) return true;
    }
  }
  return false;
}

}  // namespace

namespace ir_internal {

// The friend of the IR classes that may set what is else derived.
struct CloneAccess {
  static void CopyIdentity(const HloInstruction& original, HloInstruction* copy) {
    copy->name_ = original.name_;
    copy->unique_id_ = original.unique_id_;
  }
  static void CopyIdentity(const HloComputation& original, HloComputation* copy) {
    copy->name_ = original.name_;
    copy->unique_id_ = original.unique_id_;
  }
  // Control dependencies in the order of the original's lists.
  static void CopyControl(const HloInstruction& original, HloInstruction* copy,
                          const CloneMap& map) {
    for (const HloInstruction* predecessor : original.control_predecessors()) {
      copy->mutable_extras().control_predecessors.push_back(map.Find(predecessor));
    }
    for (const HloInstruction* successor : original.control_successors()) {
      copy->mutable_extras().control_successors.push_back(map.Find(successor));
    }
  }
};

}  // namespace ir_internal

std::unique_ptr<HloInstruction> CloneInstruction(const HloInstruction& original, const Shape& shape,
                                                 absl::Span<HloInstruction* const> operands,
                                                 CloneMap* map) {
  std::unique_ptr<HloInstruction> copy = original.CloneWithNewOperands(shape, operands);
  for (size_t i = 0; i < original.called_computations().size(); ++i) {
    if (HloComputation* callee = map->Find(original.called_computations()[i])) {
      copy->set_called_computation(static_cast<int64_t>(i), callee);
    }
  }
  map->instructions[&original] = copy.get();
  return copy;
}

HloInstruction* CloneInstructionsInto(const HloComputation& original, HloComputation* target,
                                      CloneMap* map, const CloneOptions& options,
                                      HloInstruction* before) {
  // Operands may come later in the list, so first all instructions, then their operands.
  std::vector<std::pair<const HloInstruction*, HloInstruction*>> copies;
  copies.reserve(static_cast<size_t>(original.instruction_count()));
  map->instructions.reserve(map->instructions.size() +
                            static_cast<size_t>(original.instruction_count()));
  for (const HloInstruction* instruction : original.instructions()) {
    if (map->Find(instruction) != nullptr) continue;
    std::unique_ptr<HloInstruction> copy =
        CloneInstruction(*instruction, instruction->shape(), {}, map);
    const std::string name = NameOfCopy(instruction->name(), options);
    HloInstruction* added = before == nullptr ? target->AddInstruction(std::move(copy), name)
                                              : target->InsertBefore(before, std::move(copy), name);
    if (options.exact) ir_internal::CloneAccess::CopyIdentity(*instruction, added);
    copies.emplace_back(instruction, added);
  }
  for (const auto& [instruction, copy] : copies) {
    for (const HloInstruction* operand : instruction->operands()) {
      copy->AppendOperand(map->Find(operand));
    }
  }
  for (const auto& [instruction, copy] : copies) {
    if (!instruction->has_extras()) continue;
    // Replaced instructions are not ordered by control dependencies any more.
    for (const HloInstruction* successor : instruction->control_successors()) {
      HloInstruction* target_of_edge = map->Find(successor);
      if (options.exact || target_of_edge->parent() != target || target_of_edge == copy) continue;
      XLA_CHECK_OK(copy->AddControlDependencyTo(target_of_edge));
    }
    if (options.exact) ir_internal::CloneAccess::CopyControl(*instruction, copy, *map);
  }
  return original.root_instruction() == nullptr ? nullptr : map->Find(original.root_instruction());
}

HloComputation* CloneComputation(const HloComputation& original, HloModule* target, CloneMap* map,
                                 const CloneOptions& options) {
  HloComputation* self = const_cast<HloComputation*>(&original);
  std::vector<HloComputation*> order = {self};
  if ((options.clone_callees || target != original.parent()) && HasUnmappedCallee(original, *map)) {
    absl::StatusOr<std::vector<HloComputation*>> reached =
        ir_internal::CallPostOrder(absl::MakeConstSpan(&self, 1));
    XLA_CHECK_OK(reached.status());
    order = *std::move(reached);
  }
  for (const HloComputation* computation : order) {
    if (map->Find(computation) != nullptr) continue;
    HloComputation* copy = target->AddComputation(NameOfCopy(computation->name(), options));
    if (options.exact) ir_internal::CloneAccess::CopyIdentity(*computation, copy);
    copy->SetExecutionThread(computation->execution_thread());
    map->computations[computation] = copy;
    copy->set_root_instruction(CloneInstructionsInto(*computation, copy, map, options));
  }
  return map->Find(&original);
}

}  // namespace xla
