// SPDX-License-Identifier: Apache-2.0
// Buffers that loops exchange rather than copy: where one holds an array of the state, and the
// other what the body makes of it, iterations may take turns in reading one and writing the other.
#ifndef XLA_CPU_PLAN_PING_PONG_STATE_H_
#define XLA_CPU_PLAN_PING_PONG_STATE_H_

#include <cstdint>
#include <vector>

#include "xla/base/machine.h"
#include "xla/cpu/plan/schedule.h"

namespace xla::cpu {

// Smaller arrays are copied in no time.
inline constexpr int64_t kLeastPingPongBytes = kUsualMachine.page_bytes;

struct PingPongPair {
  ValueId state = kNoValue, next = kNoValue;  // the places of which are exchanged
};

// The copies at the end of the body of a loop that exchanges can take the place of. Nothing in the
// loop overlaps with the memory of either array but is in the same place. Empty where the loop does
// more than to run kernels of generated code and copies.
std::vector<PingPongPair> PingPongPairsOf(const ProgramSchedule& schedule,
                                          const ScheduledItem& loop);

// The place of a value where the arrays are exchanged.
BufferSlice SwappedSlice(const ProgramSchedule& schedule, const std::vector<PingPongPair>& pairs,
                         const BufferSlice& slice);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_PING_PONG_STATE_H_
