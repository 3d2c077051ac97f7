// SPDX-License-Identifier: Apache-2.0
// Which values of a program may differ between partitions.
#ifndef XLA_PJRT_DIFFERING_VALUES_H_
#define XLA_PJRT_DIFFERING_VALUES_H_

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::pjrt {

// What depends on the sources or on the number of the partition, by another way than through a
// value of `same`, which all partitions have alike.
absl::flat_hash_set<const HloInstruction*> DifferingValues(
    const HloModule& module, absl::Span<HloInstruction* const> sources,
    const absl::flat_hash_set<const HloInstruction*>& same);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_DIFFERING_VALUES_H_
