// SPDX-License-Identifier: Apache-2.0
// Converts elements to the values that generated loops and branches carry, and back; halves
// vectors.
#ifndef XLA_CPU_CODEGEN_CARRIED_ELEMENTS_H_
#define XLA_CPU_CODEGEN_CARRIED_ELEMENTS_H_

#include <vector>

#include "absl/types/span.h"
#include "xla/cpu/codegen/element.h"
#include "xla/cpu/codegen/index.h"
#include "xla/cpu/codegen/ir.h"

namespace xla::cpu {

// The real and imaginary parts of the elements, in order.
Ir::Carried ToCarried(absl::Span<const Element> elements);

// The inverse of ToCarried. An element has an imaginary part if the one in `like` has.
std::vector<Element> FromCarried(const Ir::Carried& carried, absl::Span<const Element> like);

// Returns the first or second half of the lanes.
Element HalfOf(Ir& ir, const Element& element, bool second);

// Whether the lanes of a vector have different indices.
bool HasLanes(absl::Span<const IndexTerm> index);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_CARRIED_ELEMENTS_H_
