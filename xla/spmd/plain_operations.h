// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_SPMD_PLAIN_OPERATIONS_H_
#define XLA_SPMD_PLAIN_OPERATIONS_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::spmd {

// Operations that are other forms of plain ones become those, and are divided as those: fusions and
// asynchronous operations what they compute, scans loops, domains their operands. Arrays of dynamic
// sizes become arrays at their bounds and sizes, but for parameters and results of the program.
absl::Status WritePlainOperations(HloModule* module);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAIN_OPERATIONS_H_
