// SPDX-License-Identifier: Apache-2.0
// Whether two schedules are the same: machine code has places in memory in it.
#ifndef XLA_CPU_PLAN_SCHEDULE_HASH_H_
#define XLA_CPU_PLAN_SCHEDULE_HASH_H_

#include <cstdint>

#include "xla/cpu/plan/schedule.h"

namespace xla::cpu {

// Returns a hash of the items of a schedule, the instructions that they run, by name, and where
// their operands and results are. The same in every process.
uint64_t HashOf(const ProgramSchedule& schedule);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_SCHEDULE_HASH_H_
