// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/strategies.h"

#include "xla/cpu/kernel/column_reduction.h"
#include "xla/cpu/kernel/epilogue_loop.h"
#include "xla/cpu/kernel/interleaved_columns.h"
#include "xla/cpu/kernel/loop_nest.h"
#include "xla/cpu/kernel/row_reduction.h"
#include "xla/cpu/kernel/scatter.h"
#include "xla/cpu/kernel/transpose.h"

namespace xla::cpu {

absl::Span<const KernelStrategy> KernelStrategies() {
  static constexpr KernelStrategy kStrategies[] = {
      {"epilogue", PlanEpilogueLoop},
      {"transpose", PlanTranspose},
      {"scatter", PlanScatter},
      {"column-reduction", PlanColumnReduction},
      {"interleaved-columns", PlanInterleavedColumns},
      {"row-reduction", PlanRowReduction},
      {"loop-nest", PlanLoopNest},
  };
  return kStrategies;
}

}  // namespace xla::cpu
