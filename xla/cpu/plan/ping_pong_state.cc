// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/ping_pong_state.h"

#include <algorithm>

namespace xla::cpu {
namespace {

// Whether the arrays share bytes without being in the same place.
bool OverlapPartly(const ScheduledValue& a, const ScheduledValue& b) {
  if (a.place.memory != b.place.memory || a.place.number != b.place.number) return false;
  if (a.place == b.place) return a.bytes != b.bytes;
  return a.place.offset < b.place.offset + b.bytes && b.place.offset < a.place.offset + a.bytes;
}

bool Contains(const std::vector<ValueId>& values, ValueId value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

std::vector<Exchange> ExchangesOf(const ProgramSchedule& schedule, const ScheduledItem& loop) {
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

  std::vector<Exchange> exchanges;
  const auto is_free = [&](ValueId value) {
    const Place& place = schedule.At(value).place;
    for (const Exchange& exchange : exchanges) {
      if (schedule.At(exchange.state).place == place || schedule.At(exchange.next).place == place)
        return false;
    }
    return std::none_of(used.begin(), used.end(), [&](ValueId other) {
      return OverlapPartly(schedule.At(other), schedule.At(value));
    });
  };
  const std::vector<ScheduledItem>& body = loop.bodies[1];
  // The copies at the end write the state, each array once.
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
      return value.place.memory == Place::Memory::kScratch ||
             value.place.memory == Place::Memory::kResult;
    };
    if (from.bytes < kLeastExchangedBytes || from.place == to.place || !is_own(from) ||
        !is_own(to) || !Contains(made, next) || !is_free(next) || !is_free(state)) {
      continue;
    }
    // Other arrays of the state do not take the next one from here as well.
    const bool is_shared = std::any_of(first_copy, body.end(), [&](const ScheduledItem& other) {
      return &other != &*copy && (schedule.At(other.operands[0]).place == from.place ||
                                  schedule.At(other.operands[0]).place == to.place ||
                                  schedule.At(other.results[0]).place == from.place ||
                                  schedule.At(other.results[0]).place == to.place);
    });
    if (!is_shared) exchanges.push_back({state, next});
  }
  return exchanges;
}

Place ExchangedPlace(const ProgramSchedule& schedule, const std::vector<Exchange>& exchanges,
                     const Place& place) {
  for (const Exchange& exchange : exchanges) {
    const Place &state = schedule.At(exchange.state).place,
                &next = schedule.At(exchange.next).place;
    if (place == state) return next;
    if (place == next) return state;
  }
  return place;
}

}  // namespace xla::cpu
