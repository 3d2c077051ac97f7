// SPDX-License-Identifier: Apache-2.0
// Simplifications of broadcasts: operations on repeated values are applied before the values are
// repeated, and movements of repeated values are removed.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/pattern.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using m::Any;
using Result = absl::StatusOr<HloInstruction*>;

bool IsScalarConstantOrBroadcast(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kBroadcast) return false;
  return instruction.operand(0)->shape().rank() == 0;
}

// An elementwise operation whose operands are broadcasts of smaller arrays along the same
// dimensions, or of scalars; at least one is not the broadcast of a constant scalar.
Result ElementwiseOfBroadcasts(HloInstruction* instruction, Rewriter& rewriter) {
  if (!instruction->info().Has(op_traits::kElementwiseTrait) ||
      instruction->opcode() == HloOpcode::kCopy || !instruction->shape().is_static() ||
      instruction->shape().rank() == 0) {
    return nullptr;
  }
  const HloInstruction* model = nullptr;  // the broadcast of the largest array
  for (const HloInstruction* operand : instruction->operands()) {
    if (operand->opcode() != HloOpcode::kBroadcast || !operand->shape().is_static() ||
        operand->shape().dimensions() != instruction->shape().dimensions()) {
      return nullptr;
    }
    if (IsScalarConstantOrBroadcast(*operand)) continue;
    if (model == nullptr) {
      model = operand;
    } else if (operand->dimensions() != model->dimensions() ||
               operand->operand(0)->shape().dimensions() !=
                   model->operand(0)->shape().dimensions()) {
      return nullptr;
    }
  }
  if (model == nullptr) model = instruction->operand(0);
  const HloInstruction* source = model->operand(0);
  if (ShapeUtil::ElementsIn(source->shape()) >= ShapeUtil::ElementsIn(instruction->shape()))
    return nullptr;
  const auto small_shape = [&](const Shape& shape) {
    return ShapeUtil::ChangeElementType(source->shape(), shape.element_type());
  };
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : instruction->operands()) {
    HloInstruction* x = operand->operand(0);
    if (x->shape().rank() == 0 && source->shape().rank() > 0)
      x = rewriter.Create(HloOpcode::kBroadcast, small_shape(x->shape()), {x});
    operands.push_back(x);
  }
  HloInstruction* small = rewriter.Create(instruction->opcode(), small_shape(instruction->shape()),
                                          operands, instruction->attributes());
  if (instruction->has_extras())
    small->mutable_extras().result_accuracy = instruction->extras().result_accuracy;
  return rewriter.Create(HloOpcode::kBroadcast, instruction->shape(), {small}, model->attributes());
}

// Movements of a broadcast scalar
Result MovedSplat(HloInstruction* instruction, Rewriter& rewriter) {
  HloInstruction* broadcast = instruction->operand(0);
  if (!IsScalarConstantOrBroadcast(*broadcast) || !instruction->shape().is_static()) return nullptr;
  return rewriter.Create(HloOpcode::kBroadcast, instruction->shape(), {broadcast->operand(0)});
}

// The dimensions of a transposed broadcast, in the order of those of its operand.
std::vector<int64_t> TransposedDimensions(const HloInstruction& broadcast,
                                          const HloInstruction& transpose) {
  const auto order = transpose.dimensions();
  std::vector<int64_t> dimensions;
  for (const int64_t d : broadcast.dimensions())
    dimensions.push_back(std::find(order.begin(), order.end(), d) - order.begin());
  return dimensions;
}

// transpose(broadcast(x)): dimension d of x becomes the dimension of the transpose that is
// dimension broadcast[d] of its operand.
Result TransposeOfBroadcast(HloInstruction* transpose, Rewriter& rewriter) {
  HloInstruction* broadcast;
  if (!Match(transpose, m::Transpose(m::Broadcast(Any()).As(&broadcast)))) return nullptr;
  std::vector<int64_t> dimensions = TransposedDimensions(*broadcast, *transpose);
  if (!std::is_sorted(dimensions.begin(), dimensions.end())) return nullptr;
  return rewriter.Create(HloOpcode::kBroadcast, transpose->shape(), {broadcast->operand(0)},
                         DimensionListAttributes{.dimensions = std::move(dimensions)});
}

