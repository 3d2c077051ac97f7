// SPDX-License-Identifier: Apache-2.0
// The runs and compilations of all clients that have not ended: Ctrl-C reaches the process, not a
// client.
#ifndef XLA_PJRT_RUNS_IN_FLIGHT_H_
#define XLA_PJRT_RUNS_IN_FLIGHT_H_

#include <atomic>

#include "absl/time/time.h"
#include "xla/service/launch.h"

namespace xla::pjrt {

// Adds a run. Thread-safe, like all functions here. `has_effects`: beyond its results.
void AddRunInFlight(const Launched& run, bool has_effects);

// Cancels the runs in flight, each when it has taken `grace` from now on or, if that is later, from
// its start. Does not wait for them.
void EndRunsInFlight(absl::Duration grace, bool spares_effects);

// A compilation that is in the list while this object lives.
class CompilationInFlight {
 public:
  CompilationInFlight();
  ~CompilationInFlight();
  CompilationInFlight(const CompilationInFlight&) = delete;
  CompilationInFlight& operator=(const CompilationInFlight&) = delete;
  std::atomic<bool> cancel{false};
};

// Cancels the compilations in flight.
void EndCompilationsInFlight();

}  // namespace xla::pjrt

#endif  // XLA_PJRT_RUNS_IN_FLIGHT_H_
