// SPDX-License-Identifier: Apache-2.0
// Programs may mix floating-point types: operands of one operation may differ in precision, a
// computation may take other types than it is applied to, and a declared result may be rounded.
// This pass makes such conversions explicit, so that backends need not handle them.
#ifndef XLA_PASSES_MIXED_PRECISION_H_
#define XLA_PASSES_MIXED_PRECISION_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Whether there may be something to resolve: some operation has different floating-point types, for
// which it does not define a meaning (as convert, dot and tuple do). Takes linear time.
bool HasMixedPrecision(const HloModule& module);

// Inserts convert operations until every operation works in one precision: the narrowest
// floating-point type that holds all of its types. Computations that take other types than they are
// applied to are called through one that converts; results are rounded to their declared types. The
// module must be verified; names and order of its own instructions are kept. Returns an error of
// shape inference if it is not.
absl::Status ResolveMixedPrecision(HloModule* module);
// ResolveMixedPrecision as a pass: returns whether anything was inserted.
absl::StatusOr<bool> RunResolveMixedPrecision(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_MIXED_PRECISION_H_
