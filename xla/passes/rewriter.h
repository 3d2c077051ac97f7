// SPDX-License-Identifier: Apache-2.0
// Local rewrites to a fixed point: rules look at one instruction at a time, from a worklist.
//
//   absl::StatusOr<HloInstruction*> NegateOfNegate(HloInstruction* inst, Rewriter&) {
//     HloInstruction* x;
//     if (Match(inst, m::Negate(m::Negate(m::Any(&x))))) return x;
//     return nullptr;
//   }
//   constexpr RewriteRule kRules[] = {{"negate-of-negate", HloOpcode::kNegate, &NegateOfNegate}};
//   XLA_ASSIGN_OR_RETURN(bool changed, RewriteToFixedPoint(module, kRules));
#ifndef XLA_PASSES_REWRITER_H_
#define XLA_PASSES_REWRITER_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

// Makes the instructions of a replacement.
class Rewriter {
 public:
  // Adds an instruction directly before the one being rewritten, whose metadata, frontend
  // attributes and fitting sharding it inherits.
  HloInstruction* Create(HloOpcode opcode, const Shape& shape,
                         absl::Span<HloInstruction* const> operands,
                         Attributes attributes = NoAttributes{},
                         absl::Span<HloComputation* const> called = {});
  HloInstruction* Constant(Literal literal);
  // Adds a broadcast of the scalar that `splat` is a broadcast of, with the dimensions of a shape.
  HloInstruction* SplatIn(const Shape& dimensions, HloInstruction* splat);

 private:
  friend class RewriteLoop;
  HloInstruction* Insert(std::unique_ptr<HloInstruction> instruction);

  HloInstruction* current_ = nullptr;
  std::vector<HloInstruction*> created_;
};

struct RewriteRule {
  std::string_view name;
  std::optional<HloOpcode> root;  // unset: any opcode
  // Returns the replacement of the instruction, of a compatible shape: an existing value or one
  // made with the rewriter. Returns the instruction itself if it was changed in place, and null if
  // the rule does not apply; nothing may have been created then.
  absl::StatusOr<HloInstruction*> (*rewrite)(HloInstruction* instruction, Rewriter& rewriter);
};

struct RewriteOptions {
  // A computation of n instructions is rewritten at most base + factor * n times, which ends rules
  // that undo each other.
  int64_t bound_base = 64, bound_factor = 16;
};

struct RewriteStatistics {
  int64_t visits = 0;
  int64_t rewrites = 0;
  int64_t bounds_reached = 0;             // computations
  std::vector<int64_t> rewrites_of_rule;  // as many as there are rules
};

// Applies the rules to every computation of the module, operands before users, and again to
// instructions that a rewrite may have affected (new instructions, users of the replacement,
// operands that lost a user), until none applies. For each instruction the first rule that applies
// is used. Dead instructions are removed. Returns whether anything changed.
absl::StatusOr<bool> RewriteToFixedPoint(HloModule* module, absl::Span<const RewriteRule> rules,
                                         const RewriteOptions& options = {},
                                         RewriteStatistics* statistics = nullptr);

}  // namespace xla

#endif  // XLA_PASSES_REWRITER_H_
