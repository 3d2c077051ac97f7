// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/code_copies.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/kernel/interleaved_columns.h"

namespace xla::cpu {

bool CodeCopies::AreFew() const {
  constexpr int64_t kMaxCopies = 16, kMaxConcatenatedCopies = 32;
  return count <= (is_concatenated ? kMaxConcatenatedCopies : kMaxCopies);
}

CodeCopies CodeCopyAnalysis::Analyze(const HloInstruction& instruction) {
  CodeCopies copies;
  int64_t at_other_indices = 0;
  for (const HloInstruction* user : instruction.users()) {
    const CodeCopies of_user = decisions_.fused.contains(user) ? copies_.at(user) : CodeCopies();
    int64_t in_user = of_user.count;
    if (user->opcode() == HloOpcode::kConcatenate && !IsReadByPart(*user)) {
      in_user *= absl::c_count(user->operands(), &instruction);
      copies.is_concatenated |= decisions_.fused.contains(user);
    }
    if (of_user.is_concatenated) {
      copies.is_concatenated = true;
      copies.concatenated_cost = std::max(copies.concatenated_cost, of_user.concatenated_cost);
    }
    copies.count = std::max(copies.count, in_user);
    if (!IsElementwise(*user)) at_other_indices += in_user;
  }
  if (copies.is_concatenated) {
    if (IsElementwise(instruction)) copies.concatenated_cost += FusedCost(instruction);
    copies.count = std::max(copies.count, at_other_indices);
  }
  copies_[&instruction] = copies;
  return copies;
}

}  // namespace xla::cpu
