// SPDX-License-Identifier: Apache-2.0
// Handles dimensions that are static in a value's declaration and dynamic in its source: the
// verifier considers these shapes equal.
#include <utility>
#include <vector>

#include "xla/passes/dynamic_shapes.h"

namespace xla {
namespace {

// Makes the dimensions dynamic that are dynamic in `from`. Returns whether there were any.
bool Widen(const Shape& from, Shape* to) {
  bool changed = false;
  if (from.IsTuple() && to->IsTuple() && from.tuple_shapes_size() == to->tuple_shapes_size()) {
    for (int i = 0; i < from.tuple_shapes_size(); ++i)
      changed |= Widen(from.tuple_shapes(i), to->mutable_tuple_shapes(i));
  } else if (from.IsArray() && to->IsArray() && from.rank() == to->rank()) {
    for (int d = 0; d < from.rank(); ++d) {
      if (!from.is_dynamic_dimension(d) || to->is_dynamic_dimension(d)) continue;
      to->set_dynamic_dimension(d, true);
      changed = true;
    }
  }
  return changed;
}

class Widener {
 public:
  explicit Widener(HloModule* module) : module_(module) {
    for (const HloComputation* computation : module->computations())
      roots_[computation] = computation->root_instruction()->shape();
  }

  RootShapes Run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (HloComputation* computation : module_->computations()) {
        for (HloInstruction* instruction : computation->MakeInstructionPostOrder())
          changed |= Visit(instruction);
        if (computation == module_->entry_computation()) continue;
        changed |= Widen(computation->root_instruction()->shape(), &roots_[computation]);
      }
    }
    return std::move(roots_);
  }

 private:
  // The result of a call and what its callee returns are the same value.
  bool JoinResult(HloInstruction* call, const HloComputation* callee) {
    Shape& root = roots_[callee];
    const bool widened = Widen(root, call->mutable_shape());
    return Widen(call->shape(), &root) || widened;
  }
  static bool WidenParameter(HloComputation* callee, int64_t parameter, const Shape& from) {
    return Widen(from, callee->parameter_instruction(parameter)->mutable_shape());
  }

  bool Visit(HloInstruction* instruction) {
    bool changed = false;
    Shape* const shape = instruction->mutable_shape();
    switch (instruction->opcode()) {
      case HloOpcode::kCall:
      case HloOpcode::kFusion: {
        HloComputation* const callee = instruction->called_computations()[0];
        for (int64_t i = 0; i < callee->num_parameters(); ++i)
          changed |= WidenParameter(callee, i, instruction->operand(i)->shape());
        return JoinResult(instruction, callee) || changed;
      }
      case HloOpcode::kConditional:
        for (int64_t i = 1; i < instruction->operand_count(); ++i) {
          HloComputation* const branch =
              instruction->called_computations()[static_cast<size_t>(i - 1)];
          changed |= WidenParameter(branch, 0, instruction->operand(i)->shape());
          changed |= JoinResult(instruction, branch);
        }
        return changed;
      case HloOpcode::kWhile:
        // The state is carried: the next iteration gets any of these values.
        changed |= Widen(instruction->operand(0)->shape(), shape);
        changed |= Widen(instruction->while_body()->parameter_instruction(0)->shape(), shape);
        changed |= Widen(instruction->while_condition()->parameter_instruction(0)->shape(), shape);
        changed |= JoinResult(instruction, instruction->while_body());
        changed |= WidenParameter(instruction->while_body(), 0, *shape);
        return WidenParameter(instruction->while_condition(), 0, *shape) || changed;
      case HloOpcode::kTuple:
        for (int64_t i = 0; i < instruction->operand_count(); ++i) {
          changed |= Widen(instruction->operand(i)->shape(),
                           shape->mutable_tuple_shapes(static_cast<int>(i)));
        }
        return changed;
      case HloOpcode::kGetTupleElement:
        return Widen(instruction->operand(0)->shape().tuple_shapes(
                         static_cast<int>(instruction->tuple_index())),
                     shape);
      case HloOpcode::kCopy:
        return shape->IsTuple() && Widen(instruction->operand(0)->shape(), shape);
      case HloOpcode::kAddDependency:
      case HloOpcode::kDomain:
      case HloOpcode::kOptimizationBarrier:
        return Widen(instruction->operand(0)->shape(), shape);
      default:
        return false;
    }
  }

  HloModule* const module_;
  RootShapes roots_;
};

}  // namespace

RootShapes WidenDynamicShapes(HloModule* module) { return Widener(module).Run(); }

}  // namespace xla
