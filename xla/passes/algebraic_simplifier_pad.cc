// SPDX-License-Identifier: Apache-2.0
// Simplifications of pads: sums of parts that do not overlap, which gradients of slices and splits
// are, join them.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "xla/literal_util.h"
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/negative_zero.h"
#include "xla/passes/pattern.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Result = absl::StatusOr<HloInstruction*>;

// What stands from `begin` on along one dimension, among zeros.
struct Part {
  HloInstruction* x;
  int64_t begin;
};

// The parts that a sum of pads adds up.
struct Parts {
  std::vector<Part> parts;
  int dimension = -1;

  int64_t EndOf(const Part& part) const {
    return part.begin + part.x->shape().dimensions(dimension);
  }
};

// Adds the part that a pad sets among zeros. False if it does so along several dimensions, or along
// another one than the parts before, or leaves gaps in its operand or cuts it.
bool AddPart(HloInstruction* pad, Parts& parts) {
  const auto& padding = pad->attributes<PadAttributes>().padding;
  int dimension = -1;
  for (int d = 0; d < static_cast<int>(padding.size()); ++d) {
    const PadDim& dim = padding[static_cast<size_t>(d)];
    if (dim.interior != 0 || dim.low < 0 || dim.high < 0) return false;
    if (dim.low == 0 && dim.high == 0) continue;
    if (dimension >= 0) return false;
    dimension = d;
  }
  if (dimension < 0 || (parts.dimension >= 0 && dimension != parts.dimension) ||
      !Match(pad->operand(1), m::Splat(0)) || !pad->operand(0)->shape().is_static()) {
    return false;
  }
  parts.dimension = dimension;
  parts.parts.push_back({pad->operand(0), padding[static_cast<size_t>(dimension)].low});
  return true;
}

// Collects the parts of a sum of at most `most_sums` sums, which it is less afterwards, and whose
// summands nothing else reads. False if it sums up more, or other things, too.
bool AddParts(const HloInstruction& sum, int& most_sums, Parts& parts) {
  if (most_sums-- == 0) return false;
  for (HloInstruction* operand : sum.operands()) {
    if (operand->user_count() != 1 || !IsPlain(*operand)) return false;
    if (operand->opcode() == HloOpcode::kAdd) {
      if (!AddParts(*operand, most_sums, parts)) return false;
    } else if (operand->opcode() != HloOpcode::kPad || !AddPart(operand, parts)) {
      return false;
    }
  }
  return true;
}

// The parts of a sum, in order; none if they overlap.
Parts DisjointParts(const HloInstruction& sum) {
  // Longer sums are looked at from each of their sums.
  int most_sums = 63;
  Parts parts;
  if (sum.opcode() != HloOpcode::kAdd || !sum.shape().IsArray() || !sum.shape().is_static() ||
      primitive_util::IsComplexType(sum.shape().element_type()) || !IsPlain(sum) ||
      !AddParts(sum, most_sums, parts)) {
    return {};
  }
  std::sort(parts.parts.begin(), parts.parts.end(),
            [](const Part& a, const Part& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < parts.parts.size(); ++i) {
    if (parts.EndOf(parts.parts[i - 1]) > parts.parts[i].begin) return {};
  }
  return parts;
}

// pad(x, 0) + pad(y, 0) + ... that do not overlap: x + 0, y + 0, ... and zeros, concatenated.
Result SumOfDisjointPads(HloInstruction* sum, Rewriter& rewriter) {
  const Parts parts = DisjointParts(*sum);
  if (parts.parts.empty()) return nullptr;
  // A longer sum takes its summands along.
  if (sum->user_count() == 1 && !sum->IsRoot() && !DisjointParts(*sum->users()[0]).parts.empty())
    return nullptr;
  const Shape& shape = sum->shape();
  std::vector<HloInstruction*> pieces;
  int64_t end = 0;
  const auto fill_to = [&](int64_t begin) {
    if (begin == end) return;
    Shape gap = shape;
    gap.set_dimensions(parts.dimension, begin - end);
    pieces.push_back(rewriter.Create(HloOpcode::kBroadcast, gap,
                                     {rewriter.Constant(LiteralUtil::Zero(shape.element_type()))}));
  };
  for (const Part& part : parts.parts) {
    fill_to(part.begin);
    pieces.push_back(PlusZero(part.x, rewriter));
    end = parts.EndOf(part);
  }
  fill_to(shape.dimensions(parts.dimension));
  return rewriter.Create(HloOpcode::kConcatenate, shape, pieces,
                         DimensionListAttributes{.dimensions = {parts.dimension}});
}

constexpr RewriteRule kPadRules[] = {
    {"sum-of-disjoint-pads", HloOpcode::kAdd, &SumOfDisjointPads},
};

}  // namespace

absl::Span<const RewriteRule> PadSimplifications() { return kPadRules; }

}  // namespace xla
