// SPDX-License-Identifier: Apache-2.0
// All that the CPU compiler does to a verified module before kernels are scheduled and emitted, as
// one pipeline.
#ifndef XLA_CPU_CPU_PIPELINE_H_
#define XLA_CPU_CPU_PIPELINE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/cpu/program.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/pass.h"
#include "xla/passes/pipeline.h"

namespace xla {

// The passes of xla/cpu, in alphabetical order; they run after or between those of AllPasses.
absl::Span<const Pass> CpuPasses();

// Checks; layouts, custom calls, dynamic sizes and other types as plain static operations; loops,
// expressions and constants to a fixed point; contractions; loop invariants; fusions. Results keep
// their bits, but for batch norms and long sums. Of the options it uses `constant_folding` and
// `least_shared_bytes`.
Pipeline CpuPipeline(const CpuCompileOptions& options);

// Runs CpuPipeline as the options say: with `pipeline`, `cancel` and `check_work`.
absl::Status RunCpuPipeline(HloModule* module, const CpuCompileOptions& options,
                            PipelineStatistics* statistics = nullptr);

// Bytes that buffer assignment gives the temporaries of one run, without those of library kernels:
// runs the passes and schedules what they make, but generates no code. An error where Compile has
// one.
absl::StatusOr<int64_t> ScheduledScratchBytes(const HloModule& module,
                                              const CpuCompileOptions& options);

}  // namespace xla

#endif  // XLA_CPU_CPU_PIPELINE_H_
