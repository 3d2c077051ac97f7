// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/row_accesses.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/base/machine.h"
#include "xla/cpu/kernel/loop_partitioning.h"

namespace xla::cpu {

std::vector<RowAccesses::Access> RowAccesses::AccessesOf(const HloInstruction& instruction) const {
  constexpr size_t kMostAccesses = 64;
  std::vector<Access> accesses;
  const auto add = [&](const HloInstruction* kernel, int64_t shift) {
    const Access access = {kernel, shift};
    if (!absl::c_linear_search(accesses, access)) accesses.push_back(access);
  };
  for (const HloInstruction* user : instruction.users()) {
    const auto found = accesses_.find(user);
    const bool is_fused = decisions_.fused.contains(user);
    if (is_fused && (found == accesses_.end() || found->second.empty())) return {};
    for (int64_t i = 0; i < user->operand_count(); ++i) {
      if (user->operand(i) != &instruction) continue;
      const bool is_part =
          !is_fused && (user->opcode() == HloOpcode::kConcatenate ||
                        (user->opcode() == HloOpcode::kDynamicUpdateSlice && i == 1));
      const std::optional<int64_t> shift = is_part ? 0 : MinorOffset(*user, i);
      if (!shift.has_value() || accesses.size() > kMostAccesses) return {};
      if (!is_fused) {
        add(user, *shift);
        continue;
      }
      for (const Access& access : found->second) add(access.kernel, access.shift + *shift);
    }
  }
  return accesses;
}

std::vector<int64_t> RowAccesses::BoundariesWith(const HloInstruction& instruction,
                                                 const Access& access) const {
  const auto found = boundaries_.find(access.kernel);
  std::vector<int64_t> boundaries =
      found == boundaries_.end() ? std::vector<int64_t>() : found->second;
  for (const int64_t boundary : MinorBoundaries(instruction))
    boundaries.push_back(boundary - access.shift);
  std::sort(boundaries.begin(), boundaries.end());
  boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
  return boundaries;
}

void RowAccesses::AddBoundaries(const HloInstruction& instruction) {
  constexpr size_t kMostBoundaries = 64;
  if (MinorBoundaries(instruction).empty()) return;
  for (const Access& access : accesses_[&instruction]) {
    std::vector<int64_t> boundaries = BoundariesWith(instruction, access);
    if (boundaries.size() <= kMostBoundaries) boundaries_[access.kernel] = std::move(boundaries);
  }
}

bool RowAccesses::ReadsInSegments(const HloInstruction& concatenate) const {
  constexpr int64_t kLeastRow = 32;
  const std::vector<Access>& accesses = accesses_.at(&concatenate);
  if (accesses.empty()) return false;
  return absl::c_all_of(accesses, [&](const Access& access) {
    const Shape& shape = access.kernel->shape();
    if (!shape.IsArray() || shape.rank() == 0) return false;
    const int64_t length = shape.dimensions().back();
    return length >= kLeastRow &&
           !PartitionBetween(BoundariesWith(concatenate, access), length, kUsualMachine.Lanes(4))
                .empty();
  });
}

}  // namespace xla::cpu
