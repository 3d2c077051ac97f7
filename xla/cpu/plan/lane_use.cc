// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/lane_use.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/hlo/ir/operation_cost.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Of vectors of single precision with AVX2. With other vectors the same kernels gain more or less.
constexpr int64_t kLanes = 8;
// What it costs to store and load a vector, in operations.
constexpr double kMaterializingCost = 10;
// Fewer elements take less time than starting another kernel.
constexpr int64_t kFewElements = 256;

// The elements of the row that each element of the instruction reduces; 0 if it reduces none.
int64_t ReducedRow(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kReduce) {
    const Shape& shape = instruction.operand(0)->shape();
    return absl::c_linear_search(instruction.dimensions(), shape.rank() - 1)
               ? RowLengthOf(instruction)
               : 0;
  }
  if (instruction.opcode() == HloOpcode::kDot) {
    // Products of two rows: the dot has neither operand's other dimensions.
    const auto& attributes = instruction.attributes<DotAttributes>();
    const Shape& shape = instruction.operand(0)->shape();
    const auto batches = static_cast<int64_t>(attributes.lhs_batch_dims.size());
    return batches == instruction.shape().rank() && batches > 0 &&
                   absl::c_linear_search(attributes.lhs_contracting_dims, shape.rank() - 1)
               ? shape.dimensions().back()
               : 0;
  }
  return 0;
}

// The share of lanes that rows of so many elements fill, by the longest vectors that fit.
double ShareOfLanes(int64_t length) {
  int64_t lanes = kLanes;
  while (lanes > length) lanes /= 2;
  return static_cast<double>(length) / static_cast<double>(CeilOfRatio(length, lanes) * kLanes);
}

// The share of lanes that the functions of elements use which the reduction of a short row reads.
// They are computed vector by vector, without other rows to fill the gaps, and the last elements by
// shorter vectors.
double ShareOfReducedRow(const HloInstruction& reduce) {
  // Arrays beyond the caches take longer to store and load.
  constexpr int64_t kMostBytes = int64_t{1} << 21;
  constexpr int64_t kShortestRow = 5, kLongestRow = 4 * kLanes;
  const Shape& shape = reduce.operand(0)->shape();
  const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  const int64_t length = ReducedRow(reduce);
  const int64_t lanes = bytes == 8 ? kLanes / 2 : kLanes;
  if (length < std::max(kShortestRow, lanes) || length >= kLongestRow ||
      (length % lanes == 0 && length > lanes) || bytes * CountOf(shape) > kMostBytes) {
    return 1;
  }
  return ShareOfLanes(length) / 2;
}

// The share of its lanes with which a kernel computes its result if it computes the instruction.
double ShareWith(const HloInstruction& instruction) {
  // The processor computes several numbers at a time, if they are independent.
  constexpr double kShareOfScalars = 1.0 / 3;
  constexpr int64_t kShortestRow = 4, kLongestRow = 512;
  const int64_t reduced = ReducedRow(instruction);
  if (reduced >= kShortestRow && reduced <= kLongestRow) return kShareOfScalars;
  if (!TakesRowsApart(instruction)) return 1;
  const int64_t length = instruction.shape().dimensions().back();
  return length <= 1 ? 1 : ShareOfLanes(length);
}

}  // namespace

double LaneUse::WorkOf(const HloInstruction& kernel) const {
  const auto found = work_.find(&kernel);
  return static_cast<double>(ElementWork(kernel.opcode())) +
         (found == work_.end() ? 0 : found->second);
}

double LaneUse::ShareIn(const HloInstruction& kernel, const HloInstruction& instruction) const {
  const int64_t count = CountOf(instruction.shape());
  if (kernel.opcode() == HloOpcode::kReduce)
    return count == CountOf(kernel.operand(0)->shape()) ? ShareOfReducedRow(kernel) : 1;
  // Of an array that is much larger than what is read of it, most would be computed in vain.
  if (2 * count > 3 * CountOf(FirstShape(kernel))) return 1;
  const auto found = shares_.find(&kernel);
  if (found != shares_.end()) return found->second;
  return TakesRowsApart(kernel) ? ShareOfLanes(instruction.shape().dimensions().back()) : 1;
}

bool LaneUse::IsWorthwhile(const HloInstruction& instruction, bool is_row,
                           const std::vector<const HloInstruction*>& kernels) const {
  if (is_row || CountOf(instruction.shape()) < kFewElements) return true;
  // The work that uses fewer lanes, as far as is known, and the share that it uses.
  const auto is_worthwhile = [](double work, double share) {
    return work * (1 / share - 1) <= kMaterializingCost;
  };
  if (IsElementwise(instruction)) {
    const auto work = static_cast<double>(ElementWork(instruction.opcode()));
    return absl::c_any_of(kernels, [&](const HloInstruction* kernel) {
      return is_worthwhile(work, ShareIn(*kernel, instruction));
    });
  }
  const double share = ShareWith(instruction);
  return absl::c_any_of(kernels, [&](const HloInstruction* kernel) {
    // Kernels of other kinds have loops of their own, and those that use few lanes anyway would
    // not gain.
    return !IsElementwise(*kernel) || decisions_.row_kernels.contains(kernel) ||
           shares_.contains(kernel) || is_worthwhile(WorkOf(*kernel), share);
  });
}

void LaneUse::Add(const HloInstruction& instruction, bool is_row,
                  const std::vector<const HloInstruction*>& kernels) {
  const double share = is_row ? 1 : ShareWith(instruction);
  for (const HloInstruction* kernel : kernels) {
    if (CountOf(instruction.shape()) == CountOf(FirstShape(*kernel)))
      work_[kernel] += static_cast<double>(ElementWork(instruction.opcode()));
    if (share < 1) shares_.try_emplace(kernel, share);
  }
}

}  // namespace xla::cpu
