// SPDX-License-Identifier: Apache-2.0
// Shape inference of reduce-window and select-and-scatter, and of windows in general.
#include "xla/hlo/shape_inference/window.h"

#include <utility>

#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/reducer.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

absl::StatusOr<std::vector<Dim>> WindowedDims(const Shape& base, const WindowDims& window) {
  std::vector<Dim> dims;
  for (int64_t i = 0; i < base.rank(); ++i) dims.push_back(DimOf(base, i));
  return WindowedDims(dims, window);
}

absl::StatusOr<Shape> MakeFrom(const std::vector<Dim>& sizes, PrimitiveType type) {
  Dims dims;
  for (const Dim& dim : sizes) dims.Add(dim);
  return dims.Make(type);
}

}  // namespace

absl::StatusOr<std::vector<Dim>> WindowedDims(absl::Span<const Dim> base,
                                              const WindowDims& window) {
  if (window.size() != base.size()) {
    return InvalidArgument("Window has dimension %u but base shape has dimension %u.",
                           window.size(), base.size());
  }
  std::vector<Dim> result;
  for (size_t i = 0; i < base.size(); ++i) {
    const WindowDim& w = window[i];
    if (w.size <= 0) {
      return InvalidArgument("Window has a non-positive dimension: size %d in dimension %u.",
                             w.size, i);
    }
    if (w.stride <= 0) {
      return InvalidArgument("Window has a non-positive stride: %d in dimension %u.", w.stride, i);
    }
    if (w.base_dilation < 1) {
      return InvalidArgument(
          "Window has a non-positive base area dilation factor: %d in dimension %u.",
          w.base_dilation, i);
    }
    if (w.window_dilation < 1) {
      return InvalidArgument(
          "Window has a non-positive window dilation factor: %d in dimension %u.",
          w.window_dilation, i);
    }
    if (base[i].IsUnbounded()) {
      result.push_back(Dim::Unbounded());
      continue;
    }
    const WindowExtents extents = ExtentsOf(base[i].size, w);
    if (extents.padded < 0) {
      return InvalidArgument("Window padding %d_%d makes the size %d of dimension %u negative.",
                             w.padding_low, w.padding_high, base[i].size, i);
    }
    const auto places = ToSize(extents.places);
    if (!places.has_value() || !ToSize(extents.padded).has_value() ||
        !ToSize(extents.window).has_value()) {
      return InvalidArgument("Window overflows the size of dimension %u.", i);
    }
    result.push_back({*places, base[i].dynamic});
  }
  return result;
}

Result InferReduceWindow(const InferenceInput& in) {
  const WindowDims& window = Attrs<WindowAttributes>(in).window;
  const ProgramShape& reducer = *in.callees[0];
  if (in.operands.empty() || OperandCount(in) % 2 != 0) {
    return InvalidArgument("ReduceWindow must have an even number of arguments, at least 2; has %d",
                           OperandCount(in));
  }
  const int64_t inputs = OperandCount(in) / 2;
  std::vector<PrimitiveType> init_types, element_types;
  for (int64_t i = 0; i < inputs; ++i) {
    XLA_RETURN_IF_ERROR(ExpectArray(Operand(in, i), "operand of reduce-window"));
    const Shape& init = Operand(in, inputs + i);
    if (!ShapeUtil::IsScalar(init)) {
      return InvalidArgumentStrCat("Initial values of reduce-window must be scalars; init_value ",
                                   i, " has shape: ", Str(init), ".");
    }
    if (!ShapeUtil::CompatibleIgnoringElementType(Operand(in, 0), Operand(in, i))) {
      return InvalidArgumentStrCat(
          "All reduced tensors must have the same dimensions. Tensor at index 0 has shape ",
          Str(Operand(in, 0)), ", and tensor at index ", i, " has shape ", Str(Operand(in, i)),
          ".");
    }
    element_types.push_back(Operand(in, i).element_type());
    init_types.push_back(init.element_type());
  }
  XLA_RETURN_IF_ERROR(CheckReducer(reducer, init_types, element_types));
  std::vector<Shape> results;
  for (int64_t i = 0; i < inputs; ++i) {
    XLA_ASSIGN_OR_RETURN(const std::vector<Dim> dims, WindowedDims(Operand(in, i), window));
    XLA_ASSIGN_OR_RETURN(Shape result, MakeFrom(dims, init_types[i]));
    results.push_back(std::move(result));
  }
  if (!reducer.result().IsTuple()) return std::move(results[0]);
  return ShapeUtil::MakeTupleShape(std::move(results));
}

Result InferSelectAndScatter(const InferenceInput& in) {
  const WindowDims& window = Attrs<WindowAttributes>(in).window;
  const Shape& operand = Operand(in, 0);
  const Shape& source = Operand(in, 1);
  const Shape& init = Operand(in, 2);
  const ProgramShape& select = *in.callees[0];
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "operand of select-and-scatter"));
  XLA_RETURN_IF_ERROR(ExpectArray(source, "source of select-and-scatter"));
  if (!ShapeUtil::IsScalar(init)) {
    return InvalidArgumentStrCat("The initial value of select-and-scatter must be a scalar; got ",
                                 Str(init), ".");
  }
  XLA_RETURN_IF_ERROR(CheckParameterCount(in, 0));
  XLA_RETURN_IF_ERROR(CheckPredResult(in, 0));
  for (int i = 0; i < 2; ++i) {
    const Shape& parameter = select.parameters(i);
    if (!ShapeUtil::IsScalar(parameter) ||
        !ShapeUtil::SameElementTypeIgnoringFpPrecision(parameter, operand)) {
      return InvalidArgumentStrCat(
          "Select function's ", i == 0 ? "first" : "second",
          " parameter shape currently must match the operand element shape, but got ",
          Str(parameter), " vs ", Str(ScalarShape(operand.element_type())), ".");
    }
  }
  XLA_RETURN_IF_ERROR(CheckReducer(*in.callees[1], {init.element_type()}, {source.element_type()}));
  XLA_ASSIGN_OR_RETURN(const std::vector<Dim> dims, WindowedDims(operand, window));
  XLA_ASSIGN_OR_RETURN(const Shape windowed, MakeFrom(dims, operand.element_type()));
  if (!ShapeUtil::CompatibleIgnoringFpPrecision(source, windowed)) {
    return InvalidArgumentStrCat(
        "Source shape does not match the shape of window-reduced operand: source(", Str(source),
        "), window-reduced operand(", Str(windowed), ").");
  }
  return operand;
}

}  // namespace xla::shape_inference
