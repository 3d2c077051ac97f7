// SPDX-License-Identifier: Apache-2.0
// Programs may mix floating-point types: operands of one operation may differ in precision, a
// computation may take others than it is applied to, and a declared result may be rounded. This
// pass writes such rounding out, so that what runs programs need not know of it.
#ifndef XLA_PASSES_MIXED_PRECISION_H_
#define XLA_PASSES_MIXED_PRECISION_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Whether there may be something to resolve: some operation meets floating-point types that differ
// where it does not define what that means (as convert, dot and tuple do). Linear time.
bool HasMixedPrecision(const HloModule& module);

// Inserts convert operations until every operation works in one precision: the narrowest floating-
// point type that holds all that meet there. Computations that take other types than they are
// applied to are called through one that converts; results are rounded to their declared types. The
// module must be verified; names and order of its own instructions stay. An error of shape
// inference if it is not.
absl::Status ResolveMixedPrecision(HloModule* module);
// The same as a pass: whether there was something to insert.
absl::StatusOr<bool> RunResolveMixedPrecision(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_MIXED_PRECISION_H_
