// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/widen_short_rows.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "xla/literal.h"
#include "xla/passes/rewriter.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// The length of rows that are widened, the least number of rows, and the elements of a row
// afterwards, a multiple of the lanes of vectors.
constexpr int64_t kLongestShortRow = 15, kEnoughRows = 4096, kWideRow = 1024, kLanes = 16;

bool IsElementwise(const HloInstruction& instruction) {
  if (!instruction.info().Has(op_traits::kElementwiseTrait) || !instruction.shape().IsArray() ||
      !instruction.shape().is_static() || instruction.operand_count() == 0) {
    return false;
  }
  return std::all_of(instruction.operands().begin(), instruction.operands().end(),
                     [&](const HloInstruction* operand) {
                       return operand->shape().IsArray() &&
                              operand->shape().dimensions() == instruction.shape().dimensions();
                     });
}

// Returns the dimensions of the array with wide rows; none if it is not widened.
std::vector<int64_t> WideDimensions(const Shape& shape) {
  if (!shape.IsArray() || !shape.is_static() || shape.rank() < 2) return {};
  const int64_t row = shape.dimensions(shape.rank() - 1);
  if (row < 2 || row > kLongestShortRow) return {};
  const int64_t rows = ShapeUtil::ElementsIn(shape) / row;
  if (rows < kEnoughRows) return {};
  for (int64_t joined = kWideRow / row; joined > 1; --joined) {
    if (rows % joined == 0 && joined * row % kLanes == 0) return {rows / joined, joined * row};
  }
  return {};
}

bool HasDimensions(const Shape& shape, const std::vector<int64_t>& dimensions) {
  return shape.dimensions() == absl::MakeConstSpan(dimensions);
}

// Whether each row is the same constant, which is not a scalar.
bool IsConstantRow(const HloInstruction& operand) {
  return operand.opcode() == HloOpcode::kBroadcast && operand.operand(0)->IsConstant() &&
         operand.dimensions().size() == 1 && operand.dimensions()[0] == operand.shape().rank() - 1;
}

// Whether the operand is a reshape of an array of wide rows.
bool IsFromWide(const HloInstruction& operand, const std::vector<int64_t>& wide) {
  return operand.opcode() == HloOpcode::kReshape &&
         HasDimensions(operand.operand(0)->shape(), wide);
}

// Whether the operand can be reshaped cheaply: elements of other operations would need their index
// in short rows.
bool CanReshape(const HloInstruction& operand) {
  switch (operand.opcode()) {
    case HloOpcode::kParameter:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kReshape:
    case HloOpcode::kWhile:
      return true;
    case HloOpcode::kBroadcast:
      return operand.dimensions().empty();
    default:
      return IsElementwise(operand);
  }
}

// Returns the operand with wide rows.
HloInstruction* Widened(HloInstruction* operand, const std::vector<int64_t>& wide,
                        Rewriter& rewriter) {
  const Shape shape = ShapeUtil::MakeShape(operand->shape().element_type(), wide);
  if (IsFromWide(*operand, wide)) return operand->operand(0);
  if (IsConstantRow(*operand)) {
    const Literal& row = operand->operand(0)->literal();
    Literal repeated(ShapeUtil::MakeShape(shape.element_type(), {wide[1]}));
    const auto bytes = static_cast<size_t>(row.size_bytes());
    auto* to = static_cast<char*>(repeated.untyped_data());
    for (size_t i = 0; i < static_cast<size_t>(repeated.size_bytes()); i += bytes)
      std::memcpy(to + i, row.untyped_data(), bytes);
    return rewriter.Create(HloOpcode::kBroadcast, shape, {rewriter.Constant(std::move(repeated))},
                           DimensionListAttributes{.dimensions = {1}});
  }
  if (operand->opcode() == HloOpcode::kBroadcast) {
    return rewriter.Create(HloOpcode::kBroadcast, shape, {operand->operand(0)},
                           DimensionListAttributes{});
  }
  return rewriter.Create(HloOpcode::kReshape, shape, {operand});
}

HloInstruction* WidenedOperation(const HloInstruction& operation, const std::vector<int64_t>& wide,
                                 Rewriter& rewriter) {
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : operation.operands())
    operands.push_back(Widened(operand, wide, rewriter));
  return rewriter.Create(operation.opcode(),
                         ShapeUtil::MakeShape(operation.shape().element_type(), wide), operands,
                         operation.attributes());
}

// Whether elementwise operations on the operation end in results of the computation: other readers,
// and what is computed from them, would read it through a reshape.
bool EndsInResults(const HloInstruction& operation) {
  constexpr size_t kMostReaders = 64;
  absl::flat_hash_set<const HloInstruction*> seen = {&operation};
  std::vector<const HloInstruction*> pending = {&operation};
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    for (const HloInstruction* user : instruction->users()) {
      if (user->opcode() == HloOpcode::kTuple || !seen.insert(user).second) continue;
      const bool is_widened = user->opcode() == HloOpcode::kReshape &&
                              HasDimensions(user->shape(), WideDimensions(operation.shape()));
      if (seen.size() > kMostReaders || (!IsElementwise(*user) && !is_widened)) return false;
      if (!is_widened) pending.push_back(user);
    }
  }
  return true;
}

absl::StatusOr<HloInstruction*> WidenOperation(HloInstruction* operation, Rewriter& rewriter) {
  if (!IsElementwise(*operation)) return nullptr;
  const std::vector<int64_t> wide = WideDimensions(operation->shape());
  if (wide.empty()) return nullptr;
  bool gains = false;
  for (const HloInstruction* operand : operation->operands()) {
    const bool follows = IsConstantRow(*operand) || IsFromWide(*operand, wide);
    if (!follows && !CanReshape(*operand)) return nullptr;
    gains = gains || follows;
  }
  if (!gains) return nullptr;
  if (!EndsInResults(*operation)) return nullptr;
  HloInstruction* const result = WidenedOperation(*operation, wide, rewriter);
  return rewriter.Create(HloOpcode::kReshape, operation->shape(), {result});
}

// Widens an operation that is only read by a wide one.
absl::StatusOr<HloInstruction*> WidenOperand(HloInstruction* reshape, Rewriter& rewriter) {
  const HloInstruction& operation = *reshape->operand(0);
  if (!IsElementwise(operation) || operation.users().size() != 1) return nullptr;
  const std::vector<int64_t> wide = WideDimensions(operation.shape());
  if (wide.empty() || !HasDimensions(reshape->shape(), wide)) return nullptr;
  for (const HloInstruction* operand : operation.operands()) {
    if (!IsConstantRow(*operand) && !CanReshape(*operand)) return nullptr;
  }
  return WidenedOperation(operation, wide, rewriter);
}

constexpr RewriteRule kWidenRules[] = {
    {"widen-operand", HloOpcode::kReshape, &WidenOperand},
    {"widen-operation", {}, &WidenOperation},
};

}  // namespace

absl::StatusOr<bool> WidenShortRows(HloModule* module) {
  return RewriteToFixedPoint(module, kWidenRules);
}

}  // namespace xla
