// SPDX-License-Identifier: Apache-2.0
// Compiled programs on several devices of this process, timed.
#ifndef XYLEM_TOOLS_DEVICE_RUNS_H_
#define XYLEM_TOOLS_DEVICE_RUNS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "tools/device_grid.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/runtime/thread_pool.h"

namespace xla {

// The least seconds of several runs within about `budget` seconds, at least three, after one that
// does not count. All devices get the same arguments: random numbers between -1 and 1, integers
// from 0 to 3.
absl::StatusOr<double> LeastRunSeconds(const HloModule& module, const DeviceGrid& grid,
                                       runtime::ThreadPool& pool, double budget);
// Of a program of HLO text.
absl::StatusOr<double> LeastRunSeconds(const std::string& text, const DeviceGrid& grid,
                                       runtime::ThreadPool& pool, double budget);

}  // namespace xla

#endif  // XYLEM_TOOLS_DEVICE_RUNS_H_
