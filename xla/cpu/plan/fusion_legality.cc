// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/fusion_legality.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/column_reduction.h"
#include "xla/cpu/kernel/in_place.h"
#include "xla/cpu/kernel/transpose.h"
#include "xla/cpu/plan/fusion.h"
#include "xla/hlo/ir/operation_cost.h"

namespace xla::cpu {
namespace {

// Transposes with fewer elements are not worth a kernel of their own.
constexpr int64_t kSmallTranspose = 1024;

bool SameDimensions(const Shape& a, const Shape& b) { return a.dimensions() == b.dimensions(); }

bool IsSmallConstant(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kConstant && CountOf(instruction.shape()) == 1;
}

// Whether vectors along the minor dimension of the result are contiguous in the operand, or can be
// read as if they were.
bool KeepsMinorDimension(const HloInstruction& transpose) {
  if (PicksFromShortRows(transpose)) return true;
  const auto dimensions = transpose.dimensions();
  const int64_t rank = transpose.shape().rank();
  const int64_t last = LastLongDimension(transpose.shape());
  return last < 0 || dimensions[static_cast<size_t>(last)] == last ||
         (last + 1 < rank && dimensions[static_cast<size_t>(last)] + 1 == rank);
}

bool MovesManyRows(const HloInstruction& transpose) {
  return !KeepsMinorDimension(transpose) && CountOf(transpose.shape()) >= kSmallTranspose;
}

// Whether the only user is elementwise and has the same dimensions.
bool HasElementwiseUser(const HloInstruction& instruction) {
  return instruction.users().size() == 1 &&
         SameDimensions(instruction.users()[0]->shape(), instruction.shape()) &&
         IsElementwise(*instruction.users()[0]);
}

// Whether a reshape is between operations of a fusion, rather than of an array in memory.
bool IsInnerReshape(const HloInstruction& instruction) {
  const HloInstruction* operand = SkipViews(instruction.operand(0));
  return IsGenerated(*operand) || IsSmallConstant(*operand);
}

// Whether a transpose can compute the operation along rows of its operand.
bool IsComputedByRows(const HloInstruction& instruction) {
  return IsElementwise(instruction) || IsView(instruction.opcode());
}

// Whether a large transpose picks columns of short rows that a fused reshape makes of the
// instruction's rows: neighbors in a column are in no common vector then, and each would be
// addressed separately.
bool IsPickedThroughReshape(const HloInstruction& instruction, const FusedProducers& fused) {
  if (instruction.shape().rank() == 0 || CountOf(instruction.shape()) < kSmallTranspose ||
      instruction.opcode() == HloOpcode::kIota ||
      (instruction.opcode() == HloOpcode::kBroadcast &&
       CountOf(instruction.operand(0)->shape()) == 1)) {
    return false;
  }
  std::vector<const HloInstruction*> pending;
  absl::flat_hash_set<const HloInstruction*> seen;
  const auto follow = [&](const HloInstruction* read) {
    for (const HloInstruction* user : read->users()) {
      if (seen.insert(user).second) pending.push_back(user);
    }
  };
  for (const HloInstruction* user : instruction.users()) {
    if (IsView(user->opcode()) && fused.contains(user) && user->shape().rank() > 0 &&
        user->shape().dimensions().back() != instruction.shape().dimensions().back()) {
      follow(user);
    }
  }
  while (!pending.empty()) {
    const HloInstruction* user = pending.back();
    pending.pop_back();
    if (user->opcode() == HloOpcode::kTranspose && PicksFromShortRows(*user)) return true;
    if (IsElementwise(*user) && fused.contains(user)) follow(user);
  }
  return false;
}

bool AllUsersGenerated(const HloInstruction& instruction, const FusedProducers& fused) {
  if (IsPickedThroughReshape(instruction, fused)) return false;
  for (const HloInstruction* user : instruction.users()) {
    // Large transposes that move the minor dimension read memory, or what is computed by rows.
    if (user->opcode() == HloOpcode::kTranspose && MovesManyRows(*user) &&
        !(IsComputedByRows(instruction) && TransposesComputedRows(*user))) {
      return false;
    }
    if (fused.contains(user)) continue;
    if (!IsGenerated(*user)) return false;
    // Arrays that are updated in place are read and written in memory.
    for (int64_t i = 0; i < UpdatedCount(*user); ++i) {
      if (user->operand(i) == &instruction) return false;
    }
  }
  return true;
}

// Whether interior padding separates elements of a row. Loops are divided into phases for it;
// reductions would test each element.
bool HasGapsInRows(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kPad && instruction.shape().rank() > 0 &&
         absl::c_any_of(instruction.attributes<PadAttributes>().padding,
                        [](const PadDim& dim) { return dim.interior > 0; });
}

// Whether the instruction is a function of an array with gaps, as sums are that interleave some.
bool FillsGaps(const HloInstruction& instruction) {
  return IsElementwise(instruction) &&
         absl::c_any_of(instruction.operands(),
                        [](const HloInstruction* operand) { return HasGapsInRows(*operand); });
}

// Whether a kernel puts functions of the instruction among gaps.
bool StandsAmongGaps(const HloInstruction& instruction, const FusedProducers& fused,
                     int depth = 4) {
  return absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
    return fused.contains(user) &&
           (HasGapsInRows(*user) ||
            (depth > 0 && IsElementwise(*user) && StandsAmongGaps(*user, fused, depth - 1)));
  });
}

