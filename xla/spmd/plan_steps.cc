// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan_steps.h"

#include <algorithm>
#include <cmath>

#include "xla/primitive_util.h"

namespace xla::spmd {
namespace {

// Computed in registers where it is used, or picked from memory.
bool IsElementByElement(const HloInstruction& instruction) {
  if (!instruction.shape().IsArray()) return false;
  switch (instruction.info().cost) {
    case CostClass::kArithmetic:
    case CostClass::kDivide:
    case CostClass::kRoot:
    case CostClass::kTranscendental:
    case CostClass::kPower:
      return true;
    case CostClass::kMove:
    case CostClass::kSelect:
      // These are made to place an array, or change a part of one.
      return instruction.opcode() != HloOpcode::kCopy &&
             instruction.opcode() != HloOpcode::kTranspose &&
             instruction.opcode() != HloOpcode::kDynamicUpdateSlice &&
             instruction.info().async_role == AsyncRole::kNone;
    default:
      return instruction.IsElementwise() || instruction.opcode() == HloOpcode::kIota;
  }
}

// The only user, behind views; null if there are several.
const HloInstruction* OnlyUser(const HloInstruction& instruction) {
  const HloInstruction* value = &instruction;
  while (value->user_count() == 1 && !value->IsRoot()) {
    value = value->users()[0];
    if (!IsView(value->opcode())) return value;
  }
  return nullptr;
}

// Costs nothing wherever it is used.
bool IsGenerated(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kIota) return true;
  return instruction.opcode() == HloOpcode::kBroadcast &&
         instruction.operand(0)->shape().IsArray() &&
         instruction.operand(0)->shape().dimensions().empty();
}

PrimitiveType MultipliedType(const HloInstruction& contraction) {
  const Shape& shape = contraction.operand(0)->shape();
  return shape.IsArray() ? shape.element_type() : F32;
}

// The contraction of a fusion with the most operations, whose type counts for all.
const HloInstruction* LargestContraction(const HloInstruction& fusion) {
  const HloInstruction* largest = nullptr;
  for (const HloInstruction* member : fusion.to_apply()->instructions()) {
    if (member->info().cost != CostClass::kContraction) continue;
    if (largest == nullptr || ContractionFlops(*member) > ContractionFlops(*largest))
      largest = member;
  }
  return largest;
}

}  // namespace

double PlanBytes(const Shape& shape) {
  if (shape.IsTuple()) {
    double bytes = 0;
    for (const Shape& element : shape.tuple_shapes()) bytes += PlanBytes(element);
    return bytes;
  }
  if (!shape.IsArray()) return 0;
  const PrimitiveType type = shape.element_type();
  double bits = type == PRED ? 8 : primitive_util::BitWidth(type);
  for (const int64_t size : shape.dimensions()) bits *= static_cast<double>(size);
  return std::ceil(bits / 8);
}

DeviceRates RatesOfDevice(const MachineDescription& machine, int64_t devices) {
  DeviceRates rates;
  for (size_t l = 0; l < machine.levels.size(); ++l) {
    const auto busy = static_cast<double>(std::min(machine.DevicesInUnit(l), devices));
    const MachineLevel& level = machine.levels[l];
    if (level.shared_compute > 0)
      rates.compute_share = std::min(rates.compute_share, level.shared_compute / busy);
    if (level.shared_memory > 0)
      rates.memory_share = std::min(rates.memory_share, level.shared_memory / busy);
  }
  return rates;
}

StepCosts::StepCosts(const HloModule& module, const MachineDescription& machine, int64_t devices)
    : machine_(machine), rates_(RatesOfDevice(machine, devices)) {
  for (const HloComputation* computation : module.MakeComputationPostOrder()) {
    analysis_.CostOf(*computation);
    if (!computation->IsFusionComputation()) continue;
    double& flops = product_flops_[computation];
    for (const HloInstruction* member : computation->instructions()) {
      flops += ContractionFlops(*member);
      if (member->opcode() == HloOpcode::kFusion) flops += product_flops_[member->to_apply()];
    }
  }
}

bool StepCosts::IsFused(const HloInstruction& instruction) {
  if (instruction.IsRoot() || instruction.user_count() == 0) return false;
  if (IsGenerated(instruction)) return true;
  const HloInstruction* const user = OnlyUser(instruction);
  // Products take operands in any order.
  if (instruction.opcode() == HloOpcode::kTranspose)
    return user != nullptr && user->info().cost == CostClass::kContraction;
  if (!IsElementByElement(instruction)) return false;
  return user != nullptr && (IsElementByElement(*user) || user->opcode() == HloOpcode::kReduce);
}

StepCost StepCosts::CostOf(const HloInstruction& instruction) {
  StepCost cost;
  const CostClass cost_class = instruction.info().cost;
  const bool is_fusion = instruction.opcode() == HloOpcode::kFusion;
  const bool is_external = instruction.opcode() == HloOpcode::kCustomCall;
  if (cost_class == CostClass::kFree || cost_class == CostClass::kCommunication ||
      (cost_class == CostClass::kControl && !is_fusion && !is_external) ||
      instruction.info().async_role == AsyncRole::kDone || IsView(instruction.opcode())) {
    return cost;
  }
  const OperationCost counted = analysis_.CostOf(instruction);
  cost.transcendentals = counted.transcendentals;
  PrimitiveType multiplied = F32;
  if (cost_class == CostClass::kContraction) {
    cost.product_flops = counted.flops;
    multiplied = MultipliedType(instruction);
  } else if (is_fusion) {
    cost.product_flops = std::min(product_flops_[instruction.to_apply()], counted.flops);
    if (const HloInstruction* const largest = LargestContraction(instruction))
      multiplied = MultipliedType(*largest);
  }
  cost.vector_flops = counted.flops - cost.product_flops;
  cost.bytes = counted.bytes;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const HloInstruction& operand = *SkipViews(instruction.operand(i));
    if (IsFused(operand)) cost.bytes -= PlanBytes(operand.shape());
  }
  cost.is_step = !IsFused(instruction);
  if (!cost.is_step) cost.bytes -= PlanBytes(instruction.shape());
  cost.bytes = std::max(cost.bytes, 0.0);
  const double computing = cost.product_flops / machine_.ProductFlops(multiplied) +
                           cost.vector_flops / machine_.vector_flops +
                           cost.transcendentals / machine_.transcendentals;
  const bool is_cached = cost.bytes <= machine_.cache_bytes;
  cost.seconds = std::max(computing / rates_.compute_share,
                          is_cached ? cost.bytes / (machine_.cache_rate * rates_.compute_share)
                                    : cost.bytes / (machine_.memory_rate * rates_.memory_share));
  if (cost.is_step) cost.seconds += machine_.step;
  return cost;
}

}  // namespace xla::spmd
