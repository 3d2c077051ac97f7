// SPDX-License-Identifier: Apache-2.0
// Compiled programs on several devices, of this process or of all processes of a job, timed.
#ifndef XYLEM_TOOLS_DEVICE_RUNS_H_
#define XYLEM_TOOLS_DEVICE_RUNS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "tools/device_grid.h"
#include "xla/distributed/job.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/runtime/thread_pool.h"

namespace xla {

// Where programs run. With a job, each process has one device, and all call what runs them.
struct RunPlace {
  runtime::ThreadPool* pool = nullptr;
  distributed::Job* job = nullptr;  // null: all devices are of this process
};

// The least seconds of several runs within about `budget` seconds, at least three, after one that
// does not count. All devices get the same arguments: random numbers between -1 and 1, integers
// from 0 to 3. In a job, processes are not at the same place of the program all the time: what
// counts are series of runs, and the seconds of process 0. (Programs that do not communicate take
// as long as they do in each process by itself.)
absl::StatusOr<double> LeastRunSeconds(const HloModule& module, const DeviceGrid& grid,
                                       const RunPlace& place, double budget);
// Of a program of HLO text.
absl::StatusOr<double> LeastRunSeconds(const std::string& text, const DeviceGrid& grid,
                                       const RunPlace& place, double budget);

}  // namespace xla

#endif  // XYLEM_TOOLS_DEVICE_RUNS_H_
