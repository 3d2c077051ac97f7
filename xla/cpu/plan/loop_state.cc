// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/loop_state.h"

#include <cstdint>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Whether the leaf of the instruction is that of the parameter.
bool PassesThrough(const HloInstruction* instruction, const HloInstruction* parameter,
                   int64_t leaf) {
  int64_t at = leaf;
  while (instruction != parameter) {
    switch (instruction->opcode()) {
      case HloOpcode::kTuple: {
        int64_t i = 0;
        while (at >= ShapeUtil::GetLeafCount(instruction->operand(i)->shape())) {
          at -= ShapeUtil::GetLeafCount(instruction->operand(i++)->shape());
        }
        instruction = instruction->operand(i);
        break;
      }
      case HloOpcode::kGetTupleElement: {
        const HloInstruction* operand = instruction->operand(0);
        for (int64_t i = 0; i < instruction->tuple_index(); ++i) {
          at += ShapeUtil::GetLeafCount(operand->shape().tuple_shapes(static_cast<int>(i)));
        }
        instruction = operand;
        break;
      }
      default:
        if (!IsView(instruction->opcode()) && instruction->opcode() != HloOpcode::kCopy &&
            instruction->opcode() != HloOpcode::kOptimizationBarrier) {
          return false;
        }
        instruction = instruction->operand(0);
    }
  }
  return at == leaf;
}

}  // namespace

std::vector<bool> ChangedState(const HloComputation& body) {
  const HloInstruction* const parameter = body.parameter_instruction(0);
  std::vector<bool> changes;
  for (int64_t k = 0; k < ShapeUtil::GetLeafCount(parameter->shape()); ++k)
    changes.push_back(!PassesThrough(body.root_instruction(), parameter, k));
  return changes;
}

}  // namespace xla::cpu
