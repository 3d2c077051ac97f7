// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/row_passes.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "xla/cpu/codegen/cost_model.h"

namespace xla::cpu {
namespace {

// Passes in which a kernel may compute the same elements whatever they cost, and what all further
// passes may cost together.
constexpr int64_t kFreePasses = 2, kMaxRepeatedCost = 8;

}  // namespace

bool RowPasses::AreWorthwhile() const { return (most - 1) * repeated_cost <= kMaxRepeatedCost; }

std::vector<RowPasses::Pass> RowPassAnalysis::FindPasses(const HloInstruction& instruction) const {
  std::vector<RowPasses::Pass> passes;
  const auto add = [&](const RowPasses::Pass& pass) {
    if (!absl::c_linear_search(passes, pass)) passes.push_back(pass);
  };
  for (const HloInstruction* user : instruction.users()) {
    if (!decisions_.fused.contains(user)) {
      add({user, nullptr});
    } else if (decisions_.rows.contains(user)) {
      for (const HloInstruction* kernel : decisions_.kernels.at(user)) add({kernel, user});
    } else {
      for (const RowPasses::Pass& pass : passes_.at(user).passes) add(pass);
    }
  }
  return passes;
}

int64_t RowPassAnalysis::MostOfOneKernel(const HloInstruction& instruction,
                                         const std::vector<RowPasses::Pass>& passes) const {
  int64_t most = 1;
  if (passes.size() <= 1) return most;
  absl::flat_hash_map<const HloInstruction*, int64_t> counts;
  for (const RowPasses::Pass& pass : passes) {
    // Kernels that reduce no rows have a single pass.
    if (decisions_.row_kernels.contains(pass.kernel) &&
        !decisions_.ComputesOncePerRow(*pass.kernel, instruction)) {
      most = std::max(most, ++counts[pass.kernel]);
    }
  }
  return most;
}

RowPasses RowPassAnalysis::PassesOf(const HloInstruction& instruction, bool is_row) const {
  RowPasses result;
  result.passes = FindPasses(instruction);
  result.most = MostOfOneKernel(instruction, result.passes);
  if (is_row || result.most <= kFreePasses) return result;
  for (const HloInstruction* user : instruction.users()) {
    const auto found = passes_.find(user);
    if (found != passes_.end())
      result.repeated_cost = std::max(result.repeated_cost, found->second.repeated_cost);
  }
  result.repeated_cost += FusedCost(instruction);
  return result;
}

}  // namespace xla::cpu
