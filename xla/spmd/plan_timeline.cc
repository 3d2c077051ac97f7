// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan_timeline.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace xla::spmd {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

Timeline ScheduleInOrder(const std::vector<TimelineTask>& tasks) {
  Timeline timeline;
  double compute_free = 0, network_free = 0;
  for (const TimelineTask& task : tasks) {
    TimelineSpan span;
    for (const int32_t p : task.predecessors)
      span.begin = std::max(span.begin, timeline.tasks[static_cast<size_t>(p)].end);
    if (task.uses_compute || task.is_wait) span.begin = std::max(span.begin, compute_free);
    if (task.uses_network) {
      // It begins no earlier than the program comes to it.
      span.begin = std::max({span.begin, network_free, compute_free});
    }
    span.end = span.begin + task.seconds;
    if (task.uses_compute || task.is_wait) compute_free = span.end;
    if (task.uses_network) network_free = span.end;
    timeline.seconds = std::max(timeline.seconds, span.end);
    timeline.tasks.push_back(span);
  }
  return timeline;
}

// The longest chain that begins with each task.
std::vector<double> ChainsFrom(const std::vector<TimelineTask>& tasks) {
  std::vector<double> chains(tasks.size(), 0);
  for (size_t i = tasks.size(); i-- > 0;) {
    chains[i] += tasks[i].seconds;
    for (const int32_t p : tasks[i].predecessors) {
      double& before = chains[static_cast<size_t>(p)];
      before = std::max(before, chains[i]);
    }
  }
  return chains;
}

class ListScheduler {
 public:
  explicit ListScheduler(const std::vector<TimelineTask>& tasks)
      : tasks_(tasks), chains_(ChainsFrom(tasks)), successors_(tasks.size()) {
    timeline_.tasks.resize(tasks.size());
    missing_.resize(tasks.size());
    ready_at_.resize(tasks.size(), 0);
    for (size_t i = 0; i < tasks.size(); ++i) {
      missing_[i] = tasks[i].predecessors.size();
      for (const int32_t p : tasks[i].predecessors)
        successors_[static_cast<size_t>(p)].push_back(static_cast<int32_t>(i));
    }
  }

