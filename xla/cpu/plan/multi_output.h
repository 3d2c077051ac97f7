// SPDX-License-Identifier: Apache-2.0
// Fusions of several results: arrays that several kernels read, or that one writes and the next
// reads, go through the memory once.
#ifndef XLA_CPU_PLAN_MULTI_OUTPUT_H_
#define XLA_CPU_PLAN_MULTI_OUTPUT_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Merges elementwise fusions of the same dimensions, none of which has to wait for something that
// another is needed for, if one reads an array of at least `least_bytes` that the other reads or
// computes. The root is a tuple then; what only the fusion itself reads is no result. Follows
// FuseForCpu. In linear time.
absl::StatusOr<bool> MergeFusions(HloModule* module, int64_t least_bytes);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_MULTI_OUTPUT_H_
