// SPDX-License-Identifier: Apache-2.0
// Moves functions in front of transposes.
#ifndef XLA_PASSES_COMPUTE_BEFORE_TRANSPOSES_H_
#define XLA_PASSES_COMPUTE_BEFORE_TRANSPOSES_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Replaces functions of transposed arrays, and of what is the same everywhere, by transposes of the
// functions: a large transpose is a kernel that can compute what it reads, but not what is done
// with its result. For transposes that nothing else reads.
absl::StatusOr<bool> ComputeBeforeTransposes(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_COMPUTE_BEFORE_TRANSPOSES_H_
