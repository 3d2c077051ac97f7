// SPDX-License-Identifier: Apache-2.0
// The strategies for kernels.
#ifndef XLA_CPU_KERNEL_STRATEGIES_H_
#define XLA_CPU_KERNEL_STRATEGIES_H_

#include <memory>

#include "absl/types/span.h"
#include "xla/cpu/kernel/kernel_plan.h"

namespace xla::cpu {

struct KernelStrategy {
  const char* name;
  // The plan, or null if the strategy does not suit the fusion.
  std::unique_ptr<const KernelPlan> (*plan)(const KernelRequest& request);
};

// In order of preference. The last one suits every fusion.
absl::Span<const KernelStrategy> KernelStrategies();

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_STRATEGIES_H_
