// SPDX-License-Identifier: Apache-2.0
// Traces: when programs were compiled and run, and their steps, for jax.profiler.
//
// The sessions are those of the process, as the interface knows no client here.
#ifndef XLA_PJRT_PROFILER_H_
#define XLA_PJRT_PROFILER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "xla/pjrt/c/pjrt_c_api_profiler_extension.h"
#include "xla/service/executable.h"

namespace xla::pjrt {

// Whether a session is under way. Costs a load.
bool IsTracing();

// Nanoseconds since the epoch.
int64_t TraceClock();

inline constexpr int kCompilerLine = -1;
// Adds what took from `begin_ns` until now to all sessions that are under way. `line`: the ordinal
// of a device, or kCompilerLine.
void TraceSince(int64_t begin_ns, int line, std::string name);

// The same program, whose runs are traced on the lines of the devices, with their steps.
std::shared_ptr<const Executable> Traced(std::shared_ptr<const Executable> executable,
                                         std::vector<int> device_ordinals);

PLUGIN_Profiler_Api* ProfilerApi();

}  // namespace xla::pjrt

#endif  // XLA_PJRT_PROFILER_H_
