// SPDX-License-Identifier: Apache-2.0
// Splits concatenations of many operands into several of few.
#include "xla/passes/split_concatenations.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/passes/rewriter.h"

namespace xla {
namespace {

constexpr size_t kOperands = 64;

absl::StatusOr<HloInstruction*> SplitWide(HloInstruction* wide, Rewriter& rewriter) {
  const absl::Span<HloInstruction* const> operands = wide->operands();
  if (operands.size() <= kOperands || !wide->shape().is_static()) return nullptr;
  const auto d = static_cast<int>(wide->dimensions()[0]);
  std::vector<HloInstruction*> parts;
  for (size_t begin = 0; begin < operands.size(); begin += kOperands) {
    const auto part = operands.subspan(begin, kOperands);
    Shape shape = wide->shape();
    int64_t size = 0;
    for (const HloInstruction* operand : part) {
      if (!operand->shape().is_static()) return nullptr;
      size += operand->shape().dimensions(d);
    }
    shape.set_dimensions(d, size);
    parts.push_back(rewriter.Create(HloOpcode::kConcatenate, shape, part, wide->attributes()));
  }
  return rewriter.Create(HloOpcode::kConcatenate, wide->shape(), parts, wide->attributes());
}

constexpr RewriteRule kSplitConcatenationRules[] = {
    {"split-concatenations", HloOpcode::kConcatenate, &SplitWide}};

}  // namespace

absl::StatusOr<bool> SplitConcatenations(HloModule* module) {
  return RewriteToFixedPoint(module, kSplitConcatenationRules);
}

}  // namespace xla
