// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/constant_folding.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/operation_cost.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Whether the instruction is a constant, or repeats or counts one: these are cheap as they are, and
// only folded into others.
bool IsSource(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kConstant || instruction.opcode() == HloOpcode::kIota ||
         instruction.opcode() == HloOpcode::kBroadcast;
}

bool IsFoldableOperation(const HloInstruction& instruction) {
  if (!instruction.shape().IsArray() || !instruction.shape().is_static() ||
      instruction.HasSideEffect() || instruction.opcode() == HloOpcode::kParameter ||
      instruction.info().HasAny(op_traits::kDependsOnRun | op_traits::kCommunicates) ||
      instruction.HasControlDependencies()) {
    return false;
  }
  switch (instruction.info().family) {
    case OpFamily::kElementwise:
    case OpFamily::kLeaf:
    case OpFamily::kReshape:
    case OpFamily::kGatherScatter:
    case OpFamily::kReduce:
    case OpFamily::kWindow:
    case OpFamily::kSort:
    case OpFamily::kContraction:
      return instruction.opcode() != HloOpcode::kStochasticConvert;
    default:
      return false;
  }
}

// Returns the elements of an array, otherwise 0.
int64_t Elements(const HloInstruction& instruction) {
  return instruction.shape().IsArray() ? ShapeUtil::ElementsIn(instruction.shape()) : 0;
}

// Estimates the steps of an evaluation besides reading the operands.
double StepsOf(const HloInstruction& instruction) {
  double steps = static_cast<double>(Elements(instruction));
  switch (instruction.opcode()) {
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
      return std::max(ContractionFlops(instruction) / 2, steps);
    case HloOpcode::kReduceWindow:
      for (const WindowDim& dim : instruction.attributes<WindowAttributes>().window.dims)
        steps *= static_cast<double>(dim.size);
      return steps;
    default:
      // A guess for other contractions and windows.
      if (instruction.info().family == OpFamily::kContraction ||
          instruction.info().family == OpFamily::kWindow) {
        constexpr double kStepsPerElement = 64;
        for (const HloInstruction* operand : instruction.operands())
          steps += kStepsPerElement * static_cast<double>(Elements(*operand));
      }
      return steps;
  }
}

// The constant part of one computation.
class ConstantPart {
 public:
  ConstantPart(HloComputation* computation, const ConstantFoldingOptions& options, int64_t* budget)
      : computation_(computation), options_(options), budget_(budget) {}

  absl::StatusOr<bool> Fold(ConstantEvaluator evaluate) {
    XLA_RETURN_IF_ERROR(Collect());
    const std::vector<HloInstruction*> results = Results();
    if (results.empty()) return false;
    const std::unique_ptr<HloModule> program = MakeProgram(results);
    absl::StatusOr<Literal> values = evaluate(*program);
    if (!values.ok()) return false;
    std::vector<Literal> literals = values->DecomposeTuple();
    for (size_t i = 0; i < results.size(); ++i) {
      HloInstruction* result = results[i];
      Literal literal = std::move(literals[i]);
      if (result->shape().has_layout() && literal.shape() != result->shape())
        literal = literal.Relayout(result->shape().layout());
      HloInstruction* constant =
          computation_->InsertBefore(result, HloInstruction::CreateConstant(std::move(literal)));
      XLA_RETURN_IF_ERROR(result->ReplaceAllUsesWith(constant));
      XLA_RETURN_IF_ERROR(computation_->RemoveInstructionAndUnusedOperands(result));
    }
    return true;
  }

 private:
  absl::Status Collect() {
    XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order, computation_->PostOrder());
    for (HloInstruction* instruction : order) {
      if (!IsFoldableOperation(*instruction)) continue;
      int64_t operand_elements = 0;
      bool constant = true;
      for (const HloInstruction* operand : instruction->operands()) {
        constant = constant && members_.contains(operand);
        operand_elements += Elements(*operand);
      }
      const int64_t elements = Elements(*instruction);
      if (!constant || elements > std::max(options_.max_elements, operand_elements)) continue;
      if (instruction->opcode() == HloOpcode::kConstant) {
        members_.insert(instruction);
        order_.push_back(instruction);
        continue;
      }
      const double cost = StepsOf(*instruction) + static_cast<double>(operand_elements);
      if (cost > static_cast<double>(*budget_)) continue;
      *budget_ -= static_cast<int64_t>(cost);
      members_.insert(instruction);
      order_.push_back(instruction);
    }
    return absl::OkStatus();
  }

  // Returns the members that other instructions use.
  std::vector<HloInstruction*> Results() const {
    std::vector<HloInstruction*> results;
    for (HloInstruction* instruction : order_) {
      if (IsSource(*instruction)) continue;
      bool is_used = instruction->IsRoot();
      for (const HloInstruction* user : instruction->users())
        is_used |= !members_.contains(user) || IsSource(*user);
      if (is_used) results.push_back(instruction);
    }
    return results;
  }

  std::unique_ptr<HloModule> MakeProgram(const std::vector<HloInstruction*>& results) {
    auto program = std::make_unique<HloModule>("constants");
    HloComputation* entry = program->AddComputation("entry");
    CloneMap map;
    for (HloInstruction* instruction : Needed(results)) {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : instruction->operands())
        operands.push_back(map.Find(operand));
      for (const HloComputation* callee : instruction->called_computations()) {
        if (map.Find(callee) == nullptr) {
          map.computations[callee] =
              CloneComputation(*callee, program.get(), &map, {.clone_callees = true});
        }
      }
      HloInstruction* copy = entry->AddInstruction(
          CloneInstruction(*instruction, instruction->shape(), operands, &map));
      map.instructions[instruction] = copy;
    }
    std::vector<HloInstruction*> roots;
    std::vector<Shape> shapes;
    for (const HloInstruction* result : results) {
      roots.push_back(map.Find(result));
      shapes.push_back(result->shape());
    }
    entry->set_root_instruction(entry->AddInstruction(
        HloInstruction::Create(HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), roots)));
    program->set_entry_computation(entry);
    program->SetDefaultEntryLayout();
    return program;
  }

  // Returns the members on which the results depend, in order.
  std::vector<HloInstruction*> Needed(const std::vector<HloInstruction*>& results) const {
    absl::flat_hash_set<const HloInstruction*> needed(results.begin(), results.end());
    std::vector<HloInstruction*> order;
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      if (!needed.contains(*it)) continue;
      order.push_back(*it);
      for (const HloInstruction* operand : (*it)->operands()) needed.insert(operand);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  HloComputation* const computation_;
  const ConstantFoldingOptions& options_;
  int64_t* const budget_;
  absl::flat_hash_set<const HloInstruction*> members_;
  std::vector<HloInstruction*> order_;
};

// Whether the computation is applied to elements: it is then compiled as part of the instruction
// that applies it.
bool IsApplied(const HloComputation& computation) {
  for (const HloInstruction* caller : computation.callers()) {
    if (caller->info().family != OpFamily::kControl) return true;
  }
  return computation.IsFusionComputation();
}

}  // namespace

absl::StatusOr<bool> FoldConstants(HloModule* module, ConstantEvaluator evaluate,
                                   const ConstantFoldingOptions& options) {
  int64_t budget = options.budget;
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    if (IsApplied(*computation)) continue;
    XLA_ASSIGN_OR_RETURN(const bool folded,
                         ConstantPart(computation, options, &budget).Fold(evaluate));
    changed |= folded;
  }
  return changed;
}

}  // namespace xla
