// SPDX-License-Identifier: Apache-2.0
// Traces of compilations, runs and their steps, for jax.profiler.
//
// Sessions belong to the process, because the interface has no client here.
#ifndef XLA_PJRT_PROFILER_H_
#define XLA_PJRT_PROFILER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "xla/pjrt/c/pjrt_c_api_profiler_extension.h"
#include "xla/service/executable.h"

namespace xla::pjrt {

// Whether a session is running. Costs a load.
bool IsTracing();

// Returns nanoseconds since the epoch.
int64_t TraceClock();

inline constexpr int kCompilerLine = -1;
// Adds an entry from `begin_ns` until now to all running sessions. `line`: the ordinal of a device,
// or kCompilerLine.
void TraceSince(int64_t begin_ns, int line, std::string name);

// Wraps a program so that its runs are traced on the lines of the devices, with their steps.
std::shared_ptr<const Executable> Traced(std::shared_ptr<const Executable> executable,
                                         std::vector<int> device_ordinals);

PLUGIN_Profiler_Api* ProfilerApi();

}  // namespace xla::pjrt

#endif  // XLA_PJRT_PROFILER_H_
