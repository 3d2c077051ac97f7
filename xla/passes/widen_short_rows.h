// SPDX-License-Identifier: Apache-2.0
// Widens elementwise operations on arrays whose rows are shorter than vectors.
#ifndef XLA_PASSES_WIDEN_SHORT_ROWS_H_
#define XLA_PASSES_WIDEN_SHORT_ROWS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// An elementwise operation that combines each row of a few elements (the colors of a pixel, say)
// with a constant row is computed on rows of several such rows, with a repeated constant, so that
// vectors are full. Elementwise operations before and after it follow.
absl::StatusOr<bool> WidenShortRows(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_WIDEN_SHORT_ROWS_H_