// Whether what the transpose makes of x is a broadcast, or a function of such: x is a broadcast, or
// a function of at most so many operations that nothing else reads.
bool IsFunctionOfBroadcasts(const HloInstruction& x, const HloInstruction& transpose,
                            int operations) {
  if (x.shape().dimensions() != transpose.operand(0)->shape().dimensions()) return false;
  if (x.opcode() == HloOpcode::kBroadcast) {
    const std::vector<int64_t> dimensions = TransposedDimensions(x, transpose);
    return std::is_sorted(dimensions.begin(), dimensions.end());
  }
  return operations > 0 && x.info().Has(op_traits::kElementwiseTrait) &&
         x.opcode() != HloOpcode::kCopy && x.user_count() == 1 && IsPlain(x) &&
         absl::c_all_of(x.operands(), [&](const HloInstruction* operand) {
           return IsFunctionOfBroadcasts(*operand, transpose, operations - 1);
         });
}

// transpose(f(broadcast(x), broadcast(y), ...)), such as of an outer product
Result TransposeOfFunctionOfBroadcasts(HloInstruction* transpose, Rewriter& rewriter) {
  constexpr int kMostOperations = 8;
  HloInstruction* const function = transpose->operand(0);
  if (function->opcode() == HloOpcode::kBroadcast || !transpose->shape().is_static() ||
      !IsPlain(*transpose) || !IsFunctionOfBroadcasts(*function, *transpose, kMostOperations)) {
    return nullptr;
  }
  const auto shape_of = [&](const HloInstruction& x) {
    return ShapeUtil::ChangeElementType(transpose->shape(), x.shape().element_type());
  };
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : function->operands()) {
    operands.push_back(rewriter.Create(HloOpcode::kTranspose, shape_of(*operand), {operand},
                                       transpose->attributes()));
  }
  return rewriter.Create(function->opcode(), shape_of(*function), operands, function->attributes());
}

// slice(broadcast(x)) that keeps the dimensions of x whole
Result SliceOfBroadcast(HloInstruction* slice, Rewriter& rewriter) {
  HloInstruction* broadcast;
  if (!Match(slice, m::Slice(m::Broadcast(Any()).As(&broadcast))) || !slice->shape().is_static())
    return nullptr;
  const Shape& source = broadcast->operand(0)->shape();
  for (size_t i = 0; i < broadcast->dimensions().size(); ++i) {
    if (slice->shape().dimensions(static_cast<int>(broadcast->dimensions()[i])) !=
        source.dimensions(static_cast<int>(i))) {
      return nullptr;
    }
  }
  return rewriter.Create(HloOpcode::kBroadcast, slice->shape(), {broadcast->operand(0)},
                         broadcast->attributes());
}

// reshape(broadcast(x)) that only adds or drops dimensions of size 1 outside of those of x
Result ReshapeOfBroadcast(HloInstruction* reshape, Rewriter& rewriter) {
  HloInstruction* broadcast;
  if (!Match(reshape, m::Reshape(m::Broadcast(Any()).As(&broadcast))) ||
      !reshape->shape().is_static() || !broadcast->shape().is_static()) {
    return nullptr;
  }
  // Dimensions other than 1 must be the same, in order, and include those of x.
  const Shape &from = broadcast->shape(), &to = reshape->shape();
  std::vector<int64_t> place(static_cast<size_t>(from.rank()), -1);
  int j = 0;
  for (int i = 0; i < from.rank(); ++i) {
    if (from.dimensions(i) == 1) continue;
    while (j < to.rank() && to.dimensions(j) == 1) ++j;
    if (j == to.rank() || to.dimensions(j) != from.dimensions(i)) return nullptr;
    place[static_cast<size_t>(i)] = j++;
  }
  std::vector<int64_t> dimensions;
  for (const int64_t d : broadcast->dimensions()) {
    if (place[static_cast<size_t>(d)] < 0) return nullptr;
    dimensions.push_back(place[static_cast<size_t>(d)]);
  }
  return rewriter.Create(HloOpcode::kBroadcast, reshape->shape(), {broadcast->operand(0)},
                         DimensionListAttributes{.dimensions = std::move(dimensions)});
}

