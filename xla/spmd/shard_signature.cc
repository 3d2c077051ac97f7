// SPDX-License-Identifier: Apache-2.0
// What is left of annotations once a program is partitioned, and its signature.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/shift_calls.h"

namespace xla::spmd {

absl::Status RemoveAnnotations(HloModule* module) {
  static constexpr std::string_view kAnnotations[] = {
      "Sharding",        "SPMDFullToShardShape",       "SPMDShardToFullShape",
      "InspectSharding", "xla.sdy.PropagationBarrier", "annotate_device_placement"};
  XLA_RETURN_IF_ERROR(ExpandShiftCalls(module, /*keeps_slices=*/false));
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->has_sharding()) instruction->mutable_extras().sharding.reset();
      const bool is_annotation =
          std::any_of(std::begin(kAnnotations), std::end(kAnnotations),
                      [&](std::string_view target) { return IsCall(*instruction, target); });
      if (!is_annotation || instruction->operand_count() != 1 ||
          !ShapeUtil::Compatible(instruction->shape(), instruction->operand(0)->shape())) {
        continue;
      }
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(instruction, instruction->operand(0)));
    }
  }
  return absl::OkStatus();
}

absl::Status SetShardSignature(HloModule* module) {
  HloModuleConfig& config = module->config();
  config.clear_entry_computation_layout();
  module->SetDefaultEntryLayout();
  const ProgramShape& layout = config.entry_computation_layout();
  std::vector<InputOutputAlias> kept;
  for (InputOutputAlias& alias : config.input_output_alias) {
    const Shape& parameter = ShapeUtil::GetSubshape(
        layout.parameters(static_cast<int>(alias.parameter_number)), alias.parameter_index);
    if (ShapeUtil::Compatible(parameter,
                              ShapeUtil::GetSubshape(layout.result(), alias.output_index))) {
      kept.push_back(std::move(alias));
    } else {
      config.buffer_donor.push_back({alias.parameter_number, alias.parameter_index});
    }
  }
  config.input_output_alias = std::move(kept);
  return absl::OkStatus();
}

}  // namespace xla::spmd
