// SPDX-License-Identifier: Apache-2.0
// Result sizes of windowed operations: reduce-window, select-and-scatter and convolution.
#ifndef XLA_HLO_SHAPE_INFERENCE_WINDOW_H_
#define XLA_HLO_SHAPE_INFERENCE_WINDOW_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/shape_inference/infer_util.h"

namespace xla::shape_inference {

// The number of places of the window in each dimension of the base area: base dilation, padding,
// window dilation and stride applied. Dynamic dimensions remain dynamic. Errors: sizes, strides,
// dilations that are not positive; sizes that overflow or become negative by padding; a window of
// another rank.
absl::StatusOr<std::vector<Dim>> WindowedDims(absl::Span<const Dim> base, const WindowDims& window);

}  // namespace xla::shape_inference

#endif  // XLA_HLO_SHAPE_INFERENCE_WINDOW_H_
