// SPDX-License-Identifier: Apache-2.0
// Computations that are applied to elements: reducers, comparators and their like.
#ifndef XLA_DEBUGGING_APPLIED_COMPUTATIONS_H_
#define XLA_DEBUGGING_APPLIED_COMPUTATIONS_H_

#include "xla/hlo/ir/hlo_computation.h"

namespace xla {

// Whether a caller applies the computation to elements, rather than calling it on whole values.
bool IsAppliedToElements(const HloComputation& computation);

}  // namespace xla

#endif  // XLA_DEBUGGING_APPLIED_COMPUTATIONS_H_
