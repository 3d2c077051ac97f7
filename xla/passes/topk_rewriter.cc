// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/topk_rewriter.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/pattern.h"
#include "xla/passes/sort_keys.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// For more elements, a sort costs no more.
constexpr int64_t kLeastRatio = 4;

bool HasControlDependencies(const HloInstruction& instruction) {
  return instruction.HasControlDependencies();
}

// Returns the readers of each result of the sort; nullopt if one of them is not a slice.
std::optional<std::vector<std::vector<HloInstruction*>>> SlicesOf(const HloInstruction& sort) {
  std::vector<std::vector<HloInstruction*>> slices(static_cast<size_t>(sort.operand_count()));
  const auto add = [&](const HloInstruction& array, size_t result) {
    if (array.IsRoot() || HasControlDependencies(array)) return false;
    for (HloInstruction* user : array.users()) {
      if (user->opcode() != HloOpcode::kSlice) return false;
      slices[result].push_back(user);
    }
    return true;
  };
  if (sort.operand_count() == 1) {
    if (!sort.shape().IsArray() || !add(sort, 0)) return std::nullopt;
    return slices;
  }
  if (sort.IsRoot()) return std::nullopt;
  for (const HloInstruction* user : sort.users()) {
    if (user->opcode() != HloOpcode::kGetTupleElement ||
        !add(*user, static_cast<size_t>(user->tuple_index()))) {
      return std::nullopt;
    }
  }
  return slices;
}

absl::StatusOr<bool> Rewrite(HloInstruction* sort) {
  const int64_t dimension = sort->dimensions()[0];
  const Shape& shape = sort->operand(0)->shape();
  const int64_t length = shape.dimensions(static_cast<int>(dimension));
  const PrimitiveType type = shape.element_type();
  const bool is_float = primitive_util::IsFloatingPointType(type);
  if (sort->operand_count() > 2 || !shape.is_static() || HasControlDependencies(*sort) ||
      IsAnnotated(*sort) || (!is_float && !primitive_util::IsIntegralType(type)) ||
      primitive_util::BitWidth(type) < 8 || length > std::numeric_limits<int32_t>::max()) {
    return false;
  }
  const std::optional<ComparedOperand> compared = RecognizeComparison(*sort->to_apply());
  if (!compared.has_value() || compared->operand != 0 ||
      (is_float && compared->order != KeyOrder::kTotal)) {
    return false;
  }
  if (sort->operand_count() == 2) {
    const PrimitiveType index = sort->operand(1)->shape().element_type();
    if (!primitive_util::IsIntegralType(index) || primitive_util::BitWidth(index) < 32 ||
        IndexDimension(*sort->operand(1)) != dimension) {
      return false;
    }
  }
  const auto slices = SlicesOf(*sort);
  if (!slices.has_value()) return false;
  int64_t k = 0;
  for (const auto& of_result : *slices) {
    for (const HloInstruction* slice : of_result) {
      const auto& along = slice->attributes<SliceAttributes>().slice;
      k = std::max(k, along[static_cast<size_t>(dimension)].limit);
    }
  }
  if (k == 0 || k > length / kLeastRatio) return false;

  GraphBuilder b(sort->parent(), sort);
  HloInstruction* x = sort->mutable_operand(0);
  // Swaps the dimension with the last one, along which topk works.
  std::vector<int64_t> exchange(static_cast<size_t>(shape.rank()));
  std::iota(exchange.begin(), exchange.end(), int64_t{0});
  std::swap(exchange[static_cast<size_t>(dimension)], exchange.back());
  const bool is_last = dimension == shape.rank() - 1;
  if (!is_last) x = b.Transpose(x, exchange);
  std::vector<int64_t> sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  sizes.back() = k;
  HloInstruction* const topk = b.Make(HloOpcode::kTopK,
                                      ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(type, sizes),
                                                                 ShapeUtil::MakeShape(S32, sizes)}),
                                      {x}, TopKAttributes{.k = k, .largest = compared->descending});
  for (size_t result = 0; result < slices->size(); ++result) {
    if ((*slices)[result].empty()) continue;
    HloInstruction* first = b.Element(topk, static_cast<int64_t>(result));
    if (result == 1) first = b.Convert(first, sort->operand(1)->shape().element_type());
    if (!is_last) first = b.Transpose(first, exchange);
    for (HloInstruction* slice : (*slices)[result]) {
      HloInstruction* const part = b.Add(slice->CloneWithNewOperands(slice->shape(), {first}));
      XLA_RETURN_IF_ERROR(sort->parent()->ReplaceInstruction(slice, part));
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> RewriteSortsToTopK(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kSort) continue;
      XLA_ASSIGN_OR_RETURN(const bool rewritten, Rewrite(instruction));
      changed |= rewritten;
    }
  }
  if (changed) XLA_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  return changed;
}

}  // namespace xla
