// SPDX-License-Identifier: Apache-2.0
#include "xla/service/layout_assignment.h"

#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

// Source: XLA's LayoutAssignment::InstructionCanChangeLayout.
bool LayoutAssignment::InstructionCanChangeLayout(const HloInstruction* instruction) {
  switch (instruction->opcode()) {
    case HloOpcode::kCopy:
      return true;
    case HloOpcode::kAddDependency:
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherDone:
    case HloOpcode::kAllGatherStart:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceDone:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kAllToAll:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kCholesky:
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kFft:
    case HloOpcode::kMap:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kPad:
    case HloOpcode::kRaggedAllToAll:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kReverse:
    case HloOpcode::kScan:
    case HloOpcode::kScatter:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kSetDimensionSize:
    case HloOpcode::kSlice:
    case HloOpcode::kSort:
    case HloOpcode::kTopK:
    case HloOpcode::kTriangularSolve:
    case HloOpcode::kWhile:
      return false;
    default:
      return !instruction->info().Has(op_traits::kElementwiseTrait);
  }
}

}  // namespace xla
