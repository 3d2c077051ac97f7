// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/kernel_plan.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/cpu/kernel/strategies.h"

namespace xla::cpu {

bool KernelPlan::SharesMemory() const { return absl::c_linear_search(is_written, true); }

std::unique_ptr<const KernelPlan> PlanKernel(const KernelRequest& request) {
  const KernelStrategy& strategy =
      request.strategy.empty() ? StrategyOf(request) : FindStrategy(request.strategy);
  return strategy.plan(request);
}

std::string PlanText(const KernelPlan& plan) {
  const PlanDescription description = plan.Describe();
  std::string text = description.kind;
  if (plan.streams) absl::StrAppend(&text, "streams ");
  absl::StrAppend(&text, description.details);
  const auto list = [&](const std::vector<bool>& values, const char* name) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i]) absl::StrAppend(&text, name, " ", i, " ");
    }
  };
  list(plan.is_written, "written");
  list(plan.is_unused, "unused");
  absl::StrAppendFormat(&text, "units %d chunk %d bytes %g operations %g:", plan.units, plan.chunk,
                        plan.bytes, plan.operations);
  return absl::StrCat(text, description.loops);
}

}  // namespace xla::cpu
