// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/propagation/program_order.h"

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace xla::propagation {

std::vector<HloInstruction*> InstructionsInOrder(const HloComputation& computation) {
  std::vector<HloInstruction*> order;
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<std::pair<HloInstruction*, int64_t>> stack;  // the next operand to look at
  for (HloInstruction* listed : computation.instructions()) {
    if (!seen.insert(listed).second) continue;
    stack.emplace_back(listed, 0);
    while (!stack.empty()) {
      auto& [instruction, next] = stack.back();
      if (next == instruction->operand_count()) {
        order.push_back(instruction);
        stack.pop_back();
        continue;
      }
      HloInstruction* operand = instruction->mutable_operand(next++);
      if (seen.insert(operand).second) stack.emplace_back(operand, 0);
    }
  }
  return order;
}

}  // namespace xla::propagation
