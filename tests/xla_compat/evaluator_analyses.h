// SPDX-License-Identifier: Apache-2.0
// Stand-ins for XLA's analyses and passes that the tests of its evaluator prepare modules with.
// Xylem's evaluator needs no analysis; HloElementTypeConverter turns a test into one of another
// element type.
#ifndef TESTS_XLA_COMPAT_EVALUATOR_ANALYSES_H_
#define TESTS_XLA_COMPAT_EVALUATOR_ANALYSES_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace xla {

class TuplePointsToAnalysis {
 public:
  static absl::StatusOr<std::unique_ptr<TuplePointsToAnalysis>> Run(const HloModule*) {
    return std::make_unique<TuplePointsToAnalysis>();
  }
};

class DynamicDimensionInference {
 public:
  static absl::StatusOr<DynamicDimensionInference> Run(HloModule*) {
    return DynamicDimensionInference();
  }
};

// Computes in another element type: operands of the first type are converted, and results back.
class HloElementTypeConverter {
 public:
  HloElementTypeConverter(PrimitiveType eliminate, PrimitiveType replace)
      : eliminate_(eliminate), replace_(replace) {}

  absl::StatusOr<bool> Run(HloModule* module) {
    bool changed = false;
    for (HloComputation* computation : module->computations()) {
      for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
        changed |= Convert(instruction);
      }
    }
    return changed;
  }

 private:
  static bool IsExempt(const HloInstruction& instruction) {
    switch (instruction.opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
      case HloOpcode::kTuple:
      case HloOpcode::kConvert:
      case HloOpcode::kBitcastConvert:
      case HloOpcode::kGetTupleElement:
      case HloOpcode::kInfeed:
      case HloOpcode::kOutfeed:
        return true;
      default:
        return !instruction.called_computations().empty() || !instruction.shape().IsArray() ||
               instruction.HasSideEffectNoRecurse();
    }
  }

  bool Convert(HloInstruction* instruction) {
    if (IsExempt(*instruction)) return false;
    bool converts = false;
    std::vector<HloInstruction*> operands;
    HloComputation* computation = instruction->parent();
    for (HloInstruction* operand : instruction->operands()) {
      if (operand->shape().IsArray() && operand->shape().element_type() == eliminate_) {
        converts = true;
        operand = computation->AddInstruction(HloInstruction::CreateConvert(
            ShapeUtil::ChangeElementType(operand->shape(), replace_), operand));
      }
      operands.push_back(operand);
    }
    if (!converts) return false;
    const bool converts_result = instruction->shape().element_type() == eliminate_;
    HloInstruction* result = computation->AddInstruction(instruction->CloneWithNewOperands(
        converts_result ? ShapeUtil::ChangeElementType(instruction->shape(), replace_)
                        : instruction->shape(),
        operands));
    if (converts_result) {
      result =
          computation->AddInstruction(HloInstruction::CreateConvert(instruction->shape(), result));
    }
    return computation->ReplaceInstruction(instruction, result).ok();
  }

  PrimitiveType eliminate_, replace_;
};

}  // namespace xla

#endif  // TESTS_XLA_COMPAT_EVALUATOR_ANALYSES_H_
