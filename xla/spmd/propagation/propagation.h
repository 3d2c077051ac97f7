// SPDX-License-Identifier: Apache-2.0
// Propagation of shardings through a module: from the shardings that its parameters, results and
// instructions have, those of all its values. Semantics: Shardy's.
#ifndef XLA_SPMD_PROPAGATION_PROPAGATION_H_
#define XLA_SPMD_PROPAGATION_PROPAGATION_H_

#include <vector>

#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/spmd/propagation/propagate.h"

namespace xla::propagation {

struct PropagationOptions : PropagateOptions {
  // Constants are split and merged around propagation.
  bool splits_constants = true;
  // Shardings of parameters and results divide them evenly, and use no sub-axes that propagation
  // chose; all shardings are closed and name no replicated axes. What a runtime wants.
  bool exports = true;
};

// Computations that are called from several places are copied first. Errors: shardings that do not
// fit their values, groups of values of different shapes, more instructions than FlattenCalls
// makes.
// `results`, if given: the shardings of the leaves of the result, which the instructions do not
// hold if the root is no tuple; Unknown if there is none.
absl::Status PropagateShardings(const PropagationOptions& options, HloModule* module,
                                std::vector<HloSharding>* results = nullptr);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_PROPAGATION_H_
