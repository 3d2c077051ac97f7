// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/assign_lowering.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/in_place.h"
#include "xla/cpu/kernel/strategies.h"
#include "xla/cpu/plan/epilogue.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/plan/operand_folding.h"
#include "xla/cpu/plan/sort_order.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

using Kind = Lowering::Kind;

Lowering Forwarded(int64_t operand) {
  Lowering lowering;
  lowering.kind = Kind::kForwarded;
  lowering.forwards = operand;
  return lowering;
}

Lowering Folded(int64_t operand, FoldedOperand folding) {
  Lowering lowering;
  lowering.kind = Kind::kFolded;
  lowering.forwards = operand;
  lowering.folding = folding;
  return lowering;
}

bool HasWholeBytes(const Shape& shape) {
  return shape.element_type() != PRED && primitive_util::BitWidth(shape.element_type()) >= 8;
}

std::vector<int64_t> UnusedResults(const HloInstruction& instruction) {
  std::vector<int64_t> unused;
  for (int64_t i = 0; i < ResultCount(instruction); ++i) {
    if (IsUnusedResult(instruction, i)) unused.push_back(i);
  }
  return unused;
}

Lowering LoweringOfFusion(const HloInstruction& fusion, const Target& target) {
  Lowering lowering;
  lowering.kind = Kind::kKernel;
  lowering.epilogue_of = ContractionOperand(fusion);
  lowering.unused = UnusedResults(fusion);
  KernelRequest request;
  request.instruction = &fusion;
  request.target = &target;
  request.epilogue_of = lowering.epilogue_of;
  request.is_written.resize(static_cast<size_t>(fusion.operand_count()));
  const KernelStrategy& strategy = StrategyOf(request);
  lowering.strategy = strategy.name;
  // The results of the contraction are in the memory of the fusion's results, or in that of the
  // library's kernel.
  if (lowering.epilogue_of >= 0) return lowering;
  lowering.updated = UpdatedOperands(fusion);
  for (int64_t i = 0; i < fusion.operand_count(); ++i) {
    for (int64_t r = 0; r < ResultCount(fusion); ++r) {
      if (MayShareMemory(fusion, i, static_cast<int>(r), strategy.reduces_rows_first))
        lowering.may_share.emplace_back(i, r);
    }
  }
  return lowering;
}

// A kernel for an instruction that is no fusion.
Lowering LoweringOfSelectAndScatter(const HloInstruction& instruction, const Target& target) {
  Lowering lowering;
  lowering.kind = Kind::kKernel;
  KernelRequest request;
  request.instruction = &instruction;
  request.target = &target;
  lowering.strategy = StrategyOf(request).name;
  return lowering;
}

// Returns how the library kernels that read the instruction compute it, if they do.
FoldedOperand FoldingOf(const HloInstruction& operand) {
  FoldedOperand folded;
  if (IsFoldedTranspose(operand)) {
    folded.kind = FoldedOperand::Kind::kTransposed;
  } else if (IsFoldedScaling(operand)) {
    folded = {FoldedOperand::Kind::kScaled, ScaleOf(operand)};
  } else if (IsSortIndex(operand)) {
    folded.kind = FoldedOperand::Kind::kIndex;
  }
  return folded;
}

// The lowering of a library kernel or a function of the runtime, named by the operation.
Lowering LibraryLowering(const HloInstruction& instruction) {
  Lowering lowering;
  lowering.kind = Kind::kLibrary;
  lowering.library = instruction.opcode() == HloOpcode::kReduceWindow
                         ? "scan"
                         : std::string(HloOpcodeString(instruction.opcode()));
  for (const HloInstruction* operand : instruction.operands())
    lowering.operands.push_back(LoweringOf(*operand).folding);
  lowering.unused = UnusedResults(instruction);
  lowering.needs_comparator = instruction.opcode() == HloOpcode::kSort &&
                              !RecognizeOrder(*instruction.to_apply()).has_value();
  return lowering;
}

Lowering Decide(const HloInstruction& instruction, const Target& target) {
  switch (instruction.opcode()) {
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kAfterAll:
    case HloOpcode::kCall:
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
      return Lowering();
    case HloOpcode::kBitcast:
    case HloOpcode::kReshape:
    case HloOpcode::kCopy:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kDomain:
    case HloOpcode::kAddDependency:
      return Forwarded(0);
    case HloOpcode::kBitcastConvert:
      // With another rank: the same bytes, if each element has whole ones.
      if (!HasWholeBytes(instruction.shape()) || !HasWholeBytes(instruction.operand(0)->shape()))
        break;
      return Forwarded(0);
    case HloOpcode::kTranspose:
    case HloOpcode::kMultiply:
    case HloOpcode::kIota:
    case HloOpcode::kBroadcast: {
      const FoldedOperand folding = FoldingOf(instruction);
      if (folding.kind == FoldedOperand::Kind::kTransposed) return Folded(0, folding);
      if (folding.kind == FoldedOperand::Kind::kScaled)
        return Folded(instruction.operand(0) == ScaledArray(instruction) ? 0 : 1, folding);
      if (folding.kind == FoldedOperand::Kind::kIndex || IsScaleOfFoldedOperands(instruction))
        return Folded(-1, folding);
      break;
    }
    case HloOpcode::kFusion:
      return LoweringOfFusion(instruction, target);
    default:
      break;
  }
  if (IsFusedContraction(instruction)) {
    Lowering lowering = LibraryLowering(instruction);
    lowering.kind = Kind::kFinished;
    return lowering;
  }
  if (IsSelectAndScatter(instruction)) return LoweringOfSelectAndScatter(instruction, target);
  return LibraryLowering(instruction);
}

// Returns the computations that are scheduled: the entry, the programs that code applies to
// elements, and what these call. Others are part of the code of an instruction.
std::vector<HloComputation*> ScheduledComputations(HloModule* module) {
  absl::flat_hash_set<const HloComputation*> scheduled = {module->entry_computation()};
  std::vector<const HloComputation*> pending = {module->entry_computation()};
  const NestedPrograms programs(*module);
  for (const HloComputation* program : programs.computations()) {
    if (scheduled.insert(program).second) pending.push_back(program);
  }
  while (!pending.empty()) {
    const HloComputation* computation = pending.back();
    pending.pop_back();
    for (const HloInstruction* instruction : computation->instructions()) {
      const HloOpcode opcode = instruction->opcode();
      if (opcode != HloOpcode::kCall && opcode != HloOpcode::kWhile &&
          opcode != HloOpcode::kConditional) {
        continue;
      }
      for (const HloComputation* called : instruction->called_computations()) {
        if (scheduled.insert(called).second) pending.push_back(called);
      }
    }
  }
  std::vector<HloComputation*> computations;
  for (HloComputation* computation : module->computations()) {
    if (scheduled.contains(computation)) computations.push_back(computation);
  }
  return computations;
}

}  // namespace

absl::StatusOr<bool> AssignLowering(HloModule* module, const Target& target) {
  bool changed = false;
  for (HloComputation* computation : ScheduledComputations(module)) {
    // Operands first: their readers look up how they are folded.
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      Lowering lowering = Decide(*instruction, target);
      if (LoweringOf(*instruction) == lowering) continue;
      changed = true;
      instruction->mutable_extras().backend_decision =
          std::make_shared<const Lowering>(std::move(lowering));
    }
  }
  return changed;
}

}  // namespace xla::cpu
