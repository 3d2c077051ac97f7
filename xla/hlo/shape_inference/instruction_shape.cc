// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/shape_inference/instruction_shape.h"

#include <vector>

#include "absl/container/inlined_vector.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/shape_inference/shape_inference.h"

namespace xla {

absl::StatusOr<Shape> InferInstructionShape(const HloInstruction& instruction,
                                            const Shape& declared) {
  absl::InlinedVector<const Shape*, 4> operands;
  for (const HloInstruction* operand : instruction.operands())
    operands.push_back(&operand->shape());
  std::vector<ProgramShape> signatures;
  for (const HloComputation* callee : instruction.called_computations())
    signatures.push_back(callee->ComputeProgramShape());
  absl::InlinedVector<const ProgramShape*, 2> callees;
  for (const ProgramShape& signature : signatures) callees.push_back(&signature);
  const HloModuleConfig& config = instruction.GetModule()->config();
  return InferShape({instruction.opcode(), operands, instruction.attributes(), callees, &declared,
                     config.replica_count(), config.num_partitions()});
}

}  // namespace xla
