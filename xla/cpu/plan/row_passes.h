// SPDX-License-Identifier: Apache-2.0
// How often kernels that reduce their rows first go through a row, and what each pass computes
// again.
#ifndef XLA_CPU_PLAN_ROW_PASSES_H_
#define XLA_CPU_PLAN_ROW_PASSES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla/cpu/plan/fusion_decisions.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// The passes in which elements of one instruction are computed.
struct RowPasses {
  // A loop of a kernel over the elements of a row: for its result, or for one of the reductions
  // that come first.
  struct Pass {
    const HloInstruction* kernel;
    const HloInstruction* reduction;  // null: the loop over the result
    bool operator==(const Pass&) const = default;
  };

  // Whether repeating the computation in all passes costs less than to store and load the elements.
  bool AreWorthwhile() const;

  std::vector<Pass> passes;
  int64_t most = 1;  // of one kernel
  // The cost of computing an element again, with the elements computed from it in as many passes:
  // it grows along chains of row reductions, each of which adds a pass. 0 if there are few passes.
  int64_t repeated_cost = 0;
};

class RowPassAnalysis {
 public:
  explicit RowPassAnalysis(const FusionDecisions& decisions) : decisions_(decisions) {}

  // Returns the passes of an instruction whose users are all decided. `is_row`: it reduces a row.
  RowPasses PassesOf(const HloInstruction& instruction, bool is_row) const;
  // Notes the passes of a fused instruction, for those that it reads.
  void Add(const HloInstruction& instruction, RowPasses passes) {
    passes_[&instruction] = std::move(passes);
  }

 private:
  std::vector<RowPasses::Pass> FindPasses(const HloInstruction& instruction) const;
  int64_t MostOfOneKernel(const HloInstruction& instruction,
                          const std::vector<RowPasses::Pass>& passes) const;

  const FusionDecisions& decisions_;
  absl::flat_hash_map<const HloInstruction*, RowPasses> passes_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_ROW_PASSES_H_
