// SPDX-License-Identifier: Apache-2.0
// When the steps of a program run on a device that computes and communicates at the same time: a
// list schedule (Graham 1969) on two streams, in which what begins the longest chain of steps comes
// first.
#ifndef XLA_SPMD_PLAN_TIMELINE_H_
#define XLA_SPMD_PLAN_TIMELINE_H_

#include <cstdint>
#include <vector>

namespace xla::spmd {

struct TimelineTask {
  double seconds = 0;
  bool uses_compute = false, uses_network = false;  // neither: takes time, but no stream
  // The compute stream waits here for the task's predecessors: the end of an async operation.
  bool is_wait = false;
  std::vector<int32_t> predecessors;  // earlier tasks
};

struct TimelineSpan {
  double begin = 0, end = 0;
};

struct Timeline {
  double seconds = 0;
  std::vector<TimelineSpan> tasks;
};

// Tasks come after their predecessors. `in_order`: as they are listed, with waits; else what can
// run may overtake. n log n.
Timeline ScheduleTasks(const std::vector<TimelineTask>& tasks, bool in_order);

// Seconds of each task that does not use the compute stream in which that stream is busy with tasks
// that do not use the network. n log n.
std::vector<double> HiddenSeconds(const std::vector<TimelineTask>& tasks, const Timeline& timeline);

// The longest chain of tasks: the time on a device with as many streams as it likes.
double LongestChain(const std::vector<TimelineTask>& tasks);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_TIMELINE_H_
