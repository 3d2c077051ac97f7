// SPDX-License-Identifier: Apache-2.0
// This machine as `xylem plan` sees it, with the devices of one process: rates and the terms of
// collectives, measured.
#ifndef XYLEM_TOOLS_PLAN_CALIBRATION_H_
#define XYLEM_TOOLS_PLAN_CALIBRATION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tools/device_runs.h"
#include "tools/process.h"
#include "xla/spmd/machine_levels.h"

namespace xla {

// With so many devices, at least two, of which a job has one in each process. Takes some ten
// seconds. Of a job, all processes call it, and the result is that of process 0.
absl::StatusOr<spmd::MachineDescription> CalibrateMachine(int64_t devices, const RunPlace& place,
                                                          ProgressLine& progress);

}  // namespace xla

#endif  // XYLEM_TOOLS_PLAN_CALIBRATION_H_
