// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/strategies.h"

#include "absl/algorithm/container.h"
#include "xla/cpu/kernel/column_reduction.h"
#include "xla/cpu/kernel/epilogue_loop.h"
#include "xla/cpu/kernel/interleaved_columns.h"
#include "xla/cpu/kernel/loop_nest.h"
#include "xla/cpu/kernel/row_reduction.h"
#include "xla/cpu/kernel/scatter.h"
#include "xla/cpu/kernel/select_and_scatter.h"
#include "xla/cpu/kernel/transpose.h"

namespace xla::cpu {

absl::Span<const KernelStrategy> KernelStrategies() {
  static constexpr KernelStrategy kStrategies[] = {
      {"select-and-scatter", FitsSelectAndScatter, PlanSelectAndScatter},
      {"epilogue", FitsEpilogueLoop, PlanEpilogueLoop},
      {"transpose", FitsTranspose, PlanTranspose},
      {"scatter", FitsScatter, PlanScatter},
      {"column-reduction", FitsColumnReduction, PlanColumnReduction},
      {"interleaved-columns", FitsInterleavedColumns, PlanInterleavedColumns},
      {"row-reduction", FitsRowReduction, PlanRowReduction, /*reduces_rows_first=*/true},
      {"loop-nest", [](const KernelRequest&) { return true; }, PlanLoopNest},
  };
  return kStrategies;
}

const KernelStrategy& StrategyOf(const KernelRequest& request) {
  const absl::Span<const KernelStrategy> strategies = KernelStrategies();
  return *absl::c_find_if(strategies, [&](const auto& s) { return s.fits(request); });
}

const KernelStrategy& FindStrategy(std::string_view name) {
  const absl::Span<const KernelStrategy> strategies = KernelStrategies();
  const auto found = absl::c_find_if(strategies, [&](const auto& s) { return s.name == name; });
  return found == strategies.end() ? strategies.back() : *found;
}

}  // namespace xla::cpu
