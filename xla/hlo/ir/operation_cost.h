// SPDX-License-Identifier: Apache-2.0
// What operations cost in XLA's terms (HloCostAnalysis), which know no machine: floating-point
// operations, transcendental functions, bytes that are read and written. The cost class of each
// operation (hlo_opcode.h) says which of these its elements count as.
#ifndef XLA_HLO_IR_OPERATION_COST_H_
#define XLA_HLO_IR_OPERATION_COST_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Operations of the processor to compute an element, roughly: of functions several. 0 for what
// moves data, and for what is not computed element by element.
int64_t ElementWork(HloOpcode opcode);

// Additions and multiplications of a dot, a dot of its kinds, or a convolution; 0 for others. Of a
// convolution those with elements of the input: not with padding or with the holes of base
// dilation, and of a sparse kernel those with the values that are stored.
double ContractionFlops(const HloInstruction& instruction);

struct OperationCost {
  double flops = 0, transcendentals = 0, bytes = 0;
};

// Costs of the computations and instructions of a module: callees come before their callers.
class CostAnalysis {
 public:
  // All instructions once.
  OperationCost CostOf(const HloComputation& computation);
  // Precondition: CostOf has been called for the computations that the instruction calls.
  OperationCost CostOf(const HloInstruction& instruction);

 private:
  void Add(const HloInstruction& instruction, OperationCost& cost);
  void AddApplied(const HloInstruction& instruction, OperationCost& cost);
  void AddCalled(const HloInstruction& instruction, OperationCost& cost);

  absl::flat_hash_map<const HloComputation*, OperationCost> costs_;
};

// One run of a verified module. Bodies of loops count once, as in XLA where the number of
// iterations is not known; of a conditional the largest branch counts.
OperationCost ModuleCost(const HloModule& module);

// The instruction, or what it is a view of.
const HloInstruction* SkipViews(const HloInstruction* instruction);

}  // namespace xla

#endif  // XLA_HLO_IR_OPERATION_COST_H_
