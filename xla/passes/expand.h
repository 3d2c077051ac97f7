// SPDX-License-Identifier: Apache-2.0
// Passes that expand operations to several simpler ones.
#ifndef XLA_PASSES_EXPAND_H_
#define XLA_PASSES_EXPAND_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Composite calls become plain calls, which inline-calls replaces by what they call.
absl::StatusOr<bool> ExpandComposites(HloModule* module);

// map with a function of elementwise operations and constants becomes these operations on arrays.
absl::StatusOr<bool> ExpandMaps(HloModule* module);

// Whether ExpandMaps can write the function out.
bool IsElementwiseFunction(const HloComputation& function);

// A scatter of one window becomes a dynamic-update-slice of a map of the window and the update.
absl::StatusOr<bool> ExpandScatters(HloModule* module);

// select-and-scatter with few taps and elementwise functions becomes elementwise operations on
// slices and padded arrays, with the same results.
absl::StatusOr<bool> ExpandSelectAndScatters(HloModule* module);

// A convolution without strides in which each output feature has one input feature, and few taps,
// becomes a sum of products of shifted arrays, in f32 for narrower types.
absl::StatusOr<bool> ExpandDepthwiseConvolutions(HloModule* module);

// batch-norm-training, -inference and -grad become elementwise operations and reductions, in f32
// for narrower types. Sums round in the order of those reductions.
absl::StatusOr<bool> ExpandBatchNorms(HloModule* module);

// scaled-dot becomes products of the operands with their repeated scales, and a dot.
absl::StatusOr<bool> ExpandScaledDots(HloModule* module);

// Sparse kernels of convolutions become dense ones, made by a custom call to kWholeKernelTarget.
// INVALID_ARGUMENT if a kernel does not fit its sparsity_config.
absl::StatusOr<bool> ExpandSparseConvolutions(HloModule* module);

// A custom call (values, positions) -> dense kernel. The backend_config is the sparse dimension and
// the size of its blocks, in decimal digits, separated by a comma.
inline constexpr char kWholeKernelTarget[] = "xylem.whole_kernel";

// Asynchronous operations (async-start, copy-start, all-gather-start, ... and their ends) become
// the operation itself, where it starts; only messages are awaited where it ends.
absl::StatusOr<bool> ExpandAsync(HloModule* module);

// Constants that are tuples become tuples of constants.
absl::StatusOr<bool> ExpandTupleConstants(HloModule* module);

// scan becomes a loop over the slices of its inputs.
absl::StatusOr<bool> ExpandScans(HloModule* module);

// Custom calls that XLA's client library makes become operations: annotations of shardings and
// buffers become their operand, CreateBuffer becomes zeros, TopK becomes topk; control_dep is
// removed. INVALID_ARGUMENT if operands do not fit.
absl::StatusOr<bool> ExpandCustomCalls(HloModule* module);

// Operands and result of a dot or convolution that has no product of its element types are
// converted to one type in which it is computed.
absl::StatusOr<bool> UnifyContractionTypes(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_EXPAND_H_
