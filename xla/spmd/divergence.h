// SPDX-License-Identifier: Apache-2.0
// Which values of a program may differ between partitions.
#ifndef XLA_SPMD_DIVERGENCE_H_
#define XLA_SPMD_DIVERGENCE_H_

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::spmd {

// What depends on the sources or on the number of the partition, by another way than through a
// value of `same`, which all partitions have alike.
absl::flat_hash_set<const HloInstruction*> DivergentValues(
    const HloModule& module, absl::Span<HloInstruction* const> sources,
    const absl::flat_hash_set<const HloInstruction*>& same);

}  // namespace xla::spmd

#endif  // XLA_SPMD_DIVERGENCE_H_
