// SPDX-License-Identifier: Apache-2.0
// Expands windows of many elements, whose results share most of their work.
#ifndef XLA_PASSES_EXPAND_WIDE_WINDOWS_H_
#define XLA_PASSES_EXPAND_WIDE_WINDOWS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// For a reduce-window of one associative and commutative operation from its identity: windows of
// many elements in several dimensions become one for each dimension, and wide windows of one
// dimension are combined from windows of powers of two elements, each of two of the next smaller
// ones. The operations for a result grow with the logarithm of the window. Floating-point sums and
// products are rounded in that order, which depends only on the window.
absl::StatusOr<bool> ExpandWideWindows(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_EXPAND_WIDE_WINDOWS_H_
