// SPDX-License-Identifier: Apache-2.0
// The runs and compilations of all clients that have not ended: Ctrl-C reaches the process, not a
// client.
#ifndef XLA_PJRT_RUNS_IN_FLIGHT_H_
#define XLA_PJRT_RUNS_IN_FLIGHT_H_

#include <atomic>

#include "absl/time/time.h"
#include "xla/service/launch.h"

namespace xla::pjrt {

// Thread-safe, as all here. `has_effects`: on more than its results.
void AddRunInFlight(const Launched& run, bool has_effects);

// Cancels the runs that were added before, each when it has taken `grace` from now on or, if that
// is later, from its start. Does not wait for it.
void EndRunsInFlight(absl::Duration grace, bool spares_effects);

// Is in the list as long as it lives.
class CompilationInFlight {
 public:
  CompilationInFlight();
  ~CompilationInFlight();
  CompilationInFlight(const CompilationInFlight&) = delete;
  CompilationInFlight& operator=(const CompilationInFlight&) = delete;
  std::atomic<bool> cancel{false};
};

// Cancels those that have begun.
void EndCompilationsInFlight();

}  // namespace xla::pjrt

#endif  // XLA_PJRT_RUNS_IN_FLIGHT_H_