// broadcast(reshape(x)) where the reshape only adds or drops dimensions of size 1
Result BroadcastOfReshape(HloInstruction* broadcast, Rewriter& rewriter) {
  HloInstruction* reshape;
  if (!Match(broadcast, m::Broadcast(m::Reshape(Any()).As(&reshape))) ||
      !broadcast->shape().is_static() || !reshape->operand(0)->shape().is_static()) {
    return nullptr;
  }
  HloInstruction* x = reshape->operand(0);
  const Shape &from = x->shape(), &between = reshape->shape();
  std::vector<int64_t> dimensions;
  int j = 0;
  for (int i = 0; i < from.rank(); ++i) {
    while (j < between.rank() && between.dimensions(j) == 1 && from.dimensions(i) != 1) ++j;
    if (j == between.rank() || between.dimensions(j) != from.dimensions(i)) return nullptr;
    dimensions.push_back(broadcast->dimensions()[j++]);
  }
  for (; j < between.rank(); ++j) {
    if (between.dimensions(j) != 1) return nullptr;
  }
  return rewriter.Create(HloOpcode::kBroadcast, broadcast->shape(), {x},
                         DimensionListAttributes{.dimensions = std::move(dimensions)});
}

// reshape(broadcast(x)) to the shape of x, where the broadcast only adds dimensions of size 1
Result ReshapeBackOfBroadcast(HloInstruction* reshape, Rewriter&) {
  HloInstruction* broadcast;
  if (!Match(reshape, m::Reshape(m::Broadcast(Any()).As(&broadcast)))) return nullptr;
  HloInstruction* x = broadcast->operand(0);
  const auto dimensions = broadcast->dimensions();
  if (!x->shape().is_static() || !broadcast->shape().is_static() || !reshape->shape().is_static() ||
      x->shape().dimensions() != reshape->shape().dimensions() ||
      !std::is_sorted(dimensions.begin(), dimensions.end()) ||
      ShapeUtil::ElementsIn(x->shape()) != ShapeUtil::ElementsIn(broadcast->shape())) {
    return nullptr;
  }
  return x;
}

constexpr RewriteRule kBroadcastRules[] = {
    {"reshape-of-splat", HloOpcode::kReshape, &MovedSplat},
    {"reverse-of-splat", HloOpcode::kReverse, &MovedSplat},
    {"slice-of-splat", HloOpcode::kSlice, &MovedSplat},
    {"transpose-of-splat", HloOpcode::kTranspose, &MovedSplat},
    {"dynamic-slice-of-splat", HloOpcode::kDynamicSlice, &MovedSplat},
    {"transpose-of-broadcast", HloOpcode::kTranspose, &TransposeOfBroadcast},
    {"transpose-of-function-of-broadcasts", HloOpcode::kTranspose,
     &TransposeOfFunctionOfBroadcasts},
    {"slice-of-broadcast", HloOpcode::kSlice, &SliceOfBroadcast},
    {"reshape-of-broadcast", HloOpcode::kReshape, &ReshapeOfBroadcast},
    {"broadcast-of-reshape", HloOpcode::kBroadcast, &BroadcastOfReshape},
    {"reshape-back-of-broadcast", HloOpcode::kReshape, &ReshapeBackOfBroadcast},
    {"elementwise-of-broadcasts", std::nullopt, &ElementwiseOfBroadcasts},
};

}  // namespace

absl::Span<const RewriteRule> BroadcastSimplifications() { return kBroadcastRules; }

}  // namespace xla
