// SPDX-License-Identifier: Apache-2.0
// Merges fusions into fusions of several results, so that an array which several kernels read, or
// which one writes and the next reads, goes through memory once.
#ifndef XLA_CPU_PLAN_MULTI_OUTPUT_H_
#define XLA_CPU_PLAN_MULTI_OUTPUT_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Merges elementwise fusions of the same dimensions if one reads an array of at least `least_bytes`
// that the other reads or computes, and if merging them creates no cycle. The root of a merged
// fusion is a tuple of the results that other instructions read. Runs after FuseForCpu, in linear
// time.
absl::StatusOr<bool> MergeFusions(HloModule* module, int64_t least_bytes);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_MULTI_OUTPUT_H_
