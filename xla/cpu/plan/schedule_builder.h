// SPDX-License-Identifier: Apache-2.0
// The parts of ScheduleProgram: what runs when (schedule.cc) and where values are
// (buffer_assignment.cc).
#ifndef XLA_CPU_PLAN_SCHEDULE_BUILDER_H_
#define XLA_CPU_PLAN_SCHEDULE_BUILDER_H_

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla/cpu/plan/schedule.h"

namespace xla::cpu {

// Positions count the items of the whole program, bodies of loops in place, once.
struct LiveRange {
  int32_t begin, end;  // of the item that makes the value, and of the last that reads it
};

struct ValueLife {
  int32_t definition = 0;
  std::vector<int32_t> uses;
  int32_t loop = -1;        // the innermost loop in which it is made
  int32_t carried_by = -1;  // the loop whose state it is
  // Of a result of a conditional: where each branch, in order, writes it.
  std::vector<int32_t> branch_writes;
  bool is_temporary = true;
};

struct LoopInfo {
  int32_t parent = -1, begin = 0, end = 0;
  int32_t condition_end = 0;       // where the predicate is read
  std::set<ValueId> outer_values;  // made outside, used inside
};

// Branches follow each other, and one of them runs.
struct ConditionalInfo {
  int32_t parent = -1;  // the innermost conditional that this one is a part of
  int32_t begin = 0, end = 0;
  std::vector<LiveRange> branches;  // the positions of each
};

// A value that should be where another one is: the state of a loop, and what updates it; the result
// of a conditional, and what its branches return.
struct MoveHint {
  ValueId from, to;
  int32_t position;  // of the copy that is not needed then
};

struct ScheduleBuilder {
  ProgramSchedule schedule;
  std::vector<ValueLife> lives;  // by value
  std::vector<LoopInfo> loops;
  std::vector<ConditionalInfo> conditionals;  // in order of their begin
  std::vector<MoveHint> hints;
  std::vector<const ScheduledItem*> by_position;
  // Values of arguments that start in the memory of a leaf of the result; see MemoryAlias.
  std::vector<std::pair<ValueId, int32_t>> in_results;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_SCHEDULE_BUILDER_H_
