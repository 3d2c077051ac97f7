// SPDX-License-Identifier: Apache-2.0
// The decisions of the fusion planner so far, which its analyses share.
#ifndef XLA_CPU_PLAN_FUSION_DECISIONS_H_
#define XLA_CPU_PLAN_FUSION_DECISIONS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Instructions that become part of the fusions of their users; all others are materialized.
using FusedProducers = absl::flat_hash_set<const HloInstruction*>;

// Users are decided before their operands. A kernel is named by its materialized instruction.
struct FusionDecisions {
  FusedProducers fused;
  // The kernels that compute each fused producer.
  absl::flat_hash_map<const HloInstruction*, std::vector<const HloInstruction*>> kernels;
  // Fused reductions of rows of their kernel's result (IsRowOfResult), and the kernels with some.
  absl::flat_hash_set<const HloInstruction*> rows, row_kernels;
  // Kernels with fused producers that combine elements in other ways (CombinesElements).
  absl::flat_hash_set<const HloInstruction*> combining_kernels;
  // Fused producers of which a kernel computes some elements more than once.
  absl::flat_hash_set<const HloInstruction*> recomputed;

  // Whether the kernel reduces its rows first and computes the elements of `instruction` once for
  // each row: they are few compared with those of the rows.
  bool ComputesOncePerRow(const HloInstruction& kernel, const HloInstruction& instruction) const {
    constexpr int64_t kFewPerRow = 8;
    return row_kernels.contains(&kernel) &&
           kFewPerRow * CountOf(instruction.shape()) <= CountOf(FirstShape(kernel));
  }
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_FUSION_DECISIONS_H_
