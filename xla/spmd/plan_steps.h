// SPDX-License-Identifier: Apache-2.0
// What each instruction of a device's program costs the device itself: operations, bytes of its
// memory, seconds.
//
// Programs are seldom fused yet when they are planned. An operation that computes or picks its
// result element by element, and that one other such operation or a reduction reads, is counted as
// fused with it: its result is not in memory, and it is no step of its own. So are transposes for
// products.
#ifndef XLA_SPMD_PLAN_STEPS_H_
#define XLA_SPMD_PLAN_STEPS_H_

#include "absl/container/flat_hash_map.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/operation_cost.h"
#include "xla/spmd/machine_levels.h"

namespace xla::spmd {

// Rates of one device while all devices of a run are at work.
struct DeviceRates {
  double compute_share = 1, memory_share = 1;  // of what a device does alone
};
DeviceRates RatesOfDevice(const MachineDescription& machine, int64_t devices);

struct StepCost {
  double product_flops = 0, vector_flops = 0, transcendentals = 0;
  double bytes = 0;
  double seconds = 0;
  bool is_step = false;  // something is computed, in a step of its own

  double flops() const { return product_flops + vector_flops; }
};

class StepCosts {
 public:
  // The machine and the module must outlive it. Precondition: the module is verified.
  StepCosts(const HloModule& module, const MachineDescription& machine, int64_t devices);

  // Of one run of the instruction, without computations that it calls (but for fusions, and for
  // what is applied to elements) and without communication.
  StepCost CostOf(const HloInstruction& instruction);
  // Whether the result is not in memory, since it is computed where it is used.
  static bool IsFused(const HloInstruction& instruction);

 private:
  const MachineDescription& machine_;
  const DeviceRates rates_;
  CostAnalysis analysis_;
  absl::flat_hash_map<const HloComputation*, double> product_flops_;  // of fusions
};

// Bytes of all arrays of a shape.
double PlanBytes(const Shape& shape);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_STEPS_H_
