// SPDX-License-Identifier: Apache-2.0
// Shardings of the IR as shardings of propagation, and back.
#ifndef XLA_SPMD_PROPAGATION_NAMED_SHARDINGS_H_
#define XLA_SPMD_PROPAGATION_NAMED_SHARDINGS_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/spmd/propagation/factor_sharding.h"

namespace xla::propagation {

// Axes of size 1 divide nothing, and are left out. `rank` is that of the value.
ArraySharding FromNamed(const NamedSharding& named, size_t rank);
absl::StatusOr<NamedSharding> ToNamed(const ArraySharding& sharding, const Axes& manual,
                                      const Mesh& mesh);

// Whether the shardings of the entry's root are those of the program's results: of a tuple, and of
// the element of a tuple of one.
bool StatesResults(const HloInstruction& root);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_NAMED_SHARDINGS_H_