// Whether the instruction reads a few elements of an array that the kernel otherwise updates in
// place, and reads them where it has written others. Reading them beforehand saves a copy of the
// array.
bool ReadsUpdated(const HloInstruction& instruction, const HloInstruction& kernel,
                  const FusedProducers& fused) {
  const int64_t updated = UpdatedCount(kernel);
  if (updated == 0 || (instruction.opcode() != HloOpcode::kGather &&
                       instruction.opcode() != HloOpcode::kDynamicSlice &&
                       instruction.opcode() != HloOpcode::kSlice)) {
    return false;
  }
  const HloInstruction* const array = SkipViews(instruction.operand(0));
  const auto& operands = kernel.operands();
  return 4 * CountOf(instruction.shape()) <= CountOf(array->shape()) &&
         std::any_of(operands.begin(), operands.begin() + updated,
                     [&](const HloInstruction* operand) { return SkipViews(operand) == array; }) &&
         !ReadsWhereItWrites(instruction, kernel, fused);
}

}  // namespace

int64_t UpdatedCount(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kDynamicUpdateSlice) return 1;
  return instruction.opcode() == HloOpcode::kScatter ? instruction.operand_count() / 2 : 0;
}

bool CombinesElements(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReduce ||
         instruction.opcode() == HloOpcode::kReduceWindow ||
         instruction.opcode() == HloOpcode::kDot;
}

bool IsRowOfResult(const HloInstruction& reduce, const FusionDecisions& decisions) {
  constexpr int64_t kLeastRows = 16, kLeastColumns = 64, kMostColumns = 1 << 16;
  if (reduce.opcode() != HloOpcode::kReduce) return false;
  const Shape& shape = reduce.operand(0)->shape();
  const int64_t columns = shape.rank() == 0 ? 0 : shape.dimensions().back();
  if (reduce.operand_count() != 2 || reduce.dimensions().size() != 1 ||
      reduce.dimensions()[0] != shape.rank() - 1 || columns < kLeastColumns ||
      columns > kMostColumns || CountOf(shape) / columns < kLeastRows || !AppliesVectors(reduce)) {
    return false;
  }
  const HloInstruction* kernel = nullptr;
  std::vector<const HloInstruction*> pending = {&reduce};
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    for (const HloInstruction* user : instruction->users()) {
      if (!seen.insert(user).second) continue;
      const bool is_broadcast =
          user->opcode() == HloOpcode::kBroadcast && BroadcastsToOwnRows(*user);
      const bool keeps_rows = IsElementwise(*user) || IsView(user->opcode()) || is_broadcast ||
                              decisions.rows.contains(user);
      if (!keeps_rows) return false;
      if (decisions.fused.contains(user)) {
        pending.push_back(user);
      } else if (kernel != nullptr && kernel != user) {
        return false;
      } else {
        kernel = user;
      }
    }
  }
  return kernel != nullptr && IsElementwise(*kernel) && kernel->shape().IsArray() &&
         SameDimensions(kernel->shape(), shape);
}

bool CanBeFused(const HloInstruction& instruction, const FusionDecisions& decisions) {
  if (instruction.IsRoot() || instruction.users().empty() || instruction.HasSideEffect() ||
      instruction.HasControlDependencies()) {
    return false;
  }
  if (IsSmallConstant(instruction)) return AllUsersGenerated(instruction, decisions.fused);
  if (!IsGenerated(instruction) || !instruction.shape().IsArray()) {
    // Reshapes of arrays in memory cost nothing anyway; those within a fusion avoid an array.
    if (!IsView(instruction.opcode()) || !CanEmitElement(instruction) ||
        !IsInnerReshape(instruction)) {
      return false;
    }
  }
  switch (instruction.opcode()) {
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kScatter:
      return false;
    case HloOpcode::kReduceWindow:
    case HloOpcode::kDot:
      if (!HasElementwiseUser(instruction)) return false;
      break;
    case HloOpcode::kTranspose:
      if (MovesManyRows(instruction)) return false;
      break;
    case HloOpcode::kReduce:
      if (IsRowOfResult(instruction, decisions)) break;
      if (IsColumnReduction(instruction) || !HasElementwiseUser(instruction)) return false;
      break;
    default:
      // Interleaved arrays that are interleaved again, as in gradients of scans by trees, would
      // have a test for each element at each level.
      if (FillsGaps(instruction) && StandsAmongGaps(instruction, decisions.fused)) return false;
      break;
  }
  return AllUsersGenerated(instruction, decisions.fused);
}

bool FitsKernels(const HloInstruction& instruction, bool is_row,
                 const std::vector<const HloInstruction*>& kernels,
                 const FusionDecisions& decisions) {
  const auto combines = [&](const HloInstruction* kernel) {
    return CombinesElements(*kernel) || decisions.combining_kernels.contains(kernel) ||
           decisions.row_kernels.contains(kernel);
  };
  if (HasGapsInRows(instruction) && absl::c_any_of(kernels, combines)) return false;
  // A kernel that reduces its rows first has no other reductions (ReducesOwnRows): it would reduce
  // the row again for each of their elements.
  if (CombinesElements(instruction)) {
    const auto& others = is_row ? decisions.combining_kernels : decisions.row_kernels;
    if (absl::c_any_of(kernels, [&](const auto* kernel) { return others.contains(kernel); }))
      return false;
  }
  return absl::c_none_of(kernels, [&](const HloInstruction* kernel) {
    return ReadsUpdated(instruction, *kernel, decisions.fused);
  });
}

}  // namespace xla::cpu
