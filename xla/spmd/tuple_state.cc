// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/tuple_state.h"

#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

// The tuple of a tuple's elements, or of the one value.
HloInstruction* AsTuple(HloInstruction* value) {
  if (value->opcode() == HloOpcode::kTuple) return value;
  if (!value->shape().IsTuple()) {
    return Add(value->parent(), HloOpcode::kTuple, ShapeUtil::MakeTupleShape({value->shape()}),
               {value});
  }
  Instructions elements;
  for (int64_t i = 0; i < value->shape().tuple_shapes_size(); ++i) {
    elements.push_back(Element(value, i));
  }
  return Add(value->parent(), HloOpcode::kTuple, value->shape(), elements);
}

void ReturnTuple(HloComputation* computation) {
  HloInstruction* root = computation->root_instruction();
  if (root->opcode() == HloOpcode::kTuple) return;
  computation->set_root_instruction(AsTuple(root));
}

// The parameter becomes a tuple, which holds the value that it was.
absl::Status TakeTuple(HloComputation* computation) {
  HloInstruction* parameter = computation->parameter_instruction(0);
  HloInstruction* placeholder = computation->AddInstruction(
      HloInstruction::CreateConstant(Literal::CreateFromShape(ShapeUtil::MakeShape(PRED, {}))));
  XLA_RETURN_IF_ERROR(parameter->ReplaceAllUsesWithDifferentShape(placeholder));
  *parameter->mutable_shape() = ShapeUtil::MakeTupleShape({parameter->shape()});
  XLA_RETURN_IF_ERROR(placeholder->ReplaceAllUsesWithDifferentShape(Element(parameter, 0)));
  return computation->RemoveInstruction(placeholder);
}

// Computation i of the caller, which is its only caller.
HloComputation* OwnComputation(HloInstruction* caller, int64_t i) {
  HloComputation* computation = caller->called_computations()[static_cast<size_t>(i)];
  if (computation->caller_count() == 1) return computation;
  CloneMap map;
  HloComputation* copy = CloneComputation(*computation, computation->parent(), &map);
  caller->set_called_computation(i, copy);
  return copy;
}

// The caller gives a tuple of its one result.
absl::Status GiveTuple(HloInstruction* caller) {
  const Instructions operands(caller->operands().begin(), caller->operands().end());
  HloInstruction* tuple = caller->parent()->AddInstruction(
      caller->CloneWithNewOperands(ShapeUtil::MakeTupleShape({caller->shape()}), operands));
  tuple->mutable_extras().sharding.reset();
  HloInstruction* element = Element(tuple, 0);
  element->mutable_extras().sharding = caller->extras().sharding;
  return caller->parent()->ReplaceInstruction(caller, element);
}

absl::Status PassTuples(HloInstruction* caller) {
  const bool is_loop = caller->opcode() == HloOpcode::kWhile;
  const bool gives_one = !caller->shape().IsTuple();
  const auto callees = static_cast<int64_t>(caller->called_computations().size());
  for (int64_t i = 0; i < callees; ++i) {
    // A loop has one operand, a conditional one for each branch.
    const int64_t number = is_loop ? 0 : i + 1;
    HloInstruction* operand = caller->mutable_operand(number);
    HloComputation* callee = caller->called_computations()[static_cast<size_t>(i)];
    if (!callee->parameter_instruction(0)->shape().IsTuple()) {
      callee = OwnComputation(caller, i);
      XLA_RETURN_IF_ERROR(TakeTuple(callee));
    }
    XLA_RETURN_IF_ERROR(caller->ReplaceOperandWithDifferentShape(number, AsTuple(operand)));
    if (is_loop && i > 0) continue;  // the condition
    if (gives_one) callee = OwnComputation(caller, i);
    ReturnTuple(callee);
  }
  return gives_one ? GiveTuple(caller) : absl::OkStatus();
}

}  // namespace

absl::Status PassTuples(HloModule* module) {
  const std::vector<HloComputation*> computations(module->computations().begin(),
                                                  module->computations().end());
  for (HloComputation* computation : computations) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kWhile &&
          instruction->opcode() != HloOpcode::kConditional) {
        continue;
      }
      if (instruction->HasControlDependencies()) {
        continue;  // these are not divided
      }
      XLA_RETURN_IF_ERROR(PassTuples(instruction));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::spmd
