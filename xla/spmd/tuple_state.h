// SPDX-License-Identifier: Apache-2.0
// Loops and conditionals in one form for the partitioner, which divides tuples element by element.
#ifndef XLA_SPMD_TUPLE_STATE_H_
#define XLA_SPMD_TUPLE_STATE_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::spmd {

// Loops and conditionals of single values pass tuples of one element instead. The operands of both,
// and the roots of bodies and branches, become tuple instructions.
absl::Status PassTuples(HloModule* module);

}  // namespace xla::spmd

#endif  // XLA_SPMD_TUPLE_STATE_H_
