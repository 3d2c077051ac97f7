// SPDX-License-Identifier: Apache-2.0
// The state that the parts of ScheduleProgram share: scheduling (schedule.cc) and buffer assignment
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

// Positions count the items of the whole program, including bodies of loops, once.
struct LiveRange {
  int32_t begin, end;  // of the definition and of the last read
};

struct ValueLife {
  int32_t definition = 0;
  std::vector<int32_t> uses;
  int32_t loop = -1;        // the innermost loop that contains its definition
  int32_t carried_by = -1;  // the loop whose state it is
  // For a result of a conditional: the positions at which branches, in order, write it.
  std::vector<int32_t> branch_writes;
  bool is_temporary = true;
};

struct LoopInfo {
  int32_t parent = -1, begin = 0, end = 0;
  int32_t condition_end = 0;       // where the predicate is read
  std::set<ValueId> outer_values;  // defined outside, used inside
};

// Branches have consecutive positions; one of them runs.
struct ConditionalInfo {
  int32_t parent = -1;  // the innermost conditional that this one is a part of
  int32_t begin = 0, end = 0;
  std::vector<LiveRange> branches;  // the positions of each
};

// Two values that should share a buffer, which makes a copy unnecessary: the state of a loop and
// its update, the result of a conditional and the results of its branches.
struct MoveHint {
  ValueId from, to;
  int32_t position;  // of the copy
};

struct ScheduleBuilder {
  ProgramSchedule schedule;
  std::vector<ValueLife> lives;  // by value
  std::vector<LoopInfo> loops;
  std::vector<ConditionalInfo> conditionals;  // in order of their begin
  std::vector<MoveHint> hints;
  std::vector<const ScheduledItem*> by_position;
  // Values of arguments that are initially in the memory of a leaf of the result; see MemoryAlias.
  std::vector<std::pair<ValueId, int32_t>> in_results;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_SCHEDULE_BUILDER_H_
