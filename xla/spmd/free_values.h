// SPDX-License-Identifier: Apache-2.0
// Values of which partitions have what they need without others.
#ifndef XLA_SPMD_FREE_VALUES_H_
#define XLA_SPMD_FREE_VALUES_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::spmd {

// Whether every partition can make any shard of the value.
bool IsMadeAnywhere(const HloInstruction& full);

// The same of few elementwise instructions and movements of data on such values and on parameters
// of the entry that every partition has.
bool IsMadeOfFullParameters(const HloInstruction& full, const HloComputation* entry);

// Whether the shards are equal if a dimension is divided so: what is broadcast along it, and what
// is computed of that.
bool HasEqualShards(const HloInstruction& full, int64_t dimension, int64_t count);

}  // namespace xla::spmd

#endif  // XLA_SPMD_FREE_VALUES_H_
