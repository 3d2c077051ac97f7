// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/access_paths.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/codegen/elementwise.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMaxPaths = 32, kMaxPathCost = 24;

}  // namespace

bool AccessPaths::AreWorthwhile() const { return cost <= kMaxPathCost; }

std::vector<AccessPaths::Path> AccessPathAnalysis::FindPaths(
    const HloInstruction& instruction) const {
  std::vector<AccessPaths::Path> paths;
  absl::flat_hash_set<uint64_t> seen;
  for (const HloInstruction* user : instruction.users()) {
    for (int64_t i = 0; i < user->operand_count(); ++i) {
      if (user->operand(i) != &instruction) continue;
      const auto add = [&](const AccessPaths::Path& path) {
        const uint64_t hash =
            IsElementwise(*user) ? path.hash : absl::HashOf(path.hash, user->unique_id(), i);
        if (paths.size() <= kMaxPaths && seen.insert(hash).second)
          paths.push_back({path.kernel, hash});
      };
      if (!decisions_.fused.contains(user)) {
        add({user, absl::HashOf(user->unique_id())});
      } else if (decisions_.rows.contains(user)) {
        // The reduction is another pass over the same elements; see row_passes.h.
        for (const HloInstruction* kernel : decisions_.kernels.at(user)) {
          const AccessPaths::Path path = {kernel, absl::HashOf(kernel->unique_id())};
          if (seen.insert(path.hash).second) paths.push_back(path);
        }
      } else {
        for (const AccessPaths::Path& path : paths_.at(user).paths) add(path);
      }
    }
  }
  return paths;
}

AccessPaths AccessPathAnalysis::PathsTo(const HloInstruction& instruction) const {
  AccessPaths result;
  result.paths = FindPaths(instruction);
  absl::flat_hash_map<const HloInstruction*, int64_t> counts;
  int64_t most = 0;
  for (const AccessPaths::Path& path : result.paths) {
    if (!decisions_.ComputesOncePerRow(*path.kernel, instruction))
      most = std::max(most, ++counts[path.kernel]);
  }
  if (most > kMaxPaths) {
    result.cost = kMaxPathCost + 1;
    return result;
  }
  for (const HloInstruction* user : instruction.users()) {
    const auto found = paths_.find(user);
    if (found != paths_.end()) result.cost = std::max(result.cost, found->second.cost);
  }
  if (most > 1) result.cost += (most - 1) * ElementCost(instruction);
  return result;
}

}  // namespace xla::cpu
