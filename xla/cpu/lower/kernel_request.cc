// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/lower/kernel_request.h"

#include "xla/cpu/plan/lowering.h"

namespace xla::cpu {

KernelRequest RequestOf(const ProgramSchedule& schedule, const ScheduledItem& item,
                        const Target& target) {
  const Lowering& lowering = LoweringOf(*item.instruction);
  KernelRequest request;
  request.instruction = item.instruction;
  request.target = &target;
  request.strategy = lowering.strategy;
  request.epilogue_of = lowering.epilogue_of;
  request.contraction = FinishedContraction(*item.instruction);
  if (item.contraction == nullptr) {
    request.is_written = WrittenOperands(schedule, item);
  } else {
    request.is_written.resize(static_cast<size_t>(item.instruction->operand_count()));
  }
  for (const ValueId result : item.results) request.is_unused.push_back(result == kNoValue);
  return request;
}

}  // namespace xla::cpu
