// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/algebraic_simplifier.h"

#include <vector>

namespace xla {

absl::StatusOr<bool> SimplifyAlgebra(HloModule* module) {
  std::vector<RewriteRule> rules;
  for (const absl::Span<const RewriteRule> family :
       {ElementwiseSimplifications(), ReshapeSimplifications(), BroadcastSimplifications(),
        SliceSimplifications(), ReductionSimplifications(), ScatterSimplifications(),
        PadSimplifications(), ControlSimplifications()}) {
    rules.insert(rules.end(), family.begin(), family.end());
  }
  return RewriteToFixedPoint(module, rules);
}

}  // namespace xla
