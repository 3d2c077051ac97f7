// SPDX-License-Identifier: Apache-2.0
// Tracks where kernels read fused producers along their rows, and the boundaries at which their
// loops will be partitioned (loop_partitioning.h).
#ifndef XLA_CPU_PLAN_ROW_ACCESSES_H_
#define XLA_CPU_PLAN_ROW_ACCESSES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla/cpu/plan/fusion_decisions.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

class RowAccesses {
 public:
  explicit RowAccesses(const FusionDecisions& decisions) : decisions_(decisions) {}

  // Finds out where kernels read an instruction whose users are all decided.
  void Analyze(const HloInstruction& instruction) {
    accesses_[&instruction] = AccessesOf(instruction);
  }
  // Whether kernels read the instruction, which has been analyzed, in segments of their rows that
  // are long enough for vectors, and each segment reads a single operand.
  bool ReadsInSegments(const HloInstruction& concatenate) const;
  // Adds the boundaries of a fused instruction to those of its kernels.
  void AddBoundaries(const HloInstruction& instruction);

 private:
  // The index of the instruction's minor dimension is that of the kernel's result (of the operand
  // of a concatenation, or of the update) plus the shift.
  struct Access {
    const HloInstruction* kernel;
    int64_t shift;
    bool operator==(const Access&) const = default;
  };

  // All accesses; none if one of them has no such shift, or if they are too many.
  std::vector<Access> AccessesOf(const HloInstruction& instruction) const;
  // The boundaries in rows of the kernel with those of the instruction, ascending.
  std::vector<int64_t> BoundariesWith(const HloInstruction& instruction,
                                      const Access& access) const;

  const FusionDecisions& decisions_;
  absl::flat_hash_map<const HloInstruction*, std::vector<Access>> accesses_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int64_t>> boundaries_;  // by kernel
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_ROW_ACCESSES_H_
