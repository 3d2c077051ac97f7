// SPDX-License-Identifier: Apache-2.0
// The memory of one device: arguments, results, and temporaries by the live ranges of values.
#ifndef XLA_SPMD_PLAN_MEMORY_H_
#define XLA_SPMD_PLAN_MEMORY_H_

#include "absl/container/flat_hash_map.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::spmd {

struct MemoryPlan {
  double arguments = 0, results = 0, temporaries = 0;
  double aliased = 0;  // of the results, in the memory of arguments
  double peak() const { return arguments + results - aliased + temporaries; }
};

// Temporaries: the most bytes that are alive at a time, in program order, of values that are
// neither arguments, constants, nor results, nor fused (plan_steps.h). The state of a loop is in
// the memory of its initial value. Linear time.
MemoryPlan PlanMemory(const HloModule& module);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_MEMORY_H_
