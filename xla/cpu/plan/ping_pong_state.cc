// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/ping_pong_state.h"

#include <algorithm>

namespace xla::cpu {
namespace {

// Whether the arrays overlap without being in the same place.
bool OverlapPartly(const ScheduledValue& a, const ScheduledValue& b) {
  if (a.slice.memory != b.slice.memory || a.slice.number != b.slice.number) return false;
  if (a.slice == b.slice) return a.bytes != b.bytes;
  return a.slice.offset < b.slice.offset + b.bytes && b.slice.offset < a.slice.offset + a.bytes;
}

bool Contains(const std::vector<ValueId>& values, ValueId value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

std::vector<PingPongPair> PingPongPairsOf(const ProgramSchedule& schedule,
                                          const ScheduledItem& loop) {
  std::vector<ValueId> used = {loop.predicate}, made;
  for (const auto& body : loop.bodies) {
    for (const ScheduledItem& item : body) {
      const bool is_kernel = item.kind == ScheduledItem::Kind::kInstruction &&
                             item.instruction->opcode() == HloOpcode::kFusion &&
                             item.contraction == nullptr;
      if (!is_kernel && item.kind != ScheduledItem::Kind::kCopy) return {};
      for (const std::vector<ValueId>* values : {&item.operands, &item.results}) {
        for (const ValueId value : *values) {
          if (value != kNoValue) used.push_back(value);
        }
      }
    }
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());

  std::vector<PingPongPair> pairs;
  const auto is_free = [&](ValueId value) {
    const BufferSlice& slice = schedule.At(value).slice;
    for (const PingPongPair& pair : pairs) {
      if (schedule.At(pair.state).slice == slice || schedule.At(pair.next).slice == slice)
        return false;
    }
    return std::none_of(used.begin(), used.end(), [&](ValueId other) {
      return OverlapPartly(schedule.At(other), schedule.At(value));
    });
  };
  const std::vector<ScheduledItem>& body = loop.bodies[1];
  // The copies at the end write each array of the state once.
  auto first_copy = body.end();
  while (first_copy != body.begin() && std::prev(first_copy)->kind == ScheduledItem::Kind::kCopy) {
    --first_copy;
  }
  for (auto item = body.begin(); item != first_copy; ++item) {
    for (const ValueId result : item->results) made.push_back(result);
  }
  for (auto copy = first_copy; copy != body.end(); ++copy) {
    const ValueId next = copy->operands[0], state = copy->results[0];
    const ScheduledValue &from = schedule.At(next), &to = schedule.At(state);
    const auto is_own = [](const ScheduledValue& value) {
      return value.slice.memory == BufferSlice::Memory::kScratch ||
             value.slice.memory == BufferSlice::Memory::kResult;
    };
    if (from.bytes < kLeastPingPongBytes || from.slice == to.slice || !is_own(from) ||
        !is_own(to) || !Contains(made, next) || !is_free(next) || !is_free(state)) {
      continue;
    }
    // No other array of the state is copied from the same next value.
    const bool is_shared = std::any_of(first_copy, body.end(), [&](const ScheduledItem& other) {
      return &other != &*copy && (schedule.At(other.operands[0]).slice == from.slice ||
                                  schedule.At(other.operands[0]).slice == to.slice ||
                                  schedule.At(other.results[0]).slice == from.slice ||
                                  schedule.At(other.results[0]).slice == to.slice);
    });
    if (!is_shared) pairs.push_back({state, next});
  }
  return pairs;
}

BufferSlice SwappedSlice(const ProgramSchedule& schedule, const std::vector<PingPongPair>& pairs,
                         const BufferSlice& slice) {
  for (const PingPongPair& pair : pairs) {
    const BufferSlice &state = schedule.At(pair.state).slice, &next = schedule.At(pair.next).slice;
    if (slice == state) return next;
    if (slice == next) return state;
  }
  return slice;
}

}  // namespace xla::cpu
