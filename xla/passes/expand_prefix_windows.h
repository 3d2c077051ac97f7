// SPDX-License-Identifier: Apache-2.0
// Rewrites reduce-windows that are prefix scans as scans.
#ifndef XLA_PASSES_EXPAND_PREFIX_WINDOWS_H_
#define XLA_PASSES_EXPAND_PREFIX_WINDOWS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Reduce-windows that are prefix scans for which there is no kernel (prefix_scan.h) become scans,
// which expand-scans writes as loops: evaluated window by window they would take time quadratic in
// the length. Long scans of few rows are divided into parts that are scanned side by side, so that
// the reducer has to be associative, as the semantics of reduce-window demand.
absl::StatusOr<bool> ExpandPrefixWindows(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_EXPAND_PREFIX_WINDOWS_H_
