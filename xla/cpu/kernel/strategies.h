// SPDX-License-Identifier: Apache-2.0
// The strategies for kernels.
#ifndef XLA_CPU_KERNEL_STRATEGIES_H_
#define XLA_CPU_KERNEL_STRATEGIES_H_

#include <memory>
#include <string_view>

#include "absl/types/span.h"
#include "xla/cpu/kernel/kernel_plan.h"

namespace xla::cpu {

struct KernelStrategy {
  std::string_view name;
  // Whether the strategy suits the instruction, whatever memory its results have.
  bool (*fits)(const KernelRequest& request);
  // Plans an instruction that it suits.
  std::unique_ptr<const KernelPlan> (*plan)(const KernelRequest& request);
  // Whether a kernel reduces each row before it computes, and overwrites, elements of the row.
  bool reduces_rows_first = false;
};

// In order of preference. The first one is for instructions that are no fusions, the last one suits
// every fusion.
absl::Span<const KernelStrategy> KernelStrategies();

// Returns the first strategy that suits the instruction.
const KernelStrategy& StrategyOf(const KernelRequest& request);
// Returns the strategy with the name; the last one if there is none.
const KernelStrategy& FindStrategy(std::string_view name);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_STRATEGIES_H_
