// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/rewriter.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla {

HloInstruction* Rewriter::Insert(std::unique_ptr<HloInstruction> instruction) {
  current_->SetupDerivedInstruction(instruction.get());
  created_.push_back(current_->parent()->InsertBefore(current_, std::move(instruction)));
  return created_.back();
}

HloInstruction* Rewriter::Create(HloOpcode opcode, const Shape& shape,
                                 absl::Span<HloInstruction* const> operands, Attributes attributes,
                                 absl::Span<HloComputation* const> called) {
  return Insert(HloInstruction::Create(opcode, shape, operands, std::move(attributes), called));
}

HloInstruction* Rewriter::Constant(Literal literal) {
  return Insert(HloInstruction::CreateConstant(std::move(literal)));
}

HloInstruction* Rewriter::SplatIn(const Shape& dimensions, HloInstruction* splat) {
  return Create(HloOpcode::kBroadcast,
                ShapeUtil::ChangeElementType(dimensions, splat->shape().element_type()),
                {splat->operand(0)}, splat->attributes());
}

// Rewrites one computation.
class RewriteLoop {
 public:
  RewriteLoop(HloComputation* computation, absl::Span<const RewriteRule> rules,
              RewriteStatistics& statistics)
      : computation_(computation), rules_(rules), statistics_(statistics) {}

  absl::StatusOr<bool> Run(int64_t max_rewrites) {
    XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order, computation_->PostOrder());
    for (auto it = order.rbegin(); it != order.rend(); ++it) Push(*it);
    int64_t rewrites = 0;
    while (!worklist_.empty()) {
      HloInstruction* instruction = worklist_.back();
      worklist_.pop_back();
      waiting_.erase(instruction);
      if (instruction->IsDead()) continue;
      ++statistics_.visits;
      XLA_ASSIGN_OR_RETURN(const bool changed, Visit(instruction));
      if (changed && ++rewrites == max_rewrites) {
        ++statistics_.bounds_reached;
        break;
      }
    }
    return rewrites > 0;
  }

 private:
  void Push(HloInstruction* instruction) {
    if (waiting_.insert(instruction).second) worklist_.push_back(instruction);
  }

  absl::StatusOr<bool> Visit(HloInstruction* instruction) {
    for (size_t i = 0; i < rules_.size(); ++i) {
      const RewriteRule& rule = rules_[i];
      if (rule.root.has_value() && *rule.root != instruction->opcode()) continue;
      rewriter_.current_ = instruction;
      rewriter_.created_.clear();
      absl::StatusOr<HloInstruction*> replacement = rule.rewrite(instruction, rewriter_);
      if (!replacement.ok()) return WithRule(replacement.status(), rule, *instruction);
      if (*replacement == nullptr) continue;
      const absl::Status status = Replace(instruction, *replacement);
      if (!status.ok()) return WithRule(status, rule, *instruction);
      ++statistics_.rewrites;
      ++statistics_.rewrites_of_rule[i];
      return true;
    }
    return false;
  }

  absl::Status Replace(HloInstruction* instruction, HloInstruction* replacement) {
    const HloInstruction::InstructionVector operands = instruction->operands();
    if (replacement != instruction) {
      XLA_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(replacement));
      XLA_RETURN_IF_ERROR(instruction->MoveControlDependenciesTo(replacement));
      if (instruction->opcode() != HloOpcode::kParameter && !instruction->HasSideEffect()) {
        XLA_RETURN_IF_ERROR(computation_->RemoveInstructionAndUnusedOperands(instruction));
      }
    }
    // Last in, first out: the instructions of the replacement come before it, its users after.
    for (HloInstruction* user : replacement->users()) Push(user);
    Push(replacement);
    for (HloInstruction* operand : operands) {
      if (!operand->IsDead()) Push(operand);
    }
    for (auto it = rewriter_.created_.rbegin(); it != rewriter_.created_.rend(); ++it) {
      if (!(*it)->IsDead()) Push(*it);
    }
    return absl::OkStatus();
  }

  static absl::Status WithRule(const absl::Status& status, const RewriteRule& rule,
                               const HloInstruction& instruction) {
    return absl::Status(status.code(),
                        absl::StrCat("rule ", std::string(rule.name), " at ",
                                     instruction.ToShortString(), ": ", status.message()));
  }

  HloComputation* const computation_;
  const absl::Span<const RewriteRule> rules_;
  RewriteStatistics& statistics_;
  Rewriter rewriter_;
  std::vector<HloInstruction*> worklist_;
  absl::flat_hash_set<const HloInstruction*> waiting_;
};

absl::StatusOr<bool> RewriteToFixedPoint(HloModule* module, absl::Span<const RewriteRule> rules,
                                         const RewriteOptions& options,
                                         RewriteStatistics* statistics) {
  RewriteStatistics own;
  RewriteStatistics& counted = statistics == nullptr ? own : *statistics;
  counted.rewrites_of_rule.resize(rules.size());
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    const int64_t bound =
        options.bound_base + options.bound_factor * computation->instruction_count();
    XLA_ASSIGN_OR_RETURN(const bool computation_changed,
                         RewriteLoop(computation, rules, counted).Run(bound));
    changed |= computation_changed;
  }
  return changed;
}

}  // namespace xla
