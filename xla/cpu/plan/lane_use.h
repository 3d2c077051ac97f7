// SPDX-License-Identifier: Apache-2.0
// How many lanes of its vectors the loop of a kernel would use if it computed an instruction too.
// The loop over an elementwise result fills vectors whatever its dimensions, unless the kernel
// reduces rows, whose results it has one at a time, or takes rows of few elements apart.
#ifndef XLA_CPU_PLAN_LANE_USE_H_
#define XLA_CPU_PLAN_LANE_USE_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla/cpu/plan/fusion_decisions.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

class LaneUse {
 public:
  explicit LaneUse(const FusionDecisions& decisions) : decisions_(decisions) {}

  // Whether computing the instruction where it is used costs less than to store and load it: what
  // the kernels compute so far would use fewer lanes because of it, or it would use fewer because
  // of them. `is_row`: it reduces a row of the result, whose elements have a loop of their own.
  bool IsWorthwhile(const HloInstruction& instruction, bool is_row,
                    const std::vector<const HloInstruction*>& kernels) const;
  // Notes an instruction that the kernels compute.
  void Add(const HloInstruction& instruction, bool is_row,
           const std::vector<const HloInstruction*>& kernels);

 private:
  // Operations of the kernel for each element of its result.
  double WorkOf(const HloInstruction& kernel) const;
  // The share of lanes that the kernel's loop uses, where it computes the instruction.
  double ShareIn(const HloInstruction& kernel, const HloInstruction& instruction) const;

  const FusionDecisions& decisions_;
  absl::flat_hash_map<const HloInstruction*, double> work_;  // of fused instructions, by kernel
  // The share of lanes that the loops of kernels use because of fused instructions, where not all.
  absl::flat_hash_map<const HloInstruction*, double> shares_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_LANE_USE_H_
