// SPDX-License-Identifier: Apache-2.0
// Long reductions, and scatters of many updates, in two steps.
#ifndef XLA_PASSES_SPLIT_REDUCTIONS_H_
#define XLA_PASSES_SPLIT_REDUCTIONS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

// A reduction of many elements to few results becomes one of parts and one of their results, so
// that several threads can share it. Reducers that are one associative
// operation with an identity; floating-point sums and products round in the order of the parts,
// which depends on shapes only.
absl::StatusOr<bool> SplitReductions(HloModule* module);

// A scatter of many elements to few becomes one of each part of the updates, to an array of its
// own, and a reduction of these arrays: threads share the parts. Combiners are those of
// SplitReductions.
absl::StatusOr<bool> SplitScatters(HloModule* module);

// x such that the reducer returns y for x and any y, bit for bit; unset for reducers that are not
// one operation on real numbers that has an identity.
std::optional<Literal> IdentityOfReducer(const HloComputation& reducer);

}  // namespace xla

#endif  // XLA_PASSES_SPLIT_REDUCTIONS_H_
