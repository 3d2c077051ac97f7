// SPDX-License-Identifier: Apache-2.0
// The shardings of all values of a program, from those that it states: propagation
// (propagation/propagation.h) as the step before a program is partitioned.
#ifndef XLA_SPMD_MODULE_SHARDINGS_H_
#define XLA_SPMD_MODULE_SHARDINGS_H_

#include <vector>

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::spmd {

// Whether the i-th leaf may get a sharding that the program does not state: may_choose[i], or the
// last entry for leaves beyond.
bool MayChoose(const std::vector<bool>& may_choose, size_t leaf);

// Propagates the shardings of a module of config().num_partitions() partitions. Shardings by tiles
// and by axes may be mixed: tiles are seen as axes of the program's mesh, or of one that is made up
// for them (xla/hlo/ir/sharding_axes.h); all are tiles afterwards. What is stated by tiles stays as
// it is, but for the unspecified dimensions of annotations and {unknown}, which propagation
// decides; so do shardings that are no axes of the mesh, which propagation does not see. Parameters
// that state nothing are replicated, unless `may_choose_parameter`; results of which {replicated}
// is stated may be divided if `may_choose_output`. Calls are flattened, propagation barriers are
// removed.
absl::Status PropagateModuleShardings(const std::vector<bool>& may_choose_parameter,
                                      const std::vector<bool>& may_choose_output,
                                      HloModule* module);

// Of each leaf of the result whether the program leaves its sharding open.
std::vector<bool> UnstatedOutputs(const HloModule& module);

// Whether something has a sharding by axes. Such programs are as Shardy has them: what states
// nothing, parameters too, is free.
bool HasNamedShardings(const HloModule& module);

}  // namespace xla::spmd

#endif  // XLA_SPMD_MODULE_SHARDINGS_H_
