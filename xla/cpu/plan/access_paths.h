// SPDX-License-Identifier: Apache-2.0
// The paths on which kernels reach fused producers. Each path through slices, pads and the like
// computes a producer at other indices, and so once more.
#ifndef XLA_CPU_PLAN_ACCESS_PATHS_H_
#define XLA_CPU_PLAN_ACCESS_PATHS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla/cpu/plan/fusion_decisions.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// The paths to one instruction.
struct AccessPaths {
  struct Path {
    const HloInstruction* kernel;
    uint64_t hash;  // of the operations on the path that read at other indices than their own
  };

  // Whether what is recomputed costs less than to store and load it.
  bool AreWorthwhile() const;

  std::vector<Path> paths;  // distinct ones, one more than the limit at most
  // The cost of what one kernel computes repeatedly, from its result to the instruction.
  int64_t cost = 0;
};

class AccessPathAnalysis {
 public:
  explicit AccessPathAnalysis(const FusionDecisions& decisions) : decisions_(decisions) {}

  // Returns the paths to an instruction whose users are all decided.
  AccessPaths PathsTo(const HloInstruction& instruction) const;
  // Notes the paths to a fused instruction, for those that it reads.
  void Add(const HloInstruction& instruction, AccessPaths paths) {
    paths_[&instruction] = std::move(paths);
  }

 private:
  std::vector<AccessPaths::Path> FindPaths(const HloInstruction& instruction) const;

  const FusionDecisions& decisions_;
  absl::flat_hash_map<const HloInstruction*, AccessPaths> paths_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_ACCESS_PATHS_H_