  Timeline Run() {
    for (size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].predecessors.empty()) Release(static_cast<int32_t>(i), 0);
    }
    while (true) {
      while (!waiting_.empty() && waiting_.top().first <= now_) {
        const int32_t task = waiting_.top().second;
        waiting_.pop();
        Queue(task).emplace(chains_[static_cast<size_t>(task)], -task);
      }
      if (StartOne()) continue;
      double next = waiting_.empty() ? kNever : waiting_.top().first;
      const bool has_ready = !ready_[0].empty() || !ready_[1].empty() || !ready_[2].empty();
      if (has_ready) {
        if (compute_free_ > now_) next = std::min(next, compute_free_);
        if (network_free_ > now_) next = std::min(next, network_free_);
      }
      if (next == kNever) break;
      now_ = next;
    }
    return std::move(timeline_);
  }

 private:
  using Ready = std::priority_queue<std::pair<double, int32_t>>;  // longest chain, then first

  Ready& Queue(int32_t task) {
    const TimelineTask& t = tasks_[static_cast<size_t>(task)];
    return ready_[t.uses_compute && t.uses_network ? 2 : t.uses_network ? 1 : 0];
  }

  // The task has all predecessors behind it at that time.
  void Release(int32_t first, double at) {
    std::vector<std::pair<int32_t, double>> released = {{first, at}};
    while (!released.empty()) {
      const auto [task, time] = released.back();
      released.pop_back();
      const TimelineTask& t = tasks_[static_cast<size_t>(task)];
      if (t.uses_compute || t.uses_network) {
        waiting_.emplace(time, task);
        continue;
      }
      // Takes no stream: ends by itself.
      for (const int32_t next : End(task, time))
        released.emplace_back(next, ready_at_[Index(next)]);
    }
  }

  static size_t Index(int32_t task) { return static_cast<size_t>(task); }

  // Sets the span; returns the successors that become ready.
  std::vector<int32_t> End(int32_t task, double begin) {
    const double end = begin + tasks_[Index(task)].seconds;
    timeline_.tasks[Index(task)] = {begin, end};
    timeline_.seconds = std::max(timeline_.seconds, end);
    std::vector<int32_t> ready;
    for (const int32_t next : successors_[Index(task)]) {
      ready_at_[Index(next)] = std::max(ready_at_[Index(next)], end);
      if (--missing_[Index(next)] == 0) ready.push_back(next);
    }
    return ready;
  }

  // Starts the ready task with the longest chain that has its streams. One that needs both is not
  // overtaken by shorter chains.
  bool StartOne() {
    const auto head = [&](size_t queue) {
      return ready_[queue].empty() ? std::pair<double, int32_t>(-1, 0) : ready_[queue].top();
    };
    const bool compute = compute_free_ <= now_, network = network_free_ <= now_;
    size_t chosen = 3;
    for (size_t queue = 0; queue < 3; ++queue) {
      if (ready_[queue].empty()) continue;
      const bool can_start = queue == 0 ? compute : queue == 1 ? network : compute && network;
      if (!can_start || (queue < 2 && head(2) > head(queue))) continue;
      if (chosen == 3 || head(queue) > head(chosen)) chosen = queue;
    }
    if (chosen == 3) return false;
    const int32_t task = -ready_[chosen].top().second;
    ready_[chosen].pop();
    const std::vector<int32_t> ready = End(task, now_);
    const TimelineTask& t = tasks_[Index(task)];
    if (t.uses_compute) compute_free_ = timeline_.tasks[Index(task)].end;
    if (t.uses_network) network_free_ = timeline_.tasks[Index(task)].end;
    for (const int32_t next : ready) Release(next, ready_at_[Index(next)]);
    return true;
  }

  const std::vector<TimelineTask>& tasks_;
  const std::vector<double> chains_;
  std::vector<std::vector<int32_t>> successors_;
  std::vector<size_t> missing_;
  std::vector<double> ready_at_;
  // Released for a time to come, earliest first; then by stream: compute, network, both.
  std::priority_queue<std::pair<double, int32_t>, std::vector<std::pair<double, int32_t>>,
                      std::greater<>>
      waiting_;
  Ready ready_[3];
  double now_ = 0, compute_free_ = 0, network_free_ = 0;
  Timeline timeline_;
};

}  // namespace

Timeline ScheduleTasks(const std::vector<TimelineTask>& tasks, bool in_order) {
  return in_order ? ScheduleInOrder(tasks) : ListScheduler(tasks).Run();
}

std::vector<double> HiddenSeconds(const std::vector<TimelineTask>& tasks,
                                  const Timeline& timeline) {
  std::vector<TimelineSpan> busy;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].uses_compute && !tasks[i].uses_network && tasks[i].seconds > 0)
      busy.push_back(timeline.tasks[i]);
  }
  std::sort(busy.begin(), busy.end(),
            [](const TimelineSpan& a, const TimelineSpan& b) { return a.begin < b.begin; });
  // Busy seconds before each span, so that a task takes two searches.
  std::vector<double> before = {0};
  for (const TimelineSpan& span : busy) before.push_back(before.back() + span.end - span.begin);
  const auto busy_until = [&](double time) {
    const auto next =
        std::upper_bound(busy.begin(), busy.end(), time,
                         [](double t, const TimelineSpan& span) { return t < span.begin; });
    const auto count = static_cast<size_t>(next - busy.begin());
    if (count == 0) return 0.0;
    return before[count - 1] + std::min(time, busy[count - 1].end) - busy[count - 1].begin;
  };
  std::vector<double> hidden(tasks.size(), 0);
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].uses_compute) continue;
    hidden[i] = busy_until(timeline.tasks[i].end) - busy_until(timeline.tasks[i].begin);
  }
  return hidden;
}

double LongestChain(const std::vector<TimelineTask>& tasks) {
  const std::vector<double> chains = ChainsFrom(tasks);
  return chains.empty() ? 0 : *std::max_element(chains.begin(), chains.end());
}

}  // namespace xla::spmd
