// SPDX-License-Identifier: Apache-2.0
// Simplifications of reductions.
#include <cstdint>
#include <optional>

#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/prefix_scan.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Result = absl::StatusOr<HloInstruction*>;

// reduce(concatenate(a, b, c)) over a dimension in which each operand has one element: init + a + b
// + c, in the order of the reduction.
Result ReduceOfStack(HloInstruction* reduce, Rewriter& rewriter) {
  constexpr int64_t kMostOperands = 16;
  if (reduce->operand_count() != 2 || reduce->dimensions().size() != 1) return nullptr;
  HloInstruction* const stack = reduce->operand(0);
  const int64_t d = reduce->dimensions()[0];
  if (stack->opcode() != HloOpcode::kConcatenate || stack->user_count() != 1 ||
      stack->dimensions()[0] != d || stack->operand_count() > kMostOperands ||
      stack->operand_count() != stack->shape().dimensions(static_cast<int>(d)) ||
      !stack->shape().is_static() ||
      stack->shape().element_type() != reduce->shape().element_type()) {
    return nullptr;
  }
  for (const HloInstruction* operand : stack->operands()) {
    if (operand->shape().dimensions(static_cast<int>(d)) != 1) return nullptr;
  }
  const std::optional<HloOpcode> operation = OperationOfReducer(*reduce->to_apply());
  if (!operation.has_value()) return nullptr;
  HloInstruction* sum =
      rewriter.Create(HloOpcode::kBroadcast, reduce->shape(), {reduce->operand(1)});
  for (HloInstruction* operand : stack->operands()) {
    HloInstruction* const part = rewriter.Create(HloOpcode::kReshape, reduce->shape(), {operand});
    sum = rewriter.Create(*operation, reduce->shape(), {sum, part});
  }
  return sum;
}

constexpr RewriteRule kReductionRules[] = {{"reduce-of-stack", HloOpcode::kReduce, &ReduceOfStack}};

}  // namespace

absl::Span<const RewriteRule> ReductionSimplifications() { return kReductionRules; }

}  // namespace xla
