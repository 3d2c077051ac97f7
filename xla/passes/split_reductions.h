// SPDX-License-Identifier: Apache-2.0
// Splits long reductions, and scatters of many updates, into two steps.
#ifndef XLA_PASSES_SPLIT_REDUCTIONS_H_
#define XLA_PASSES_SPLIT_REDUCTIONS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

// Splits a reduction of many elements to few results into a reduction of parts and one of their
// results, so that several threads can share it. For reducers that are one associative operation
// with an identity; floating-point sums and products are rounded in the order of the parts, which
// depends only on shapes.
absl::StatusOr<bool> SplitReductions(HloModule* module);

// Splits a scatter of many elements to few into scatters of parts of the updates, each to an array
// of its own, and a reduction of these arrays: threads share the parts. Combiners are those of
// SplitReductions.
absl::StatusOr<bool> SplitScatters(HloModule* module);

// Returns x such that the reducer returns y for x and any y, bit for bit; nullopt for reducers that
// are not one operation on real numbers with an identity.
std::optional<Literal> IdentityOfReducer(const HloComputation& reducer);

}  // namespace xla

#endif  // XLA_PASSES_SPLIT_REDUCTIONS_H_
