// SPDX-License-Identifier: Apache-2.0
// Ping-pong state of loops: if one buffer holds an array of the state and another one its next
// value, iterations alternate between reading the one and writing the other, instead of copying.
#ifndef XLA_CPU_PLAN_PING_PONG_STATE_H_
#define XLA_CPU_PLAN_PING_PONG_STATE_H_

#include <cstdint>
#include <vector>

#include "xla/base/machine.h"
#include "xla/cpu/plan/schedule.h"

namespace xla::cpu {

// Smaller arrays are copied.
inline constexpr int64_t kLeastPingPongBytes = kUsualMachine.page_bytes;

struct PingPongPair {
  ValueId state = kNoValue, next = kNoValue;  // whose buffers are swapped
};

// Returns the copies at the end of a loop's body that swapping buffers can replace. No other value
// in the loop overlaps with the memory of either array, unless it is in exactly the same place.
// Empty if the loop runs anything but generated kernels and copies.
std::vector<PingPongPair> PingPongPairsOf(const ProgramSchedule& schedule,
                                          const ScheduledItem& loop);

// Returns the slice of a value in iterations with swapped buffers.
BufferSlice SwappedSlice(const ProgramSchedule& schedule, const std::vector<PingPongPair>& pairs,
                         const BufferSlice& slice);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_PING_PONG_STATE_H_
