// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SPMD_DYNAMIC_ARGUMENT_H_
#define TESTS_SPMD_DYNAMIC_ARGUMENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla::spmd::testing {

// The values as an array of the shape: sizes that are known at run time are any up to the bounds,
// other ones for other numbers.
inline absl::StatusOr<Literal> WithDynamicSizes(Literal values, const Shape& shape,
                                                int64_t number) {
  if (shape.is_static()) return values;
  XLA_ASSIGN_OR_RETURN(Literal sized, Literal::Make(shape));
  const std::vector<int64_t> origin(static_cast<size_t>(shape.rank()), 0);
  XLA_RETURN_IF_ERROR(sized.CopySliceFrom(values, origin, origin, shape.dimensions()));
  for (int d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    sized.SetDynamicSize(d, static_cast<int32_t>((5 * number + 2) % (shape.dimensions(d) + 1)));
  }
  return sized;
}

}  // namespace xla::spmd::testing

#endif  // TESTS_SPMD_DYNAMIC_ARGUMENT_H_
