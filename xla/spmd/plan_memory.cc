// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan_memory.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "xla/shape_util.h"
#include "xla/spmd/plan_steps.h"

namespace xla::spmd {
namespace {

// Values that live in the memory of their operands.
bool SharesMemory(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kWhile:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kDomain:
    case HloOpcode::kAddDependency:
    case HloOpcode::kAfterAll:
    case HloOpcode::kDynamicUpdateSlice:
      return true;
    default:
      return IsView(instruction.opcode()) || instruction.info().async_role == AsyncRole::kDone ||
             instruction.info().async_role == AsyncRole::kUpdate;
  }
}

// Bytes that the instruction's result takes when it is made.
double NewBytes(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kParameter ||
      instruction.opcode() == HloOpcode::kConstant || SharesMemory(instruction) ||
      StepCosts::IsFused(instruction)) {
    return 0;
  }
  double bytes = PlanBytes(instruction.shape());
  // The result of a start names its operands as well.
  if (instruction.info().async_role == AsyncRole::kStart && instruction.shape().IsTuple()) {
    for (const HloInstruction* operand : instruction.operands())
      bytes -= PlanBytes(operand->shape());
  }
  return std::max(bytes, 0.0);
}

class LiveRanges {
 public:
  double PeakOf(const HloComputation& computation, bool is_entry) {
    const auto order = computation.MakeInstructionPostOrder();
    absl::flat_hash_map<const HloInstruction*, size_t> last_use;
    // From the last instruction on: whoever shares memory keeps its operands.
    for (size_t i = order.size(); i-- > 0;) {
      const HloInstruction* const instruction = order[i];
      size_t& own = last_use[instruction];
      own = std::max(own, i);
      const bool keeps = SharesMemory(*instruction) || StepCosts::IsFused(*instruction);
      const size_t until = keeps ? own : i;
      for (const HloInstruction* operand : instruction->operands()) {
        size_t& use = last_use[operand];
        use = std::max(use, until);
      }
    }
    const absl::flat_hash_set<const HloInstruction*> results =
        is_entry ? Results(*computation.root_instruction())
                 : absl::flat_hash_set<const HloInstruction*>();
    std::vector<double> freed(order.size() + 1, 0);
    double live = 0, peak = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const HloInstruction* const instruction = order[i];
      const double bytes = results.contains(instruction) ? 0 : NewBytes(*instruction);
      double inside = 0;
      if (instruction->info().cost == CostClass::kControl) {
        for (const HloComputation* called : instruction->called_computations()) {
          const auto found = peaks_.find(called);
          if (found != peaks_.end()) inside = std::max(inside, found->second);
        }
      }
      live += bytes;
      peak = std::max(peak, live + inside);
      freed[last_use[instruction]] += bytes;
      live -= freed[i];
    }
    peaks_[&computation] = peak;
    return peak;
  }

 private:
  // What the root's memory is.
  static absl::flat_hash_set<const HloInstruction*> Results(const HloInstruction& root) {
    absl::flat_hash_set<const HloInstruction*> results;
    std::vector<const HloInstruction*> open = {&root};
    while (!open.empty()) {
      const HloInstruction* const instruction = open.back();
      open.pop_back();
      if (!results.insert(instruction).second) continue;
      if (instruction->opcode() == HloOpcode::kTuple) {
        open.insert(open.end(), instruction->operands().begin(), instruction->operands().end());
      } else if (SharesMemory(*instruction) && instruction->operand_count() > 0 &&
                 instruction->opcode() != HloOpcode::kGetTupleElement) {
        open.push_back(instruction->operand(0));
      }
    }
    return results;
  }

  absl::flat_hash_map<const HloComputation*, double> peaks_;
};

}  // namespace

MemoryPlan PlanMemory(const HloModule& module) {
  MemoryPlan plan;
  const HloComputation& entry = *module.entry_computation();
  for (const HloInstruction* parameter : entry.parameter_instructions())
    plan.arguments += PlanBytes(parameter->shape());
  plan.results = PlanBytes(entry.root_instruction()->shape());
  for (const InputOutputAlias& alias : module.config().input_output_alias) {
    const Shape& root = entry.root_instruction()->shape();
    if (ShapeUtil::IndexIsValid(root, alias.output_index))
      plan.aliased += PlanBytes(ShapeUtil::GetSubshape(root, alias.output_index));
  }
  LiveRanges ranges;
  for (const HloComputation* computation : module.MakeComputationPostOrder()) {
    const bool is_entry = computation == &entry;
    const double peak = ranges.PeakOf(*computation, is_entry);
    if (is_entry) plan.temporaries = peak;
  }
  return plan;
}

}  // namespace xla::spmd
