// SPDX-License-Identifier: Apache-2.0
// Simplifications of operations that move data: no-ops are removed, and pairs merged.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/pattern.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using m::Any;
using m::Op;
using Result = absl::StatusOr<HloInstruction*>;

bool IsIdentity(absl::Span<const int64_t> permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// reshape, broadcast, transpose, copy, slice, pad, concatenate and reverse that return their
// operand
Result ToSameShape(HloInstruction* instruction, Rewriter&) {
  HloInstruction* operand = instruction->operand(0);
  if (instruction->operand_count() != 1 && instruction->opcode() != HloOpcode::kPad) return nullptr;
  if (operand->shape() != instruction->shape()) return nullptr;
  switch (instruction->opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kTranspose:
      return IsIdentity(instruction->dimensions()) ? operand : nullptr;
    case HloOpcode::kReverse:
      for (const int64_t dimension : instruction->dimensions()) {
        if (operand->shape().dimensions(static_cast<int>(dimension)) != 1) return nullptr;
      }
      return operand;
    case HloOpcode::kPad:
      for (const PadDim& dim : instruction->attributes<PadAttributes>().padding) {
        if (dim.low != 0 || dim.high != 0 || dim.interior != 0) return nullptr;
      }
      return operand;
    case HloOpcode::kReshape:
      // A reshape redistributes dynamic sizes.
      return instruction->shape().is_static() ? operand : nullptr;
    default:
      return operand;
  }
}

// reshape(reshape(x))
Result ReshapeTwice(HloInstruction* outer, Rewriter& rewriter) {
  HloInstruction* x;
  if (!Match(outer, m::Reshape(m::Reshape(Any(&x)))) || !outer->shape().is_static() ||
      !x->shape().is_static() || !outer->operand(0)->shape().is_static()) {
    return nullptr;
  }
  return rewriter.Create(HloOpcode::kReshape, outer->shape(), {x});
}

// transpose(transpose(x)): dimension i of the result is dimension outer[i] of the intermediate
// array, which is dimension inner[outer[i]] of x.
Result TransposeTwice(HloInstruction* outer, Rewriter& rewriter) {
  HloInstruction *x, *inner;
  if (!Match(outer, m::Transpose(m::Transpose(Any(&x)).As(&inner)))) {
    return nullptr;
  }
  std::vector<int64_t> dimensions;
  for (const int64_t i : outer->dimensions()) dimensions.push_back(inner->dimensions()[i]);
  return rewriter.Create(HloOpcode::kTranspose, outer->shape(), {x},
                         DimensionListAttributes{.dimensions = std::move(dimensions)});
}

// transpose(concatenate(rows)): rows are concatenated as columns, without being moved before.
Result TransposeOfJoinedRows(HloInstruction* transpose, Rewriter& rewriter) {
  constexpr int64_t kMostColumns = 8;
  HloInstruction* const joined = transpose->operand(0);
  const int64_t rank = transpose->shape().rank();
  if (joined->opcode() != HloOpcode::kConcatenate || joined->users().size() != 1 ||
      !joined->shape().is_static() || rank < 2 || joined->operand_count() > kMostColumns) {
    return nullptr;
  }
  const int64_t d = joined->dimensions()[0];
  const auto& dimensions = transpose->dimensions();
  // Other dimensions keep their order.
  if (dimensions.back() != d || !std::is_sorted(dimensions.begin(), dimensions.end() - 1))
    return nullptr;
  for (const HloInstruction* row : joined->operands()) {
    if (row->shape().dimensions(static_cast<int>(d)) != 1) return nullptr;
  }
  std::vector<HloInstruction*> columns;
  Shape shape = transpose->shape();
  shape.set_dimensions(static_cast<int>(rank - 1), 1);
  for (HloInstruction* row : joined->operands())
    columns.push_back(
        rewriter.Create(HloOpcode::kTranspose, shape, {row}, transpose->attributes()));
  return rewriter.Create(HloOpcode::kConcatenate, transpose->shape(), columns,
                         DimensionListAttributes{.dimensions = {rank - 1}});
}

// broadcast(broadcast(x)): dimension i of x becomes dimension inner[i], and then outer[inner[i]].
Result BroadcastTwice(HloInstruction* outer, Rewriter& rewriter) {
  HloInstruction *x, *inner;
  if (!Match(outer, m::Broadcast(m::Broadcast(Any(&x)).As(&inner)))) {
    return nullptr;
  }
  std::vector<int64_t> dimensions;
  for (const int64_t i : inner->dimensions()) dimensions.push_back(outer->dimensions()[i]);
  return rewriter.Create(HloOpcode::kBroadcast, outer->shape(), {x},
                         DimensionListAttributes{.dimensions = std::move(dimensions)});
}

// reverse(reverse(x)) over the same dimensions
Result ReverseTwice(HloInstruction* outer, Rewriter&) {
  HloInstruction *x, *inner;
  if (!Match(outer, m::Reverse(m::Reverse(Any(&x)).As(&inner))) ||
      outer->dimensions() != inner->dimensions() || x->shape() != outer->shape()) {
    return nullptr;
  }
  return x;
}

// reshape(broadcast(x)) that repeats each element of x a few times, and joins the copies to rows
const Shape* RepeatedRows(const HloInstruction& instruction) {
  constexpr int64_t kMostTimes = 4, kLeastElements = 16;
  if (instruction.opcode() != HloOpcode::kReshape) return nullptr;
  const HloInstruction* const broadcast = instruction.operand(0);
  const Shape* const shape = &broadcast->shape();
  const int rank = shape->rank();
  if (broadcast->opcode() != HloOpcode::kBroadcast || broadcast->user_count() != 1 || rank < 2 ||
      !shape->is_static() || shape->dimensions(rank - 1) < 2 ||
      shape->dimensions(rank - 1) > kMostTimes || shape->dimensions(rank - 2) < kLeastElements) {
    return nullptr;
  }
  const auto& dimensions = broadcast->dimensions();
  const bool repeats =
      !absl::c_linear_search(dimensions, rank - 1) && absl::c_linear_search(dimensions, rank - 2);
  return repeats ? shape : nullptr;
}

// Applies operations on such rows before elements are joined: elements of x are read as vectors.
Result ElementwiseOfRepeatedRows(HloInstruction* whole, Rewriter& rewriter) {
  if (!whole->info().Has(op_traits::kElementwiseTrait) || IsAnnotated(*whole) ||
      whole->HasControlDependencies() || !whole->shape().IsArray() || !whole->shape().is_static()) {
    return nullptr;
  }
  const Shape* rows = nullptr;
  for (HloInstruction* operand : whole->operands()) {
    if (operand->shape().dimensions() != whole->shape().dimensions()) return nullptr;
    if (rows == nullptr) rows = RepeatedRows(*operand);
  }
  if (rows == nullptr) return nullptr;
  const Shape row_shape = *rows;
  const auto with_type = [&](const HloInstruction& like) {
    return ShapeUtil::ChangeElementType(row_shape, like.shape().element_type());
  };
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : whole->operands())
    operands.push_back(rewriter.Create(HloOpcode::kReshape, with_type(*operand), {operand}));
  HloInstruction* const parts =
      rewriter.Create(whole->opcode(), with_type(*whole), operands, whole->attributes());
  return rewriter.Create(HloOpcode::kReshape, whole->shape(), {parts});
}

