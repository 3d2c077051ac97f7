// SPDX-License-Identifier: Apache-2.0
// How many copies of a fused producer's code a kernel holds. Concatenations read their operands in
// separate branches, so that what is read on several ways is emitted several times.
#ifndef XLA_CPU_PLAN_CODE_COPIES_H_
#define XLA_CPU_PLAN_CODE_COPIES_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "xla/cpu/plan/fusion_decisions.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

struct CodeCopies {
  bool AreFew() const;

  int64_t count = 1;  // in one kernel
  // Whether fused concatenations read the instruction, and the arithmetic between them and it.
  bool is_concatenated = false;
  int64_t concatenated_cost = 0;
};

class CodeCopyAnalysis {
 public:
  explicit CodeCopyAnalysis(const FusionDecisions& decisions) : decisions_(decisions) {}

  // Counts the copies of an instruction whose users are all decided, and notes them for those that
  // it reads.
  CodeCopies Analyze(const HloInstruction& instruction);

 private:
  const FusionDecisions& decisions_;
  absl::flat_hash_map<const HloInstruction*, CodeCopies> copies_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_CODE_COPIES_H_
