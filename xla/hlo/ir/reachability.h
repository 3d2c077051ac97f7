// SPDX-License-Identifier: Apache-2.0
// Whether one instruction depends on another one, directly or not, by operands and control
// dependencies.
#ifndef XLA_HLO_IR_REACHABILITY_H_
#define XLA_HLO_IR_REACHABILITY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// Answers by a search from the dependent back to what it depends on, which is cut off where the
// topological order rules a path out. Memory is linear in the computation (a bit matrix would be
// quadratic), and a query costs only what lies between the two instructions. Instructions added
// since Build are known after Update.
class HloReachability {
 public:
  // An error names a cycle.
  static absl::StatusOr<HloReachability> Build(const HloComputation& computation);

  // Whether `to` depends on `from`; an instruction reaches itself. Both must be known.
  bool IsReachable(const HloInstruction* from, const HloInstruction* to) const;
  // Either way round.
  bool IsConnected(const HloInstruction* a, const HloInstruction* b) const {
    return IsReachable(a, b) || IsReachable(b, a);
  }
  // Whether any of `to` depends on `from`, paths through `except` (which is not searched) left out.
  // That there is a path besides the direct use is what makes a fusion of the two cyclic:
  //   AnyReachable(producer, other operands of the consumer)
  bool AnyReachable(const HloInstruction* from, absl::Span<HloInstruction* const> to,
                    const HloInstruction* except = nullptr) const;

  bool IsKnown(const HloInstruction* instruction) const { return ranks_.contains(instruction); }
  // Makes a new instruction known, or one whose dependencies changed: its place in the topological
  // order, and that of its users, moves back as far as needed. Removed ones need no call.
  void Update(const HloInstruction* instruction);

 private:
  // Position in a topological order: larger than those of all dependencies.
  absl::flat_hash_map<const HloInstruction*, int64_t> ranks_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_REACHABILITY_H_
