// SPDX-License-Identifier: Apache-2.0
#include "xla/pjrt/runs_in_flight.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace xla::pjrt {
namespace {

using Clock = RunControl::Clock;

struct Run {
  std::shared_ptr<RunControl> control;
  runtime::Event done;
  bool has_effects;
};
using Runs = std::vector<Run>;

void EraseEnded(Runs& runs) {
  runs.erase(
      std::remove_if(runs.begin(), runs.end(), [](const Run& run) { return run.done.IsReady(); }),
      runs.end());
}

struct InFlight {
  std::mutex mutex;
  Runs runs;
  size_t limit = 16;  // at which ended ones are erased
  std::vector<CompilationInFlight*> compilations;

  static InFlight& Get() {
    static auto* const in_flight = new InFlight;  // used by threads until the process ends
    return *in_flight;
  }
};

// Cancels runs that take too long, until all have ended.
void Watch(Runs runs, Clock::time_point since, Clock::duration grace) {
  constexpr std::chrono::milliseconds kInterval(20);
  for (EraseEnded(runs); !runs.empty(); EraseEnded(runs)) {
    const Clock::time_point now = Clock::now();
    for (const Run& run : runs) {
      const Clock::time_point began = run.control->began.load(std::memory_order_relaxed);
      if (began > now) continue;  // not yet
      if (now - std::max(began, since) >= grace)
        run.control->cancel.store(true, std::memory_order_relaxed);
    }
    (void)runs.front().done.Await(absl::FromChrono(kInterval));
  }
}

}  // namespace

void AddRunInFlight(const Launched& run, bool has_effects) {
  InFlight& in_flight = InFlight::Get();
  const std::lock_guard<std::mutex> lock(in_flight.mutex);
  if (in_flight.runs.size() >= in_flight.limit) {
    EraseEnded(in_flight.runs);
    in_flight.limit = std::max<size_t>(16, 2 * in_flight.runs.size());
  }
  in_flight.runs.push_back({run.control, run.done, has_effects});
}

void EndRunsInFlight(absl::Duration grace, bool spares_effects) {
  Runs runs;
  {
    InFlight& in_flight = InFlight::Get();
    const std::lock_guard<std::mutex> lock(in_flight.mutex);
    EraseEnded(in_flight.runs);
    for (const Run& run : in_flight.runs) {
      if (!spares_effects || !run.has_effects) runs.push_back(run);
    }
  }
  if (runs.empty()) return;
  if (grace > absl::ZeroDuration()) {
    const auto since = Clock::now();
    const auto duration = absl::ToChronoNanoseconds(std::min(grace, absl::Hours(24)));
    try {
      // The thread only refers to its runs, and ends soon after them.
      std::thread([runs, since, duration] { Watch(runs, since, duration); }).detach();
      return;
    } catch (const std::system_error&) {  // no thread: no grace
    }
  }
  for (const Run& run : runs) run.control->cancel.store(true, std::memory_order_relaxed);
}

CompilationInFlight::CompilationInFlight() {
  InFlight& in_flight = InFlight::Get();
  const std::lock_guard<std::mutex> lock(in_flight.mutex);
  in_flight.compilations.push_back(this);
}

CompilationInFlight::~CompilationInFlight() {
  InFlight& in_flight = InFlight::Get();
  const std::lock_guard<std::mutex> lock(in_flight.mutex);
  std::vector<CompilationInFlight*>& all = in_flight.compilations;
  all.erase(std::find(all.begin(), all.end(), this));
}

void EndCompilationsInFlight() {
  InFlight& in_flight = InFlight::Get();
  const std::lock_guard<std::mutex> lock(in_flight.mutex);
  for (CompilationInFlight* const compilation : in_flight.compilations) compilation->cancel = true;
}

}  // namespace xla::pjrt
