// SPDX-License-Identifier: Apache-2.0
// Windows over arrays: helpers of reduce-window and select-and-scatter, and these operations with a
// window other than their instruction's (for dynamic_window.cc).
#ifndef XLA_INTERPRETER_WINDOW_H_
#define XLA_INTERPRETER_WINDOW_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"

namespace xla::interpreter {

// One dimension: tap t of the window at output coordinate o lies on input coordinate
// (o * stride - padding_low + t * window_dilation) / base_dilation, if that divides and is in [0,
// input_size).
struct WindowGeometryDim {
  int64_t output_size, taps;
  int64_t stride, padding_low, window_dilation, base_dilation;
  int64_t input_size, input_stride;

  // The window is the element itself.
  bool IsTrivial() const {
    return taps == 1 && stride == 1 && padding_low == 0 && base_dilation == 1 &&
           output_size == input_size;
  }
};
using WindowGeometry = absl::InlinedVector<WindowGeometryDim, 6>;

// Of the elements of `input` that exist.
WindowGeometry MakeWindowGeometry(const WindowDims& window, const Value& input,
                                  absl::Span<const int64_t> output);

// The input coordinates that taps of the window at an output coordinate lie on, in order. Takes as
// long as there are taps within reach or input coordinates, whichever are fewer.
void CoordinatesAt(const WindowGeometryDim& dim, int64_t output, std::vector<int64_t>& coordinates);

// reduce-window of one array by an associative and commutative operation (wide_ops.h), dimension by
// dimension. False, and nothing done, if there is no such operation on the type.
absl::StatusOr<bool> ReduceWindowSeparably(EvalContext& ctx, HloOpcode opcode, const Value& input,
                                           const Value& init, const WindowGeometry& geometry,
                                           Value& result);

// Evaluate reduce-window, select-and-scatter and convolution with the given window. Of `inst` only
// shape() and called_computations() are used.
absl::StatusOr<Value> ReduceWindow(EvalContext& ctx, const HloInstruction& inst,
                                   const WindowDims& window, absl::Span<Value> operands);
absl::StatusOr<Value> SelectAndScatter(EvalContext& ctx, const HloInstruction& inst,
                                       const WindowDims& window, absl::Span<Value> operands);
absl::StatusOr<Value> Convolve(EvalContext& ctx, const Shape& shape,
                               const ConvolutionAttributes& attributes, absl::Span<Value> operands);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_WINDOW_H_