constexpr RewriteRule kReshapeRules[] = {
    {"broadcast-of-nothing", HloOpcode::kBroadcast, &ToSameShape},
    {"concatenate-one", HloOpcode::kConcatenate, &ToSameShape},
    {"pad-nothing", HloOpcode::kPad, &ToSameShape},
    {"reshape-to-same-shape", HloOpcode::kReshape, &ToSameShape},
    {"reverse-nothing", HloOpcode::kReverse, &ToSameShape},
    {"slice-all", HloOpcode::kSlice, &ToSameShape},
    {"transpose-nothing", HloOpcode::kTranspose, &ToSameShape},
    {"broadcast-broadcast", HloOpcode::kBroadcast, &BroadcastTwice},
    {"reshape-reshape", HloOpcode::kReshape, &ReshapeTwice},
    {"reverse-reverse", HloOpcode::kReverse, &ReverseTwice},
    {"transpose-transpose", HloOpcode::kTranspose, &TransposeTwice},
    {"elementwise-of-repeated-rows", std::nullopt, &ElementwiseOfRepeatedRows},
    {"transpose-of-joined-rows", HloOpcode::kTranspose, &TransposeOfJoinedRows},
};

}  // namespace

absl::Span<const RewriteRule> ReshapeSimplifications() { return kReshapeRules; }

}  // namespace xla
